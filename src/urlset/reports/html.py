"""Verdict → one self-contained HTML page, readable without scripts and without a network."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.format import ReportOptions
from urlset.reports.html_asides import asides, documents
from urlset.reports.html_frame import closing, described, engines, header, next_step, opening, outcome, targets
from urlset.reports.html_rules import RuleFindings, by_rule, overview, sections
from urlset.reports.html_text import Html, joined, lines, prose, tag
from urlset.reports.uri import is_address
from urlset.reports.visible import visible
from urlset.reports.wording import amount, fixable, sum_line

_OVERVIEW_FROM = 2
"""rules: a single one needs no table of contents"""
_TARGETS_COPIED = 3


def render(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    """Section by section; the first places of each rule are embedded, and the counts are exact."""
    least = options.least(Severity.INFO)
    yield opening(f"urlset {options.command}: {sum_line(verdict, least)}", options)
    yield f"{header(verdict, options, least, outcome(verdict, options))}\n<main>\n"
    yield f"{lines(_next(verdict, options, least), _checked(verdict, options))}\n"
    yield from findings(by_rule(verdict, least))
    yield from asides(verdict)
    yield closing(options)


def findings(rules: list[RuleFindings], page_codes: frozenset[str] = frozenset()) -> Iterator[str]:
    """With a table of contents; empty without findings."""
    if not rules:
        return
    yield f"{tag('h2', 'Findings')}\n"
    if len(rules) >= _OVERVIEW_FROM:
        yield f"{overview(rules)}\n"
    yield from sections(rules, page_codes)


def _checked(verdict: Verdict, options: ReportOptions) -> Html:
    files = len({document.source for document in verdict.documents})
    reported = described(
        (
            ("targets", joined(*(joined(" " if at else "", each) for at, each in enumerate(targets(options))))),
            ("checked", f"{amount(files, 'file')} with {amount(verdict.entries, 'entry', 'entries')}"),
            ("engines", engines(options)),
        )
    )
    return tag("section", lines(tag("h2", "What was checked"), reported, documents(verdict.documents)))


def _next(verdict: Verdict, options: ReportOptions, least: Severity) -> Html | str:
    """The next step, with a command to copy if the targets are files."""
    can = fixable(verdict, least)
    if not can:
        return ""
    files = options.target
    if not 0 < len(files) <= _TARGETS_COPIED or not all(map(_can_be_copied, files)):
        return next_step(prose(can))
    command = f"urlset fix {shlex.join(files)}{' --unsafe' if '--unsafe' in can else ''} --diff"
    return next_step(prose(f"{can}; preview with"), command)


def _can_be_copied(target: str) -> bool:
    return visible(target) == target and target not in ("", "-") and not is_address(target)
