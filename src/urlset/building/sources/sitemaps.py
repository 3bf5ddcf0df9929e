"""A sitemap, a tree of them, or an RSS or Atom feed → the pages it lists, with its dates as given evidence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from urlset.building.candidate import RowTrouble
from urlset.building.sources.iterable import items_of_entry
from urlset.building.sources.options import Item, SourceOptions
from urlset.model.trouble import TroubleKind
from urlset.reading.tree import read_tree

_LOSSES = frozenset(
    {
        *(TroubleKind.ENTRY_LOST, TroubleKind.TRUNCATED, TroubleKind.TRUNCATED_GZIP, TroubleKind.CORRUPT_GZIP),
        *(TroubleKind.TOO_LARGE, TroubleKind.COMPRESSION_BOMB, TroubleKind.NOT_A_SITEMAP, TroubleKind.NOT_AN_ADDRESS),
    }
)
"""What can cost a page; anything else the reader has mended."""


def from_sitemaps(start: Path | BinaryIO, options: SourceOptions) -> Iterator[Item]:
    """Children of an index are looked for next to it; one that is not there is a trouble."""
    tree = read_tree(start)
    for document in tree:
        name = document.name or "sitemap"
        for trouble in document.troubles:
            if trouble.kind in _LOSSES:
                at = f"{name}:{document.lines.number(trouble.place.offset)}"
                yield RowTrouble(at, f"{trouble.kind.value} {trouble.detail[:120]}".strip())
        for row, entry in enumerate(document.entries()):
            yield from items_of_entry(entry, f"{name}:{document.lines.number(document.place(row).offset)}", options)
    for missing in tree.missing:
        yield RowTrouble(missing.parent or missing.loc, f"{missing.loc}: {missing.reason}")
