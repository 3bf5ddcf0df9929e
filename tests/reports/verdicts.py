"""Verdicts that reports find hard, and one that is ordinary: the shared material of all report tests."""

from __future__ import annotations

from urlset.findings.card import Card, Severity
from urlset.findings.finding import Excerpt, Finding, FixNote
from urlset.findings.verdict import Checked, NotChecked, Suppressed, Verdict
from urlset.spec.engines import DEFAULT_ENGINES, Engine

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
GOOGLE_AND_BING = (Engine.GOOGLE, Engine.BING)
NO_ADDRESS = "sitemap URL unknown (set --at URL)"


def _card(
    code: str,
    name: str,
    severities: dict[Engine, Severity],
    summary: str,
    rationale: str,
    *cites: str,
    fixable: bool = False,
) -> Card:
    return Card(code, name, summary, rationale, severities, cites, fixable)


CARDS = {
    card.code: card
    for card in (
        _card(
            "L007",
            "space-in-loc",
            dict.fromkeys(DEFAULT_ENGINES, ERROR),
            "A page URL contains a space.",
            "An unescaped space is illegal in a URL: crawlers cut it, encode it, or drop the entry. The page"
            " may never be crawled.",
            "sitemaps-protocol",
            "rfc3986",
            fixable=True,
        ),
        _card(
            "L013",
            "fragment-in-loc",
            dict.fromkeys(GOOGLE_AND_BING, WARNING),
            "A page URL has a `#fragment`.",
            "Crawlers ignore the fragment, so two entries that differ only after the # are"
            " one page listed twice. Nothing breaks.",
            "google-url-structure",
            fixable=True,
        ),
        _card(
            "D001",
            "illegal-lastmod",
            {Engine.PROTOCOL: ERROR, Engine.GOOGLE: WARNING},
            "lastmod is not a W3C date.",
            "Crawlers ignore the date.",
            "w3c-datetime",
            "no-such-citation",
        ),
        _card(
            "Q001",
            "priority-ignored",
            dict.fromkeys(GOOGLE_AND_BING, INFO),
            "The file sets priorities.",
            "Engines ignore them.",
        ),
        _card("L015", "other-host", dict.fromkeys(DEFAULT_ENGINES, ERROR), "Another host.", "Not trusted."),
    )
}


def _document(source: str, entries: int = 3, url: str | None = None) -> Checked:
    return Checked(source, url, "urlset", 512, entries, "ab" * 32)


def _loc(path: str, fault: str) -> Excerpt:
    text = f"<loc>https://example.com{path}</loc>"
    return Excerpt(text, text.index(fault), len(fault))


def _found(code: str, excerpt: Excerpt | None, message: str, **rest: object) -> Finding:
    card = CARDS.get(code)
    reported: dict[str, object] = {
        "name": card.name if card else "rule-crashed",
        "severity": card.severity if card else WARNING,
        "engines": tuple(card.severities) if card else DEFAULT_ENGINES,
        "source": "public/sitemap.xml",
    }
    reported.update(rest)
    if excerpt is not None and reported.get("line") is not None:
        reported.setdefault("column", 5 + excerpt.start)
        reported.setdefault("end_line", reported["line"])
        reported.setdefault("end_column", 5 + excerpt.start + excerpt.length)
        reported.setdefault("offset", 100 + excerpt.start)
        reported.setdefault("length", len(excerpt.text[excerpt.start :][: excerpt.length].encode("utf-8", "replace")))
    return Finding(code=code, message=message, excerpt=excerpt, **reported)  # type: ignore[arg-type]


def verdict_of(*findings: Finding, **rest: object) -> Verdict:
    """With counts as the engine would make them."""
    counts: dict[str, int] = {}
    severities: dict[str, int] = {}
    for finding in findings:
        counts[finding.code] = counts.get(finding.code, 0) + 1
        severities[finding.severity] = severities.get(finding.severity, 0) + 1
    reported: dict[str, object] = {
        "documents": tuple(_document(source) for source in dict.fromkeys(finding.source for finding in findings)),
        "counts": counts,
        "severity_counts": severities,
        "fixable": sum(finding.fix is not None for finding in findings),
        "cards": CARDS,
    }
    reported.update(rest)
    return Verdict(findings=findings, **reported)  # type: ignore[arg-type]


ENCODE = FixNote("percent-encode the space", "safe")
DROP = FixNote("remove the fragment", "review")


def space(path: str, line: int, **rest: object) -> Finding:
    subject = f"https://example.com{path}"
    message = f"unescaped space in '{path}'; write %20"
    return _found("L007", _loc(path, " "), message, line=line, subject=subject, fix=ENCODE, **rest)


def fragment(name: str, line: int, **rest: object) -> Finding:
    message = f"crawlers ignore the fragment '#{name}'; remove it"
    subject = f"https://example.com/guide#{name}"
    return _found("L013", _loc(f"/guide#{name}", f"#{name}"), message, line=line, subject=subject, fix=DROP, **rest)


ORDINARY = verdict_of(
    space("/a b", 5),
    *(fragment(f"part-{number}", 8 + 4 * number) for number in range(1, 6)),
    _found(
        "D001",
        Excerpt("<lastmod>12/31/2023</lastmod>", 9, 10),
        "'12/31/2023' is no W3C date; 2023-12-31 would be",
        line=1207,
        subject="https://example.com/old",
    ),
    _found("Q001", None, "all 4,812 entries set a priority", line=None, count=4812),
    space("/c d", 7, source="public/sitemap-2.xml"),
    documents=(
        _document("public/sitemap.xml", 4812),
        _document("public/sitemap-2.xml", 90, "https://example.com/sitemap-2.xml"),
        _document("public/sitemap-3.xml", 12),
    ),
    not_checked=(NotChecked("L015", NO_ADDRESS), NotChecked("L016", NO_ADDRESS), NotChecked("R002", "no robots.txt")),
    suppressed=(
        Suppressed("L013", "public/sitemap.xml", 3, "a comment in the file"),
        Suppressed("D016", "public/sitemap.xml", 1, "a comment in the file"),
    ),
)

CLEAN = Verdict(documents=(_document("public/sitemap.xml", 4812),), cards=CARDS)
EMPTY = Verdict()

HUGE = verdict_of(
    *(fragment(f"part-{number}", 8 + 4 * number) for number in range(1, 1001)),
    space("/all over", 3, count=9_999_999),
    counts={"L013": 4_812_345, "L007": 1},
    severity_counts={"warning": 4_812_345, "error": 1},
    fixable=4_812_346,
)

CAPPED_IN_TWO_FILES = verdict_of(
    *(fragment(f"x{number}", number, source=source) for source in ("a.xml", "b.xml") for number in range(1, 6)),
    fragment("y", 9, source="c.xml"),
    counts={"L013": 500},
    severity_counts={"warning": 500},
)

_BIDI = "/\u202egnp.exe\u2066"
_ESCAPES = "/\x1b[31mred\x1b]0;title\x07\x9b2J"


def _odd(excerpt: Excerpt | None, message: str, line: int | None, **rest: object) -> Finding:
    return _found("L007", excerpt, message, line=line, **rest)


NASTY = verdict_of(
    _odd(_loc(_ESCAPES, "\x1b[31m"), f"terminal escapes in '{_ESCAPES}'", 2, subject=_ESCAPES),
    _odd(_loc(_BIDI, "\u202e"), f"the text runs backwards in '{_BIDI}'", 3, subject=_BIDI),
    _odd(_loc("/a\tb\u00a0c", "\tb\u00a0"), "a tab and a no-break space", 4),
    _odd(Excerpt("\t\t<loc>\thttps://example.com/x y</loc>", 29, 1), "tabs before the fault", 5),
    _odd(_loc("/日本語/日本 語", " "), "wide characters before the fault", 6),
    _odd(_loc("/👩\u200d💻/e\u0301\u0301 x", " "), "emoji and combining marks before the fault", 7),
    _odd(_loc("/日本語", "日本語"), "wide characters in the fault", 8),
    _odd(_loc("/<script>alert('&\"x\"')</script>?a=1|2`b``c", "<script>"), "<b>bold</b> & \"q\" 'a' `t` a|b", 9),
    _odd(Excerpt("", 0, 0), "an empty line", 10),
    _odd(Excerpt("short", 99, 7), "past the end", 11),
    _odd(Excerpt("x" * 40 + "FAULT" * 40 + "y" * 40, 40, 200, cut_left=True, cut_right=True), "a long fault", 12),
    _odd(Excerpt("x" * 300 + " " + "y" * 300, 300, 1, cut_right=True), "a long line", 13),
    _odd(Excerpt("<url>", 0, 5, cut_right=True), "over many lines", 14, end_line=20, end_column=3),
    _odd(None, "no excerpt", 15, column=4),
    _odd(None, "a line without a column", 16),
    _odd(None, "no line at all", None),
    _odd(Excerpt("<a>", 0, 3), "an excerpt without a line", None),
    _odd(None, "lines\nin\r\nthe message\u2028and \ud800 half a character \ufffe", 17),
    _odd(_loc("/x y", " "), "::error::not a command %0A%25 {0} {{x}} [a](b) @someone #12 https://evil.example/", 18),
    _odd(_loc("/x y", " "), "w" * 400 + " a message longer than any line " + "v" * 200, 19),
    _odd(_loc("/x y", " "), "=HYPERLINK(1)", 20, subject="=1+1", fix=FixNote("@sum|`x`<i>", "review")),
    _odd(None, "an end before its start", 21, column=9, end_line=2, end_column=1),
    _odd(_loc("/x y", " "), "no engine minds", 22, engines=()),
    _odd(_loc("/x y", " "), "", 23, offset=0, length=0),
    _odd(_loc("/x y", " "), "milder here", 24, severity=INFO),
    _found("T001", None, "rule L007 space-in-loc crashed: ValueError: [x]"),
    _odd(_loc("/x y", " "), "a strange file", 1, source="odd dir/caf\udce9 100%: «a|b`c,d».xml"),
    _odd(_loc("/x y", " "), "from the web", 1, source="https://example.com/site map.xml?a=1&b=<2>"),
    _odd(_loc("/x y", " "), "an absolute path", 1, source="/srv/www/sitemap.xml"),
    _odd(_loc("/x y", " "), "standard input", 1, source="-"),
    _odd(_loc("/x y", " "), "no name", 1, source=""),
    _odd(_loc("/x y", " "), "a file name with a line end", 1, source="a\n::error::b\x1b[2J.xml"),
    not_checked=(NotChecked("L015", "unknown \x1b[1m<b>|`address`\nof it", "a\x00b.xml"),),
    suppressed=(Suppressed("L013", "x", 1, "a \x07comment <!-- x -->"),),
    troubled=("gone\x1b.xml: no such file <&>", "caf\udce9.xml: permission denied"),
)

ONLY_NOTES = verdict_of(_found("Q001", None, "all 3 entries set a priority", count=3))
ONLY_TROUBLE = Verdict(troubled=("gone.xml: no such file",))

VERDICTS = {
    "ordinary": ORDINARY,
    "nasty": NASTY,
    "clean": CLEAN,
    "empty": EMPTY,
    "huge": HUGE,
    "capped": CAPPED_IN_TWO_FILES,
    "notes": ONLY_NOTES,
    "trouble": ONLY_TROUBLE,
}
