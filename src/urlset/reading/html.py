"""The bytes of an HTML page → what it says about itself. Never raises, whatever the bytes are.

    read_page → UTF-8 bytes (html_bytes) → marked text (html_text) → tree (selectolax) → elements → PageFacts

The tree is built as browsers build it, so any markup is read as they read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import msgspec

from urlset.model.entry import Alternate
from urlset.model.page import BotDirectives, Canonical, DateOrigin, PageDate, PageFacts, PageLink, Refresh
from urlset.reading.front_matter import front_matter
from urlset.reading.html_bytes import affordable, to_utf8
from urlset.reading.html_facets import (
    ShownImage,
    dates_of,
    images_of,
    lifetime_of,
    parse_scripts,
    stated_facts,
    videos_of,
    with_notice,
)
from urlset.reading.html_text import (
    MARK,
    UNSEEN,
    collapsed,
    ids_of,
    is_inside,
    is_main_candidate,
    link_lists,
    main_elements,
    main_text,
    marked,
    remove_anchors,
    text_blocks,
)
from urlset.reading.robots import EVERYONE, meta_directives
from urlset.spec.page_facets import Facet

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_LINKS = 50_000
Attributes = dict[str, str | None]

_UNSEEN_ELEMENTS = ",".join(UNSEEN)
# Selected together: one walk over the tree costs a tenth of building it.
_LINKS = "link[rel][href]"
_SPEAKING = f"title,meta,{_LINKS},base[href],h1,time,[itemprop],nav,aside,header,footer,main,article,[role]"
_ANCHORS = "a[href],area[href]"
_LEADING_ON = f"meta,link[rel][href],base[href],{_ANCHORS}"
_FRAMES = frozenset({"nav", "aside"})
_FRAMES_IN_BODY = frozenset({"header", "footer"})
_FRAME_ROLES = frozenset({"navigation", "banner", "contentinfo"})

# A bot's name in <meta name=…>; `googlebot-news` and `otherbot` count, `viewport` and `og:title` do not.
_BOT = re.compile(r"robots|urlset|[a-z0-9_-]*bot(?:-[a-z]+)?|yandex|baiduspider|slurp|teoma|bingpreview")
_REFRESH = re.compile(
    r"\s*(\d{0,6})(?:\.[\d.]*)?\s*[;,\s]\s*(?:url\s*=\s*)?(['\"]?)(.*?)\2\s*", re.IGNORECASE | re.DOTALL
)
_PROPERTIES = {
    "article:modified_time": DateOrigin.ARTICLE_MODIFIED,
    "og:updated_time": DateOrigin.OG_UPDATED,
    "og:article:modified_time": DateOrigin.ARTICLE_MODIFIED,
    "article:published_time": DateOrigin.ARTICLE_PUBLISHED,
}
_ITEMPROPS = {"dateModified": DateOrigin.ITEMPROP_MODIFIED, "datePublished": DateOrigin.ITEMPROP_PUBLISHED}
_UPDATED = re.compile(r"(?:^|[\s_-])(?:updated|modified|dt-updated)(?:$|[\s_-])", re.IGNORECASE)
_STATING = frozenset({"itemprop", "property", "name"})
_NEIGHBORS = frozenset({"next", "prev", "previous"})
_TRUST = {origin: rank for rank, origin in enumerate(DateOrigin)}


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

    With `facets`, key images and stated facts are read too, to tell what changed, if the text is.
    Without `text` there are no blocks, dates and headings: all that a crawler needs. With `enough`, a page with more
    words than that outside its frame has no blocks and facets either, which takes half the time.
    """
    working, charset = to_utf8(data, declared)
    head = front_matter(working)
    if head is not None:  # a source that was not built
        working = working[head.end :]
    length = affordable(working)
    complete = length == len(working)
    readable = working if complete else working[:length]
    if not text:
        return _links_only(readable, charset, complete=complete)
    readable = marked(readable)
    facts = None
    if enough and complete and not (images or videos or links):
        facts = _long_page(readable, charset, enough)
    if facts is None:
        facts = _whole_page(
            readable, charset, complete=complete, images=images, videos=videos, links=links, facets=facets
        )
    if head is not None:
        dates = sorted((*head.dates(), *facts.dates), key=lambda date: _TRUST[date.origin])
        facts = msgspec.structs.replace(facts, dates=tuple(dates))
    return facts


def _parsed(data: bytes) -> LexborHTMLParser | None:
    from selectolax.lexbor import LexborHTMLParser

    try:
        return LexborHTMLParser(data)
    except Exception:  # noqa: BLE001 - the library promises no type for what it cannot parse
        return None


def _links_only(data: bytes, charset: str, *, complete: bool) -> PageFacts:
    """All that a crawler needs."""
    page = _parsed(data)
    if page is None:
        return PageFacts(charset=charset, complete=False)
    root, head = page.root, page.head
    if root is None:
        return PageFacts(charset=charset, complete=complete)
    _remove(page.css(_UNSEEN_ELEMENTS))
    among = _links_in_head(page)
    metas: list[Attributes] = []
    linked: list[_Link] = []
    bases: list[Attributes] = []
    anchors: list[Attributes] = []
    for node in page.css(_LEADING_ON):
        tag, attributes = node.tag, node.attributes
        if tag == "link":
            linked.append(_link(attributes, in_head=node.mem_id in among))
        else:
            (metas if tag == "meta" else bases if tag == "base" else anchors).append(attributes)
    return PageFacts(
        charset=charset,
        complete=complete,
        title=_text(head.css_first("title")) if head is not None else None,
        language=_value(root.attributes, "lang") or None,
        base_href=(_value(bases[0], "href") or None) if bases else None,
        canonicals=_canonicals(linked)[0],
        robots=tuple(_robots(metas)),
        alternates=tuple(_alternates(linked)),
        refresh=next(_refreshes(metas), None),
        links=tuple(_links(anchors)),
        neighbors=tuple(_neighbors(linked)),
    )


def _long_page(data: bytes, charset: str, enough: int) -> PageFacts | None:
    """Without its text; None for a page with no more than `enough` words outside its frame."""
    page = _parsed(data)
    if page is None:
        return None
    found = _Elements(page)
    facts = found.facts(charset, complete=True)
    _remove(found.frames)
    words = 0 if found.body is None else len(found.body.text().split(None, enough))
    return msgspec.structs.replace(facts, words=enough) if words > enough else None


def _whole_page(
    data: bytes, charset: str, *, complete: bool, images: bool, videos: bool, links: bool, facets: bool
) -> PageFacts:
    page = _parsed(data)
    if page is None or page.root is None:
        return PageFacts(charset=charset, complete=complete and page is not None)
    seen_images = tuple(images_of(node.attributes for node in page.css("img"))) if images else ()
    if facets:
        remove_anchors(page)
    found = _Elements(page)
    lists = link_lists(page) if facets else []
    facts = found.facts(charset, complete=complete)
    blocks = text_blocks(found.body) if found.body is not None else ()
    frame = tuple([block for node in (*found.frames, *lists) for block in text_blocks(node)])
    anchors = tuple(_links([node.attributes for node in page.css(_ANCHORS)])) if links else ()
    stated = found.stated() if facets else None
    # last, because it removes navigation from the tree
    main = main_text(found.mains, lists) if found.mains else ()
    return msgspec.structs.replace(
        facts,
        images=seen_images,
        videos=tuple(videos_of(found.structured)) if videos else (),
        blocks=blocks,
        frame=frame,
        links=anchors,
        neighbors=tuple(_neighbors(found.links)) if links else (),
        stated=stated,
        main=main,
        lifetime=with_notice(facts.lifetime, main or blocks),
    )


class _Link(msgspec.Struct):
    """A link element."""

    attributes: Attributes
    rels: frozenset[str]
    href: str
    in_head: bool


@lru_cache(256)
def _words(rel: str) -> frozenset[str]:
    return frozenset(rel.replace(MARK, "").lower().split())


def _link(attributes: Attributes, *, in_head: bool) -> _Link:
    return _Link(attributes, _words(attributes.get("rel") or ""), _value(attributes, "href"), in_head)


class _Elements:
    """The elements by which a page describes itself, found in one walk. Removes the unseen ones from the tree first."""

    def __init__(self, page: LexborHTMLParser) -> None:
        unseen = page.css(_UNSEEN_ELEMENTS)
        self.structured: list[Any] = parse_scripts(
            [node.text().replace(MARK, "") for node in unseen if node.tag == "script" and _is_json_ld(node)]
        )
        _remove(unseen)
        head = page.head
        left_in_head = len(head.css(_LINKS)) if head is not None else 0  # which come first
        self.body = page.body
        self.metas: list[Attributes] = []
        self.links: list[_Link] = []
        self.frames: list[LexborNode] = []
        self.mains: list[LexborNode] = []
        self.dated: list[LexborNode] = []
        self.base: Attributes | None = None
        heading: LexborNode | None = None
        title: LexborNode | None = None
        several: set[int] = set()
        for node in page.css(_SPEAKING):
            tag, attributes = node.tag, node.attributes
            if "itemprop" in attributes or "role" in attributes:
                if node.mem_id in several:
                    continue  # selected for two reasons
                several.add(node.mem_id)
            if tag == "link":
                self.links.append(_link(attributes, in_head=left_in_head > 0))
                left_in_head -= "rel" in attributes and "href" in attributes
            elif tag == "meta":
                self.metas.append(attributes)
            elif tag == "h1":
                heading = heading or node
            elif tag == "base":
                self.base = self.base or attributes
            else:
                if tag == "title" and title is None and node.parent is not None and node.parent.tag == "head":
                    title = node
                if tag == "time" or "itemprop" in attributes:
                    self.dated.append(node)
                if is_main_candidate(tag, attributes):
                    self.mains.append(node)
                in_body = tag in _FRAMES_IN_BODY and node.parent is not None and node.parent.tag == "body"
                if in_body or tag in _FRAMES or attributes.get("role") in _FRAME_ROLES:
                    self.frames.append(node)
        self.mains = main_elements(self.mains, self.frames, heading)
        self.heading = _text(heading)
        self.title = _text(title)
        self.language = (_value(page.root.attributes, "lang") or None) if page.root is not None else None

    def facts(self, charset: str, *, complete: bool) -> PageFacts:
        """All but text, images, videos and links."""
        canonicals, qualified = _canonicals(self.links)
        dates = [*dates_of(self.structured), *_meta_dates(self.metas), *self._marked_dates()]
        return PageFacts(
            charset=charset,
            complete=complete,
            title=self.title,
            heading=self.heading,
            lifetime=lifetime_of(self.structured, self._in_head(), self.title, self.heading),
            language=self.language,
            base_href=(_value(self.base, "href") or None) if self.base is not None else None,
            canonicals=canonicals,
            qualified_canonicals=qualified,
            robots=tuple(_robots(self.metas)),
            alternates=tuple(_alternates(self.links)),
            refresh=next(_refreshes(self.metas), None),
            dates=tuple(sorted(dates, key=lambda date: _TRUST[date.origin])),
        )

    def stated(self) -> tuple[tuple[Facet, str], ...]:
        def shown() -> Iterator[ShownImage]:
            framed = ids_of(self.frames)
            for area in self.mains or ([self.body] if self.body is not None else []):
                for node in area.css("img"):
                    yield node.attributes, partial(is_inside, node, framed)

        return stated_facts(self.structured, self._in_head(), self.dated, shown())

    def _in_head(self) -> list[Attributes]:
        """Of the links only those that state something, which few do."""
        return [*self.metas, *(link.attributes for link in self.links if not _STATING.isdisjoint(link.attributes))]

    def _marked_dates(self) -> Iterator[PageDate]:
        """<time> and itemprop; of several unmarked times none is the page's own, as in a list of articles.

        A <time> outside the main element, or in a site footer, may say when the site was generated.
        """
        if not self.dated:
            return
        unmarked: list[str] = []
        frames, mains = ids_of(self.frames), ids_of(self.mains)
        for node in self.dated:
            attributes = node.attributes
            itemprop = _ITEMPROPS.get(_value(attributes, "itemprop"))
            if node.tag == "meta" or (node.tag != "time" and itemprop is None):
                continue
            raw = _value(attributes, "datetime") or _value(attributes, "content")
            if not raw:
                continue
            if itemprop:
                yield PageDate(itemprop, raw)
            elif is_inside(node, frames) or (mains and not is_inside(node, mains)):
                continue
            elif _UPDATED.search(_value(attributes, "class")):
                yield PageDate(DateOrigin.TIME_UPDATED, raw)
            else:
                unmarked.append(raw)
        if len(set(unmarked)) == 1:
            yield PageDate(DateOrigin.TIME, unmarked[0])


def refresh_of(content: str) -> Refresh | None:
    """`5; url=/b` of a meta element or a header; None where it only reloads the page."""
    match = _REFRESH.fullmatch(content[:4096])
    return Refresh(int(match[1] or 0), match[3].strip()) if match and match[3].strip() else None


def _value(attributes: Mapping[str, str | None], name: str) -> str:
    value = attributes.get(name)
    if not value:
        return ""
    return value.strip() if MARK not in value else value.strip().replace(MARK, "")


def _canonicals(links: list[_Link]) -> tuple[tuple[Canonical, ...], tuple[str, ...]]:
    """Those that count, and those in the head that search engines ignore."""
    named = [link for link in links if "canonical" in link.rels and link.href]
    return (
        tuple([Canonical(link.href, link.in_head) for link in named if not _is_qualified(link)]),
        tuple([link.href for link in named if link.in_head and _is_qualified(link)]),
    )


def _is_qualified(link: _Link) -> bool:
    """About another version of the page, or so search engines take it."""
    return any(name in link.attributes for name in ("hreflang", "lang", "media", "type"))


def _alternates(links: list[_Link]) -> Iterator[Alternate]:
    for link in links:
        if link.in_head and link.href and "alternate" in link.rels:
            hreflang = _value(link.attributes, "hreflang")
            if hreflang:
                yield Alternate(hreflang, link.href)


def _robots(metas: list[Attributes]) -> Iterator[BotDirectives]:
    for meta in metas:
        bot = _value(meta, "name").lower() if "name" in meta else ""
        if bot and _BOT.fullmatch(bot):
            words = meta_directives(meta.get("content") or "")
            if words:
                yield BotDirectives(bot, words)
        elif "http-equiv" in meta and _value(meta, "http-equiv").lower() == "x-robots-tag":
            yield BotDirectives(EVERYONE, meta_directives(meta.get("content") or ""))


def _refreshes(metas: list[Attributes]) -> Iterator[Refresh]:
    for meta in metas:
        if "http-equiv" in meta and _value(meta, "http-equiv").lower() == "refresh":
            found = refresh_of(meta.get("content") or "")
            if found is not None:
                yield found


def _meta_dates(metas: list[Attributes]) -> Iterator[PageDate]:
    for meta in metas:
        name = (_value(meta, "property") if "property" in meta else "") or _value(meta, "name")
        origin = _PROPERTIES.get(name.lower())
        if origin is None and "itemprop" in meta:
            origin = _ITEMPROPS.get(_value(meta, "itemprop"))
        content = _value(meta, "content") if origin is not None else ""
        if origin is not None and content:
            yield PageDate(origin, content)


def _neighbors(links: list[_Link]) -> Iterator[str]:
    return (link.href for link in links if link.href and not _NEIGHBORS.isdisjoint(link.rels))


def _links(anchors: list[Attributes]) -> Iterator[PageLink]:
    for attributes in anchors[:MAX_LINKS]:
        rel = _value(attributes, "rel")
        yield PageLink(_value(attributes, "href"), tuple(rel.lower().split()) if rel else ())


def _links_in_head(page: LexborHTMLParser) -> set[int]:
    return {node.mem_id for node in page.head.css("link")} if page.head is not None else set()


def _remove(nodes: list[LexborNode]) -> None:
    """In the order of the page; the last first, so none is touched that was removed with another."""
    for node in reversed(nodes):
        node.decompose()


def _text(node: LexborNode | None) -> str | None:
    return (collapsed(node.text()) or None) if node is not None else None


def _is_json_ld(script: LexborNode) -> bool:
    return _value(script.attributes, "type").lower().partition(";")[0].strip() == "application/ld+json"
