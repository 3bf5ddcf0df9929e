"""A sitemap, a tree of them, or a feed → the pages it lists, with its dates as given evidence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from urlset.building.candidate import RowTrouble
from urlset.building.sources.iterable import items_of_entry, values_of_entry
from urlset.building.sources.source import ROWS, Block, Item, Items, SourceOptions, ValueBlock, Values
from urlset.model.columns import TEXTS
from urlset.model.document import Document
from urlset.model.entry import Entry
from urlset.model.trouble import TroubleKind
from urlset.reading.tree import read_tree

if TYPE_CHECKING:
    from urlset.building.compiled_pages import Batch
    from urlset.storage.paths import FilePath

_LOSSES = frozenset(
    {
        *(TroubleKind.ENTRY_LOST, TroubleKind.TRUNCATED, TroubleKind.TRUNCATED_GZIP, TroubleKind.CORRUPT_GZIP),
        *(TroubleKind.TOO_LARGE, TroubleKind.COMPRESSION_BOMB, TroubleKind.NOT_A_SITEMAP, TroubleKind.NOT_AN_ADDRESS),
        *(TroubleKind.TOO_DAMAGED, TroubleKind.TOO_MANY_ENTRIES, TroubleKind.MALFORMED),
    }
)
"""What can cost a page; the reader has repaired anything else."""


def from_sitemaps(start: FilePath | BinaryIO, options: SourceOptions) -> Iterator[Block]:
    """Children of an index are looked for next to it; one that is not there is a trouble."""
    tree = read_tree(start)
    for document in tree:
        name = document.name or "sitemap"
        for trouble in document.troubles:
            if trouble.kind in _LOSSES:
                at = f"{name}:{document.lines.number(trouble.place.offset)}"
                yield Items([RowTrouble(at, f"{trouble.kind.value} {trouble.detail[:120]}".strip())])
        if document.kind.lists_sitemaps:
            continue
        if document.kind.is_feed or not document.columns.extended:
            yield from (_Columns(document, name, first, options) for first in range(0, len(document.columns), ROWS))
            continue
        entries = document.entries()
        first = 0
        while some := list(islice(entries, ROWS)):
            yield _entries(some, document, name, first, options)
            first += len(some)
    yield Items([RowTrouble(each.parent or each.loc, f"{each.loc}: {each.reason}") for each in tree.missing])


class _Columns:
    """Some entries without media. Of a feed only addresses and dates: the rest does not belong in a sitemap."""

    def __init__(self, document: Document, name: str, first: int, options: SourceOptions) -> None:
        self._document, self._name, self._first, self._options = document, name, first, options
        self._names = ("locs", "lastmods") if document.kind.is_feed else TEXTS

    def __len__(self) -> int:
        return min(ROWS, len(self._document.columns) - self._first)

    def origin(self, row: int) -> str:
        document = self._document
        return f"{self._name}:{document.lines.number(document.place(self._first + row).offset)}"

    def _texts(self, rows: slice) -> Iterator[list[str | None]]:
        columns = self._document.columns
        return ([text and text.strip() for text in getattr(columns, name)[rows]] for name in self._names)

    def _entry(self, row: int) -> Entry:
        at = self._first + row
        loc, lastmod, changefreq, priority, *_ = (*(text for (text,) in self._texts(slice(at, at + 1))), None, None)
        return Entry(loc, lastmod, changefreq, priority)

    def items(self, row: int) -> Iterator[Item]:
        return items_of_entry(self._entry(row), self.origin(row), self._options)

    def fill(self, batch: Batch) -> bool:
        texts = list(self._texts(slice(self._first, self._first + ROWS)))
        if any("" in column for column in texts[2:]):  # an empty element is copied
            batch.leave_unread(len(self))
        else:
            batch.read_columns(*texts)
        return True

    def values(self, row: int) -> Values | None:
        return values_of_entry(self._entry(row))


def _entries(
    entries: list[Entry], document: Document, name: str, first: int, options: SourceOptions
) -> ValueBlock[Entry]:
    def origin(row: int) -> str:
        return f"{name}:{document.lines.number(document.place(first + row).offset)}"

    return ValueBlock(entries, origin, values_of_entry, lambda entry, at: items_of_entry(entry, at, options))
