"""Pages as a program gives them → the `<url>` elements of one file, batch by batch, and what was left out.

Unlike a build, it does not judge whether a page deserves to be listed. It leaves out only what would make the file
invalid: a value that is not an address, is too long, carries a password or is on another host.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, datetime

from msgspec.structs import replace

from urlset.building.candidate import Candidate
from urlset.building.sources.cells import DateError, cells_of, to_lastmod
from urlset.building.sources.rows import hint_lines, items_of_mapping
from urlset.building.sources.source import SourceOptions
from urlset.model.address import Address, Origin
from urlset.model.entry import NOTHING, Entry, Media
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.namespaces import BY_NAME
from urlset.spec.protocol import LOC_LENGTH_BELOW, MAX_BYTES, MAX_IMAGES_PER_URL, MAX_NEWS_PER_SITEMAP, MAX_URLS
from urlset.writing.media import extensions_of, left_out, media_xml
from urlset.writing.urlset import CLOSING, entry_bytes, opening
from urlset.writing.xml import Unwritable, legal

_Line = bytes | tuple[bytes, frozenset[str]]
"""an element, with the extensions it uses where it uses any"""

Page = str | Entry | Mapping[str, object] | tuple[object, object]
"""an address, an entry, named values, or an address with its date"""

# Paths that need neither percent-encoding nor XML escapes nor resolution.
_QUICK = lazy_pattern(r"/(?![/.])(?:[A-Za-z0-9\-._~!$()*+,;=:@?]++|/(?![/.])|%[0-9A-Fa-f]{2})*+")
_HREFLANG = lazy_pattern(r"[A-Za-z]{2}(?:-[A-Za-z]{2}|-[A-Za-z]{4})?|x-default")
_ALTERNATES = frozenset({"xhtml"})
_USERINFO = lazy_pattern(r"//[^/\s]*@")
_EXAMPLES = 3
_OPEN = b"  <url>\n"


class FileFull(ValueError):  # noqa: N818 - it says what happened
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
            raise ValueError(f"base_url {base_url!r} is not an http or https URL")
        self._origin: Origin | None = base.origin if base is not None else None
        self._head = "" if base is None else base.key[: base.key.find("/", base.key.find("//") + 2)]
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
        lines = [line for page in pages if (line := self._line(page)) is not None]
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

    def line_of(self, page: Page) -> bytes | None:
        """The element of one page with every namespace it needs; None when it is left out."""
        line = self._line(page)
        if line is None or isinstance(line, bytes):
            return line
        return self._with_namespaces(*line)

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

    def _line(self, page: Page) -> _Line | None:
        if type(page) is tuple:
            loc, lastmod = page
            if type(loc) is str and (quick := self._quick(loc)) is not None:
                return self._plain_line(quick, lastmod)
            page = {"loc": loc, "lastmod": lastmod}
        elif type(page) is str:
            if (quick := self._quick(page)) is not None:
                return self._plain_line(quick, None)
            page = {"loc": page}
        elif isinstance(page, Entry):
            return self._entry_line(page)
        return self._slowly(page)

    def _quick(self, loc: str) -> str | None:
        """The complete address, where it is on the site and needs no change at all."""
        head = self._head
        if not head:
            return None
        if loc.startswith(head):
            legal = _QUICK.fullmatch(loc, len(head)) is not None
        elif loc.startswith("/"):
            legal = _QUICK.fullmatch(loc) is not None
            loc = head + loc
        else:
            return None
        return loc if legal and len(loc) < LOC_LENGTH_BELOW else None

    def _plain_line(self, loc: str, lastmod: object, hints: str = "") -> bytes:
        date = None if lastmod is None else self._date(lastmod)
        if date is None:
            return f"  <url>\n    <loc>{loc}</loc>\n{hints}  </url>\n".encode()
        return f"  <url>\n    <loc>{loc}</loc>\n    <lastmod>{date}</lastmod>\n{hints}  </url>\n".encode()

    def _entry_line(self, entry: Entry) -> _Line | None:
        """Quickly where address, hints and alternates need no change."""
        quick = self._quick(entry.loc or "")
        hints = None if quick is None else hint_lines(entry.changefreq, entry.priority)
        if quick is None or hints is None:
            return self._slowly(cells_of(entry))
        if entry.media is NOTHING:
            return self._plain_line(quick, entry.lastmod, hints)
        if not self._has_plain_alternates(entry.media):
            return self._slowly(cells_of(entry))
        return self._plain_line(quick, entry.lastmod, hints + media_xml(entry.media)), _ALTERNATES

    def _has_plain_alternates(self, media: Media) -> bool:
        """And nothing else."""
        links = media.alternates
        return media == Media(alternates=links) and all(
            link.rel == "alternate"
            and link.media is None
            and _HREFLANG.fullmatch(link.hreflang or "") is not None
            and link.href is not None
            and self._quick(link.href) == link.href
            for link in links
        )

    def _date(self, value: object) -> str | None:
        if type(value) is datetime and value.tzinfo is UTC:
            return f"{value.isoformat()[:19]}Z"
        try:
            return to_lastmod(value)
        except DateError as error:
            self._note(f"lastmod: {error}; listed without it")
            return None

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
        if not isinstance(page, Mapping):
            raise _Refused(f"{type(page).__name__} is not a URL, an Entry or a mapping")
        troubles: list[str] = []
        entry: Entry | None = None
        for item in items_of_mapping(page, "page", self._options):
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
            self._head = address.key[: address.key.find("/", address.key.find("//") + 2)]
        elif address.origin != self._origin and not self._any_host:
            raise _Refused(f"{address.raw[:200]!r} is on another host")

    def _note(self, reason: str) -> None:
        if len(self.reasons) < _EXAMPLES and (shown := _USERINFO.sub("//…@", reason)) not in self.reasons:
            self.reasons.append(shown)
