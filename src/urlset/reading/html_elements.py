"""The elements that a page speaks through → what it says about itself, from its tree or without it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from urlset.model.media import Alternate
from urlset.model.page import BotDirectives, Canonical, DateOrigin, PageDate, PageFacts, PageLink, Refresh
from urlset.reading.html_blocks import MARK
from urlset.reading.html_json_ld import dates_of
from urlset.reading.html_lifetime import lifetime_of
from urlset.reading.html_main import HtmlElement, ids_of, is_inside
from urlset.reading.robots_directives import EVERYONE, meta_directives

MAX_LINKS = 50_000
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
_NEIGHBOURS = frozenset({"next", "prev", "previous"})
Attributes = dict[str, str | None]
TRUST = {origin: rank for rank, origin in enumerate(DateOrigin)}


class Elements(Protocol):
    """Found by the tree builder (`html_tree`) or without it (`html_plain`), the unseen elements left out."""

    structured: list[Any]
    metas: list[Attributes]
    links: list[Link]
    base: Attributes | None
    title: str | None
    heading: str | None
    """the text of the first h1"""
    language: str | None

    @property
    def frames(self) -> Sequence[HtmlElement]: ...

    @property
    def mains(self) -> Sequence[HtmlElement]: ...

    @property
    def dated(self) -> Sequence[HtmlElement]: ...


def said_by(found: Elements, charset: str, *, complete: bool) -> PageFacts:
    """All but text, images, videos and links."""
    metas, linked = found.metas, found.links
    dates = [*dates_of(found.structured), *_meta_dates(metas), *_marked_dates(found)]
    return PageFacts(
        charset=charset,
        complete=complete,
        title=found.title,
        heading=found.heading,
        lifetime=lifetime_of(found.structured, in_head(found), found.title, found.heading),
        language=found.language,
        base_href=(value_of(found.base, "href") or None) if found.base is not None else None,
        canonicals=tuple(canonicals_in(linked)),
        qualified_canonicals=tuple(_qualified_canonicals(linked)),
        robots=tuple(robots_in(metas)),
        alternates=tuple(alternates_in(linked)),
        refresh=next(refreshes_in(metas), None),
        dates=tuple(sorted(dates, key=lambda date: TRUST[date.origin])),
    )


def in_head(found: Elements) -> list[Attributes]:
    """The meta and link elements."""
    return [*found.metas, *(link.attributes for link in found.links)]


class Link(NamedTuple):
    """A link element."""

    attributes: Attributes
    rels: list[str]
    href: str
    in_head: bool

    @classmethod
    def of(cls, attributes: Attributes, *, in_head: bool) -> Link:
        return cls(attributes, value_of(attributes, "rel").lower().split(), value_of(attributes, "href"), in_head)


def value_of(attributes: Mapping[str, str | None], name: str) -> str:
    value = (attributes.get(name) or "").strip()
    return value.replace(MARK, "") if MARK in value else value


def canonicals_in(links: list[Link]) -> Iterator[Canonical]:
    return (
        Canonical(link.href, link.in_head)
        for link in links
        if "canonical" in link.rels and link.href and not _is_qualified(link.attributes)
    )


def _qualified_canonicals(links: list[Link]) -> Iterator[str]:
    return (
        link.href
        for link in links
        if link.in_head and "canonical" in link.rels and link.href and _is_qualified(link.attributes)
    )


def _is_qualified(attributes: Attributes) -> bool:
    """About another version of the page, or so search engines take it."""
    return any(name in attributes for name in ("hreflang", "lang", "media", "type"))


def alternates_in(links: list[Link]) -> Iterator[Alternate]:
    for link in links:
        if link.in_head and link.href and "alternate" in link.rels:
            hreflang = value_of(link.attributes, "hreflang")
            if hreflang:
                yield Alternate(hreflang, link.href)


def robots_in(metas: list[Attributes]) -> Iterator[BotDirectives]:
    for meta in metas:
        bot = value_of(meta, "name").lower() if "name" in meta else ""
        if bot and _BOT.fullmatch(bot):
            words = meta_directives(meta.get("content") or "")
            if words:
                yield BotDirectives(bot, words)
        elif "http-equiv" in meta and value_of(meta, "http-equiv").lower() == "x-robots-tag":
            yield BotDirectives(EVERYONE, meta_directives(meta.get("content") or ""))


def refreshes_in(metas: list[Attributes]) -> Iterator[Refresh]:
    for meta in metas:
        if "http-equiv" in meta and value_of(meta, "http-equiv").lower() == "refresh":
            found = refresh_of(meta.get("content") or "")
            if found is not None:
                yield found


def refresh_of(content: str) -> Refresh | None:
    """`5; url=/b` of a meta element or a header; None where it only reloads the page."""
    match = _REFRESH.fullmatch(content[:4096])
    return Refresh(int(match[1] or 0), match[3].strip()) if match and match[3].strip() else None


def _meta_dates(metas: list[Attributes]) -> Iterator[PageDate]:
    for meta in metas:
        name = (value_of(meta, "property") if "property" in meta else "") or value_of(meta, "name")
        origin = _PROPERTIES.get(name.lower())
        if origin is None and "itemprop" in meta:
            origin = _ITEMPROPS.get(value_of(meta, "itemprop"))
        content = value_of(meta, "content") if origin is not None else ""
        if origin is not None and content:
            yield PageDate(origin, content)


def _marked_dates(found: Elements) -> Iterator[PageDate]:
    """<time> and itemprop; of several unmarked times none is the page's own, as in a list of articles.

    A <time> outside the main element, or in a site footer, may say when the site was generated.
    """
    unmarked: list[str] = []
    frames, mains = ids_of(found.frames), ids_of(found.mains)
    for node in found.dated:
        attributes = node.attributes
        itemprop = _ITEMPROPS.get(value_of(attributes, "itemprop"))
        if node.tag == "meta" or (node.tag != "time" and itemprop is None):
            continue
        raw = value_of(attributes, "datetime") or value_of(attributes, "content")
        if not raw:
            continue
        if itemprop:
            yield PageDate(itemprop, raw)
        elif is_inside(node, frames) or (mains and not is_inside(node, mains)):
            continue
        elif _UPDATED.search(value_of(attributes, "class")):
            yield PageDate(DateOrigin.TIME_UPDATED, raw)
        else:
            unmarked.append(raw)
    if len(set(unmarked)) == 1:
        yield PageDate(DateOrigin.TIME, unmarked[0])


def neighbors_in(links: list[Link]) -> Iterator[str]:
    return (link.href for link in links if link.href and not _NEIGHBOURS.isdisjoint(link.rels))


def links_in(anchors: list[Attributes]) -> Iterator[PageLink]:
    for attributes in anchors[:MAX_LINKS]:
        rel = value_of(attributes, "rel")
        yield PageLink(value_of(attributes, "href"), tuple(rel.lower().split()) if rel else ())


def leading_on(
    charset: str,
    metas: list[Attributes],
    linked: list[Link],
    base: Attributes | None,
    links: tuple[PageLink, ...],
    *,
    title: str | None,
    language: str | None,
    complete: bool = True,
) -> PageFacts:
    """All that a crawler needs."""
    return PageFacts(
        charset=charset,
        complete=complete,
        title=title,
        language=language,
        base_href=(value_of(base, "href") or None) if base is not None else None,
        canonicals=tuple(canonicals_in(linked)),
        robots=tuple(robots_in(metas)),
        alternates=tuple(alternates_in(linked)),
        refresh=next(refreshes_in(metas), None),
        links=links,
        neighbors=tuple(neighbors_in(linked)),
    )
