"""Subjects of the rules on engine reports: a submitted sitemap, and a page as seen by an engine and an audit.

Examples are written as `key: value` lines:

    engine: google
    sitemap: https://example.com/sitemap.xml
    submitted: 2026-11-01
    last read: 2026-11-02
    errors: 2
    their count: 899
    our count: 900
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


def parse_sitemap(text: str, context: Context) -> SubmittedSitemap:
    """An example → its subject; raises ValueError or KeyError for an invalid example."""
    notes = _notes(text)
    numbers = {key: int(notes[key]) if key in notes else None for key in _COUNTS}
    return SubmittedSitemap(
        context=context,
        engine=Engine(notes["engine"]),
        url=notes["sitemap"],
        known=notes.get("known", "yes") == "yes",
        below_index=notes.get("known") == "through its index",
        submitted=notes.get("submitted"),
        last_read=notes.get("last read"),
        pending=notes.get("pending") == "yes",
        errors=numbers["errors"],
        warnings=numbers["warnings"],
        their_count=numbers["their count"],
        our_count=numbers["our count"],
        newest=notes.get("newest"),
        gone=notes.get("answers"),
        other_spelling=notes.get("known as"),
    )


_COUNTS = ("errors", "warnings", "their count", "our count")


def parse_page(text: str, context: Context) -> InspectedPage:
    notes = _notes(text)
    indexable = notes.get("indexable")
    return InspectedPage(
        context=context,
        url=notes["page"],
        lastmod=notes.get("lastmod"),
        verdict=notes.get("verdict", ""),
        coverage=notes.get("coverage", ""),
        robots=notes.get("robots", ""),
        indexing=notes.get("indexing", ""),
        fetch=notes.get("fetch", ""),
        last_crawl=notes.get("crawled"),
        google_canonical=notes.get("google canonical"),
        user_canonical=notes.get("user canonical"),
        known_since=notes.get("known since"),
        state=notes.get("audit"),
        indexable=None if indexable is None else indexable == "yes",
        advised_against=tuple(notes.get("advised against", "").split()),
    )


def _notes(text: str) -> dict[str, str]:
    found = {}
    for line in text.strip().splitlines():
        key, colon, value = line.partition(":")
        if not colon:
            raise ValueError(f"{line!r} is not a `key: value` line")
        found[key.strip()] = value.strip()
    return found
