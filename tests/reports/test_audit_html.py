"""The HTML of an audit: states, causes and pages with the right numbers, bounded, and deaf to what it quotes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from selectolax.lexbor import LexborHTMLParser

from tests.cli.commands import run
from tests.reports.html_reading import Report, one
from tests.reports.test_audit_text import SITE, finding, report
from tests.reports.test_html import hostile, payloads
from urlset.auditing.indexable import Remedy
from urlset.findings.card import Severity
from urlset.model.answer import Hop
from urlset.model.visit import State
from urlset.reports import audit_html, audit_text
from urlset.reports.format import ReportOptions
from urlset.reports.pages import (
    AuditReport,
    CauseRow,
    ChangedRule,
    EstimateRow,
    FindingChanges,
    NotAsked,
    PageRow,
)
from urlset.reports.visible import visible

OPTIONS = ReportOptions(command="audit", version="0.0.0", target=(SITE,))
STATES = {
    State.OK: 90,
    State.REDIRECTED: 4,
    State.GONE: 3,
    State.ERROR: 1,
    State.BLOCKED: 1,
    State.UNKNOWN: 1,
}


def text_of(audit: AuditReport) -> str:
    return "".join(audit_html.render(audit, OPTIONS))


def tree_of(audit: AuditReport) -> LexborHTMLParser:
    text = text_of(audit)
    assert len(Report(text).elements) == len(LexborHTMLParser(text).css("*"))
    return LexborHTMLParser(text)


def row(path: str, state: State, **more: Any) -> PageRow:
    return PageRow(url=f"{SITE}{path}", source=f"{SITE}/sitemap.xml", entry=1, state=state, **more)


def hostile_audit(payload: str) -> AuditReport:
    text = f"x{payload}"
    remedy = Remedy("replace", text, f"w{text}", text)
    pages = [
        PageRow(
            url=text,
            source=text,
            entry=1,
            state=state,
            reason=text,
            status=200,
            hops=(Hop(text, 301, text),),
            final_url=f"y{text}",
            title=text,
            indexable={text: False},
            reasons=(f"z{text}",),
            codes=(text, "other"),
            remedy=remedy,
        )
        for state in State
    ]
    return AuditReport(
        target=text,
        again=text,
        verdict=hostile(payload),
        listed=7,
        states=dict.fromkeys(State, 1),
        not_asked=(NotAsked(1, text),),
        causes=(CauseRow(text, 5, 9, text, text, ((text, text), (text, ""))),),
        estimates=(EstimateRow(text, 1, 0.1, 0.05, 0.2, 1, 2),),
        page_codes=frozenset({text}),
        media={State.OK: 1},
        remedies={"drop": 1, "replace": 2},
        reasons=((State.BLOCKED, text, 1), (State.UNKNOWN, text, 1)),
        notices=(text,),
        changes=FindingChanges(
            since=text,
            rules=(ChangedRule(code=text, name=text, new=1, new_examples=(text,), resolved_examples=(text,)),),
        ),
        pages=lambda: iter(pages),
    )


@given(payload=payloads)
def test_nothing_that_is_quoted_becomes_markup(payload: str) -> None:
    text = text_of(hostile_audit(payload))
    reported = Report(text)
    assert reported.skeleton == Report(text_of(hostile_audit("plain"))).skeleton
    assert reported.text.count(visible(f"x{payload}")) >= 40
    assert len(LexborHTMLParser(text.encode()).css("*")) == len(reported.elements)


def test_addresses_open_in_a_tab_that_knows_nothing_of_the_report() -> None:
    audit = report(
        finding("A001", "/gone", "404"),
        causes=(CauseRow("slash", 3, 3, "redirected", "A003", ((f"{SITE}/a", f"{SITE}/a/"),)),),
        pages=lambda: iter([row("/a", State.REDIRECTED, final_url=f"{SITE}/a/", codes=("A001",))]),
    )
    links = [link for link in Report(text_of(audit)).named("a") if not (link["href"] or "").startswith("#")]
    assert {link["href"] for link in links} == {f"{SITE}/a", f"{SITE}/a/", f"{SITE}/gone", f"{SITE}/"}
    assert {(link["target"], link["rel"]) for link in links} == {("_blank", "noopener noreferrer")}
    hostile = [
        f"{SITE}/a b",
        f"{SITE}/\u202eexe",
        "javascript:alert(1)",
        "data:text/html,x",
        "//x.example/",
        f"{SITE}\\@x/",
    ]
    odd = report(pages=lambda: iter([PageRow(url=url, source="s", state=State.GONE) for url in hostile]))
    opened = {link["href"] for link in Report(text_of(odd)).named("a")}
    assert {link for link in opened if not (link or "").startswith("#")} == {f"{SITE}/"}


def test_states_are_told_in_numbers_and_words_and_drawn() -> None:
    tree = tree_of(report(states=STATES))
    rows = [[cell.text() for cell in each.css("th, td")][:3] for each in tree.css("main table")[0].css("tbody tr")]
    assert rows[0] == ["ok", "90", "90.0%"]
    assert [name for name, _, _ in rows] == [state for state in State if state in STATES]
    bar = one(tree, "svg.bar")
    assert bar.attributes["aria-label"] == "90 ok, 4 redirected, 3 gone, 1 error, 1 blocked, 1 unknown"
    pieces = [(float(each.attributes["x"] or 0), float(each.attributes["width"] or 0)) for each in bar.css("rect")]
    assert all(width > 0.5 for _, width in pieces)
    assert sum(pieces[-1]) == pytest.approx(99.8, abs=0.1)


def test_what_is_new_and_what_is_resolved() -> None:
    rule = ChangedRule(code="A001", name="page-gone", new=2, resolved=1, unchanged=4, new_examples=(f"{SITE}/n",))
    tree = tree_of(
        report(finding("A001", "/n", "404"), changes=FindingChanges(since="last.json", rules=(rule,), unlisted=1))
    )
    told = one(one(tree, "#changes").parent or tree, "p").text()
    assert told == "Compared with last.json: 2 new, 1 resolved (1 on pages no longer listed), 4 unchanged"
    cells = [each.text() for each in tree.css("#changes ~ div tbody td")]
    assert cells == ["2", "1", "4", f"new: {SITE}/n"]


def test_one_page_of_a_million_is_seen_in_the_bar() -> None:
    bar = one(tree_of(report(listed=10**6, states={State.OK: 10**6 - 1, State.GONE: 1})), "svg.bar")
    assert float(bar.css("rect")[1].attributes["width"] or 0) > 0.5


def test_the_sentences_are_those_of_the_text() -> None:
    audit = report(
        finding("A001", "/gone", "404", line=4),
        listed=1000,
        states=STATES,
        causes=(CauseRow("missing trailing slash", 4, 6, "redirected", "A003", ((f"{SITE}/a", f"{SITE}/a/"),)),),
        estimates=(EstimateRow("A001 page-gone", 3, 0.03, 0.0004, 0.08, 10, 80),),
        reasons=((State.UNKNOWN, "robots.txt disallows urlset to fetch it", 1), (State.BLOCKED, "403: a challenge", 1)),
        remedies={"drop": 1, "replace": 3},
        again=f"{SITE}/ --known",
        not_asked=(NotAsked(900, "outside the sample"),),
        unchanged=2,
        notices=("one host was slow",),
    )
    tree = tree_of(audit)
    assert tree.body is not None
    page = " ".join(tree.body.text(separator=" ").split())
    text = " ".join("".join(audit_text.render(audit, ReportOptions(width=120))).split()).replace("`", "")
    for said in (
        "1,000 pages listed in 0 sitemaps, 98 checked",
        "4 of 6 redirected: missing trailing slash",
        "A sitemap is a hint",
        "estimated for all 1,000 pages, with 95% confidence",
        "3.0% (<0.1% to 8.0%)",
        "10 to 80 pages",
        "says nothing about the pages; allow urlset in the bot protection, or slow down with --delay 2",
        "use --ignore-robots to audit your own site anyway",
        "1 entry to remove, 3 to replace; preview with",
        f"urlset audit {SITE}/ --known --format json --output audit.json",
        "urlset fix --using audit.json SITEMAP.xml --unsafe --diff",
        "not fetched: 900 pages, outside the sample",
        "unchanged since the last audit (304 Not Modified): 2 pages",
        "one host was slow",
        "1 error; 98 of 1,000 pages checked",
    ):
        assert said in text
        assert said in page


def test_a_clean_sample_says_how_much_it_may_have_missed() -> None:
    said = "a problem not found in the sample of 100 pages affects at most 3.5% of all 1,000 pages"
    audit = report(listed=1000, none_of=0.035)
    assert said in Report(text_of(audit)).text
    assert said in " ".join("".join(audit_text.render(audit, ReportOptions(width=120))).split())
    assert "found on none" not in Report(text_of(report(none_of=0.035, finished=False))).text


def test_pages_are_named_by_their_addresses_under_what_is_said_of_them() -> None:
    gone = [finding("A001", f"/gone/{number}", "404: gone", line=number + 3, offset=7) for number in range(30)]
    left = finding("A001", "/left", "410: gone for good", line=90)
    section = one(tree_of(report(left, *gone)), "#A001")
    messages = [one(each, "p").text() for each in section.css("ul.places > li")]
    assert messages == ["404: gone", "410: gone for good"]
    pages = [each.text() for each in section.css("ul.places ul li")]
    assert pages[0] == f"{SITE}/gone/0 {SITE}/maps/sitemap-1.xml:3"
    assert len(pages) == 20
    assert "and 11 more" in section.text()
    assert section.css("pre") == []


def test_blocked_and_unknown_pages_stand_apart_from_broken_ones() -> None:
    pages = [
        row("/moved", State.REDIRECTED, final_url=f"{SITE}/moved/", status=301),
        row("/fine", State.OK, codes=("A017",)),
        row("/warned", State.OK, codes=("A012",), remedy=Remedy("replace", "A012", "canonical", f"{SITE}/c")),
        row("/gone", State.GONE, reason="404 Not Found", reasons=("404 Not Found",), indexable={"google": False}),
        row("/walled", State.BLOCKED, reason="403 with a challenge"),
        row("/forbidden", State.UNKNOWN, reason="robots.txt disallows urlset to fetch it"),
        row("/never", State.UNKNOWN, asked=False, reason="not asked: outside the sample"),
    ]
    notes = (finding("A017", "/fine", "m", Severity.INFO), finding("A012", "/warned", "m", Severity.WARNING))
    tables = tree_of(report(*notes, states=STATES, pages=lambda: iter(pages))).css("table.pages")
    shown = [[one(each, "th a").text().removeprefix(SITE) for each in table.css("tbody tr")] for table in tables]
    assert shown == [["/gone", "/moved", "/warned"], ["/walled", "/forbidden"]]
    gone, moved, warned = (each.css("td")[1].text() for each in tables[0].css("tbody tr"))
    assert gone == "404 Not Found"
    assert moved == f"redirects to {SITE}/moved/"
    assert warned == f"rules: A012fix: replace with {SITE}/c: canonical"


def test_tables_are_bounded_with_the_worst_kept_and_the_rest_counted() -> None:
    def pages() -> Iterator[PageRow]:
        yield from (row(f"/moved/{number}", State.REDIRECTED) for number in range(3000))
        yield row("/gone", State.GONE)
        yield from (row(f"/walled/{number}", State.BLOCKED) for number in range(300))

    tree = tree_of(report(states=STATES, pages=pages))
    broken, unjudged = tree.css("table.pages")
    assert len(broken.css("tbody tr")) == 500
    assert one(broken, "tbody th a").text() == f"{SITE}/gone"
    assert one(broken, "caption").text().startswith("3,001 pages:")
    assert len(unjudged.css("tbody tr")) == 200
    said = [each.text() for each in tree.css("table.pages + p")]
    assert said == [
        "and 2,501 more",
        "and 100 more",
    ]
    assert max(map(len, audit_html.render(report(states=STATES, pages=pages), OPTIONS))) < 100_000


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"states": {State.BLOCKED: 9}}, "incomplete: no page could be checked"),
        ({"finished": False}, "incomplete: the audit was interrupted"),
    ],
)
def test_an_audit_that_says_little_does_not_pass_silently(more: dict[str, Any], said: str) -> None:
    assert one(tree_of(report(**more)), ".verdict").text() == said


def test_the_command_agrees_with_json_and_gives_the_same_bytes_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    folder = tmp_path / "public"
    folder.mkdir()
    (folder / "index.html").write_text("<title>home</title><p>words of the home page")
    addresses = ("https://example.com/", "https://example.com/gone", "https://example.com/&lt;b&gt;")
    urls = "".join(f"<url><loc>{address}</loc></url>" for address in addresses)
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    (folder / "sitemap.xml").write_text(f'<urlset xmlns="{namespace}">{urls}</urlset>')
    arguments = ("audit", folder, "--base-url", "https://example.com/", "--state", tmp_path / "state")
    reported = json.loads(run(*arguments, "--format", "json").out)
    ran = run(*arguments, "--format", "html")
    assert ran.out == run(*arguments, "--format", "html").out
    tree = LexborHTMLParser(ran.text)
    assert [int(each.text()) for each in tree.css(".severities b")] == [
        reported["summary"][severity] for severity in ("error", "warning", "info")
    ]
    assert {each.attributes["id"] for each in tree.css("section.rule")} == set(reported["counts"])
    states = {one(each, "th").text(): int(each.css("td")[0].text()) for each in tree.css("svg + table tbody tr")}
    assert states == reported["states"]
    assert "2026-01-01" in one(tree, "footer").text()
