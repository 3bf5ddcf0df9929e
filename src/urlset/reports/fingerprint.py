"""Findings → identifiers that stay the same when other lines change."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator

from urlset.findings.finding import Finding
from urlset.reports.visible import whole


def fingerprinted(findings: Iterable[Finding]) -> Iterator[tuple[Finding, str]]:
    """Each finding with its fingerprint; identical findings get different ones."""
    seen: Counter[str] = Counter()
    for finding in findings:
        identity = _identity(finding)
        seen[identity] += 1
        digest = hashlib.sha256(f"{identity}\x1f{seen[identity]}".encode()).hexdigest()
        yield finding, digest[:32]


def _identity(finding: Finding) -> str:
    """Rule, file, URL, and the marked text: not the line, and not a message that may contain a count."""
    fault = ""
    if finding.excerpt is not None:
        start = max(finding.excerpt.start, 0)
        fault = finding.excerpt.text[start : start + max(finding.excerpt.length, 0)]
    return whole("\x1f".join((finding.code, finding.source, finding.subject or "", fault)))
