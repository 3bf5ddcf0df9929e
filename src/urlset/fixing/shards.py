"""A sitemap beyond the limits → parts within them and an index that takes its name.

The entries are moved as they stand, byte for byte; only what stands before the first and behind the last is
repeated.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

import msgspec

from urlset.findings.fix import Safety
from urlset.findings.mended import Applied, Left, Mended, Piece
from urlset.model.address import Address
from urlset.model.document import Document, Kind
from urlset.model.entry import IndexEntry
from urlset.model.moment import Moment
from urlset.reading.read import read
from urlset.spec.protocol import MAX_BYTES, MAX_URLS
from urlset.writing.index import write_index

HEADROOM = 0.98
"""of the bytes: a part that is exactly full would be over the limit after the next edit"""


def split(mended: Mended, document: Document, *, max_urls: int = MAX_URLS, max_bytes: int = MAX_BYTES) -> Mended:
    """The same result, in parts if it has to be."""
    data = mended.data
    if document.kind is not Kind.URLSET:
        return mended
    present = document if data is document.data else read(data, name=document.name, url=document.url)
    if len(present) <= max_urls and len(data) <= max_bytes:
        return mended
    code = "S007" if len(present) > max_urls else "S008"
    if document.url is None:
        reason = "the parts need addresses: give the sitemap's own with --at URL, or --base-url"
        return msgspec.structs.replace(mended, left=(*mended.left, Left(code, "too-large", 1, reason)))
    parts = list(_parts(present, max_urls, int(max_bytes * HEADROOM)))
    names = [_part_name(document.name, number) for number in range(1, len(parts) + 1)]
    children = [
        IndexEntry(str(_sibling(document.url, name)), _newest(present, first, last))
        for name, (first, last, _) in zip(names, parts, strict=True)
    ]
    index = Piece(document.name, b"".join(write_index(children)))
    told = Applied(
        code=code, name="too-large", title=f"split into {len(parts)} parts and an index", safety=Safety.SAFE, line=1,
        column=1, before=f"{len(present):,} entries, {len(data):,} bytes", after=", ".join(names),
    )  # fmt: skip
    pieces = (index, *(Piece(name, part) for name, (_, _, part) in zip(names, parts, strict=True)))
    return msgspec.structs.replace(mended, pieces=pieces, applied=(*mended.applied, told))


def _parts(document: Document, max_urls: int, max_bytes: int) -> Iterator[tuple[int, int, bytes]]:
    """(first row, last row + 1, bytes), as even as the limits allow."""
    columns, data = document.columns, document.data
    head = data[: columns.starts[0]]
    tail = data[columns.ends[-1] :]
    frame = len(head) + len(tail)
    count = len(columns)
    body = columns.ends[-1] - columns.starts[0]
    wanted = max(-(-count // max_urls), -(-body // max(1, max_bytes - frame)))
    per_part = -(-count // wanted)
    first = 0
    while first < count:
        last = min(first + per_part, count)
        while last > first + 1 and columns.ends[last - 1] - columns.starts[first] + frame > max_bytes:
            last -= max(1, (last - first) // 20)
        yield first, last, head + data[columns.starts[first] : columns.ends[last - 1]] + tail
        first = last


def _part_name(name: str, number: int) -> str:
    path = PurePosixPath(name)
    suffix = "".join(path.suffixes[-2:]) if path.suffix == ".gz" else path.suffix
    stem = path.name.removesuffix(suffix)
    return str(path.with_name(f"{stem}-{number}{suffix}"))


def _sibling(url: str, name: str) -> str:
    folder = Address.parse(url).raw.partition("?")[0].rpartition("/")[0]
    return f"{folder}/{PurePosixPath(name).name}"


def _newest(document: Document, first: int, last: int) -> str | None:
    """The newest real change inside, never the time of writing."""
    newest: Moment | None = None
    for text in {text.strip() for text in document.columns.lastmods[first:last] if text}:
        moment = Moment.parse(text)
        if moment.w3c_valid and (newest is None or moment.newer_than(newest)):
            newest = moment
    return newest.text if newest else None
