"""A field without its entry around it → the tag in front of it that was meant to open the entry."""

from __future__ import annotations

from urlset.model.columns import Edit
from urlset.model.place import Place, between
from urlset.rules import Fix, Problem, Safety
from urlset.rules.quoting import quoted
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.misspelling import is_misspelled

_TAG = lazy_pattern(rb"<([A-Za-z_][\w.-]*+)>[ \t\r\n]*+\Z")
_BEFORE = 80
"""bytes in which the tag must be, with the whitespace behind it"""
_WITHIN = 16_384
"""bytes in which it must be closed"""


def misspelled_open_tag(data: bytes, at: int, meant: bytes) -> Place | None:
    start = max(0, at - _BEFORE)
    tag = _TAG.search(data[start:at])
    if tag is None or not is_misspelled(tag[1], meant):
        return None
    return between(start + tag.start(1), start + tag.end(1))


def misspelled_entry(data: bytes, at: int, meant: str) -> Problem | None:
    """For the first field of an entry with a wrong name, in well-formed XML."""
    opened = misspelled_open_tag(data, at, meant.encode())
    if opened is None:
        return None
    name = opened.cut(data)
    close = data.find(b"</" + name + b">", at, at + _WITHIN)
    if close == -1 or data.find(b"<" + name, at, close) != -1:
        return None
    written = name.decode("ascii")
    places = (opened, Place(close + 2, len(name)))
    fix = Fix(f"write {meant}", tuple(Edit(place, meant.encode()) for place in places), Safety.REVIEW)
    words = f"unknown element <{written}>, so engines do not find the entry; write <{meant}>"
    return Problem(Place(opened.offset - 1, len(name) + 2), words, fix)


def unopened_entry(data: bytes, at: int, opening: bytes | None, shown: str) -> Problem:
    """For the first field of an entry whose open tag is missing; `opening` is the tag that a fix adds."""
    wrong = None if opening is None else misspelled_open_tag(data, at, opening[1:-1])
    if wrong is None or opening is None:
        fix = None if opening is None else Fix("add the open tag", (Edit(Place(at), opening),), Safety.REVIEW)
        return Problem(Place(at), f"missing open tag {quoted(shown)}, so XML parsers stop here", fix)
    name = opening[1:-1]
    words = f"misspelled open tag {quoted(f'<{wrong.cut(data).decode()}>')}, so XML parsers stop here"
    fix = Fix("correct the open tag", (Edit(wrong, name),), Safety.REVIEW)
    return Problem(Place(wrong.offset - 1, wrong.length + 2), words, fix)
