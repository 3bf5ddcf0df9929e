"""A place in a document → whether expat takes everything from there to the end of the root."""

from __future__ import annotations

from pyexpat import ExpatError, ParserCreate

from urlset.reading import limits

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

    def holds(self, frame: bytes, start: int) -> bool:
        """Whether the data from `start`, inside the open tags of `frame`, are well-formed until the root is closed."""
        if start <= self.fault:
            return False
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
            self.fault = max(start, parser.ErrorByteIndex + base)
            return error.code in self._sound_codes
        return True
