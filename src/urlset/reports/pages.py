"""What an audit says of every listed page, and of all of them together: the values that audit reports are made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

from urlset.findings.verdict import Verdict
from urlset.model.answer import Hop
from urlset.model.visit import State


class PageRemedy(msgspec.Struct, frozen=True):
    """What `urlset fix --using` would do about the entry."""

    action: Literal["drop", "replace"]
    code: str
    """the rule that asks for it"""
    why: str
    to: str | None = None
    """the address to list instead"""


class PageRow(msgspec.Struct, frozen=True, kw_only=True):
    """One listed page."""

    url: str
    source: str
    entry: int | None = None
    """its number in that sitemap, from 1"""
    lastmod: str | None = None
    state: State
    reason: str = ""
    """the evidence for the state"""
    asked: bool = True
    status: int | None = None
    hops: tuple[Hop, ...] = ()
    final_url: str | None = None
    canonical: str | None = None
    """absolute; None where the page names none"""
    media_type: str | None = None
    bytes: int = 0
    seconds: float = 0.0
    title: str | None = None
    indexable: dict[str, bool | None] = {}
    """by engine; None where it is not known"""
    reasons: tuple[str, ...] = ()
    """why it is not indexable, or why that is not known"""
    codes: tuple[str, ...] = ()
    """rules with something to say of it"""
    soft_404: float | None = None
    thin: float | None = None
    unchanged: bool = False
    remedy: PageRemedy | None = None


class NotAsked(msgspec.Struct, frozen=True):
    """Listed pages that nobody looked at, and why."""

    count: int
    reason: str


class CauseRow(msgspec.Struct, frozen=True):
    """Many findings explained at once."""

    title: str
    count: int
    of: int
    """how many there are of that kind"""
    kind: str
    """what they have in common: redirected, not canonical, gone …"""
    code: str = ""
    """the rule whose findings these mostly are"""
    examples: tuple[tuple[str, str], ...] = ()
    """listed address and what it should be, which may be empty"""


class EstimateRow(msgspec.Struct, frozen=True):
    """What a sample says about all pages: a share with its 95 % interval."""

    what: str
    found: int
    share: float
    low: float
    high: float
    pages_low: int
    pages_high: int


class AuditReport(msgspec.Struct, frozen=True, kw_only=True):
    """All that reports need; pages are read from disk as they are written out."""

    target: str
    again: str = ""
    """the arguments that give the same report without asking anybody"""
    verdict: Verdict
    listed: int
    states: dict[State, int]
    not_asked: tuple[NotAsked, ...] = ()
    causes: tuple[CauseRow, ...] = ()
    estimates: tuple[EstimateRow, ...] = ()
    none_of: float | None = None
    """of a sample: the largest share of all pages, with 95 % confidence, with a fault that it does not show"""
    page_codes: frozenset[str] = frozenset()
    """the rules on pages, their images and videos; the others are about the sitemaps themselves"""
    media: dict[State, int] = {}
    """images and videos, where they were asked for"""
    unchanged: int = 0
    """pages that the server confirmed by 304"""
    remedies: dict[str, int] = {}
    """pages that `urlset fix --using` would drop or replace"""
    reasons: tuple[tuple[State, str, int], ...] = ()
    """why pages are blocked, in error or unknown: the commonest, with their numbers"""
    notices: tuple[str, ...] = ()
    finished: bool = True
    pages: Callable[[], Iterator[PageRow]] = lambda: iter(())

    @property
    def seen(self) -> int:
        return sum(self.states.values())

    @property
    def judged(self) -> int:
        """Pages that gave an answer worth a verdict."""
        return self.seen - self.states.get(State.BLOCKED, 0) - self.states.get(State.UNKNOWN, 0)
