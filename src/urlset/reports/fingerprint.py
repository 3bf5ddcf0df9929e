"""Findings → names that stay the same when lines above them come and go."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator

from urlset.findings.finding import Finding
from urlset.reports.visible import whole


def fingerprinted(findings: Iterable[Finding]) -> Iterator[tuple[Finding, str]]:
    """Each with its fingerprint; the second of two alike gets another one."""
    seen: Counter[str] = Counter()
    for finding in findings:
        identity = _identity(finding)
        seen[identity] += 1
        digest = hashlib.sha256(f"{identity}\x1f{seen[identity]}".encode()).hexdigest()
        yield finding, digest[:32]


def _identity(finding: Finding) -> str:
    """Rule, file, address and the faulty text: neither the line nor a message that may hold a count."""
    fault = ""
    if finding.excerpt is not None:
        start = max(finding.excerpt.start, 0)
        fault = finding.excerpt.text[start : start + max(finding.excerpt.length, 0)]
    return whole("\x1f".join((finding.code, finding.source, finding.subject or "", fault)))
