"""Any Python iterable of addresses, entries, mappings or candidates → candidates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from urlset.building.candidate import Candidate, Evidence, EvidenceKind, RowTrouble
from urlset.building.sources.dates import DateError, to_lastmod
from urlset.building.sources.locs import LocError, to_loc
from urlset.building.sources.options import Item, SourceOptions
from urlset.building.sources.rows import items_of_mapping
from urlset.model.entry import Entry

Offer = str | Entry | Mapping[str, object] | Candidate


def from_iterable(
    offers: Iterable[Offer], options: SourceOptions | None = None, *, name: str = "item"
) -> Iterator[Item]:
    """Counted from 1 in `origin`. An exception of the iterable itself is not caught."""
    options = options or SourceOptions()
    for number, offer in enumerate(offers, 1):
        yield from items_of_offer(offer, f"{name}:{number}", options)


def items_of_offer(offer: object, origin: str, options: SourceOptions) -> Iterator[Item]:
    if isinstance(offer, Candidate):
        yield offer
    elif isinstance(offer, Entry):
        yield from items_of_entry(offer, origin, options)
    elif isinstance(offer, str):
        yield from items_of_entry(Entry(offer), origin, options)
    elif isinstance(offer, Mapping):
        yield from items_of_mapping(offer, origin, options)
    else:
        yield RowTrouble(origin, f"{type(offer).__name__} is no address, entry or mapping")


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
        yield RowTrouble(origin, f"lastmod: {error}; listed without it")
        lastmod = None
    if loc != entry.loc or lastmod != entry.lastmod:
        entry = Entry(loc, lastmod, entry.changefreq, entry.priority, entry.media)
    yield Candidate(entry, origin, evidence=(Evidence(EvidenceKind.GIVEN, lastmod),) if lastmod else ())
