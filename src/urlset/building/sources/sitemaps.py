"""A sitemap, a tree of them, or an RSS or Atom feed → the pages it lists, with its dates as given evidence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from urlset.building.candidate import RowTrouble
from urlset.building.sources.blocks import ROWS, Block, Items, ValueBlock
from urlset.building.sources.iterable import items_of_entry, values_of_entry
from urlset.building.sources.options import SourceOptions
from urlset.model.document import Document, Kind
from urlset.model.entry import Entry
from urlset.model.trouble import TroubleKind
from urlset.reading.tree import read_tree

_LOSSES = frozenset(
    {
        *(TroubleKind.ENTRY_LOST, TroubleKind.TRUNCATED, TroubleKind.TRUNCATED_GZIP, TroubleKind.CORRUPT_GZIP),
        *(TroubleKind.TOO_LARGE, TroubleKind.COMPRESSION_BOMB, TroubleKind.NOT_A_SITEMAP, TroubleKind.NOT_AN_ADDRESS),
    }
)
"""What can cost a page; anything else the reader has mended."""


def from_sitemaps(start: Path | BinaryIO, options: SourceOptions) -> Iterator[Block]:
    """Children of an index are looked for next to it; one that is not there is a trouble."""
    tree = read_tree(start)
    for document in tree:
        name = document.name or "sitemap"
        for trouble in document.troubles:
            if trouble.kind in _LOSSES:
                at = f"{name}:{document.lines.number(trouble.place.offset)}"
                yield Items([RowTrouble(at, f"{trouble.kind.value} {trouble.detail[:120]}".strip())])
        entries = _pages(document)
        first = 0
        while some := list(islice(entries, ROWS)):
            yield _entries(some, document, name, first, options)
            first += len(some)
    yield Items([RowTrouble(each.parent or each.loc, f"{each.loc}: {each.reason}") for each in tree.missing])


def _pages(document: Document) -> Iterator[Entry]:
    """Of a feed only addresses and dates: what else its items hold is no part of a sitemap."""
    if document.kind in (Kind.RSS, Kind.ATOM):
        columns = document.columns
        return map(Entry, columns.locs, columns.lastmods)
    return document.entries()


def _entries(entries: list[Entry], document: Document, name: str, first: int, options: SourceOptions) -> ValueBlock:
    def origin(row: int) -> str:
        return f"{name}:{document.lines.number(document.place(first + row).offset)}"

    return ValueBlock(entries, origin, values_of_entry, lambda entry, at: items_of_entry(entry, at, options))
