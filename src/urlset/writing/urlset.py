"""Entries → the bytes of one sitemap, streamed: a `<urlset>`, a `<sitemapindex>` or a text list.

One entry → its share of those bytes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain

from urlset.model.entry import NOTHING, Entry, IndexEntry
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.namespaces import BY_NAME, SITEMAP
from urlset.writing.media import extensions_of, media_xml
from urlset.writing.xml import DECLARATION, FORBIDDEN, Unwritable, is_plain, leaf

EXTENSIONS = ("xhtml", "image", "video", "news", "pagemap", "mobile", "baidu-mobile")
CLOSING = b"</urlset>\n"

_FIELD = " " * 4


def write_urlset(entries: Sequence[Entry]) -> Iterator[bytes]:
    """The file in chunks of about 64 KB; equal entries give equal bytes. The root declares what the entries use."""
    used = {name for entry in entries if entry.media is not NOTHING for name in extensions_of(entry.media)}
    return joined(chain((opening(used),), map(entry_bytes, entries), (CLOSING,)))


@cache
def mask_of(extensions: frozenset[str] | tuple[str, ...]) -> int:
    """A bit for each."""
    return sum(1 << EXTENSIONS.index(name) for name in extensions)


@cache
def names_in(mask: int) -> frozenset[str]:
    return frozenset(name for bit, name in enumerate(EXTENSIONS) if mask >> bit & 1)


def opening(extensions: Collection[str] = ()) -> bytes:
    """Everything before the first entry."""
    unknown = sorted(set(extensions).difference(EXTENSIONS))
    if unknown:
        raise ValueError(f"unknown extension {unknown[0]!r}; choose from {', '.join(EXTENSIONS)}")
    # Google's and Baidu's mobile mark share a prefix; where both are wanted, Baidu's knows both forms.
    prefixes = {BY_NAME[name].prefix: BY_NAME[name].uri for name in EXTENSIONS if name in extensions}
    declared = "".join(f' xmlns:{prefix}="{uri}"' for prefix, uri in prefixes.items())
    return f'{DECLARATION}<urlset xmlns="{SITEMAP}"{declared}>\n'.encode()


def entry_bytes(entry: Entry, links: bytes = b"") -> bytes:
    """The `<url>` element with its indentation and line end: what the entry adds to a file.

    `links` are the elements of alternates, for an entry that does not have them.
    """
    loc, lastmod = entry.loc, entry.lastmod
    media = entry.media
    bare = media is NOTHING and entry.changefreq is None and entry.priority is None
    if bare and not links and loc and lastmod and is_plain(loc + lastmod):
        # Most entries of most files: one look at both values instead of an assembly piece by piece.
        return f"  <url>\n    <loc>{loc}</loc>\n    <lastmod>{lastmod}</lastmod>\n  </url>\n".encode()
    core = (
        leaf(_FIELD, "loc", loc)
        + leaf(_FIELD, "lastmod", lastmod)
        + leaf(_FIELD, "changefreq", entry.changefreq)
        + leaf(_FIELD, "priority", entry.priority)
    )
    extended = "" if media is NOTHING else media_xml(media)
    return b"  <url>\n%b%b%b  </url>\n" % (core.encode(), links, extended.encode())


# The index.

INDEX_OPENING = f'{DECLARATION}<sitemapindex xmlns="{SITEMAP}">\n'.encode()
INDEX_CLOSING = b"</sitemapindex>\n"


def write_index(children: Iterable[IndexEntry]) -> Iterator[bytes]:
    """The file in chunks of about 64 KB; equal children give equal bytes."""
    return joined(chain((INDEX_OPENING,), map(child_bytes, children), (INDEX_CLOSING,)))


def child_bytes(child: IndexEntry) -> bytes:
    """The `<sitemap>` element with its indentation and line end: what the child adds to a file."""
    fields = leaf(_FIELD, "loc", child.loc) + leaf(_FIELD, "lastmod", child.lastmod)
    return f"  <sitemap>\n{fields}  </sitemap>\n".encode()


# The text list: one URL a line, UTF-8, nothing escaped.

_LINE_BREAK = lazy_pattern("[\r\n]")


def line_bytes(loc: str) -> bytes:
    """The line of one address, with its line end."""
    if not loc or loc.isspace():
        raise Unwritable(loc, len(loc), "a text sitemap cannot contain a blank line")
    if not (loc.isascii() and loc.isprintable()):
        broken = _LINE_BREAK.search(loc)
        if broken is not None:
            raise Unwritable(loc, broken.start(), "a URL cannot contain a line break")
        forbidden = FORBIDDEN.search(loc)
        if forbidden is not None:
            raise Unwritable(loc, forbidden.start(), "a text sitemap cannot contain control characters")
    return f"{loc}\n".encode()


# Chunks: a file or a socket is not called per entry.

CHUNK_BYTES = 65_536


def joined(pieces: Iterable[bytes], size: int = CHUNK_BYTES) -> Iterator[bytes]:
    """The same bytes in chunks of at least `size`, save the last; a piece is never cut."""
    held: list[bytes] = []
    length = 0
    for piece in pieces:
        held.append(piece)
        length += len(piece)
        if length >= size:
            yield b"".join(held)
            held.clear()
            length = 0
    if length:
        yield b"".join(held)


# Indented entries → the same entries with one line each, as Django writes them.
#
# Whitespace between elements means nothing to a sitemap reader, but projects compare files with Django's
# `assertXMLEqual`, which looks at it.

# Between two tags only: `>` never occurs in text, where it is written &gt;.
_INSIDE = re.compile(rb">\n {4,}<")
_ENDS = re.compile(rb">\n  </(url|sitemap)>")


def compact(data: bytes) -> bytes:
    return _ENDS.sub(rb"></\1>", _INSIDE.sub(b"><", data)).replace(b"\n  <", b"\n<")
