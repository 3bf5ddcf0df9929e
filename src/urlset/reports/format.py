"""The name of a format → the module that writes it, loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from importlib import import_module
from typing import Protocol, cast

import msgspec

from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.spec.engines import Engine
from urlset.version import __version__


class ReportOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a report may know besides the verdict."""

    color: bool = False
    width: int = 100
    """columns of the terminal, for the formats that people read there"""
    show: Severity | None = None
    """the least severity shown in text, full and concise; None leaves it to the format"""
    fail_on: Severity = Severity.ERROR
    """what makes the run fail, so that JUnit and the exit code agree"""
    command: str = "check"
    version: str = __version__
    target: tuple[str, ...] = ()
    """what the user asked to look at, as typed"""
    engines: tuple[Engine, ...] = ()
    """whose rules were chosen, for the formats that say it"""
    made: datetime | None = None
    """in UTC, for the formats that bear a date; None where nobody looked at the clock"""

    def least(self, usual: Severity) -> Severity:
        """The least severity shown. What makes the run fail is never left out unless that was asked for."""
        if self.show is not None:
            return self.show
        return usual if self.fail_on.at_least(usual) else self.fail_on


class Reporter(Protocol):
    """A module with this function is a format."""

    def render(self, verdict: Verdict, options: ReportOptions) -> Iterator[str]:
        """Pieces of the output, to be written one after the other; the last ends its line."""
        ...


FORMATS: dict[str, str] = {
    "text": "for people: grouped, with the offending line and the way out",
    "full": "text with every finding, every reason and every source",
    "concise": "one line per finding",
    "json": "everything, for programs; its schema is published",
    "sarif": "SARIF 2.1.0, for code scanning",
    "github": "annotations in GitHub Actions",
    "gitlab": "GitLab Code Quality",
    "junit": "JUnit XML, for the test view of any CI",
    "csv": "a row per finding, for spreadsheets",
    "markdown": "for comments on pull requests",
    "html": "one page to send on or to keep: needs no network and no script",
}
"""Name and purpose; the name is also that of the module. A new format is one file and one line here."""


def reporter(name: str) -> Reporter:
    """KeyError for a name that is not in FORMATS."""
    if name not in FORMATS:
        raise KeyError(name)
    return cast("Reporter", import_module(f"urlset.reports.{name}"))
