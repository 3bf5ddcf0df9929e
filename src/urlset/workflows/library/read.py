"""The doors for Python programs that read: files, XML and URLs in, documents out, one or a whole tree."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard, Unpack, cast

from urlset.model.document import Document
from urlset.model.frames import FrameTable, Tabular
from urlset.model.page_tables import page_tables
from urlset.model.shown import Shown
from urlset.reading import limits
from urlset.reading.read import Source
from urlset.reading.read import read as read_local
from urlset.reading.tree import MAX_INDEX_DEPTH, DocumentTree, Missing, Start
from urlset.reading.tree import read_tree as local_tree
from urlset.settings.groups import FetchSettings, SitemapFetchSettings
from urlset.settings.load import from_keywords
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.storage.paths import is_address
from urlset.workflows.library.keywords import FetchKeywords, SitemapFetchKeywords

if TYPE_CHECKING:
    from urlset.workflows.live.tree import LiveTree

_DECLARED = lazy_pattern(r"\s*<\?xml\s[^<>]*?\bencoding\s*=\s*[\"']([\w.:-]+)[\"']", re.IGNORECASE)


class FetchError(OSError):
    """A URL that could not be read, and why."""


def read(
    source: Source,
    *,
    name: str | None = None,
    url: str | None = None,
    cap: int = limits.LOCAL_CAP,
    **options: Unpack[FetchKeywords],
) -> Document:
    """Read one sitemap: a path, a URL, XML as text or bytes, or a binary file; gzip is unpacked.

    Files that cannot be opened raise OSError, as `open` does, and URLs that cannot be fetched FetchError, which is an
    OSError. Content never raises: look at `Document.kind` and `Document.troubles`. `url` is the URL of a sitemap that
    is not fetched. At most `cap` unpacked bytes are read. The other keywords say how a URL is fetched, as for
    `urlset.check`; private addresses need `allow_private=True`.
    """
    settings = from_keywords(FetchSettings, options)
    if _is_content(source):
        return read_local(_encoded(source), name=name, url=url, cap=cap)
    if isinstance(source, str) and is_address(source):
        return _fetched(source, name, settings, cap)
    return read_local(source, name=name, url=url, cap=cap)


async def read_async(
    source: Source,
    *,
    name: str | None = None,
    url: str | None = None,
    cap: int = limits.LOCAL_CAP,
    **options: Unpack[FetchKeywords],
) -> Document:
    """The same for asyncio."""
    return await asyncio.to_thread(lambda: read(source, name=name, url=url, cap=cap, **options))


def read_tree(
    source: Start | Iterable[Start],
    *,
    root: str | os.PathLike[str] | None = None,
    base_url: str | None = None,
    max_depth: int = MAX_INDEX_DEPTH,
    cap: int = limits.LOCAL_CAP,
    **options: Unpack[SitemapFetchKeywords],
) -> Tree:
    """The documents behind a file, pattern, folder or URL (or several), with the children of every index.

    A URL is a sitemap, an index or a site, and is fetched with everything it leads to. The children of a file are
    looked for on disk: below `root` by the path of their URL, otherwise next to the index. `base_url` is the URL of
    `root` (default: any host's `/`). Raises FileNotFoundError for a path that leads nowhere; whatever else cannot be
    read is in `missing`. The other keywords say how URLs are fetched, as for `urlset.check`.
    """
    settings = from_keywords(SitemapFetchSettings, options)
    starts = [_encoded(each) if _is_content(each) else each for each in _several(source)]
    parts: list[DocumentTree | LiveTree] = []
    for on_the_web, group in groupby(starts, lambda start: isinstance(start, str) and is_address(start)):
        if on_the_web:
            parts.append(_live(cast("list[str]", list(group)), settings, max_depth))
        else:
            parts.append(local_tree(list(group), root=root, base_url=base_url, max_depth=max_depth, cap=cap))
    return Tree(parts, [_named(start) for start in starts])


def read_tree_async(
    source: Start | Iterable[Start],
    *,
    root: str | os.PathLike[str] | None = None,
    base_url: str | None = None,
    max_depth: int = MAX_INDEX_DEPTH,
    cap: int = limits.LOCAL_CAP,
    **options: Unpack[SitemapFetchKeywords],
) -> AsyncTree:
    """The same for asyncio: `async for document in urlset.read_tree_async(…)`."""
    tree = read_tree(source, root=root, base_url=base_url, max_depth=max_depth, cap=cap, **options)
    return AsyncTree(tree)


class Tree(Shown, Tabular):
    """Documents in the order listed, each once, an index before its children.

    Every iteration reads them again, one at a time: let go of a document before asking for the next, and memory stays
    that of the largest. `missing` says what could not be read, as far as the iteration has come.
    """

    def __init__(self, parts: Iterable[DocumentTree | LiveTree], names: Iterable[str]) -> None:
        self._parts, self._names = tuple(parts), tuple(names)

    def __iter__(self) -> Generator[Document]:
        for part in self._parts:
            part.missing.clear()
        for part in self._parts:
            yield from part

    def __contains__(self, item: object) -> bool:
        """Whether any document lists a URL, as it is written there; reads until it is found."""
        return any(item is document or item in document for document in self)

    @property
    def missing(self) -> list[Missing]:
        return [each for part in self._parts for each in part.missing]

    def facts(self) -> Iterator[tuple[str, object]]:
        yield "source", self._names[0] if len(self._names) == 1 else self._names
        if self.missing:
            yield "missing", len(self.missing)

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """Rows: pages, sitemaps, images, videos, news, alternates."""
        return page_tables(lambda: self)


class AsyncTree(Shown):
    """A tree that is read in another thread, without blocking the event loop."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    async def __aiter__(self) -> AsyncIterator[Document]:
        loop, documents = asyncio.get_running_loop(), self._tree.__iter__()
        thread = ThreadPoolExecutor(1, thread_name_prefix="urlset-read")
        try:
            while (document := await loop.run_in_executor(thread, next, documents, None)) is not None:
                yield document
                del document
        finally:
            thread.submit(documents.close)
            thread.shutdown(wait=False)

    @property
    def missing(self) -> list[Missing]:
        return self._tree.missing

    def facts(self) -> Iterator[tuple[str, object]]:
        return self._tree.facts()


def _is_content(source: object) -> TypeGuard[str | bytes | bytearray | memoryview]:
    """XML or a list of URLs, not the name of one."""
    if isinstance(source, str):
        return source.lstrip("\ufeff \t\r\n").startswith("<") or "\n" in source
    return isinstance(source, (bytes, bytearray, memoryview))


def _encoded(content: str | bytes | bytearray | memoryview) -> bytes:
    """Text in the encoding that it declares: the declaration must be true."""
    if not isinstance(content, str):
        return bytes(content)
    declared = _DECLARED.match(content)
    if declared is not None:
        try:
            return content.encode(declared[1])
        except (LookupError, UnicodeError):
            pass
    return content.encode("utf-8", "replace")


def _fetched(url: str, name: str | None, settings: FetchSettings, cap: int) -> Document:
    from urlset.rules.fetch_state import FetchState, outcome_of
    from urlset.workflows.library.check import python_advice
    from urlset.workflows.live.discover import why_not
    from urlset.workflows.live.harvest import Harvest
    from urlset.writing.files import work_folder

    with work_folder() as folder, Harvest(settings.fetching, Path(folder) / "files", named=(url,)) as harvest:
        arrival = harvest.fetch(url)
        if outcome_of(arrival.answer) is not FetchState.READ:
            raise FetchError(python_advice(f"{url}: {why_not(arrival.answer)}"))
        final = arrival.answer.final_url or url
        return read_local(arrival.path, name=name or url, url=final, cap=min(cap, limits.REMOTE_CAP))


def _live(targets: list[str], settings: SitemapFetchSettings, max_depth: int) -> LiveTree:
    from urlset.workflows.live.tree import LiveTree  # brings asyncio along, which files do not need

    return LiveTree(targets, settings, max_depth=max_depth)


def _several(source: Start | Iterable[Start]) -> list[Start]:
    if isinstance(source, (str, os.PathLike, bytes, bytearray, memoryview)) or hasattr(source, "read"):
        return [cast("Start", source)]
    return list(source)


def _named(start: Start) -> str:
    if isinstance(start, (str, os.PathLike)):
        return os.fspath(start)
    return f"<{len(start):,} bytes>" if isinstance(start, bytes) else str(getattr(start, "name", ""))
