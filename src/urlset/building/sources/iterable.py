"""Any Python iterable of addresses, entries, mappings or candidates → rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from urlset.building.candidate import Candidate, Evidence, EvidenceKind, RowTrouble
from urlset.building.sources.cells import DateError, LocError, are_usual_alternates, to_lastmod, to_loc
from urlset.building.sources.rows import items_of_mapping, meanings_of, values_of
from urlset.building.sources.source import ROWS, Block, Item, SourceOptions, ValueBlock, Values
from urlset.model.entry import NOTHING, Alternate, Entry
from urlset.writing.media import extensions_of
from urlset.writing.urlset import rest_of
from urlset.writing.xml import Unwritable

if TYPE_CHECKING:
    from urlset.building.compiled_pages import Batch

Offer = str | Entry | Mapping[str, object] | tuple[object, object] | Candidate
"""the tuple is an address with its date"""
_PAIR = 2


def from_iterable(
    offers: Iterable[Offer], options: SourceOptions | None = None, *, name: str = "item"
) -> Iterator[Block]:
    """Counted from 1 in `origin`. An exception of the iterable itself is not caught."""
    reported = options or SourceOptions()
    offers = iter(offers)
    first = 1
    while some := list(islice(offers, ROWS)):
        yield _offers(some, name, first, reported)
        first += len(some)


def _offers(offers: list[Offer], name: str, first: int, options: SourceOptions) -> ValueBlock[Offer]:
    return _Offers(
        offers,
        lambda row: f"{name}:{first + row}",
        lambda offer: values_of_offer(offer, options),
        lambda offer, origin: items_of_offer(offer, origin, options),
    )


class _Offers(ValueBlock[Offer]):
    def fill(self, batch: Batch) -> bool:
        batch.read_offers(self.rows)
        return True


def values_of_offer(offer: object, options: SourceOptions) -> Values | None:
    if isinstance(offer, str):
        return Values(offer)
    if isinstance(offer, Entry):
        return values_of_entry(offer)
    if isinstance(offer, tuple) and len(offer) == _PAIR:
        offer = {"loc": offer[0], "lastmod": offer[1]}
    return values_of(meanings_of(offer), options) if isinstance(offer, Mapping) else None


def values_of_entry(entry: Entry) -> Values | None:
    """None where the page has to have a row in the ledger, or its translations need a closer look."""
    media = entry.media
    if entry.loc is None:
        return None
    if media is NOTHING and entry.changefreq is None and entry.priority is None:
        return Values(entry.loc, entry.lastmod)
    alternates = {link.hreflang: link.href for link in media.alternates} if media.alternates else None
    if media.news or media.unknown or (alternates and not _are_usual(media.alternates, alternates)):
        return None
    media = replace(media, alternates=()) if alternates else media
    try:
        rest = rest_of(replace(entry, media=media))
    except Unwritable:
        return None
    return Values(entry.loc, entry.lastmod, rest, tuple(extensions_of(media)), alternates=alternates)  # type: ignore[arg-type]


def _are_usual(links: tuple[Alternate, ...], by_language: Mapping[str | None, str | None]) -> bool:
    usual = all(link.rel == "alternate" and link.media is None and link.hreflang for link in links)
    return usual and len(links) == len(by_language) and are_usual_alternates(by_language)


def items_of_offer(offer: object, origin: str, options: SourceOptions) -> Iterator[Item]:
    if isinstance(offer, Candidate):
        yield offer
    elif isinstance(offer, Entry):
        yield from items_of_entry(offer, origin, options)
    elif isinstance(offer, str):
        yield from items_of_entry(Entry(offer), origin, options)
    elif isinstance(offer, Mapping):
        yield from items_of_mapping(offer, origin, options)
    elif isinstance(offer, tuple) and len(offer) == _PAIR:
        yield from items_of_mapping({"loc": offer[0], "lastmod": offer[1]}, origin, options)
    else:
        yield RowTrouble(origin, f"{type(offer).__name__} is not a URL, entry or mapping")


def items_of_entry(entry: Entry, origin: str, options: SourceOptions) -> Iterator[Item]:
    """The entry with its address and date made legal; its lastmod is evidence that was given."""
    try:
        loc = to_loc(entry.loc or "", options.base_url)
    except LocError as error:
        yield RowTrouble(origin, str(error))
        return
    try:
        lastmod = to_lastmod(entry.lastmod, options.timezone)
    except DateError as error:
        yield RowTrouble(origin, f"lastmod: {error}; omitted")
        lastmod = None
    if loc != entry.loc or lastmod != entry.lastmod:
        entry = Entry(loc, lastmod, entry.changefreq, entry.priority, entry.media)
    yield Candidate(entry, origin, evidence=(Evidence(EvidenceKind.GIVEN, lastmod),) if lastmod else ())
