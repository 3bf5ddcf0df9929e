"""The JSON-LD and microdata of a page → its dates, its videos, and the life of its product or event."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from urlset.model.lifetime import Lifetime
from urlset.model.media import Marked, Video
from urlset.model.page import DateOrigin, PageDate
from urlset.spec.page_facets import OF_OFFERS
from urlset.spec.page_kinds import GONE_FOR_GOOD, GONE_WORDS

_WRAPPING = re.compile(
    r"\A\s*(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[)|(?:-->|(?://\s*)?\]\]>)\s*\Z"
)
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_DEPTH = 8
_MANY_NODES = 5000
# Members of a graph that have dates of their own which are not the page's.
_OTHER_THINGS = frozenset(
    {
        *("comment", "review", "userreview", "criticreview", "person", "organization", "imageobject", "videoobject"),
        *("offer", "aggregateoffer", "event", "breadcrumblist", "website", "answer", "question", "audioobject"),
    }
)
ON_THE_WAY = ("@graph", "mainEntity", "mainEntityOfPage")
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
    bare = _WRAPPING.sub("", text).strip().rstrip(";")
    try:
        yield msgspec.json.decode(bare)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        try:
            # takes raw line breaks in strings, as search engines do, and half surrogate pairs, which no file can hold
            yield json.loads(_HALF_PAIR.sub("\ufffd", json.dumps(json.loads(bare, strict=False), ensure_ascii=False)))
        except (ValueError, RecursionError):
            return


def dates_of(values: list[Any]) -> Iterator[PageDate]:
    """Dates of the nodes that describe the page: top level, @graph, main entity; never of deeper ones."""
    for node in nodes_of(values, ON_THE_WAY):
        if types_of(node) & _OTHER_THINGS:
            continue
        for field, origin in (
            ("dateModified", DateOrigin.JSON_LD_MODIFIED),
            ("datePublished", DateOrigin.JSON_LD_PUBLISHED),
        ):
            value = text_in(node.get(field))
            if value:
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
        if isinstance(value, list) and depth < _DEPTH:
            waiting += [(each, depth + 1) for each in reversed(value[:_MANY_NODES])]
        elif isinstance(value, dict):
            yield value
            if depth < _DEPTH:
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
    structured: list[Any], elements: Iterable[Mapping[str, str | None]], title: str | None, heading: str | None
) -> Lifetime | None:
    """`elements` are the meta and link elements, for microdata."""
    products: list[dict[str, Any]] = []
    events: list[dict[str, Any]] = []
    is_article = False
    for node in nodes_of(structured, ON_THE_WAY) if structured else ():
        types = types_of(node)
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
    days = tuple(_days(events)) if not any(map(_is_open, events)) else ()
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


def _days(events: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for event in events[:_MOST_EVENTS]:
        yield text_in(event.get("startDate")) or "", text_in(event.get("endDate")) or ""


def _is_open(event: dict[str, Any]) -> bool:
    """Postponed, or held again and again."""
    status = (text_in(event.get("eventStatus")) or "").lower()
    return "eventSchedule" in event or "subEvent" in event or status.endswith(_NOT_SETTLED)


def _bare(value: str) -> str:
    return value.strip().rstrip("/").rpartition("/")[2].lower()
