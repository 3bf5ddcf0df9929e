"""The doors for Python programs that read: sources in; documents, pages and descriptions out."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import msgspec

from urlset.model.document import Document
from urlset.model.entry import Entry
from urlset.model.errors import UrlsetError
from urlset.model.frames import FrameTable, Tabular
from urlset.model.page_tables import page_tables
from urlset.model.shown import Shown
from urlset.reading import limits
from urlset.reading.read import read as read_local
from urlset.reading.tree import MAX_INDEX_DEPTH, DocumentTree, Missing
from urlset.reading.tree import read_tree as local_tree
from urlset.settings.groups import FetchSettings, SitemapFetchSettings
from urlset.settings.load import from_keywords
from urlset.settings.ls import InfoSettings
from urlset.settings.words import in_library_words
from urlset.storage.paths import is_address
from urlset.workflows.library.calls import CallThread, complete, on_asyncio, verb
from urlset.workflows.library.keywords import FetchKeywords, InfoKeywords, SitemapFetchKeywords
from urlset.workflows.library.sources import Source, Sources, is_on_the_web, need_readable, source_of, sources_of

if TYPE_CHECKING:
    from urlset.workflows.info import Description
    from urlset.workflows.live.tree import LiveTree


class FetchError(UrlsetError, OSError):
    """A URL that could not be read, and why."""


@verb
def read(
    source: Source,
    *,
    name: str | None = None,
    url: str | None = None,
    cap: int = limits.LOCAL_CAP,
    **options: Unpack[FetchKeywords],
) -> Document:
    """Read one sitemap: a path, a URL, XML as text or bytes, or an open file; gzip is unpacked.

    Files that cannot be opened raise FileError, an OSError as `open` raises it, and URLs that cannot be fetched
    FetchError, also an OSError. Content never raises: look at `Document.kind` and `Document.troubles`. `url` is the URL
    of a sitemap that is not fetched, `name` what reports call it. At most `cap` unpacked bytes are read. The other
    keywords say how a URL is fetched, as for `urlset.check`; private addresses need `allow_private=True`.
    """
    settings = from_keywords(FetchSettings, options)
    found = source_of(source, name=name, url=url, cap=cap)
    if isinstance(found, Document):
        changed = {key: value for key, value in (("name", name), ("url", url)) if value is not None}
        return msgspec.structs.replace(found, **changed) if changed else found
    if is_address(found):
        return _fetched(found, name, settings, cap)
    return read_local(found, name=name, url=url, cap=cap)


read_async = on_asyncio(read, "Read one sitemap on asyncio, as `urlset.read` does.")


def _fetched(url: str, name: str | None, settings: FetchSettings, cap: int) -> Document:
    from urlset.rules.fetch_state import FetchState, outcome_of
    from urlset.workflows.live.discover import why_not
    from urlset.workflows.live.harvest import Harvest
    from urlset.writing.files import work_folder

    with work_folder() as folder, Harvest(settings.fetching, Path(folder) / "files", named=(url,)) as harvest:
        arrival = harvest.fetch(url)
        if outcome_of(arrival.answer) is not FetchState.READ:
            raise FetchError(f"{url}: {why_not(arrival.answer)}")
        final = arrival.answer.final_url or url
        return read_local(arrival.path, name=name or url, url=final, cap=min(cap, limits.REMOTE_CAP))


# Trees.


@verb
def read_tree(
    source: Sources,
    *,
    root: str | os.PathLike[str] | None = None,
    base_url: str | None = None,
    max_depth: int = MAX_INDEX_DEPTH,
    cap: int = limits.LOCAL_CAP,
    strict: bool = True,
    **options: Unpack[SitemapFetchKeywords],
) -> Tree:
    """The documents behind a file, pattern, folder, URL or document (or several), with the children of every index.

    A URL is a sitemap, an index or a site, and is fetched with everything it leads to. The children of a file are
    looked for on disk: below `root` by the path of their URL, otherwise next to the index. `base_url` is the URL of
    `root` (default: any host's `/`). Raises FileNotFoundError for a path that leads nowhere. Whatever else cannot be
    read is in `missing`; with `strict`, the iteration raises IncompleteError after the last document. The other
    keywords say how URLs are fetched, as for `urlset.check`.
    """
    settings = from_keywords(SitemapFetchSettings, options)
    starts = sources_of(source)
    parts: list[DocumentTree | LiveTree] = []
    for on_the_web, group in groupby(starts, is_on_the_web):
        if on_the_web:
            from urlset.workflows.live.tree import LiveTree  # brings asyncio along, which files do not need

            parts.append(LiveTree([str(start) for start in group], settings, max_depth=max_depth))
        else:
            parts.append(local_tree(list(group), root=root, base_url=base_url, max_depth=max_depth, cap=cap))
    names = [each if isinstance(each, str) else each.name or f"<{len(each.data):,} bytes>" for each in starts]
    return Tree(parts, names, strict=strict)


def read_tree_async(
    source: Sources,
    *,
    root: str | os.PathLike[str] | None = None,
    base_url: str | None = None,
    max_depth: int = MAX_INDEX_DEPTH,
    cap: int = limits.LOCAL_CAP,
    strict: bool = True,
    **options: Unpack[SitemapFetchKeywords],
) -> AsyncTree:
    """The documents of a tree on asyncio: `async for document in urlset.read_tree_async(…)`."""
    tree = read_tree(source, root=root, base_url=base_url, max_depth=max_depth, cap=cap, strict=strict, **options)
    return AsyncTree(tree)


class Tree(Shown, Tabular):
    """Documents in the order listed, each once, an index before its children.

    Every iteration reads them again, one at a time: let go of a document before asking for the next, and memory stays
    that of the largest. `missing` says what could not be read, as far as the iteration has come.
    """

    def __init__(self, parts: Iterable[DocumentTree | LiveTree], names: Iterable[str], *, strict: bool = False) -> None:
        self._parts, self._names, self._strict = tuple(parts), tuple(names), strict

    def __iter__(self) -> Generator[Document]:
        for part in self._parts:
            part.missing.clear()
        for part in self._parts:
            yield from part
        complete((_absence(each) for each in self.missing), None, strict=self._strict)

    def __contains__(self, item: object) -> bool:
        """Whether any document lists a URL, as it is written there; reads until it is found."""
        return any(item is document or item in document for document in self)

    @property
    def missing(self) -> list[Missing]:
        """What could not be read, as far as the iteration has come."""
        return [each._replace(reason=in_library_words(each.reason)) for part in self._parts for each in part.missing]

    def facts(self) -> Iterator[tuple[str, object]]:
        yield "source", self._names[0] if len(self._names) == 1 else self._names
        if self.missing:
            yield "missing", len(self.missing)

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """Rows: pages, sitemaps, images, videos, news, alternates."""
        return page_tables(lambda: self)


class AsyncTree(Shown):
    """A tree on asyncio: fetched on the loop of the caller, read in another thread."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    async def __aiter__(self) -> AsyncIterator[Document]:
        thread, documents = CallThread("urlset-read"), self._tree.__iter__()
        try:
            while (document := await thread.call(lambda: next(documents, None))) is not None:
                yield document
                del document
        finally:
            await thread.call(documents.close)
            thread.close()

    @property
    def missing(self) -> list[Missing]:
        """What could not be read, as far as the iteration has come."""
        return self._tree.missing

    def facts(self) -> Iterator[tuple[str, object]]:
        return self._tree.facts()


def pages(
    source: Sources,
    *,
    root: str | os.PathLike[str] | None = None,
    base_url: str | None = None,
    strict: bool = True,
    **options: Unpack[SitemapFetchKeywords],
) -> Iterator[Entry]:
    """Every listed page of a tree, one at a time, as `urlset ls` lists them. The keywords are those of `read_tree`."""
    tree = read_tree(source, root=root, base_url=base_url, strict=strict, **options)
    return (entry for document in tree for entry in document.entries())


async def pages_async(
    source: Sources,
    *,
    root: str | os.PathLike[str] | None = None,
    base_url: str | None = None,
    strict: bool = True,
    **options: Unpack[SitemapFetchKeywords],
) -> AsyncIterator[Entry]:
    """Every listed page of a tree on asyncio: `async for entry in urlset.pages_async(…)`."""
    async for document in read_tree_async(source, root=root, base_url=base_url, strict=strict, **options):
        for entry in document.entries():
            yield entry


@verb
def info(source: Sources, *, strict: bool = True, **options: Unpack[InfoKeywords]) -> tuple[Description, ...]:
    """What each sitemap is, holds, and has wrong with its bytes, as `urlset info` shows. The keywords are its options.

    With `strict`, raises IncompleteError where something could not be read.
    """
    from functools import partial

    from urlset.workflows.info import Description, describe_files
    from urlset.workflows.live.tree import LiveTree

    starts = sources_of(source)
    need_readable(starts)
    settings = from_keywords(InfoSettings, options)
    root = None if settings.root is None else str(settings.root)
    live = partial(LiveTree, settings=settings)
    found = list(describe_files(starts, root=root, follow=settings.follow, live=live))
    described = tuple(each for each in found if isinstance(each, Description))
    return complete((_absence(each) for each in found if isinstance(each, Missing)), described, strict=strict)


info_async = on_asyncio(info, "Describe sitemaps on asyncio, as `urlset.info` does.")


def _absence(missing: Missing) -> str:
    listed = f" (listed in {missing.parent})" if missing.parent else ""
    return f"{missing.loc}{listed}: {missing.reason}"
