"""Any Python iterable of addresses, entries, mappings or candidates → rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from urlset.building.candidate import Candidate
from urlset.building.sources.cells import cells_of
from urlset.building.sources.rows import NamedRows, meanings_of
from urlset.building.sources.source import ROWS, Block, Item, SourceOptions, Values
from urlset.model.entry import Entry

if TYPE_CHECKING:
    from urlset.building.compiled_pages import Batch

Offer = str | Entry | Mapping[str, object] | tuple[object, object] | Candidate
"""the tuple is an address with its date"""
_PAIR = 2


def from_iterable(offers: Iterable[Offer], options: SourceOptions | None = None) -> Iterator[Block]:
    """Counted from 1 in `origin`. An exception of the iterable itself is not caught."""
    reported = options or SourceOptions()
    offers = iter(offers)
    first = 1
    while some := list(islice(offers, ROWS)):
        yield Offers(some, "item:{}".format, first, reported)
        first += len(some)


class Offers(NamedRows):
    """Some of them in turn; `origin_of` tells where the one with a number comes from."""

    def __init__(
        self, offers: Sequence[object], origin_of: Callable[[int], str], first: int, options: SourceOptions
    ) -> None:
        super().__init__(options)
        self._offers, self._origin_of, self._first = offers, origin_of, first

    def __len__(self) -> int:
        return len(self._offers)

    def origin(self, row: int) -> str:
        return self._origin_of(self._first + row)

    def fill(self, batch: Batch) -> bool:
        batch.read_offers(batch.unknown(self._offers, None))
        return True

    def meant(self, row: int) -> dict[str, object] | str:
        given = named(self._offers[row])
        if given is None:
            return f"{type(self._offers[row]).__name__} is not a URL, entry or mapping"
        return meanings_of(given)

    def items(self, row: int) -> Sequence[Item]:
        offer = self._offers[row]
        return (offer,) if isinstance(offer, Candidate) else super().items(row)

    def values(self, row: int) -> Values | None:
        return None if isinstance(self._offers[row], Candidate) else super().values(row)


def named(offer: object) -> Mapping[str, object] | None:
    """What any of them says, by name; None for anything that is not a row."""
    if isinstance(offer, str):
        return {"loc": offer}
    if isinstance(offer, Entry):
        return cells_of(offer)
    if isinstance(offer, tuple) and len(offer) == _PAIR:
        return {"loc": offer[0], "lastmod": offer[1]}
    return offer if isinstance(offer, Mapping) else None
