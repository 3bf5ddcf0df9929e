"""The elements and JSON-LD of a page → its images, and its key images and stated facts in one spelling each.

The order of keys, whitespace, and the parts of an image URL that only change its version or size do not count, nor does
the host it is served from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import msgspec

from urlset.model.entry import Marked, Video
from urlset.model.page import DateOrigin, Lifetime, PageDate, PageImage
from urlset.reading.fingerprint import plain_number
from urlset.reading.html_text import MARK, collapsed
from urlset.spec.page_facets import NOT_THE_PAGE, OF_OFFERS, OF_RATINGS, PROPERTIES, Facet
from urlset.spec.page_kinds import GONE_FOR_GOOD, GONE_WORDS

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


Described = list[tuple[dict[str, Any], set[str]]]
"""nodes of JSON-LD, and the types of each in lowercase"""

# The JSON-LD and microdata of a page → its dates, its videos, and the life of its product or event.

_WRAPPING = re.compile(
    r"\A\s*(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[)|(?:-->|(?://\s*)?\]\]>)\s*\Z"
)
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_STRUCTURE_DEPTH = 8
_MANY_NODES = 5000
# Members of a graph that have dates of their own which are not the page's.
_OTHER_THINGS = frozenset(
    {
        *("comment", "review", "userreview", "criticreview", "person", "organization", "imageobject", "videoobject"),
        *("offer", "aggregateoffer", "event", "breadcrumblist", "website", "answer", "question", "audioobject"),
    }
)
_ON_THE_WAY = ("@graph", "mainEntity", "mainEntityOfPage")
_DATES = {"dateModified": DateOrigin.JSON_LD_MODIFIED, "datePublished": DateOrigin.JSON_LD_PUBLISHED}
_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)?", re.IGNORECASE)
_PRODUCTS = frozenset({"product", "productgroup", "individualproduct", "productmodel", "vehicle", "car", "book"})
_OTHER_EVENTS = frozenset({"festival", "hackathon"})
_NOT_SETTLED = ("postponed", "rescheduled")
_MOST_OFFERS = 200
_MOST_EVENTS = 50
_LONGEST_NOTICE = 120


def parse_scripts(texts: list[str]) -> list[Any]:
    """The decoded values; a script that is not JSON gives nothing."""
    return [value for text in texts for value in _decoded(text)]


def _decoded(text: str) -> Iterator[Any]:
    bare = text.strip()
    if bare.startswith(("<", "/")) or bare.endswith(">"):
        bare = _WRAPPING.sub("", bare).strip()
    bare = bare.rstrip(";")
    try:
        yield msgspec.json.decode(bare)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        try:
            # takes raw line breaks in strings, as search engines do, and half surrogate pairs, which no file can hold
            yield json.loads(_HALF_PAIR.sub("\ufffd", json.dumps(json.loads(bare, strict=False), ensure_ascii=False)))
        except (ValueError, RecursionError):
            return


def described(values: list[Any]) -> Described:
    """The nodes that describe the page: top level, @graph, main entity; never deeper ones."""
    return [(node, types_of(node)) for node in nodes_of(values, _ON_THE_WAY)]


def dates_of(nodes: Described) -> Iterator[PageDate]:
    for node, types in nodes:
        if types & _OTHER_THINGS:
            continue
        for field, origin in _DATES.items():
            if value := text_in(node.get(field)):
                yield PageDate(origin, value)


def videos_of(values: list[Any]) -> Iterator[Video]:
    """Every VideoObject that has what a video sitemap asks for; addresses as written."""
    for node in nodes_of(values, None):
        if "videoobject" not in types_of(node):
            continue
        thumbnail, title, description = (text_in(node.get(name)) for name in ("thumbnailUrl", "name", "description"))
        content, player = text_in(node.get("contentUrl")), text_in(node.get("embedUrl"))
        if thumbnail and title and description and (content or player):
            yield Video(
                thumbnail_loc=thumbnail,
                title=title,
                description=description,
                content_loc=content,
                player_loc=Marked(player) if player else None,
                duration=_seconds(text_in(node.get("duration"))),
                publication_date=text_in(node.get("uploadDate")),
            )


def nodes_of(values: list[Any], fields: tuple[str, ...] | None) -> Iterator[dict[str, Any]]:
    """Objects in the order of the text, through the named fields or, with None, through all of them."""
    waiting: list[tuple[Any, int]] = [(value, 0) for value in reversed(values)]
    seen = 0
    while waiting and seen < _MANY_NODES:
        value, depth = waiting.pop()
        seen += 1
        if isinstance(value, list) and depth < _STRUCTURE_DEPTH:
            waiting += [(each, depth + 1) for each in reversed(value[:_MANY_NODES])]
        elif isinstance(value, dict):
            yield value
            if depth < _STRUCTURE_DEPTH:
                below = value.values() if fields is None else [value[name] for name in fields if name in value]
                waiting += [(each, depth + 1) for each in reversed(list(below)) if isinstance(each, (dict, list))]


def types_of(node: dict[str, Any]) -> set[str]:
    named = node.get("@type")
    given = named if isinstance(named, list) else [named]
    return {each.rpartition("/")[2].lower() for each in given if isinstance(each, str)}


def text_in(value: Any) -> str | None:
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = value.get("@value") or value.get("url")
    return value.strip() or None if isinstance(value, str) else None


def _seconds(duration: str | None) -> str | None:
    match = _DURATION.fullmatch(duration or "")
    if match is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return str(total) if total else None


def lifetime_of(
    nodes: Described, elements: Iterable[Mapping[str, str | None]], title: str | None, heading: str | None
) -> Lifetime | None:
    """`elements` are the meta and link elements, for microdata."""
    products: list[dict[str, Any]] = []
    events: list[dict[str, Any]] = []
    is_article = False
    for node, types in nodes:
        if types & _PRODUCTS:
            products.append(node)
        elif types & _OTHER_EVENTS or any(each.endswith("event") for each in types):
            events.append(node)
        is_article = is_article or any(each.endswith(("article", "posting")) for each in types)
    said = [
        _bare(each.get("content") or each.get("href") or "")
        for each in elements
        if each.get("itemprop") == "availability"
    ]
    if len(products) == 1:
        said += _availability(products[0])
    notice = next((found for each in (heading, title) if each and (found := _notice(each))), "")
    dated = () if any(map(_is_open, events)) else events[:_MOST_EVENTS]
    days = tuple((text_in(each.get("startDate")) or "", text_in(each.get("endDate")) or "") for each in dated)
    if not (said or notice or days or len(products) == 1):
        return None
    return Lifetime(tuple(dict.fromkeys(filter(None, said))), notice, bool(notice), days, is_article)


def with_notice(lifetime: Lifetime | None, texts: Iterable[str]) -> Lifetime | None:
    """The same, with what a short text of the page says; only on the page of a product."""
    if lifetime is None or lifetime.notice or lifetime.event_days:
        return lifetime
    short = [each for each in texts if len(each) <= _LONGEST_NOTICE]
    whole, found = "\n".join(short).lower(), ""
    if _may_be_gone(whole):
        found = next((said for each in short if (said := _notice(each))), "")
    if found:
        return msgspec.structs.replace(lifetime, notice=found)
    return lifetime if lifetime.availability else None


def _notice(text: str) -> str:
    said = text[:_LONGEST_NOTICE]
    found = GONE_FOR_GOOD.search(said) if _may_be_gone(said.lower()) else None
    return found[0].strip() if found else ""


def _may_be_gone(text: str) -> bool:
    return any(map(text.__contains__, GONE_WORDS))  # hardly any page


def _availability(product: dict[str, Any]) -> Iterator[str]:
    offers = [product[name] for name in OF_OFFERS if name in product]
    for count, node in enumerate(nodes_of(offers, OF_OFFERS)):
        if count >= _MOST_OFFERS:
            return
        value = text_in(node.get("availability"))
        if value:
            yield _bare(value)


def _is_open(event: dict[str, Any]) -> bool:
    """Postponed, or held again and again."""
    status = (text_in(event.get("eventStatus")) or "").lower()
    return "eventSchedule" in event or "subEvent" in event or status.endswith(_NOT_SETTLED)


def _bare(value: str) -> str:
    return value.strip().rstrip("/").rpartition("/")[2].lower()


MAX_IMAGES = 1000
_PIXEL = ("0", "1")
_SRCSET = re.compile(r"\s*,*\s*(\S*[^\s,])(?:\s+([^,(]*(?:\([^)]*\)[^,]*)?))?(?:,|$)")

Stated = tuple[Facet, str]
_MOST_FACTS = 500
_MOST_IMAGES = 10
_LARGE = 200
"""pixels of width from which an image after the first is a key image"""
_SMALL = 64
_DEPTH = 5
_LONGEST = 20_000
_PREVIEW = ("og:image", "og:image:url", "og:image:secure_url", "twitter:image")
_SITE = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//[^/]*|(?:\.{1,2}/)+", re.IGNORECASE)
_SIZE_IN_NAME = re.compile(r"[-_@]\d+x(?:\d+)?(?=\.[a-z0-9]+$|$)")
_FORMAT = re.compile(r"\.(?:jpe?g|png|webp|avif|gif|jxl)$")
_FETCHED_ANEW = re.compile(
    r"(?:v|ver|version|t|ts|time|timestamp|cb|cache|cachebuster|bust|rev|hash|_|mtime|updated|itok|sig|signature|s"
    r"|expires|token|w|h|width|height|q|quality|dpr|fit|crop|auto|fm|format|resize|ssl|strip|size|sz|x-amz-[a-z-]+)"
)


def images_of(elements: Iterable[dict[str, str | None]]) -> Iterator[PageImage]:
    """By the attributes of each."""
    seen: set[str] = set()
    for attributes in elements:
        if _stripped(attributes, "width") in _PIXEL or _stripped(attributes, "height") in _PIXEL:
            continue  # that counts visitors
        src = source_of(attributes)
        if src and src not in seen:
            seen.add(src)
            yield PageImage(src, _stripped(attributes, "alt"))
            if len(seen) >= MAX_IMAGES:
                return


def source_of(attributes: dict[str, str | None]) -> str:
    """The address of an image that may be loaded late; empty when it has none or is inside the page."""
    src = _stripped(attributes, "src")
    if not src or src.lower().startswith("data:"):
        src = _stripped(attributes, "data-src") or largest(attributes.get("srcset") or "")
    return "" if src.lower().startswith("data:") else src


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


def _stripped(attributes: dict[str, str | None], name: str) -> str:
    value = attributes.get(name)
    return value.strip().replace(MARK, "") if value else ""


def stated_facts(
    nodes: Described,
    metas: Sequence[Mapping[str, str | None]],
    marked: Sequence[LexborNode],
    images: Iterable[tuple[LexborNode, dict[str, str | None]]],
    is_outside: Callable[[LexborNode], bool],
) -> tuple[Stated, ...]:
    """`metas` are meta and link elements, `marked` others with itemprop; of images those of the main content count."""
    found: dict[Stated, None] = {}
    shown = _shown(images, is_outside)
    for each in (*_of_json_ld(nodes), *_of_microdata(metas, marked), *_previews(metas), *shown):
        found[each] = None
        if len(found) >= _MOST_FACTS:
            break
    return tuple(found)


def image_key(address: str) -> str | None:
    """What tells one image from another, however it is fetched; None for one inside the page."""
    address = address.strip().replace(MARK, "")
    if not address or address[:5].lower() == "data:":
        return None
    address, _, query = address.partition("#")[0].partition("?")
    path = (address[site.end() :] if (site := _SITE.match(address)) else address).lstrip("/")
    name = _FORMAT.sub("", _SIZE_IN_NAME.sub("", (unquote(path).lstrip("/") if "%" in path else path).casefold()))
    if not query:
        return name or None
    parts = (part for part in query.replace("&amp;", "&").split("&") if "=" in part)
    telling = sorted(part for part in parts if not _FETCHED_ANEW.fullmatch(part.partition("=")[0].lower()))
    return "&".join((name, *telling)) if name or telling else None


def _image(address: Any) -> Iterator[Stated]:
    key = image_key(address) if isinstance(address, str) else None
    if key:
        yield Facet.IMAGES, key


def _previews(metas: Sequence[Mapping[str, str | None]]) -> Iterator[Stated]:
    for meta in metas:
        if (meta.get("property") or meta.get("name") or "").strip().lower() in _PREVIEW:
            yield from _image(meta.get("content") or "")


def _shown(
    images: Iterable[tuple[LexborNode, dict[str, str | None]]], is_outside: Callable[[LexborNode], bool]
) -> Iterator[Stated]:
    """The first image of the main content, and the others that are said to be large."""
    count = 0
    for node, attributes in images:
        sizes = [int(size) for name in ("width", "height") if (size := (attributes.get(name) or "")).isdecimal()]
        is_large = bool(sizes) and sizes[0] >= _LARGE
        if (sizes and min(sizes) < _SMALL) or not (is_large or count == 0) or is_outside(node):
            continue
        for each in _image(source_of(attributes)):
            count += 1
            yield each
        if count >= _MOST_IMAGES:
            return


def _of_json_ld(nodes: Described) -> Iterator[Stated]:
    for node, types in nodes:
        if types & NOT_THE_PAGE or any(each.endswith("page") for each in types):
            continue
        kind = min(types, default="")
        for name, value in node.items():
            facet = PROPERTIES.get(name)
            if facet is Facet.IMAGES:
                for each in (value if isinstance(value, list) else [value])[:_MOST_IMAGES]:
                    yield from _image((each.get("url") or each.get("contentUrl")) if isinstance(each, dict) else each)
            elif facet is not None:
                yield from _fact(facet, f"{kind}.{name}" if facet is Facet.DATA else name, value)
        below = [node[name] for name in (*OF_OFFERS, *OF_RATINGS) if name in node]
        for inner in nodes_of(below, (*OF_OFFERS, *OF_RATINGS)):
            for name, value in inner.items():
                facet = PROPERTIES.get(name)
                if facet is not None and facet not in (Facet.DATA, Facet.IMAGES):
                    yield from _fact(facet, name, value)


def _of_microdata(metas: Sequence[Mapping[str, str | None]], marked: Sequence[LexborNode]) -> Iterator[Stated]:
    """Prices, stock, ratings and images; of the rest what readers do not see, as the text has what they do."""
    for attributes in metas:
        if "itemprop" in attributes:
            yield from _property(attributes, None)
    for node in marked:
        yield from _property(node.attributes, node)


def _property(attributes: Mapping[str, str | None], node: LexborNode | None) -> Iterator[Stated]:
    name = (attributes.get("itemprop") or "").strip()
    facet = PROPERTIES.get(name)
    if facet is None:
        return
    value = next((given for key in ("content", "href", "src") if (given := attributes.get(key))), None)
    if facet is Facet.IMAGES:
        yield from _image(value or "")
    elif facet is Facet.DATA:
        yield from _fact(facet, name, attributes.get("content"))
    elif value is not None or node is not None:
        yield from _fact(facet, name, value if value is not None or node is None else node.text())


def _fact(facet: Facet, name: str, value: Any) -> Iterator[Stated]:
    said = _spelled(value)
    if not said:
        return
    if facet is Facet.AVAILABILITY:
        said = said.rpartition("/")[2]
    elif facet is not Facet.DATA:
        said = plain_number(said)
    yield facet, f"{name}={said}"


def _spelled(value: Any, depth: int = 0) -> str:
    """One text for a value of any shape; nodes by what they say, not by their identifiers and addresses."""
    if isinstance(value, bool) or value is None or depth > _DEPTH:
        return ""
    if isinstance(value, (int, float)):
        return plain_number(f"{value:.6f}".rstrip("0").rstrip("."))
    if isinstance(value, str):
        return collapsed(unescape(value[:_LONGEST]).replace(MARK, "")).casefold()
    if isinstance(value, list):
        return "; ".join(filter(None, (_spelled(each, depth + 1) for each in value[:_MOST_FACTS])))
    if isinstance(value, dict):
        inner = ((name, _spelled(each, depth + 1)) for name, each in value.items() if _is_told(name, each))
        return ", ".join(f"{name}: {said}" for name, said in sorted(inner) if said)
    return ""


def _is_told(name: Any, value: Any) -> bool:
    """Not `@id`, `sameAs`, the address and picture of an author, or a date."""
    if not isinstance(name, str) or (name.startswith("@") and name != "@value") or name.startswith("date"):
        return False
    is_address = isinstance(value, str) and "://" in value[:12]
    return name not in ("image", "logo", "url", "sameAs", "interactionStatistic") and not is_address
