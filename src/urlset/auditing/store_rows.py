"""What the store of an audit gives and takes: listed addresses, pages to be asked, results, sitemaps."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from urlset.model.media import Alternate
from urlset.model.visit import Visit
from urlset.reading.fingerprint import hash_of


class What(IntEnum):
    """The kind of a requested address."""

    PAGE = 0
    IMAGE = 1
    THUMBNAIL = 2
    VIDEO = 3
    PLAYER = 4
    BESIDES = 5
    """listed nowhere: what a listed page names as canonical, or refreshes to"""


MEDIA = (What.IMAGE, What.THUMBNAIL, What.VIDEO, What.PLAYER)


class ListedUrl(NamedTuple):
    """One address with its first listing; flat, because there are millions."""

    url: str
    source: str
    row: int | None = None
    lastmod: str | None = None
    alternates: tuple[Alternate, ...] = ()
    kind: What = What.PAGE


class PendingUrl(NamedTuple):
    """A page that is to be asked."""

    id: int
    url: str
    kind: What
    position: int
    attempts: int = 0
    """times it was under way when a run was killed"""
    again: bool = False
    """it has an answer of this run and is having its second try"""


class Result(NamedTuple):
    """What is kept of one answer."""

    page: int
    visit: Visit
    text: bytes | None = None
    """its text blocks, packed, for what can be said only when all pages were seen; of media the answer"""
    again: bool = False
    """to be asked once more, slowly, at the end"""
    extra_targets: str | None = None
    """an address that is to be asked too, if no sitemap lists it"""


class AuditedUrl(NamedTuple):
    """One listed address and what became of it, as the report wants it."""

    id: int
    listed: ListedUrl
    visit: Visit | None
    text: bytes | None
    chosen: bool
    verdict: bytes | None
    """what was said of it, as `keep_verdicts` was given it"""


class SitemapRecord(NamedTuple):
    """One sitemap."""

    name: str
    facts: bytes
    """anything the caller needs from it later"""
    pages: int


class Begun(NamedTuple):
    """How a run starts."""

    run: int
    needs_listing: bool
    resumed: bool
    """resumes an interrupted run"""
    again: bool
    """the target was audited to the end before: its facts serve for conditional requests"""
    follows: bool = False
    """an earlier process requested this target, perhaps a moment ago"""


def key_of(url: str, kind: What = What.PAGE) -> int:
    return hash_of(url if kind is What.PAGE else f"{kind.value} {url}")
