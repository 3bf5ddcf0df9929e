"""Findings on pages → a block for each rule: number of pages, messages, first pages.

Pages are shown with their URL and the sitemap line. The excerpt that `urlset check` shows would only repeat the URL.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Generator, Iterator

from urlset.findings.card import Card
from urlset.findings.finding import Finding
from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.color import Palette
from urlset.reports.text_width import cells, middle_out, wrap
from urlset.reports.visible import visible
from urlset.reports.wording import amount, engines_of, in_a_sentence, summary_of

_MESSAGES = 3
_EXAMPLES = 3

Groups = list[tuple[Severity, str, list[Finding], int]]
"""severity, code, findings in memory, and total number, including those beyond the cap"""


class PageFindings:
    """All findings of an audit on pages."""

    def __init__(self, verdict: Verdict, codes: Collection[str], palette: Palette, width: int) -> None:
        """`codes` of the rules on pages; findings without a page are reported elsewhere."""
        self._verdict, self._ink, self._width = verdict, palette, width
        self.own = [each for each in verdict.findings if each.code in codes and each.subject]
        own = set(map(id, self.own))
        self.others = tuple(each for each in verdict.findings if id(each) not in own)

    def lines(self, least: Severity) -> Iterator[str]:
        for severity, code, findings, total in self._groups(least):
            card = self._verdict.cards.get(code)
            yield from self._head(severity, findings[0], card, total)
            shown = yield from self._examples(findings)
            engines = engines_of(findings[0], card)
            rest = [f"and {total - shown:,} more" if total > shown else "", f"for {engines}" if engines else ""]
            said = "; ".join(part for part in (*rest, f"`urlset explain {code}`") if part)
            yield from (self._ink("dim", f"    {line}") for line in wrap(said, self._width - 4))
            yield ""

    def _groups(self, least: Severity) -> Groups:
        """Ordered by severity, then by frequency."""
        found: defaultdict[tuple[Severity, str], list[Finding]] = defaultdict(list)
        for finding in self.own:
            if finding.severity.at_least(least):
                found[finding.severity, finding.code].append(finding)
        alike: defaultdict[str, set[Severity]] = defaultdict(set)
        for finding in self.own:
            alike[finding.code].add(finding.severity)
        groups: Groups = []
        for (severity, code), findings in found.items():
            exact = len(alike[code]) == 1  # counts are per rule
            total = max(len(findings), self._verdict.counts.get(code, 0)) if exact else len(findings)
            groups.append((severity, code, findings, total))
        return sorted(groups, key=lambda group: (group[0].rank, -group[3], group[1]))

    def _head(self, severity: Severity, first: Finding, card: Card | None, total: int) -> Iterator[str]:
        label = f"{severity}[{first.code}]"
        name = visible(f"{label} {first.name}")
        said = f": {in_a_sentence(summary_of(card))}" if card else ""
        count = f"({amount(total, 'page')})"
        lines = wrap(f"{name}{said}", self._width - 2)
        fits = cells(lines[-1]) + 1 + len(count) <= self._width - 2
        line, *rest = [*lines[:-1], f"{lines[-1]} {count}"] if fits else [*lines, count]
        if line.startswith(name):
            painted = self._ink.severity(severity, visible(label))
            line = f"{painted} {self._ink('bold', visible(first.name))}{line[len(name) :]}"
        yield line
        yield from (f"  {each}" for each in rest)

    def _examples(self, findings: list[Finding]) -> Generator[str, None, int]:
        """The most common messages with some of their pages; returns the number of pages shown."""
        by_message: defaultdict[str, list[Finding]] = defaultdict(list)
        for finding in findings:
            by_message[finding.message].append(finding)
        chosen = sorted(by_message.values(), key=len, reverse=True)[:_MESSAGES]
        shown = 0
        for place, group in enumerate(chosen):
            room = _EXAMPLES - shown - (len(chosen) - place - 1)  # reserve one for each message that follows
            yield from (f"    {line}" for line in wrap(group[0].message, self._width - 4))
            for finding in group[:room]:
                yield self._page(finding)
                shown += 1
        return shown

    def _page(self, finding: Finding) -> str:
        room = self._width - 6
        url = middle_out(visible(finding.subject or ""), room)
        where = visible(_short(finding))
        if cells(url) + 2 + cells(where) > room:
            return f"      {url}"
        return f"      {url}  {self._ink('dim', where)}"


def _short(finding: Finding) -> str:
    """`sitemap-3.xml:17`: the last part of a long name."""
    name = finding.source.rstrip("/").rpartition("/")[2] or finding.source
    return f"{name}:{finding.line}" if finding.line is not None else name
