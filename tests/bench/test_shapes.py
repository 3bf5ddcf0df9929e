"""The inputs of the benchmarks → what they claim to be: valid, faulty, and the same work for both sides."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import urlset
from bench import naive, shapes, sources
from bench.shapes import BY_NAME, SHAPES, Group, Shape
from bench.sources import SOURCES, Source
from tests.cli.commands import run
from urlset.findings.verdict import Verdict

COUNT = 60
ROWS = 40
PARTLY = {"twice": 2, "mixed-faults": shapes.ODD_EVERY}
"""shapes in which only one of so many entries is wrong"""


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Shape], Path]:
    monkeypatch.setattr(shapes, "kept", lambda name, make: _kept(tmp_path / name, make))
    return lambda shape: shapes.sitemap(shape, COUNT)


def _kept(home: Path, make: Callable[[Path], None]) -> Path:
    home.mkdir(exist_ok=True)
    make(home)
    return home


def serious(verdict: Verdict) -> int:
    return verdict.severity_counts.get("error", 0) + verdict.severity_counts.get("warning", 0)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_shape_is_as_faulty_as_its_group_says(shape: Shape, made: Callable[[Shape], Path]) -> None:
    verdict = urlset.check(made(shape))
    assert verdict.entries == COUNT
    if shape.group is Group.VALID:
        assert serious(verdict) == 0
    else:
        each = 3 if shape.group is Group.FOUR_FAULTS else 1
        assert serious(verdict) >= each * COUNT // PARTLY.get(shape.name, 1)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_what_is_parsed_as_the_measure_is_well_formed(shape: Shape, made: Callable[[Shape], Path]) -> None:
    entries = ET.parse(made(BY_NAME[shape.twin] if shape.twin else shape)).getroot()
    assert len([node for node in entries.iter() if node.tag.endswith(("}url", "}sitemap", "item", "}entry"))]) == COUNT


def test_long_addresses_are_long(made: Callable[[Shape], Path]) -> None:
    loc = urlset.read(made(BY_NAME["long"])).entry(0).loc
    assert loc is not None
    assert len(loc) == 300


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_a_build_lists_what_the_naive_script_lists(source: Source, tmp_path: Path) -> None:
    if source.file == "rows.parquet":
        pytest.importorskip("pyarrow")
    source.make(tmp_path, ROWS)
    given, ours, theirs = tmp_path / source.file, tmp_path / "ours", tmp_path / "theirs"
    theirs.mkdir()
    getattr(naive, source.naive)(given, theirs)
    place = f"sqlite:///{given}" if source.file == "rows.db" else str(given)
    where = ("--base-url", "https://www.example.com/", "--out", ours, "--state", tmp_path / "state", "--gzip")
    ran = run("build", place, *where, *source.options)
    assert ran.code == 0, ran.err
    listed, wanted = addresses(ours), addresses(theirs)
    assert len(listed) == len(wanted) > ROWS / 2
    if "é" not in "".join(wanted):
        assert listed == wanted


def addresses(folder: Path) -> list[str]:
    """Those of pages, read without urlset."""
    found: list[str] = []
    for path in folder.glob("*.xml*"):
        body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        found += re.findall(r"<url>\s*<loc>(.*?)</loc>", body.decode())
    return sorted(found)


def test_every_naive_script_is_used() -> None:
    assert {function.__name__ for function in naive.FUNCTIONS} == {source.naive for source in sources.SOURCES}
