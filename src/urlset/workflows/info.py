"""Sitemap files → a description of each: what it is, what it holds, what is wrong with its bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from urlset.model.address import Address
from urlset.model.columns import Mark
from urlset.model.document import Document, Kind
from urlset.model.moment import Moment
from urlset.model.shown import Shown
from urlset.model.trouble import TroubleKind
from urlset.reading.tree import DocumentTree, Missing, Start, listed
from urlset.spec.namespaces import recognise
from urlset.workflows.ls import documents_of, trees

if TYPE_CHECKING:
    from urlset.workflows.live.tree import LiveTree


_SPOTS = 3
_NAMED_CHILDREN = 3


def describe_files(
    starts: Sequence[Start],
    *,
    root: str | None = None,
    follow: bool = False,
    live: Callable[..., LiveTree] | None = None,
) -> Iterator[Description | Missing]:
    """One description per file or address; with `follow`, of every file that an index leads to as well."""
    for tree in trees(starts, root, live, max_depth=8 if follow else 0, with_robots=True):
        for found in documents_of(tree):
            if not isinstance(found, Missing):
                yield describe(found, tree)
            elif follow or not found.parent:  # children that were not requested are not missing
                yield found
            del found


def describe(document: Document, tree: DocumentTree | LiveTree | None = None) -> Description:
    columns, envelope = document.columns, document.envelope
    return Description(
        source=document.name,
        url=document.url,
        kind=document.kind,
        bytes=envelope.delivered,
        unpacked_bytes=envelope.size,
        compression=envelope.compression,
        layers=envelope.layers,
        encoding=envelope.encoding,
        byte_order_mark=envelope.byte_order_mark,
        complete=envelope.complete,
        counts=_counts(document),
        dates=describe_dates(columns.lastmods),
        changefreqs=_most_common(text.strip() for text in columns.changefreqs if text is not None),
        priorities=_most_common(text.strip() for text in columns.priorities if text is not None),
        troubles=tuple(_groups(document)),
        salvaged=sum(bool(mark & Mark.SALVAGED) for mark in columns.marks),
        lost=document.troubles.count_of(TroubleKind.ENTRY_LOST),
        xml=_xml(document),
        children=_children(document, tree),
        delivery=_delivery(tree),
    )


def _counts(document: Document) -> Counts:
    columns = document.columns
    without_loc = sum(not (loc and loc.strip()) for loc in columns.locs)
    if document.kind.lists_sitemaps:
        return Counts(sitemaps=len(columns), without_loc=without_loc, hosts=_hosts(columns.locs))
    totals: Counter[str] = Counter()
    languages: list[str] = []
    for row, mark in enumerate(columns.marks):
        if mark & Mark.EXTENDED:
            media = document.media(row)
            for name in ("images", "videos", "news", "alternates"):
                totals[name] += len(getattr(media, name))
            languages += [each.hreflang for each in media.alternates if each.hreflang]
    return Counts(
        urls=len(columns),
        without_loc=without_loc,
        **totals,
        hosts=_hosts(columns.locs),
        languages=_most_common(languages),
    )


def _hosts(locs: Iterable[str | None]) -> dict[str, int]:
    hosts = (Address.parse(loc).host for loc in locs if loc)
    return _most_common(host.lower() for host in hosts if host)


def _most_common(values: Iterable[str]) -> dict[str, int]:
    return dict(Counter(values).most_common())


def _xml(document: Document) -> Xml | None:
    root, declaration = document.root, document.prolog.declaration
    if root is None:
        return None
    namespaces = []
    for prefix, uri in root.declared.items():
        known = recognise(uri)
        if known is None:
            namespaces.append(NamespaceUse(prefix, uri, None, None))
        else:
            right, faults = None if known.exact else known.uri, tuple(fault.value for fault in known.faults)
            namespaces.append(NamespaceUse(prefix, uri, known.namespace.name, right, faults))
    return Xml(
        root=root.written,
        version=declaration.version if declaration else None,
        declared_encoding=declaration.encoding if declaration else None,
        doctype=document.prolog.doctype is not None,
        namespaces=tuple(namespaces),
    )


def _groups(document: Document) -> Iterator[TroubleGroup]:
    """Troubles by kind, in the order in which the kinds first turn up."""
    troubles = document.troubles
    for kind in dict.fromkeys(troubles.kinds()):
        first = list(islice(troubles.of([kind]), _SPOTS))
        offsets = [each.place.offset for each in first]
        spots = [(document.lines.at(offset), document.source_offset(offset)) for offset in offsets]
        places = tuple(DatePlace(at.line, at.column, source_offset) for at, source_offset in spots)
        yield TroubleGroup(kind, troubles.count_of(kind), places, first[0].detail)


def _children(document: Document, tree: DocumentTree | LiveTree | None) -> Children | None:
    count = len(listed(document))
    if not count:
        return None
    if not isinstance(tree, DocumentTree):
        return Children(count, None)
    found = list(tree.found(document))
    absent = (each.loc for each in found if isinstance(each, Missing))
    here = sum(not isinstance(each, Missing) for each in found)
    return Children(count, here, tuple(islice(absent, _NAMED_CHILDREN)))


def _delivery(tree: DocumentTree | LiveTree | None) -> Delivered | None:
    if tree is None or isinstance(tree, DocumentTree) or tree.answer is None:
        return None
    answer = tree.answer
    return Delivered(
        status=answer.status,
        redirects=tuple(hop.status for hop in answer.hops),
        final_url=answer.final_url or answer.url,
        content_type=answer.header("content-type"),
        content_encoding=answer.header("content-encoding"),
        last_modified=answer.header("last-modified"),
        etag=answer.header("etag"),
        seconds=round(answer.seconds, 3),
        sent_bytes=answer.wire_bytes,
    )


# The lastmod texts of a document → how many there are, how legal they are, and how they spread over time.

_DAYS_SHOWN = 12
_MONTHS_SHOWN = 13
_BARS_SHOWN = 13


def describe_dates(texts: Iterable[str | None]) -> Dates:
    counts = Counter(text for text in texts if text is not None)
    moments = {text: Moment.parse(text) for text in counts}
    starts: Counter[datetime] = Counter()
    named: dict[datetime, str] = {}
    for text, moment in moments.items():
        covered = moment.interval()
        if covered is not None:
            starts[covered[0]] += counts[text]
            named.setdefault(covered[0], moment.text)
    present = counts.total()
    illegal = sum(counts[text] for text, moment in moments.items() if not moment.w3c_valid)
    if not starts:
        return Dates(present, illegal, not_understood=present)
    first, last = min(starts), max(starts)
    months = (last.year - first.year) * 12 + last.month - first.month
    unit = "month" if months < _MONTHS_SHOWN else "year"
    if (last.date() - first.date()).days < _DAYS_SHOWN:
        unit = "day"
    return Dates(
        present,
        illegal,
        not_understood=present - starts.total(),
        oldest=named[first],
        newest=named[last],
        unit=unit,
        histogram=_histogram(starts, unit),
    )


def _histogram(starts: Counter[datetime], unit: str) -> tuple[Bar, ...]:
    """A bar for each day, month or year from the first to the last, also where nothing happened."""
    length = {"day": 10, "month": 7, "year": 4}[unit]
    counts: Counter[str] = Counter()
    for start, count in starts.items():
        counts[start.date().isoformat()[:length]] += count
    first, last = min(starts).date(), max(starts).date()
    labels = [f"{year:04d}" for year in range(first.year, last.year + 1)]
    if unit != "year":
        days = (first + timedelta(days) for days in range((last - first).days + 1))
        labels = list(dict.fromkeys(day.isoformat()[:length] for day in days))
    bars = [Bar(label, counts[label]) for label in labels]
    if len(bars) <= _BARS_SHOWN:
        return tuple(bars)
    # a date of the year 1 must not cost two thousand lines
    cut = len(bars) - _BARS_SHOWN
    earlier = Bar(f"before {bars[cut].label}", sum(bar.count for bar in bars[:cut]))
    return (earlier, *bars[cut:])


# What `urlset info` finds out about a document, as plain values; the JSON output is these, field by field.


class NamespaceUse(msgspec.Struct, frozen=True):
    """One namespace declared on the root."""

    prefix: str
    uri: str
    means: str | None
    """the name of the vocabulary, where it is a known one"""
    right: str | None
    """how it should be written, where it is written otherwise"""
    faults: tuple[str, ...] = ()


class Xml(msgspec.Struct, frozen=True):
    root: str
    version: str | None
    declared_encoding: str | None
    doctype: bool
    namespaces: tuple[NamespaceUse, ...]


class Counts(msgspec.Struct, frozen=True):
    urls: int = 0
    sitemaps: int = 0
    without_loc: int = 0
    images: int = 0
    videos: int = 0
    news: int = 0
    alternates: int = 0
    hosts: dict[str, int] = {}
    """host → URLs, most first"""
    languages: dict[str, int] = {}
    """hreflang → alternates, most first"""


class Bar(msgspec.Struct, frozen=True):
    label: str
    count: int


class Dates(msgspec.Struct, frozen=True):
    """How the lastmod texts of a document spread over time."""

    present: int
    illegal: int
    """not one of the six W3C forms, whether understood or not"""
    not_understood: int
    oldest: str | None = None
    newest: str | None = None
    unit: str | None = None
    """day, month or year: the period of each histogram bar"""
    histogram: tuple[Bar, ...] = ()


class DatePlace(msgspec.Struct, frozen=True):
    line: int
    column: int
    offset: int


class TroubleGroup(msgspec.Struct, frozen=True):
    """All troubles of one kind."""

    kind: TroubleKind
    count: int
    first: tuple[DatePlace, ...]
    example: str
    """the detail of the first"""


class Children(msgspec.Struct, frozen=True):
    """The sitemaps that an index or a robots.txt lists."""

    listed: int
    found: int | None
    """on disk; None if not measured"""
    missing: tuple[str, ...] = ()
    """the first few that are not on disk"""


class Delivered(msgspec.Struct, frozen=True):
    """How a server sent it."""

    status: int | None
    redirects: tuple[int, ...]
    """the status of each, in order"""
    final_url: str
    content_type: str | None
    content_encoding: str | None
    last_modified: str | None
    etag: str | None
    seconds: float
    sent_bytes: int


class Description(Shown, msgspec.Struct, frozen=True):
    """What one sitemap is, holds, and has wrong with its bytes."""

    source: str
    url: str | None
    kind: Kind
    bytes: int
    unpacked_bytes: int
    compression: str | None
    layers: int
    encoding: str
    byte_order_mark: bool
    complete: bool
    counts: Counts
    dates: Dates
    changefreqs: dict[str, int]
    priorities: dict[str, int]
    troubles: tuple[TroubleGroup, ...]
    salvaged: int
    lost: int
    xml: Xml | None = None
    children: Children | None = None
    delivery: Delivered | None = None
    """for what was fetched"""

    @property
    def entries(self) -> int:
        return self.counts.urls or self.counts.sitemaps
