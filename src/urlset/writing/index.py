"""Listed sitemaps → the bytes of one `<sitemapindex>` file; and one of them → its share of those bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urlset.model.entry import IndexEntry
from urlset.spec.namespaces import SITEMAP
from urlset.writing.chunks import joined
from urlset.writing.xml import DECLARATION, leaf

OPENING = f'{DECLARATION}<sitemapindex xmlns="{SITEMAP}">\n'.encode()
CLOSING = b"</sitemapindex>\n"

_FIELD = " " * 4


def write_index(children: Iterable[IndexEntry]) -> Iterator[bytes]:
    """The file in chunks of about 64 KB; equal children give equal bytes."""
    return joined(_pieces(children))


def child_bytes(child: IndexEntry) -> bytes:
    """The `<sitemap>` element with its indentation and line end: what the child adds to a file."""
    fields = leaf(_FIELD, "loc", child.loc) + leaf(_FIELD, "lastmod", child.lastmod)
    return f"  <sitemap>\n{fields}  </sitemap>\n".encode()


def _pieces(children: Iterable[IndexEntry]) -> Iterator[bytes]:
    yield OPENING
    for child in children:
        yield child_bytes(child)
    yield CLOSING
