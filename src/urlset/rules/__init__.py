"""The catalogue: one file or folder per subject, one decorated function per rule.

May import `checking` and everything below. Rules never fetch and never print. The names below are what a rule needs,
here and in other packages: `from urlset.rules import ListedPage, Problem, Severity, rule`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from urlset.checking.declare import ADDRESS, ROBOTS, Bad, Good, rule
    from urlset.checking.examples import example_failures
    from urlset.checking.live_page import LivePage
    from urlset.checking.subjects import Child, ImageItem, LinkSet, ListedPage, NewsItem, RobotsText, Sitemap, VideoItem
    from urlset.checking.tree import TreeView
    from urlset.findings.card import Severity
    from urlset.findings.finding import Fix, Problem, Safety
    from urlset.model.document import Has, Kind
    from urlset.spec.engines import Engine
    from urlset.spec.signals import PageSignal, Signal

__all__ = [
    "ADDRESS",
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
    "example_failures",
    "rule",
]

_HOMES = {
    "urlset.checking.declare": ("ADDRESS", "ROBOTS", "Bad", "Good", "rule"),
    "urlset.checking.examples": ("example_failures",),
    "urlset.checking.live_page": ("LivePage",),
    "urlset.checking.subjects": (
        *("Child", "ImageItem", "LinkSet", "ListedPage", "NewsItem"),
        *("RobotsText", "Sitemap", "VideoItem"),
    ),
    "urlset.checking.tree": ("TreeView",),
    "urlset.findings.finding": ("Fix", "Problem", "Safety"),
    "urlset.findings.card": ("Severity",),
    "urlset.model.document": ("Has", "Kind"),
    "urlset.spec.engines": ("Engine",),
    "urlset.spec.signals": ("PageSignal", "Signal"),
}


def __getattr__(name: str) -> Any:
    """Loaded on first use: every command that names a rule imports this package first."""
    for module, names in _HOMES.items():
        if name in names:
            found = globals()[name] = getattr(import_module(module), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
