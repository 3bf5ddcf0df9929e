"""A needle such as `-->` → its next offset; queries at rising offsets take linear time in total."""

from __future__ import annotations

import re


class Seeker:
    """Remembers the last answer for each needle, so hostile input cannot make searches quadratic."""

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
