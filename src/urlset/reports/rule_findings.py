"""Findings → one value per rule: counts, first places, files, and how often in words."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, zip_longest

import msgspec

from urlset.findings.card import Card
from urlset.findings.finding import Finding
from urlset.findings.fix import Safety
from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.groups import FindingGroup, grouped, kept
from urlset.reports.wording import amount, engines_of, summary_of

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
        return min(self.groups, key=lambda group: group.severity.rank).first

    @property
    def card(self) -> Card | None:
        return self.groups[0].card

    @property
    def severities(self) -> list[Severity]:
        return sorted({group.severity for group in self.groups}, key=lambda severity: severity.rank)

    @property
    def files(self) -> dict[str, list[FindingGroup]]:
        found: dict[str, list[FindingGroup]] = {}
        for group in self.groups:
            found.setdefault(group.source, []).append(group)
        return found

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
        found[group.code].append(group)
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
