"""Verdict → GitLab Code Quality, a list of issues with fingerprints that survive moved lines."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from urlset.findings.card import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.format import ReportOptions
from urlset.reports.json import one_line
from urlset.reports.sarif import fingerprinted
from urlset.storage.paths import with_slashes

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    del options
    opening = "["
    for issue in _issues(verdict):
        yield f"{opening}\n{one_line({'type': 'issue', **issue})}"
        opening = ","
    yield "[]\n" if opening == "[" else "\n]\n"


def _issues(verdict: Verdict) -> Iterator[dict[str, Any]]:
    """GitLab requires a line: findings on the whole file use the first."""
    for finding, fingerprint in fingerprinted(verdict.findings):
        first = finding.line or 1
        last = finding.end_line if finding.end_line is not None and finding.end_line >= first else first
        yield {
            "description": f"{finding.code} {finding.name}: {finding.message}",
            "check_name": finding.code,
            "fingerprint": fingerprint,
            "severity": _SEVERITIES[finding.severity],
            "location": {
                "path": with_slashes(finding.source).removeprefix("./") or "-",
                "lines": {"begin": first, "end": last},
            },
        }
    for line in verdict.unread:  # GitLab shows an empty list as a pass, and what was not read did not pass
        yield {
            "description": f"could not read: {line}",
            "check_name": "could-not-read",
            "fingerprint": sha256(line.encode("utf-8", "surrogatepass")).hexdigest(),
            "severity": "major",
            "location": {"path": "-", "lines": {"begin": 1, "end": 1}},
        }
