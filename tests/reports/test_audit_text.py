"""The report of an audit in a terminal: pages by their addresses, causes, hints, and lines that fit."""

from __future__ import annotations

import re
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from urlset.auditing.sections import CauseScope
from urlset.findings.card import Card, Severity
from urlset.findings.finding import Finding
from urlset.findings.verdict import Verdict
from urlset.model.visit import State
from urlset.reports import audit_html, llm
from urlset.reports.audit_text import render
from urlset.reports.audit_wording import cause_damage, cause_line
from urlset.reports.format import ReportOptions
from urlset.reports.pages import AuditReport, CauseRow, Consequence, EstimateRow
from urlset.reports.visible import cells
from urlset.spec.engines import Engine

SITE = "https://www.example.com"


def card(code: str, name: str, severity: Severity) -> Card:
    return Card(
        code=code,
        name=name,
        summary="A listed page is not as it should be.",
        rationale="Nobody likes that.",
        severities={Engine.GOOGLE: severity},
        cites=(),
        fixable=False,
    )


def finding(code: str, path: str, message: str, severity: Severity = Severity.ERROR, **more: Any) -> Finding:
    return Finding(
        code=code,
        name=f"rule-{code.lower()}",
        severity=severity,
        engines=(Engine.GOOGLE,),
        message=message,
        source=f"{SITE}/maps/sitemap-1.xml",
        subject=f"{SITE}{path}",
        **more,
    )


def report(*findings: Finding, **more: Any) -> AuditReport:
    cards = {each.code: card(each.code, each.name, each.severity) for each in findings}
    counts: dict[str, int] = {}
    severities: dict[str, int] = {}
    for each in findings:
        counts[each.code] = counts.get(each.code, 0) + 1
        severities[each.severity] = severities.get(each.severity, 0) + 1
    verdict = Verdict(findings=findings, counts=counts, severity_counts=severities, cards=cards)
    said: dict[str, Any] = {"listed": 100, "states": {State.OK: 100}, "page_codes": frozenset(cards), **more}
    return AuditReport(target=f"{SITE}/", verdict=verdict, **said)


def lines(audit: AuditReport, width: int = 100) -> list[str]:
    return "".join(render(audit, ReportOptions(width=width))).splitlines()


def test_a_rule_is_told_once_with_its_messages_and_the_pages_they_are_about() -> None:
    gone = [finding("A001", f"/gone/{number}", "404: gone", line=number + 3) for number in range(5)]
    reported = lines(report(finding("A001", "/left", "410: gone for good", line=90), *gone))
    start = reported.index("error[A001] rule-a001: a listed page is not as it should be (6 pages)")
    assert reported[start + 1 : start + 8] == [
        "    404: gone",
        f"      {SITE}/gone/0  sitemap-1.xml:3",
        f"      {SITE}/gone/1  sitemap-1.xml:4",
        "    410: gone for good",
        f"      {SITE}/left  sitemap-1.xml:90",
        "    and 3 more; for Google; `urlset explain A001`",
        "",
    ]


def test_the_worst_comes_first_then_the_most_frequent() -> None:
    few = finding("A005", "/a", "in a circle")
    many = [finding("A001", f"/{number}", "404") for number in range(3)]
    mild = [finding("A003", f"/m{number}", "moved", Severity.WARNING) for number in range(9)]
    reported = lines(report(*mild, few, *many, finding("A017", "/r", "relative", Severity.INFO)))
    origins = [line.split()[0] for line in reported if "[A" in line]
    assert origins == ["error[A001]", "error[A005]", "warning[A003]"]


def test_findings_about_the_sitemap_itself_keep_their_place_in_it() -> None:
    own = finding("L001", "/x", "an entry without loc", line=7, column=3)
    reported = lines(report(own, finding("A001", "/a", "404"), page_codes=frozenset({"A001"})))
    assert f" --> {SITE}/maps/sitemap-1.xml:7:3" in reported
    assert f"      {SITE}/a  sitemap-1.xml" in reported


def test_why_pages_say_nothing_and_what_can_be_done() -> None:
    reasons = (
        (State.UNKNOWN, "robots.txt disallows urlset to fetch it", 8),
        (State.ERROR, "500 Internal Server Error", 6),
        (State.BLOCKED, "403 with a Cloudflare challenge", 5),
    )
    reported = lines(report(states={State.OK: 81, State.ERROR: 6, State.BLOCKED: 5, State.UNKNOWN: 8}, reasons=reasons))
    blocked = reported.index("  5 blocked: 403 with a Cloudflare challenge")
    assert "--delay 2" in " ".join(reported[blocked + 1 : blocked + 3])
    unknown = reported.index("  8 unknown: robots.txt disallows urlset to fetch it")
    assert "--ignore-robots" in reported[unknown + 1]
    assert not any("500 Internal" in line for line in reported), "which causes and findings tell"


def test_causes_are_numbered_and_a_title_is_not_said_twice() -> None:
    cause = CauseRow(
        "noindex in the page below /tag/*",
        4,
        9,
        "noindex",
        "A006",
        ((f"{SITE}/tag/1", ""),),
        lost=4,
        affected=6,
        severity=Severity.ERROR,
        where=(CauseScope("/tag/", 4, 5), CauseScope("/topic/", 1)),
        consequences=(Consequence("H024", 2, "An alternate is not indexable"),),
        advice=("remove the noindex", "Hugo: set disableKinds"),
    )
    reported = lines(report(causes=(cause,), unexplained=7))
    at = reported.index("  1. 4 of 9 pages: noindex in the page below /tag/*")
    assert reported[at + 1 : at + 8] == [
        "      4 pages cannot be indexed (error A006)",
        "      where: /tag/ (4 of 5), /topic/ (1)",
        "      with it: H024 on 2 pages",
        "      fix: remove the noindex",
        "      fix: Hugo: set disableKinds",
        f"      {SITE}/tag/1",
        "  and 7 pages with other problems",
    ]


def test_pages_of_a_sitemap_that_is_not_read_are_unknown() -> None:
    one = CauseRow("timeout", 1, 1, "sitemaps not read", severity=Severity.ERROR)
    two = CauseRow("timeout", 2, 2, "sitemaps not read", severity=Severity.ERROR)
    assert (cause_line(one), cause_damage(one)) == ("1 sitemap not read: timeout", "its pages are unknown (error)")
    assert (cause_line(two), cause_damage(two)) == ("2 sitemaps not read: timeout", "their pages are unknown (error)")


def test_orphan_pages_are_likely_after_an_incomplete_crawl() -> None:
    likely = "likely an orphan page: no crawled page links to it (likely, 2 pages could not be crawled: 2 pages failed)"
    said = lines(report(finding("A036", "/a", likely, Severity.WARNING), finding("A035", "/b", "x", Severity.WARNING)))
    at = said.index("sitemap compared with crawl")
    assert said[at + 1 : at + 3] == [
        "  1 page linked, but in no sitemap (A035)",
        "  1 page listed, but not linked (likely orphan pages) (A036); 2 pages could not be crawled: 2",
    ]


def test_a_clean_sample_says_how_much_it_may_have_missed() -> None:
    reported = lines(report(listed=1000, none_of=0.035))
    assert "at most 3.5% of all 1,000 pages, with 95% confidence" in " ".join(reported)
    estimate = EstimateRow("A001 page-gone", 3, 0.03, 0.01, 0.08, 10, 80)
    reported = lines(report(listed=1000, none_of=0.035, estimates=(estimate,)))
    assert "estimated for all 1,000 pages, with 95% confidence" in reported
    assert "at most" not in " ".join(reported)


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_lines_fit_the_terminal_except_commands_to_be_copied(width: int) -> None:
    hostile = finding("A012", "/\x1b[31m\u202e" + "x" * 300, "names https://www.example.com/" + "y" * 300, line=1)
    causes = (
        CauseRow("one page for many: " + "z" * 200, 9, 9, "gone", "A001", ((f"{SITE}/{'w' * 200}", f"{SITE}/v"),)),
    )
    audit = report(hostile, causes=causes, remedies={"drop": 1}, again="x.xml", states={State.OK: 1, State.BLOCKED: 99})
    for line in lines(audit, width):
        assert cells(line) <= min(max(width, 40), 120) or line.startswith("  urlset "), line
        assert line.isprintable()


def test_the_summary_and_the_text_for_models_count_every_cause() -> None:
    ranked = CauseRow("404", 4, 4, "missing pages", "A001", (), lost=4, severity=Severity.ERROR)
    small = CauseRow("noindex in the page", 2, 2, "noindex", "A006", (), lost=2, severity=Severity.ERROR)
    audit = report(causes=(ranked,), others=(small,))
    assert audit_html.client_summary(audit).causes == (ranked, small)
    html = "".join(audit_html.client_page(audit, ReportOptions(command="audit")))
    shown = [
        re.sub(r"\s+", " ", each.text()) for each in LexborHTMLParser(html).css("body *") if "lost pages" in each.text()
    ]
    assert any(re.search(r"\b6 ?lost pages", each) for each in shown), shown[-3:]
    for_models = "".join(llm.report("audit", audit, ReportOptions(command="audit")))
    assert [line[:4] for line in for_models.splitlines() if re.match(r"\d\. ", line)] == ["1. 4", "2. 2"]
