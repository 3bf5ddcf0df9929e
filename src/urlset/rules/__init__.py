"""The catalogue: one file or folder per subject, one decorated function per rule.

May import `checking` and everything below. Rules never fetch and never print. The names below are what a rule needs,
here and in other packages: `from urlset.rules import ListedPage, Problem, Severity, rule`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from urlset.checking.declare import ADDRESS, EVERYONE, READERS, ROBOTS, Bad, Good, bad, good, rule
from urlset.checking.subjects import Child, ImageItem, LinkSet, ListedPage, NewsItem, RobotsText, Sitemap, VideoItem
from urlset.checking.tree import TreeView
from urlset.findings.card import Severity
from urlset.findings.finding import Fix, Problem, Safety
from urlset.model.document import Has, Kind
from urlset.spec.engines import Engine
from urlset.spec.signals import PageSignal, Signal

if TYPE_CHECKING:
    from urlset.checking.examples import example_failures
    from urlset.checking.live_page import LivePage

__all__ = [
    "ADDRESS",
    "EVERYONE",
    "READERS",
    "ROBOTS",
    "Bad",
    "Child",
    "Engine",
    "Fix",
    "Good",
    "Has",
    "ImageItem",
    "Kind",
    "LinkSet",
    "ListedPage",
    "LivePage",
    "NewsItem",
    "PageSignal",
    "Problem",
    "RobotsText",
    "Safety",
    "Severity",
    "Signal",
    "Sitemap",
    "TreeView",
    "VideoItem",
    "bad",
    "example_failures",
    "good",
    "rule",
]


def __getattr__(name: str) -> Any:
    """A check of files needs neither."""
    if name == "LivePage":
        from urlset.checking.live_page import LivePage

        return LivePage
    if name == "example_failures":
        from urlset.checking.examples import example_failures

        return example_failures
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
