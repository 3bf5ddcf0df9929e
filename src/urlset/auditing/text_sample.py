"""The number of pages to be asked → whose texts are kept, to learn from them what the site repeats on its pages.

What most pages say is known from a thousand of them as well as from all. Of the others only short pages are read word
for word: whatever a long one repeats, there is enough left that is its own.
"""

from __future__ import annotations

from zlib import crc32

ENOUGH = 1_000
FEWEST = 200
"""if fewer of the sample were requested, every text that was kept counts"""


class TextSample:
    """Every so many-th page, by the number it has in the store: the same ones when an audit is taken up again."""

    def __init__(self, pages: int) -> None:
        self._one_in = max(1, pages // ENOUGH)

    def __contains__(self, page: int) -> bool:
        return self._one_in == 1 or crc32(b"%d" % page) % self._one_in == 0
