"""Rows → the columns of an interactive table, as inert JSON: string tables, shared prefixes, bounded in size."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from urlset.reports.visible import cut

if TYPE_CHECKING:
    from markupsafe import Markup

MOST_ROWS = 100_000
"""embedded in one file; above that, a sample"""
MOST_BYTES = 50_000_000
"""of the embedded data"""
LONGEST = 1_000
"""characters of one value"""
_CHUNK = 2_000
_SCRIPT_SAFE = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})

Kind = Literal["url", "text", "choice", "words", "number"]


class TableColumn(msgspec.Struct, frozen=True):
    """`choice` has few different values, `words` are values separated by spaces; both can be filtered by."""

    name: str
    """the name in downloads"""
    title: str
    kind: Kind = "text"
    shown: bool = True
    filter: str = ""
    """the label of its filter; empty for none"""
    shapes: dict[str, str] = {}
    """value → CSS class of its color"""
    labels: tuple[str, ...] = ()
    """what the filter shows for the values 1, 2, 3 …"""


class TableData:
    """Takes rows one by one. Rows that matter are kept before others; of too many, a random sample stays."""

    def __init__(
        self, columns: Sequence[TableColumn], *, noun: str = "page", most: int = MOST_ROWS, most_bytes: int = MOST_BYTES
    ) -> None:
        self.columns, self.noun = tuple(columns), noun
        self._most, self._most_bytes = most, most_bytes
        self._matter, self._others = _Sample(most), _Sample(most)

    def add(self, values: Sequence[object], *, matters: bool = False) -> None:
        sample = self._matter if matters else self._others
        sample.add((self.total, tuple(values)))

    @property
    def total(self) -> int:
        return self._matter.seen + self._others.seen

    @property
    def rows(self) -> int:
        return self._encoded[0]

    @property
    def is_sample(self) -> bool:
        return self.total > self.rows

    @property
    def all_that_matter(self) -> int:
        """How many rows matter, if the table has all of them; 0 otherwise."""
        return self._matter.seen if self._matter.seen <= self.rows else 0

    def json(self) -> Iterator[Markup]:
        """An object of columns, in pieces. No text in it can end the element that holds it, or start another."""
        yield from self._encoded[1]

    def kept(self, most: int) -> list[tuple[object, ...]]:
        """In the order of arrival."""
        first = self._matter.kept[:most]
        chosen = [*first, *self._others.kept[: most - len(first)]]
        return [values for _, values in sorted(chosen, key=lambda each: each[0])]

    @cached_property
    def _encoded(self) -> tuple[int, list[Markup]]:
        """As many rows as fit: a site with very long URLs and titles has fewer."""
        most = self._most
        while True:
            rows = self.kept(most)
            pieces = list(self._pieces(rows))
            size = sum(len(piece.encode()) for piece in pieces)
            if size <= self._most_bytes or not rows:
                return len(rows), pieces
            most = int(len(rows) * self._most_bytes / size * 0.95)

    def _pieces(self, rows: list[tuple[object, ...]]) -> Iterator[Markup]:
        from markupsafe import Markup

        head = {"rows": len(rows), "total": self.total, "noun": self.noun}
        yield _safe(msgspec.json.encode(head).decode()[:-1]) + Markup(',"columns":[')
        addresses = [_text(row[0]) for row in rows] if self.columns[0].kind == "url" else None
        for at, column in enumerate(self.columns):
            if at:
                yield Markup(",\n")
            yield from _encoded(column, (row[at] for row in rows), addresses if at else None)
        yield Markup("]}")


class _Sample:
    """The first rows, and of more a uniform random sample: the same for the same rows."""

    def __init__(self, most: int) -> None:
        self._most, self._random = most, random.Random(0)  # noqa: S311 - a sample, not a secret
        self.kept: list[tuple[int, tuple[object, ...]]] = []
        self.seen = 0

    def add(self, row: tuple[int, tuple[object, ...]]) -> None:
        self.seen += 1
        if len(self.kept) < self._most:
            self.kept.append(row)
        elif (place := self._random.randrange(self.seen)) < self._most:
            self.kept[place] = row


def _encoded(column: TableColumn, values: Iterable[object], addresses: list[str] | None) -> Iterator[Markup]:
    from markupsafe import Markup

    said: dict[str, Any] = {
        "name": _text(column.name),
        "title": _text(column.title),
        "kind": column.kind,
        "shown": column.shown,
        "filter": _text(column.filter),
        "shapes": column.shapes,
        "labels": [_text(label) for label in column.labels],
    }
    cells: list[Any]
    if column.kind == "number":
        cells = list(values)
    else:
        texts = [_text(value) for value in values]
        found = {text: at for at, text in enumerate(dict.fromkeys(texts))}
        if column.kind in ("choice", "words") or 2 * len(found) < len(texts):
            said["table"] = list(found)
            cells = [found[text] for text in texts]
        else:
            cells = _without_repeats(said, texts, addresses if column.kind == "url" else None)
    yield _safe(msgspec.json.encode(said).decode()[:-1]) + Markup(',"values":[')
    for start in range(0, len(cells), _CHUNK):
        chunk = msgspec.json.encode(cells[start : start + _CHUNK]).decode()
        if start:
            yield Markup(",")
        yield _safe(chunk[1:-1])
    yield Markup("]}")


def _without_repeats(said: dict[str, Any], texts: list[str], addresses: list[str] | None) -> list[Any]:
    """What all values begin with is written once; 0 is the URL of the row."""
    prefix = _common([text for text in texts if text])
    said["prefix"] = prefix
    short = [text[len(prefix) :] if text else "" for text in texts]
    if addresses is None:
        return short
    return [
        0 if text and text == address else each for each, text, address in zip(short, texts, addresses, strict=True)
    ]


def _common(texts: list[str]) -> str:
    """What the first and the last in order begin with, all begin with; something is left of each."""
    if not texts:
        return ""
    first, last = min(texts), max(texts)
    differing = (at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(differing, len(first) - 1)]


def _text(value: object) -> str:
    return "" if value is None else cut(str(value), LONGEST)


def _safe(encoded: str) -> Markup:
    from markupsafe import Markup

    return Markup(encoded.translate(_SCRIPT_SAFE))  # noqa: S704 - JSON without any character that HTML reads
