"""What sources have in common: options, errors, and blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import msgspec

from urlset.building.candidate import Candidate, RowTrouble
from urlset.building.sources.page_memory import PageMemory
from urlset.building.sources.page_sources import PageSources
from urlset.model.errors import ArgumentValueError, UrlsetError

if TYPE_CHECKING:
    from urlset.building.compiled_pages import Batch


Item = Candidate | RowTrouble

PageStyle = Literal["auto", "keep", "drop", "slash"]
"""the address of `about.html`: as its canonicals say, `/about.html`, `/about` or `/about/`"""
IndexStyle = Literal["auto", "slash", "bare"]
"""the address of `about/index.html`: as its canonicals say, `/about/` or `/about`"""


class PublishedSet(Protocol):
    """The pages that are published now, for a source that knows addresses it could not judge."""

    def seen(self, url: str) -> None:
        """The source has judged it, and what it offers counts."""
        ...

    def kept(self, url: str, why: str) -> Candidate | None:
        """The page as it is listed, which the source could not judge; None where it is not."""
        ...


class SourceOptions(msgspec.Struct, frozen=True, kw_only=True):
    base_url: str | None = None
    """the base of relative addresses, and the public address of a folder"""
    kind: str | None = None
    """the name of a source in `open.SOURCES`, where the content should not decide"""
    timezone: str | None = None
    """the offset of dates that name none, such as `+02:00`; without it such dates are kept to the day"""
    sql: str | None = None
    """the query, for a database"""
    page_style: PageStyle = "auto"
    index_style: IndexStyle = "auto"
    alternates: bool = True
    images: bool = False
    videos: bool = False
    """what to take from the pages of a folder"""
    page_sources: PageSources | None = None
    """what the pages of a folder were made from; None looks in the usual places beside it"""
    page_memory: PageMemory | None = None
    """what the pages of a folder said when they were last read"""
    bots: tuple[str, ...] = ()
    """robots directives of pages count when they are for everyone or for one of these"""
    ignore: tuple[str, ...] = ()
    """lines as in .urlsetignore, after those of the file"""
    own_output: frozenset[str] = frozenset()
    """paths in the folder that the build itself writes, with `/`"""
    notify: Callable[[str], None] | None = None
    """told what is not read, such as a column without a meaning"""
    last_set: PublishedSet | None = None
    """asked where a crawl got no usable answer"""
    redirects_need_force: bool = False
    """take redirects without `!` for shadowed by the page, as Netlify does; other hosts redirect always"""


class SourceError(ArgumentValueError):
    """A source that cannot be opened at all: nothing it would offer is known."""


class SourceBroken(UrlsetError, RuntimeError):  # noqa: N818 - it names what happened
    """A source that broke off: what it would still have offered is not known, so its pages are not gone."""


# Rows of a source, some thousand at a time → columns for compiled code, or one item after the other.

ROWS = 4096
"""in a block of rows that come one by one"""


class Values(NamedTuple):
    """What most rows consist of."""

    loc: str
    lastmod: str | None = None
    rest: bytes = b""
    """what the entry says behind the lastmod"""
    extensions: tuple[str, ...] = ()
    """used in `rest`"""
    section: str | None = None
    language: str | None = None
    alternates: Mapping[str, str] | None = None
    """addresses by hreflang, all of them legal"""


class Block:
    """Some rows in turn. `items` says what a row is; the rest is about saying it for many rows at once."""

    def __len__(self) -> int:
        raise NotImplementedError

    def origin(self, row: int) -> str:
        raise NotImplementedError

    def items(self, row: int) -> Sequence[Item]:
        """Every trouble of the row, then the candidate if there is one."""
        raise NotImplementedError

    def fill(self, batch: Batch) -> bool:
        """Put every row into an empty `compiled_pages.Batch`; False where only `items` can tell."""
        del batch
        return False

    def values(self, row: int) -> Values | None:
        """Those of a row that `fill` left UNREAD; None where only `items` can tell."""
        del row
        return None


class Items(Block):
    """Candidates and troubles that are there already."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    def origin(self, row: int) -> str:
        return self._items[row].origin

    def items(self, row: int) -> Sequence[Item]:
        return (self._items[row],)


def in_blocks(items: Iterable[Item], rows: int = 400) -> Iterator[Items]:
    """Items of a source that has no columns."""
    items = iter(items)
    while some := list(islice(items, rows)):
        yield Items(some)


def items_of(blocks: Iterable[Block]) -> Iterator[Item]:
    """Every item of every row."""
    for block in blocks:
        for row in range(len(block)):
            yield from block.items(row)
