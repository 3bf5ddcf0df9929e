"""Rules and a document → a verdict that survives broken rules and huge files."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

import pytest

from tests.checking.made_up_rules import (
    ALL,
    BROKEN,
    FILE,
    MORE_ROWS,
    NOW,
    ROWS,
    context,
    document,
    made_up,
    on_every_row,
    on_the_file,
    urls,
)
from urlset.checking.context import Context
from urlset.checking.declare import ADDRESS, ROBOTS, wrap
from urlset.checking.engine import CAP, check, run
from urlset.checking.subjects import ListedPage, RobotsText, Sitemap
from urlset.findings.card import Severity
from urlset.findings.finding import Problem, delete
from urlset.fixing.fix import FixOptions, fix_document
from urlset.model.document import Has
from urlset.model.place import Place
from urlset.reading.read import read
from urlset.reading.robots import read_robots
from urlset.spec.engines import Engine

ROBOTS_FILE = read_robots(b"User-agent: *\nDisallow: /a\n")[0]


def test_a_broken_rule_becomes_a_finding_and_the_others_go_on() -> None:
    verdict = check(document(urls("a", "b")), (BROKEN, ROWS), context())
    *findings, crash = verdict.findings
    assert [each.code for each in findings] == ["Q901", "L901", "L901"]
    assert (crash.code, crash.severity, crash.source) == ("T001", Severity.WARNING, "sitemap.xml")
    assert crash.message.startswith("rule Q901 broken-rule crashed: RuntimeError: out of order (line ")
    assert verdict.counts == {"L901": 2, "Q901": 1, "T001": 1}
    assert verdict.severity_counts["warning"] == 4
    assert verdict.cards["T001"].name == "rule-crashed"


def test_a_rule_that_breaks_on_every_row_is_told_once() -> None:
    def breaks(listed: ListedPage) -> Iterator[Problem]:
        yield from ()
        raise ValueError(listed.row)

    broken = made_up("L999", "always-broken", ListedPage, breaks)
    verdict = check(document(urls("a", "b", "c")), (broken, ROWS), context())
    assert [each.code for each in verdict.findings] == ["L901"] * 3 + ["T001"]


def test_a_rule_that_breaks_before_its_first_word_is_told_too() -> None:
    """Some rules hand on what another function yields, and may break in the handing on."""

    def breaks(sitemap: Sitemap) -> list[Problem]:
        raise ValueError(sitemap.kind)

    broken = made_up("L999", "broken-at-once", Sitemap, breaks)
    assert [each.code for each in check(document(urls("a")), (broken,), context()).findings] == ["T001"]


WHOLE = document(urls("a", "b")).data


@pytest.mark.parametrize(
    "delivered",
    [
        gzip.compress(WHOLE * 9, mtime=0)[:-9],
        gzip.compress(WHOLE, mtime=0)[:-8] + b"\0" * 8,
        gzip.compress(WHOLE, mtime=0)[:-8],
    ],
)
def test_no_fix_is_announced_for_a_file_that_is_not_whole(delivered: bytes) -> None:
    mendable = made_up("L902", "mendable", Sitemap, to_be_deleted)
    whole, damaged = read(gzip.compress(WHOLE), name="a.xml.gz"), read(delivered, name="a.xml.gz")
    assert check(whole, (mendable,), context()).fixable == 1
    verdict = check(damaged, (mendable,), context())
    assert (verdict.counts, verdict.fixable) == ({"L902": 1}, 0)
    assert [each.fix for each in verdict.findings] == [None]
    left = fix_document(damaged, (mendable,), context(), FixOptions(unsafe=True)).left
    assert [each.reason for each in left] == ["the file is incomplete; download or generate it again"]


def to_be_deleted(sitemap: Sitemap) -> Iterator[Problem]:
    place = sitemap.document.place(0)
    yield Problem(place, "to be deleted", delete(place, "delete it"))


def test_findings_are_capped_and_counts_are_not() -> None:
    many = document(urls(*map(str, range(CAP + 7))))
    verdict = check(many, (ROWS, MORE_ROWS), context())
    assert len(verdict.findings) == 2 * CAP
    assert verdict.counts == {"D901": CAP + 7, "L901": CAP + 7}
    assert verdict.severity_counts == {"warning": CAP + 7, "error": CAP + 7}
    assert verdict.at_or_above(Severity.WARNING) == 2 * (CAP + 7)
    assert len(run(many, (ROWS,), context(), cap=None).problems) == CAP + 7
    assert [each.subject for each in verdict.findings[:2]] == ["https://example.com/#0"] * 2


def test_fixable_counts_beyond_the_cap() -> None:
    def fixable(listed: ListedPage) -> list[Problem]:
        return [Problem(listed.place, "drop it", delete(listed.place, "drop it"))]

    verdict = check(
        document(urls(*map(str, range(CAP + 3)))), (made_up("L902", "fixable", ListedPage, fixable),), context()
    )
    assert verdict.fixable == CAP + 3


def test_severity_is_the_worst_of_the_chosen_engines() -> None:
    mixed = made_up(
        "L903",
        "mixed",
        Sitemap,
        on_the_file,
        engines={Engine.PROTOCOL: Severity.INFO, Engine.BING: Severity.ERROR, Engine.BAIDU: Severity.WARNING},
    )
    for engines, severity in (
        ((Engine.PROTOCOL,), "info"),
        (ALL, "error"),
        ((Engine.PROTOCOL, Engine.BAIDU), "warning"),
    ):
        finding = check(document(urls("a")), (mixed,), context(engines=engines)).findings[0]
        assert finding.severity == severity
        assert set(finding.engines) == set(engines) & {Engine.PROTOCOL, Engine.BING, Engine.BAIDU}


def test_overrides_win_over_card_and_case() -> None:
    def mild(sitemap: Sitemap) -> list[Problem]:
        return [Problem(sitemap.root_tag, "mild", severity=Severity.INFO)]

    rule = made_up("L904", "mild-case", Sitemap, mild, severity=Severity.ERROR)
    assert check(document(urls("a")), (rule,), context()).findings[0].severity is Severity.INFO
    raised = check(document(urls("a")), (rule, FILE), context(), overrides={"L904": Severity.WARNING})
    assert {each.code: each.severity for each in raised.findings} == {"L904": Severity.WARNING, "X901": Severity.INFO}
    assert raised.severity_counts == {"warning": 1, "info": 1}


@pytest.mark.parametrize("needs", [ADDRESS, ROBOTS])
def test_what_cannot_be_judged_is_said(needs: str) -> None:
    rule = made_up("L905", "needy", Sitemap, on_the_file, needs=needs)
    without = check(document(urls("a")), (rule,), context())
    assert without.findings == ()
    assert [(item.code, item.reason) for item in without.not_checked] == [("L905", needs)]
    known = read(document(urls("a")).data, name="sitemap.xml", url="https://example.com/sitemap.xml")
    given = check(known, (rule,), context(robots=ROBOTS_FILE))
    assert (len(given.findings), given.not_checked) == (1, ())


def test_rules_look_only_at_their_kinds() -> None:
    lists = made_up("S901", "text-only", ListedPage, on_every_row, kinds=Has.LINES)
    assert check(document(urls("a")), (lists,), context()).findings == ()
    assert len(check(read(b"https://example.com/#a\n", name="x.txt"), (lists,), context()).findings) == 1


def test_rules_on_robots_see_only_robots() -> None:
    def seen(robots: RobotsText) -> list[Problem]:
        return [Problem(line.place, "line") for line in robots.robots.sitemaps]

    rule = made_up("R901", "robots-seen", RobotsText, seen)
    text = b"User-agent: *\nDisallow:\nSitemap: https://example.com/s.xml\n"
    assert [each.line for each in check(read(text, name="robots.txt"), (rule,), context()).findings] == [3]
    assert check(document(urls("a")), (rule,), context()).findings == ()


def test_findings_come_in_the_order_of_the_file() -> None:
    verdict = check(document(urls("a", "b", "c")), (ROWS, FILE, MORE_ROWS), context())
    assert [(each.line, each.code) for each in verdict.findings] == [
        (2, "X901"),
        (3, "D901"),
        (3, "L901"),
        (4, "D901"),
        (4, "L901"),
        (5, "D901"),
        (5, "L901"),
    ]


def test_offsets_are_those_of_the_file_in_its_own_encoding() -> None:
    text = '<?xml version="1.0" encoding="UTF-16"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    data = (text + "<url><loc>https://example.com/ü#a</loc></url></urlset>").encode("utf-16")
    finding = check(read(data, name="x.xml"), (ROWS,), context()).findings[0]
    assert finding.offset is not None
    assert data[finding.offset : finding.offset + finding.length].decode("utf-16-le").startswith("<url><loc>")


def test_the_document_is_described() -> None:
    data = document(urls("a", "b")).data
    (checked,) = check(read(data, name="x.xml", url="https://example.com/x.xml"), (), context()).documents
    assert (checked.source, checked.url, checked.kind, checked.entries) == (
        "x.xml",
        "https://example.com/x.xml",
        "urlset",
        2,
    )
    assert (checked.bytes, len(checked.sha256)) == (len(data), 64)
    assert context().now == NOW


def test_a_place_that_cannot_be_worked_out_is_a_crash_of_its_rule() -> None:
    def look(_listed: ListedPage) -> Iterator[Problem]:
        def place() -> Place:
            raise LookupError("no such bytes")

        yield Problem(place, "something")

    document = read(wrap("<loc>https://example.com/</loc>").encode())
    verdict = check(document, [made_up("Z001", "lost", ListedPage, look)], Context())
    assert [finding.code for finding in verdict.findings] == ["T001"]
    assert "LookupError: no such bytes" in verdict.findings[0].message
