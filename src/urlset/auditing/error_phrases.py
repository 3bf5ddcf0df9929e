"""The text of a page → the sentences in it that error pages and empty lists have, with their weight."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from urlset.auditing.page_text import PageText
from urlset.auditing.words import words_in
from urlset.model.visit import Saying
from urlset.reading.fingerprint import block_of
from urlset.spec.error_phrases import says_empty, says_not_found

# No colon: what follows one belongs to it, "Not found: a life".
_SEPARATORS = re.compile(r"\s+[|\-\u2013\u2014\u00b7\u2022\u00bb\u00ab]+\s+|[|\u00b7\u2022\u00bb\u00ab]")
_NUMBER = re.compile(r"\b4(?:04|10)\b")
"""alone it may be a year, a model, a house"""
_LOOKED_AT = 60
"""sentences from the beginning"""
_SHOWN = 80


def error_phrases_in(text: PageText) -> Iterator[Saying]:
    """At most one of the title, one of the heading, and one of each kind of the text."""
    title, heading = text.facts.title or "", text.facts.heading or ""
    in_title, in_heading = map(_weight_of_heading, (title, heading))
    if in_title:
        yield Saying(title[:_SHOWN], None, in_title)
    if in_heading:
        # most titles are the heading again, which says it no louder
        yield Saying(heading[:_SHOWN], None, in_heading if not in_title else min(in_heading, 1.5))
    folded_heading = heading.casefold()
    # a menu entry has two words; without spaces the number is unknown
    sentences = (block for block in text.own if block.count(" ") >= 2 or not block.isascii())
    looked_at = [
        (block, folded) for block in islice(sentences, _LOOKED_AT) if (folded := block.casefold()) != folded_heading
    ]
    for pattern, weight, most in ((says_not_found(), 1.5, 40), (says_empty(), 2.8, 25)):
        found = next((block for block, folded in looked_at if _says(pattern, block, folded, most)), None)
        if found is not None:
            yield Saying(found[:_SHOWN], block_of(found), weight, words_in(found))


def _weight_of_heading(said: str) -> float:
    """About 3 where a part of it says nothing else, about 1 where it is among other words."""
    best = 0.0
    for part in _SEPARATORS.split(said[:300].casefold()):
        for pattern, whole, part_of in ((says_not_found(), 3.0, 1.2), (says_empty(), 3.0, 1.2), (_NUMBER, 2.0, 0.4)):
            match = pattern.search(part)
            if match is not None:
                share = (match.end() - match.start()) / max(1, len(part.strip()))
                best = max(best, whole if share >= 0.4 else part_of)
    return best


def _says(pattern: re.Pattern[str], block: str, folded: str, most: int) -> bool:
    return words_in(block) <= most and pattern.search(folded) is not None
