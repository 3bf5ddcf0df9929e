"""The bytes of an HTML page → what it says about itself. Never raises, whatever the bytes are.

    read_page → UTF-8 bytes (html_bytes) → marked text (html_text) → tree (selectolax) → elements → PageFacts

The tree is built as browsers build it, so any markup is read as they read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from urlset.model.entry import Alternate
from urlset.model.page import BotDirectives, Canonical, DateOrigin, PageDate, PageFacts, PageLink, Refresh, by_trust
from urlset.reading.front_matter import front_matter
from urlset.reading.html_bytes import affordable, to_utf8
from urlset.reading.html_facets import (
    dates_of,
    described,
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
    is_mostly_links,
    is_named_list,
    is_named_permalink,
    main_elements,
    main_text,
    marked,
    remove_bare,
    text_blocks,
)
from urlset.reading.robots import EVERYONE, meta_directives
from urlset.spec.page_facets import Facet

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_LINKS = 50_000
Attributes = dict[str, str | None]

_LEADING_ON = ",".join((*UNSEEN, "title,body,meta,link[rel][href],base[href],a[href],area[href]"))
_ANCHORS = frozenset({"a", "area"})
_SILENT = _ANCHORS | {"img", "title", "body"}
"""whose names alone say nothing about a page"""
_FRAMES = frozenset({"nav", "aside"})
_FRAMES_IN_BODY = frozenset({"header", "footer"})
_SPEAKING = _SILENT | _FRAMES | _FRAMES_IN_BODY | {"meta", "link", "base", "h1", "time", "main", "article"}
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
_QUALIFYING = frozenset({"hreflang", "lang", "media", "type"})


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
        facts = msgspec.structs.replace(facts, dates=by_trust((*head.dates(), *facts.dates)))
    return facts


def _parsed(data: bytes) -> LexborNode | None:
    """The root of the tree."""
    from selectolax.lexbor import LexborHTMLParser

    try:
        return LexborHTMLParser(data).root
    except Exception:  # noqa: BLE001 - the library promises no type for what it cannot parse
        return None


def _links_only(data: bytes, charset: str, *, complete: bool) -> PageFacts:
    """All that a crawler needs."""
    root = _parsed(data)
    if root is None:
        return PageFacts(charset=charset, complete=False)
    found = _Elements(root, root.css(_LEADING_ON))
    facts = found.facts(charset, complete=complete, links=found.links_to(), neighbors=tuple(_neighbors(found.links)))
    return msgspec.structs.replace(facts, heading=None, lifetime=None, dates=(), qualified_canonicals=())


def _long_page(data: bytes, charset: str, enough: int) -> PageFacts | None:
    """Without its text; None for a page with no more than `enough` words outside its frame."""
    root = _parsed(data)
    found = _Elements(root) if root is not None else None
    if found is None or any(node.tag == "html" for node in found.frames):  # which cannot be removed
        return None
    facts = found.facts(charset, complete=True)
    _remove(found.frames)
    words = 0 if found.body is None else len(found.body.text().split(None, enough))
    return msgspec.structs.replace(facts, words=enough) if words > enough else None


def _whole_page(
    data: bytes, charset: str, *, complete: bool, images: bool, videos: bool, links: bool, facets: bool
) -> PageFacts:
    root = _parsed(data)
    if root is None:
        return PageFacts(charset=charset, complete=False)
    found = _Elements(root, facets=facets)
    lists = [node for node in found.lists if is_mostly_links(node)]
    blocks = text_blocks(found.body) if found.body is not None else ()
    frame = tuple([block for node in (*found.frames, *lists) for block in text_blocks(node)])
    stated = found.stated() if facets else None
    # last, because it removes navigation from the tree
    main = main_text(found.mains, lists) if found.mains else ()
    facts = found.facts(
        charset,
        complete=complete,
        images=tuple(images_of([attributes for _, attributes in found.images])) if images else (),
        videos=tuple(videos_of(found.structured)) if videos else (),
        blocks=blocks,
        frame=frame,
        main=main,
        stated=stated,
        links=found.links_to() if links else (),
        neighbors=tuple(_neighbors(found.links)) if links else (),
    )
    lifetime = with_notice(facts.lifetime, main or blocks)
    return facts if lifetime is facts.lifetime else msgspec.structs.replace(facts, lifetime=lifetime)


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
    """The elements by which a page describes itself, found in one walk; removes the unseen ones from the tree."""

    def __init__(self, root: LexborNode, nodes: Iterable[LexborNode] | None = None, *, facets: bool = False) -> None:
        """`nodes` are all that matter, in their order."""
        found: list[tuple[LexborNode, str | None, Attributes]] = []
        unseen: list[LexborNode] = []
        permalinks: list[LexborNode] = []
        self.lists: list[LexborNode] = []
        """named like lists of links to other pages"""
        for node in root.traverse() if nodes is None else nodes:
            tag, attributes = node.tag, node.attributes
            if tag in UNSEEN:
                unseen.append(node)
                continue
            if tag in _SPEAKING or "itemprop" in attributes or "role" in attributes:
                found.append((node, tag, attributes))
            if facets and ("class" in attributes or "id" in attributes or tag == "aside"):
                if tag == "a" and is_named_permalink(attributes):
                    permalinks.append(node)
                if tag == "aside" or is_named_list(attributes):
                    self.lists.append(node)
        self.images = [(node, attributes) for node, tag, attributes in found if tag == "img"]
        """the unseen too"""
        self.structured: list[Any] = []
        if unseen or permalinks:
            remove_bare(permalinks)
            unseen = [node for node in unseen if node.parent is not None]
            scripts = [node for node in unseen if node.tag == "script" and _is_json_ld(node)]
            self.structured = parse_scripts([node.text().replace(MARK, "") for node in scripts])
            _remove(unseen)
            found = [each for each in found if each[0].parent is not None]
            self.lists = [node for node in self.lists if node.parent is not None]
        self._nodes = described(self.structured) if self.structured else []
        self._found = found
        self._sort()
        self.body = root.parser.body
        self.language = _value(root.attributes, "lang") or None

    def links_to(self) -> tuple[PageLink, ...]:
        anchors = [each for _, tag, each in self._found if tag in _ANCHORS and "href" in each][:MAX_LINKS]
        return tuple([PageLink(_value(each, "href"), tuple(_value(each, "rel").lower().split())) for each in anchors])

    def _sort(self) -> None:
        self.metas: list[Attributes] = []
        self.links: list[_Link] = []
        self.dated: list[LexborNode] = []
        self.frames: list[LexborNode] = []
        self.base: Attributes | None = None
        mains: list[LexborNode] = []
        heading = title = None
        in_head = True
        for node, tag, attributes in self._found:
            is_typed = "itemprop" in attributes or "role" in attributes
            if tag == "title" and in_head:
                title = title or node
            elif tag == "body":
                in_head = False
            if tag == "meta":
                self.metas.append(attributes)
            elif tag == "link":
                if is_typed or ("rel" in attributes and "href" in attributes):
                    self.links.append(_link(attributes, in_head=in_head))
            elif tag == "h1":
                heading = heading or node
            elif tag == "base":
                if is_typed or "href" in attributes:
                    self.base = self.base or attributes
            elif is_typed or tag not in _SILENT:
                if tag == "time" or "itemprop" in attributes:
                    self.dated.append(node)
                if is_main_candidate(tag, attributes):
                    mains.append(node)
                in_body = tag in _FRAMES_IN_BODY and node.parent is not None and node.parent.tag == "body"
                if in_body or tag in _FRAMES or attributes.get("role") in _FRAME_ROLES:
                    self.frames.append(node)
        self.mains = main_elements(mains, self.frames, heading) if mains else []
        self._around, self._inside = ids_of(self.frames), ids_of(self.mains)
        self.heading, self.title = _text(heading), _text(title)
        # Of the links only those that state something, which few do.
        stating = [each.attributes for each in self.links if not _STATING.isdisjoint(each.attributes)]
        self._stating = [*self.metas, *stating]
        self._robots, self._refresh, dates = _stated_in(self.metas)
        self._dates = by_trust([*dates_of(self._nodes), *dates, *self._marked_dates()])

    def facts(self, charset: str, *, complete: bool, **others: Any) -> PageFacts:
        """All but text, images, videos and links, which are among the others."""
        canonicals, qualified, alternates = _linked(self.links)
        return PageFacts(
            charset=charset,
            complete=complete,
            title=self.title,
            heading=self.heading,
            lifetime=lifetime_of(self._nodes, self._stating, self.title, self.heading),
            language=self.language,
            base_href=(_value(self.base, "href") or None) if self.base is not None else None,
            canonicals=canonicals,
            qualified_canonicals=qualified,
            robots=self._robots,
            alternates=alternates,
            refresh=self._refresh,
            dates=self._dates,
            **others,
        )

    def stated(self) -> tuple[tuple[Facet, str], ...]:
        return stated_facts(self._nodes, self._stating, self.dated, self.images, self._is_outside)

    def _is_outside(self, node: LexborNode) -> bool:
        """Removed, in the frame of the page, or not in its main element."""
        if node.parent is None or is_inside(node, self._around):
            return True
        return bool(self._inside) and not is_inside(node, self._inside)

    def _marked_dates(self) -> Iterator[PageDate]:
        """<time> and itemprop; of several unmarked times none is the page's own, as in a list of articles.

        A <time> outside the main element, or in a site footer, may say when the site was generated.
        """
        if not self.dated:
            return
        unmarked: list[str] = []
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
            elif self._is_outside(node):
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


def _linked(links: list[_Link]) -> tuple[tuple[Canonical, ...], tuple[str, ...], tuple[Alternate, ...]]:
    """Canonicals that count, those in the head that search engines ignore, and alternates."""
    canonicals: list[Canonical] = []
    qualified: list[str] = []
    alternates: list[Alternate] = []
    for link in links:
        if not link.href:
            continue
        if "canonical" in link.rels:
            if _QUALIFYING.isdisjoint(link.attributes):
                canonicals.append(Canonical(link.href, link.in_head))
            elif link.in_head:  # about another version of the page, or so search engines take it
                qualified.append(link.href)
        if link.in_head and "alternate" in link.rels and (hreflang := _value(link.attributes, "hreflang")):
            alternates.append(Alternate(hreflang, link.href))
    return tuple(canonicals), tuple(qualified), tuple(alternates)


def _stated_in(metas: list[Attributes]) -> tuple[tuple[BotDirectives, ...], Refresh | None, list[PageDate]]:
    robots: list[BotDirectives] = []
    refresh: Refresh | None = None
    dates: list[PageDate] = []
    for meta in metas:
        name = _value(meta, "name").lower()
        equals = _value(meta, "http-equiv").lower() if "http-equiv" in meta else ""
        if name and _BOT.fullmatch(name):
            words = meta_directives(meta.get("content") or "")
            if words:
                robots.append(BotDirectives(name, words))
        elif equals == "x-robots-tag":
            robots.append(BotDirectives(EVERYONE, meta_directives(meta.get("content") or "")))
        if equals == "refresh" and refresh is None:
            refresh = refresh_of(meta.get("content") or "")
        origin = _PROPERTIES.get((_value(meta, "property").lower() if "property" in meta else "") or name)
        if origin is None and "itemprop" in meta:
            origin = _ITEMPROPS.get(_value(meta, "itemprop"))
        if origin is not None and (content := _value(meta, "content")):
            dates.append(PageDate(origin, content))
    return tuple(robots), refresh, dates


def _neighbors(links: list[_Link]) -> Iterator[str]:
    return (link.href for link in links if link.href and not _NEIGHBORS.isdisjoint(link.rels))


def _remove(nodes: list[LexborNode]) -> None:
    """In the order of the page; the last first, so none is touched that was removed with another."""
    for node in reversed(nodes):
        node.decompose()


def _text(node: LexborNode | None) -> str | None:
    return (collapsed(node.text()) or None) if node is not None else None


def _is_json_ld(script: LexborNode) -> bool:
    return _value(script.attributes, "type").lower().partition(";")[0].strip() == "application/ld+json"
