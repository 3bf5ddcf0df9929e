"""One document → its entries as columns of plain texts, ready to be compared or stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from urlset.model.columns import Mark
from urlset.model.document import Document
from urlset.model.entry import Media
from urlset.model.frames import trimmed
from urlset.reading.fingerprint import hash_of

TEXT_FIELDS = ("lastmod", "changefreq", "priority")
"""as written"""
MEDIA_FIELDS = ("images", "videos", "news", "alternates", "mobile", "other")
"""JSON; the order of images and alternates does not count"""
FIELDS = (*TEXT_FIELDS, *MEDIA_FIELDS)
"""everything an entry says about its page"""

Column = list[str | None]
_BETWEEN = "\x1f"
_encode = msgspec.json.Encoder(order="deterministic").encode


class EntryBlock(NamedTuple):
    """The entries of one sitemap file, or a part of them."""

    file: str
    """the URL of the sitemap, or its path"""
    positions: Sequence[int]
    """the number of each entry in the file, from 0"""
    locs: list[str]
    fields: dict[str, Column]
    """by the names in FIELDS; a field that no entry has is left out"""


def block_of(document: Document, rows: Sequence[int]) -> EntryBlock:
    """`rows` are those with a loc."""
    columns = document.columns
    texts = dict(
        zip(TEXT_FIELDS, (columns.lastmods, columns.changefreqs, columns.priorities), strict=True),
    )
    every = len(rows) == len(columns)
    fields = {name: trimmed(each if every else [each[row] for row in rows]) for name, each in texts.items()}
    locs = [loc or "" for loc in trimmed(columns.locs if every else [columns.locs[row] for row in rows])]
    if columns.extended:
        fields |= _media(document, rows)
    kept = {name: column for name, column in fields.items() if any(column)}
    return EntryBlock(document.url or document.name, rows, locs, kept)


def fields_hashes(block: EntryBlock) -> list[int]:
    """One for all fields but the address; entries that say the same are mostly many, and hashed once."""
    known: dict[tuple[str | None, ...], int] = {}
    columns = [block.fields.get(name) or [None] * len(block.locs) for name in FIELDS]
    hashes = []
    for values in zip(*columns, strict=True):
        found = known.get(values)
        if found is None:
            text = _BETWEEN.join("\x00" if each is None else each for each in values)
            found = known[values] = hash_of(text)
            if len(known) > 100_000:
                known.clear()
        hashes.append(found)
    return hashes


def _media(document: Document, rows: Sequence[int]) -> dict[str, Column]:
    found: dict[str, Column] = {name: [None] * len(rows) for name in MEDIA_FIELDS}
    marks = document.columns.marks
    for at, row in enumerate(rows):
        if marks[row] & Mark.EXTENDED:
            media = document.media(row)
            for name, value_of in _VALUES.items():
                found[name][at] = value_of(media)
    return found


def _unordered(items: Sequence[object]) -> str | None:
    return b"".join([b"[", b",".join(sorted(map(_encode, items))), b"]"]).decode() if items else None


def _ordered(items: Sequence[object]) -> str | None:
    return _encode(items).decode() if items else None


def _other(media: Media) -> str | None:
    return _ordered((*media.pagemaps, *media.unknown))


_VALUES: dict[str, Callable[[Media], str | None]] = {
    "images": lambda media: _unordered(media.images),
    "videos": lambda media: _ordered(media.videos),
    "news": lambda media: _ordered(media.news),
    "alternates": lambda media: _unordered(media.alternates),
    "mobile": lambda media: None if media.mobile is None else "true",
    "other": _other,
}
