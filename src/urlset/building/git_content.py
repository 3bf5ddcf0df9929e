"""Committed pages and what they say now → for each the commit that gave it its present main content.

`git_evidence` finds the commit that left the present bytes. A new footer changes the bytes of every page and the
content of none, so the walk continues from there: while the version before has the same main content, without what the
site repeated then and repeats now, the commit that left that version is looked for.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from itertools import groupby

import msgspec

from urlset.building.git_evidence import (
    CommitChange,
    Git,
    GitCommit,
    GitDates,
    GitFailedError,
    changes_of,
    open_git,
    take_made,
)
from urlset.reading.fingerprint import (
    BlockCounter,
    boilerplate_of,
    changed_facets,
    hash_of,
    is_boilerplate,
    page_blocks,
)
from urlset.reading.front_matter import front_matter_end
from urlset.reading.html import read_page
from urlset.reading.html_text import collapsed
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.page_facets import DATED_BY, Facet

MOST_VERSIONS = 20_000
"""earlier versions of pages that are read in one build"""
MOST_SECONDS = 60.0
COUNTED = 200
"""pages of one commit that are read to tell what the site repeated before it"""
_PAGE = (b".html", b".htm", b".xhtml")
_PARAGRAPHS = lazy_pattern(r"\n[ \t\r]*\n")

Blocks = tuple[int, ...]


class ContentDates(msgspec.Struct, frozen=True):
    """Paths are relative to the folder, as in `GitDates`."""

    commits: dict[str, GitCommit]
    unsettled: frozenset[str] = frozenset()
    """pages whose history was too long to read; their present content may be of any age"""


def dates_by_content(
    dates: GitDates,
    pages: Mapping[str, Blocks],
    page_count: int,
    boilerplate: Collection[int],
    counted: Collection[Facet] = DATED_BY,
) -> ContentDates:
    """`pages`: the present blocks of the pages asked about; `page_count` and `boilerplate` are those of the site."""
    asked = {path: blocks for path, blocks in pages.items() if path in dates.commits}
    git = open_git(dates.folder) if dates.folder is not None else None
    if git is None or not asked:
        return ContentDates({path: dates.commits[path] for path in asked})
    try:
        with git.blobs() as blob:
            return _Walk(git, blob, asked, page_count, boilerplate, counted=counted).run()
    except (GitFailedError, OSError):
        return ContentDates({}, frozenset(asked))


def dates_by_source(dates: GitDates, paths: Collection[str], counted: Collection[Facet] = DATED_BY) -> ContentDates:
    """The same for the files that pages are made from: what counts is their text, without what all of them repeat."""
    asked = {path for path in paths if path in dates.commits}
    git = open_git(dates.folder) if dates.folder is not None else None
    if git is None or not asked:
        return ContentDates({path: dates.commits[path] for path in asked})
    try:
        with git.blobs() as blob:
            names = dict(_versions_at_head(git, dates.commits))
            counter, present = BlockCounter(), {}
            for count, (path, name) in enumerate(names.items()):
                if count >= MOST_VERSIONS // 2 or not path.lower().endswith(_suffixes(asked)):
                    continue
                data = blob(name)
                if data is not None:
                    blocks = _source_blocks(path, data)
                    counter.add(blocks)
                    if path in asked:
                        present[path] = blocks
            walk = _Walk(git, blob, present, counter.pages, boilerplate_of(counter), of_sources=True, counted=counted)
            found = walk.run()
    except (GitFailedError, OSError):
        return ContentDates({}, frozenset(asked))
    # What is too large to compare is dated by its last commit.
    rest = {path: dates.commits[path] for path in asked - present.keys()}
    return ContentDates({**found.commits, **rest}, found.unsettled)


def _suffixes(paths: Collection[str]) -> tuple[str, ...]:
    return tuple({path[path.rfind(".") :].lower() for path in paths if "." in path})


def _versions_at_head(git: Git, wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
    for field in git.fields("ls-tree", "-r", "-z", "HEAD", "--", "."):
        about, _, path = field.partition(b"\t")
        page = os.fsdecode(path)
        if page in wanted:
            yield page, about.split(b" ")[2]


def _source_blocks(path: str, data: bytes) -> Blocks:
    """Fields of the front matter and paragraphs, by their hashes."""
    if path.lower().endswith((".html", ".htm", ".xhtml")):
        return page_blocks(read_page(data, links=False, facets=True))
    end = front_matter_end(data)
    head, text = (part.decode("utf-8", "replace") for part in (data[:end], data[end:]))
    return tuple(hash_of(collapsed(each)) for each in (*head.splitlines(), *_PARAGRAPHS.split(text)) if each.strip())


class _Walk:
    def __init__(
        self,
        git: Git,
        blob: Callable[[bytes], bytes | None],
        pages: Mapping[str, Blocks],
        page_count: int,
        boilerplate: Collection[int],
        *,
        of_sources: bool = False,
        counted: Collection[Facet] = DATED_BY,
    ) -> None:
        self._counted = counted
        self._of_sources = of_sources
        self._suffixes = tuple(map(os.fsencode, _suffixes(pages))) if of_sources else _PAGE
        self._git, self._blob, self._pages = git, blob, pages
        self._page_count, self._boilerplate = page_count, boilerplate
        self._read_versions = 0
        self._until = time.monotonic() + MOST_SECONDS
        self._sought: dict[str, bytes] = {}
        """page → the version whose commit is looked for"""
        self._names: dict[bytes, list[str]] = {}
        """the path a page had at this point of the history → the pages"""
        self._found: dict[str, GitCommit] = {}
        self._unsettled: set[str] = set()

    def run(self) -> ContentDates:
        prefix = os.fsencode(self._git.line("rev-parse", "--show-prefix"))
        for page, name in _versions_at_head(self._git, self._pages):
            self._sought[page] = name
            self._names[prefix + os.fsencode(page)] = [page]
        with closing(changes_of(self._git)) as changes:
            for commit, changed in groupby(changes, lambda change: change.commit):
                self._step(commit, [change for change in changed if change.path.lower().endswith(self._suffixes)])
                if not self._names or self._is_tired:
                    break
        left = (page for pages in self._names.values() for page in pages)
        return ContentDates(self._found, frozenset(self._unsettled.union(left)))

    @property
    def _is_tired(self) -> bool:
        return self._read_versions >= MOST_VERSIONS or time.monotonic() > self._until

    def _step(self, commit: GitCommit | None, changed: list[CommitChange]) -> None:
        """One commit: each page whose version it left is dated by it, or looked for further back."""
        made = [(change, page) for change in changed for page in take_made(change, self._names, self._sought)]
        repeated: Collection[int] | None = None
        for change, page in made:
            if self._is_tired:
                self._unsettled.add(page)
                continue
            versions = [(name, blocks) for name in change.before if (blocks := self._read(name, page)) is not None]
            same = self._same_content(page, versions, self._boilerplate)
            if same is None and versions:
                if repeated is None:
                    repeated = {*self._boilerplate, *self._repeated_before(changed)}
                same = self._same_content(page, versions, repeated)
            if same is not None:
                self._sought[page] = same
                self._names.setdefault(change.path, []).append(page)
            elif commit is not None:
                self._found[page] = commit

    def _same_content(
        self, page: str, versions: list[tuple[bytes, Blocks]], boilerplate: Collection[int]
    ) -> bytes | None:
        """The version before with the present content; a merge has several before it."""
        now = self._pages[page]
        return next(
            (name for name, blocks in versions if not changed_facets(blocks, now, boilerplate, self._counted)), None
        )

    def _repeated_before(self, changed: list[CommitChange]) -> Iterator[int]:
        """What the site repeated before the commit, as far as the commit changed it."""
        pages = [(change.before[0], os.fsdecode(change.path)) for change in changed if change.before]
        step = -(-len(pages) // COUNTED)
        sample = [blocks for page in pages[::step] if (blocks := self._read(*page)) is not None] if pages else []
        counts = Counter(block for blocks in sample for block in set(blocks))
        for block, count in counts.items():
            if is_boilerplate(count * step, max(self._page_count, len(pages))):
                yield block

    def _read(self, name: bytes, path: str) -> tuple[int, ...] | None:
        self._read_versions += 1
        data = self._blob(name)
        if data is None:
            return None
        if self._of_sources:
            return _source_blocks(path, data)
        return page_blocks(read_page(data, links=False, facets=True))
