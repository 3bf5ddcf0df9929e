"""Sitemaps, one document at a time → the list of pages in the store, with what is needed to show places later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from urlset.auditing.store import AuditStore, ListedUrl, ListingWriter, What
from urlset.checking.engine import checked
from urlset.checking.summary import summarise
from urlset.checking.tree import DocumentSummary
from urlset.findings.verdict import Checked
from urlset.model.columns import Mark
from urlset.model.document import Document, Kind
from urlset.model.media import Media

_NO_LIST = {
    Kind.HTML: "is an HTML page, not a sitemap",
    Kind.EMPTY: "is empty",
    Kind.OTHER_XML: "is XML, but not a sitemap or feed",
    Kind.UNKNOWN: "is not a sitemap: not XML and not a list of URLs",
}


class KeptSitemap(msgspec.Struct, frozen=True):
    """What is kept of one sitemap beside its pages."""

    checked: Checked
    leaf: DocumentSummary


def add_document(listing: ListingWriter, document: Document, *, keep: bool, media: bool) -> None:
    """All pages of one document; `keep` its bytes too, where it cannot be read again from its name."""
    if document.kind in _NO_LIST:
        listing.leave(f"{document.name}: {_NO_LIST[document.kind]}", "not_sitemaps")
        return
    leaf = msgspec.structs.replace(summarise(document), listed=(), lastmods=())
    sheet = KeptSitemap(checked(document), leaf)
    listing.document(document.name, msgspec.msgpack.encode(sheet), document.data if keep else None)
    if not document.envelope.complete:
        listing.leave(f"{document.name}: truncated; the pages before that point are audited")
    if document.kind.lists_pages:
        _add_rows(listing, document, media=media)


def _add_rows(listing: ListingWriter, document: Document, *, media: bool) -> None:
    columns, name = document.columns, document.name
    for row, raw in enumerate(columns.locs):
        loc = (raw or "").strip()
        if not loc:
            continue
        lastmod = (columns.lastmods[row] or "").strip() or None
        if not columns.marks[row] & Mark.EXTENDED:
            listing.add(ListedUrl(loc, name, row, lastmod))
            continue
        found = document.media(row)
        listing.add(ListedUrl(loc, name, row, lastmod, found.alternates))
        if media:
            for kind, url in _media(found):
                listing.add(ListedUrl(url, name, row, None, (), kind))


def _media(media: Media) -> Iterator[tuple[What, str]]:
    addresses: Iterable[tuple[What, str | None]] = (
        *((What.IMAGE, image.loc) for image in media.images),
        *(
            pair
            for video in media.videos
            for pair in (
                (What.THUMBNAIL, video.thumbnail_loc),
                (What.VIDEO, video.content_loc),
                (What.PLAYER, video.player_loc.text if video.player_loc else None),
            )
        ),
    )
    return ((kind, url.strip()) for kind, url in addresses if url and url.strip())


def sheets(store: AuditStore) -> list[KeptSitemap]:
    """What is known of every sitemap of the run, in the order met."""
    decode = msgspec.msgpack.Decoder(KeptSitemap).decode
    return [decode(source.facts) for source in store.sources() if source.facts]
