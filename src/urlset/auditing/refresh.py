"""A listing and what earlier runs saw → the pages to request now; the others keep what was seen."""

from __future__ import annotations

from datetime import UTC, datetime
from heapq import nsmallest

import msgspec

from urlset.auditing.store import AuditStore
from urlset.model.moment import Moment
from urlset.model.visit import State, Visit

_LISTED = """
SELECT p.position, p.id, p.lastmod, v.visit FROM pages p LEFT JOIN visits v ON v.page = p.id
WHERE p.run = ? AND p.kind = 0"""
_STEADY = frozenset({State.OK, State.REDIRECTED})
_NEVER = datetime.min.replace(tzinfo=UTC)
_visit_in = msgspec.msgpack.Decoder(Visit).decode


def refresh(store: AuditStore, most: int) -> None:
    """Request up to `most` pages: first new ones, then changed ones, then failed ones, then the longest unseen."""
    seen: dict[int, int] = {}
    ranked: list[tuple[int, datetime, int]] = []
    for position, page, lastmod, visit in store.connection.execute(_LISTED, (store.run,)):
        if visit is not None:
            seen[position] = page
        ranked.append((*_rank(lastmod, None if visit is None else _visit_in(visit)), position))
    wanted = {position for *_, position in nsmallest(most, ranked)}
    store.choose(wanted | seen.keys())
    kept = ((store.run, page) for position, page in seen.items() if position not in wanted)
    store.connection.execute("BEGIN IMMEDIATE")  # a kill before `ready` lists anew
    store.connection.executemany("UPDATE visits SET run = ?, again = 0 WHERE page = ?", kept)
    store.connection.execute("COMMIT")


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
