"""What a page says, now and in the last build → the parts of it that changed.

After the hashes of the text blocks come `WITH_FACETS` and one hash for each key image and each stated fact, its
lowest bits naming the facet. A page recorded without that mark, by an older version, is compared by its text alone.

A text block that shows the stated price, stock or rating stays among the blocks and is named again behind the mark:
it then counts as that facet and not as text. Images and data that the site repeats are boilerplate, as text is. The
others are never: half of a shop may cost the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from urlset.model.page import PageFacts
from urlset.reading.fingerprint import block_of, content_blocks, has_moved, hash_of, pack
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.page_facets import DATED_BY, Facet

WITH_FACETS = hash_of("\x00facets follow")
_STATED = (Facet.IMAGES, Facet.DATA, Facet.PRICE, Facet.AVAILABILITY, Facet.RATING)
_MASK = 7
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
    return (*content_blocks(facts.blocks, facts.main, facts.frame), *facet_items(facts))


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
    if facts.stated is None:
        return ()
    found = [_tagged(hash_of(said), facet) for facet, said in facts.stated]
    found += [_tagged(block, facet) for block, facet in _shown(facts)]
    return (WITH_FACETS, *dict.fromkeys(found))


def _short(items: Sequence[int]) -> int:
    """32 bits, signed; 0 for nothing and only for that."""
    return (hash_of(pack(items)) & 0xFFFFFFFF) - 0x80000000 or 1 if items else 0


def text_of(blocks: Blocks) -> Blocks:
    return _split(blocks)[0]


def _split(blocks: Blocks) -> tuple[Blocks, frozenset[int] | None]:
    if WITH_FACETS not in blocks:
        return blocks, None
    at = blocks.index(WITH_FACETS)
    return blocks[:at], frozenset(blocks[at + 1 :])


def _tagged(block: int, facet: Facet) -> int:
    return (block & ~_MASK) | _STATED.index(facet)


def _facet(item: int) -> Facet:
    return _STATED[min(item & _MASK, len(_STATED) - 1)]


def _shown(facts: PageFacts) -> Iterator[tuple[int, Facet]]:
    """The text blocks that only show what the structured data states."""
    stated: dict[Facet, set[str]] = {facet: set() for facet in _SHOWN_ONLY}
    for facet, said in facts.stated or ():
        if facet in stated:
            stated[facet].add(said.rpartition("=")[2])
    if not any(stated.values()):
        return
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
