"""Pages, media and crawls → findings at the entries they are about, counts exact."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.checking.made_up_rules import context, made_up
from urlset.checking.declare import AnyRule, wrap
from urlset.checking.engine import CAP
from urlset.checking.live_engine import LiveTally
from urlset.checking.live_page import Comparison, Crawled, ListingPlace, LivePage, MediaAsset, MediaKind
from urlset.checking.placing import SHOWN, SHOWN_HERE
from urlset.checking.tree import DocumentSummary, summarise
from urlset.findings.card import Severity
from urlset.findings.finding import Problem
from urlset.model.answer import Answer
from urlset.model.visit import State, Visit
from urlset.reading.read import read
from urlset.rules.catalogue import find
from urlset.spec.engines import Engine


def seen(page: LivePage) -> Iterator[Problem]:
    yield page.problem(f"state {page.visit.state}")


SEEN = made_up("A901", "page-seen", LivePage, seen)


def sitemap(folder: Path, count: int, name: str = "a.xml", comment: str = "") -> DocumentSummary:
    path = folder / name
    entries = "\n".join(f"<url><loc>https://example.com/{number}</loc></url>" for number in range(count))
    path.write_text(wrap(comment + entries))
    return summarise(read(path))


def page(row: int, source: str = "", *, state: State = State.GONE, loc: str | None = None) -> LivePage:
    url = loc or f"https://example.com/{row}"
    return LivePage(Visit(url=url, state=state, status=404), ListingPlace(url, source, row), context())


def test_a_finding_stands_at_the_entry_and_names_the_page(tmp_path: Path) -> None:
    summary = sitemap(tmp_path, 3)
    tally = LiveTally([SEEN], context(), summaries={summary.source: summary})
    assert tally.judge(page(1, summary.source)) == ("A901",)
    (finding,) = tally.verdict().findings
    assert (finding.line, finding.column, finding.subject) == (4, 11, "https://example.com/1")
    assert finding.excerpt is not None
    assert (tmp_path / "a.xml").read_bytes()[finding.offset or 0 :].startswith(b"https://example.com/1<")


def test_counts_are_exact_and_findings_capped_for_each_sitemap(tmp_path: Path) -> None:
    summaries = {summary.source: summary for summary in (sitemap(tmp_path, 5, name) for name in ("a.xml", "b.xml"))}
    tally = LiveTally([SEEN], context(), summaries=summaries)
    for source in summaries:
        for row in range(CAP + 7):
            tally.judge(page(row % 5, source, loc=f"https://example.com/{row}"))
    verdict = tally.verdict()
    assert verdict.counts == {"A901": 2 * (CAP + 7)}
    assert verdict.severity_counts == {"warning": 2 * (CAP + 7)}
    assert len(verdict.findings) == 2 * CAP
    placed = [each.line is not None for each in verdict.findings]
    assert SHOWN <= sum(placed) <= SHOWN_HERE
    assert placed == sorted(placed, reverse=True), "what has a place is shown first"
    assert all(each.subject for each in verdict.findings)


@pytest.mark.parametrize("comment", ["<!-- urlset: ignore-file A901 -->", "<!-- urlset: ignore A -->"])
def test_comments_in_the_sitemap_silence(tmp_path: Path, comment: str) -> None:
    summary = sitemap(tmp_path, 3, comment=comment)
    tally = LiveTally([SEEN], context(), summaries={summary.source: summary})
    assert tally.judge(page(0, summary.source)) == ()
    verdict = tally.verdict()
    assert (verdict.counts, verdict.findings) == ({}, ())
    assert [(each.code, each.count) for each in verdict.suppressed] == [("A901", 1)]


def test_a_sitemap_that_is_gone_costs_only_the_place(tmp_path: Path) -> None:
    summary = sitemap(tmp_path, 3)
    tally = LiveTally([SEEN], context(), summaries={summary.source: summary})
    tally.judge(page(0, summary.source))
    (tmp_path / "a.xml").unlink()
    (finding,) = tally.verdict().findings
    assert (finding.line, finding.subject, finding.source) == (None, "https://example.com/0", summary.source)


def broken() -> AnyRule:
    def breaks(page: LivePage) -> Iterator[Problem]:
        yield page.problem("said before")
        raise RuntimeError("out of order")

    return made_up("A902", "broken", LivePage, breaks)


def test_a_broken_rule_is_told_once_and_costs_no_other() -> None:
    tally = LiveTally([broken(), SEEN], context())
    for row in range(3):
        tally.judge(page(row))
    verdict = tally.verdict()
    assert verdict.counts == {"A901": 3, "A902": 3, "T001": 1}
    assert [each.code for each in verdict.findings].count("T001") == 1
    assert "T001" in verdict.cards


def test_severities_follow_engines_and_overrides() -> None:
    access = find("A022")
    assert access is not None
    blocked = LivePage(Visit(url="https://example.com/", state=State.LOGIN, status=401), ListingPlace("x"), context())
    for overrides, wanted in (({}, Severity.ERROR), ({"A022": Severity.INFO}, Severity.INFO)):
        tally = LiveTally([access], context(engines=(Engine.GOOGLE,)), overrides=overrides)
        tally.judge(blocked)
        (finding,) = tally.verdict().findings
        assert (finding.severity, finding.engines) == (wanted, (Engine.GOOGLE,))


def test_only_rules_that_were_run_have_cards() -> None:
    orphan, gone = find("A036"), find("A001")
    assert orphan is not None
    assert gone is not None
    tally = LiveTally([orphan, gone], context())
    assert tally.verdict().cards == {}
    tally.judge(page(0))
    assert set(tally.verdict().cards) == {"A001"}


def test_media_is_judged_by_its_own_rules() -> None:
    image = find("M013")
    assert image is not None
    tally = LiveTally([image, SEEN], context())
    answer = Answer("https://cdn.example.com/i.png", status=404)
    assert tally.judge_media(MediaAsset(MediaKind.IMAGE, answer, ListingPlace("https://example.com/"), context())) == (
        "M013",
    )
    assert [each.subject for each in tally.verdict().findings] == ["https://cdn.example.com/i.png"]


def comparison(*, complete: bool) -> Comparison:
    listed = [ListingPlace("https://example.com/"), ListingPlace("https://example.com/old")]
    found = [
        Crawled("https://example.com/", is_start=True),
        Crawled("https://example.com/new", linked_from="https://example.com/"),
    ]
    reasons = () if complete else ("stopped at the limit of 2 pages", "1 page was blocked")
    return Comparison(listed, found, context(), complete=complete, reasons=reasons)


CRAWL_RULES = [rule for code in ("A035", "A036") if (rule := find(code)) is not None]


def test_a_complete_crawl_is_compared_both_ways() -> None:
    tally = LiveTally(CRAWL_RULES, context())
    tally.compare(comparison(complete=True))
    verdict = tally.verdict()
    assert {(each.code, each.subject) for each in verdict.findings} == {
        ("A035", "https://example.com/new"),
        ("A036", "https://example.com/old"),
    }
    assert verdict.not_checked == ()


def test_after_an_incomplete_crawl_orphans_are_likely() -> None:
    tally = LiveTally(CRAWL_RULES, context())
    tally.compare(comparison(complete=False))
    verdict = tally.verdict()
    assert verdict.counts == {"A035": 1, "A036": 1}
    orphan = next(each for each in verdict.findings if each.code == "A036")
    assert orphan.message.startswith("likely an orphan page")
    assert "limit of 2 pages; 1 page" in orphan.message
