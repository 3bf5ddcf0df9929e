"""Live rules × pages, media, and crawls → verdict; counts are exact, findings are capped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import msgspec

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.live_page import Comparison, LivePage, MediaAsset
from urlset.checking.page_signals import page_signals
from urlset.checking.placing import ProblemCollector
from urlset.checking.tree import DocumentSummary
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.findings.verdict import NotChecked, Verdict
from urlset.model.document import Document
from urlset.reading.read import read

_ORPHANS = "A036"


class LiveTally:
    """Checks any number of subjects; memory only grows with the findings."""

    def __init__(
        self,
        rules: Sequence[AnyRule],
        context: Context,
        *,
        overrides: dict[str, Severity] | None = None,
        leaves: Mapping[str, DocumentSummary] | None = None,
    ) -> None:
        """`leaves`: the sitemaps by the name findings use, for places and for suppressing comments; may grow."""
        self._rules: dict[type[object], list[AnyRule]] = {
            kind: [rule for rule in rules if rule.on is kind] for kind in (LivePage, MediaAsset, Comparison)
        }
        self._gathering = ProblemCollector(
            context, leaves if leaves is not None else {}, overrides or {}, by_source=True
        )
        self._ran: dict[str, AnyRule] = {}
        self._woken: dict[int, list[AnyRule]] = {}
        """by signals of a page: the rules that wait for one of them"""
        self._not_checked: dict[str, NotChecked] = {}

    @property
    def counts(self) -> Mapping[str, int]:
        return self._gathering.counts

    @property
    def severities(self) -> Mapping[str, int]:
        return self._gathering.severities

    def judge(self, page: LivePage) -> tuple[str, ...]:
        """The codes of the rules with findings, without suppressed ones."""
        rules = self._chosen(LivePage)
        signals = page_signals(page)
        woken = self._woken.get(signals)
        if woken is None:
            woken = self._woken[signals] = [rule for rule in rules if rule.when is None or rule.when & signals]
        return self._judged(woken, page, page.listing.source, page.url)

    def judge_media(self, asset: MediaAsset) -> tuple[str, ...]:
        return self._judged(self._chosen(MediaAsset), asset, asset.listing.source, asset.url)

    def compare(self, comparison: Comparison) -> None:
        """A rule on links that are mostly unknown counts as skipped, with the reasons."""
        self._judged(self._chosen(Comparison), comparison, "", None)
        why = comparison.no_orphans
        for rule in self._rules[Comparison] if why is not None else ():
            if rule.code == _ORPHANS:
                self._not_checked[rule.code] = NotChecked(rule.code, why or "")

    def verdict(self, *, reopen: Callable[[str], Document] = read) -> Verdict:
        """`reopen` reads a sitemap again, by the name findings use, to show places; raises OSError if it is gone."""
        return self._gathering.verdict(tuple(self._ran.values()), reopen, tuple(self._not_checked.values()))

    def _chosen(self, kind: type[object]) -> list[AnyRule]:
        rules = self._rules[kind]
        if rules and rules[0].code not in self._ran:
            self._ran.update((rule.code, rule) for rule in rules)
        return rules

    def _judged(self, rules: list[AnyRule], subject: object, source: str, url: str | None) -> tuple[str, ...]:
        return tuple(
            rule.code for rule in rules if self._gathering.judge(rule, partial(_problems, rule, subject, url), source)
        )


def _problems(rule: AnyRule, subject: object, url: str | None) -> Iterator[Problem]:
    """Each with its URL, which is not looked up for problems that are not shown at their place."""
    for problem in rule.check(subject):
        yield msgspec.structs.replace(problem, subject=url) if problem.subject is None else problem
