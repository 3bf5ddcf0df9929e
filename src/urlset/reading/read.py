"""A path, bytes or an open file → Document. The door to the room; it never raises on bad content."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, BinaryIO

from urlset.model.columns import Columns
from urlset.model.document import Document, Envelope, Kind, Prolog
from urlset.model.place import Place
from urlset.model.trouble import Trouble, TroubleKind, Troubles
from urlset.reading import limits
from urlset.reading.around import whole_fault
from urlset.reading.decode import Decoded, decode
from urlset.reading.prolog import Beginning
from urlset.reading.row_reader import RowReader
from urlset.reading.scan import Scan
from urlset.reading.sniff import reader_of, sniff
from urlset.reading.template import LONGEST as LONGEST_TEMPLATE
from urlset.reading.template import unrendered
from urlset.reading.unpack import Unpacked, file_chunks, unpack
from urlset.storage.paths import file_at

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    envelope = _envelope(unpacked, decoded)
    faults = unpacked.troubles
    del chunks, unpacked  # of a document in another encoding, only the transcoded bytes stay in memory
    return _document(envelope, faults, decoded, name, url)


def _envelope(unpacked: Unpacked, decoded: Decoded) -> Envelope:
    return Envelope(
        delivered=unpacked.delivered,
        size=len(unpacked.data),
        compression=unpacked.compression,
        layers=unpacked.layers,
        encoding=decoded.encoding,
        byte_order_mark=decoded.byte_order_mark,
        complete=unpacked.complete,
    )


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
