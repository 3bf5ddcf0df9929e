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

import re
import sys
import unicodedata
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple
from zlib import crc32

import msgspec

from urlset.model.page import PageFacts
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.page_facets import DATED_BY, Facet
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


def blocks_of(texts: Sequence[str], hashed: dict[str, int | None] | None = None) -> tuple[int, ...]:
    """The hashes of the texts that say something, in order. Their whitespace must be collapsed.

    `hashed` gets the hash of each.
    """
    blocks = [block_of(text) for text in texts]
    if hashed is not None:
        hashed.update(zip(texts, blocks, strict=True))
    return tuple([block for block in blocks if block is not None])


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
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
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


def content_blocks(
    texts: Sequence[str], main: Sequence[str], frame: Iterable[str], hashed: dict[str, int | None] | None = None
) -> tuple[int, ...]:
    """The blocks that decide whether a page changed: of its main element, else of the body without its `frame`.

    Of the whole body where that leaves no text. The whitespace of all texts must be collapsed.
    """
    if main and (found := blocks_of(main, hashed)):
        return (IN_MAIN, *found)
    around = frozenset(frame)
    if around and (found := blocks_of([text for text in texts if text not in around], hashed)):
        return (WITHOUT_FRAME, *found)
    return blocks_of(texts, hashed)


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
            limit = max(int(KNOWN_SHARE * self.pages), self._let_go + 1)
            self._settled = dict(self.common(limit + 1))
            self._let_go = limit
            self._fresh = Counter()

    def count(self, block: int) -> int:
        return self._fresh[block] + self._settled.get(block, self._let_go)

    def common(self, at_least: float) -> Iterator[tuple[int, int]]:
        """(block, pages) of the blocks on at least that many pages, in the order of the hashes."""
        if not self._settled and not self._let_go:  # as long as all are kept, which is most often
            return iter(sorted((block, count) for block, count in self._fresh.items() if count >= at_least))
        met = self._fresh.keys() | self._settled.keys()
        return ((block, count) for block in sorted(met) if (count := self.count(block)) >= at_least)


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


# The texts of a page → a sample of its word sequences, by which near duplicates are found.
#
# Each sequence of three words has a hash; the smallest ones are kept with the number of their block. What of them is
# not in a block that the site repeats is a uniform sample of the page's own sequences.

SKETCH = 256
"""sequences kept of one page: a share of 0.9 is measured with a standard error of 0.02"""
_SKETCHED_WORDS = 4_000
_BLOCKS = 255
"""numbered separately; the others share the last number"""
_MIXED = 0x9E3779B1


def sketch_of(texts: Sequence[str], counts: Sequence[int]) -> bytes:
    """Blocks that count no words, such as menus, are left out."""
    found: dict[int, int] = {}
    left = _SKETCHED_WORDS
    before: list[int] = []
    for number, (text, count) in enumerate(zip(texts, counts, strict=True)):
        if not count or left <= 0:
            continue
        words = [crc32(word.encode("utf-8", "replace")) for word in text.casefold().split()[:left]]
        left -= len(words)
        at = min(number, _BLOCKS)
        # a sequence that began in the block before belongs to this one, so short blocks have some too
        line = [*before, *words]
        for one, two, three in zip(line, line[1:], line[2:], strict=False):
            found.setdefault(((one ^ (two << 1) ^ (three << 2)) * _MIXED) & 0xFFFFFFFF, at)
        before = line[-2:]
    kept = sorted(found.items())[:SKETCH]
    return array("I", [each for each, _ in kept]).tobytes() + bytes(at for _, at in kept)


def own_sketch(sketch: bytes, boilerplate: Collection[int]) -> tuple[tuple[int, ...], bool]:
    """The hashes in ascending order, without those of blocks with these numbers; and whether it has all of the page."""
    count = len(sketch) // 5
    numbers = array("I", sketch[: 4 * count])
    own = tuple([each for each, at in zip(numbers, sketch[4 * count :], strict=True) if at not in boilerplate])
    return own, count < SKETCH


WITH_FACETS = hash_of("\x00facets follow")
_STATED = (Facet.IMAGES, Facet.DATA, Facet.PRICE, Facet.AVAILABILITY, Facet.RATING)
_MASK = 7
_PROSE = 5
"""the mark of the items that say which blocks are sentences"""
_PROSE_BITS = 60
_REPEATABLE = frozenset({Facet.IMAGES, Facet.DATA})
_SHOWN_ONLY = (Facet.PRICE, Facet.AVAILABILITY, Facet.RATING)
_LONGEST_SHOWN = 80
"""characters of a block that shows a price; a longer one says more"""
_LONGEST_AMOUNT = 40

_CURRENCY = r"(?:[$€£¥₹₽₺₩]|kr\.?|zł|chf|eur|usd|gbp|jpy|cad|aud|sek|nok|dkk|pln|czk|inr|brl)"
_AMOUNT = r"\d[\d.,'\u2019\s]*(?:[.,]-)?"
_ONLY_AMOUNT = lazy_pattern(rf"\W*(?:{_CURRENCY}\s*{_AMOUNT}|{_AMOUNT}\s*{_CURRENCY})\W*")
_STOCK = lazy_pattern(
    r"\b(?:in stock|out of stock|sold out|back ?order|pre-?order|discontinued|(?:not |un|no longer )?available"
    r"|auf lager|ausverkauft|(?:nicht )?lieferbar|vorrätig|vergriffen|en stock|épuisé|disponible|agotado|op voorraad"
    r"|uitverkocht|esaurito|disponibile)\b"
)
_STOCK_WORDS = (
    *("stock", "sold", "order", "discontinued", "available", "lager", "ausverkauft", "lieferbar", "vorrätig"),
    *("vergriffen", "épuisé", "disponible", "agotado", "voorraad", "uitverkocht", "esaurito", "disponibile"),
)
"""one of them is in every text that `_STOCK` finds"""
_DIGIT = lazy_pattern(r"\d")
_NUMBER = lazy_pattern(r"\d+(?:[.,'\u2019\s]\d+)*")

Blocks = tuple[int, ...]


def page_blocks(facts: PageFacts) -> Blocks:
    """What a build remembers of a page that was read with its facets; of its text only, where it was not."""
    hashed: dict[str, int | None] = {}
    text = content_blocks(facts.blocks, facts.main, facts.frame, hashed)
    return (*text, *facet_items(facts), *(_prose_items(text, facts, hashed) if facts.stated is not None else ()))


def changed_facets(
    before: Blocks | None, after: Blocks | None, boilerplate: Collection[int], counted: Collection[Facet] = DATED_BY
) -> tuple[Facet, ...] | None:
    """The facets that differ, of those that count; None when the page was not seen, then or now."""
    if before is None or after is None:
        return None
    (old_text, old), (new_text, new) = _split(before), _split(after)
    if old is None or new is None:
        return (Facet.TEXT,) if Facet.TEXT in counted and has_moved(old_text, new_text, boilerplate) else ()
    apart = {item & ~_MASK for item in old | new if _facet(item) in _SHOWN_ONLY}
    if apart:
        old_text, new_text = (
            tuple(each for each in text if each & ~_MASK not in apart) for text in (old_text, new_text)
        )
    different = {facet for item in old ^ new if (facet := _facet(item)) not in _REPEATABLE or item not in boilerplate}
    if has_moved(old_text, new_text, boilerplate):
        different.add(Facet.TEXT)
    return tuple(facet for facet in Facet if facet in different and facet in counted)


class Content(NamedTuple):
    """What is remembered of a page where its blocks are not."""

    text: int
    """the fingerprint of all its own text"""
    facets: tuple[int, ...] | None = None
    """for each facet 32 bits, 0 where the page states nothing; the text is that of its main element, without what shows
    a price, stock or rating; None where facets were not read"""


def facet_hashes(blocks: Blocks, main: Iterable[int], boilerplate: Collection[int]) -> tuple[int, ...] | None:
    """`main` are the blocks of the main content, of those before the mark."""
    found = _split(blocks)[1]
    if found is None:
        return None
    apart = {item & ~_MASK for item in found if _facet(item) in _SHOWN_ONLY}
    items: dict[Facet, list[int]] = {facet: [] for facet in _STATED}
    for item in sorted(found):
        if (facet := _facet(item)) not in _REPEATABLE or item not in boilerplate:
            items[facet].append(item)
    text = [block for block in main if block & ~_MASK not in apart]
    return tuple(_short(each) for each in (text, *items.values()))


def changed_content(before: Content | None, after: Content | None) -> tuple[Facet, ...] | None:
    """The facets that differ; None when the page was not seen, then or now.

    Text may look like a rating on one of the two only, so it has changed where both hashes say so.
    """
    if before is None or after is None:
        return None
    is_new = before.text != after.text
    if before.facets is None or after.facets is None:
        return (Facet.TEXT,) if is_new else ()
    pairs = zip(Facet, before.facets, after.facets, strict=False)
    return tuple(facet for facet, old, new in pairs if old != new and (is_new or facet is not Facet.TEXT))


def facet_items(facts: PageFacts) -> Blocks:
    """What follows the text blocks of a page; nothing where its facets were not read."""
    if not facts.stated:
        return () if facts.stated is None else (WITH_FACETS,)
    found = [(hash_of(said) & ~_MASK) | _STATED.index(facet) for facet, said in facts.stated]
    found += [(block & ~_MASK) | _STATED.index(facet) for block, facet in _shown(facts)]
    return (WITH_FACETS, *dict.fromkeys(found))


def _short(items: Sequence[int]) -> int:
    """32 bits, signed; 0 for nothing and only for that."""
    return (hash_of(pack(items)) & 0xFFFFFFFF) - 0x80000000 or 1 if items else 0


def text_of(blocks: Blocks) -> Blocks:
    return blocks[: blocks.index(WITH_FACETS)] if WITH_FACETS in blocks else blocks


def _split(blocks: Blocks) -> tuple[Blocks, frozenset[int] | None]:
    if WITH_FACETS not in blocks:
        return blocks, None
    at = blocks.index(WITH_FACETS)
    return blocks[:at], frozenset([item for item in blocks[at + 1 :] if item & _MASK != _PROSE])


def _facet(item: int) -> Facet:
    return _STATED[min(item & _MASK, len(_STATED) - 1)]


def _shown(facts: PageFacts) -> Iterator[tuple[int, Facet]]:
    """The text blocks that only show what the structured data states."""
    found = [(facet, said.rpartition("=")[2]) for facet, said in facts.stated or () if facet in _SHOWN_ONLY]
    if not found:
        return
    stated = {each: {said for facet, said in found if facet is each} for each in _SHOWN_ONLY}
    texts = [text for text in facts.main or facts.blocks if len(text) <= _LONGEST_SHOWN]
    in_stock = _stock_lines(texts) if stated[Facet.AVAILABILITY] else frozenset()
    for number, text in enumerate(texts):
        shown = _facet_shown(text, stated) or (Facet.AVAILABILITY if number in in_stock else None)
        if shown is not None and (block := block_of(text)) is not None:
            yield block, shown


def _stock_lines(texts: Sequence[str]) -> frozenset[int]:
    """The numbers of the texts that say whether something is in stock; a plain search finds the few to look at."""
    joined = "\n".join(texts).casefold()
    found: set[int] = set()
    for word in _STOCK_WORDS:
        at = joined.find(word)
        while at >= 0:
            start, end = joined.rfind("\n", 0, at) + 1, joined.find("\n", at)
            if _STOCK.search(joined, start, end if end >= 0 else len(joined)):
                found.add(joined.count("\n", 0, start))
            at = joined.find(word, end) if end >= 0 else -1
    return frozenset(found)


def _facet_shown(text: str, stated: dict[Facet, set[str]]) -> Facet | None:
    if _DIGIT.search(text) is None:
        return None
    numbers = {plain_number(each) for each in _NUMBER.findall(text)}
    if stated[Facet.PRICE] and (
        numbers & stated[Facet.PRICE]
        or (len(text) <= _LONGEST_AMOUNT and _ONLY_AMOUNT.fullmatch(text.casefold()) is not None)
    ):
        return Facet.PRICE
    return Facet.RATING if stated[Facet.RATING] & numbers else None


@lru_cache(maxsize=4096)
def plain_number(text: str) -> str:
    """One spelling for `1,299.00`, `1.299,00`, `1299` and `1 299.0`; other text as it is."""
    bare = re.sub(r"[\s'\u2019]", "", text)
    whole, point, part = bare, "", ""
    found = re.fullmatch(r"(\d{1,3}(?:[.,]\d{3})*|\d+)(?:([.,])(\d+))?", bare)
    if found is None:
        return text
    whole, point, part = found[1], found[2] or "", found[3] or ""
    whole, part = re.sub(r"[.,]", "", whole), part.rstrip("0")
    return f"{whole}.{part}" if point and part else whole


# The blocks of a page → one fingerprint to keep, and whether a page still is what a fingerprint was made of.
#
# A lock keeps no blocks, so what a site repeats is removed before the fingerprint is made, in each run by what that run
# sees. A block that crosses the share between two runs was kept then and is not now, or the other way round; such
# blocks are few on a page, and all ways to keep some of them are tried.

_UNSURE_SHARE = 0.1
_MOST_UNSURE = 6
_SENTENCE_END = (".", "!", "?", ":", ";", "…", "\u3002", "\uff01", "\uff1f")


class PageFingerprint(msgspec.Struct, frozen=True, order=True, gc=False):
    """`content` moves with anything that counts; `prose` only with sentences, which a template hardly has."""

    content: int
    prose: int


class RepeatedBlocks(NamedTuple):
    """What a site repeats, and what it may be said to repeat in another run."""

    boilerplate: frozenset[int] = frozenset()
    counts: Mapping[int, int] = {}
    """pages of each block that is on some"""
    pages: int = 0

    @classmethod
    def of(cls, counter: BlockCounter) -> RepeatedBlocks:
        common = counter.common(max(2, _UNSURE_SHARE * counter.pages))
        return cls(boilerplate_of(counter), dict(common), counter.pages)


def page_fingerprint(
    blocks: Blocks, boilerplate: Collection[int], counted: Collection[Facet] = DATED_BY
) -> PageFingerprint:
    text, stated = _split(blocks)
    return PageFingerprint(_content_hash(text, stated, boilerplate, counted), _prose_hash(blocks, boilerplate))


def is_same_content(
    known: int, blocks: Blocks, repeated: RepeatedBlocks, counted: Collection[Facet] = DATED_BY
) -> bool:
    """Whether the fingerprint was made of these blocks, whatever of them was boilerplate then."""
    text, stated = _split(blocks)
    items = text if stated is None else (*text, *stated)
    shared = {block: count for block in items if (count := repeated.counts.get(block)) is not None}
    return any(_content_hash(text, stated, removed, counted) == known for removed in _ways_to_remove(shared, repeated))


def _ways_to_remove(shared: Mapping[int, int], repeated: RepeatedBlocks) -> Iterator[Collection[int]]:
    """What another run may have taken for boilerplate: by other shares first, then any few blocks."""
    yield repeated.boilerplate
    for least in sorted(set(shared.values())):
        yield {block for block, count in shared.items() if count >= least}
    now = repeated.boilerplate.intersection(shared)
    limit = SHARE * repeated.pages
    unsure = sorted(shared, key=lambda block: (abs(shared[block] - limit), block))[:_MOST_UNSURE]
    for chosen in range(1, 1 << len(unsure)):
        yield now.symmetric_difference(block for number, block in enumerate(unsure) if chosen >> number & 1)


def _content_hash(
    text: Blocks, stated: frozenset[int] | None, boilerplate: Collection[int], counted: Collection[Facet]
) -> int:
    found: list[int] = []
    if stated is not None:
        apart = {item & ~_MASK for item in stated if _facet(item) in _SHOWN_ONLY}
        text = tuple([each for each in text if each & ~_MASK not in apart]) if apart else text
        found = sorted(
            item
            for item in stated
            if (facet := _facet(item)) in counted and not (facet in _REPEATABLE and item in boilerplate)
        )
    shown = main_blocks(text, boilerplate) if Facet.TEXT in counted else ()
    return hash_of(pack((*shown, WITH_FACETS, *found)))


def _prose_hash(blocks: Blocks, boilerplate: Collection[int]) -> int:
    """32 bits over the sentences of the page itself, in any order; 0 where it has none."""
    if WITH_FACETS not in blocks:
        return 0
    text = blocks[: blocks.index(WITH_FACETS)]
    bits = (item >> 3 for item in blocks[len(text) + 1 :] if item & _MASK == _PROSE)
    marks = ((part >> number) & 1 for part in bits for number in range(_PROSE_BITS))
    found = {block for block, mark in zip(text, marks, strict=False) if mark and block not in boilerplate}
    return hash_of(pack(sorted(found))) & 0xFFFFFFFF if found else 0


def _prose_items(text: Blocks, facts: PageFacts, hashed: Mapping[str, int | None]) -> Iterator[int]:
    """One bit for each text block, some in a number: whether it is a sentence."""
    prose = [each for each in facts.main or facts.blocks if _is_prose(each)]
    sentences = {hashed[each] if each in hashed else block_of(each) for each in prose}
    for start in range(0, len(text), _PROSE_BITS):
        part = text[start : start + _PROSE_BITS]
        yield sum([1 << number for number, block in enumerate(part) if block in sentences]) << 3 | _PROSE


def _is_prose(text: str) -> bool:
    if len(text) >= 120 or (words := text.count(" ") + 1) >= 12:
        return True
    return text.endswith(_SENTENCE_END) and (words >= 4 or len(text) >= 15)
