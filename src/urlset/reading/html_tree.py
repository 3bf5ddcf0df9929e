"""The bytes of an HTML page → its facts, by building its tree as browsers do: for any page, whatever its markup."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from urlset.model.page import PageFacts
from urlset.reading.html_blocks import MARK, UNSEEN, collapsed, text_blocks
from urlset.reading.html_elements import (
    Attributes,
    Link,
    in_head,
    leading_on,
    links_in,
    neighbors_in,
    said_by,
    value_of,
)
from urlset.reading.html_images import images_of
from urlset.reading.html_json_ld import parse_scripts, videos_of
from urlset.reading.html_lifetime import with_notice
from urlset.reading.html_main import ids_of, is_inside, is_main_candidate, main_elements, main_text
from urlset.spec.page_facets import Facet

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_UNSEEN_ELEMENTS = ",".join(UNSEEN)
# Selected together: one walk over the tree costs a tenth of building it.
_SPEAKING = "meta,link[rel][href],base[href],h1,time,[itemprop],nav,aside,header,footer,main,article,[role]"
_ANCHORS = "a[href],area[href]"
_LEADING_ON = f"meta,link[rel][href],base[href],{_ANCHORS}"
FRAMES = frozenset({"nav", "aside"})
FRAMES_IN_BODY = frozenset({"header", "footer"})
FRAME_ROLES = frozenset({"navigation", "banner", "contentinfo"})


def parsed(data: bytes) -> LexborHTMLParser | None:
    from selectolax.lexbor import LexborHTMLParser

    try:
        return LexborHTMLParser(data)
    except Exception:  # noqa: BLE001 - the library promises no type for what it cannot parse
        return None


def links_only(page: LexborHTMLParser, charset: str, *, complete: bool) -> PageFacts:
    """All that a crawler needs."""
    root, head = page.root, page.head
    if root is None:
        return PageFacts(charset=charset, complete=complete)
    _take_out(page.css(_UNSEEN_ELEMENTS))
    among = {node.mem_id for node in head.css("link")} if head is not None else set()
    metas: list[Attributes] = []
    linked: list[Link] = []
    bases: list[Attributes] = []
    anchors: list[Attributes] = []
    for node in page.css(_LEADING_ON):
        tag, attributes = node.tag, node.attributes
        if tag == "link":
            linked.append(Link.of(attributes, in_head=node.mem_id in among))
        else:
            (metas if tag == "meta" else bases if tag == "base" else anchors).append(attributes)
    return leading_on(
        charset,
        metas,
        linked,
        bases[0] if bases else None,
        tuple(links_in(anchors)),
        title=_text(head.css_first("title")) if head is not None else None,
        language=value_of(root.attributes, "lang") or None,
        complete=complete,
    )


class TreeElements:
    """The elements that a page speaks through, found in one walk, the unseen ones taken out before."""

    def __init__(self, page: LexborHTMLParser) -> None:
        unseen = page.css(_UNSEEN_ELEMENTS)
        self.structured = parse_scripts(
            [node.text().replace(MARK, "") for node in unseen if node.tag == "script" and _is_json_ld(node)]
        )
        _take_out(unseen)
        head = page.head
        self.body = page.body
        self.metas: list[Attributes] = []
        self.links: list[Link] = []
        self.frames: list[LexborNode] = []
        self.mains: list[LexborNode] = []
        self.dated: list[LexborNode] = []
        self.base: Attributes | None = None
        heading: LexborNode | None = None
        among = {node.mem_id for node in head.css("link")} if head is not None else set()
        # it finds some twice
        for number, node in {node.mem_id: node for node in page.css(_SPEAKING)}.items():
            tag = node.tag
            if tag == "meta":
                self.metas.append(node.attributes)
            elif tag == "link":
                self.links.append(Link.of(node.attributes, in_head=number in among))
            elif tag == "h1":
                heading = heading or node
            elif tag == "base":
                self.base = self.base or node.attributes
            else:
                self._sort(node, tag)
        self.mains = main_elements(self.mains, self.frames, heading)
        self.heading = _text(heading)
        self.title = _text(head.css_first("title")) if head is not None else None
        self.language = (value_of(page.root.attributes, "lang") or None) if page.root is not None else None

    def _sort(self, node: LexborNode, tag: str | None) -> None:
        attributes = node.attributes
        if tag == "time" or "itemprop" in attributes:
            self.dated.append(node)
        if is_main_candidate(tag, attributes):
            self.mains.append(node)
        in_body = tag in FRAMES_IN_BODY and node.parent is not None and node.parent.tag == "body"
        if in_body or tag in FRAMES or attributes.get("role") in FRAME_ROLES:
            self.frames.append(node)


def long_page(page: LexborHTMLParser, charset: str, enough: int) -> PageFacts | None:
    """Without its text; None for a page with no more than `enough` words outside its frame. It must be marked."""
    found = TreeElements(page)
    facts = said_by(found, charset, complete=True)
    _take_out(found.frames)
    words = 0 if found.body is None else len(found.body.text().split(None, enough))
    return msgspec.structs.replace(facts, words=enough) if words > enough else None


def whole_page(
    page: LexborHTMLParser, charset: str, *, complete: bool, images: bool, videos: bool, links: bool, facets: bool
) -> PageFacts:
    """Of a marked page."""
    if page.root is None:
        return PageFacts(charset=charset, complete=complete)
    seen_images = tuple(images_of(node.attributes for node in page.css("img"))) if images else ()
    found = TreeElements(page)
    facts = msgspec.structs.replace(
        said_by(found, charset, complete=complete),
        images=seen_images,
        videos=tuple(videos_of(found.structured)) if videos else (),
        blocks=text_blocks(found.body) if found.body is not None else (),
        frame=tuple(block for node in found.frames for block in text_blocks(node)),
        links=tuple(links_in([node.attributes for node in page.css(_ANCHORS)])) if links else (),
        neighbors=tuple(neighbors_in(found.links)) if links else (),
        stated=_stated(found) if facets else None,
    )
    # last, because it takes navigation out of the tree
    main = main_text(found.mains) if found.mains else ()
    return msgspec.structs.replace(facts, main=main, lifetime=with_notice(facts.lifetime, main or facts.blocks))


def _stated(found: TreeElements) -> tuple[tuple[Facet, str], ...]:
    from urlset.reading.html_facets import ShownImage, stated_by  # most pages are read without

    def shown() -> Iterator[ShownImage]:
        framed = ids_of(found.frames)
        for area in found.mains or ([found.body] if found.body is not None else []):
            for node in area.css("img"):
                yield node.attributes, partial(is_inside, node, framed)

    return stated_by(found.structured, in_head(found), found.dated, shown())


def _take_out(nodes: list[LexborNode]) -> None:
    """In the order of the page; the last first, so none is touched that was removed with another."""
    for node in reversed(nodes):
        node.decompose()


def _text(node: LexborNode | None) -> str | None:
    return (collapsed(node.text()) or None) if node is not None else None


def _is_json_ld(script: LexborNode) -> bool:
    return value_of(script.attributes, "type").lower().partition(";")[0].strip() == "application/ld+json"
