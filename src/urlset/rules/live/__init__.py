"""Rules about server responses: listed pages, their images and videos, and the results of a crawl.

Here is what they share: which pages can be checked, and how messages show a URL.
"""

from __future__ import annotations

from collections.abc import Iterable

from urlset.auditing.indexable import may_list
from urlset.findings.finding import quoted
from urlset.model.page import NOINDEX
from urlset.model.visit import State, Visit, elsewhere
from urlset.rules import LivePage

_LONGEST = 200


def readable(page: LivePage) -> bool:
    """A page was returned and its content can be checked."""
    return page.visit.state in (State.OK, State.REDIRECTED)


def shown(url: str) -> str:
    """A URL as a message shows it: bare if it is plain, quoted if it could be misleading."""
    if url.isascii() and url.isprintable() and " " not in url:
        return url if len(url) <= _LONGEST else f"{url[: _LONGEST - 1]}…"
    return quoted(url)


def of_target(page: LivePage) -> str:
    """The end of a message if it is about the target of a redirect."""
    return f" on {shown(page.final_url)} after a redirect" if page.visit.hops else ""


def unsound(visit: Visit) -> str | None:
    """Why a page is not indexable under its own URL; None if no reason is known."""
    if visit.state is State.GONE:
        return f"returns {visit.status or 'a not-found status'}"
    if visit.state is State.ERROR:
        return f"fails: {visit.reason or visit.failure or visit.status}"
    if visit.state is State.REDIRECTED:
        return f"redirects to {shown(visit.final_url)}"
    if visit.state is not State.OK:
        return None
    if not NOINDEX.isdisjoint(visit.directives_for("googlebot")):
        return "has noindex"
    other = elsewhere(visit)
    return f"has the canonical {shown(other)}" if other is not None else None


def instead(page: LivePage, target: str) -> str:
    """What to do with an entry whose page has another URL, as `urlset fix --using` does it."""
    if not may_list(page.url, target):
        return "remove this entry, because the URL belongs to another host"
    return "list it instead"


def listed_words(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b, and c`."""
    every = list(words)
    return ", and ".join([", ".join(every[:-1]), every[-1]]) if len(every) > 2 else " and ".join(every)
