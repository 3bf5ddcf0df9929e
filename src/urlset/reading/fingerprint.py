"""The text blocks of a page → 64-bit hashes, and whether its main content moved, blind to what the site repeats.

A block is boilerplate when it is on more than `share` of the pages met and on at least `minimum_pages` of
them. A site smaller than that minimum has boilerplate only where all its pages, two at least, agree. So a page's
own text never counts as boilerplate, even on a small site.

Two builds of a page are compared after both were stripped of the same boilerplate: what was such in the last
build, and what is such in this one. A footer that is swapped for another on every page, a banner that spreads
from a tenth of the site to all of it, and a block that drifts across the share therefore move nothing. That
needs the blocks of the last build, so the ledger keeps them; the fingerprint alone could not tell.

Where a page has a main element only that element is hashed, and where it marks its navigation, site header, footer or
aside, those are left out; then `IN_MAIN` or `WITHOUT_FRAME` comes first. A page that gains or loses such marks is
compared by what both versions hold: the narrower must be found, in order, in the wider.

Hashes are signed, as SQLite keeps integers.
"""

from __future__ import annotations

import sys
import unicodedata
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from hashlib import blake2b

from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.relative_dates import LONGEST, SAYS_HOW_LONG_AGO

SHARE = 0.3
MINIMUM_PAGES = 4
KNOWN_SHARE = 0.05
"""below this share nothing is remembered about a block; also the largest error of a full counter"""
MOST_DISTINCT = 300_000
"""blocks counted exactly at a time; about 40 MB"""

# a view count, a page number, a lone year: "1,204", "(3)", "# 7". A price is not a counter: "19.99", "€ 20".
_EDGE = r"[\s()\[\]{}#·•|:+-]*"
_COUNTER = lazy_pattern(rf"{_EDGE}\d+(?:[.,'\u2019\s]\d{{3}})*{_EDGE}")


def blocks_of(texts: Iterable[str]) -> tuple[int, ...]:
    """The hashes of the texts that say something, in order. Their whitespace must be collapsed."""
    return tuple([block for block in map(block_of, texts) if block is not None])


def block_of(text: str) -> int | None:
    """The hash of a text with collapsed whitespace; case does not count.

    None for a bare counter or ornament, and for a text such as "3 days ago".
    """
    folded = text.casefold()
    if not folded.isascii():
        folded = unicodedata.normalize("NFC", folded)
    if len(folded) > LONGEST or (_speaks(folded) and not SAYS_HOW_LONG_AGO.fullmatch(folded)):
        return hash_of(folded)
    return None


def hash_of(text: str | bytes) -> int:
    """64 bits, the same on every machine and in every run."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big", signed=True)


def hashes_of(texts: Iterable[str]) -> array[int]:
    """The same of many."""
    found = array(
        "q", b"".join(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts)
    )
    if sys.byteorder == "little":
        found.byteswap()
    return found


def _speaks(text: str) -> bool:
    return text[:1].isalpha() or (any(map(str.isalnum, text)) and not _COUNTER.fullmatch(text))


IN_MAIN = hash_of("\x00only the main element")
WITHOUT_FRAME = hash_of("\x00all but the frame")
"""the first block of a page of which only a part was hashed; no text has such a hash"""
_NARROWNESS = {WITHOUT_FRAME: 1, IN_MAIN: 2}


def content_blocks(texts: Sequence[str], main: Sequence[str], frame: Iterable[str]) -> tuple[int, ...]:
    """The blocks that decide whether a page changed: of its main element, else of the body without its `frame`.

    Of the whole body where that leaves no text. The whitespace of all texts must be collapsed.
    """
    if found := blocks_of(main):
        return (IN_MAIN, *found)
    around = frozenset(frame)
    if around and (found := blocks_of([text for text in texts if text not in around])):
        return (WITHOUT_FRAME, *found)
    return blocks_of(texts)


class BlockCounter:
    """On how many pages each block is; exact while the distinct blocks are few enough to be kept.

    Beyond `most_distinct` the rare ones are let go. A block met again may then be counted too high, by at most
    `KNOWN_SHARE` of the pages, and never too low: no boilerplate is missed.
    """

    def __init__(self, most_distinct: int = MOST_DISTINCT) -> None:
        self.pages = 0
        self._most_distinct = most_distinct
        self._settled: dict[int, int] = {}
        self._fresh: Counter[int] = Counter()
        self._let_go = 0
        """no block outside `_settled` stood on more pages than this before `_fresh` began"""

    def add(self, blocks: Iterable[int]) -> None:
        """Count one page, each of its blocks once."""
        self.pages += 1
        self._fresh.update(set(blocks))
        if len(self._fresh) > self._most_distinct:
            self._settle()

    def count(self, block: int) -> int:
        return self._fresh[block] + self._settled.get(block, self._let_go)

    def common(self, at_least: float) -> Iterator[tuple[int, int]]:
        """(block, pages) of the blocks on at least that many pages, in the order of the hashes."""
        if not self._settled and not self._let_go:  # as long as all are kept, which is most often
            return iter(sorted((block, count) for block, count in self._fresh.items() if count >= at_least))
        met = self._fresh.keys() | self._settled.keys()
        return ((block, count) for block in sorted(met) if (count := self.count(block)) >= at_least)

    def _settle(self) -> None:
        limit = max(int(KNOWN_SHARE * self.pages), self._let_go + 1)
        self._settled = dict(self.common(limit + 1))
        self._let_go = limit
        self._fresh = Counter()


def is_boilerplate(count: int, pages: int, share: float = SHARE, minimum_pages: int = MINIMUM_PAGES) -> bool:
    return count > share * pages and count >= max(2, min(minimum_pages, pages))


def boilerplate_of(counter: BlockCounter, share: float = SHARE, minimum_pages: int = MINIMUM_PAGES) -> frozenset[int]:
    """The boilerplate among the pages counted; join it with what the ledger remembers."""
    return frozenset(
        block
        for block, count in counter.common(share * counter.pages)
        if is_boilerplate(count, counter.pages, share, minimum_pages)
    )


def main_blocks(blocks: Iterable[int], boilerplate: Collection[int]) -> tuple[int, ...]:
    if not boilerplate:
        return tuple([block for block in blocks if block not in _NARROWNESS])
    return tuple([block for block in blocks if block not in boilerplate and block not in _NARROWNESS])


def main_fingerprint(blocks: Iterable[int], boilerplate: Collection[int]) -> int:
    """64 bits over the main content, in its order; one constant for a page without any."""
    return hash_of(pack(main_blocks(blocks, boilerplate)))


def has_moved(
    before: tuple[int, ...] | None, after: tuple[int, ...] | None, boilerplate: Collection[int]
) -> bool | None:
    """Whether the main content changed; None when one of the two was not seen."""
    if before is None or after is None:
        return None
    old, new = main_blocks(before, boilerplate), main_blocks(after, boilerplate)
    then, now = (_NARROWNESS.get(blocks[0], 0) if blocks else 0 for blocks in (before, after))
    if then == now:
        return old != new
    part, whole = (new, old) if now > then else (old, new)
    rest = iter(whole)
    return not all(block in rest for block in part)


def pack(blocks: Iterable[int]) -> bytes:
    """As the ledger keeps them: eight bytes each, lowest first."""
    numbers = array("q", blocks)
    if _BIG_ENDIAN:
        numbers.byteswap()
    return numbers.tobytes()


def unpack(packed: bytes) -> tuple[int, ...]:
    numbers = array("q", packed)
    if _BIG_ENDIAN:
        numbers.byteswap()
    return tuple(numbers)


_BIG_ENDIAN = array("q", [1]).tobytes()[0] == 0
