"""Entries → the bytes of one `<urlset>` file, streamed; and one entry → its share of those bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from urlset.model.entry import Entry
from urlset.model.media import NOTHING
from urlset.spec.namespaces import BY_NAME, SITEMAP
from urlset.writing.chunks import joined
from urlset.writing.media import extensions_of, media_xml
from urlset.writing.xml import DECLARATION, is_plain, leaf

EXTENSIONS = ("xhtml", "image", "video", "news", "pagemap", "mobile", "baidu-mobile")
CLOSING = b"</urlset>\n"

_FIELD = " " * 4


class UndeclaredExtension(ValueError):  # noqa: N818 - it names what is wrong, as the message does
    """An entry uses an extension that the root, already written, did not declare."""

    def __init__(self, missing: Collection[str], loc: str | None) -> None:
        super().__init__(missing, loc)
        self.missing = tuple(sorted(missing))
        self.loc = loc

    def __str__(self) -> str:
        return f"entry {self.loc!r} uses the extension {', '.join(self.missing)}, which is not declared"


def write_urlset(entries: Iterable[Entry], *, extensions: Collection[str] | None = None) -> Iterator[bytes]:
    """The file in chunks of about 64 KB; equal entries give equal bytes.

    The root comes first and has to declare what the entries use. With `extensions` (names of `EXTENSIONS`)
    everything streams, and an entry that uses another one raises `UndeclaredExtension`. Without it a
    sequence is gone through twice, and any other iterable is held in memory first.
    """
    if extensions is None:
        kept = entries if isinstance(entries, Sequence) else tuple(entries)
        return joined(_pieces(kept, opening(used_extensions(kept)), None))
    return joined(_pieces(entries, opening(extensions), _covered(extensions)))


def used_extensions(entries: Iterable[Entry]) -> frozenset[str]:
    """Names of the extensions the entries use, for `write_urlset` and `opening`."""
    return frozenset().union(*(extensions_of(entry.media) for entry in entries if entry.media is not NOTHING))


def opening(extensions: Collection[str] = ()) -> bytes:
    """Everything before the first entry."""
    unknown = sorted(set(extensions).difference(EXTENSIONS))
    if unknown:
        raise ValueError(f"unknown extension {unknown[0]!r}; choose from {', '.join(EXTENSIONS)}")
    # Google's and Baidu's mobile mark share a prefix; where both are wanted, Baidu's knows both forms.
    prefixes = {BY_NAME[name].prefix: BY_NAME[name].uri for name in EXTENSIONS if name in extensions}
    declared = "".join(f' xmlns:{prefix}="{uri}"' for prefix, uri in prefixes.items())
    return f'{DECLARATION}<urlset xmlns="{SITEMAP}"{declared}>\n'.encode()


def entry_bytes(entry: Entry) -> bytes:
    """The `<url>` element with its indentation and line end: what the entry adds to a file."""
    loc, lastmod = entry.loc, entry.lastmod
    media = entry.media
    bare = media is NOTHING and entry.changefreq is None and entry.priority is None
    if bare and loc and lastmod and is_plain(loc + lastmod):
        # Most entries of most files: one look at both values instead of an assembly piece by piece.
        return f"  <url>\n    <loc>{loc}</loc>\n    <lastmod>{lastmod}</lastmod>\n  </url>\n".encode()
    core = (
        leaf(_FIELD, "loc", loc)
        + leaf(_FIELD, "lastmod", lastmod)
        + leaf(_FIELD, "changefreq", entry.changefreq)
        + leaf(_FIELD, "priority", entry.priority)
    )
    extended = "" if media is NOTHING else media_xml(media)
    return f"  <url>\n{core}{extended}  </url>\n".encode()


def rest_of(entry: Entry) -> bytes:
    """What the element of the entry says behind its lastmod."""
    hints = leaf(_FIELD, "changefreq", entry.changefreq) + leaf(_FIELD, "priority", entry.priority)
    return (hints if entry.media is NOTHING else hints + media_xml(entry.media)).encode()


def _pieces(entries: Iterable[Entry], opened: bytes, covered: frozenset[str] | None) -> Iterator[bytes]:
    yield opened
    for entry in entries:
        if covered is not None and entry.media is not NOTHING:
            missing = extensions_of(entry.media) - covered
            if missing:
                raise UndeclaredExtension(missing, entry.loc)
        yield entry_bytes(entry)
    yield CLOSING


def _covered(extensions: Collection[str]) -> frozenset[str]:
    shared = ("mobile",) if "baidu-mobile" in extensions else ()
    return frozenset((*extensions, *shared))
