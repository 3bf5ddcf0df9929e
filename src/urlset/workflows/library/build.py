"""Pages → a published set of sitemaps, one sitemap, or a stream of one: what `urlset build` does, and less."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterable, AsyncIterator, Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Literal, TypeVar, Unpack, cast, overload

from urlset.building.candidate import Candidate
from urlset.building.entry_lines import AT_ONCE, EntryLines, FileFull
from urlset.building.sources.cells import DateError, LocError, to_lastmod, to_loc
from urlset.execution.workers import Workers
from urlset.model.document import Document
from urlset.model.entry import Entry, IndexEntry
from urlset.model.errors import ArgumentTypeError, ArgumentValueError, IncompleteError
from urlset.model.trouble import TroubleKind
from urlset.settings.build import BuildSettings
from urlset.settings.load import from_keywords
from urlset.settings.words import in_library_words
from urlset.storage.paths import is_address
from urlset.web.caller import CALLER
from urlset.workflows.build.build import build as build_set
from urlset.workflows.build.result import BuildError, BuildReport, BuildRun
from urlset.workflows.library.calls import awaited, in_python, library_errors, verb
from urlset.workflows.library.keywords import BuildKeywords, SitemapFetchKeywords
from urlset.workflows.library.sources import EXPECTED_PAGES, Named, Page, Pages, StrPath, page_of, pages_of, path_of
from urlset.writing.files import work_folder
from urlset.writing.gzip import Packer
from urlset.writing.urlset import CLOSING, compact, write_index
from urlset.writing.xml import legal

T = TypeVar("T")


class BuildRefused(BuildError):  # noqa: N818 - a decision, not a mistake
    """A safety check refused the set; `report` has the details, and the published set is unchanged."""

    def __init__(self, report: BuildReport) -> None:
        super().__init__(report)
        self.report = report

    def __str__(self) -> str:
        """The reasons, and the first rows that could not be used: they may be the cause."""
        rows = (f"{each.origin}: {each.reason}" for each in self.report.troubles[: IncompleteError.SHOWN])
        left = (f"left out: {count:,} {reason}" for reason, count in self.report.left_out.items())
        return in_library_words("; ".join([*(refusal.text for refusal in self.report.refusals), *rows, *left]))


@verb
def build(
    pages: Pages = (), out: StrPath = "", *, sources: Iterable[str] = (), **options: Unpack[BuildKeywords]
) -> BuildReport:
    """Build sitemaps in the folder `out`, as `urlset build` does. The keywords are the options of the command.

    `pages` are URLs, `Entry` values, pairs of URL and date, or mappings with the columns of docs/sources.md; they are
    read once and never held in memory. They may also be one source that lists them: a path or a site as the command
    takes it, XML as text or bytes, an open file, or a Document. `sources` are more of the former: folders, files,
    databases or a site.

    With `state`, a folder that is kept from run to run, pages stay in their files, unchanged files are not rewritten,
    and a set that lost too much is refused; without it every run is the first. Everything runs in this process unless
    `jobs` asks for worker processes (0: one per core). Rows that cannot be used are in `BuildReport.troubles`, or raise
    with `strict=True`. Raises BuildRefused, BuildError or OSError, and the published sitemaps are unchanged then;
    ValueError and TypeError for arguments that cannot be used.
    """
    from urlset.building.journal import PublishError
    from urlset.building.sources.source import SourceBroken, SourceError
    from urlset.writing.sqlite_store import StateError

    settings = from_keywords(BuildSettings, options)
    if isinstance(sources, str) or not isinstance(sources, Iterable):
        raise ArgumentTypeError(f"build(): `sources` is a list of paths and URLs, not {type(sources).__name__}")
    named = tuple(path_of(each, "build", "a source") for each in sources)
    given = pages_of(pages)
    if isinstance(given, str):
        named, given = (given, *named), iter(())
    if not out:
        raise ArgumentTypeError("build() needs the folder to write to: out=")
    files = tuple(each for each in named if not is_address(each))
    settings = replace(settings, sources=files, out=Path(path_of(out, "build", "`out`")))
    workers = settings.workers if {"jobs", "executor"} & options.keys() else Workers()
    run = BuildRun(offers=_listed(given), workers=workers)
    try:
        report = _run(settings, run, [each for each in named if is_address(each)])
    except (PublishError, SourceBroken, SourceError, StateError) as error:
        raise BuildError(str(error)) from error
    if report.refusals:
        raise BuildRefused(in_python(report))
    return report


async def build_async(
    pages: Pages | AsyncIterable[Page] = (),
    out: StrPath = "",
    *,
    sources: Iterable[str] = (),
    **options: Unpack[BuildKeywords],
) -> BuildReport:
    """Build sitemaps on asyncio, as `urlset.build` does; the pages may come from an async iterable.

    A cancelled build stops before it publishes anything.
    """
    given = _pulled(pages) if isinstance(pages, AsyncIterable) else pages
    return await awaited(build, given, out, sources=sources, **options)


def _pulled(pages: AsyncIterable[Page]) -> Iterator[Page]:
    """In the thread of a build: blocks of pages that are made on the loop of the caller."""
    from urlset.web.loop import run

    assert CALLER.get() is not None
    found = aiter(pages)
    while some := run(_some(found)):
        yield from some


async def _some(pages: AsyncIterator[T]) -> list[T]:
    found: list[T] = []
    while len(found) < AT_ONCE:
        try:
            found.append(await anext(pages))
        except StopAsyncIteration:
            break
    return found


def _listed(
    given: Iterator[Page | Candidate] | Named, fetching: SitemapFetchKeywords | None = None
) -> Iterator[Page | Candidate]:
    """The pages of a source, where that is what was given."""
    if not isinstance(given, (str, Document)):
        return given
    from urlset.workflows.library.read import pages as pages_in

    if isinstance(given, Document) and not (given.lists_pages or given.lists_sitemaps):
        raise ArgumentValueError(f"{given.name or 'the source'} {given.kind.refusal or 'lists no pages'}")
    if isinstance(given, Document) and given.troubles.count_of(TroubleKind.NOT_AN_ADDRESS):
        named = given.name or "the source"
        raise ArgumentValueError(f"{named} has lines that are not URLs; name a file of CSV or JSON, or give mappings")
    return pages_in(given, **(fetching or {}))


def _run(settings: BuildSettings, run: BuildRun, sites: list[str]) -> BuildReport:
    if len(sites) > 1:
        raise ArgumentValueError(
            "sources: only one site can be crawled at a time; save the pages of the others with crawl() first"
        )
    if sites:
        from urlset.workflows.build.crawl import build_from_web, crawl_for_build

        with work_folder() as temporary:
            crawling = crawl_for_build(settings, sites[0], settings.state_folder or temporary)
            _, report = build_from_web(settings, crawling, run)
        if report is None:
            raise BuildError("the crawl was interrupted; nothing was built")
        return report
    if not settings.base_url:
        if not settings.all_sources:
            raise ArgumentValueError("base_url is missing: it can be inferred from `sources` only")
        from urlset.workflows.build.build import inferred_base_url

        settings = replace(settings, base_url=inferred_base_url(settings))
    return build_set(settings, run)


__all__ = ["FileFull", "Page", "SitemapStream", "render", "render_index", "render_stream", "render_stream_async"]

LOGGER = logging.getLogger("urlset")


class SitemapStream:
    """One file while it is written: batches of pages in, chunks of bytes out."""

    def __init__(
        self,
        base_url: str | None = None,
        *,
        gzip: bool = False,
        declare: Collection[str] = (),
        keep: Callable[[bytes], bool] | None = None,
        any_host: bool = False,
        one_line: bool = False,
    ) -> None:
        """`one_line`: each entry on one line, without indentation."""
        self._one_line = one_line
        self.lines = EntryLines(base_url, declare=declare, keep=keep, any_host=any_host)
        self._packer = Packer() if gzip else None

    def feed(self, pages: Iterable[Page]) -> bytes:
        """Empty where every page was left out, or while the compressor waits for more."""
        data = self.lines.feed(pages)
        data = compact(data) if self._one_line else data
        return data if self._packer is None else self._packer.feed(data)

    def finish(self, name: str = "sitemap") -> bytes:
        data = self.lines.finish()
        if self._one_line and not self.lines.entries:
            data = data.replace(CLOSING, b"\n" + CLOSING)  # as Django's template leaves it
        if self.lines.skipped or self.lines.reasons:
            what = f"{self.lines.skipped} entries left out" if self.lines.skipped else "some values left out"
            LOGGER.warning("%s: %s; %s", name, what, "; ".join(self.lines.reasons))
        return data if self._packer is None else self._packer.feed(data) + self._packer.finish()


class RenderError(IncompleteError, ValueError):
    """Pages, or parts of them, that cannot be written; with `strict=False` they are left out."""


class Rendered(bytes):
    """A sitemap as bytes, and what is not in it."""

    entries: int
    """pages that it lists"""
    left_out: int
    """pages that would have made it invalid"""
    reasons: tuple[str, ...]
    """the first few, also for values that were left out of pages"""


@overload
def render(
    pages: Pages,
    *,
    base_url: str | None = None,
    gzip: bool = False,
    strict: Literal[True] = True,
    **options: Unpack[SitemapFetchKeywords],
) -> bytes: ...
@overload
def render(
    pages: Pages,
    *,
    base_url: str | None = None,
    gzip: bool = False,
    strict: Literal[False],
    **options: Unpack[SitemapFetchKeywords],
) -> Rendered: ...
@verb
def render(
    pages: Pages,
    *,
    base_url: str | None = None,
    gzip: bool = False,
    strict: bool = True,
    **options: Unpack[SitemapFetchKeywords],
) -> bytes:
    """One sitemap with the pages: URLs, `Entry` values, mappings, pairs of URL and date, or a source that lists them.

    Raises RenderError, a ValueError, for a page that would make the file invalid: not a URL, a path without `base_url`,
    another host than that of `base_url` or of the first page. With `strict=False` it is left out, counted in
    `left_out` and logged by the logger `urlset`. Raises ValueError when one file cannot hold the pages. The other
    keywords say how a URL is fetched, as for `urlset.check`.
    """
    rendering = SitemapStream(_checked_base(base_url), gzip=gzip)
    written = BytesIO()
    written.writelines(_stream(_listed(pages_of(pages), options), rendering, strict=strict))
    rendered = Rendered(written.getvalue())
    rendered.entries, rendered.left_out = rendering.lines.entries, rendering.lines.skipped
    rendered.reasons = tuple(map(in_library_words, rendering.lines.reasons))
    return rendered


@verb
def render_stream(
    pages: Pages,
    *,
    base_url: str | None = None,
    gzip: bool = False,
    strict: bool = True,
    **options: Unpack[SitemapFetchKeywords],
) -> Iterator[bytes]:
    """One sitemap in chunks, none of them empty; the pages are read once and never held in memory.

    As for `urlset.render`, a page that cannot be written raises when its turn comes, unless `strict=False`.
    """
    rendering = SitemapStream(_checked_base(base_url), gzip=gzip)
    return _stream(_listed(pages_of(pages), options), rendering, strict=strict)


def _stream(pages: Iterator[Page | Candidate], rendering: SitemapStream, *, strict: bool) -> Iterator[bytes]:
    while batch := cast("list[Page]", list(islice(pages, AT_ONCE))):
        with library_errors():
            chunk = _fed(rendering, batch, strict=strict)
        if chunk:
            yield chunk
    yield rendering.finish()


def _fed(rendering: SitemapStream, batch: list[Page], *, strict: bool) -> bytes:
    chunk = rendering.feed(batch)
    if strict and rendering.lines.reasons:
        raise RenderError(tuple(map(in_library_words, rendering.lines.reasons)))
    return chunk


async def render_stream_async(
    pages: Pages | AsyncIterable[Page],
    *,
    base_url: str | None = None,
    gzip: bool = False,
    strict: bool = True,
    **options: Unpack[SitemapFetchKeywords],
) -> AsyncIterator[bytes]:
    """One sitemap in chunks on asyncio, as `urlset.render_stream`; the pages may come from an async iterable."""
    rendering, found = SitemapStream(_checked_base(base_url), gzip=gzip), _one_by_one(pages, options)
    while batch := await _some(found):
        with library_errors():
            chunk = _fed(rendering, [cast("Page", page_of(each)) for each in batch], strict=strict)
        if chunk:
            yield chunk
    yield rendering.finish()


def _one_by_one(pages: object, fetching: SitemapFetchKeywords) -> AsyncIterator[object]:
    from urlset.workflows.library.read import pages_async

    if isinstance(pages, AsyncIterable):
        return aiter(pages)
    given = pages_of(pages)
    return pages_async(given, **fetching) if isinstance(given, (str, Document)) else _in_turn(given)


async def _in_turn(pages: Iterator[object]) -> AsyncIterator[object]:
    for page in pages:
        yield page


Child = str | IndexEntry | Entry | Mapping[str, object] | tuple[object, object]
"""the URL of a sitemap, an entry, named values, or a URL with its date"""


@verb
def render_index(children: Iterable[Child], *, base_url: str | None = None) -> bytes:
    """A sitemap index: URLs of sitemaps, entries, mappings with `loc` and `lastmod`, or pairs of URL and date.

    Raises RenderError, a ValueError, for a child that would make the file invalid; paths need `base_url`.
    """
    if isinstance(children, (str, bytes, Mapping)) or not isinstance(children, Iterable):
        raise ArgumentTypeError(f"sitemaps of type {type(children).__name__}: expected {EXPECTED_PAGES}")
    base, found = _checked_base(base_url), []
    for each in children:
        child, notes = legal(_child(each, base))
        if notes:
            raise RenderError(tuple(notes))
        found.append(child)
    return b"".join(write_index(found))


def _child(given: object, base_url: str | None) -> IndexEntry:
    page = given if isinstance(given, IndexEntry) else page_of(given)
    if isinstance(page, Mapping):
        page = (page.get("loc"), page.get("lastmod"))
    loc, lastmod = page if isinstance(page, tuple) else (getattr(page, "loc", page), getattr(page, "lastmod", None))
    try:
        return IndexEntry(to_loc(str(loc or ""), base_url), to_lastmod(lastmod))
    except (LocError, DateError) as error:
        raise RenderError((in_library_words(str(error)),)) from None


def _checked_base(base_url: str | None) -> str | None:
    if base_url is not None and not isinstance(base_url, str):
        raise ArgumentTypeError(f"base_url is a text, not {type(base_url).__name__}")
    return base_url
