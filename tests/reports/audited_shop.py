"""An audited shop with known pages, and one whose every text is hostile: material for HTML and workbook tests."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

from urlset.auditing.indexable import Remedy
from urlset.findings.card import Card, Severity
from urlset.findings.finding import Finding
from urlset.findings.verdict import Checked, Verdict
from urlset.model.visit import State
from urlset.reports.audit_wording import cause_line
from urlset.reports.pages import AuditReport, CauseRow, EstimateRow, NotAsked, PageRow, ProblemRow
from urlset.spec.engines import Engine

SHOP = "https://www.nordliving.example/"
SECTIONS = ("lamps", "chairs", "tables", "sofas", "rugs", "beds", "outlet", "guides", "brands", "help", "news", "blog")
_STATES = (State.OK, State.REDIRECTED, State.GONE, State.ERROR, State.LOGIN, State.BLOCKED, State.UNKNOWN)
_REASONS = {
    State.OK: "200 OK",
    State.GONE: "404 Not Found",
    State.ERROR: "503 Service Unavailable",
    State.LOGIN: "redirects to a login form",
    State.BLOCKED: "403 with a challenge page",
    State.UNKNOWN: "robots.txt disallows urlset to fetch it",
}
_STATUS = {State.GONE: 404, State.ERROR: 503, State.BLOCKED: 403, State.UNKNOWN: None}
PAYLOADS = (
    "<img src=x onerror=window.reached=1>",
    "<script>window.reached=1</script>",
    '"><svg onload=window.reached=1>',
    "' autofocus onfocus=window.reached=1 x='",
    "</script><script>window.reached=1</script>",
    "<!--<script>",
    "]]>--></title></style></textarea><iframe srcdoc='<script>parent.reached=1</script>'>",
    "javascript:window.reached=1",
    "JaVaScRiPt:window.reached=1//https://x.example/",
    "data:text/html,<script>window.reached=1</script>",
    'https://x.example/" onmouseover=window.reached=1 "',
    "https://user:pass@x.example\\@y.example/",
    '=HYPERLINK("https://x.example/","x")',
    "+cmd|' /C calc'!A0",
    "\u202egnp.exe\u2066\u0000\x1b[31m\ud800",
    "__proto__",
    "constructor",
    "${alert(1)}{{7*7}}{% raw %}",
)


def _pages(count: int) -> Iterator[PageRow]:
    chance = random.Random(1)
    for number in range(count):
        section = SECTIONS[min(int(chance.expovariate(0.35)), len(SECTIONS) - 1)]
        state = chance.choices(_STATES, (860, 55, 40, 10, 8, 17, 10))[0]
        material, thing = chance.choice(("oak", "velvet", "linen", "steel")), chance.choice(("chair", "lamp", "table"))
        below = f"{material}/" * (chance.random() < 0.3)
        url = f"{SHOP}{section}/{below}{material}-{thing}-{number}"
        noindex = state is State.OK and chance.random() < 0.03
        able = None if state in (State.BLOCKED, State.UNKNOWN) else state is State.OK and not noindex
        only_google = able and chance.random() < 0.01
        yield PageRow(
            url=url,
            source=f"{SHOP}sitemap-{section}.xml",
            entry=number + 1,
            lastmod=_lastmod(chance),
            state=state,
            reason=_REASONS.get(state, f"301 to {url}/"),
            asked=state is not State.UNKNOWN,
            status=_STATUS.get(state, 200),
            final_url=f"{url}/" if state is State.REDIRECTED else url,
            canonical=url if able else None,
            media_type="text/html",
            bytes=chance.randint(8_000, 90_000),
            first_byte=round(0.05 + number / 1000, 3),
            seconds=round(chance.uniform(0.05, 1.4), 3),
            title=f"{material.title()} {thing} no. {number} | Nord Living",
            indexable={"google": able, "bing": False if only_google else able},
            reasons=_against(state, noindex=noindex, only_google=bool(only_google)),
            codes=_codes(state, noindex=noindex),
            remedy=_remedy(state, url),
            cause=_cause(state, noindex=noindex),
        )


def _lastmod(chance: random.Random) -> str | None:
    if chance.random() < 0.06:
        return None
    year = chance.choice((2019, 2021, 2023, 2024, 2025, 2026, 2026, 2026))
    day = f"{year}-{chance.randint(1, 11):02}-{chance.randint(1, 15):02}"
    return day if chance.random() < 0.98 else "15.11.2026"


def _against(state: State, *, noindex: bool, only_google: bool) -> tuple[str, ...]:
    if noindex:
        return ("noindex in the page",)
    if only_google:
        return ("robots.txt disallows bingbot (bing)",)
    return () if state in (State.OK, State.UNKNOWN, State.BLOCKED) else (_REASONS.get(state, "redirects"),)


def _codes(state: State, *, noindex: bool) -> tuple[str, ...]:
    if noindex:
        return ("A006",)
    return {State.GONE: ("A001",), State.REDIRECTED: ("A003",), State.ERROR: ("A002",)}.get(state, ())


def _remedy(state: State, url: str) -> Remedy | None:
    if state is State.REDIRECTED:
        return Remedy("replace", "A003", "the page redirects", f"{url}/")
    return Remedy("drop", "A001", "404 Not Found") if state is State.GONE else None


def _cause(state: State, *, noindex: bool) -> int | None:
    return 2 if noindex else {State.GONE: 1, State.REDIRECTED: 3}.get(state)


def _card(code: str, name: str, summary: str, engines: tuple[Engine, ...], severity: Severity) -> Card:
    return Card(
        code, name, summary, "Engines drop such pages from the index.", dict.fromkeys(engines, severity), (), False
    )


BOTH = (Engine.GOOGLE, Engine.BING)
CARDS = {
    card.code: card
    for card in (
        Card(
            "A001",
            "page-gone",
            "A listed page does not exist.",
            "Engines drop such pages from the index.",
            {Engine.GOOGLE: Severity.ERROR, Engine.BING: Severity.WARNING},
            (),
            False,
        ),
        _card("A003", "page-redirects", "A listed page redirects.", BOTH, Severity.WARNING),
        _card("A006", "noindex-page", "A listed page is excluded from the index.", (Engine.GOOGLE,), Severity.ERROR),
    )
}
_SAID = {
    "A001": "returns 404; remove the entry or restore the page",
    "A003": "redirects (301); list the target instead",
    "A006": "has noindex in the page; remove the entry or the directive",
}


def shop(count: int) -> AuditReport:
    """The same pages each time they are read."""
    states: Counter[State] = Counter()
    codes: Counter[str] = Counter()
    causes: Counter[int | None] = Counter()
    findings = []
    for row in _pages(count):
        states[row.state] += 1
        codes.update(row.codes)
        causes[row.cause] += 1
        findings += [_finding(code, row) for code in row.codes if code in CARDS and codes[code] <= 30]
    counts = {code: codes[code] for code in CARDS}
    errors = counts["A001"] + counts["A006"]
    verdict = Verdict(
        documents=tuple(
            Checked(f"{SHOP}sitemap-{name}.xml", None, "urlset", 90_000, 1_700, "ab" * 32) for name in SECTIONS
        ),
        findings=tuple(findings),
        counts=counts,
        severity_counts={"error": errors, "warning": counts["A003"]},
        cards=CARDS,
    )
    return AuditReport(
        target=SHOP,
        again=f"{SHOP} --known",
        verdict=verdict,
        listed=count,
        states=dict(states),
        causes=_causes(causes),
        page_codes=frozenset(CARDS),
        remedies={"drop": states[State.GONE], "replace": states[State.REDIRECTED]},
        reasons=((State.BLOCKED, "403 with a challenge page", states[State.BLOCKED]),),
        pages=lambda: _pages(count),
        problems=lambda: _problems(count, _causes(causes)),
    )


def _problems(count: int, causes: tuple[CauseRow, ...]) -> Iterator[ProblemRow]:
    for row in _pages(count):
        for code in row.codes:
            cause = causes[row.cause - 1] if row.cause else None
            yield ProblemRow(
                url=row.url,
                code=code,
                name=CARDS[code].name if code in CARDS else "",
                severity=CARDS[code].severity if code in CARDS else Severity.INFO,
                cause=f"{row.cause}. {cause_line(cause)}" if cause else "",
                evidence=_SAID.get(code, ""),
                status=row.status,
                final_url=row.final_url,
                listed_in=row.source,
                linked_from=(f"{SHOP}lamps",),
                action="list the final URLs",
                number=row.cause,
            )


def _finding(code: str, row: PageRow) -> Finding:
    card = CARDS[code]
    engines = tuple(card.severities)
    return Finding(
        code, card.name, card.severity, engines, _SAID[code], row.source, line=row.entry, column=5, subject=row.url
    )


def _causes(counts: Counter[int | None]) -> tuple[CauseRow, ...]:
    return (
        CauseRow(
            "404 Not Found in /outlet/ and /lamps/",
            counts[1],
            counts[1],
            "missing pages",
            "A001",
            ((f"{SHOP}lamps/a", ""),),
        ),
        CauseRow(
            "noindex in the page template", counts[2], counts[2], "noindex pages", "A006", ((f"{SHOP}rugs/b", ""),)
        ),
        CauseRow(
            "missing trailing slash", counts[3], counts[3], "redirects", "A003", ((f"{SHOP}beds/c", f"{SHOP}beds/c/"),)
        ),
    )


def hostile_shop() -> AuditReport:
    """Each payload in each text of a page, a cause, and a notice."""

    def pages() -> Iterator[PageRow]:
        for payload in PAYLOADS:
            for url in (payload, f"{SHOP}{payload}"):
                yield PageRow(
                    url=url,
                    source=payload,
                    entry=1,
                    lastmod=payload,
                    state=State.GONE,
                    reason=payload,
                    status=404,
                    final_url=payload,
                    canonical=payload,
                    media_type=payload,
                    title=payload,
                    indexable={"google": False, "bing": False},
                    reasons=(payload,),
                    codes=(payload, "A001"),
                    remedy=Remedy("replace", "A001", payload, payload),
                    cause=1,
                )

    def problems() -> Iterator[ProblemRow]:
        for each in PAYLOADS:
            yield ProblemRow(
                url=each,
                code=each,
                name=each,
                severity=Severity.ERROR,
                cause=each,
                evidence=each,
                status=404,
                final_url=each,
                listed_in=each,
                linked_from=(each, each),
                action=each,
                number=1,
            )

    calm = shop(40)
    text = " ".join(PAYLOADS)
    return AuditReport(
        target=text,
        again=text,
        verdict=calm.verdict,
        listed=2 * len(PAYLOADS),
        states={State.GONE: 2 * len(PAYLOADS)},
        not_asked=(NotAsked(1, text),),
        causes=tuple(CauseRow(each, 5, 9, each, each, ((each, each),)) for each in PAYLOADS),
        estimates=(EstimateRow(text, 1, 0.1, 0.05, 0.2, 1, 2),),
        reasons=((State.BLOCKED, text, 1),),
        notices=PAYLOADS,
        pages=pages,
        problems=problems,
    )
