"""Pages → the bytes of one sitemap: in one piece, in chunks, or in chunks from an async iterable."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterable, AsyncIterator, Callable, Collection, Iterable, Iterator
from itertools import islice

from urlset.building.entry_lines import EntryLines, FileFull, Page
from urlset.model.entry import IndexEntry
from urlset.writing.gzip import Packer
from urlset.writing.urlset import CLOSING, compact, write_index
from urlset.writing.xml import legal

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
