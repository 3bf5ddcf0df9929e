"""Examples of the rules on engine reports → their subjects.

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

from urlset.checking.context import Context
from urlset.checking.live_page import InspectedPage, SubmittedSitemap
from urlset.spec.engines import Engine


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
