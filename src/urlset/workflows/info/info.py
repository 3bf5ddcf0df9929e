"""Sitemap files → a description of each: what it is, what it holds, what is wrong with its bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import TYPE_CHECKING

from urlset.model.address import Address
from urlset.model.columns import Mark
from urlset.model.document import Document, Kind
from urlset.model.trouble import Trouble, TroubleKind
from urlset.reading.tree import DocumentTree, Missing, Start, listed
from urlset.reports.uri import is_address
from urlset.spec.namespaces import recognise
from urlset.workflows.info.dates import describe_dates
from urlset.workflows.info.description import (
    Children,
    Counts,
    DatePlace,
    Delivered,
    Description,
    NamespaceUse,
    TroubleGroup,
    Xml,
)

if TYPE_CHECKING:
    from urlset.workflows.live.setup import Live
    from urlset.workflows.live.tree import LiveTree

_SPOTS = 3
_NAMED_CHILDREN = 3


def describe_files(
    starts: Sequence[Start], *, root: str | None = None, follow: bool = False, live: Live | None = None
) -> Iterator[Description | Missing]:
    """One description per file or address; with `follow`, of every file that an index leads to as well."""
    for tree in _trees(starts, root, live, max_depth=8 if follow else 0):
        reported = 0
        for document in tree:
            yield from _worth_telling(tree.missing[reported:], follow=follow)
            reported = len(tree.missing)
            yield describe(document, tree)
            del document
        yield from _worth_telling(tree.missing[reported:], follow=follow)


def _trees(
    starts: Sequence[Start], root: str | None, live: Live | None, *, max_depth: int
) -> Iterator[DocumentTree | LiveTree]:
    for on_the_web, group in groupby(starts, lambda start: isinstance(start, str) and is_address(start)):
        if on_the_web:
            from urlset.workflows.live.setup import Live
            from urlset.workflows.live.tree import LiveTree  # brings asyncio along, which files do not need

            targets = [str(start) for start in group]
            yield LiveTree(targets, live or Live(), max_depth=max_depth, with_robots=True)
        else:
            yield DocumentTree(list(group), root=root, max_depth=max_depth)


def _worth_telling(missing: Iterable[Missing], *, follow: bool) -> Iterator[Missing]:
    """Children that were not requested are not reported as missing."""
    return (each for each in missing if follow or not each.parent)


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
    if document.kind is Kind.SITEMAPINDEX:
        return Counts(sitemaps=len(columns), without_loc=without_loc, hosts=_hosts(columns.locs))
    totals: Counter[str] = Counter()
    languages: list[str] = []
    for row, mark in enumerate(columns.marks):
        if mark & Mark.EXTENDED:
            media = document.media(row)
            totals["images"] += len(media.images)
            totals["videos"] += len(media.videos)
            totals["news"] += len(media.news)
            totals["alternates"] += len(media.alternates)
            languages += [each.hreflang for each in media.alternates if each.hreflang]
    return Counts(
        urls=len(columns),
        without_loc=without_loc,
        images=totals["images"],
        videos=totals["videos"],
        news=totals["news"],
        alternates=totals["alternates"],
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
    return Xml(
        root=root.written,
        version=declaration.version if declaration else None,
        declared_encoding=declaration.encoding if declaration else None,
        doctype=document.prolog.doctype is not None,
        namespaces=tuple(_namespace(prefix, uri) for prefix, uri in root.declared.items()),
    )


def _namespace(prefix: str, uri: str) -> NamespaceUse:
    known = recognise(uri)
    if known is None:
        return NamespaceUse(prefix, uri, None, None)
    right = None if known.exact else known.uri
    return NamespaceUse(prefix, uri, known.namespace.name, right, tuple(fault.value for fault in known.faults))


def _groups(document: Document) -> Iterator[TroubleGroup]:
    """Troubles by kind, in the order in which the kinds first turn up."""
    troubles = document.troubles
    for kind in dict.fromkeys(troubles.kinds()):
        first = list(islice(troubles.of([kind]), _SPOTS))
        yield TroubleGroup(
            kind, troubles.count_of(kind), tuple(_spot(document, each) for each in first), first[0].detail
        )


def _spot(document: Document, trouble: Trouble) -> DatePlace:
    at = document.lines.at(trouble.place.offset)
    return DatePlace(at.line, at.column, document.source_offset(trouble.place.offset))


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
