"""T001 and T002 are selected, ignored and explained like rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from urlset.checking.select import UnknownSelectorError, select, unwanted_tool_codes
from urlset.cli.main import main
from urlset.rules.catalogue import all_rules, find
from urlset.settings.check import CheckSettings
from urlset.spec.engines import DEFAULT_ENGINES
from urlset.workflows.check import check

FILE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<!-- urlset: ignore X999 --><url><loc>https://acme.shop/#top</loc></url></urlset>"
)


@pytest.mark.parametrize(
    ("chosen", "ignored", "expected"),
    [
        ((), (), {"L013", "T002"}),
        ((), ("T002",), {"L013"}),
        ((), ("T",), {"L013"}),
        ((), ("unknown-rule-in-comment",), {"L013"}),
        ((), ("T001",), {"L013", "T002"}),
        (("T002",), (), {"T002"}),
        (("L013",), (), {"L013"}),
        (("L013", "T"), (), {"L013", "T002"}),
    ],
)
def test_they_are_selected_and_ignored(
    chosen: tuple[str, ...], ignored: tuple[str, ...], expected: set[str], tmp_path: Path
) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_text(FILE)
    verdict = check([str(path)], CheckSettings(select=chosen, ignore=ignored))
    assert {finding.code for finding in verdict.findings} == set(verdict.counts) == expected
    assert sum(verdict.severity_counts.values()) == sum(verdict.counts.values())


@pytest.mark.parametrize(
    ("chosen", "ignored", "unwanted"),
    [
        ((), (), set()),
        (("L013",), (), {"T002"}),
        (("L013",), ("T001",), {"T001", "T002"}),
        (("T",), (), set()),
        ((), ("T",), {"T001", "T002"}),
    ],
)
def test_a_crash_of_a_selected_rule_is_reported(
    chosen: tuple[str, ...], ignored: tuple[str, ...], unwanted: set[str]
) -> None:
    assert unwanted_tool_codes(chosen, ignored) == unwanted


@pytest.mark.parametrize("name", ["T001", "t002", "rule-crashed", "unknown-rule-in-comment"])
def test_they_are_explained(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    rule = find(name)
    assert rule is not None
    assert main(["explain", name]) == 0
    shown = capsys.readouterr().out
    assert rule.card.summary in shown
    assert "Sources" not in shown


def test_other_codes_of_the_family_are_unknown() -> None:
    with pytest.raises(UnknownSelectorError, match="T009"):
        select(all_rules(), DEFAULT_ENGINES, ignored=("T009",))
