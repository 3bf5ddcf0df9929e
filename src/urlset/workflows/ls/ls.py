"""Sitemap files and a filter → batches of listed pages, and what could not be listed."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from urlset.model.document import Document, Kind
from urlset.model.moment import Moment
from urlset.model.trouble import TroubleKind
from urlset.reading.starts import NoSitemap
from urlset.reading.tree import DocumentTree, Missing, Start
from urlset.reports.uri import is_address
from urlset.snapshots.block import block_of, fields_hashes
from urlset.workflows.ls.batch import Batch

if TYPE_CHECKING:
    from urlset.workflows.live.setup import Live
    from urlset.workflows.live.tree import LiveTree


class ListFilter(msgspec.Struct, frozen=True):
    """Which pages to list."""

    match: re.Pattern[str] | None = None
    since: Moment | None = None
    limit: int | None = None
    exclude: tuple[re.Pattern[str], ...] = ()
    until: Moment | None = None
    known: Mapping[str, int] | None = None
    """entries of an earlier state by URL, as `fields_hashes` gives them; only new and changed ones are listed"""


class Notice(NamedTuple):
    """A notice about a source for the reader of the list."""

    source: str
    text: str
    grave: bool = True
    """pages are missing from the list that a whole and readable source would have given"""
    parent: str = ""
    not_a_sitemap: bool = False
    """the source was read, and is something else"""


_NOT_A_LIST = {
    Kind.HTML: "is an HTML page, not a sitemap; it may be a saved error page",
    Kind.EMPTY: "is empty",
    Kind.OTHER_XML: "is XML, but not a sitemap or feed",
    Kind.UNKNOWN: "is not a sitemap: not XML and not a list of URLs",
}


def list_pages(
    starts: Sequence[Start], wanted: ListFilter, root: str | None = None, live: Live | None = None
) -> Iterator[Batch | Notice]:
    """Every wanted page of every file or address, batch by batch as they are read; indexes are followed."""
    left = wanted.limit
    if left == 0:
        return
    for tree in _trees(starts, root, live):
        reported = 0
        with closing(_documents(tree)) as documents:
            for document in documents:
                yield from map(absence, tree.missing[reported:])
                reported = len(tree.missing)
                batch = select(document, wanted, left)
                if batch:
                    yield batch
                    left = None if left is None else left - len(batch)
                if left == 0:
                    return
                yield from notices(document)
                # let go before the next document is read: two at once would double the memory
                del document, batch
        yield from map(absence, tree.missing[reported:])


def _documents(tree: DocumentTree | LiveTree) -> Generator[Document]:
    yield from tree


def _trees(starts: Sequence[Start], root: str | None, live: Live | None) -> Iterator[DocumentTree | LiveTree]:
    """Addresses are fetched together, and so are files that follow each other."""
    for on_the_web, group in groupby(starts, lambda start: isinstance(start, str) and is_address(start)):
        if on_the_web:
            from urlset.workflows.live.setup import Live
            from urlset.workflows.live.tree import LiveTree  # brings asyncio along, which files do not need

            yield LiveTree([str(start) for start in group], live or Live())
        else:
            yield DocumentTree(list(group), root=root)


def select(document: Document, wanted: ListFilter, limit: int | None = None) -> Batch:
    """The wanted rows of one document; none unless it lists pages."""
    if not document.kind.lists_pages:
        return Batch(document, ())
    locs = document.columns.locs
    rows: Sequence[int] = range(len(locs))
    if not all(locs) or any(map(str.isspace, filter(None, locs))):
        rows = [row for row in rows if (locs[row] or "").strip()]
    if wanted.match is not None:
        found = wanted.match.search
        rows = [row for row in rows if found((locs[row] or "").strip())]
    for pattern in wanted.exclude:
        rows = [row for row in rows if not pattern.search((locs[row] or "").strip())]
    if wanted.since is not None or wanted.until is not None:
        lastmods = document.columns.lastmods
        fitting = {text: _is_between(text, wanted.since, wanted.until) for text in set(lastmods) if text is not None}
        rows = [row for row in rows if (text := lastmods[row]) is not None and fitting[text]]
    if wanted.known is not None:
        block = block_of(document, rows)
        hashes = zip(rows, block.locs, fields_hashes(block), strict=True)
        rows = [row for row, loc, found in hashes if wanted.known.get(loc) != found]
    return Batch(document, rows if limit is None else rows[:limit])


def could_be_since(lastmod: str, since: Moment) -> bool:
    """Whether part of what `lastmod` covers lies at or after the start of `since`.

    Two texts without a zone are taken to share one; against a text with a zone they could be anywhere.
    """
    moment = Moment.parse(lastmod)
    same_clock = not (moment.timezone_known or since.timezone_known)
    covered = moment.interval() if same_clock else moment.certain_interval()
    border = since.interval() if same_clock else since.certain_interval()
    return covered is not None and border is not None and covered[1] > border[0]


def could_be_until(lastmod: str, until: Moment) -> bool:
    """Whether part of what `lastmod` covers lies before the end of `until`."""
    moment = Moment.parse(lastmod)
    same_clock = not (moment.timezone_known or until.timezone_known)
    covered = moment.interval() if same_clock else moment.certain_interval()
    border = until.interval() if same_clock else until.certain_interval()
    return covered is not None and border is not None and covered[0] < border[1]


def _is_between(lastmod: str, since: Moment | None, until: Moment | None) -> bool:
    return (since is None or could_be_since(lastmod, since)) and (until is None or could_be_until(lastmod, until))


def absence(missing: Missing) -> Notice:
    if missing.parent:
        return Notice(missing.loc, f"listed in {missing.parent}, not read: {missing.reason}", parent=missing.parent)
    if isinstance(missing, NoSitemap):
        return Notice(missing.loc, missing.reason, grave=False)
    return Notice(missing.loc, f"cannot be read: {missing.reason}")


def notices(document: Document) -> Iterator[Notice]:
    """What keeps the list of one document from being complete."""
    if document.kind in _NOT_A_LIST:
        if document.envelope.compression not in (None, "gzip"):
            text = f"is compressed with {document.envelope.compression}; only gzip is supported, decompress it first"
        else:
            text = _NOT_A_LIST[document.kind]
        yield Notice(document.name, text, not_a_sitemap=True)
        return
    if not document.envelope.complete or document.troubles.has(TroubleKind.TRUNCATED, TroubleKind.TOO_DAMAGED):
        yield Notice(document.name, "truncated; the pages before that point are listed")
    lost = document.troubles.count_of(TroubleKind.ENTRY_LOST)
    if lost:
        entries = "1 entry" if lost == 1 else f"{lost:,} entries"
        yield Notice(document.name, f"{entries} could not be read; run `urlset info` for the places", grave=False)
