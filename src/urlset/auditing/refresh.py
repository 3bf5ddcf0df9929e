"""A listing and what earlier runs saw → the pages to request now; the others keep what was seen."""

from __future__ import annotations

from datetime import UTC, datetime
from heapq import nsmallest

from urlset.auditing.store import AuditStore
from urlset.model.moment import Moment
from urlset.model.visit import State, Visit

_STEADY = frozenset({State.OK, State.REDIRECTED})
_NEVER = datetime.min.replace(tzinfo=UTC)


def refresh(store: AuditStore, most: int) -> None:
    """Request up to `most` pages: first new ones, then changed ones, then failed ones, then the longest unseen."""
    seen: dict[int, int] = {}
    ranked: list[tuple[int, datetime, int]] = []
    for position, page, lastmod, visit in store.listed_visits():
        if visit is not None:
            seen[position] = page
        ranked.append((*_rank(lastmod, visit), position))
    wanted = {position for *_, position in nsmallest(most, ranked)}
    store.choose(wanted | seen.keys())
    # a kill before `ready` lists anew
    store.keep_visits(page for position, page in seen.items() if position not in wanted)


def _rank(lastmod: str | None, visit: Visit | None) -> tuple[int, datetime]:
    if visit is None:
        return 0, _NEVER
    at = _time(visit.moment)
    covered = Moment.parse(lastmod).interval() if lastmod else None
    if covered is not None and covered[1] > at:
        return 1, at
    return (3 if visit.state in _STEADY else 2), at


def _time(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return _NEVER
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
