"""Words that keep an address or a field from being plain → tables for the compiled scanner.

checking/plain.py makes its patterns of the same words.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import NamedTuple

from urlset.spec import wild

PARAMETER_NAMES = (
    *wild.SESSION_PARAMETERS,
    *wild.AMBIGUOUS_SESSION_PARAMETERS,
    *wild.TRACKING_PARAMETERS,
    *wild.PAGE_PARAMETERS,
    *wild.FACET_PARAMETERS,
    *wild.SEARCH_PARAMETERS_AT_ROOT,
    "feed",
)
PARAMETER_PREFIXES = (*wild.SESSION_PREFIXES, *wild.TRACKING_PREFIXES, *wild.FACET_PREFIXES)
PAGE_ENDINGS = ("htm", "html", "php", "asp", "aspx", "jsp", "pdf")
FREQUENCIES = frozenset({b"daily", b"weekly", b"monthly", b"yearly"})
"""the others can contradict a date"""
REFERENCES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))
"""the ampersand last, so that what it uncovers stays as it is"""


class Packed(NamedTuple):
    """Words one behind the other in the order of their first bytes, and where to find them."""

    text: bytes
    offsets: array[int]
    firsts: array[int]
    """by first byte: the number of the first word that begins with it, or with a greater one"""
    pairs: bytes
    """by the first two bytes: whether any word begins with them"""
    folded: bool
    """to be compared in lower case"""
    whole: bool
    """counts only before a slash, a question mark or the end"""

    @property
    def first_bytes(self) -> bytes:
        return bytes({self.text[at] for at in self.offsets[:-1]})


def pack(words: Iterable[str], *, folded: bool = False, whole: bool = False) -> Packed:
    """Every word has at least two bytes."""
    ordered = sorted({word.encode() for word in words})
    offsets, firsts, pairs = array("q", [0]), array("q", [0] * 257), bytearray(65536)
    for word in ordered:
        offsets.append(offsets[-1] + len(word))
        pairs[word[0] * 256 + word[1]] = 1
        for byte in range(word[0] + 1, 257):
            firsts[byte] += 1
    return Packed(b"".join(ordered), offsets, firsts, bytes(pairs), folded, whole)


PRIVATE = pack(wild.FIRST_PRIVATE_WORDS, folded=True, whole=True)
RESIDUE = pack(
    ("undefined", "null", "nan", "none", "page/", "page-", "feed/", "comments/"), folded=True
)  # a little more than the patterns refuse: what is refused must not depend on the segment behind it
PARAMETERS = pack((*(f"{name}=" for name in PARAMETER_NAMES), *PARAMETER_PREFIXES))
NOTHING = pack(("undefined", "null", "NaN", "None"))
ENDINGS = pack((f".{ending}" for ending in PAGE_ENDINGS), whole=True)
