"""Pages as a program gives them → the `<url>` elements of one file, batch by batch, and what was left out.

Unlike a build, it does not judge whether a page deserves to be listed. It leaves out only what would make the file
invalid: a value that is not an address, is too long, carries a password or is on another host.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from urlset.building import pages as pages_module
from urlset.building.candidate import Candidate
from urlset.building.sources.cells import DateError, LocError, to_lastmod, to_loc
from urlset.building.sources.iterable import named
from urlset.building.sources.rows import items_of_mapping
from urlset.building.sources.source import SourceOptions
from urlset.model.address import Address, Origin
from urlset.model.entry import NOTHING, Entry, Image, Media
from urlset.model.errors import ArgumentValueError
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.namespaces import BY_NAME
from urlset.spec.protocol import LOC_LENGTH_BELOW, MAX_BYTES, MAX_IMAGES_PER_URL, MAX_NEWS_PER_SITEMAP, MAX_URLS
from urlset.writing.media import extensions_of, left_out, media_xml
from urlset.writing.urlset import CLOSING, EXTENSIONS, entry_bytes, names_in, opening
from urlset.writing.xml import Unwritable, legal

if TYPE_CHECKING:
    from urlset.building.compiled_pages import Batch

_Line = bytes | tuple[bytes, frozenset[str]]
"""an element, with the extensions it uses where it uses any"""

Page = str | Entry | Mapping[str, object] | tuple[object, object]
"""an address, an entry, named values, or an address with its date"""

_USERINFO = lazy_pattern(r"//[^/\s]*@")
_EXAMPLES = 3
AT_ONCE = 300
"""pages that are written at once, and in a chunk of a stream"""
_NEWS = 1 << EXTENSIONS.index("news")
_IMAGE_BYTES = len(media_xml(Media(images=(Image("http://a"),))))
_OPEN = b"  <url>\n"


class FileFull(ArgumentValueError):  # noqa: N818 - it says what happened
    """One file cannot hold the pages."""


class _Refused(ValueError):  # noqa: N818 - a decision
    """A page that would make the file invalid."""


class EntryLines:
    """Fed with batches of pages, gives the bytes of one `<urlset>` file; equal pages give equal bytes."""

    def __init__(
        self,
        base_url: str | None = None,
        *,
        declare: Collection[str] = (),
        keep: Callable[[bytes], bool] | None = None,
        any_host: bool = False,
    ) -> None:
        """`declare` are extensions that the root declares even when no page uses them.

        `keep` is called with each element; those it refuses belong to another file and are not counted.
        `any_host` lists addresses of several hosts.
        """
        base = None if base_url is None else Address.parse(base_url)
        if base is not None and not base.is_web:
            raise ArgumentValueError(f"base_url {base_url!r} is not an http or https URL")
        self._origin: Origin | None = base.origin if base is not None else None
        self._compiled: Batch | None = None
        self._options = SourceOptions(base_url=base_url)
        self._declared: frozenset[str] | None = None
        self._declare = frozenset(declare)
        self._keep, self._any_host = keep, any_host
        self.entries, self.size = 0, 0
        self._articles = 0
        self.skipped = 0
        self.reasons: list[str] = []
        """the first few different ones, for a log"""

    def feed(self, pages: Iterable[Page]) -> bytes:
        """What the batch adds to the file. The first batch decides what the root declares. Raises FileFull."""
        lines = [line for line in self._lines(pages) if line is not None]
        if self._keep is not None:
            keep = self._keep
            lines = [line for line in lines if keep(line if isinstance(line, bytes) else line[0])]
        self.entries += len(lines)
        if self._declared is None:
            data = self._opened(lines)
        else:
            data = b"".join([line if isinstance(line, bytes) else self._with_namespaces(*line) for line in lines])
        self.size += len(data)
        if self.entries > MAX_URLS:
            raise FileFull(f"more than {MAX_URLS:,} entries: a sitemap cannot hold them; use urlset.build()")
        if self.size + len(CLOSING) > MAX_BYTES:
            raise FileFull(f"more than {MAX_BYTES:,} bytes: a sitemap cannot hold them; use urlset.build()")
        return data

    def finish(self) -> bytes:
        return CLOSING if self._declared is not None else self._opened([]) + CLOSING

    def elements(self, pages: Iterable[Page]) -> Iterator[bytes]:
        """The element of each page that is not left out, with every namespace it needs."""
        for line in self._lines(pages):
            if line is not None:
                yield line if isinstance(line, bytes) else self._with_namespaces(*line)

    def _opened(self, lines: list[_Line]) -> bytes:
        used = self._declare.union(*(line[1] for line in lines if not isinstance(line, bytes)))
        self._declared = used
        return opening(used) + b"".join([line if isinstance(line, bytes) else line[0] for line in lines])

    def _with_namespaces(self, line: bytes, used: frozenset[str]) -> bytes:
        """The root is sent already, so an extension it does not declare is declared by the element."""
        missing = sorted(used - (self._declared or frozenset()))
        if not missing:
            return line
        names = "".join(f' xmlns:{BY_NAME[name].prefix}="{BY_NAME[name].uri}"' for name in missing)
        return f"  <url{names}>\n".encode() + line.removeprefix(_OPEN)

    def _lines(self, pages: Iterable[Page]) -> Iterator[_Line | None]:
        """Of each page; None for one that is left out. Compiled code writes those that are in order."""
        pages = iter(pages)
        while (batch := self._batch()) is None:
            first = list(islice(pages, 1))
            if not first:
                return
            yield self._slowly(first[0])
        while some := list(islice(pages, AT_ONCE)):
            batch.clear()
            batch.read_offers(some)
            self._set_dates(batch)
            for number, (page, line) in enumerate(zip(some, batch.entries(), strict=True)):
                mask = 0 if line is None else batch.mask(number)
                if line is None or (mask & _NEWS and self._articles >= MAX_NEWS_PER_SITEMAP):
                    yield self._slowly(page)
                elif mask:
                    self._articles += mask & _NEWS != 0
                    yield line, names_in(mask)
                else:
                    yield line

    def _batch(self) -> Batch | None:
        """None where there is no compiled code, or no page has said yet which host this is."""
        if self._compiled is None and self._origin is not None and pages_module.compiled_pages() is not None:
            from urlset.building.compiled_pages import Batch, Screen

            # more images than a page may have take at least as many bytes
            self._compiled = Batch(Screen(self._head_of), MAX_IMAGES_PER_URL * _IMAGE_BYTES, inline=True)
        return self._compiled

    def _set_dates(self, batch: Batch) -> None:
        """Those in notations that compiled code does not read."""
        if batch.usual:
            return
        from urlset.building.compiled_pages import DATE

        for number in batch.of_status(DATE):
            try:
                batch.set_date(number, (to_lastmod(batch.date(number)) or "").encode())
            except DateError:
                batch.refuse(number)

    def _head_of(self, raw: bytes) -> tuple[bytes, bytes, bool, bool] | None:
        """See `compiled_pages.Speller`."""
        try:
            address = Address.parse(to_loc(f"{raw.decode()}/", self._options.base_url))
        except (LocError, UnicodeDecodeError):
            return None
        try:
            self._approve(address)
            listed = True
        except _Refused:
            listed = False
        return address.raw[:-1].encode(), address.key[:-1].encode(), listed, False

    def _slowly(self, page: object) -> _Line | None:
        try:
            entry = self._within_limits(self._read(page))
            try:
                line = entry_bytes(entry)
            except Unwritable:
                entry, notes = legal(entry)
                for note in notes:
                    self._note(note)
                line = entry_bytes(entry)
        except _Refused as error:
            self.skipped += 1
            self._note(str(error))
            return None
        for element in left_out(entry.media):
            self._note(f"{element[:80]!r} needs a namespace that is declared elsewhere; left out")
        return line if entry.media is NOTHING else (line, extensions_of(entry.media))

    def _within_limits(self, entry: Entry) -> Entry:
        """At most 1,000 images a page and 1,000 articles a file; the page is listed in any case."""
        media = entry.media
        if len(media.images) > MAX_IMAGES_PER_URL:
            self._note(f"{len(media.images):,} images on a page; the first {MAX_IMAGES_PER_URL:,} are listed")
            media = replace(media, images=media.images[:MAX_IMAGES_PER_URL])
        if media.news:
            self._articles += 1
            if self._articles > MAX_NEWS_PER_SITEMAP:
                self._note(f"more than {MAX_NEWS_PER_SITEMAP:,} news articles in one file; listed as plain pages")
                media = replace(media, news=())
        return entry if media is entry.media else replace(entry, media=media if media != NOTHING else NOTHING)

    def _read(self, page: object) -> Entry:
        row = named(page)
        if row is None:
            raise _Refused(f"{type(page).__name__} is not a URL, an Entry or a mapping")
        troubles: list[str] = []
        entry: Entry | None = None
        for item in items_of_mapping(row, "page", self._options):
            if isinstance(item, Candidate):
                entry = item.entry
            else:
                troubles.append(item.reason)
        if entry is None:
            raise _Refused("; ".join(troubles))
        self._approve(Address.parse(entry.loc or ""))
        for trouble in troubles:
            self._note(trouble)
        return entry

    def _approve(self, address: Address) -> None:
        if address.userinfo is not None:
            raise _Refused("a URL with a user name or password")
        if address.illegal is not None or not address.is_web or address.whatwg is None:
            raise _Refused(f"{address.raw[:200]!r} is not a valid http or https URL")
        if len(address.raw) >= LOC_LENGTH_BELOW:
            raise _Refused(f"a URL of {len(address.raw):,} characters; {LOC_LENGTH_BELOW - 1:,} are allowed")
        if self._origin is None:
            self._origin = address.origin
        elif address.origin != self._origin and not self._any_host:
            raise _Refused(f"{address.raw[:200]!r} is on another host")

    def _note(self, reason: str) -> None:
        if len(self.reasons) < _EXAMPLES and (shown := _USERINFO.sub("//…@", reason)) not in self.reasons:
            self.reasons.append(shown)
