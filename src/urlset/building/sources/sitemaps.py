"""A sitemap, a tree of them, or a feed → the pages it lists, with its dates as given evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from urlset.building.candidate import RowTrouble
from urlset.building.sources.iterable import Offers
from urlset.building.sources.source import ROWS, Block, Items, SourceOptions
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
        origin = partial(_origin, document, name)
        if document.kind.is_feed or not document.columns.extended:
            for first in range(0, len(document.columns), ROWS):
                yield _Columns(document, origin, first, options)
            continue
        entries, first = document.entries(), 0
        while some := list(islice(entries, ROWS)):
            yield Offers(some, origin, first, options)
            first += len(some)
    yield Items([RowTrouble(each.parent or each.loc, f"{each.loc}: {each.reason}") for each in tree.missing])


def _origin(document: Document, name: str, row: int) -> str:
    return f"{name}:{document.lines.number(document.place(row).offset)}"


class _Columns(Offers):
    """Some entries without media. Of a feed only addresses and dates: the rest does not belong in a sitemap."""

    def __init__(self, document: Document, origin_of: Callable[[int], str], first: int, options: SourceOptions) -> None:
        names = ("locs", "lastmods") if document.kind.is_feed else TEXTS
        rows = slice(first, first + ROWS)
        self._names = names
        self._texts = [[text and text.strip() for text in getattr(document.columns, each)[rows]] for each in names]
        super().__init__(_Entries(self._texts), origin_of, first, options)

    def fill(self, batch: Batch) -> bool:
        rows = batch.unknown(list(zip(*self._texts, strict=True)), self._names)
        if rows:
            batch.read_columns(*map(list, zip(*rows, strict=True)))
        return True


class _Entries(Sequence[Entry]):
    """Made of columns when they are looked at."""

    def __init__(self, texts: list[list[str | None]]) -> None:
        self._texts = texts

    def __len__(self) -> int:
        return len(self._texts[0])

    def __getitem__(self, row: int) -> Entry:  # type: ignore[override]
        loc, lastmod, *hints = (column[row] for column in self._texts)
        changefreq, priority = hints or (None, None)
        return Entry(loc, lastmod, changefreq, priority)
