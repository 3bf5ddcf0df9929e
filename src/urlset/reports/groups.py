"""Findings → groups of the same rule in the same document, with exact counts where known."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import chain, zip_longest

import msgspec

from urlset.findings.card import Card, Severity
from urlset.findings.finding import Finding, FixNote, Safety
from urlset.findings.verdict import Verdict
from urlset.model.shown import amount
from urlset.reports.wording import engines_of, kept, summary_of


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
    sources = (*(document.source for document in verdict.documents), *(group.first.source for group in groups))
    order = {source: at for at, source in enumerate(dict.fromkeys(sources))}
    groups.sort(key=lambda group: (order[group.first.source], group.first.severity.rank))
    return [group for group in groups if group.first.severity.at_least(least)]


def by_source(groups: Iterable[FindingGroup]) -> dict[str, list[FindingGroup]]:
    found: dict[str, list[FindingGroup]] = {}
    for group in groups:
        found.setdefault(group.first.source, []).append(group)
    return found


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


# Findings → one value per rule: counts, first places, files, and how often in words.

PLACES = 20
"""embedded for each rule, distributed over its documents"""
SAFETY = {
    Safety.SAFE.value: "safe: does not change the meaning of the file",
    Safety.REVIEW.value: "needs review: may change the meaning of the file",
}


class RuleFindings(msgspec.Struct, frozen=True):
    """All findings of one rule; never empty."""

    groups: tuple[FindingGroup, ...]
    """one group per document and severity"""
    total: int
    entries: int
    """covered by the findings"""
    exact: bool
    """False if findings beyond the cap may have a hidden severity: both are then minimums"""

    @property
    def first(self) -> Finding:
        return min(self.groups, key=lambda group: group.first.severity.rank).first

    @property
    def card(self) -> Card | None:
        return self.groups[0].card

    @property
    def severities(self) -> list[Severity]:
        return sorted({group.first.severity for group in self.groups}, key=lambda severity: severity.rank)

    @property
    def files(self) -> dict[str, list[FindingGroup]]:
        return by_source(self.groups)

    @property
    def how_many(self) -> str:
        return f"{'' if self.exact else 'at least '}{self.total:,}"

    @property
    def how_many_entries(self) -> str:
        return f"{'' if self.exact else 'at least '}{self.entries:,}"

    @property
    def summary(self) -> str:
        return f"{summary_of(self.card)}." if self.card else ""

    @property
    def how_often(self) -> str:
        said = f"{self.how_many} {'finding' if self.total == 1 else 'findings'} in {amount(len(self.files), 'file')}"
        if self.entries > self.total:
            said += f", covering {self.entries:,} entries"
        engines = engines_of(self.first, self.card)
        return f"{said}; for {engines}" if engines else said

    @property
    def engines(self) -> str:
        """engine:severity, separated by spaces, for the view of one engine."""
        severities = self.card.severities if self.card else {}
        return " ".join(f"{engine}:{severities.get(engine, '')}" for engine in self.first.engines)

    def more_than(self, count: int) -> str:
        """How many places are not shown."""
        return f"and {'' if self.exact else 'at least '}{self.total - count:,} more"

    def counts_by_file(self, most: int) -> list[tuple[str, str]]:
        rows = []
        for source, groups in list(self.files.items())[:most]:
            least = "" if all(group.exact for group in groups) else "at least "
            count = sum(group.left_after(len(group.findings)) + len(group.findings) for group in groups)
            rows.append((source, f"{least}{count:,}"))
        return rows

    def chosen(self, most: int) -> list[Finding]:
        """The first finding of each document before the second of any, in document order."""
        rows = zip_longest(*(group.findings[:most] for group in self.groups[:most]))
        taken = [finding for finding in chain.from_iterable(rows) if finding is not None][:most]
        ids = set(map(id, taken))
        return [finding for group in self.groups[:most] for finding in group.findings[:most] if id(finding) in ids]


def by_rule(verdict: Verdict, least: Severity) -> list[RuleFindings]:
    """Ordered by severity, then by frequency. Counts are exact per rule, so a rule is one section."""
    found: defaultdict[str, list[FindingGroup]] = defaultdict(list)
    for group in grouped(verdict, least):
        found[group.first.code].append(group)
    all_at_hand, concerned = kept(verdict), verdict.concerned
    rules = []
    for code, groups in found.items():
        at_hand = sum(len(group.findings) for group in groups)
        beyond = max(0, verdict.counts.get(code, 0) - all_at_hand[code])
        all_shown = at_hand == all_at_hand[code]
        total = at_hand + (beyond if all_shown else 0)
        entries = sum(finding.count for group in groups for finding in group.findings)
        entries = concerned.get(code, entries) if all_shown else entries
        rules.append(RuleFindings(tuple(groups), total, entries, all_shown or not beyond))
    return sorted(rules, key=lambda rule: (rule.severities[0].rank, -rule.total, rule.first.code))


# Findings on pages → each message once, with its pages; what differs between two of them is said with the page.

_URL = re.compile(r"https?://[^\s;,()'\"]*[^\s;,()'\":.]")


class MessageGroup(msgspec.Struct, frozen=True):
    message: str
    """with `…` for a URL that differs from page to page"""
    findings: list[tuple[Finding, str]]
    """each with the URLs that its message names; empty where all name the same"""


def by_message(findings: Iterable[Finding]) -> list[MessageGroup]:
    """The most common first."""
    found: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        found[_URL.sub("…", finding.message)].append(finding)
    groups = []
    for pattern, group in sorted(found.items(), key=lambda item: -len(item[1])):
        if len({finding.message for finding in group}) == 1:
            groups.append(MessageGroup(group[0].message, [(finding, "") for finding in group]))
        else:
            named = [(finding, ", ".join(_URL.findall(finding.message))) for finding in group]
            groups.append(MessageGroup(pattern, named))
    return groups
