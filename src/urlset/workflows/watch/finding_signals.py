"""Findings of one look → a signal for each rule whose count may have changed: new errors, and dates gone wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from urlset.findings.finding import Finding
from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.watching.signals import AlertKind, Measurement
from urlset.workflows.watch.site import Look

_DATES = ("D", "Q020")
"""rules on lastmod, and the one on dates that move without a change"""


def finding_signals(ask: Look, verdict: Verdict, counts: Counter[str], *, complete: bool) -> Iterator[Measurement]:
    """New errors and wrong dates by rule. What was not looked at cannot have been solved."""
    examples: dict[str, Finding] = {}
    for finding in verdict.findings:
        examples.setdefault(finding.code, finding)
    wanted = {code: kind for code, finding in examples.items() if (kind := _kind_of(finding)) and counts[code]}
    for kind in (AlertKind.NEW_ERRORS, AlertKind.DATES):
        for code in ask.subjects(kind):
            if code in verdict.cards:
                wanted.setdefault(code, kind)
    for code, kind in wanted.items():
        known = ask.known(kind, code)
        count = counts[code]
        if not complete and count <= ((known.level or 0) if known is not None else 0):
            continue
        yield _finding(kind, code, count, examples.get(code))


def _kind_of(finding: Finding) -> AlertKind | None:
    if finding.code.startswith(_DATES) and (finding.severity.at_least(Severity.WARNING) or finding.code in _DATES):
        return AlertKind.DATES
    return AlertKind.NEW_ERRORS if finding.severity is Severity.ERROR else None


def _finding(kind: AlertKind, code: str, count: int, example: Finding | None) -> Measurement:
    name = example.name if example is not None else code
    times = "1 finding" if count == 1 else f"{count:,} findings"
    shown = {} if example is None else {"example": example.message, "where": example.subject or example.source}
    return Measurement(
        kind=kind,
        subject=code,
        count=count,
        severity=example.severity if example is not None else Severity.ERROR,
        message=f"{code} {name}: {times}",
        recovered=f"{code} is solved" if not count else f"{code} is back to {times}",
        details={"rule": code, "name": name, "count": count, **shown},
    )
