"""Troubles → the edits with which the reader got past them, and the entries it could not save."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator

from urlset.checking.subjects import Sitemap
from urlset.model.columns import Edit
from urlset.model.place import Place
from urlset.model.trouble import Trouble, TroubleKind


def with_edits(sitemap: Sitemap, *kinds: TroubleKind) -> Iterator[tuple[Trouble, Edit | None]]:
    """The troubles of these kinds, each with the edit that mends it where an entry was saved by one."""
    if not any(trouble.kind in kinds for trouble in sitemap.document.troubles):
        return
    left = {row: deque(edits) for row, edits in sitemap.columns.edits.items()}
    for trouble in sitemap.document.troubles:
        edit = None if trouble.row is None else _next_at(left.get(trouble.row), trouble.place)
        if trouble.kind in kinds:
            yield trouble, edit


def _next_at(edits: deque[Edit] | None, place: Place) -> Edit | None:
    """Troubles and edits of a row stand in the same order, but not every edit has its trouble."""
    while edits:
        edit = edits.popleft()
        if edit.place == place:
            return edit
    return None


def cost_of(sitemap: Sitemap) -> Callable[[Place], str]:
    """What to add to a message about a place: that the entry around it could not be read, if so."""
    lost = [trouble.place for trouble in sitemap.troubles(TroubleKind.ENTRY_LOST)]
    starts = [place.offset for place in lost]

    def cost(place: Place) -> str:
        at = bisect_right(starts, place.offset) - 1
        return "; the entry around it cannot be read" if at >= 0 and place.offset <= lost[at].end else ""

    return cost
