"""The options of `urlset engines index`, and its result."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from urlset.findings.verdict import Verdict
from urlset.model.frames import FrameTable, Tabular, table_of
from urlset.model.shown import Shown
from urlset.spec.protocol import GSC_INSPECTIONS_PER_DAY, GSC_INSPECTIONS_PER_MINUTE
from urlset.spec.submission import INSPECTIONS_AT_ONCE
from urlset.web.options import WebOptions


class IndexOptions(msgspec.Struct, frozen=True, kw_only=True):
    target: str
    """a site, a sitemap or a sitemap file"""
    state: Path
    property: str | None = None
    sample: int = GSC_INSPECTIONS_PER_DAY
    """URLs to inspect in all, over as many days as the quota needs"""
    per_day: int = GSC_INSPECTIONS_PER_DAY
    at_once: int = INSPECTIONS_AT_ONCE
    per_minute: int = GSC_INSPECTIONS_PER_MINUTE
    refresh_days: int = 30
    """an answer older than this, or older than the page's lastmod, is requested again once the sample is complete"""
    impressions: bool = False
    """ask Search Analytics for pages with impressions, as a lower bound"""
    exports: tuple[Path, ...] = ()
    """downloads from Search Console"""
    audit: Path | None = None
    """a JSON report of `urlset audit`, to compare with"""
    environment: Mapping[str, str] = msgspec.field(default_factory=lambda: os.environ)
    web: WebOptions = WebOptions()


class IndexedShare(msgspec.Struct, frozen=True):
    """The indexed share of one sitemap or path, or of everything; `share` is None where nothing is known."""

    name: str
    urls: int
    inspected: int
    indexed: int
    share: float | None
    low: float
    high: float
    source: str

    @property
    def band(self) -> str | None:
        """Practitioners' rule of thumb, named only when the whole interval lies inside one band."""
        for name, low, high in (("healthy", 0.9, 1.0), ("mixed", 0.6, 0.9), ("poor", 0.0, 0.6)):
            if low <= self.low and self.high <= high and self.share is not None:
                return name
        return None


class EngineCount(msgspec.Struct, frozen=True):
    """What an engine says it has of the whole site."""

    engine: str
    indexed: int
    at: str | None
    source: str


class IndexReport(Shown, Tabular, msgspec.Struct, frozen=True):
    inspected: int
    """URLs of the sample with an answer"""
    left: int
    """URLs of the sample still to be asked about"""
    sections: tuple[IndexedShare, ...]
    total: IndexedShare
    verdict: Verdict
    reasons: dict[str, dict[str, int]] = {}
    """section → Google's display text → URLs, of those inspected and not indexed"""
    counts: tuple[EngineCount, ...] = ()
    notes: tuple[str, ...] = ()
    stopped: str = ""
    """why inspections ended early; empty when none is left"""
    unused: tuple[str, ...] = ()
    """exports that say nothing about the listed sitemaps, with the reason"""

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """Rows: sections, findings, counts."""
        return {
            "sections": lambda: table_of(IndexedShare, lambda: (*self.sections, self.total)),
            "findings": lambda: self.verdict.table("findings"),
            "counts": lambda: table_of(EngineCount, lambda: self.counts),
        }
