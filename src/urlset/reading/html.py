"""The bytes of an HTML page → what it says about itself. Never raises, whatever the bytes are."""

from __future__ import annotations

import msgspec

from urlset.model.page import PageFacts
from urlset.reading.front_matter import front_matter
from urlset.reading.html_blocks import marked
from urlset.reading.html_bounds import affordable
from urlset.reading.html_charset import to_utf8
from urlset.reading.html_elements import MAX_LINKS, TRUST, refresh_of
from urlset.reading.html_plain import plain_page
from urlset.reading.html_tree import links_only, long_page, parsed, whole_page

__all__ = ["MAX_LINKS", "read_page", "refresh_of"]


def read_page(
    data: bytes,
    *,
    declared: str | None = None,
    images: bool = False,
    videos: bool = False,
    links: bool = True,
    text: bool = True,
    facets: bool = False,
    enough: int = 0,
) -> PageFacts:
    """`declared` is the charset or Content-Type the page came with; the flags skip parts that are not needed.

    With `facets` key images and stated facts are read too, to tell what changed, if the text is.
    Without `text` there are no blocks, dates and headings: all that a crawler needs. With `enough` a page of so many
    words outside its frame has no blocks and facets either, which takes half the time; one of fewer is read in full.
    """
    working, charset = to_utf8(data, declared)
    head = front_matter(working)
    if head is not None:  # a source that was not built
        working = working[head.end :]
    facts = _read(working, charset, images=images, videos=videos, links=links, text=text, facets=facets, enough=enough)
    if head is not None and text:
        dates = sorted((*head.dates(), *facts.dates), key=lambda date: TRUST[date.origin])
        facts = msgspec.structs.replace(facts, dates=tuple(dates))
    return facts


def _read(
    working: bytes, charset: str, *, images: bool, videos: bool, links: bool, text: bool, facets: bool, enough: int
) -> PageFacts:
    brief = enough if not (images or videos or links) else 0
    wanted = {"images": images, "videos": videos, "links": links, "text": text, "facets": facets}
    facts = plain_page(working, charset, **wanted, enough=brief)
    if facts is not None:
        return facts
    length = affordable(working)
    complete = length == len(working)
    readable = working if complete else working[:length]
    if text:
        readable = marked(readable)
    if brief and text and complete:
        page = parsed(readable)
        facts = long_page(page, charset, brief) if page is not None else None
        if facts is not None:
            return facts
    page = parsed(readable)
    if page is None:
        return PageFacts(charset=charset, complete=False)
    if not text:
        return links_only(page, charset, complete=complete)
    return whole_page(page, charset, complete=complete, images=images, videos=videos, links=links, facets=facets)
