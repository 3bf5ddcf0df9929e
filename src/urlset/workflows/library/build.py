"""Any iterable of pages → a published set of sitemaps: the door of the library to what `urlset build` does."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterable, AsyncIterator, Callable, Collection, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Unpack

from urlset.building.entry_lines import EntryLines, FileFull, Page
from urlset.building.sources.iterable import Offer
from urlset.execution.workers import Workers
from urlset.model.entry import IndexEntry
from urlset.settings.build import BuildSettings
from urlset.settings.load import from_keywords
from urlset.storage.paths import is_address
from urlset.workflows.build.build import build as build_set
from urlset.workflows.build.result import BuildError, BuildReport, BuildRun
from urlset.workflows.library.keywords import BuildKeywords
from urlset.writing.files import work_folder
from urlset.writing.gzip import Packer
from urlset.writing.urlset import CLOSING, compact, write_index
from urlset.writing.xml import legal


class BuildRefused(BuildError):  # noqa: N818 - a decision, not a mistake
    """A safety check refused the set; `report` has the details, and the published set is unchanged."""

    def __init__(self, report: BuildReport) -> None:
        super().__init__(report)
        self.report = report

    def __str__(self) -> str:
        return "; ".join(refusal.text for refusal in self.report.refusals)


def build(
    entries: Iterable[Offer] = (),
    out: str | PathLike[str] = "",
    *,
    sources: Iterable[str] = (),
    **options: Unpack[BuildKeywords],
) -> BuildReport:
    """Build sitemaps in the folder `out`, as `urlset build` does. The keywords are the options of the command.

    `entries` are URLs, `Entry` values or mappings with the columns of docs/sources.md; they are read once and never
    held in memory. `sources` are folders, files, databases or a site, as the command takes them. With `state`, a folder
    that is kept from run to run, pages stay in their files, unchanged files are not rewritten, and a set that lost too
    much is refused; without it every run is the first. Everything runs in this process unless `jobs` asks for worker
    processes (0: one per core). Raises BuildRefused, BuildError or OSError, and the published sitemaps are unchanged
    then; ValueError and TypeError for keywords that cannot be used.
    """
    from urlset.building.journal import PublishError
    from urlset.building.sources.source import SourceBroken, SourceError
    from urlset.writing.sqlite_store import StateError

    settings = from_keywords(BuildSettings, options)
    named = tuple(sources)
    if isinstance(entries, (str, os.PathLike)):
        raise TypeError("build() takes an iterable of entries; name folders and files with sources=")
    if not os.fspath(out):
        raise TypeError("build() needs the folder to write to: out=")
    settings = replace(settings, sources=tuple(each for each in named if not is_address(each)), out=Path(out))
    workers = settings.workers if {"jobs", "executor"} & options.keys() else Workers()
    try:
        report = _run(settings, BuildRun(offers=entries, workers=workers), [each for each in named if is_address(each)])
    except (PublishError, SourceBroken, SourceError, StateError) as error:
        raise BuildError(str(error)) from error
    if report.refusals:
        raise BuildRefused(report)
    return report


def _run(settings: BuildSettings, run: BuildRun, sites: list[str]) -> BuildReport:
    if len(sites) > 1:
        raise ValueError("sources: only one site can be crawled at a time; save the others with crawl(url, out=FILE)")
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
            raise ValueError("base_url: missing; it is inferred from sources only")
        from urlset.workflows.build.build import inferred_base_url

        settings = replace(settings, base_url=inferred_base_url(settings))
    return build_set(settings, run)


__all__ = ["FileFull", "Page", "SitemapStream", "render", "render_index", "render_stream", "render_stream_async"]

LOGGER = logging.getLogger("urlset")
BATCH = 1_000
"""pages in a chunk of a stream"""


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
            report_skipped(self.lines, name)
        return data if self._packer is None else self._packer.feed(data) + self._packer.finish()


def render(entries: Iterable[Page], *, base_url: str | None = None, gzip: bool = False) -> bytes:
    """One sitemap with the entries: URLs, `Entry` values, mappings or pairs of URL and date.

    Entries that would make the file invalid are left out and logged by the logger `urlset`. Without `base_url`,
    paths are left out, and the first entry sets the host. Raises ValueError when one file cannot hold the entries.
    """
    return b"".join(render_stream(entries, base_url=base_url, gzip=gzip))


def render_stream(entries: Iterable[Page], *, base_url: str | None = None, gzip: bool = False) -> Iterator[bytes]:
    """The same in chunks, none of them empty; the entries are read once and never held in memory."""
    rendering = SitemapStream(base_url, gzip=gzip)
    return _stream(iter(entries), rendering)


def _stream(entries: Iterator[Page], rendering: SitemapStream) -> Iterator[bytes]:
    while batch := list(islice(entries, BATCH)):
        if chunk := rendering.feed(batch):
            yield chunk
    yield rendering.finish()


async def render_stream_async(
    entries: AsyncIterable[Page], *, base_url: str | None = None, gzip: bool = False
) -> AsyncIterator[bytes]:
    """The same for an async iterable."""
    rendering = SitemapStream(base_url, gzip=gzip)
    batch: list[Page] = []
    async for page in entries:
        batch.append(page)
        if len(batch) == BATCH:
            if chunk := rendering.feed(batch):
                yield chunk
            batch = []
    yield rendering.feed(batch) + rendering.finish()


def render_index(children: Iterable[IndexEntry | str]) -> bytes:
    """A sitemap index: the URLs of sitemaps, or `IndexEntry` values with their dates."""
    return b"".join(write_index(_legal_child(IndexEntry(each) if isinstance(each, str) else each) for each in children))


def _legal_child(child: IndexEntry) -> IndexEntry:
    found, notes = legal(child)
    for note in notes:
        LOGGER.warning("sitemap index: %s", note)
    return found


def report_skipped(lines: EntryLines, name: str) -> None:
    what = f"{lines.skipped} entries left out" if lines.skipped else "some values left out"
    LOGGER.warning("%s: %s; %s", name, what, "; ".join(lines.reasons))
