"""Subjects of the rules on engine reports: a submitted sitemap, and a page as seen by an engine and an audit.

Examples are `key: value` lines, see tests/checking/engine_examples.py.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from urlset.checking.context import Context
from urlset.spec.engines import Engine


class SubmittedSitemap(msgspec.Struct, frozen=True, kw_only=True):
    """One sitemap: the engine's report, and what the site serves. None is unknown."""

    context: Context
    engine: Engine
    url: str
    known: bool = True
    """the engine lists it"""
    below_index: bool = False
    """an index of the site lists it, so it does not have to be submitted"""
    submitted: str | None = None
    last_read: str | None = None
    pending: bool = False
    errors: int | None = None
    warnings: int | None = None
    their_count: int | None = None
    our_count: int | None = None
    """entries that the site serves; None if the sitemap could not be read"""
    newest: str | None = None
    """the newest lastmod in it"""
    gone: str | None = None
    """the response of the site, if it is not a sitemap: `404`"""
    other_spelling: str | None = None
    """the URL with another scheme or host that the engine knows instead"""

    @property
    def title(self) -> str:
        return self.engine.value.capitalize()

    def age(self, text: str | None) -> timedelta | None:
        moment = moment_of(text)
        return None if moment is None else self.context.now - moment


class InspectedPage(msgspec.Struct, frozen=True, kw_only=True):
    """One listed page as Google knows it, with the audit result; None is unknown."""

    context: Context
    url: str
    source: str = ""
    lastmod: str | None = None
    verdict: str = ""
    coverage: str = ""
    robots: str = ""
    indexing: str = ""
    fetch: str = ""
    last_crawl: str | None = None
    google_canonical: str | None = None
    user_canonical: str | None = None
    known_since: str | None = None
    """when the page was first submitted or inspected"""
    state: str | None = None
    """its state in the audit: ok, gone, noindex …"""
    indexable: bool | None = None
    advised_against: tuple[str, ...] = ()
    """codes of findings that recommend removing it"""

    @property
    def indexed(self) -> bool:
        return self.verdict.lower() == "pass"

    @property
    def unknown_to_google(self) -> bool:
        return not self.indexed and not self.last_crawl and self.fetch.lower() in ("", "page_fetch_state_unspecified")


def moment_of(text: str | None) -> datetime | None:
    """An ISO 8601 date or time; None for anything else."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
