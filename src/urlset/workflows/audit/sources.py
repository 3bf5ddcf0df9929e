"""The target of an audit → its sitemaps, one document at a time, in the order in which they are listed."""

from __future__ import annotations

from collections.abc import Callable

from urlset.auditing.store import ListingWriter
from urlset.model.document import Kind
from urlset.reading.starts import NoSitemap
from urlset.reading.tree import DocumentTree, Missing
from urlset.workflows.audit.listing import add_document
from urlset.workflows.live.setup import Live
from urlset.workflows.live.tree import LiveTree

Notify = Callable[[str], None]
Watch = Callable[[int, int], None]
"""sitemaps read, pages listed"""


def list_local(
    listing: ListingWriter, target: str, notify: Notify, *, root: str | None, base_url: str | None, media: bool
) -> None:
    """A file, a pattern or a folder, and what its indexes list on disk."""
    tree = DocumentTree([target], root=root, base_url=base_url)
    for document in tree:
        if document.kind is not Kind.ROBOTS:
            add_document(listing, document, keep=False, media=media)
        del document  # let go before the next is read: two at once would double the memory
    _tell(listing, tree.missing, notify)


def list_remote(listing: ListingWriter, target: str, live: Live, *, media: bool, watch: Watch) -> None:
    """A site, a sitemap or an index on the web; the bytes of its sitemaps are kept, to show places in them."""
    tree = LiveTree([target], live)
    for count, document in enumerate(tree, 1):
        add_document(listing, document, keep=True, media=media)
        watch(count, listing.count)
        del document
    _tell(listing, tree.missing, live.notify)


def _tell(listing: ListingWriter, absent: list[Missing], notify: Notify) -> None:
    for missing in absent:
        if isinstance(missing, NoSitemap):  # nothing failed: a folder or a site without a sitemap
            notify(f"{missing.loc}: {missing.reason}")
            continue
        where = f", listed in {missing.parent}" if missing.parent else ""
        listing.leave(f"{missing.loc}{where}: {missing.reason}")
