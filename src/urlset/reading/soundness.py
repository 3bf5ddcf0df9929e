"""A place in a document → whether expat takes everything from there to the end of the root."""

from __future__ import annotations

from pyexpat import ExpatError, ParserCreate
from typing import TYPE_CHECKING

from urlset.reading import limits
from urlset.reading.frame import opened_ahead
from urlset.reading.reference import UNBOUND_PREFIX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlset.reading.frame import OpenTag

_AFTER_ROOT = 9
_NOT_CLOSED = 3
"""expat's codes for junk after the document element, which says that the root itself is sound, and for its absence"""


class Soundness:
    """Asked at rising offsets, answered in linear time altogether: no stretch is parsed twice."""

    def __init__(self, data: bytes, *, rootless: bool) -> None:
        self._data = data
        self._sound_codes = (_AFTER_ROOT, _NOT_CLOSED) if rootless else (_AFTER_ROOT,)
        self.fault = -1
        """no stretch that begins here or before is well-formed to the end of its root"""

    def rule_out(self) -> None:
        """From here on it is not worth knowing."""
        self.fault = len(self._data)

    def holds(self, tags: Sequence[OpenTag], start: int) -> bool:
        """Whether the data from `start`, inside these open tags, are well-formed until the root is closed."""
        if start <= self.fault:
            return False
        reach, answer = limits.FIRST_CHUNK, None
        while answer is None:
            answer = self._parse(*opened_ahead(tags, self._data, start, reach), start)
            reach *= 4
        return answer

    def _parse(self, frame: bytes, until: int, start: int) -> bool | None:
        """None where a prefix is not declared behind `until`."""
        parser = ParserCreate("utf-8", " ")
        view = memoryview(self._data)
        base = start - len(frame)
        try:
            parser.Parse(frame)
            for at in range(start, len(self._data), limits.CHUNK):
                parser.Parse(view[at : at + limits.CHUNK])
                if at - (parser.CurrentByteIndex + base) > limits.MAX_TOKEN:
                    self.fault = at
                    return False
            parser.Parse(b"", True)
        except ExpatError as error:
            fault = max(start, parser.ErrorByteIndex + base)
            if error.code == UNBOUND_PREFIX and fault >= until:
                return None
            self.fault = fault
            return error.code in self._sound_codes
        return True
