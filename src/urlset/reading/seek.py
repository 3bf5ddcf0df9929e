"""Where does the next `-->` stand? Asked at rising offsets, answered in linear time altogether."""

from __future__ import annotations

import re

from urlset.spec.lazy_pattern import lazy_pattern


class Seeker:
    """Remembers the last answer for each needle, so that hostile input cannot make searches quadratic."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._answers: dict[bytes | re.Pattern[bytes], tuple[int, int]] = {}

    def find(self, needle: bytes | re.Pattern[bytes], at: int) -> int:
        """The offset of the first `needle` at or behind `at`, or -1."""
        asked, answer = self._answers.get(needle, (0, -2))
        if asked <= at and (answer == -1 or at <= answer):
            return answer
        if isinstance(needle, bytes):
            answer = self._data.find(needle, at)
        else:
            match = needle.search(self._data, at)
            answer = -1 if match is None else match.start()
        self._answers[needle] = (at, answer)
        return answer

    def skip_misc(self, at: int) -> int:
        """Behind white space, comments and processing instructions (but not an XML declaration)."""
        data = self._data
        while True:
            space = _SPACE.match(data, at)
            assert space is not None
            at = space.end()
            if data.startswith(b"<!--", at):
                end = self.find(b"-->", at + 4)
            elif data.startswith(b"<?", at) and not _DECLARATION.match(data, at):
                end = self.find(b"?>", at + 2)
            else:
                return at
            if end == -1:
                return at
            at = end + (3 if data.startswith(b"-->", end) else 2)


_SPACE = lazy_pattern(rb"[ \t\r\n]*+")
_DECLARATION = lazy_pattern(rb"<\?xml[\s?]")
