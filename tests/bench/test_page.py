"""Results of benchmarks → the page and the README say what was measured, best and worst."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.page import PAGE, RANGE, README, page, quoted, with_range
from bench.report import Ratio, Result, Target, load


def result(benchmark: str, *ratios: Ratio, **more: float) -> Result:
    targets = tuple(Target(name, 1.0, got, at_most=True) for name, got in more.items())
    return Result(benchmark, (), targets, 3, ratios=ratios, compiled=True, machine="2 cores", date="2026-11-15")


CHECK = result(
    "check",
    Ratio("check, valid input", "plain", 0.1, 0.5, limit=1.5, peak_mb=40.0),
    Ratio("check, valid input", "comments", 1.0, 0.5, limit=1.5, listed=False),
    Ratio("check, a fault in each entry", "a space", 2.0, 0.5, limit=8.0),
    Ratio("check, four faults in each entry", "four", 60.0, 0.5, limit=14.0, stopped=True),
    start=0.2,
)
BUILD = result("build", Ratio("build", "CSV", 1.0, 1.0, limit=2.0), Ratio("build", "text", 1.9, 1.0, limit=2.0))


def test_the_range_goes_from_the_best_to_the_worst() -> None:
    assert quoted([CHECK, BUILD]) == (
        "Measured over 6 kinds of input, from the best to the worst. `check` costs 0.2 to 2.0 times a bare XML parse "
        "of the same file, for valid input, up to 4.0 times with a fault in each entry, up to more than 120.0 times "
        "with four. `build` costs 1.0 to 1.9 times a naive script for the same source."
    )


def test_the_page_shows_every_shape_and_what_was_missed() -> None:
    text = page([CHECK, BUILD])
    assert "Best: 0.20 (plain). Worst: 2.00 (comments)." in text
    assert "| comments \\* | 1.00 | 0.50 | 2.00 | 1.50 |  | **missed** |" in text
    assert "| four | 60.00 | 0.50 | more than 120.00 | 14 |  | **missed** |" in text
    assert "| plain | 0.10 | 0.50 | 0.20 | 1.50 | 40 | met |" in text
    assert not CHECK.met
    assert BUILD.met


def test_the_readme_quotes_the_range_between_its_marks() -> None:
    readme = "# urlset\n<!-- bench:range -->\nold words\n<!-- /bench:range -->\nthe end\n"
    once = with_range(readme, [BUILD])
    assert "`build` costs 1.0 to 1.9 times" in " ".join(once.split())
    assert "old words" not in once
    assert once.endswith("<!-- /bench:range -->\nthe end\n")
    assert with_range(once, [BUILD]) == once
    assert max(map(len, once.splitlines())) <= 120


def test_the_readme_says_what_the_page_says() -> None:
    """Its figures are never typed."""
    found = RANGE.search(README.read_text(encoding="utf-8"))
    assert found is not None
    words = " ".join(found[0].split())
    if "Measured over" in words:
        assert words.partition(" All figures")[0] in PAGE.read_text(encoding="utf-8")


def test_results_are_kept_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.report.RESULTS", tmp_path)
    assert load(CHECK.save()) == CHECK
