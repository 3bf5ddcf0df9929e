"""Verdict → one self-contained HTML page, readable without scripts and without a network."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import NamedTuple

from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.format import ReportOptions
from urlset.reports.html_page import page
from urlset.reports.rule_findings import PLACES, SAFETY, by_rule
from urlset.reports.uri import is_address
from urlset.reports.visible import visible
from urlset.reports.wording import fixable

_TARGETS_COPIED = 3


class Outcome(NamedTuple):
    """The exit code in words; empty if nothing was checked."""

    text: str
    unread: str = ""
    """the part that links to the unreadable files"""
    more: str = ""


class NextStep(NamedTuple):
    said: str
    commands: tuple[str, ...] = ()


def render(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    """Section by section; the first places of each rule are embedded, and the counts are exact."""
    least = options.least(Severity.INFO)
    return page(
        "check.html",
        verdict,
        options,
        outcome=outcome(verdict, options),
        next=_next(verdict, options, least),
        files=len({document.source for document in verdict.documents}),
        **findings(verdict, least),
    )


def findings(verdict: Verdict, least: Severity, page_codes: frozenset[str] = frozenset()) -> dict[str, object]:
    """The values of rules.html; findings of `page_codes` are shown by page."""
    return {"rules": by_rule(verdict, least), "page_codes": page_codes, "places": PLACES, "safety": SAFETY}


def outcome(verdict: Verdict, options: ReportOptions) -> Outcome:
    if verdict.troubled:
        return Outcome("incomplete: ", f"{len(verdict.troubled):,} could not be read")
    if verdict.at_or_above(options.fail_on):
        return Outcome(f"failed: problems at {options.fail_on} or above")
    return Outcome(f"passed: no problems at {options.fail_on} or above" if verdict.documents else "")


def _next(verdict: Verdict, options: ReportOptions, least: Severity) -> NextStep:
    """The next step, with a command to copy if the targets are files."""
    can = fixable(verdict, least)
    files = options.target
    if not can or not 0 < len(files) <= _TARGETS_COPIED or not all(map(_can_be_copied, files)):
        return NextStep(can)
    command = f"urlset fix {shlex.join(files)}{' --unsafe' if '--unsafe' in can else ''} --diff"
    return NextStep(f"{can}; preview with", (command,))


def _can_be_copied(target: str) -> bool:
    return visible(target) == target and target not in ("", "-") and not is_address(target)
