"""A JSON Feed (version 1 or 1.1) → columns: the URL and date of each item.

The syntax is checked token by token, without recursion and without converting numbers, so nesting and huge values cost
nothing. Each item has its place in the file.
"""

from __future__ import annotations

import json
import re
from enum import Enum
from itertools import islice

from urlset.model.columns import Columns
from urlset.model.document import Contents
from urlset.model.place import Place, between
from urlset.model.trouble import Trouble, TroubleKind, Troubles
from urlset.reading import limits
from urlset.reading.decode import bad_utf8
from urlset.spec.lazy_pattern import lazy_pattern

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_OPENING = lazy_pattern(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*+\{")
_VERSION = lazy_pattern(rb'"version"\s*+:\s*+"https?:\\?/\\?/(?:www\.)?jsonfeed\.org\\?/version\\?/1', re.IGNORECASE)
_SPACE = lazy_pattern(rb"[ \t\r\n]*+")
_TOKEN = lazy_pattern(
    rb'(?P<string>"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+")'
    rb"|(?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)"
    rb"|(?P<word>true|false|null)"
    rb"|[][{}:,]"
)
_ADDRESS = re.compile(r"https?://\S", re.IGNORECASE)
_CLOSING = {b"{": b"}", b"[": b"]"}
_SHOWN = 40
_BAD_BYTES = 1000
_FIELDS = frozenset({b'"url"', b'"id"', b'"date_modified"', b'"date_published"'})
_ITEM_DEPTH = 3
"""root object, array of items, item"""


class _Next(Enum):
    """What may come next; the value is for messages."""

    VALUE = "a value"
    VALUE_OR_END = "a value or ']'"
    KEY = "a name in quotes"
    KEY_OR_END = "a name in quotes or '}'"
    COLON = "':'"
    COMMA_OR_END = "',' or the closing bracket"
    NOTHING = "nothing more"


def recognizes(data: bytes) -> bool:
    """An object with the version of the format; PHP writes its slashes as `\\/`."""
    return _OPENING.match(data) is not None and _VERSION.search(data) is not None


def read(data: bytes) -> Contents:
    """Never raises. Reading stops at the first syntax error; the items before it are kept."""
    reader = _FeedReader(data)
    reader.run()
    for start, end in islice(bad_utf8(data), _BAD_BYTES):
        reader.troubles.append(Trouble(TroubleKind.BAD_UTF8, between(start, end), data[start:end][:8].hex(" ").upper()))
    return Contents(reader.columns, reader.troubles)


class _FeedReader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.columns = Columns()
        self.troubles = Troubles()
        self._open: list[bytes] = []
        self._next = _Next.VALUE
        self._key = b""
        self._in_items = False
        """inside the array of the root's `items`"""
        self._start = 0
        self._fields: dict[bytes, str] = {}

    def run(self) -> None:
        data, space, token_at = self._data, _SPACE.match, _TOKEN.match
        at = len(_BYTE_ORDER_MARK) if data.startswith(_BYTE_ORDER_MARK) else 0
        while (gap := space(data, at)) is not None and (at := gap.end()) < len(data):
            token = token_at(data, at)
            if token is None or not self._take(token, at):
                self._fail(at)
                return
            if len(self._open) > limits.MAX_DEPTH:
                detail = f"JSON: more than {limits.MAX_DEPTH} levels"
                self.troubles.append(Trouble(TroubleKind.MALFORMED, Place(at, 1), detail))
                return
            if len(self.columns.starts) >= limits.MAX_ROWS:
                self.troubles.append(Trouble(TroubleKind.TOO_MANY_ENTRIES, Place(at, 1)))
                return
            at = token.end()
        if self._next is not _Next.NOTHING:
            self._fail(at)

    def _fail(self, at: int) -> None:
        shown = self._data[at : at + _SHOWN].decode("utf-8", "replace").partition("\n")[0]
        found = f"found {shown!r}" if at < len(self._data) else "the file ends"
        place = Place(at, min(1, len(self._data) - at))
        self.troubles.append(Trouble(TroubleKind.MALFORMED, place, f"JSON: expected {self._next.value}, {found}"))

    def _take(self, token: re.Match[bytes], at: int) -> bool:
        """One token; False if it may not come here."""
        text, expected = token.group(), self._next
        if text in (b"}", b"]"):
            ends = (_Next.COMMA_OR_END, _Next.KEY_OR_END if text == b"}" else _Next.VALUE_OR_END)
            if self._next not in ends or not self._open or _CLOSING[self._open[-1]] != text:
                return False
            if self._in_items and len(self._open) == _ITEM_DEPTH:
                self._add_item(at + 1)
            self._open.pop()
            if len(self._open) == 1:
                self._in_items = False
            self._after_value()
            return True
        if text == b"," and expected is _Next.COMMA_OR_END:
            self._next = _Next.KEY if self._open[-1] == b"{" else _Next.VALUE
        elif text == b":" and expected is _Next.COLON:
            self._next = _Next.VALUE
        elif token["string"] is not None and expected in (_Next.KEY, _Next.KEY_OR_END):
            self._key, self._next = text, _Next.COLON
        elif text not in (b",", b":") and expected in (_Next.VALUE, _Next.VALUE_OR_END):
            self._value(token, at)
            if text in _CLOSING:
                self._open.append(text)
                self._next = _Next.KEY_OR_END if text == b"{" else _Next.VALUE_OR_END
            else:
                self._after_value()
        else:
            return False
        return True

    def _after_value(self) -> None:
        self._next = _Next.COMMA_OR_END if self._open else _Next.NOTHING

    def _value(self, token: re.Match[bytes], at: int) -> None:
        """The beginning of a value: what it means depends on where it is."""
        depth, text = len(self._open), token.group()
        if depth == 1 and self._key == b'"items"':
            self._in_items = text == b"["
            if not self._in_items:
                detail = "JSON: the items are not an array"
                self.troubles.append(Trouble(TroubleKind.MALFORMED, between(*token.span()), detail))
        elif depth == _ITEM_DEPTH - 1 and self._in_items:
            self._start, self._fields = at, {}
            if text != b"{":
                lost = Trouble(TroubleKind.ENTRY_LOST, between(*token.span()), "not an object")
                self.troubles.append(lost)
        elif depth == _ITEM_DEPTH and self._in_items and self._open[-1] == b"{" and self._key in _FIELDS:
            self._fields.pop(self._key, None)
            if token["string"] is not None and len(text) <= limits.MAX_TOKEN:
                self._fields[self._key] = _text_of(text)

    def _add_item(self, end: int) -> None:
        """`url` is the page; `id` may be its URL; `external_url` is another page that the item is about."""
        if self._open[-1] != b"{":
            return
        fields, columns = self._fields, self.columns
        named = fields.get(b'"id"', "")
        columns.locs.append(fields.get(b'"url"') or (named if _ADDRESS.match(named) else None))
        columns.lastmods.append(fields.get(b'"date_modified"') or fields.get(b'"date_published"'))
        columns.changefreqs.append(None)
        columns.priorities.append(None)
        columns.starts.append(self._start)
        columns.ends.append(end)
        columns.marks.append(0)


def _text_of(written: bytes) -> str:
    """A string with its escapes; half of a pair of surrogates becomes a replacement character."""
    text: str = json.loads(written.decode("utf-8", "replace"))
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
