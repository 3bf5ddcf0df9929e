"""The cases of the matrix → every pair of values, as faulty as they claim, with the URLs of the naive script."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import urlset
from bench import cases, inputs, naive
from bench.cases import BUILD, CHECK, FAULTS, FORMS, MEDIA, RENDER, SOURCES, SPELLINGS, WAYS, Axes, Case, pairwise
from bench.inputs import FAULTY
from tests.cli.commands import run

ENTRIES = 60
ROWS = 40
PARTLY = {"one broken entry in ten": 10, "each loc twice": 2}
"""faults of one in so many entries"""


@pytest.mark.parametrize("axes", [BUILD, RENDER, CHECK], ids=["build", "render", "check"])
def test_each_pair_that_can_be_written_occurs(axes: Axes) -> None:
    found = pairwise(axes, seed=3)
    occurring = {pair for case in found for pair in combinations([(axis, getattr(case, axis)) for axis in axes], 2)}
    every = {
        ((one, first), (two, second))
        for one, two in combinations(axes, 2)
        for first in axes[one]
        for second in axes[two]
        if not cases.excluded((one, first), (two, second))
    }
    assert occurring == every
    assert len(found) < 1.2 * max(len(axes[one]) * len(axes[two]) for one, two in combinations(axes, 2))
    assert pairwise(axes, seed=3) == found
    assert pairwise(axes, seed=4) != found


def case_of(value: str) -> Case:
    axis = next(axis for axis, values in {**BUILD, **CHECK, "fault": FAULTS}.items() if value in values)
    return Case(**{axis: value})


@pytest.mark.parametrize("value", [*SPELLINGS, *MEDIA[1:], *FORMS[1:], *FAULTS])
def test_a_file_to_check_is_as_faulty_as_it_claims(value: str, tmp_path: Path) -> None:
    case = Case(form="text") if value == "text" else case_of(value)
    path = tmp_path / ("sitemap.txt" if case.form == "text" else "sitemap.xml")
    inputs.write_text(path, inputs.check_entries(case, ENTRIES * inputs.FEWER.get(case.media, 1)))
    verdict = urlset.check(path)
    levels = verdict.severity_counts
    serious = levels.get("error", 0) + levels.get("warning", 0)
    assert verdict.entries == ENTRIES
    if case.fault or case.spelling in FAULTY:
        assert serious >= (1 if case.spelling == "IDN host" else ENTRIES // PARTLY.get(case.fault, 1))
    else:
        assert serious <= 2  # on the whole file, such as translations without x-default
    if not case.fault and case.form != "text":
        tags = [node.tag for node in ET.parse(path).iter()]
        assert sum(tag.endswith(naive.ENTRIES) for tag in tags) == ENTRIES


def test_shapes_are_mixed(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    inputs.write_text(path, inputs.mixed_entries(5, ENTRIES))
    assert urlset.check(path).entries == ENTRIES


def test_long_urls_are_long() -> None:
    assert len(inputs.row_of(Case(spelling="300 characters"), 7)["loc"]) == 300


PAIRS = [
    Case(source, SPELLINGS[number % len(SPELLINGS)], ("absolute", "relative")[number % 2], state="1 % changed")
    for number, source in enumerate(SOURCES)
] + [Case(source, media=media) for source in ("JSONL", "CSV", "existing sitemap", "folder") for media in MEDIA[1:]]


@pytest.mark.slow
@pytest.mark.parametrize("case", PAIRS, ids=lambda case: case.named(BUILD))
def test_a_build_lists_what_the_naive_script_lists(case: Case, tmp_path: Path) -> None:
    if case.source == "PostgreSQL" or case.media in cases.EXCLUDED.get(case.source, ()):
        pytest.skip("needs a server, or cannot be written")
    if case.spelling in cases.EXCLUDED.get(case.source, ()):
        case = case._replace(spelling="umlaut")
    source, ours, theirs = tmp_path / "source", tmp_path / "ours", tmp_path / "theirs"
    inputs.make(source, ROWS, "", case)
    naive.build(source, theirs, "", case)
    assert build(case, source, ours) == urls(theirs)
    inputs.replace(source, "", case)
    naive.build(source, theirs, "", case)
    assert build(case, source, ours) == urls(theirs)


def build(case: Case, source: Path, out: Path) -> list[str]:
    """The URLs that a build lists."""
    if case.source.startswith("Python"):
        inputs.build(source, out, f"{inputs.base_of(case)}/", only_rows=False)
        return urls(out)
    from bench.matrix import FILES

    place = [f"sqlite:///{source}/rows.db", "--sql", "select * from pages"]
    place = [str(source / FILES[case.source])] if case.source in FILES else place
    where = ("--base-url", f"{inputs.base_of(case)}/", "--out", out, "--state", f"{out}.state")
    media = {"images": ["--images"], "video": ["--videos"]}.get(case.media, []) if case.source == "folder" else []
    ran = run("build", *place, *where, *media)
    assert ran.code == 0, ran.err
    return urls(out)


def urls(folder: Path) -> list[str]:
    """Of pages, images and translations, read without urlset."""
    found: list[str] = []
    for path in folder.glob("*.xml*"):
        body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        found += re.findall(r'(?:<loc>|image:loc>|content_loc>|href=")(http[^<"]*)', body.decode())
    return sorted(each for each in found if "sitemap" not in each)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_each_integration_serves_a_case(way: str) -> None:
    case = Case(spelling="&", address="relative", media="no media" if way == "tuples" else "captions", way=way)
    command = [sys.executable, "-m", "bench.served", "case", str(ROWS), "1", *case]
    ran = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout.splitlines()[-1])["count"] == ROWS
