"""The pure Python scanner: entries of the usual shape → columns, by one pattern.

It takes only what it can prove to be well-formed and plain: known fields in order, no attributes on
them, legal characters, predefined references, extensions two levels deep. At the first entry that is
anything else it stops, and the reference reader takes that entry. For whatever it takes, the result is
the reference reader's, offsets included: a test compares the two. Reading a plain file with it takes a
quarter of the time of expat alone, and checking it less than half.
"""

from __future__ import annotations

import codecs
import re
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING

from urlset.model.columns import Columns, Mark
from urlset.reading import limits
from urlset.reading.prefixes import declared_inside, feed_names
from urlset.reading.row_forms import RowForms
from urlset.reading.scanner import is_compiled

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlset.model.document import Root
    from urlset.model.trouble import Troubles
    from urlset.reading.compiled import CompiledScanner, Salvager
    from urlset.reading.prefixes import Prefixes
    from urlset.reading.vocabulary import NamespaceMap

_S = rb"[ \t\r\n]*+"
_REFERENCE = rb"&(?:amp|lt|gt|quot|apos);"
# printable, without & < >: allowed in a value, in an attribute, in running text
_VALUE = rb"[!-%'-;=?-~\x80-\xff]*+"
_QUOTED = rb"[ !#-%'-;=?-~\x80-\xff]*+"
_TEXT = rb"[\t\n\r -%'-;=?-~\x80-\xff]*+"
_CDATA = rb"<!\[CDATA\[[\t\n\r -\xff]*?\]\]>"
_ATTRIBUTE_NAME = rb"(?!xml)[a-z_]++"


def _with_references(plain: bytes) -> bytes:
    return plain + rb"(?:" + _REFERENCE + plain + rb")*+"


def _attributes(first_group: int) -> bytes:
    """Up to four attributes with different names."""
    value = rb'="' + _with_references(_QUOTED) + rb'"'
    parts = b""
    for number in range(4, 0, -1):
        others = b"".join(rb"(?!\%d=)" % (first_group + earlier) for earlier in range(number - 1))
        parts = rb"(?:[ \t\r\n]++" + others + rb"(" + _ATTRIBUTE_NAME + rb")" + value + parts + rb")?+"
    return parts


@lru_cache(maxsize=64)
def _pattern(p: bytes, row: str, extensions: tuple[bytes, ...]) -> re.Pattern[bytes]:
    """Groups: 1 the open tag, 2 to 5 the fields, 6 the extensions."""

    def field(name: bytes) -> bytes:
        tag = p + name
        return rb"<" + tag + rb">(" + _with_references(_VALUE) + rb")</" + tag + rb">" + _S

    body = field(b"loc") + rb"(?:" + field(b"lastmod") + rb")?+"
    body += rb"(?:" + field(b"changefreq") + rb")?+(?:" + field(b"priority") + rb")?+"
    tail = _extension(extensions) if extensions else b""
    tag = p + row.encode()
    return re.compile(_S + rb"(<" + tag + rb">)" + _S + body + rb"(" + tail + rb")</" + tag + rb">")


def _extension(prefixes: tuple[bytes, ...]) -> bytes:
    name = rb"(?:" + b"|".join(map(re.escape, prefixes)) + rb")[A-Za-z_]++"
    text = _with_references(_TEXT) + rb"(?:" + _CDATA + _with_references(_TEXT) + rb")*+"
    inner = rb"<(" + name + rb")" + _attributes(13) + rb"[ \t\r\n]*+(?:/>|>" + text + rb"</\12[ \t\r\n]*+>)" + text
    usual = b"|".join(_usual(prefix) for prefix in prefixes)
    outer = (
        rb"<("
        + name
        + rb")"
        + _attributes(8)
        + rb"[ \t\r\n]*+(?:/>|>"
        + text
        + rb"(?:"
        + inner
        + rb")*+</\7[ \t\r\n]*+>)"
    )
    return rb"(?:(?:" + usual + rb"|" + outer + rb")" + _S + rb")*+"


def _usual(prefix: bytes) -> bytes:
    """The two most common shapes written out, because matching them generally costs four times as much."""
    value = rb'="[ !#-%\'-;=?-~\x80-\xff]*+"'
    link = rb"<%slink rel%s hreflang%s href%s *+/>" % (prefix, value, value, value)
    image = rb"<%simage>%s<%sloc>[!-%%'-;=?-~\x80-\xff]*+</%sloc>%s</%simage>"
    return link + rb"|" + image % (prefix, _S, prefix, prefix, _S, prefix)


REFERENCES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))
"""the ampersand last, so what it uncovers is not unescaped twice"""


class FastPath:
    """The pattern for one document, and how far it may be trusted."""

    def __init__(self, data: bytes, pattern: re.Pattern[bytes], forms: RowForms, *, limit: int) -> None:
        self._data = data
        self._match = pattern.match
        self._take_by_form = forms.take
        self._limit = limit

    def run(self, at: int, columns: Columns, _troubles: Troubles) -> int:
        """Append entries from `at` on; the offset behind the last one taken."""
        data, match, limit = self._data, self._match, self._limit
        locs, lastmods = columns.locs.append, columns.lastmods.append
        changefreqs, priorities = columns.changefreqs.append, columns.priorities.append
        starts, ends, marks = columns.starts.append, columns.ends.append, columns.marks.append
        while True:
            entry = match(data, at)
            if entry is None:
                end = self._take_by_form(at, columns)
                if end == at:
                    break
                at = end
                continue
            end = entry.end()
            if end > limit or end - at > limits.MAX_TOKEN:
                break
            loc, lastmod, changefreq, priority, extensions = entry.group(2, 3, 4, 5, 6)
            locs(unescape(loc) if b"&" in loc else loc.decode())
            lastmods(lastmod if lastmod is None else unescape(lastmod))
            changefreqs(changefreq if changefreq is None else unescape(changefreq))
            priorities(priority if priority is None else unescape(priority))
            starts(entry.start(1))
            ends(end)
            marks(Mark.EXTENDED if extensions else 0)
            at = end
        return at


def unescape(value: bytes) -> str:
    text = value.decode()
    if "&" not in text:
        return text
    for reference, character in REFERENCES:
        text = text.replace(reference, character)
    return text


def open_scanner(
    data: bytes, root: Root, known: Prefixes, namespace_map: NamespaceMap, frame: bytes = b""
) -> FastPath | CompiledScanner | None:
    """The compiled scanner, or the fast path without it; None for kinds of documents that only expat reads."""
    row = namespace_map.vocabulary.rows[0]
    if namespace_map.vocabulary.strict_namespace:
        if not is_compiled():
            return None
        from urlset.reading.compiled import CompiledScanner

        feed = feed_names(root, namespace_map)
        return CompiledScanner(data, known.own, row.encode(), feed.prefixes, feed.meaning, feed.words)
    if is_compiled():
        from urlset.reading.compiled import CompiledScanner

        meaning = cache(partial(declared_inside, core=namespace_map.root_namespace))
        return CompiledScanner(data, known.own, row.encode(), known.known, meaning)
    limit = _sound_until(data)
    forms = RowForms(data, known.own + row.encode(), frame, namespace_map, limit)
    return FastPath(data, _pattern(known.own, row, known.known), forms, limit=limit)


def open_salvager(
    data: bytes, known: Prefixes, namespace_map: NamespaceMap, root: Root
) -> Callable[[], Salvager] | None:
    """What makes the compiled repair of entries when the first one is broken; None where there is none."""
    if namespace_map.vocabulary.strict_namespace or not is_compiled():
        return None

    @cache
    def salvager() -> Salvager:
        from urlset.reading.compiled import Salvager

        row, meaning = (
            namespace_map.vocabulary.rows[0].encode(),
            partial(declared_inside, core=namespace_map.root_namespace),
        )
        return Salvager(data, known.own, row, known.known, meaning, root.written.encode())

    return salvager


def _sound_until(data: bytes) -> int:
    """How far the bytes are UTF-8 made of characters that XML allows above ASCII."""
    if data.isascii():
        return len(data)
    decoder = codecs.getincrementaldecoder("utf-8")()
    sound = len(data)
    for start in range(0, len(data), limits.CHUNK):
        piece = memoryview(data)[start : start + limits.CHUNK]
        try:
            decoder.decode(piece, final=start + limits.CHUNK >= len(data))
        except UnicodeDecodeError:
            sound = max(0, start - 4)
            break
    for forbidden in (b"\xef\xbf\xbe", b"\xef\xbf\xbf"):
        at = data.find(forbidden)
        if at != -1:
            sound = min(sound, at)
    return sound
