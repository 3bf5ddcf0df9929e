"""A row of named values, whatever it was read from → a candidate, and what of the row could not be used.

Without a usable address there is no candidate. Any other value that cannot be used is left out and reported, and
the page is listed without it: a wrong date must not cost the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from msgspec.structs import replace

from urlset.building.candidate import Candidate, Evidence, EvidenceKind, RowTrouble
from urlset.building.sources.cells import (
    OTHER_MEDIA,
    READERS,
    CellError,
    DateError,
    LocError,
    Setting,
    are_usual,
    links_by_language,
    structured,
    to_frequency,
    to_lastmod,
    to_loc,
    to_priority,
)
from urlset.building.sources.columns import ABSENT, COLUMNS, flat_field, meaning_of, standing_of
from urlset.building.sources.source import ROWS, Block, Item, SourceError, SourceOptions, Values
from urlset.model.entry import NOTHING, Entry, Media
from urlset.model.page import NOINDEX
from urlset.model.shown import few
from urlset.reading.robots import meta_directives
from urlset.spec.protocol import CHANGEFREQ
from urlset.writing.media import extensions_of
from urlset.writing.urlset import entry_bytes
from urlset.writing.xml import FORBIDDEN, Unwritable, legal

if TYPE_CHECKING:
    from urlset.building.compiled_pages import Batch

_COLUMNS = ("loc", "lastmod", "changefreq", "priority", "images", "videos", "alternates", "section", "language", "news")
"""what compiled code reads, in its order"""
_Values = dict[str, Any]
_ABSENT = ("", ABSENT)
_NO_VALUE = (None, *_ABSENT)
_MEDIA = frozenset({"images", "videos", "news"})
_SPELLED_OUT = _MEDIA | {"alternates"}


class Table:
    """Rows that share a header. Raises SourceError when no column holds the address."""

    def __init__(self, header: Sequence[str], name: str, options: SourceOptions) -> None:
        meanings = [meaning_of(column) for column in header]
        if "loc" not in meanings:
            shown = few([repr(column[:40]) for column in header], 12) or "none"
            raise SourceError(f"{name} has no column loc or url; its columns are {shown}")
        self.header = tuple(header)
        self.width = len(header)
        self.at_once = max(ROWS // 16, ROWS * 4 // max(self.width, 4))
        """rows to read in a block: fewer where they are wide"""
        self._columns = [(at, meaning) for at, meaning in enumerate(meanings) if meaning is not None]
        self.options = options
        wanted = [meaning for meaning in meanings if meaning not in (None, "title")]
        self._flat: dict[str, list[tuple[str, int]]] = {}
        """groups of columns that are one value together: each column with its field"""
        for at, meaning in self._columns:
            if (flat := flat_field(meaning)) is not None:
                self._flat.setdefault(flat[0], []).append((flat[1], at))
                wanted.remove(meaning)
        wanted += self._flat
        self.is_simple = {*wanted} <= {*_COLUMNS} and all(
            len({*names}) == len(names)
            for names in (wanted, *([name for name, _ in group] for group in self._flat.values()))
        )
        """every value fits into a column"""
        self._places = [meanings.index(meaning) if meaning in meanings else None for meaning in _COLUMNS]

    def meant(self, row: Sequence[object]) -> _Values:
        values: _Values = {}
        for at, meaning in self._columns:
            if at < len(row) and row[at] is not None and row[at] not in _ABSENT:
                values.setdefault(meaning, row[at])
        return values

    def columns(self, rows: Sequence[Sequence[object]]) -> list[list[object] | None]:
        """The values of rows of the table's width, in the order of `_COLUMNS`; None for a column that is not there."""
        return [self._column(name, at, rows) for name, at in zip(_COLUMNS, self._places, strict=True)]

    def _column(self, name: str, at: int | None, rows: Sequence[Sequence[object]]) -> list[object] | None:
        if (group := self._flat.get(name)) is not None:
            return [{field: cell for field, at in group if (cell := row[at]) not in _NO_VALUE} or None for row in rows]
        if at is None:
            return None
        cells = [row[at] for row in rows]
        if name == "alternates":
            return [links_by_language(structured(cell)) for cell in cells]
        return [structured(cell) for cell in cells] if name in _SPELLED_OUT else cells


class NamedRows(Block):
    """Rows that say what their values mean."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._kept: dict[int, Sequence[Item]] = {}
        """of rows of which `values` could not tell; they are needed next"""

    def meant(self, row: int) -> _Values | str | None:
        """The values by their meaning, or why there are none; None for a row that is blank."""
        raise NotImplementedError

    def items(self, row: int) -> Sequence[Item]:
        if row in self._kept:
            return self._kept.pop(row)
        found = self.meant(row)
        if isinstance(found, str):
            return (RowTrouble(self.origin(row), found),)
        return () if found is None else (*items_of(found, self.origin(row), self._options),)

    def values(self, row: int) -> Values | None:
        items = self.items(row)
        values = values_of(items[0]) if len(items) == 1 and isinstance(items[0], Candidate) else None
        if values is None:
            self._kept[row] = items
        return values


class TableRows(NamedRows):
    """Some rows of a table, each with its number."""

    def __init__(self, table: Table, rows: Sequence[Sequence[object]], numbers: Sequence[int], name: str) -> None:
        super().__init__(table.options)
        self._table, self._rows, self._numbers, self._name = table, rows, numbers, name

    def __len__(self) -> int:
        return len(self._rows)

    def origin(self, row: int) -> str:
        return f"{self._name}:{self._numbers[row]}"

    def meant(self, row: int) -> _Values | str | None:
        cells, width = self._rows[row], self._table.width
        if len(cells) > width:
            return f"row has {len(cells)} cells, header has {width}"
        if any(not isinstance(cell, str) or cell.strip() for cell in cells):
            return self._table.meant(cells)
        return None

    def fill(self, batch: Batch) -> bool:
        self._read(batch, batch.unknown(self._rows, self._table.header))
        return True

    def _read(self, batch: Batch, rows: Sequence[Sequence[object]]) -> None:
        if rows and self._table.is_simple and {*map(len, rows)} == {self._table.width}:
            batch.read_columns(*self._table.columns(rows))
        else:
            batch.leave_unread(len(rows))


def meanings_of(row: Mapping[str, object]) -> _Values:
    values: _Values = {}
    for column, value in row.items():
        meaning = OTHER_MEDIA if isinstance(value, Media) else meaning_of(str(column))
        if meaning is not None and value is not None and value != "":
            values.setdefault(meaning, value)
    return values


def items_of_mapping(row: Mapping[str, object], origin: str, options: SourceOptions) -> Iterator[Item]:
    """A row whose names are its own, such as an object of JSON."""
    return items_of(meanings_of(row), origin, options)


_FREQUENCIES = f"one of {', '.join(CHANGEFREQ)}"
_OPENING, _CLOSING = b"  <url>\n", b"  </url>\n"
_CHANGES = NOINDEX | {"unavailable_after"}
_ANSWERED = frozenset({"status", "indexable"})
_NO_LINKS = frozenset({"0", "0.0"})


def values_of(page: Candidate) -> Values | None:
    """Those of a page of which nothing but its address may decide whether it is listed; None for any other."""
    entry, media = page.entry, page.entry.media
    if page.redirects_to or page.error or page.not_indexable or not page.is_page:
        return None
    if page.canonical not in (None, entry.loc) or not _CHANGES.isdisjoint(map(_name_of, page.directives)):
        return None
    rest, links = b"", {link.hreflang or "": link.href or "" for link in media.alternates}
    if links and (len(links) < len(media.alternates) or not are_usual(media.alternates)):
        return None
    if media is not NOTHING or entry.changefreq or entry.priority:
        if media.pagemaps or media.mobile is not None or media.unknown:
            return None
        media = replace(media, alternates=()) if links else media
        try:
            rest = entry_bytes(replace(entry, loc=None, lastmod=None, media=media))[len(_OPENING) : -len(_CLOSING)]
        except Unwritable:
            return None
    used = () if media is NOTHING else tuple(extensions_of(media))
    return Values(entry.loc or "", entry.lastmod, rest, used, page.section, page.language, links)


def _name_of(directive: str) -> str:
    return directive.partition(":")[0]


def is_name(value: object) -> TypeGuard[str | None]:
    """Nothing, or a text without whitespace around it that XML can hold."""
    return value is None or (isinstance(value, str) and value.strip() == value and not FORBIDDEN.search(value))


def items_of(values: _Values, origin: str, options: SourceOptions) -> Iterator[Item]:
    """Troubles first, then the candidate if there is one. Keys are meanings."""
    try:
        loc = to_loc(str(values.get("loc", "")), options.base_url)
    except LocError as error:
        yield RowTrouble(origin, str(error))
        return
    reader = _Row(values, options)
    candidate = reader.candidate(loc, origin)
    for reason in reader.troubles:
        yield RowTrouble(origin, reason)
    yield candidate


class _Row:
    def __init__(self, values: _Values, options: SourceOptions) -> None:
        self._values = values
        self._options = options
        self.troubles: list[str] = []

    def candidate(self, loc: str, origin: str) -> Candidate:
        lastmod = self._lastmod()
        standing = standing_of(self._values)
        if standing.trouble is not None:
            self.troubles.append(standing.trouble)
        changefreq = self._hint("changefreq", to_frequency, _FREQUENCIES)
        priority = self._hint("priority", to_priority, "a number from 0.0 to 1.0")
        entry = Entry(loc, lastmod, changefreq, priority, self.media())
        return Candidate(
            entry,
            origin,
            canonical=self._address("canonical"),
            directives=(*meta_directives(self._text("robots") or ""), *standing.directives),
            redirects_to=self._address("redirects_to"),
            title=self._text("title"),
            language=self._name("language"),
            section=self._name("section"),
            evidence=(Evidence(EvidenceKind.GIVEN, lastmod),) if lastmod else (),
            is_page=standing.is_page,
            error=standing.error,
            not_indexable=standing.not_indexable,
            is_crawled=bool(_ANSWERED & self._values.keys()),
            is_linked=self._text("inlinks") not in _NO_LINKS,
        )

    def _text(self, name: str) -> str | None:
        value = self._values.get(name)
        if value is None:
            return None
        text = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        return text.strip() or None

    def _name(self, name: str) -> str | None:
        if (found := self._text(name)) is None:
            return None
        text, notes = legal(found)
        self.troubles += [f"{name}: {note}" for note in notes]
        return text or None

    def _address(self, name: str) -> str | None:
        text = self._text(name)
        try:
            return to_loc(text, self._options.base_url) if text else None
        except LocError as error:
            self.troubles.append(f"{name}: {error}; omitted")
            return None

    def _lastmod(self) -> str | None:
        try:
            return to_lastmod(self._values.get("lastmod"), self._options.timezone)
        except DateError as error:
            self.troubles.append(f"lastmod: {error}; omitted")
            return None

    def _hint(self, name: str, spelled: Callable[[str], str | None], right: str) -> str | None:
        found = spelled(text := self._text(name) or "")
        if found is None:
            self.troubles.append(f"{name}: {text[:40]!r} is not {right}; omitted")
        return found or None

    def media(self) -> Media:
        cells: dict[str, Any] = {name: [self._values[name]] for name in READERS if name in self._values}
        flat: dict[str, dict[str, object]] = {}
        for meaning, value in self._values.items():
            if meaning not in COLUMNS and (found := flat_field(meaning)) is not None:
                flat.setdefault(found[0], {})[found[1]] = value
        for group, fields in flat.items():
            cells.setdefault(group, []).append(fields)
        other = self._values.get(OTHER_MEDIA)
        if not cells:
            return other if isinstance(other, Media) else NOTHING
        read: dict[str, Any] = {name: tuple(self._cells(name, given)) for name, given in cells.items()}
        if not isinstance(other, Media):
            return Media(**read)
        return replace(other, **(read | {"alternates": (*read.get("alternates", ()), *other.alternates)}))

    def _cells(self, name: str, cells: Iterable[object]) -> Iterator[Any]:
        setting = Setting(self._options.base_url, self._options.timezone)
        for cell in cells:
            try:
                yield from READERS[name](cell, setting)
            except CellError as error:
                self.troubles.append(f"{name}: {error}; omitted")
