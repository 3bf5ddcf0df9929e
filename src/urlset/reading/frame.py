"""The open tags around a stretch of a document → the bytes that expat is fed before the stretch.

A document is read by many parsers: one behind each fault, one for each odd entry, one for each second look. If each
read the root's tag again, a root with n attributes and n odd entries would cost n² steps. So the bytes leave out all
attributes but declarations, and where these are many, the declarations of prefixes that the stretch does not use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pyexpat import ExpatError, ParserCreate

from urlset.reading import limits
from urlset.reading.doctype import open_tag
from urlset.reading.prolog import assumed_namespace, declarations
from urlset.reading.tags import is_name, name_at
from urlset.spec.lazy_pattern import lazy_pattern

_ATTRIBUTE = lazy_pattern(rb"""\s([^\s=<>]++)\s*+=\s*+("[^"]*+"|'[^']*+')""")
_USED = lazy_pattern(rb"[<\s/]([^\s:<>/=\"']++):")
_UNBOUND = lazy_pattern(
    rb"(?:</?|\s)([A-Za-z_\x80-\xff][\w.\x80-\xff-]*):[A-Za-z_\x80-\xff][\w.\x80-\xff-]*(?=[\s=/>])"
)
_ALWAYS_BOUND = frozenset({b"xml", b"xmlns"})


class OpenTag:
    """The name of an element and the namespaces that it declares."""

    __slots__ = ("_declared", "_whole", "before", "length", "name")

    def __init__(self, tag: bytes) -> None:
        """`tag` is well-formed; a root's tag may have declarations of entities before it."""
        start = open_tag(tag)
        self.before = tag[:start]
        self.name = name_at(tag, start)
        self._whole = b""
        self.length = len(self.name) + 2
        """of the tag with all declarations"""
        self._declared: dict[bytes, bytes] = {}
        """what is declared, by prefix, as it is written"""
        if b"xmlns" in tag:
            for name, value in _ATTRIBUTE.findall(tag, start):
                word, _, prefix = name.partition(b":")
                if word == b"xmlns":
                    self._declare(prefix, b" " + name + b"=" + value)

    @property
    def declares(self) -> bool:
        return bool(self._declared)

    @property
    def whole(self) -> bytes:
        """With all declarations."""
        self._whole = self._whole or self.declaring(self._declared)
        return self._whole

    def declaring(self, used: Iterable[bytes]) -> bytes:
        """With the declarations of these prefixes only."""
        return self.before + b"<" + self.name + self.declarations_of(used) + b">"

    def declarations_of(self, used: Iterable[bytes]) -> bytes:
        return b"".join(self._declared[prefix] for prefix in used if prefix in self._declared)

    def unbound_in(self, written: bytes) -> list[str]:
        """The prefixes in `written` that this tag does not declare."""
        used = dict.fromkeys(_UNBOUND.findall(written))
        return [
            prefix.decode()
            for prefix in used
            if prefix not in self._declared and prefix not in _ALWAYS_BOUND and is_name(prefix)
        ]

    def binds(self, prefix: str) -> bool:
        return prefix.encode() in self._declared or prefix in ("xml", "xmlns")

    def bind(self, prefixes: Iterable[str]) -> None:
        """Declare prefixes as what they are taken to mean."""
        for prefix in prefixes:
            self._declare(prefix.encode(), declarations({prefix: assumed_namespace(prefix)}))

    def _declare(self, prefix: bytes, written: bytes) -> None:
        self._declared[prefix] = written
        self.length += len(written)
        self._whole = b""

    def around(self, text: bytes) -> bytes:
        """Fed before `text`."""
        return opened((self,), text, 0, len(text))

    def binding(self, text: bytes) -> bytes:
        """The same, with the prefixes declared that are not bound."""
        found = self.around(text)
        missing = {prefix: assumed_namespace(prefix) for prefix in self.unbound_in(text)}
        return found[:-1] + declarations(missing) + b">"


def opened(tags: Sequence[OpenTag], data: bytes, start: int, stop: int) -> bytes:
    """Fed before `data[start:stop]`."""
    if _are_short(tags):
        return b"".join(tag.whole for tag in tags)
    used = _prefixes_of(tags).union(_USED.findall(data, start, stop))
    return b"".join(tag.declaring(used) for tag in tags)


def opened_ahead(tags: Sequence[OpenTag], data: bytes, start: int, reach: int) -> tuple[bytes, int]:
    """Fed before `data[start:]`, and the end of the stretch whose prefixes it declares; no tag crosses that end."""
    stop = start + reach
    if stop >= len(data) or _are_short(tags):
        return opened(tags, data, start, len(data)), len(data)
    return opened(tags, data, start, stop), max(start, data.rfind(b"<", start, stop))


def _are_short(tags: Sequence[OpenTag]) -> bool:
    return sum(tag.length for tag in tags) <= limits.FIRST_CHUNK


def _prefixes_of(tags: Sequence[OpenTag]) -> set[bytes]:
    """Of the tags themselves and of attributes with default values, and the default namespace."""
    return {b"", *(tag.name.rpartition(b":")[0] for tag in tags), *_USED.findall(tags[0].before)}


class _EntryEndError(Exception):
    """Raised by a handler behind the entry."""


def unbound_in_entry(tags: Sequence[OpenTag], data: bytes, start: int) -> dict[str, int]:
    """The prefixes in the entry at `start` that nothing declares, and where the first tag with each begins.

    Found in one pass, as each of thousands would else start the entry anew. Ends early where the entry is malformed.
    """
    found: dict[str, int] = {}
    opened_scopes: list[list[str]] = []
    declared: Counter[str] = Counter()
    before = tags[0].before
    parser = ParserCreate("utf-8")

    def begin(name: str, attributes: dict[str, str]) -> None:
        own = [each[6:] for each in attributes if each.startswith("xmlns:")]
        opened_scopes.append(own)
        declared.update(own)
        for prefix, colon, _ in (written.partition(":") for written in (name, *attributes)):
            if colon and prefix not in found and not declared[prefix] and not any(tag.binds(prefix) for tag in tags):
                found[prefix] = parser.CurrentByteIndex - len(before) + start

    def end(_name: str) -> None:
        declared.subtract(opened_scopes.pop())
        if not opened_scopes:
            raise _EntryEndError

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    try:
        parser.Parse(before)
        for at in range(start, len(data), limits.FIRST_CHUNK):
            parser.Parse(data[at : at + limits.FIRST_CHUNK])
    except (_EntryEndError, ExpatError):
        pass
    finally:  # with its handlers the parser would stay until the garbage collector runs
        parser.StartElementHandler = parser.EndElementHandler = None
    return found
