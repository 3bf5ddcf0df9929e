"""The name of a format → the module that writes it, imported on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from importlib import import_module
from typing import Any, cast

import msgspec

from urlset.findings.card import Severity
from urlset.findings.verdict import Verdict
from urlset.spec.engines import Engine
from urlset.version import __version__

MAX_TOKENS = 2_000


class ReportOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Input of a report in addition to the verdict."""

    color: bool = False
    width: int = 100
    """terminal columns, for the text formats"""
    show: Severity | None = None
    """minimum severity shown in text, full, and concise; None for the format's default"""
    fail_on: Severity = Severity.ERROR
    """minimum severity that fails the run; JUnit and the exit code must agree"""
    command: str = "check"
    version: str = __version__
    max_tokens: int = MAX_TOKENS
    """of the format for language models, counted as four characters each"""
    target: tuple[str, ...] = ()
    """the targets as typed by the user"""
    engines: tuple[Engine, ...] = ()
    """the selected engines, for formats that show them"""
    made: datetime | None = None
    """in UTC, for formats with a date; None if unknown"""
    results_only: bool = False
    """without lines about what was skipped"""
    table: str = "problems"
    """of an audit in CSV: `problems` or `pages`"""
    beside: str = ""
    """the name of a file with all rows, next to a report that can hold only some of them"""

    def least(self, usual: Severity) -> Severity:
        """The minimum severity shown. Failing findings are always shown unless hidden explicitly."""
        if self.show is not None:
            return self.show
        return usual if self.fail_on.at_least(usual) else self.fail_on


Pieces = Iterator[str] | Iterator[bytes]
"""of the output, to be written in order"""


FORMATS: dict[str, str] = {
    "text": "grouped by rule, with source lines and fixes",
    "full": "text with all findings, rationales, and sources",
    "concise": "one line per finding",
    "json": "complete, with a published schema",
    "sarif": "SARIF 2.1.0 for code scanning",
    "github": "GitHub Actions annotations",
    "gitlab": "GitLab Code Quality",
    "junit": "JUnit XML for CI",
    "csv": "one row per finding, for spreadsheets",
    "markdown": "for pull request comments",
    "llm": "causes and commands for a language model, within --max-tokens",
    "html": "a self-contained page for people",
    "xlsx": "a workbook for spreadsheets (extra seo)",
}
"""Name and purpose. A new format is one line here, and a module of its name with a function `render`, which takes
a Verdict and ReportOptions and returns pieces, the last of which ends with a newline."""

BINARY = frozenset({"xlsx"})
"""formats that are bytes and need a package"""
TEXT = tuple(name for name in FORMATS if name not in BINARY)


_OF_AN_AUDIT = {
    "html": "_html",
    "json": "_data",
    "csv": "_data",
    "xlsx": "_data",
    "text": "_text",
    "full": "_text",
    "markdown": "_text",
}
"""format with pages → the end of its module"""


def report_pieces(command: str, form: str, report: Any, options: ReportOptions) -> Pieces:
    """The report of an audit, a diff, or a history, which is more than a verdict, in any of its formats."""
    if form == "llm":
        pieces: Pieces = import_module("urlset.reports.llm").report(command, report, options)
        return pieces
    if command == "audit" and form not in _OF_AN_AUDIT:  # which has findings only
        return rendered(form, report.verdict, options)
    part = _OF_AN_AUDIT[form] if command == "audit" else ""
    return cast("Pieces", import_module(f"urlset.reports.{command}{part}").render(report, options, form))


IN_ANOTHER = {"full": "text", "concise": "text", "csv": "sheets", "xlsx": "sheets"}
"""format → the module with a function of that name"""


def reporter(name: str) -> Callable[[Verdict, ReportOptions], Iterator[str]]:
    """Raises KeyError for a name that is not in TEXT."""
    if name not in TEXT:
        raise KeyError(name)
    return cast("Callable[[Verdict, ReportOptions], Iterator[str]]", _function(name))


def rendered(name: str, verdict: Verdict, options: ReportOptions) -> Pieces:
    """In any of FORMATS."""
    pieces: Pieces = _function(name)(verdict, options)
    return pieces


def _function(name: str) -> Any:
    module = import_module(f"urlset.reports.{IN_ANOTHER.get(name, name)}")
    return getattr(module, name if name in IN_ANOTHER else "render")
