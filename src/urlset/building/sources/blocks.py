"""Rows of a source, some thousand at a time → columns for compiled code, or one item after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from urlset.building.sources.options import Item

if TYPE_CHECKING:
    from urlset.building.compiled_pages import Batch

R = TypeVar("R")
"""a row"""
ROWS = 4096
"""in a block of rows that come one by one"""


class Values(NamedTuple):
    """What most rows consist of."""

    loc: str
    lastmod: str | None = None
    rest: bytes = b""
    """what the entry says behind the lastmod"""
    extensions: tuple[str, ...] = ()
    """used in `rest`"""
    section: str | None = None
    language: str | None = None
    alternates: Mapping[str, str] | None = None
    """addresses by hreflang, all of them legal"""


class Block(Protocol):
    """Some rows in turn. `items` says what a row is; the rest is about saying it for many rows at once."""

    def __len__(self) -> int: ...

    def origin(self, row: int) -> str: ...

    def items(self, row: int) -> Iterable[Item]:
        """Every trouble of the row, then the candidate if there is one."""
        ...

    def fill(self, batch: Batch) -> bool:
        """Put every row into an empty `compiled_pages.Batch`; False where only `items` can tell."""
        ...

    def values(self, row: int) -> Values | None:
        """Those of a row that `fill` left UNREAD; None where only `items` can tell."""
        ...


class Items:
    """Candidates and troubles that are there already."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    def origin(self, row: int) -> str:
        return self._items[row].origin

    def items(self, row: int) -> Iterable[Item]:
        return (self._items[row],)

    def fill(self, batch: Batch) -> bool:
        del batch
        return False

    def values(self, row: int) -> Values | None:
        del row
        return None


class ValueBlock(Generic[R]):
    """Rows that are Python values; `read` gives the values of the usual ones, `items` of any."""

    def __init__(
        self,
        rows: Sequence[R],
        origins: Callable[[int], str],
        read: Callable[[R], Values | None],
        items: Callable[[R, str], Iterable[Item]],
    ) -> None:
        self._rows, self._read, self._items = rows, read, items
        self.origin = origins

    def __len__(self) -> int:
        return len(self._rows)

    def items(self, row: int) -> Iterable[Item]:
        return self._items(self._rows[row], self.origin(row))

    def fill(self, batch: Batch) -> bool:
        batch.leave_unread(len(self._rows))
        return True

    def values(self, row: int) -> Values | None:
        return self._read(self._rows[row])


def in_blocks(items: Iterable[Item], rows: int = 400) -> Iterator[Items]:
    """Items of a source that has no columns."""
    items = iter(items)
    while some := list(islice(items, rows)):
        yield Items(some)


def items_of(blocks: Iterable[Block]) -> Iterator[Item]:
    """Every item of every row."""
    for block in blocks:
        for row in range(len(block)):
            yield from block.items(row)
