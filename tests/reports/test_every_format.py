"""Every format × every nasty verdict: it never raises, it can be parsed, and nothing in it acts on a terminal."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urlset.reports
from tests.reports.verdicts import VERDICTS
from tests.reports.written import PAINT, UNSAFE, written
from urlset.findings.card import Severity
from urlset.findings.finding import Excerpt, Finding, FixNote
from urlset.findings.verdict import Checked, NotChecked, Suppressed, Verdict
from urlset.reports.format import FORMATS, IN_ANOTHER, TEXT, reporter
from urlset.reports.sheets import COLUMNS

EVERY = [(name, case) for name in TEXT for case in VERDICTS]


def _rows(text: str) -> None:
    assert {len(row) for row in csv.reader(io.StringIO(text), strict=True)} == {len(COLUMNS)}


PARSERS: dict[str, Callable[[str], object]] = {
    "json": json.loads,
    "sarif": json.loads,
    "gitlab": json.loads,
    "junit": ET.fromstring,
    "csv": _rows,
}


def assert_sound(name: str, text: str) -> None:
    assert UNSAFE.search(text) is None
    assert text.endswith("\n")
    text.encode()
    PARSERS.get(name, str)(text)


def test_the_list_of_formats_is_complete() -> None:
    folder = Path(urlset.reports.__file__).parent
    rendering = {path.stem for path in folder.glob("*.py") if "\ndef render(" in path.read_text(encoding="utf-8")}
    own = {name for name in rendering if name.partition("_")[0] not in {"audit", "crawl", "diff", "history"}}
    assert own | set(IN_ANOTHER) == set(FORMATS)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(KeyError):
        reporter("layout")


def test_a_format_is_loaded_only_when_asked_for() -> None:
    code = "import sys, urlset.reports.format; print(*[m for m in sys.modules if m.startswith('urlset.reports.')])"
    found = {**os.environ, "PYTHONPATH": str(Path(urlset.reports.__file__).parents[2])}
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=found)
    assert loaded.stdout.split() == ["urlset.reports.format"]


@pytest.mark.parametrize(("name", "case"), EVERY)
def test_nothing_breaks_it(name: str, case: str) -> None:
    assert_sound(name, written(name, VERDICTS[case]))


@pytest.mark.parametrize(("name", "case"), EVERY)
def test_colour_only_adds_paint(name: str, case: str) -> None:
    painted = written(name, VERDICTS[case], color=True)
    assert PAINT.sub("", painted) == written(name, VERDICTS[case])


@pytest.mark.parametrize("name", ["text", "full", "concise"])
def test_colour_is_used_when_wanted(name: str) -> None:
    assert PAINT.search(written(name, VERDICTS["ordinary"], color=True)) is not None


@pytest.mark.parametrize("name", TEXT)
def test_the_same_verdict_gives_the_same_text(name: str) -> None:
    assert written(name, VERDICTS["nasty"]) == written(name, VERDICTS["nasty"])


anything = st.text(st.characters(exclude_categories=()), max_size=40)
numbers = st.none() | st.integers(1, 10**7)
excerpts = st.builds(
    Excerpt, anything, st.integers(0, 60), st.integers(0, 60), cut_left=st.booleans(), cut_right=st.booleans()
)
findings = st.builds(
    Finding,
    code=st.sampled_from(["L007", "L013", "T001"]),
    name=st.just("space-in-loc"),
    severity=st.sampled_from(Severity),
    engines=st.just(()),
    message=anything,
    source=anything,
    line=numbers,
    column=numbers,
    offset=numbers,
    length=st.integers(0, 9),
    end_line=numbers,
    end_column=numbers,
    subject=st.none() | anything,
    fix=st.none() | st.builds(FixNote, anything, st.sampled_from(["safe", "review"])),
    count=st.integers(1, 5),
    excerpt=st.none() | excerpts,
)
verdicts = st.builds(
    Verdict,
    documents=st.lists(st.builds(Checked, anything, anything, anything, numbers.map(bool), st.just(3), anything)).map(
        tuple
    ),
    findings=st.lists(findings, max_size=5).map(tuple),
    counts=st.dictionaries(st.sampled_from(["L007", "L013"]), st.integers(0, 99)),
    severity_counts=st.dictionaries(st.sampled_from(["error", "warning", "info"]), st.integers(0, 9)),
    fixable=st.integers(0, 9),
    not_checked=st.lists(st.builds(NotChecked, st.just("L015"), anything, st.none() | anything), max_size=2).map(tuple),
    suppressed=st.lists(st.builds(Suppressed, st.just("L013"), anything, st.just(2), anything), max_size=2).map(tuple),
    cards=st.sampled_from([{}, VERDICTS["ordinary"].cards]),
    troubled=st.lists(anything, max_size=2).map(tuple),
)


@pytest.mark.parametrize("name", TEXT)
@given(verdict=verdicts, width=st.integers(1, 200))
def test_no_text_breaks_it(name: str, verdict: Verdict, width: int) -> None:
    assert_sound(name, written(name, verdict, width=width))


def test_every_format_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "output.md").read_text(encoding="utf-8")
    assert [name for name in FORMATS if f"`{name}`" not in text] == []
