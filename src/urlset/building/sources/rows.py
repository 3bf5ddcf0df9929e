"""A row of named values, whatever it was read from → a candidate, and what of the row could not be used.

Without a usable address there is no candidate. Any other value that cannot be used is left out and reported, and
the page is listed without it: a wrong date must not cost the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
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
    are_usual_alternates,
    links_by_language,
    structured,
    to_lastmod,
    to_loc,
)
from urlset.building.sources.columns import ABSENT, CLEAR, CRAWLER_COLUMNS, flat_field, meaning_of, standing_of
from urlset.building.sources.source import ROWS, Item, SourceError, SourceOptions, Values
from urlset.model.entry import NOTHING, Entry, Media
from urlset.model.shown import few
from urlset.reading.robots import meta_directives
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import CHANGEFREQ, PRIORITY_MAX, PRIORITY_MIN
from urlset.writing.media import extensions_of, media_xml
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
        self._options = options
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

    def items(self, row: Sequence[object], origin: str) -> Iterator[Item]:
        return items_of(self.meant(row), origin, self._options)

    def values(self, row: Sequence[object]) -> Values | None:
        return values_of(self.meant(row), self._options)

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


class TableRows:
    """Some rows of a table, each with its number."""

    def __init__(self, table: Table, rows: Sequence[Sequence[object]], numbers: Sequence[int], name: str) -> None:
        self._table, self._rows, self._numbers, self._name = table, rows, numbers, name

    def __len__(self) -> int:
        return len(self._rows)

    def origin(self, row: int) -> str:
        return f"{self._name}:{self._numbers[row]}"

    def items(self, row: int) -> Iterator[Item]:
        cells, width = self._rows[row], self._table.width
        if len(cells) > width:
            yield RowTrouble(self.origin(row), f"row has {len(cells)} cells, header has {width}")
        elif any(not isinstance(cell, str) or cell.strip() for cell in cells):
            yield from self._table.items(cells, self.origin(row))

    def fill(self, batch: Batch) -> bool:
        self._read(batch, batch.unknown(self._rows, self._table.header))
        return True

    def _read(self, batch: Batch, rows: Sequence[Sequence[object]]) -> None:
        if rows and self._table.is_simple and {*map(len, rows)} == {self._table.width}:
            batch.read_columns(*self._table.columns(rows))
        else:
            batch.leave_unread(len(rows))

    def values(self, row: int) -> Values | None:
        cells = self._rows[row]
        return self._table.values(cells) if len(cells) <= self._table.width else None


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


_COPIED = frozenset({"loc", "lastmod", "section", "title", "language"})
_USUAL = frozenset({*_COPIED, *_SPELLED_OUT, "changefreq", "priority"})
_LANGUAGE = "hreflang_"
_PRIORITY = lazy_pattern(r"0(?:\.[0-9]{1,6})?|1(?:\.0{1,6})?")


def values_of(values: _Values, options: SourceOptions) -> Values | None:
    """Those of a row that has nothing but usual ones, all of them legal; None for any other."""
    if not values.keys() <= _USUAL:
        values = _with_alternates(_cleared(values))
        flat = map(flat_field, values.keys() - _USUAL)  # `video_title` and the like
        if any(field is None or field[0] not in _MEDIA for field in flat):
            return None
    loc, lastmod, section, language = map(values.get, ("loc", "lastmod", "section", "language"))
    if not isinstance(loc, str) or not is_name(section) or not is_name(language):
        return None
    if not (lastmod is None or isinstance(lastmod, str)):
        try:
            lastmod = to_lastmod(lastmod, options.timezone)
        except DateError:
            return None
    if values.keys() <= _COPIED:
        return Values(loc, lastmod, section=section, language=language)
    rest = _usual_rest(values, options)
    alternates = values.get("alternates")
    if rest is None or (alternates and not are_usual_alternates(alternates)):
        return None
    return Values(loc, lastmod, *rest, section, language, alternates or None)


_SAID_BY_CRAWLER = frozenset({"canonical", "inlinks", *CRAWLER_COLUMNS})


def _cleared(values: _Values) -> _Values:
    """Without what a crawler says about a page that may be listed."""
    if not CRAWLER_COLUMNS.keys() & values.keys():
        return values
    canonical, loc = values.get("canonical", values.get("loc")), values.get("loc")
    if standing_of(values) != CLEAR or canonical != loc:
        return values
    return {name: value for name, value in values.items() if name not in _SAID_BY_CRAWLER}


_NOT_MEDIA = _USUAL - _MEDIA
_ANSWERED = frozenset({"status", "indexable"})
_NO_LINKS = frozenset({"0", "0.0"})


def _usual_rest(values: _Values, options: SourceOptions) -> tuple[bytes, tuple[str, ...]] | None:
    """What an entry says of legal values behind its lastmod, and the extensions it uses; None for others."""
    hints = hint_lines(values.get("changefreq"), values.get("priority"))
    if hints is None:
        return None
    media = {name: value for name, value in values.items() if name not in _NOT_MEDIA}
    try:
        found = _media_lines(media, options)
    except Unwritable:
        return None
    return None if found is None else ((hints + found[0]).encode(), found[1])


def _media_lines(values: _Values, options: SourceOptions) -> tuple[str, tuple[str, ...]] | None:
    """Those of images, videos and news; None where some cannot be used."""
    if not values:
        return "", ()
    reader = _Row(values, options)
    media = reader.media()
    return None if reader.troubles else (media_xml(media), tuple(extensions_of(media)))


def is_name(value: object) -> TypeGuard[str | None]:
    """Nothing, or a text without whitespace around it that XML can hold."""
    return value is None or (isinstance(value, str) and value.strip() == value and not FORBIDDEN.search(value))


def _with_alternates(values: _Values) -> _Values:
    """The columns `hreflang_de` and so on as one value."""
    flat = {
        name.removeprefix(_LANGUAGE).replace("_", "-"): value
        for name, value in values.items()
        if name.startswith(_LANGUAGE)
    }
    if not flat or "alternates" in values:
        return values
    rest = {name: value for name, value in values.items() if not name.startswith(_LANGUAGE)}
    return {**rest, "alternates": flat}


def hint_lines(changefreq: object, priority: object) -> str | None:
    """The lines of usual hints; None for any other."""
    lines = ""
    if changefreq:
        if not isinstance(changefreq, str) or (changefreq := changefreq.strip().lower()) not in CHANGEFREQ:
            return None
        lines = f"    <changefreq>{changefreq}</changefreq>\n"
    if priority is not None and priority != "":
        text = str(priority)
        if isinstance(priority, bool) or _PRIORITY.fullmatch(text) is None:
            return None
        lines += f"    <priority>{text}</priority>\n"
    return lines


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
        changefreq = (self._text("changefreq") or "").lower() or None
        if changefreq and changefreq not in CHANGEFREQ:
            self.troubles.append(f"changefreq: {changefreq[:40]!r} is not one of {', '.join(CHANGEFREQ)}; omitted")
            changefreq = None
        entry = Entry(loc, lastmod, changefreq, self._priority(), self.media())
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
        if isinstance(value, (list, tuple)):
            value = ", ".join(map(str, value))
        return None if value is None else str(value).strip() or None

    def _name(self, name: str) -> str | None:
        text, notes = legal(self._text(name) or "")
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

    def _priority(self) -> str | None:
        text = self._text("priority")
        if text is None:
            return None
        try:
            number = Decimal(text)
            legal = number.is_finite() and PRIORITY_MIN <= number <= PRIORITY_MAX
        except InvalidOperation:
            legal = False
        if not legal:
            self.troubles.append(f"priority: {text[:40]!r} is not a number from 0.0 to 1.0; omitted")
            return None
        return f"{number:f}"

    def media(self) -> Media:
        cells: dict[str, Any] = {name: [self._values[name]] for name in READERS if name in self._values}
        flat: dict[str, dict[str, object]] = {}
        for meaning, value in self._values.items():
            if (found := flat_field(meaning)) is not None:
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
