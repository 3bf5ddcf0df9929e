"""The structured data and text of a page → what it says about the life of its product or event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from urlset.model.lifetime import Lifetime
from urlset.reading.html_json_ld import ON_THE_WAY, nodes_of, text_in, types_of
from urlset.spec.page_facets import OF_OFFERS
from urlset.spec.page_kinds import GONE_FOR_GOOD, GONE_WORDS

_PRODUCTS = frozenset({"product", "productgroup", "individualproduct", "productmodel", "vehicle", "car", "book"})
_OTHER_EVENTS = frozenset({"festival", "hackathon"})
_NOT_SETTLED = ("postponed", "rescheduled")
_MOST_OFFERS = 200
_MOST_EVENTS = 50
_LONGEST_NOTICE = 120


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
