"""What `urlset info` finds out about a document, as plain values; the JSON output is these, field by field."""

from __future__ import annotations

import msgspec

from urlset.model.document import Kind
from urlset.model.trouble import TroubleKind


class NamespaceUse(msgspec.Struct, frozen=True):
    """One namespace declared on the root."""

    prefix: str
    uri: str
    means: str | None
    """the name of the vocabulary, where it is a known one"""
    right: str | None
    """how it should be written, where it is written otherwise"""
    faults: tuple[str, ...] = ()


class Xml(msgspec.Struct, frozen=True):
    root: str
    version: str | None
    declared_encoding: str | None
    doctype: bool
    namespaces: tuple[NamespaceUse, ...]


class Counts(msgspec.Struct, frozen=True):
    urls: int = 0
    sitemaps: int = 0
    without_loc: int = 0
    images: int = 0
    videos: int = 0
    news: int = 0
    alternates: int = 0
    hosts: dict[str, int] = {}
    """host → URLs, most first"""
    languages: dict[str, int] = {}
    """hreflang → alternates, most first"""


class Bar(msgspec.Struct, frozen=True):
    label: str
    count: int


class Dates(msgspec.Struct, frozen=True):
    """How the lastmod texts of a document spread over time."""

    present: int
    illegal: int
    """not one of the six W3C forms, whether understood or not"""
    not_understood: int
    oldest: str | None = None
    newest: str | None = None
    unit: str | None = None
    """day, month or year: the period of each histogram bar"""
    histogram: tuple[Bar, ...] = ()


class DatePlace(msgspec.Struct, frozen=True):
    line: int
    column: int
    offset: int


class TroubleGroup(msgspec.Struct, frozen=True):
    """All troubles of one kind."""

    kind: TroubleKind
    count: int
    first: tuple[DatePlace, ...]
    example: str
    """the detail of the first"""


class Children(msgspec.Struct, frozen=True):
    """The sitemaps that an index or a robots.txt lists."""

    listed: int
    found: int | None
    """on disk; None if not measured"""
    missing: tuple[str, ...] = ()
    """the first few that are not on disk"""


class Delivered(msgspec.Struct, frozen=True):
    """How a server sent it."""

    status: int | None
    redirects: tuple[int, ...]
    """the status of each, in order"""
    final_url: str
    content_type: str | None
    content_encoding: str | None
    last_modified: str | None
    etag: str | None
    seconds: float
    sent_bytes: int


class Description(msgspec.Struct, frozen=True):
    source: str
    url: str | None
    kind: Kind
    bytes: int
    unpacked_bytes: int
    compression: str | None
    layers: int
    encoding: str
    byte_order_mark: bool
    complete: bool
    counts: Counts
    dates: Dates
    changefreqs: dict[str, int]
    priorities: dict[str, int]
    troubles: tuple[TroubleGroup, ...]
    salvaged: int
    lost: int
    xml: Xml | None = None
    children: Children | None = None
    delivery: Delivered | None = None
    """for what was fetched"""

    @property
    def entries(self) -> int:
        return self.counts.urls or self.counts.sitemaps
