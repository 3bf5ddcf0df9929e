"""What a build takes along with its settings, and its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import BinaryIO

import msgspec

from urlset.building.candidate import Decision, RowTrouble
from urlset.building.guard import Refusal
from urlset.building.sources.iterable import Offer
from urlset.building.sources.page_sources import SourceOfPages
from urlset.building.staging import Changes
from urlset.execution.workers import Workers
from urlset.model.errors import UrlsetError
from urlset.model.shown import Shown

LEDGER = "ledger.db"
"""its name in the state folder"""


class BuildRun(msgspec.Struct, frozen=True, kw_only=True):
    """What only the caller of a build has: no option can spell it."""

    offers: Iterable[Offer] | None = None
    """pages to list along with those of the sources"""
    stdin: BinaryIO | None = None
    workers: Workers = Workers()
    """where files are checked, packed and written"""
    on_left_out: Callable[[Decision], None] | None = None
    """called for each page that is not listed"""
    source_map: SourceOfPages | None = None
    """the source of each page, where a generator says so"""
    live_robots: bytes | None = None
    """what the site answers for /robots.txt, where it was crawled"""
    cut_short: str | None = None
    """why a source is known to offer only a part of its pages"""


DEFAULT_RUN = BuildRun()


class BuildReport(Shown, msgspec.Struct, frozen=True, kw_only=True):
    """What became of it."""

    published: bool
    dry_run: bool
    listed: int
    added: int
    removed: int
    redated: int
    """pages that were known and got another lastmod"""
    dated: dict[str, int]
    """listed pages by the evidence for their date; `none` for those without"""
    left_out: dict[str, int]
    """pages not listed, by reason"""
    examples: dict[str, str]
    """for each reason the first page it left out"""
    changes: Changes
    files: tuple[str, ...]
    refusals: tuple[Refusal, ...] = ()
    findings: tuple[str, ...] = ()
    """what our own check says of the new set, errors first; the first 20"""
    finding_count: int = 0
    troubles: tuple[RowTrouble, ...] = ()
    trouble_count: int = 0
    notes: tuple[str, ...] = ()
    """why some evidence was not used, what happened to robots.txt"""


class BuildError(UrlsetError):
    """The build failed; everything published is unchanged."""
