"""Many documents → the facts that rules across files need, in bounded memory.

Each document is reduced to a summary as soon as it is read. The hashes of its URLs go to disk (`shared_urls`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

from urlset.checking.context import Context, Policy, unmet
from urlset.checking.select import Suppressions
from urlset.model.columns import Mark
from urlset.model.document import Document, Kind
from urlset.model.moment import Moment
from urlset.reading.read import read
from urlset.spec import namespaces
from urlset.spec.namespaces import means

if TYPE_CHECKING:
    from urlset.storage.paths import FilePath


COMPARED = 50
"""pairs of equal URLs whose texts are compared: those that a report shows"""
T = TypeVar("T")
R = TypeVar("R")


class Spread(Protocol):
    def __call__(self, function: Callable[[T], R], tasks: Iterable[T], /) -> Iterator[R]: ...


class DocumentSummary(msgspec.Struct, frozen=True):
    """The data kept for one document."""

    source: str
    url: str | None
    kind: Kind
    entries: int
    newest: str | None = None
    """the newest lastmod in it, as written, to compare with that of the index that lists it"""
    parent: str | None = None
    """the source of the index that lists it"""
    row: int | None = None
    """its row in that index"""
    hashes: str | None = None
    """the file with the hashes of its URLs"""
    links: str | None = None
    """the file with the data on its alternates"""
    number: int = 0
    media: bool = True
    """whether rules on media may apply to it"""
    silenced: tuple[str, ...] = ()
    """selectors that a comment suppresses for the whole file"""
    silenced_rows: dict[int, tuple[str, ...]] = {}
    listed: tuple[str, ...] = ()
    """for an index: the sitemaps it lists"""
    lastmods: tuple[str | None, ...] = ()
    """for an index: the lastmod of each"""
    served: str | None = None
    """the Last-Modified date of its server"""
    subjects: tuple[str, ...] = ()
    """`news`, `video`, `image`: what every entry is about, as in a sitemap for that kind of media alone"""
    unmet: tuple[int, ...] = ()
    """numbers of the patterns that a policy requires and none of its URLs matches"""


class Lost(msgspec.Struct, frozen=True):
    """A child that could not be read."""

    parent: str
    row: int
    loc: str
    reason: str


class Twin(msgspec.Struct, frozen=True):
    """One URL in two files."""

    first: str
    first_row: int
    second: str
    second_row: int


class TreeView:
    """All documents of a run, for rules across files."""

    def __init__(
        self,
        summaries: Iterable[DocumentSummary],
        lost: Iterable[Lost],
        context: Context,
        *,
        root_known: bool = False,
        spread: Spread = map,
        reopen: Callable[[str], Document] = read,
    ) -> None:
        self.summaries = list(summaries)
        self.lost = list(lost)
        self.context = context
        self.root_known = root_known
        """a folder contains the whole site, so a child without a file is missing"""
        self.spread = spread
        """runs a function on every task, in order, on whatever workers there are"""
        self.reopen = reopen
        self.by_source = {summary.source: summary for summary in self.summaries}

    @property
    def indexes(self) -> list[DocumentSummary]:
        return [summary for summary in self.summaries if summary.kind.lists_sitemaps]

    def children(self, index: DocumentSummary) -> list[DocumentSummary]:
        return [summary for summary in self.summaries if summary.parent == index.source]

    def twins(self) -> Iterator[Twin]:
        """URLs in more than one file about the same; another rule reports those within one file.

        A page may be listed again for its news or video, in a separate sitemap.
        """
        groups: dict[tuple[str, ...], list[DocumentSummary]] = {}
        for summary in self.summaries:
            if summary.hashes is not None:
                groups.setdefault(summary.subjects, []).append(summary)
        found = (twin for summaries in groups.values() if len(summaries) > 1 for twin in self._shared(summaries))
        yield from self._confirmed(list(islice(found, COMPARED)))
        yield from found

    def _shared(self, summaries: list[DocumentSummary]) -> Iterator[Twin]:
        from urlset.checking.shared_urls import shared_rows, tasks_for, unpacked  # one file does not need it

        hashes = [summary.hashes or "" for summary in summaries]
        for result in self.spread(shared_rows, tasks_for(hashes, sum(summary.entries for summary in summaries))):
            for one, first, other, second in unpacked(result):
                yield Twin(summaries[one].source, first, summaries[other].source, second)

    def _confirmed(self, twins: list[Twin]) -> list[Twin]:
        """The first ones are those that are reported with their URL: compare the texts, not only the hashes."""
        wanted: dict[str, set[int]] = {}
        for twin in twins:
            wanted.setdefault(twin.first, set()).add(twin.first_row)
            wanted.setdefault(twin.second, set()).add(twin.second_row)
        texts: dict[tuple[str, int], str] = {}
        for source, rows in wanted.items():
            try:
                locs = self.reopen(source).columns.locs
            except OSError:  # it existed a moment ago
                continue
            texts |= {(source, row): (locs[row] or "").strip() for row in rows if row < len(locs)}
        return [
            twin
            for twin in twins
            if texts.get((twin.first, twin.first_row), "") == texts.get((twin.second, twin.second_row), "")
            or (twin.first, twin.first_row) not in texts
            or (twin.second, twin.second_row) not in texts
        ]


def newest(lastmods: Iterable[str | None]) -> str | None:
    """The latest valid date; only those of the last two days are parsed."""
    texts = list(map(str.strip, filter(None, lastmods)))
    if not max(texts, default="0000")[:4].isdigit():
        texts = [text for text in texts if text[:4].isdigit()]
    last = max(texts, default="")[:10]
    before = max(filter(last.__gt__, texts), default="")[:10]
    best: tuple[float, str] | None = None
    for text in sorted(set(filter(before.__le__, texts))):
        interval = Moment.parse(text).interval()
        if interval is not None and (best is None or interval[0].timestamp() > best[0]):
            best = (interval[0].timestamp(), text)
    return best[1] if best else None


# One document → its summary.

_SUBJECTS = ((namespaces.NEWS, b"news"), (namespaces.VIDEO, b"video"), (namespaces.IMAGE, b"image"))


def _subjects(document: Document) -> tuple[str, ...]:
    """The media that every entry has, by the number of their tags."""
    marks, root = document.columns.marks, document.root
    if root is None or not marks or not all(mark & Mark.EXTENDED for mark in set(marks)):
        return ()
    found = []
    for namespace, local in _SUBJECTS:
        names = [
            re.escape(prefix.encode()) for prefix, uri in root.declared.items() if prefix and means(uri) == namespace
        ]
        tag = rb"<(?:%b):%b[\s/>]" % (b"|".join(names), local)
        if names and sum(1 for _ in re.finditer(tag, document.data)) >= len(marks):
            found.append(local.decode())
    return tuple(found)


def summarise(
    document: Document,
    *,
    parent: str | None = None,
    row: int | None = None,
    hash_dir: FilePath | None = None,
    policies: tuple[Policy, ...] = (),
) -> DocumentSummary:
    """One document, summarized; its hashes are written to `hash_dir` if given."""
    index = document.kind.lists_sitemaps
    hashes = None
    silences = Suppressions(document)
    if hash_dir is not None and document.kind.lists_pages:
        from urlset.checking.shared_urls import write_hashes  # one file does not need it

        write_hashes(hash_dir, document.columns.locs)
        hashes = str(hash_dir)
    return DocumentSummary(
        source=document.name,
        url=document.url,
        kind=document.kind,
        entries=len(document),
        newest=newest(document.columns.different("lastmods")) if parent is not None else None,
        parent=parent,
        row=row,
        hashes=hashes,
        listed=tuple((loc or "").strip() for loc in document.columns.locs) if index else (),
        lastmods=tuple(document.columns.lastmods) if index else (),
        silenced=silences.in_file,
        silenced_rows=silences.in_rows,
        subjects=_subjects(document) if hashes is not None else (),
        unmet=unmet(policies, document.columns.locs) if policies and document.kind.lists_pages else (),
    )
