"""Cases of the suite → complete, listed, agreed on by other judges, and passed by urlset."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from suite.from_rules import examples, key_of, known
from suite.opinions import cases, file_of, opinion, values

SUITE = Path(__file__).resolve().parents[2] / "suite"
ROWS = [json.loads(line) for line in (SUITE / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
TOPICS = {
    *("xml", "encoding", "structure", "loc", "lastmod", "index", "gzip", "text", "feeds", "image", "video", "news"),
    *("hreflang", "robots", "limits", "hostile"),
}
CORPUS = Path(__file__).resolve().parents[1] / "corpus"


@pytest.mark.slow
def test_urlset_passes_every_case() -> None:
    command = [sys.executable, str(SUITE / "run.py"), "--format", "json", "--timeout", "60", "--memory", "0"]
    adapter = f"{sys.executable} {SUITE / 'adapters' / 'urlset_check.py'}"
    done = subprocess.run([*command, "--adapter", adapter], capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    assert report["failures"] == []
    assert done.returncode == 0
    assert report["total"]["cases"] == len(ROWS)


def test_every_case_is_listed_with_its_checksum() -> None:
    listed = {row["case"]: row for row in ROWS}
    assert len(listed) == len(ROWS)
    found = {case["case"] for _, case in cases()}
    assert found == set(listed)
    for path, case in cases():
        row, file = listed[case["case"]], file_of(path, case)
        assert row["path"] == file.relative_to(SUITE).as_posix()
        assert case["case"] == f"{path.parent.name}/{file.name.split('.')[0]}"
        if not case.get("generated"):
            assert row["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest(), case["case"]


def test_every_topic_and_class_has_cases() -> None:
    assert {row["topic"] for row in ROWS} == TOPICS
    assert len(ROWS) >= 1200
    classes = Counter(row["class"] for row in ROWS)
    assert min(classes.values()) > 100
    assert set(classes) == {"y", "n", "i"}


def complete(case: dict[str, Any]) -> bool:
    common = {"kind", "why", "norm", "from", "second_opinion", "defects", "advice"} <= set(case)
    return common and ("urls" in case or "urls_from" in case) and bool(case["defects"]) is (case["class"] == "n")


def test_every_expectation_is_complete() -> None:
    assert [case["case"] for _, case in cases() if not complete(case)] == []


def test_every_disagreement_with_a_judge_has_a_decision() -> None:
    agreed = [(case["case"], case["second_opinion"].get("agrees", True) or "decision" in case) for _, case in cases()]
    assert [name for name, ok in agreed if not ok] == []
    assert [case["case"] for _, case in cases() if case["class"] == "i" and "decision" not in case] == []


def test_expat_reads_what_valid_cases_say() -> None:
    for path, case in cases():
        if case["class"] == "y" and not case.get("generated"):
            judged = opinion(file_of(path, case).read_bytes(), case.get("url"))
            assert (judged.kind, values(judged.urls)) == (case["kind"], values(case["urls"])), case["case"]


def test_every_example_of_a_rule_is_a_case_or_says_why_not() -> None:
    """`python -m suite.from_rules` adds the missing ones."""
    there = known()
    found = list(examples())
    missing = [each.origin for each in found if not each.reason and key_of(each.data, each.example.at) not in there]
    assert missing == []
    assert sum(not each.reason for each in found) > 1300


def test_every_file_of_the_corpus_is_a_case() -> None:
    digests = {row["sha256"] for row in ROWS}
    inputs = sorted(CORPUS.glob("*/input.xml"))
    missing = [path.parent.name for path in inputs if hashlib.sha256(path.read_bytes()).hexdigest() not in digests]
    assert missing == []
