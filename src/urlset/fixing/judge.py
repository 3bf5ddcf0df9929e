"""A file before and after its fixes, and what the report names → why the result must not be used, or None.

The last check of `fix`. It shares no code with the reader, so a fault of the reader cannot hide its own damage: expat
of the standard library reads both files. If expat accepts the original, it must accept the result, and every `loc`
that is lost, changed or new must be named by the report. A file that expat rejects is not judged.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pyexpat import ExpatError, ParserCreate, version_info
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import msgspec

if TYPE_CHECKING:
    from pyexpat import XMLParserType

_LONGEST_ENTITY = 256
"""characters of an entity: a longer one could turn a small file into gigabytes"""
_NESTED = re.compile(r"&(?!#|(?:amp|lt|gt|quot|apos);)")
_HAS_LIMITS = version_info >= (2, 4, 0)
"""whether expat itself limits what entities expand to"""
_CHUNK = 1 << 18
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
_ENTRIES = ("url", "sitemap")


class ReportedUrls(msgspec.Struct, frozen=True):
    """What the report of a fix names."""

    removed: Collection[str] = ()
    changed: Sequence[tuple[str, str]] = ()
    """the text of a URL before and after"""
    edited: tuple[Sequence[int], Sequence[int]] = ((), ())
    """where ranges of the original that were changed begin and end, in order"""
    may_add: bool = False
    """the result lists files that were not listed before"""


OnDisk = tuple[bytes, Sequence[bytes]]
"""the file and the result in the encoding in which they are stored"""


def objection(before: bytes, after: Sequence[bytes], named: ReportedUrls, on_disk: OnDisk | None = None) -> str | None:
    """Why the files in `after` must not replace `before`; all of them UTF-8, without a byte order mark."""
    try:
        # each text once: two of each URL of a large file take more memory than anything else here
        texts = {text: text for pair in named.changed for text in pair}
        old = _Locs(before, texts)
        if old.fault is None:
            new = [_Locs(data, texts) for data in after]
            texts.clear()
            doubt = _malformed(each.fault for each in new) or _unreported(before, after, old, new, named)
            if doubt is not None or (on_disk is None and all(each.is_utf8 for each in (old, *new))):
                return doubt
        stored, result = on_disk or (before, after)
        if _Locs(stored, {}, None).fault is None:
            return _malformed(_Locs(data, {}, None).fault for data in result)
    except _EntityError:
        return "its DOCTYPE declares entities that expand too far to verify the result; replace them with their text"
    return None


def _malformed(faults: Iterable[str | None]) -> str | None:
    fault = next(filter(None, faults), None)
    return None if fault is None else f"a well-formed file would become malformed: {fault}"


class _EntityError(Exception):
    """The file declares entities that are too long, or made of others."""


def _limit_entities(_name: str, is_parameter: bool, value: str | None, *_where: str | None) -> None:
    if is_parameter or value is None:
        return
    if not _HAS_LIMITS or len(value) > _LONGEST_ENTITY or _NESTED.search(value):
        raise _EntityError


class _Locs:
    """The texts of all elements with the name `loc`, in any namespace, without surrounding space.

    Handlers for text and end tags are only set inside such an element, and names are looked up in a dictionary: this
    is most of the time that the judge takes.
    """

    def __init__(self, data: bytes, known: dict[str, str], encoding: str | None = "utf-8") -> None:
        """`known` are texts to use instead of equal ones; new ones are added."""
        self.texts: set[str] = set()
        self.is_utf8 = True
        """whether the declaration names UTF-8 or nothing"""
        texts, opened = self.texts, list[list[str]]()
        are_locs: dict[str, bool] = {}
        parser = ParserCreate(encoding, "}")

        def start(name: str, _attributes: dict[str, str]) -> None:
            is_loc = are_locs.get(name)
            if is_loc is None:
                is_loc = are_locs[name] = name.rpartition("}")[2].lower() == "loc"
            if is_loc or opened:
                pieces: list[str] = []
                opened.append(pieces)
                parser.CharacterDataHandler = pieces.append
                parser.EndElementHandler = end

        def end(name: str) -> None:
            pieces = opened.pop()
            if are_locs[name]:
                text = "".join(pieces).strip()
                texts.add(known.setdefault(text, text))
            parser.CharacterDataHandler = opened[-1].append if opened else None
            if not opened:
                parser.EndElementHandler = None

        parser.buffer_text = True
        parser.StartElementHandler = start
        parser.EntityDeclHandler = _limit_entities
        parser.XmlDeclHandler = self._declare
        self.fault = _parse(parser, data)

    def _declare(self, _version: str, encoding: str | None, _standalone: int) -> None:
        self.is_utf8 = encoding is None or encoding.lower() == "utf-8"


def _parse(parser: XMLParserType, data: bytes) -> str | None:
    try:
        for start in range(0, len(data), _CHUNK):  # expat copies what it is given
            parser.Parse(data[start : start + _CHUNK])
        parser.Parse(b"", True)
    except (ExpatError, ValueError, LookupError) as error:  # the latter two: an encoding that expat cannot read
        return str(error)
    finally:
        parser.StartElementHandler = parser.EndElementHandler = parser.CharacterDataHandler = None
        parser.XmlDeclHandler = None
    return None


def _unreported(
    before: bytes, after: Sequence[bytes], old: _Locs, new: Sequence[_Locs], named: ReportedUrls
) -> str | None:
    """The first URL that is lost or new, if the report does not name it."""
    texts = new[0].texts.union(*(each.texts for each in new[1:])) if len(new) > 1 else new[0].texts
    lost, added = old.texts - texts, set[str]() if named.may_add else texts - old.texts
    if not lost and not added:
        return None
    removed, changed = set(named.removed), named.changed
    lost -= removed
    gone = {loc: _spelling(loc) for loc in _unled(lost, changed, texts | removed if removed else texts) if loc}
    come = {loc: _spelling(loc) for loc in _unled(added, [(to, loc) for loc, to in changed], old.texts) if loc}
    lost, added = _respelled(gone, {*come.values()}, texts), _respelled(come, {*gone.values()}, old.texts)
    if lost:
        lost -= _named_otherwise(before, lost, removed, named.edited)
    if added:
        pages = {each.text for data in after for each in _Places(data).found if each.is_page}
        added &= pages - _Places(before).texts
    if lost:
        return f"the URL {min(lost)!r} would be lost, which is not reported"
    return f"the URL {min(added)!r} would be new, which is not reported" if added else None


def _respelled(spellings: Mapping[str, str], likely: Collection[str], others: AbstractSet[str]) -> set[str]:
    """Those that are not among the others in another spelling; most have one of the likely spellings."""
    left = {loc for loc, spelling in spellings.items() if spelling not in likely}
    known = set(map(_spelling, others - {""})) if left else set[str]()
    return {loc for loc in left if spellings[loc] not in known}


def _spelling(loc: str) -> str:
    """The same for URLs that differ only in escapes, in the case of scheme and host, or in a default port."""
    text = unquote(loc)
    try:
        parts = urlsplit(text)
    except ValueError:
        return text
    scheme, host = parts.scheme.lower(), parts.netloc.lower()
    host = host.removesuffix(_DEFAULT_PORTS.get(scheme, " "))
    return f"{scheme}://{host}{parts.path or '/'}?{parts.query}#{parts.fragment}"


def _unled(locs: set[str], changed: Sequence[tuple[str, str]], known: Collection[str]) -> set[str]:
    """Those that no chain of reported changes leads to a known text; `locs` loses the others."""
    locs.difference_update(one for one, other in changed if other in known)
    origins: dict[str, list[str]] = {}
    for one, other in changed if locs else ():  # by more than one change
        origins.setdefault(other, []).append(one)
    led, waiting = set[str](), [other for other in origins if other in known]
    while waiting:
        new = set(origins.get(waiting.pop(), ())) - led
        led |= new
        waiting += new
    return locs - led


class _Loc(msgspec.Struct):
    text: str
    start: int
    end: int
    """the bytes of its element"""
    is_page: bool
    """it is a child of an entry, or in none"""
    entry: int
    """the number of the entry around it, or -1"""


def _named_otherwise(
    before: bytes, lost: set[str], removed: set[str], edited: tuple[Sequence[int], Sequence[int]]
) -> set[str]:
    """Texts of images and the like whose entry is reported as removed, or whose element has a reported fix."""
    locs = _Places(before).found
    gone = {each.entry for each in locs if each.is_page and each.text in removed}
    unexplained = {
        each.text
        for each in locs
        if each.text in lost and (each.is_page or not (each.entry in gone or _is_edited(each, *edited)))
    }
    return lost - unexplained


def _is_edited(loc: _Loc, starts: Sequence[int], ends: Sequence[int]) -> bool:
    last = bisect_right(starts, loc.end) - 1
    return last >= 0 and ends[last] >= loc.start


class _Places:
    """All loc with their places, and the texts of all elements and attributes; slower, and rarely needed."""

    def __init__(self, data: bytes) -> None:
        self.found: list[_Loc] = []
        self.texts: set[str] = set()
        self._path: list[tuple[str, list[str], int]] = []
        self._entries: list[int] = []
        self._count = 0
        self._parser = parser = ParserCreate("utf-8", "}")
        parser.buffer_text = True
        parser.EntityDeclHandler = _limit_entities
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._text
        _parse(parser, data)
        del self._parser

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition("}")[2].lower()
        self.texts.update(map(str.strip, attributes.values()))
        self._path.append((local, [], self._parser.CurrentByteIndex))
        if local in _ENTRIES:
            self._count += 1
            self._entries.append(self._count)

    def _text(self, text: str) -> None:
        self._path[-1][1].append(text)

    def _end(self, _name: str) -> None:
        local, pieces, start = self._path.pop()
        text = "".join(pieces).strip()
        self.texts.add(text)
        if local in _ENTRIES:
            self._entries.pop()
        elif local == "loc":
            is_page = not self._entries or self._path[-1][0] in _ENTRIES
            entry = self._entries[-1] if self._entries else -1
            end = self._parser.CurrentByteIndex
            self.found.append(_Loc(text, start, end, is_page, entry))
