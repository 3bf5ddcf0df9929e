"""The options of a publish, and its result."""

from __future__ import annotations

from pathlib import Path

import msgspec

from urlset.building.guard import SHRINK_PERCENT
from urlset.model.shown import Shown
from urlset.storage.store import CACHE_CONTROL


class PublishOptions(msgspec.Struct, frozen=True, kw_only=True):
    to: str
    folder: Path | None = None
    endpoint: str | None = None
    index: str = "sitemap.xml"
    base_url: str | None = None
    """the URL that the folder is served at, where the index does not tell it"""
    include: tuple[str, ...] = ()
    """patterns of further files in the folder"""
    cache_control: str = CACHE_CONTROL
    keep: int = 10
    lock_seconds: float = 600.0
    force: tuple[str, ...] = ()
    shrink_percent: float = SHRINK_PERCENT
    dry_run: bool = False
    purge: tuple[str, ...] = ()
    """a command that gets the changed URLs on standard input"""


class PublishReport(Shown, msgspec.Struct, frozen=True):
    to: str
    generation: int | None
    uploaded: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    purge_failed: str | None = None
    dry_run: bool = False
