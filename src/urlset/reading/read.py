"""A path, bytes or an open file → Document. The door to the room; it never raises on bad content."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from urlset.model.columns import Columns
from urlset.model.document import Document, Envelope, Kind, Prolog
from urlset.model.place import Place
from urlset.model.trouble import Trouble, TroubleKind
from urlset.reading import limits
from urlset.reading.around import whole_fault
from urlset.reading.decode import Decoded, decode
from urlset.reading.row_reader import RowReader
from urlset.reading.scan import Scan
from urlset.reading.sniff import Sniffed, sniff
from urlset.reading.unpack import Unpacked, file_chunks, unpack

if TYPE_CHECKING:
    from collections.abc import Iterable

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO


def read(source: Source, *, name: str | None = None, url: str | None = None, cap: int = limits.LOCAL_CAP) -> Document:
    """Read one sitemap.

    `source` is a path, bytes, or a binary file. Missing or unreadable files raise OSError, as `open` does, and so do
    http(s) addresses: `urlset.check` fetches, this does not. Whatever stands in the file is never an exception: look
    at `Document.kind` and `Document.troubles`.
    `url` is the address the sitemap lives at. At most `cap` unpacked bytes are read.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        return read_chunks([bytes(source)], name=name or "", url=url, cap=cap)
    if isinstance(source, (str, os.PathLike)):
        refuse_address(source)
        path = Path(source)
        with path.open("rb") as file:
            return read_chunks(file_chunks(file), name=name or os.fspath(source), url=url, cap=cap)
    shown = name or str(getattr(source, "name", ""))
    return read_chunks(file_chunks(source), name=shown, url=url, cap=cap)


def refuse_address(source: str | os.PathLike[str]) -> None:
    """Reading never fetches; a path that looks like an address is no mistake worth a bare "no such file"."""
    given = os.fspath(source)
    if given.lower().startswith(("http://", "https://")) and not os.path.lexists(given):
        raise FileNotFoundError(
            errno.ENOENT,
            "read() does not fetch URLs; use urlset.check(url) or `urlset ls`",
            given,
        )


def read_bytes(data: bytes, name: str = "") -> Document:
    return read(data, name=name)


def read_chunks(
    chunks: Iterable[bytes], *, name: str = "", url: str | None = None, cap: int = limits.LOCAL_CAP
) -> Document:
    """The same for bytes that arrive in pieces, cut anywhere."""
    unpacked = unpack(chunks, cap=cap)
    decoded = decode(unpacked.data)
    return _document(unpacked, decoded, sniff(decoded.data, url or name), name, url)


def _document(unpacked: Unpacked, decoded: Decoded, sniffed: Sniffed, name: str, url: str | None) -> Document:
    envelope = Envelope(
        delivered=unpacked.delivered,
        size=len(unpacked.data),
        compression=unpacked.compression,
        layers=unpacked.layers,
        encoding=decoded.encoding,
        byte_order_mark=decoded.byte_order_mark,
        complete=unpacked.complete,
    )
    columns, reader, robots = Columns(), RowReader(decoded.map), None
    troubles = [*unpacked.troubles, *decoded.troubles]
    beginning = sniffed.beginning
    prolog, root = (beginning.prolog, beginning.root) if beginning is not None else (Prolog(), None)
    if beginning is not None and beginning.vocabulary is not None:
        scan = Scan(decoded.data, beginning, beginning.vocabulary)
        scan.run()
        columns = scan.columns
        reader = scan.row_reader(decoded.map)
        troubles += scan.troubles
    elif sniffed.kind is Kind.TEXT:
        from urlset.reading.text import read_text

        columns, found = read_text(decoded.data)
        troubles += found
    elif sniffed.kind is Kind.ROBOTS:
        from urlset.reading.robots import read_robots

        robots, found = read_robots(decoded.data)
        troubles += found
    else:
        troubles += [*sniffed.troubles, _refusal(sniffed.kind, decoded.data)]
    if beginning is not None and (root is None or root.synthetic or beginning.vocabulary is None):
        troubles += _unusual(decoded.data, prolog, troubles)
    elif root is not None and _is_wrapped(decoded.data, prolog, troubles):
        troubles = [trouble for trouble in troubles if trouble.kind in _NO_FAULT_OF_XML]
        troubles.append(Trouble(TroubleKind.MISPLACED_ELEMENT, root.place))
    troubles.sort(key=lambda trouble: trouble.place.offset)
    return Document(
        name=name,
        kind=sniffed.kind,
        data=decoded.data,
        columns=columns,
        envelope=envelope,
        row_reader=reader,
        troubles=tuple(troubles),
        prolog=prolog,
        root=root,
        robots=robots,
        url=url,
    )


def _unusual(data: bytes, prolog: Prolog, troubles: list[Trouble]) -> list[Trouble]:
    """A document without a known root of its own is judged as a whole, unless a fault in it is known already."""
    if prolog.doctype is not None or any(trouble.kind not in _NO_FAULT_OF_XML for trouble in troubles):
        return []
    fault = whole_fault(data)
    return [] if fault is None else [fault]


def _is_wrapped(data: bytes, prolog: Prolog, troubles: list[Trouble]) -> bool:
    """The root stands inside another element: what was taken for tags pasted in front of it is well-formed."""
    in_front = (TroubleKind.BAD_PROLOG, TroubleKind.TEXT_BEFORE_DECLARATION)
    tags = any(trouble.kind in in_front and trouble.detail.lstrip().startswith("<") for trouble in troubles)
    return tags and prolog.doctype is None and whole_fault(data) is None


_NO_FAULT_OF_XML = frozenset(
    {
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
