"""Entries of forms that the reference reader has read once → columns, without reading them once more.

Values that are made of legal characters and references do not change what the markup around them means. So the
reference reader is given one entry of each form, with a number in place of each value, and its answer says which value
is which field.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from urlset.model.columns import TEXTS, Columns, EntryFields, Mark
from urlset.model.place import Place
from urlset.reading import limits
from urlset.reading.forms import BEFORE, HOLE, form_of, split, template
from urlset.reading.outcome import Stop
from urlset.reading.reference import Pass
from urlset.reading.vocabulary import NamespaceMap
from urlset.spec.lazy_pattern import lazy_pattern

MOST_FORMS, LONGEST_FORM = 1 << 10, 1 << 14
FEW_FORMS = 32
"""that are read at once; any other must have been worth it"""
_GAP = rb"(?:[ \t\r\n]++|<!--[^-]*+(?:-(?!-)[^-]*+)*+-->)*+"
_LEGAL = bytes({*range(32, 256), *b"\t\r\n"})
_ODD_REFERENCE = lazy_pattern(
    rb"&(?!(?:amp|lt|gt|quot|apos|#(?:3[2-9]|[4-9][0-9]|[1-9][0-9]{2,3}|x[2-9A-F][0-9A-F]|x[1-9A-C][0-9A-F]{3}));)"
)
"""none of those that are known to be a legal character"""
_REFERENCE = lazy_pattern(r"&(?:#([0-9]+)|#x([0-9A-F]+)|([a-z]+));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_COMMENT_OPEN, _COMMENT_CLOSE = b"<!--", b"-->"
_Field = tuple[str, int, str] | str | None


class RowForm(NamedTuple):
    """What is known of all entries of one form."""

    mark: int
    fields: tuple[_Field, ...]
    """the place of a value with the whitespace around it, or the text itself"""
    verbatim: frozenset[int]
    """places of comments and sections"""
    commented: bool


class RowForms:
    """Of one root."""

    def __init__(self, data: bytes, row: bytes, frame: bytes, namespace_map: NamespaceMap, limit: int) -> None:
        self._data = data
        self._frame = frame
        self._namespace_map = namespace_map
        self._limit = limit
        self._open = re.compile(_GAP + rb"(<" + re.escape(row) + rb"[ \t\r\n>])")
        self._close = b"</" + row + b">"
        self._known: dict[bytes, RowForm | None] = {}
        self._taken = 0

    def take(self, at: int, columns: Columns) -> int:
        """Append the entry at `at`; the offset behind it, or `at` when the reference reader has to read it."""
        opened = self._open.match(self._data, at)
        if opened is None:
            return at
        close = self._data.find(self._close, opened.end(), min(self._limit, at + limits.MAX_TOKEN))
        if close == -1:
            return at
        end = close + len(self._close)
        written = self._data[at:end]
        parts = split(written)
        form = self._form(parts)
        if form is None or not _are_harmless(written, parts, form.verbatim):
            return at
        texts = (_text(field, parts, form.verbatim) for field in form.fields)
        columns.append(EntryFields(opened.start(1), end, form.mark, *texts))
        if form.commented:
            columns.comments += _comments(at, parts)
        self._taken += 1
        return end

    def _form(self, parts: list[bytes]) -> RowForm | None:
        key = form_of(parts)
        if key in self._known:
            return self._known[key]
        if len(self._known) >= min(MOST_FORMS, FEW_FORMS + self._taken // 8) or len(key) > LONGEST_FORM:
            return None
        self._known[key] = form = self._read(key, parts)
        return form

    def _read(self, key: bytes, parts: list[bytes]) -> RowForm | None:
        """What the reference reader says of the form; None when it has to read each entry."""
        verbatim = frozenset(place for place in range(1, len(parts), 2) if parts[place + 1][:1] in (b"]", b"-"))
        if b"xmlns" in key or b"<?" in key or key.count(b"<!") != len(verbatim):
            return None
        text, columns, odd = template(parts), Columns(), list[Place | int]()
        reader = Pass(text, self._frame, self._namespace_map, columns, stray=odd.append, misplaced=odd.append)
        outcome = reader.run(0, len(text), rows=1)
        if outcome.stop is not Stop.ENOUGH or outcome.at != len(text) or odd or reader.containers:
            return None
        mark, read = columns.marks[0], [getattr(columns, name)[0] for name in TEXTS]
        if mark & Mark.IRREGULAR or any(text and len(HOLE.findall(text)) > 1 for text in read):
            return None
        return RowForm(mark, tuple(map(_field, read)), verbatim, bool(columns.comments))


def _field(text: str | None) -> _Field:
    hole = HOLE.search(text) if text else None
    return text if hole is None else (hole.string[: hole.start()], int(hole[1]), hole.string[hole.end() :])


def _are_harmless(written: bytes, parts: Sequence[bytes], verbatim: Collection[int]) -> bool:
    """Whether nothing in the values changes what the markup says."""
    if written.translate(None, _LEGAL):
        return False
    if verbatim:
        written = b"\0".join(parts[place] for place in range(1, len(parts), 2) if place not in verbatim)
    return b"]]>" not in written and (b"&" not in written or not _ODD_REFERENCE.search(written))


def _text(field: _Field, parts: Sequence[bytes], verbatim: Collection[int]) -> str | None:
    if not isinstance(field, tuple):
        return field
    before, place, behind = field
    text = parts[place].decode()
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "&" in text and place not in verbatim:
        text = _REFERENCE.sub(_character, text)
    return before + text + behind


def _character(reference: re.Match[str]) -> str:
    decimal, hexadecimal, name = reference.groups()
    return _NAMED[name] if name else chr(int(decimal) if decimal else int(hexadecimal, 16))


def _comments(at: int, parts: Sequence[bytes]) -> Iterator[Place]:
    for place in range(1, len(parts), 2):
        at += len(parts[place - 1]) + len(BEFORE[parts[place + 1][:1]])
        if parts[place + 1].startswith(_COMMENT_CLOSE):
            yield Place(at - len(_COMMENT_OPEN), len(_COMMENT_OPEN + parts[place] + _COMMENT_CLOSE))
        at += len(parts[place])
