"""A sitemap, a tree of them, or a feed → the pages it lists, with its dates as given evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, cast

from urlset.building.candidate import RowTrouble
from urlset.building.sources.iterable import Offers
from urlset.building.sources.source import ROWS, Block, Items, SourceOptions
from urlset.model.columns import TEXTS
from urlset.model.document import Document
from urlset.model.entry import Entry
from urlset.model.trouble import TroubleKind
from urlset.reading.tree import read_tree
from urlset.spec.lazy_pattern import lazy_pattern

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

_TEXTS = lazy_pattern(rb"(?s:<!--.*?(?:-->|\Z))|(?<=>)[^<>]++(?=<)")


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
        for first in range(0, len(document), ROWS):
            yield _Rows(document, origin, first, options)
        del document, origin  # before the next is read
    yield Items([RowTrouble(each.parent or each.loc, f"{each.loc}: {each.reason}") for each in tree.missing])


def _origin(document: Document, name: str, row: int) -> str:
    return f"{name}:{document.lines.number(document.place(row).offset)}"


class _Rows(Offers):
    """Some entries. Of a feed only addresses and dates: the rest does not belong in a sitemap."""

    def __init__(self, document: Document, origin_of: Callable[[int], str], first: int, options: SourceOptions) -> None:
        self._document, self._rows = document, range(len(document))[first : first + ROWS]
        super().__init__(_Entries(document, self._rows), origin_of, first, options)

    def fill(self, batch: Batch) -> bool:
        columns, rows = self._document.columns, self._rows
        starts = columns.starts[rows.start : rows.stop + 1]
        if len(starts) == len(rows):
            starts.append(columns.ends[-1])
        # what an entry says depends on what is declared before the first one, not on comments and the date of a feed
        head = repr(_TEXTS.sub(b"", self._document.data[: columns.starts[0]]))
        numbers = batch.unknown_in(self._document.data, starts, (self._document.kind.value, head))
        if self._document.kind.is_feed or not columns.extended:
            names = ("locs", "lastmods") if self._document.kind.is_feed else TEXTS
            batch.read_columns(*(self._texts(name, numbers) for name in names))
        else:
            batch.read_offers([self._offers[number] for number in numbers])
        return True

    def _texts(self, name: str, numbers: Sequence[int]) -> list[str | None]:
        """Those of some rows, one by one: together those of a large file would take as much memory as the file."""
        columns, first = self._document.columns, self._rows.start
        texts = [columns.text(name, first + number) for number in numbers]
        return [text and text.strip() for text in texts]


class _Entries(Sequence[Entry]):
    """Made when they are looked at."""

    def __init__(self, document: Document, rows: range) -> None:
        self._document, self._rows = document, rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, row: int) -> Entry:  # type: ignore[override]
        found = self._document.entry(self._rows[row])
        return Entry(found.loc, found.lastmod) if self._document.kind.is_feed else cast("Entry", found)
