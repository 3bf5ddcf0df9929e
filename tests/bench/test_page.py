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
    "matrix",
    Ratio("check, valid", "plain", 0.1, 0.5, limit=2.0, peak_mb=40.0),
    Ratio("check, valid", "comments", 1.5, 0.5, limit=2.0),
    Ratio("check, a fault in each entry", "a space", 60.0, 0.5, limit=25.0, stopped=True),
    start=0.2,
)
BUILD = result("matrix", Ratio("build", "CSV", 1.0, 1.0, limit=3.0), Ratio("build", "text", 1.9, 1.0, limit=3.0))


def test_the_range_goes_from_the_best_to_the_worst() -> None:
    assert quoted([CHECK, BUILD]) == (
        "Measured over 5 combinations of source, spelling, media and state, median (best to worst). `check` of a valid "
        "file costs 3.0 times a bare XML parse of it (0.2 to 3.0), with a fault in each entry more than 120.0 (more "
        "than 120.0 to more than 120.0). `build` costs 1.9 times a naive script for the same source and shape "
        "(1.0 to 1.9)."
    )


def test_the_page_names_the_worst_and_what_was_missed() -> None:
    text = page([CHECK])
    assert "| check, valid | 0 | 2 | 0.20 | 3.00 | 0.20 | 3.00 | 0.80, 2 | 1 | 40 | comments |" in text
    assert "| check, valid | comments | 1.50 | 0.50 | 3.00 | 2 |" in text
    assert "Over the limit, 2 of 3:" in text
    assert not CHECK.met
    assert BUILD.met


def test_the_readme_quotes_the_range_between_its_marks() -> None:
    readme = "# urlset\n<!-- bench:range -->\nold words\n<!-- /bench:range -->\nthe end\n"
    once = with_range(readme, [BUILD])
    assert "`build` costs 1.9 times a naive script" in " ".join(once.split())
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
