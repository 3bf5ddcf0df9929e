"""Subjects of the rules about time: the dates of one sitemap over several fetches, and a site in two snapshots.

Examples are `key: value` lines, see tests/checking/over_time_examples.py.
"""

from __future__ import annotations

import msgspec

from urlset.checking.context import Context
from urlset.snapshots.honesty import Honesty


class DatedFile(msgspec.Struct, frozen=True):
    """The dates of one sitemap in two or more audits or snapshots."""

    context: Context
    honesty: Honesty

    @property
    def source(self) -> str:
        return self.honesty.source


class SiteChange(msgspec.Struct, frozen=True, kw_only=True):
    """All sitemaps of a site in two consecutive snapshots."""

    context: Context
    target: str
    before: str
    """the time of the earlier one"""
    at: str
    urls_before: int
    urls: int
    common: int = 0
    """URLs in both"""
    files_before: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    unread: int = 0
    """sitemaps that could not be read for either: a smaller number then means nothing"""
    same_for_days: float = 0.0
    """how long no sitemap has changed"""
    rewritten: int = 0
    """listed pages whose main content changed in the meantime"""
