"""Sitemap files and a filter → batches of listed pages, and what could not be listed."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from difflib import get_close_matches
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from urlset.model.columns import Mark
from urlset.model.document import Document, Has
from urlset.model.entry import Image
from urlset.model.errors import ArgumentValueError
from urlset.model.frames import ColumnType, ListOf, Shape, instant_of, number_of, shape_of, trimmed
from urlset.model.moment import Moment
from urlset.model.page_tables import SHAPES
from urlset.model.trouble import TroubleKind
from urlset.reading.disk import NoSitemap
from urlset.reading.tree import MAX_INDEX_DEPTH, DocumentTree, Missing, Start
from urlset.snapshots.parquet import block_of, fields_hashes
from urlset.storage.paths import is_address
from urlset.web.caller import checkpoint

if TYPE_CHECKING:
    from urlset.model.entry import Media
    from urlset.workflows.live.tree import LiveTree


NO_DOCUMENTS: Mapping[str, Document] = {}
"""targets that are documents in memory, by name: there are none"""


class ListFilter(msgspec.Struct, frozen=True):
    """Which pages to list."""

    match: re.Pattern[str] | None = None
    since: Moment | None = None
    limit: int | None = None
    exclude: tuple[re.Pattern[str], ...] = ()
    until: Moment | None = None
    known: Mapping[str, int] | None = None
    """entries of an earlier state by URL, as `fields_hashes` gives them; only new and changed ones are listed"""


class Notice(NamedTuple):
    """A notice about a source for the reader of the list."""

    source: str
    text: str
    grave: bool = True
    """pages are missing from the list that a whole and readable source would have given"""
    parent: str = ""
    not_a_sitemap: bool = False
    """the source was read, and is something else"""


def list_pages(
    starts: Sequence[Start], wanted: ListFilter, root: str | None = None, live: Callable[..., LiveTree] | None = None
) -> Iterator[Batch | Notice]:
    """Every wanted page of every file or address, batch by batch as they are read; indexes are followed.

    `live` makes the tree of addresses, with its settings.
    """
    left = wanted.limit
    if left == 0:
        return
    for tree in trees(starts, root, live):
        with closing(documents_of(tree)) as documents:
            for document in documents:
                if isinstance(document, Missing):
                    yield absence(document)
                    continue
                checkpoint()
                batch = select(document, wanted, left)
                if batch:
                    yield batch
                    left = None if left is None else left - len(batch)
                if left == 0:
                    return
                yield from notices(document)
                # let go before the next document is read: two at once would double the memory
                del document, batch


def documents_of(tree: DocumentTree | LiveTree) -> Generator[Document | Missing]:
    """Each document, after what could not be read before it."""
    reported = 0
    for document in tree:
        yield from tree.missing[reported:]
        reported = len(tree.missing)
        yield document
        del document
    yield from tree.missing[reported:]


def trees(
    starts: Sequence[Start],
    root: str | None,
    live: Callable[..., LiveTree] | None,
    *,
    max_depth: int = MAX_INDEX_DEPTH,
    with_robots: bool = False,
) -> Iterator[DocumentTree | LiveTree]:
    """Addresses are fetched together, and so are files that follow each other."""
    for on_the_web, group in groupby(starts, lambda start: isinstance(start, str) and is_address(start)):
        if on_the_web:
            from urlset.workflows.live.tree import LiveTree  # brings asyncio along, which files do not need

            targets = [str(start) for start in group]
            yield (live or LiveTree)(targets, max_depth=max_depth, with_robots=with_robots)
        else:
            yield DocumentTree(list(group), root=root, max_depth=max_depth)


def select(document: Document, wanted: ListFilter, limit: int | None = None) -> Batch:
    """The wanted rows of one document; none unless it lists pages."""
    if not document.kind.lists_pages:
        return Batch(document, ())
    locs = document.columns.locs
    rows: Sequence[int] = range(len(locs))
    if not all(locs) or any(map(str.isspace, filter(None, locs))):
        rows = [row for row in rows if (locs[row] or "").strip()]
    if wanted.match is not None:
        found = wanted.match.search
        rows = [row for row in rows if found((locs[row] or "").strip())]
    for pattern in wanted.exclude:
        rows = [row for row in rows if not pattern.search((locs[row] or "").strip())]
    if wanted.since is not None or wanted.until is not None:
        lastmods = document.columns.lastmods
        fitting = {
            text: could_be_between(text, wanted.since, wanted.until) for text in set(lastmods) if text is not None
        }
        rows = [row for row in rows if (text := lastmods[row]) is not None and fitting[text]]
    if wanted.known is not None:
        block = block_of(document, rows)
        hashes = zip(rows, block.locs, fields_hashes(block), strict=True)
        rows = [row for row, loc, found in hashes if wanted.known.get(loc) != found]
    return Batch(document, rows if limit is None else rows[:limit])


def could_be_between(lastmod: str, since: Moment | None, until: Moment | None) -> bool:
    """Whether part of what `lastmod` covers lies between the start of `since` and the end of `until`.

    Two texts without a zone are taken to share one; against a text with a zone they could be anywhere.
    """
    moment = Moment.parse(lastmod)
    for border in filter(None, (since, until)):
        same_clock = not (moment.timezone_known or border.timezone_known)
        covered = moment.interval() if same_clock else moment.certain_interval()
        limits = border.interval() if same_clock else border.certain_interval()
        if covered is None or limits is None:
            return False
        if covered[1] <= limits[0] if border is since else covered[0] >= limits[1]:
            return False
    return True


def absence(missing: Missing) -> Notice:
    if missing.parent:
        return Notice(missing.loc, f"listed in {missing.parent}, not read: {missing.reason}", parent=missing.parent)
    if isinstance(missing, NoSitemap):
        return Notice(missing.loc, missing.reason, grave=False)
    return Notice(missing.loc, f"cannot be read: {missing.reason}")


def notices(document: Document) -> Iterator[Notice]:
    """What keeps the list of one document from being complete."""
    if document.kind.reader is None:
        if document.envelope.compression not in (None, "gzip"):
            text = f"is compressed with {document.envelope.compression}; only gzip is supported, decompress it first"
        else:
            hint = "; it may be a saved error page" if document.kind.has & Has.WEB_PAGE else ""
            text = f"{document.kind.refusal}{hint}"
        yield Notice(document.name, text, not_a_sitemap=True)
        return
    ending = (TroubleKind.TRUNCATED, TroubleKind.TOO_DAMAGED, TroubleKind.TOO_MANY_ENTRIES, TroubleKind.MALFORMED)
    if not document.envelope.complete or document.troubles.has(*ending):
        yield Notice(document.name, "truncated; the pages before that point are listed")
    lost = document.troubles.count_of(TroubleKind.ENTRY_LOST)
    if lost:
        entries = "1 entry" if lost == 1 else f"{lost:,} entries"
        yield Notice(document.name, f"{entries} could not be read; run `urlset info` for the places", grave=False)


# Some rows of one document, looked at together: what a listing is made of.


class Batch:
    """Rows of one document, in order; each of them has a loc."""

    def __init__(self, document: Document, rows: Sequence[int]) -> None:
        self.document = document
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def slices(self, size: int) -> Iterator[Batch]:
        """The same rows in portions of at most `size`."""
        for start in range(0, len(self.rows), size):
            yield Batch(self.document, self.rows[start : start + size])

    def values(self, fields: Sequence[Field]) -> list[list[Any]]:
        """One column for each field."""
        return [field.values(self) for field in fields]

    def texts(self, column: Sequence[str | None]) -> list[str | None]:
        """One column of the document at these rows, without surrounding whitespace."""
        if len(self.rows) == len(column):
            return trimmed(column)
        return trimmed(column[row] for row in self.rows)

    @cached_property
    def locs(self) -> list[str]:
        return [loc or "" for loc in self.texts(self.document.columns.locs)]

    @cached_property
    def media(self) -> list[Media]:
        return [self.document.media(row) for row in self.rows]

    @cached_property
    def offsets(self) -> list[int]:
        """Where each entry starts, in bytes of the unpacked document."""
        return [self.document.columns.starts[row] for row in self.rows]


# The fields that a listing can show: name, meaning, type, and how a batch gives their values.


class Field(NamedTuple):
    name: str
    meaning: str
    shape: Shape
    values: Callable[[Batch], list[Any]]


class UnknownFieldError(ArgumentValueError):
    """A requested field does not exist in any listing."""

    def __init__(self, name: str) -> None:
        self.name = name
        close = get_close_matches(name.lower(), FIELDS, n=1, cutoff=0.6)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        super().__init__(f"unknown field {name!r}{hint or ';'} choose from {', '.join(FIELDS)}")


def choose(text: str) -> tuple[Field, ...]:
    """`loc, lastmod` → the fields, in the order given, each once."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in FIELDS and name not in _ALIASES:
            raise UnknownFieldError(name)
    return tuple(FIELDS[_ALIASES.get(name, name)]._replace(name=name) for name in dict.fromkeys(names))


_ALIASES = {"url": "loc", "file": "source"}


def _address(part: str) -> Callable[[Batch], list[Any]]:
    def values(batch: Batch) -> list[Any]:
        from urlset.model.address import Address

        return [getattr(Address.parse(loc), part) for loc in batch.locs]

    return values


def _written(column: str) -> Callable[[Batch], list[Any]]:
    return lambda batch: batch.texts(getattr(batch.document.columns, column))


def _media(kind: str) -> Callable[[Batch], list[Any]]:
    return lambda batch: [getattr(media, kind) for media in batch.media]


def _place(part: str) -> Callable[[Batch], list[Any]]:
    return lambda batch: [getattr(batch.document.lines.at(offset), part) for offset in batch.offsets]


def _lastmod_times(batch: Batch) -> list[str | None]:
    """Where a lastmod starts, in UTC."""
    instants = map(instant_of, batch.texts(batch.document.columns.lastmods))
    return [None if each is None else each.isoformat().replace("+00:00", "Z") for each in instants]


def _pagemaps(batch: Batch) -> list[list[str]]:
    return [[msgspec.json.encode(each).decode() for each in media.pagemaps] for media in batch.media]


def _salvaged(batch: Batch) -> list[bool]:
    marks = batch.document.columns.marks
    return [bool(marks[row] & Mark.SALVAGED) for row in batch.rows]


_TEXT, _INTEGER, _TEXTS = ColumnType.TEXT, ColumnType.INTEGER, ListOf(ColumnType.TEXT)
_ALL = (
    Field("loc", "URL, as written", _TEXT, lambda batch: batch.locs),
    Field("lastmod", "lastmod, as written", _TEXT, _written("lastmods")),
    Field("lastmod_time", "start of the lastmod, in UTC", _TEXT, _lastmod_times),
    Field("changefreq", "changefreq, as written", _TEXT, _written("changefreqs")),
    Field("priority", "priority, as written", _TEXT, _written("priorities")),
    Field("images", "image URLs", SHAPES["images"], lambda b: [[each.loc for each in m.images] for m in b.media]),
    Field("image_details", "images with all fields", ListOf(shape_of(Image)), _media("images")),
    Field("videos", "videos with all fields", SHAPES["videos"], _media("videos")),
    Field("news", "news articles with all fields", SHAPES["news"], _media("news")),
    Field("alternates", "alternates: hreflang, href, rel, media", SHAPES["alternates"], _media("alternates")),
    Field("pagemaps", "PageMap objects", _TEXTS, _pagemaps),
    Field("other", "elements of other namespaces, as written", _TEXTS, lambda b: [list(m.unknown) for m in b.media]),
    Field("mobile", "marked as a mobile page", ColumnType.FLAG, lambda b: [m.mobile is not None for m in b.media]),
    Field("host", "host of the URL", _TEXT, _address("host")),
    Field("path", "path of the URL", _TEXT, _address("path")),
    Field("query", "query of the URL", _TEXT, _address("query")),
    Field("source", "the file", _TEXT, lambda batch: [batch.document.name] * len(batch)),
    Field("sitemap", "URL of the file, when listed in an index", _TEXT, lambda b: [b.document.url] * len(b)),
    Field("kind", "kind of file: urlset, text, rss, atom", _TEXT, lambda b: [b.document.kind.value] * len(b)),
    Field("position", "number of the entry in its file, from 1", _INTEGER, lambda b: [row + 1 for row in b.rows]),
    Field("line", "line where the entry starts, from 1", _INTEGER, _place("line")),
    Field("column", "column where the entry starts, from 1", _INTEGER, _place("column")),
    Field("offset", "byte offset of the entry, uncompressed", _INTEGER, lambda batch: batch.offsets),
    Field(
        "length", "length of the entry in bytes", _INTEGER, lambda b: [b.document.place(row).length for row in b.rows]
    ),
    Field("salvaged", "entry was malformed and repaired while reading", ColumnType.FLAG, _salvaged),
)
FIELDS: dict[str, Field] = {field.name: field for field in _ALL}
DEFAULT = "loc,lastmod,changefreq,priority,source"


# Batches of listed pages → the same rows ordered by one field; with a limit, only as many are held in memory.

Row = tuple[Any, ...]
_MEANT: dict[str, Callable[[str | None], Any]] = {"lastmod": instant_of, "priority": number_of}
"""fields that are not ordered by their text"""


class Order(NamedTuple):
    field: Field
    descending: bool = False

    @classmethod
    def parse(cls, text: str) -> Order:
        """`lastmod`, or `-lastmod` for the largest first. Raises UnknownFieldError."""
        name = text.strip()
        (field,) = choose(name.removeprefix("-").split(",")[0]) or choose("?")
        return cls(field, name.startswith("-"))

    def keys(self, batch: Batch) -> list[Any]:
        """Values that can be compared; None where there is none."""
        meant = _MEANT.get(self.field.name)
        values = self.field.values(batch) if meant is None else map(meant, self.field.values(batch))
        return [len(value) if isinstance(value, (list, tuple)) else value for value in values]


class SortedRows:
    """Rows with the values of the chosen fields, as a Batch has them."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def slices(self, size: int) -> Iterator[SortedRows]:
        for start in range(0, len(self._rows), size):
            yield SortedRows(self._rows[start : start + size])

    @property
    def locs(self) -> list[str]:
        return [row[0] for row in self._rows]

    def values(self, fields: Sequence[Field]) -> list[list[Any]]:
        """Of the fields that the rows were made for."""
        return [[row[at] for row in self._rows] for at in range(1, len(fields) + 1)]


def in_order(pages: Iterator[Batch], order: Order, fields: Sequence[Field], limit: int | None) -> SortedRows:
    """Rows without the field come last, whatever the direction."""
    absent: list[Row] = []

    def present() -> Iterator[tuple[Any, Row]]:
        for batch in pages:
            rows = zip(batch.locs, *batch.values(fields), strict=True)
            for key, row in zip(order.keys(batch), rows, strict=True):
                if key is not None:
                    yield key, row
                elif limit is None or len(absent) < limit:
                    absent.append(row)
            del batch

    if limit is None:
        ordered = sorted(present(), key=itemgetter(0), reverse=order.descending)
    else:
        ordered = (heapq.nlargest if order.descending else heapq.nsmallest)(limit, present(), key=itemgetter(0))
    rows = [row for _, row in ordered] + absent
    return SortedRows(rows if limit is None else rows[:limit])
