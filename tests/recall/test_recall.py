"""Recall and false alarms on files as they are met: every labelled fault is found, and clean files have no error."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.recall.broken_files import BROKEN, Broken
from tests.recall.clean_files import CLEAN, Clean
from urlset.checking.context import Context
from urlset.checking.engine import check
from urlset.checking.select import select
from urlset.findings.card import Severity
from urlset.findings.finding import Finding
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import DEFAULT_ENGINES

RULES = select(all_rules(), DEFAULT_ENGINES)
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def findings(name: str, text: str, at: str | None = None) -> tuple[Finding, ...]:
    return check(read(text.encode(), name=name, url=at), RULES, Context(now=NOW)).findings


@pytest.mark.parametrize("file", [pytest.param(file, id=name) for name, file in BROKEN.items()])
def test_a_labelled_fault_is_found(file: Broken) -> None:
    found = {finding.code for finding in findings(file.name, file.text)}
    assert set(file.codes.split()) <= found


@pytest.mark.parametrize("file", [pytest.param(file, id=name) for name, file in CLEAN.items()])
def test_a_clean_file_has_no_error(file: Clean) -> None:
    found = findings(file.name, file.text, file.at)
    assert [f"{each.code} {each.message}" for each in found if each.severity is Severity.ERROR] == []


@pytest.mark.parametrize("file", [pytest.param(file, id=name) for name, file in CLEAN.items()])
def test_a_clean_file_is_not_called_unfinished(file: Clean) -> None:
    """Placeholders, template code and junk lines are suspicions: none is raised without cause."""
    suspicions = {"L031", "L034", "S017", "S032", "R012", "X013", "I006", "F003"}
    found = findings(file.name, file.text, file.at)
    loud = {each.code for each in found if each.severity.at_least(Severity.WARNING)}
    assert loud & suspicions == set()


def test_there_are_enough_files() -> None:
    assert len(BROKEN) >= 60
    assert len(CLEAN) >= 30
