"""CI formats × verdicts → output that fits the schema of the service that reads it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from lxml import etree

from tests.reports.test_machine_formats import complaints
from tests.reports.verdicts import VERDICTS
from tests.reports.written import written

FOLDER = Path(__file__).parent
GITLAB = json.loads((FOLDER / "gitlab_code_quality.json").read_text(encoding="utf-8"))
JUNIT = etree.XMLSchema(etree.parse(FOLDER / "junit.xsd"))
_PROPERTY = r"(?:file|line|endLine|col|endColumn|title)=[^\n\r,:]*"
COMMAND = re.compile(rf"::(?:error|warning|notice)(?: {_PROPERTY}(?:,{_PROPERTY})*)?::[^\n\r]*")
"""a workflow command of GitHub Actions; properties escape `,` and `:`, and messages escape line breaks"""


@pytest.mark.parametrize("case", sorted(VERDICTS))
def test_gitlab_reads_it(case: str) -> None:
    assert complaints(GITLAB, json.loads(written("gitlab", VERDICTS[case]))) == []


@pytest.mark.parametrize("case", sorted(VERDICTS))
def test_junit_readers_read_it(case: str) -> None:
    document = etree.fromstring(written("junit", VERDICTS[case]).encode())
    assert JUNIT.validate(document), JUNIT.error_log.last_error


@pytest.mark.parametrize("case", sorted(VERDICTS))
def test_github_actions_reads_every_command(case: str) -> None:
    commands = [line for line in written("github", VERDICTS[case]).splitlines() if line.startswith("::")]
    assert [line for line in commands if COMMAND.fullmatch(line) is None] == []
    assert bool(commands) == bool(VERDICTS[case].findings or VERDICTS[case].troubled)
