"""Findings → groups of the same rule in the same document, with exact counts where known."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

import msgspec

from urlset.findings.card import Card
from urlset.findings.finding import Finding, FixNote
from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict


class FindingGroup(msgspec.Struct, frozen=True):
    """Findings of one rule in one document with one severity; never empty."""

    findings: tuple[Finding, ...]
    card: Card | None
    total: int
    """affected entries, including those beyond the cap"""
    exact: bool = True
    """False if findings beyond the cap may belong to several documents: `total` is then a minimum"""

    @property
    def first(self) -> Finding:
        return self.findings[0]

    @property
    def source(self) -> str:
        return self.first.source

    @property
    def code(self) -> str:
        return self.first.code

    @property
    def name(self) -> str:
        return self.first.name

    @property
    def severity(self) -> Severity:
        return self.first.severity

    def left_after(self, shown: int) -> int:
        """Entries not covered by the first `shown` findings."""
        return self.total - sum(finding.count for finding in self.findings[:shown])

    def fixes(self, shown: int | None = None) -> list[FixNote]:
        """The different fixes, in order."""
        notes = (finding.fix for finding in self.findings[:shown])
        return list(dict.fromkeys(note for note in notes if note is not None))


_Key = tuple[str, str, Severity]


def grouped(verdict: Verdict, least: Severity = Severity.INFO) -> list[FindingGroup]:
    """Documents in order; within one, ordered by severity, then by place."""
    found: defaultdict[_Key, list[Finding]] = defaultdict(list)
    for finding in verdict.findings:
        found[finding.source, finding.code, finding.severity].append(finding)
    beyond = _beyond_cap(verdict, found)
    groups = []
    for key, findings in found.items():
        extra, exact = beyond.get(key, (0, True))
        total = sum(finding.count for finding in findings) + extra
        groups.append(FindingGroup(tuple(findings), verdict.cards.get(key[1]), total, exact))
    sources = (*(document.source for document in verdict.documents), *(group.source for group in groups))
    order = {source: at for at, source in enumerate(dict.fromkeys(sources))}
    groups.sort(key=lambda group: (order[group.source], group.severity.rank))
    return [group for group in groups if group.severity.at_least(least)]


def by_source(groups: Iterable[FindingGroup]) -> dict[str, list[FindingGroup]]:
    found: dict[str, list[FindingGroup]] = {}
    for group in groups:
        found.setdefault(group.source, []).append(group)
    return found


def kept(verdict: Verdict) -> Counter[str]:
    """Findings in memory, by code."""
    counted: Counter[str] = Counter()
    for finding in verdict.findings:
        counted[finding.code] += 1
    return counted


def is_capped(verdict: Verdict) -> bool:
    at_hand = kept(verdict)
    return any(count > at_hand[code] for code, count in verdict.counts.items())


def _beyond_cap(verdict: Verdict, found: dict[_Key, list[Finding]]) -> dict[_Key, tuple[int, bool]]:
    """Counts are exact per rule, not per document: findings beyond the cap belong to the fullest groups."""
    at_hand = kept(verdict)
    result: dict[_Key, tuple[int, bool]] = {}
    for code, count in verdict.counts.items():
        missing = max(verdict.beyond.get(code, 0), count - at_hand[code])
        if missing <= 0:
            continue
        in_document: Counter[str] = Counter()
        for (source, other, _), findings in found.items():
            in_document[source] += len(findings) if other == code else 0
        fullest = max(in_document.values(), default=0)
        candidates = [key for key in found if key[1] == code and in_document[key[0]] == fullest]
        if len(candidates) == 1:
            result[candidates[0]] = (missing, True)
        else:
            result.update(dict.fromkeys(candidates, (0, False)))
    return result
