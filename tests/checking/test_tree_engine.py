"""Facts about many files → findings at the places they speak of."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.checking.made_up_rules import context, made_up, urls
from urlset.checking.declare import AnyRule, wrap
from urlset.checking.engine import CAP
from urlset.checking.placing import SHOWN, check_tree
from urlset.checking.shared_urls import PARTS, write_hashes
from urlset.checking.tree import DocumentSummary, TreeView, newest, summarise
from urlset.execution.parts import part_range
from urlset.findings.card import Severity
from urlset.findings.finding import Problem
from urlset.model.document import Kind
from urlset.model.place import Place
from urlset.reading.read import read


def summary(folder: Path, name: str, text: str, *, hash_dir: bool = True) -> DocumentSummary:
    path = folder / name
    path.write_text(text)
    return summarise(read(path), hash_dir=folder / f"{name}.hashes" if hash_dir else None)


def twins_of(tree: TreeView) -> Iterator[Problem]:
    for twin in tree.twins():
        yield Problem(Place(0), f"as in row {twin.first_row}", source=twin.second, row=twin.second_row)


TWINS = made_up("L921", "twin", TreeView, twins_of)


def test_a_finding_gets_the_place_of_its_entry(tmp_path: Path) -> None:
    summaries = [summary(tmp_path, "a.xml", wrap(urls("1", "2"))), summary(tmp_path, "b.xml", wrap(urls("3", "2")))]
    verdict = check_tree(TreeView(summaries, [], context()), (TWINS,))
    (finding,) = verdict.findings
    assert (Path(finding.source).name, finding.line, finding.column) == ("b.xml", 4, 11)
    assert finding.subject == "https://example.com/#2"
    assert finding.excerpt is not None
    assert (tmp_path / "b.xml").read_bytes()[finding.offset or 0 :].startswith(b"https://example.com/#2<")
    assert verdict.counts == {"L921": 1}
    assert verdict.severity_counts == {"warning": 1}


def test_twins_within_one_file_are_not_its_business(tmp_path: Path) -> None:
    summaries = [summary(tmp_path, "a.xml", wrap(urls("1", "1"))), summary(tmp_path, "b.xml", wrap(urls("2")))]
    assert check_tree(TreeView(summaries, [], context()), (TWINS,)).findings == ()
    assert check_tree(TreeView(summaries[:1], [], context()), (TWINS,)).findings == ()


def test_a_file_that_is_gone_meanwhile_loses_only_its_places(tmp_path: Path) -> None:
    summaries = [summary(tmp_path, "a.xml", wrap(urls("1"))), summary(tmp_path, "b.xml", wrap(urls("1")))]
    (tmp_path / "b.xml").unlink()
    (finding,) = check_tree(TreeView(summaries, [], context()), (TWINS,)).findings
    assert (Path(finding.source).name, finding.line, finding.message) == ("b.xml", None, "as in row 0")


def test_only_so_many_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    names = [str(number) for number in range(CAP + 20)]
    summaries = [summary(tmp_path, "a.xml", wrap(urls(*names))), summary(tmp_path, "b.xml", wrap(urls(*names)))]
    verdict = check_tree(TreeView(summaries, [], context()), (TWINS,))
    assert verdict.counts == {"L921": CAP + 20}
    assert verdict.severity_counts == {"warning": CAP + 20}
    assert len(verdict.findings) == CAP
    assert sum(each.line is not None for each in verdict.findings) == SHOWN


def test_comments_in_the_file_silence_these_as_well(tmp_path: Path) -> None:
    quiet = wrap(f"<!-- urlset: ignore-file L921 -->{urls('1')}")
    summaries = [summary(tmp_path, "a.xml", wrap(urls("1"))), summary(tmp_path, "b.xml", quiet)]
    assert check_tree(TreeView(summaries, [], context()), (TWINS,)).findings == ()


def test_what_comments_silence_is_not_counted(tmp_path: Path) -> None:
    quiet = wrap(f"<!-- urlset: ignore-file L921 -->{urls('1')}")
    summaries = [summary(tmp_path, "a.xml", wrap(urls("1"))), summary(tmp_path, "b.xml", quiet)]
    verdict = check_tree(TreeView(summaries, [], context()), (TWINS,))
    assert (verdict.counts, [item.code for item in verdict.suppressed]) == ({}, ["L921"])


def broken_rule() -> AnyRule:
    def breaks(tree: TreeView) -> Iterator[Problem]:
        yield Problem(Place(0), "said before", source=tree.summaries[0].source)
        raise RuntimeError("out of order")

    return made_up("L922", "broken", TreeView, breaks)


def test_a_broken_rule_becomes_a_finding(tmp_path: Path) -> None:
    view = TreeView([summary(tmp_path, "a.xml", wrap(urls("1")))], [], context())
    assert "T001" in {each.code for each in check_tree(view, (broken_rule(), TWINS)).findings}


def test_severity_can_be_overridden(tmp_path: Path) -> None:
    summaries = [summary(tmp_path, "a.xml", wrap(urls("1"))), summary(tmp_path, "b.xml", wrap(urls("1")))]
    verdict = check_tree(TreeView(summaries, [], context()), (TWINS,), overrides={"L921": Severity.ERROR})
    assert [each.severity for each in verdict.findings] == [Severity.ERROR]
    assert verdict.severity_counts == {"error": 1}


def test_a_problem_of_the_whole_file_is_shown_at_its_root(tmp_path: Path) -> None:
    def whole(tree: TreeView) -> Iterator[Problem]:
        yield Problem(Place(0), "all of it", source=tree.summaries[0].source)

    view = TreeView([summary(tmp_path, "a.xml", wrap(urls("1")))], [], context())
    (finding,) = check_tree(view, (made_up("I921", "whole", TreeView, whole),)).findings
    assert (finding.line, finding.column) == (2, 1)


def test_hashes_survive_the_disk(tmp_path: Path) -> None:
    locs = [f" https://example.com/{number} " for number in range(500)] + [None, ""]
    write_hashes(tmp_path / "h", locs)
    rows: array[int] = array("Q")
    for part in range(PARTS):
        rows.frombytes(part_range(tmp_path / "h", parts=PARTS, low=part, high=part + 1, size=8))
    assert sorted(rows[2::3]) == list(range(500))


def test_a_summary_keeps_what_an_index_says(tmp_path: Path) -> None:
    text = wrap(
        "<sitemap><loc> https://example.com/a.xml </loc><lastmod>2026-11-01</lastmod></sitemap><sitemap/>",
        "sitemapindex",
    )
    found = summary(tmp_path, "i.xml", text)
    assert (found.kind, found.listed, found.lastmods) == (
        Kind.SITEMAPINDEX,
        ("https://example.com/a.xml", ""),
        ("2026-11-01", None),
    )
    assert found.hashes is None


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        ([], None),
        ([None, "", "soon"], None),
        (["2026-01-01", "2026-11-15", None], "2026-11-15"),
        (["2026-11-15", "2026-11-15T10:00:00Z"], "2026-11-15T10:00:00Z"),
        (["2026-11-14T23:30:00-05:00", "2026-11-15T01:00:00Z"], "2026-11-14T23:30:00-05:00"),
        (["2026-13-45", "2025-01-01"], "2025-01-01"),
    ],
)
def test_the_newest_date(texts: list[str | None], wanted: str | None) -> None:
    assert newest(texts) == wanted
