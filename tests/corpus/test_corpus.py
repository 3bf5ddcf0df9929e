"""Real-shaped broken sitemaps: what is found, what is changed, what becomes of them, as reviewed by eye.

Each folder holds `input.xml`, the options of the run if it needs any, and four kept results: the findings, the
report, the diff and the mended file. URLSET_UPDATE_GOLDEN=1 writes the results anew; look at them before keeping
them.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from urlset.cli.fix import difference, report
from urlset.cli.terminal import Style
from urlset.findings.fix_result import FixResult
from urlset.reading.read import read
from urlset.reports.format import ReportOptions
from urlset.reports.text import concise
from urlset.settings.check import CheckSettings
from urlset.workflows.check import check
from urlset.workflows.library.check import fix

FOLDER = Path(__file__).parent
CASES = sorted(path.parent.name for path in FOLDER.glob("*/input.xml"))
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
TROUBLED = {"video-222-ampersands", "www-and-apex", "dates-of-many-kinds", "nested-comments", "hints"}
"""cases in which something is left that only a person can decide"""


def options_of(case: str) -> dict[str, Any]:
    path = FOLDER / case / "options.json"
    return msgspec.json.decode(path.read_bytes()) if path.exists() else {}


def fixed(case: str) -> FixResult:
    return fix("input.xml", now=NOW, **options_of(case))


def findings(file: Path | str, options: dict[str, Any]) -> str:
    how = CheckSettings(base_url=options.get("base_url"), at=options.get("at"), now=NOW)
    verdict = check([str(file)], how)
    lines = "".join(concise(verdict, ReportOptions())).splitlines(keepends=True)
    return "".join(line for line in lines if line.startswith(str(file)))


def kept(path: Path, content: bytes) -> bytes:
    if os.environ.get("URLSET_UPDATE_GOLDEN"):
        path.write_bytes(content)
    return path.read_bytes()


@pytest.mark.parametrize("case", CASES)
def test_a_broken_sitemap_is_mended_as_reviewed(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER / case)
    result = fixed(case)
    assert result.refused is None
    style = Style(colour=False)
    found = findings("input.xml", options_of(case))
    reported = "".join(f"{line}\n" for line in report(result, style, diff=False))
    changes = "".join(f"{line}\n" for line in difference(result, style))
    assert kept(FOLDER / case / "expected.txt", found.encode()).decode() == found
    assert kept(FOLDER / case / "report.txt", reported.encode()).decode() == reported
    assert kept(FOLDER / case / "fixed.diff", changes.encode()).decode() == changes
    assert kept(FOLDER / case / "fixed.xml", result.data) == result.data


@pytest.mark.parametrize("case", CASES)
def test_the_result_is_clean_and_stays_as_it_is(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER / case)
    assert read("fixed.xml").troubles == ()
    again = fix("fixed.xml", now=NOW, **options_of(case))
    assert again.applied == ()
    if case not in TROUBLED:
        assert findings("fixed.xml", options_of(case)) == ""
