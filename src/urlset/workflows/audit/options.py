"""The options of an audit, in one value."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from urlset.execution.workers import Workers
from urlset.reading.fingerprint import hash_of
from urlset.settings.audit import AuditSettings
from urlset.settings.declare import StrPath
from urlset.spec.page_facets import DATED_BY, Facet
from urlset.storage.paths import is_stored
from urlset.web.options import WebOptions
from urlset.workflows.live.rendering import Render
from urlset.writing.files import STATE_ROOT

_SLUG = re.compile(r"[^a-z0-9]+")
_LONGEST_SLUG = 40


class AuditError(Exception):
    """The target cannot be audited; the message says why and what to do."""


class AuditOptions(msgspec.Struct, frozen=True, kw_only=True):
    """All command-line options of an audit except the settings shared with `check`."""

    target: str
    state: Path = Path(STATE_ROOT)
    fresh: bool = False
    known: bool = False
    """ask nothing: report what the last run found out"""
    sample: str | None = None
    """`500` or `5%`; None for every page"""
    max_pages: int | None = None
    max_pages_per_host: int | None = None
    max_seconds: float | None = None
    refresh: int | None = None
    """request at most so many pages, those first that may have changed; the others keep what was seen before"""
    obey_robots: bool = True
    media: bool = False
    check: bool = False
    """judge the sitemaps themselves too"""
    baseline: Path | None = None
    """findings in it are not reported"""
    compare: Path | None = None
    """the JSON report or the state of an earlier audit"""
    date_changes: tuple[Facet, ...] = DATED_BY
    """parts of a page whose change should move its lastmod"""
    crawled: tuple[Path, ...] = ()
    """exports of crawlers, or files of `urlset crawl --out`, to compare the listing with"""
    workers: Workers = Workers()
    """where pages are requested, and where `check` runs"""
    parts: StrPath | None = None
    """a folder or storage URL for the rows, as Parquet parts"""
    render: Render = Render()
    web: WebOptions = WebOptions()

    @classmethod
    def of(cls, settings: AuditSettings, target: str, state: Path) -> AuditOptions:
        return cls(
            target=target,
            state=state,
            fresh=settings.fresh,
            known=settings.known,
            sample=settings.sample,
            max_pages=settings.max_pages,
            max_pages_per_host=settings.max_pages_per_host,
            max_seconds=settings.max_seconds,
            obey_robots=not settings.ignore_robots,
            media=settings.media,
            check=settings.check,
            baseline=Path(settings.baseline) if settings.baseline is not None else None,
            compare=Path(settings.compare) if settings.compare is not None else None,
            date_changes=settings.date_changes,
            crawled=tuple(map(Path, settings.crawled)),
            workers=settings.workers,
            parts=settings.parts,
            render=Render.of(settings),
            web=settings.fetching,
        )

    @property
    def is_url(self) -> bool:
        return is_url(self.target)

    @property
    def database(self) -> Path:
        """One for each target: a readable name, and a hash that tells two of them apart."""
        whole = "\n".join((self._whole, *self.web.access.views))
        words = _SLUG.sub("-", self.target.lower().partition("://")[2] or self.target.lower()).strip("-")
        return self.state / f"audit-{words[:_LONGEST_SLUG].strip('-') or 'site'}-{hash_of(whole) & 0xFFFFFFFF:08x}.db"

    @property
    def _whole(self) -> str:
        return self.target if self.is_url or is_stored(self.target) else str(Path(self.target).resolve())

    def plan(self, base_url: str | None) -> dict[str, Any]:
        """What makes two runs the same audit: only then does one resume the other."""
        return {
            "target": self._whole,
            "base_url": base_url,
            "sample": self.sample,
            "media": self.media,
            "obey_robots": self.obey_robots,
            "user_agent": self.web.user_agent,
            "sends": list(self.web.access.sends),
            "render": self.render.mode.value,
        }


def is_url(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))
