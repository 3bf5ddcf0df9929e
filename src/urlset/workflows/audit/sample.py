"""The listing of an audit → the sample that is requested, and what its findings say about all pages."""

from __future__ import annotations

from collections.abc import Mapping

from urlset.auditing.sample import Estimator, SampleSize, Strata
from urlset.auditing.store import AuditedUrl, AuditStore
from urlset.findings.card import Card
from urlset.model.visit import State, Visit
from urlset.reports.pages import EstimateRow

_NOT_JUDGED = frozenset({State.BLOCKED, State.UNKNOWN})


def strata_of(store: AuditStore) -> Strata:
    strata = Strata()
    for _, source, url in store.addresses():
        strata.add(source, url)
    return strata


def choose(store: AuditStore, wanted: SampleSize) -> None:
    """The same pages for the same listing: a resumed audit uses them again."""
    taker = strata_of(store).taker(wanted)
    store.choose(position for position, source, url in store.addresses() if taker.takes(source, url))


class Projection:
    """Counts every judged page, then projects the counts to all pages."""

    def __init__(self, store: AuditStore) -> None:
        strata = strata_of(store)
        self._estimator, self._of_every = Estimator(strata), Estimator(strata)
        self._describe_unjudged: set[str] = set()
        """reported for pages that could not be fetched: robots.txt disallows them, or they require a login"""

    def add(self, row: AuditedUrl, visit: Visit, codes: tuple[str, ...]) -> None:
        source, url = row.listed.source, row.listed.url
        self._of_every.add(source, url, codes)
        if visit.state in _NOT_JUDGED:
            self._describe_unjudged.update(codes)
        else:
            self._estimator.add(source, url, codes)

    @property
    def none_of(self) -> float | None:
        """The largest share of all pages that a fault can have which no page of the sample shows."""
        unseen = self._estimator.unseen()
        return None if unseen is None else unseen.high

    def rows(self, cards: Mapping[str, Card]) -> tuple[EstimateRow, ...]:
        """The most frequent first."""
        every = self._of_every.estimates()
        estimates = self._estimator.estimates() | {code: every[code] for code in self._describe_unjudged}
        found = [
            EstimateRow(
                f"{code} {cards[code].name}" if code in cards else code,
                each.seen,
                each.share,
                each.low,
                each.high,
                each.pages_low,
                each.pages_high,
            )
            for code, each in estimates.items()
        ]
        return tuple(sorted(found, key=lambda row: (-row.share, row.what)))
