"""A path, bytes or an open file → Document. The door to the room; it never raises on bad content."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

import msgspec

from urlset.model.columns import Columns
from urlset.model.document import Contents, Document, Envelope, Kind, Prolog
from urlset.model.place import Place, between
from urlset.model.trouble import Trouble, TroubleKind, Troubles
from urlset.reading import limits
from urlset.reading.around import whole_fault
from urlset.reading.decode import Decoded, decode
from urlset.reading.prolog import Beginning, PrologReader
from urlset.reading.row_reader import RowReader
from urlset.reading.scan import Scan
from urlset.reading.unpack import file_chunks, unpack
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.storage.paths import file_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from urlset.model.document import Root


Source = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO


def read(source: Source, *, name: str | None = None, url: str | None = None, cap: int = limits.LOCAL_CAP) -> Document:
    """Read one sitemap.

    `source` is a path, a storage URL (s3://, gs://, az://), bytes, or a binary file. Missing or unreadable files raise
    OSError, as `open` does. The content of the file never raises: look at `Document.kind` and `Document.troubles`.
    Nothing is fetched from the web.
    `url` is the address the sitemap lives at. At most `cap` unpacked bytes are read.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        return read_chunks([bytes(source)], name=name or "", url=url, cap=cap)
    if isinstance(source, (str, os.PathLike)):
        with file_at(source).open("rb") as file:
            return read_chunks(file_chunks(file), name=name or os.fspath(source), url=url, cap=cap)
    shown = name or str(getattr(source, "name", ""))
    return read_chunks(file_chunks(source), name=shown, url=url, cap=cap)


def read_bytes(data: bytes, name: str = "") -> Document:
    return read(data, name=name)


def read_chunks(
    chunks: Iterable[bytes], *, name: str = "", url: str | None = None, cap: int = limits.LOCAL_CAP
) -> Document:
    """The same for bytes that arrive in pieces, cut anywhere."""
    unpacked = unpack(chunks, cap=cap)
    decoded = decode(unpacked.data)
    envelope = Envelope(
        delivered=unpacked.delivered,
        size=len(unpacked.data),
        compression=unpacked.compression,
        layers=unpacked.layers,
        encoding=decoded.encoding,
        byte_order_mark=decoded.byte_order_mark,
        complete=unpacked.complete,
    )
    faults = unpacked.troubles
    del chunks, unpacked  # of a document in another encoding, only the transcoded bytes stay in memory
    return _document(envelope, faults, decoded, name, url)


def _document(
    envelope: Envelope, faults: tuple[Trouble, ...], decoded: Decoded, name: str, url: str | None
) -> Document:
    sniffed = sniff(decoded.data, url or name)
    columns, reader, robots = Columns(), RowReader(decoded.map), None
    troubles = Troubles((*faults, *decoded.troubles))
    beginning = sniffed.beginning
    prolog, root = (beginning.prolog, beginning.root) if beginning is not None else (Prolog(), None)
    if beginning is not None and beginning.vocabulary is not None:
        scan = Scan(decoded.data, beginning, beginning.vocabulary)
        scan.run()
        columns = scan.columns
        reader = scan.row_reader(decoded.map)
        troubles += scan.troubles
    elif sniffed.kind.reader is not None:
        columns, found, robots = reader_of(sniffed.kind).read(decoded.data)
        troubles += found
    else:
        troubles += [*sniffed.troubles, _refusal(sniffed.kind, decoded.data)]
    if beginning is not None:
        troubles = _judged_whole(decoded.data, beginning, troubles)
    if 0 < len(decoded.data) <= LONGEST_TEMPLATE and (sign := unrendered(decoded.data, sniffed.kind, columns, root)):
        troubles.append(sign)
    return Document(
        name=name,
        kind=sniffed.kind,
        data=decoded.data,
        columns=columns,
        envelope=envelope,
        row_reader=reader,
        troubles=troubles.in_order(),
        prolog=prolog,
        root=root,
        robots=robots,
        url=url,
    )


def _judged_whole(data: bytes, beginning: Beginning, troubles: Troubles) -> Troubles:
    """A document without a known root, or with tags in front of it, is judged as a whole too.

    It may be well-formed although its entries are not where they belong, and the other way round.
    """
    root = beginning.root
    unusual = root.synthetic or beginning.vocabulary is None
    in_front = (TroubleKind.BAD_PROLOG, TroubleKind.TEXT_BEFORE_DECLARATION)
    wrapped = any(trouble.detail.lstrip().startswith("<") for trouble in troubles.of(in_front))
    entities = beginning.entities
    if not (unusual or wrapped) or (entities.first is not None and not entities.declarations):
        return troubles
    fault = whole_fault(data, beginning.prolog.doctype, entities.declarations)
    if fault is not None:
        if _NO_FAULT_OF_XML.issuperset(troubles.kinds()):
            troubles.append(fault)
        return troubles
    sound = troubles.only(_NO_FAULT_OF_XML)
    if not unusual:
        sound.append(Trouble(TroubleKind.MISPLACED_ELEMENT, root.place))
    return sound


_NO_FAULT_OF_XML = frozenset(
    {
        *(TroubleKind.NOT_UTF8, TroubleKind.BAD_UTF8, TroubleKind.ENCODING_MISMATCH, TroubleKind.UNKNOWN_ENCODING),
        *(TroubleKind.DOCTYPE, TroubleKind.ENTITY_DECLARED, TroubleKind.EXTERNAL_ENTITY, TroubleKind.ENTITY_USED),
        TroubleKind.BYTE_ORDER_MARK,
        TroubleKind.MISPLACED_ELEMENT,
        TroubleKind.MISSING_ROOT,
        TroubleKind.NOT_A_SITEMAP,
        TroubleKind.STRAY_TEXT,
        TroubleKind.XML_VERSION,
    }
)


def _refusal(kind: Kind, data: bytes) -> Trouble:
    if kind is Kind.EMPTY:
        return Trouble(TroubleKind.EMPTY, Place(0, len(data)))
    lead = len(data) - len(data.lstrip())
    first = data[lead : lead + 120].split(b"\n", 1)[0]
    return Trouble(TroubleKind.NOT_A_SITEMAP, Place(lead, len(first)), first.decode("utf-8", "replace"))


# Decoded bytes → what kind of document this really is, whatever its name and declared type say.

_HTML = lazy_pattern(
    rb"(?>\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*)(?:<!doctype\s+html|<html[\s>])", re.DOTALL | re.IGNORECASE
)
_HEAD = 65536


class Sniffed(msgspec.Struct):
    """The kind and, for XML, the way in."""

    kind: Kind
    beginning: Beginning | None = None
    troubles: Sequence[Trouble] = ()


class KindReader(Protocol):
    """A module that reads one kind which is not a sitemap or feed in XML."""

    def recognizes(self, data: bytes, /) -> bool: ...

    def read(self, data: bytes, /) -> Contents: ...


def reader_of(kind: Kind) -> KindReader:
    """Loaded when needed: a small sitemap needs none."""
    return cast("KindReader", import_module(f"urlset.reading.{kind.reader}"))


def sniff(data: bytes, name: str = "") -> Sniffed:
    """By content; the name only decides what a text without any sign is."""
    head = data[:_HEAD].lstrip()
    if not head and not data.strip():
        return Sniffed(Kind.EMPTY)
    if _HTML.match(data[:_HEAD]):
        return Sniffed(Kind.HTML)
    is_markup = head.startswith(b"<")
    for kind in Kind:
        own = kind.reader not in (None, "scan") and kind.is_xml == is_markup
        if own and reader_of(kind).recognizes(data):
            return Sniffed(kind)
    if not is_markup and _is_named_robots(name):
        return Sniffed(Kind.ROBOTS)
    found = _sniff_xml(data, starts_as_markup=is_markup)
    is_rest_robots = found.kind is Kind.UNKNOWN and _is_named_robots(name)
    if is_rest_robots and reader_of(Kind.ROBOTS).recognizes(head.partition(b"\n")[2]):
        return Sniffed(Kind.ROBOTS)  # after `<?php … ?>` or the mark of a merge conflict
    return found


def _is_named_robots(name: str) -> bool:
    return name.replace("\\", "/").rpartition("/")[2].lower() == "robots.txt"


def _sniff_xml(data: bytes, *, starts_as_markup: bool) -> Sniffed:
    reader = PrologReader(data)
    beginning = reader.read()
    if beginning is None:
        return Sniffed(Kind.UNKNOWN, troubles=reader.troubles if starts_as_markup else [])
    if beginning.vocabulary is not None:
        return Sniffed(beginning.vocabulary.kind, beginning, beginning.troubles)
    if beginning.root.local.lower() in ("html", "head", "body", "script", "div"):
        return Sniffed(Kind.HTML)
    doctype = [trouble for trouble in beginning.troubles if trouble.kind is TroubleKind.DOCTYPE]
    return Sniffed(Kind.OTHER_XML if starts_as_markup else Kind.UNKNOWN, beginning, doctype)


# A document → the first sign that it is the source of a template, which no engine has rendered.
#
# Such a sign is front matter, a tag of a server language, or a statement (loop, condition) that is not part of a
# value. Outputs such as `{{ slug }}` are only a sign if no URL of the document was rendered: one that is left in a
# rendered sitemap is a defect of that URL.

LONGEST_TEMPLATE = 1 << 18
"""bytes of a document that may be a template: larger ones are made by programs"""
_RARER = {
    b"@": lazy_pattern(rb"@(?:for|if|php|each|while|section|extends|model|using|\{)"),
    b"#": lazy_pattern(rb"#(?:set|foreach|if|parse|macro)\b|<#"),
    b"[": lazy_pattern(rb"\[[%#]"),
    b"%": lazy_pattern(rb"<%|\n[ \t]*%[ \t]*(?:for|if)\b"),
    b"?": lazy_pattern(rb"<\?"),
}
"""signs of languages that use a character which is also common in URLs: most files have none of these characters"""
_SHOWN = 60
_LINE_START = lazy_pattern(rb"^[ \t]*(?=[{<\[])", re.MULTILINE)
_TOKEN = lazy_pattern(
    rb"<(?P<close>/?)(?P<name>[A-Za-z_\x80-\xff][\w:.\x80-\xff-]*+)[^<>]*+>|(?P<skip><!--|<!\[CDATA\[)|(?P<text>[^<]++)|<"
)
_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>"}


def unrendered(data: bytes, kind: Kind, columns: Columns, root: Root | None) -> Trouble | None:
    """None for a document that is rendered, or of no use to an engine anyway."""
    if not kind.may_be_template:
        return None
    place = _front_matter(data, kind)
    if place is None and kind is not Kind.OTHER_XML:
        place = _executed(data, root)
    if place is None and _may_be_template(data):
        place = (_in_xml(data, root) if kind.is_xml else _in_lines(data)) or _outputs_only(data, columns)
    if place is None:
        return None
    shown = place.cut(data)[: _SHOWN * 4].decode("utf-8", "replace")
    return Trouble(TroubleKind.UNRENDERED, place, " ".join(shown.split())[:_SHOWN])


def _may_be_template(data: bytes) -> bool:
    """Whether any sign is in the data; of an ordinary sitemap, this is all that is looked at."""
    after = data.find(b"?>") + 1 if data.startswith(b"<?xml") else 0
    return b"{" in data or any(
        data.find(sign, after) != -1 and pattern.search(data, after) is not None for sign, pattern in _RARER.items()
    )


def _front_matter(data: bytes, kind: Kind) -> Place | None:
    """The block before a sitemap or robots.txt; a page of a site generator is not one."""
    if kind is Kind.UNKNOWN or data.lstrip().startswith(b"<"):
        return None
    from urlset.reading.front_matter import front_matter_end  # loads more than a small sitemap needs

    end = front_matter_end(data)
    start = len(data[:end]) - len(data[:end].lstrip(b"\xef\xbb\xbf \t\r\n"))
    return between(start, len(data[:end].rstrip())) if end else None


def _in_xml(data: bytes, root: Root | None) -> Place | None:
    """The first server tag, or statement between elements."""
    from urlset.spec.generator_artifacts import SERVER_TAG, TEMPLATE_STATEMENT_IN_XML

    opened: bytes | None = None
    waiting: Place | None = None
    """a statement that is only one if the text it begins is not the value of an element"""
    at, rendered_root = 0, b"" if root is None else root.written.encode()
    while (token := _TOKEN.match(data, at)) is not None:
        at = token.end()
        if token["skip"] is not None:
            at = data.find(_ENDS[token["skip"]], at) + 3
            if at < 3:
                return None
        elif token["text"] is not None:
            lead = len(token["text"]) - len(token["text"].lstrip())
            found = TEMPLATE_STATEMENT_IN_XML.match(data, token.start() + lead)
            waiting = waiting or (None if found is None else between(*found.span()))
        elif (tag := SERVER_TAG.match(data, token.start())) is not None:
            return waiting or between(*tag.span())
        elif token["name"] is not None:
            is_value = token["close"] and token["name"] == opened and opened != rendered_root
            if waiting is not None and not is_value:
                return waiting
            waiting, opened = None, None if token["close"] else token["name"]
    return waiting


def _in_lines(data: bytes) -> Place | None:
    """The first line that begins with a statement or a server tag."""
    from urlset.spec.generator_artifacts import SERVER_TAG, TEMPLATE_STATEMENT

    for line in _LINE_START.finditer(data):
        found = TEMPLATE_STATEMENT.match(data, line.end()) or SERVER_TAG.match(data, line.end())
        if found is not None:
            return between(*found.span())
    return None


def _executed(data: bytes, root: Root | None) -> Place | None:
    """The first element or attribute in a namespace that an engine executes."""
    from urlset.spec.generator_artifacts import TEMPLATE_NAMESPACES

    for prefix, uri in (root.declared if root is not None else {}).items():
        if prefix and uri in TEMPLATE_NAMESPACES:
            used = re.compile(rb"(?:<|\s)" + re.escape(prefix.encode()) + rb":\w[\w.\x80-\xff-]*").search(data)
            if used is not None:
                return between(used.start() + 1 - (used[0][:1] == b"<"), used.end())
    return None


def _outputs_only(data: bytes, columns: Columns) -> Place | None:
    """The first URL, if each of them begins with an output."""
    from urlset.spec.generator_artifacts import TEMPLATE_OUTPUT

    locs = [(loc or "").lstrip() for loc in columns.locs]
    if not locs or not all(TEMPLATE_OUTPUT.match(loc) for loc in locs):
        return None
    first = columns.place(0)
    at = data.find(locs[0].rstrip()[:1].encode(), first.offset + 1)
    return between(at, at + len(locs[0].rstrip().encode()))
