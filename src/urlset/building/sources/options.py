"""The options of a build's sources, and the errors that stop them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

import msgspec

from urlset.building.candidate import Candidate, RowTrouble
from urlset.building.sources.page_memory import PageMemory
from urlset.building.sources.page_sources import PageSources

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


class SourceError(ValueError):
    """A source that cannot be opened at all: nothing it would offer is known."""


class SourceBroken(RuntimeError):  # noqa: N818 - it names what happened
    """A source that broke off: what it would still have offered is not known, so its pages are not gone."""
