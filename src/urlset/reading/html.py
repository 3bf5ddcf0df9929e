"""The bytes of an HTML page → what it says about itself. Never raises, whatever the bytes are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from urlset.model.media import Alternate
from urlset.model.page import (
    BotDirectives,
    Canonical,
    DateOrigin,
    PageDate,
    PageFacts,
    PageImage,
    PageLink,
    Refresh,
)
from urlset.reading.html_blocks import UNSEEN, text_blocks
from urlset.reading.html_bounds import affordable
from urlset.reading.html_charset import to_utf8
from urlset.reading.html_json_ld import dates_of, parse_scripts, videos_of
from urlset.reading.robots_directives import EVERYONE, meta_directives

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_IMAGES = 1000
MAX_LINKS = 50_000

# A bot's name in <meta name=…>; `googlebot-news` and `otherbot` count, `viewport` and `og:title` do not.
_BOT = re.compile(r"robots|[a-z0-9_-]*bot(?:-[a-z]+)?|yandex|baiduspider|slurp|teoma|bingpreview")
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
_SRCSET = re.compile(r"\s*,*\s*(\S*[^\s,])(?:\s+([^,(]*(?:\([^)]*\)[^,]*)?))?(?:,|$)")
_TRUST = {origin: rank for rank, origin in enumerate(DateOrigin)}


def read_page(data: bytes, *, declared: str | None = None, images: bool = False, videos: bool = False) -> PageFacts:
    """`declared` is the charset or Content-Type the page came with; images and videos are read when asked for."""
    from selectolax.lexbor import LexborHTMLParser

    working, charset = to_utf8(data, declared)
    length = affordable(working)
    try:
        page = LexborHTMLParser(working[:length])
    except Exception:  # noqa: BLE001 - the library promises no type for what it cannot parse
        return PageFacts(charset=charset, complete=False)
    return _facts(page, charset, complete=length == len(working), images=images, videos=videos)


def _facts(page: LexborHTMLParser, charset: str, *, complete: bool, images: bool, videos: bool) -> PageFacts:
    root, head, body = page.root, page.head, page.body
    if root is None:
        return PageFacts(charset=charset, complete=complete)
    structured = parse_scripts([script.text() for script in page.css("script") if _is_json_ld(script)])
    seen_images = tuple(_images(page)) if images else ()
    root.strip_tags(list(UNSEEN), recursive=True)
    in_head = {node.mem_id for node in head.css("link")} if head is not None else set()
    metas = [meta.attributes for meta in page.css("meta")]
    links = [(node.attributes, node.mem_id in in_head) for node in page.css("link[rel][href]")]
    dates = [*dates_of(structured), *_meta_dates(metas), *_marked_dates(page)]
    base = page.css_first("base[href]")
    title = head.css_first("title") if head is not None else None
    return PageFacts(
        charset=charset,
        complete=complete,
        title=(" ".join(title.text().split()) or None) if title is not None else None,
        language=_value(root.attributes, "lang") or None,
        base_href=(_value(base.attributes, "href") or None) if base is not None else None,
        canonicals=tuple(_canonicals(links)),
        robots=tuple(_robots(metas)),
        alternates=tuple(_alternates(links)),
        refresh=next(_refreshes(metas), None),
        dates=tuple(sorted(dates, key=lambda date: _TRUST[date.origin])),
        images=seen_images,
        videos=tuple(videos_of(structured)) if videos else (),
        blocks=text_blocks(body) if body is not None else (),
        links=tuple(_links(page)),
    )


_Attributes = dict[str, str | None]


def _value(attributes: _Attributes, name: str) -> str:
    return (attributes.get(name) or "").strip()


def _is_json_ld(script: LexborNode) -> bool:
    return _value(script.attributes, "type").lower().partition(";")[0].strip() == "application/ld+json"


def _canonicals(links: list[tuple[_Attributes, bool]]) -> Iterator[Canonical]:
    for attributes, in_head in links:
        href = _value(attributes, "href")
        # with hreflang, media or type it is about another version of the page
        if href and "canonical" in _value(attributes, "rel").lower().split():
            yield Canonical(href, in_head)


def _alternates(links: list[tuple[_Attributes, bool]]) -> Iterator[Alternate]:
    for attributes, in_head in links:
        hreflang, href = _value(attributes, "hreflang"), _value(attributes, "href")
        if in_head and hreflang and href and "alternate" in _value(attributes, "rel").lower().split():
            yield Alternate(hreflang, href)


def _robots(metas: list[_Attributes]) -> Iterator[BotDirectives]:
    for meta in metas:
        bot = _value(meta, "name").lower()
        if bot and _BOT.fullmatch(bot):
            words = meta_directives(meta.get("content") or "")
            if words:
                yield BotDirectives(bot, words)
        elif _value(meta, "http-equiv").lower() == "x-robots-tag":
            yield BotDirectives(EVERYONE, meta_directives(meta.get("content") or ""))


def _refreshes(metas: list[_Attributes]) -> Iterator[Refresh]:
    for meta in metas:
        if _value(meta, "http-equiv").lower() != "refresh":
            continue
        match = _REFRESH.fullmatch((meta.get("content") or "")[:4096])
        if match and match[3].strip():
            yield Refresh(int(match[1] or 0), match[3].strip())


def _meta_dates(metas: list[_Attributes]) -> Iterator[PageDate]:
    for meta in metas:
        content = _value(meta, "content")
        name = _value(meta, "property") or _value(meta, "name")
        origin = _PROPERTIES.get(name.lower()) or _ITEMPROPS.get(_value(meta, "itemprop"))
        if content and origin:
            yield PageDate(origin, content)


def _marked_dates(page: LexborHTMLParser) -> Iterator[PageDate]:
    """<time> and itemprop; of several unmarked times none is the page's own, as in a list of articles."""
    unmarked: list[str] = []
    for node in {node.mem_id: node for node in page.css("time, [itemprop]")}.values():  # it finds some twice
        attributes = node.attributes
        itemprop = _ITEMPROPS.get(_value(attributes, "itemprop"))
        if node.tag == "meta" or (node.tag != "time" and itemprop is None):
            continue
        raw = _value(attributes, "datetime") or _value(attributes, "content")
        if not raw:
            continue
        if itemprop:
            yield PageDate(itemprop, raw)
        elif _UPDATED.search(_value(attributes, "class")):
            yield PageDate(DateOrigin.TIME_UPDATED, raw)
        else:
            unmarked.append(raw)
    if len(set(unmarked)) == 1:
        yield PageDate(DateOrigin.TIME, unmarked[0])


def _links(page: LexborHTMLParser) -> Iterator[PageLink]:
    for count, node in enumerate(page.css("a[href], area[href]")):
        if count >= MAX_LINKS:
            return
        attributes = node.attributes
        yield PageLink(_value(attributes, "href"), tuple(_value(attributes, "rel").lower().split()))


def _images(page: LexborHTMLParser) -> Iterator[PageImage]:
    seen: set[str] = set()
    for node in page.css("img"):
        attributes = node.attributes
        if {_value(attributes, "width"), _value(attributes, "height")} & {"0", "1"}:
            continue  # a counting pixel
        src = _value(attributes, "src")
        if not src or src.lower().startswith("data:"):
            src = _value(attributes, "data-src") or largest(attributes.get("srcset") or "")
        if src and not src.lower().startswith("data:") and src not in seen:
            seen.add(src)
            yield PageImage(src, _value(attributes, "alt"))
            if len(seen) >= MAX_IMAGES:
                return


def largest(srcset: str) -> str:
    """The address with the highest width or density of a `srcset`; the first of equals, empty when there is none."""
    best, best_size = "", -1.0
    at = 0
    srcset = srcset[:65536].strip()
    while at < len(srcset) and (match := _SRCSET.match(srcset, at)):
        at = match.end()
        size = re.match(r"\s*([\d.]{1,9})[wx]", match[2] or "1x")
        try:
            value = float(size[1]) if size else 0.0
        except ValueError:
            value = 0.0
        if value > best_size:
            best, best_size = match[1], value
        if match.end() == match.start():
            break
    return best
