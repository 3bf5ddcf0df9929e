"""The bytes of an HTML page → UTF-8 bytes, the charset they were in, and how many are cheap to build a tree of.

The charset is that of the byte order mark, the header or the meta element, otherwise UTF-8.

Building a tree costs the square of the depth, the square of the attributes of one tag, and one copy of every
formatting element left open for each paragraph that follows: a hostile page of a few hundred kilobytes can cost minutes
or gigabytes. Honest pages come nowhere near these numbers.
"""

from __future__ import annotations

import codecs
import re

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_META = re.compile(rb"<meta\b[^>]{0,500}?\bcharset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_IN_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_META_WITHIN = 4096
"""The standard says 1,024; pages with a long comment on top are read by browsers all the same."""

# Python's names for what browsers read; others (utf-7, rot13, idna …) are not charsets of pages.
_READ = re.compile(
    r"utf-8|iso8859-\d+|cp(?:125\d|437|85\d|866|874|932|949)|koi8-[ru]|mac-(?:roman|cyrillic)"
    r"|shift_jis|euc_(?:jp|kr)|gb2312|gbk|gb18030|big5(?:hkscs)?|tis-620|ascii"
)
# What browsers take these for.
_STANDS_FOR = {"ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "gb2312": "gbk", "tis-620": "cp874"}

MAX_PAGE_BYTES = 8 << 20
MAX_OPEN = 1000
MAX_ATTRIBUTES = 4000
MAX_COPIES = 300_000
_MAX_LOOKED = 3_000_000

_SMALL_PAGE = 1 << 16
_FEW_TAGS = 8000
_LONG_TAG = 8000
_START = re.compile(rb"<(?:(!--)|(/?)([A-Za-z][A-Za-z0-9:-]*))")
_INSIDE = rb"(?:[^>\"']++|\"[^\"]*+\"|'[^']*+'|[\"'])*+"
_ATTRIBUTES = re.compile(_INSIDE + rb">")
_TAG = re.compile(rb"<[A-Za-z]" + _INSIDE)
_QUOTED = re.compile(rb"\"[^\"]*+\"|'[^']*+'")
_RAW_TEXT = {
    name: re.compile(rb"</" + name + rb"[\s/>]", re.IGNORECASE)
    for name in (b"script", b"style", b"textarea", b"title", b"xmp", b"iframe", b"noembed", b"noframes")
}
_VOID = frozenset(b"area base br col embed hr img input link meta param source track wbr".split())
_CLOSED_BY_THE_NEXT = frozenset(b"p li dt dd option optgroup tr td th thead tbody tfoot rt rp colgroup".split())
_WALLS = frozenset(b"applet button caption marquee object select table template svg math".split())
# Without `a` and `nobr`, which close the one before.
_FORMATTING = frozenset(b"b big code em font i s small strike strong tt u".split())
# The class of first letters only spares time.
_FORMATTING_TAG = re.compile(
    rb"<(?=[bcefistu])(?:" + b"|".join(sorted(_FORMATTING)) + rb")(?=[\s/>])" + _INSIDE, re.IGNORECASE
)
_COPIES_OF_EQUALS = 3


def to_utf8(data: bytes, declared: str | None = None) -> tuple[bytes, str]:
    """Never raises: what cannot be decoded becomes U+FFFD. `declared` is a charset or a Content-Type value."""
    for mark, name in _MARKS if data[:1] > b"~" else ():
        if data.startswith(mark):
            return _decoded(data[len(mark) :], name), name
    label = _label(declared)
    codec = (label and (_wide(label) or _codec(label))) or _codec(_in_meta(data)) or "utf-8"
    return _decoded(data, codec), codec


def _decoded(data: bytes, codec: str) -> bytes:
    if data.isascii() and not codec.startswith("utf-16"):
        return data
    return data.decode(codec, "replace").encode("utf-8", "replace")


def _wide(label: str) -> str | None:
    """UTF-16 on the word of a header; a meta element that can be read before the charset is known cannot say so."""
    name = label.lower().replace("_", "-")
    return {"utf-16": "utf-16-le", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be"}.get(name)


def _label(declared: str | None) -> str | None:
    if declared is None:
        return None
    inside = _IN_HEADER.search(declared)
    return inside[1] if inside else declared.strip()


def _in_meta(data: bytes) -> str | None:
    start = data[:_META_WITHIN]
    found = _META.search(start) if b"charset" in start.lower() else None
    return found[1].decode("ascii") if found else None


def _codec(label: str | None) -> str | None:
    if not label or not label.isascii():
        return None
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return None
    name = _STANDS_FOR.get(name, name)
    return name if _READ.fullmatch(name) else None


def affordable(data: bytes) -> int:
    """The length of the beginning that is cheap to build a tree of; the whole length for nearly every page."""
    size = min(len(data), MAX_PAGE_BYTES)
    return size if _is_harmless(data, size) else _Walk(data, size).run()


def _is_harmless(data: bytes, size: int) -> bool:
    """Decided by counting alone, whatever the order of the tags; False says nothing."""
    tags = data.count(b"<", 0, size)
    kinds = _COPIES_OF_EQUALS * tags
    if kinds * tags > MAX_COPIES:
        kinds = _COPIES_OF_EQUALS * len(set(_FORMATTING_TAG.findall(data, 0, size)))
    if tags > _FEW_TAGS or kinds * tags > MAX_COPIES:
        tags -= data.count(b"</", 0, size)
        if tags > _FEW_TAGS or kinds * tags > MAX_COPIES:
            return False
    return size <= _SMALL_PAGE or max(map(len, _TAG.findall(data, 0, size)), default=0) <= _LONG_TAG


class _Walk:
    """The stack of open elements as the tree builder would keep it, near enough to bound its work."""

    def __init__(self, data: bytes, size: int) -> None:
        self._data = data
        self._size = size
        self._stack: list[bytes] = []
        self._walls: list[int] = []
        """where in the stack the elements are that closing tags do not cross"""
        self._unclosed: dict[bytes, int] = {}
        self._formatting = 0
        self._copies = 0
        self._looked = 0

    def run(self) -> int:
        at = 0
        while start := _START.search(self._data, at, self._size):
            comment, slash, name = start.groups()
            if comment:
                at = self._data.find(b"-->", start.end(), self._size)
                if at == -1:
                    return self._size
                continue
            tag = _ATTRIBUTES.match(self._data, start.end(), self._size)
            if tag is None:  # a tag that never ends: the tokenizer drops it too
                return self._size
            at = tag.end()
            name = name.lower()
            if slash:
                self._close(name)
            elif len(tag[0]) > _LONG_TAG and len(_QUOTED.sub(b" ", tag[0]).split()) > MAX_ATTRIBUTES:
                return start.start()
            elif name in _RAW_TEXT:
                closing = _RAW_TEXT[name].search(self._data, at, self._size)
                if closing is None:
                    return self._size
                at = closing.start()
            elif name not in _VOID:
                if name in _FORMATTING:
                    self._formatting += 1
                    self._unclosed[name] = self._unclosed.get(name, 0) + 1
                else:
                    self._copies += self._formatting
                if name in _WALLS:
                    self._walls.append(len(self._stack))
                if name not in _CLOSED_BY_THE_NEXT:
                    self._stack.append(name)
            if len(self._stack) > MAX_OPEN or self._copies > MAX_COPIES or self._looked > _MAX_LOOKED:
                return start.start()
        return self._size

    def _close(self, name: bytes) -> None:
        stack = self._stack
        if stack and stack[-1] == name:
            stack.pop()
        else:
            # a wall can be closed itself, whatever else is open in it
            floor = 0 if name in _WALLS or not self._walls else self._walls[-1] + 1
            self._looked += len(stack) - floor
            at = next((at for at in range(len(stack) - 1, floor - 1, -1) if stack[at] == name), None)
            if at is None:
                return
            del stack[at:]
        while self._walls and self._walls[-1] >= len(stack):
            self._walls.pop()
        if self._unclosed.get(name, 0):
            self._unclosed[name] -= 1
            self._formatting -= 1
