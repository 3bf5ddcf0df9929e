"""What a snapshot says about itself, kept in the footer of its file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from urlset.snapshots.database import footer_of
from urlset.snapshots.parquet import FOOTER

SCHEMA = 1


class SnapshotError(Exception):
    """A snapshot cannot be taken or used; the message says why and what to do."""


class NothingListed(SnapshotError):  # noqa: N818 - it names what happened
    """The target was read and lists no URL."""


class FileInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """One sitemap."""

    name: str
    entries: int
    bytes: int = 0
    sha256: str = ""
    """of the unpacked file"""
    dated: int = 0
    """entries with a lastmod"""
    newest: str | None = None
    """the latest lastmod that can be read, in UTC"""


class SnapshotCause(msgspec.Struct, frozen=True, omit_defaults=True):
    """What explains many problems of pages at once, as the audit saw it."""

    kind: str
    """what the pages have in common: redirected, not canonical, gone …"""
    code: str
    title: str
    count: int
    of: int
    """pages of that kind"""
    examples: tuple[tuple[str, str], ...] = ()
    """the listed URL, and what it should be, which may be empty"""


class SnapshotInfo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    target: str
    taken: str
    """ISO 8601 in UTC"""
    entries: int
    urls: int = 0
    """fewer than entries where some are listed twice; 0 in snapshots of older versions"""
    files: tuple[FileInfo, ...] = ()
    missing: tuple[str, ...] = ()
    """sitemaps that could not be read, with the reason"""
    states: dict[str, int] = {}
    """pages by the state that an audit found them in"""
    findings: dict[str, int] = {}
    """findings of that audit on pages, by code"""
    causes: tuple[SnapshotCause, ...] = ()
    """of those findings, the most frequent first"""
    audited: str | None = None
    """when that audit was made"""
    inspected: int = 0
    """listed URLs that were inspected with Google"""
    indexed: int = 0
    version: str = ""
    schema: int = SCHEMA

    @property
    def listed(self) -> int:
        """The number of URLs to show: each once, as in audits and comparisons."""
        return self.urls or self.entries

    def encode(self) -> bytes:
        return msgspec.json.encode(self)


def first_of(reasons: Sequence[str]) -> str:
    """The first of several reasons, and how many more there are."""
    more = len(reasons) - 1
    return f"{reasons[0]}; {more:,} more could not be read" if more else reasons[0]


def read_info(path: Path) -> SnapshotInfo:
    """Raises SnapshotError for anything that is not a snapshot."""
    if not path.is_file():
        raise SnapshotError(f"{path}: no such snapshot")
    try:
        footer = footer_of(path, FOOTER)
        info = None if footer is None else msgspec.json.decode(footer, type=SnapshotInfo)
    except (OSError, msgspec.MsgspecError) as error:
        raise SnapshotError(f"{path}: not a snapshot of urlset, or damaged") from error
    if info is None or info.schema > SCHEMA:
        raise SnapshotError(f"{path}: not a snapshot that this version of urlset can read")
    return info
