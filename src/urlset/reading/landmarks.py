"""A place in a damaged document → the entries, comments and close tags near it, found in linear time altogether."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlset.model.place import Place, between
from urlset.reading.vocabulary import FIELD_NAMES
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from urlset.reading.seek import Seeker

_FIELD = lazy_pattern(
    rb"<(?:[\w.\x80-\xff-]+:)?(?:" + b"|".join(name.encode() for name in FIELD_NAMES) + rb")[\s>]", re.IGNORECASE
)


class Landmarks:
    """Asked at rising offsets, as a reader goes through the document."""

    def __init__(self, data: bytes, seeker: Seeker, rows: tuple[str, ...]) -> None:
        self._data = data
        self._seeker = seeker
        names = b"|".join(name.encode() for name in rows)
        self.row_start = re.compile(rb"<(?:[\w.\x80-\xff-]+:)?(?:" + names + rb")(?=[\s/>])", re.IGNORECASE)
        self._before = (-1, -1)
        """a place where an entry begins, and the last comment before it"""

    def next_start(self, at: int) -> int | None:
        """The next entry that is not inside a comment."""
        while (found := self._seeker.find(self.row_start, at)) != -1:
            if self._before[0] != found:
                self._before = (found, self._data.rfind(b"<!--", at, found))
            hidden = self._before[1]
            if hidden < at:
                return found
            end = self._seeker.find(b"-->", hidden)
            if end == -1 or end < found:
                return found
            at = end + 3
        return None

    def look_back(self, after: int, error: int) -> int | None:
        """The damaged beginning of an entry between the last good one and the error."""
        found = self.row_start.search(self._data, after, min(error + 16, len(self._data)))
        if found is not None and found.start() <= error:
            return found.start()
        field = _FIELD.search(self._data, after, error)
        return field.start() if field is not None else None

    def comment_around(self, at: int, error: int) -> Place | None:
        """The comment between entries that contains the error: it has -- inside."""
        while (start := self._data.find(b"<!--", at, error + 4)) != -1:
            end = self._seeker.find(b"-->", start + 4)
            if end == -1:
                return None
            inner = self._data[start + 4 : end]
            if end >= error - 3 and (b"--" in inner or inner.endswith(b"-")):
                return between(start, end + 3)
            at = end + 3
        return None
