"""What `urlset diff` compares, and when it fails."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import msgspec

from urlset.checking import clock
from urlset.execution.workers import Where, Workers
from urlset.snapshots.block import FIELDS
from urlset.snapshots.expressions import Limit
from urlset.workflows.live.setup import Live

STATE = ".urlset"


class DiffError(Exception):
    """The two states cannot be compared; the message says why and what to do."""


class DiffOptions(msgspec.Struct, frozen=True, kw_only=True):
    old: str
    """a file, pattern, folder or URL; a snapshot as `TARGET@WHEN` or by the path of its file"""
    new: str
    state: Path = Path(STATE)
    fields: tuple[str, ...] = FIELDS
    """whose change counts"""
    ignore_host: bool = False
    """compare paths and queries only"""
    renames: bool = True
    redirects: Path | None = None
    """known redirects: `OLD NEW` lines, or CSV"""
    probe: int = 100
    """removed URLs that are requested to find redirects, where NEW is a URL"""
    require_all: bool = False
    """every URL of OLD must be in NEW"""
    limits: dict[str, Limit] = {}
    """`added`, `removed` and `changed`"""
    root: str | None = None
    now: datetime = msgspec.field(default_factory=clock.now)
    live: Live | None = None
    workers: Workers = Workers(Where.LOCAL)
    """where files are read"""
