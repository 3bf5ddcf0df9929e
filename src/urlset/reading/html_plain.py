"""The bytes of an HTML page whose tree is certain → its facts, without the tree: for most pages of most sites.

`compiled_html` says what is certain. It finds the same elements and the same text as `html_tree`, which reads all
other pages, and every page where urlset was installed without its compiled parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING

import msgspec

from urlset.model.page import PageFacts, PageLink
from urlset.reading.html_elements import (
    MAX_LINKS,
    Attributes,
    Link,
    in_head,
    leading_on,
    neighbors_in,
    said_by,
)
from urlset.reading.html_images import images_of
from urlset.reading.html_json_ld import parse_scripts, videos_of
from urlset.reading.html_lifetime import with_notice
from urlset.reading.html_main import ids_of, is_inside, is_main_candidate, main_elements
from urlset.reading.html_tree import FRAME_ROLES, FRAMES, FRAMES_IN_BODY
from urlset.reading.scanner import is_compiled
from urlset.spec.page_facets import Facet

if TYPE_CHECKING:
    from urlset.reading.compiled_html import PlainPage

_NAVIGATION = "navigation"
_NOT_SHOWN = -2
"""instead of what is around an image that no reader of the page sees"""


class _NeedsTreeError(Exception):
    """The page says something in a way that only its tree shows."""


class PlainElement:
    """One element, with the elements around it as far as they matter."""

    __slots__ = ("attributes", "end", "first", "mem_id", "parent", "tag")

    def __init__(self, tag: str, attributes: Attributes, mem_id: int, parent: PlainElement | None) -> None:
        self.tag, self.attributes, self.mem_id, self.parent = tag, attributes, mem_id, parent
        self.first = self.end = 0
        """its text blocks"""

    def text(self) -> str:
        raise _NeedsTreeError


class PlainElements:
    """What `html_tree.TreeElements` has."""

    def __init__(self, page: PlainPage) -> None:
        self.structured = parse_scripts(page.scripts)
        self.metas, self.base = page.metas, page.base
        self.links = [Link.of(attributes, in_head=inside) for attributes, inside in page.links]
        self.title, self.language = page.title or None, (page.language or "").strip() or None
        self.containers: list[PlainElement] = []
        self.frames: list[PlainElement] = []
        candidates: list[PlainElement] = []
        for (tag, attributes, parent, below_body), (first, end) in zip(page.containers, page.ranges, strict=True):
            node = PlainElement(tag, attributes, len(self.containers), self._inside(parent))
            node.first, node.end = first, end
            self.containers.append(node)
            if tag == "h1":
                continue
            if is_main_candidate(tag, attributes):
                candidates.append(node)
            in_body = below_body and tag in FRAMES_IN_BODY
            if in_body or tag in FRAMES or attributes.get("role") in FRAME_ROLES:
                self.frames.append(node)
        heading = self._inside(page.heading)
        self.mains = main_elements(candidates, self.frames, heading)
        self.heading = " ".join(page.blocks[heading.first : heading.end]) or None if heading is not None else None
        self.dated = [
            self.containers[around] if itself else PlainElement(tag, attributes, -1, self._inside(around))
            for tag, attributes, around, itself in page.dated
        ]

    def _inside(self, number: int) -> PlainElement | None:
        return self.containers[number] if number >= 0 else None


def plain_page(
    data: bytes, charset: str, *, images: bool, videos: bool, links: bool, text: bool, facets: bool, enough: int
) -> PageFacts | None:
    """None for a page that needs its tree, and where nothing is compiled."""
    scan = _scanner()
    if scan is None:
        return None
    page = scan(data, links=links or not text, images=images or (facets and not enough), text=text)
    if page is None:
        return None
    if not text:
        return _links_only(page, charset)
    try:
        found = PlainElements(page)
        facts = said_by(found, charset, complete=True)
        if enough and _words(page.counts, found.frames) > enough:
            return msgspec.structs.replace(facts, words=enough)
        if facets and enough:  # a short page after all
            return plain_page(
                data, charset, images=images, videos=videos, links=links, text=text, facets=facets, enough=0
            )
        return _whole(page, found, facts, images=images, videos=videos, links=links, facets=facets)
    except _NeedsTreeError:
        return None


@cache
def _scanner() -> Callable[..., PlainPage | None] | None:
    if not is_compiled():
        return None
    try:
        from urlset.reading.compiled_html import scan
    except ImportError:
        return None
    return scan


def _links_only(page: PlainPage, charset: str) -> PageFacts:
    linked = [Link.of(attributes, in_head=inside) for attributes, inside in page.links]
    return leading_on(
        charset,
        page.metas,
        linked,
        page.base,
        _links(page),
        title=page.title or None,
        language=(page.language or "").strip() or None,
    )


def _whole(
    page: PlainPage, found: PlainElements, facts: PageFacts, *, images: bool, videos: bool, links: bool, facets: bool
) -> PageFacts:
    blocks = page.blocks
    main = _main(found, blocks) if found.mains else ()
    return msgspec.structs.replace(
        facts,
        images=tuple(images_of(attributes for attributes, _ in page.images)) if images else (),
        videos=tuple(videos_of(found.structured)) if videos else (),
        blocks=blocks,
        frame=tuple(block for node in found.frames for block in blocks[node.first : node.end]),
        links=_links(page) if links else (),
        neighbors=tuple(neighbors_in(found.links)) if links else (),
        stated=_stated(found, page) if facets else None,
        main=main,
        lifetime=with_notice(facts.lifetime, main or blocks),
    )


def _words(counts: list[int], frames: list[PlainElement]) -> int:
    """Outside the frame."""
    total, after = sum(counts), 0
    for node in frames:
        total -= sum(counts[max(node.first, after) : node.end])  # none twice where one is inside another
        after = max(after, node.end)
    return total


def _main(found: PlainElements, blocks: tuple[str, ...]) -> tuple[str, ...]:
    """The blocks of the main elements without those of the navigation inside."""
    texts: list[str] = []
    for main in found.mains:
        at = main.first
        for node in found.containers:
            if (node.tag == "nav" or node.attributes.get("role") == _NAVIGATION) and is_inside(node, {main.mem_id}):
                if node is main:
                    raise _NeedsTreeError
                texts += blocks[at : node.first]
                at = max(at, node.end)
        texts += blocks[at : main.end]
    return tuple(texts)


def _links(page: PlainPage) -> tuple[PageLink, ...]:
    return tuple(
        [PageLink(href.strip(), tuple(rel.lower().split()) if rel else ()) for href, rel in page.anchors[:MAX_LINKS]]
    )


def _stated(found: PlainElements, page: PlainPage) -> tuple[tuple[Facet, str], ...]:
    from urlset.reading.html_facets import ShownImage, stated_by

    def shown() -> Iterator[ShownImage]:
        framed, mains = ids_of(found.frames), ids_of(found.mains)
        for attributes, around in page.images:
            node = found.containers[around] if around >= 0 else None
            if around != _NOT_SHOWN and (not mains or is_inside(node, mains)):
                yield attributes, partial(is_inside, node, framed)

    return stated_by(found.structured, in_head(found), found.dated, shown())
