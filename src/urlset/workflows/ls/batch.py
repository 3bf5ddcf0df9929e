"""Some rows of one document, looked at together: what a listing is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from urlset.model.frames import trimmed

if TYPE_CHECKING:
    from urlset.model.document import Document
    from urlset.model.media import Media


class ListedField(Protocol):
    """One column of a listing."""

    @property
    def values(self) -> Callable[[Batch], list[Any]]: ...


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

    def values(self, fields: Sequence[ListedField]) -> list[list[Any]]:
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
