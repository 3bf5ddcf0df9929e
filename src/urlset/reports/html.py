"""Verdict → one self-contained HTML page, readable without scripts and without a network."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from urlset.auditing.sections import first_folder
from urlset.findings.card import Severity
from urlset.findings.finding import Finding
from urlset.findings.verdict import Verdict
from urlset.reports.charts import BarChart, bars
from urlset.reports.format import ReportOptions
from urlset.reports.groups import PLACES, SAFETY, by_rule
from urlset.reports.html_page import page
from urlset.reports.table import ReportTable, TableColumn, TableData
from urlset.reports.visible import visible
from urlset.reports.wording import INCOMPLETE, fixable, is_capped, named
from urlset.storage.paths import is_address

_TARGETS_COPIED = 3
_SHAPES = {Severity.ERROR: "gone", Severity.WARNING: "redirected", Severity.INFO: "blocked"}
"""severity → the CSS class with its color in charts"""


class ExitSummary(NamedTuple):
    """The exit code in words; empty if nothing was checked."""

    text: str
    unread: str = ""
    """the part that links to the unreadable files"""
    more: str = ""

    @property
    def tone(self) -> str:
        """The CSS class of its color: passed, failed, incomplete."""
        first = self.text.partition(":")[0]
        return {"passed": "passed", "complete": "passed", "failed": "failed"}.get(first, "incomplete")


class NextStep(NamedTuple):
    said: str
    commands: tuple[str, ...] = ()


def render(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    """Section by section; the first places of each rule are embedded, and the counts are exact."""
    least = options.least(Severity.INFO)
    shown = [finding for finding in verdict.findings if finding.severity.at_least(least)]
    return page(
        "check.html",
        verdict,
        options,
        table=_table(shown) if shown else None,
        capped=is_capped(verdict),
        charts=_charts(verdict, shown),
        outcome=outcome(verdict, options),
        next=_next(verdict, options, least),
        files=len({document.source for document in verdict.documents}),
        **findings(verdict, least),
    )


def findings(verdict: Verdict, least: Severity, page_codes: frozenset[str] = frozenset()) -> dict[str, object]:
    """The values of rules.html; findings of `page_codes` are shown by page."""
    return {
        "rules": by_rule(verdict, least),
        "page_codes": page_codes,
        "places": PLACES,
        "safety": SAFETY,
        "rule_column": "codes" if page_codes else "code",
    }


def _table(found: Sequence[Finding]) -> TableData:
    shapes = {severity.value: _SHAPES[severity] for severity in Severity}
    table = TableData(
        (
            TableColumn("subject", "URL or file", "url", _subject),
            TableColumn(
                "severity", "Severity", "choice", lambda it: it.severity.value, filter="Severity", shapes=shapes
            ),
            TableColumn("code", "Rule", "choice", filter="Rule"),
            TableColumn("message", "Problem"),
            TableColumn("file", "File", "choice", lambda it: named(it.source), filter="File"),
            TableColumn("line", "Line", "number"),
            TableColumn("section", "Section", "choice", _section, shown=False, filter="Section"),
            TableColumn("name", "Name", "choice", shown=False),
            TableColumn(
                "engines", "Engines", "words", lambda it: " ".join(it.engines) or "none", shown=False, filter="Engine"
            ),
            TableColumn(
                "fix", "Fix", "choice", lambda it: it.fix.title if it.fix else "none", shown=False, filter="Fix"
            ),
            TableColumn("entries", "Entries", "number", lambda it: it.count, shown=False),
        ),
        noun="finding",
    )
    for each in found:
        table.add(each, matters=each.severity is not Severity.INFO)
    return table


def _subject(finding: Finding) -> str:
    return finding.subject or named(finding.source)


def _section(finding: Finding) -> str:
    subject = _subject(finding)
    return first_folder(subject) if is_address(subject) else "/"


def _charts(verdict: Verdict, found: Sequence[Finding]) -> list[BarChart]:
    """By rule and by file; the counts of rules are exact, also beyond the cap."""
    shown = {finding.code: _SHAPES[finding.severity] for finding in reversed(found)}
    rules = sorted(((code, verdict.counts.get(code, 0)) for code in shown), key=lambda each: -each[1])
    files = Counter(named(finding.source) for finding in found).most_common()
    names = {finding.code: f"{finding.code} {finding.name}" for finding in found}
    made = [bars("Findings by rule", rules, filter="code", shapes=shown, names=names, head=("rule", "findings"))]
    if not is_capped(verdict):
        made.append(bars("Findings by file", files, filter="file", head=("file", "findings")))
    return [chart for chart in made if len(chart.bars) > 1]


def outcome(verdict: Verdict, options: ReportOptions) -> ExitSummary:
    if verdict.is_partial:
        return ExitSummary("incomplete: ", INCOMPLETE)
    if verdict.at_or_above(options.fail_on):
        return ExitSummary(f"failed: problems at {options.fail_on} or above")
    if verdict.covers_nothing:
        return ExitSummary("incomplete: no page could be checked" if verdict.pages and verdict.pages.listed else "")
    return ExitSummary(f"passed: no problems at {options.fail_on} or above")


def _next(verdict: Verdict, options: ReportOptions, least: Severity) -> NextStep:
    """The next step, with a command to copy if the targets are files."""
    can = fixable(verdict, least)
    files = options.target
    if (
        not can
        or not 0 < len(files) <= _TARGETS_COPIED
        or not all(visible(file) == file and file not in ("", "-") and not is_address(file) for file in files)
    ):
        return NextStep(can)
    command = f"urlset fix {shlex.join(files)}{' --unsafe' if '--unsafe' in can else ''} --diff"
    return NextStep(f"{can}; preview with", (command,))


def engines_page(table: ReportTable, notes: Sequence[str], verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    """What an engine reports: the table, then the findings."""
    return page(
        "engines.html",
        verdict,
        options,
        table=None,
        outcome=outcome(verdict, options),
        rows=table,
        notes=notes,
        **findings(verdict, Severity.INFO),
    )
