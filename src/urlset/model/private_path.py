"""The path of an address → the part that makes it a cart, a login or a search result, by the table of such paths."""

from __future__ import annotations

import msgspec

from urlset.spec.generator_artifacts import FIRST_PRIVATE_WORDS, LANGUAGE_SEGMENT, PRIVATE_PATHS
from urlset.spec.lazy_pattern import lazy_pattern

_ENDING = lazy_pattern(r"\.(?:x?html?|php|aspx?|jsp|do)\Z")


class PrivatePart(msgspec.Struct, frozen=True):
    start: int
    end: int
    """of the words in the path"""
    what: str
    """such as "a shopping cart" """


def private_part(path: str) -> PrivatePart | None:
    """The first segments of the path, after the language if there is one: `/cart.html`, `/en/users/sign_in`."""
    segments = path.split("/")
    if len(segments) < 2 or segments[0]:
        return None
    first = 2 if len(segments) > 2 and LANGUAGE_SEGMENT.fullmatch(segments[1]) else 1
    if not segments[first].isascii() or not _words(segments[first]) & FIRST_PRIVATE_WORDS:
        return None
    start = sum(len(segment) + 1 for segment in segments[:first])
    for length in (2, 1):
        words = "/".join(segments[first : first + length])
        what = next(filter(None, map(PRIVATE_PATHS.get, _words(words) if words.isascii() else ())), None)
        if what is not None:
            return PrivatePart(start, start + len(words), what)
    return None


def _words(written: str) -> set[str]:
    """As written, and without the ending of a page; in lowercase."""
    lower = written.lower()
    return {lower, _ENDING.sub("", lower)} if "." in lower else {lower}
