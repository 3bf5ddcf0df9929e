"""What rules on live pages have in common: which pages can be read, and how a message names an address."""

from __future__ import annotations

from collections.abc import Iterable

from urlset.auditing.remedy import may_list
from urlset.checking.declare import EVERYONE
from urlset.checking.live_page import LivePage
from urlset.model.canonicals import elsewhere
from urlset.model.page import NOINDEX
from urlset.model.visit import State, Visit
from urlset.rules.quoting import quoted
from urlset.spec.engines import Engine

EVERY_READER = tuple(engine for engine in EVERYONE if engine is not Engine.XSD_STRICT)
"""a schema knows nothing of pages"""
_LONGEST = 200


def readable(page: LivePage) -> bool:
    """A page came back whose own words can be judged."""
    return page.visit.state in (State.OK, State.REDIRECTED)


def shown(url: str) -> str:
    """An address as a message shows it: bare where it is plain, quoted where it could deceive."""
    if url.isascii() and url.isprintable() and " " not in url:
        return url if len(url) <= _LONGEST else f"{url[: _LONGEST - 1]}…"
    return quoted(url)


def of_target(page: LivePage) -> str:
    """How a sentence about the page goes on where it is not the listed address that speaks."""
    return f" on {shown(page.final_url)}, where the redirect leads" if page.visit.hops else ""


def unsound(visit: Visit) -> str | None:
    """What speaks against a page as one to be indexed under its own address; None where nothing is known to."""
    if visit.state is State.GONE:
        return f"answers {visit.status or 'that it is gone'}"
    if visit.state is State.ERROR:
        return f"fails: {visit.reason or visit.failure or visit.status}"
    if visit.state is State.REDIRECTED:
        return f"redirects to {shown(visit.final_url)}"
    if visit.state is not State.OK:
        return None
    if not NOINDEX.isdisjoint(visit.directives_for("googlebot")):
        return "is noindex"
    other = elsewhere(visit)
    return f"names {shown(other)} as canonical" if other is not None else None


def instead(page: LivePage, target: str) -> str:
    """What to do about an entry whose page names or leads to another: as `urlset fix --using` would do it."""
    if not may_list(page.url, target):
        return "it is for the sitemaps of that host to list, so take this entry out"
    return "list that instead"


def listed_words(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    every = list(words)
    return " and ".join([", ".join(every[:-1]), every[-1]] if len(every) > 1 else every)
