"""The text of JSON-LD scripts → the dates of the page and the videos on it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from urlset.model.media import Marked, Video
from urlset.model.page import DateOrigin, PageDate

_WRAPPING = re.compile(
    r"\A\s*(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[)|(?:-->|(?://\s*)?\]\]>)\s*\Z"
)
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


def parse_scripts(texts: list[str]) -> list[Any]:
    """The decoded values; a script that is not JSON gives nothing."""
    return [value for text in texts for value in _decoded(text)]


def _decoded(text: str) -> Iterator[Any]:
    bare = _WRAPPING.sub("", text).strip().rstrip(";")
    try:
        yield msgspec.json.decode(bare)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        try:
            yield json.loads(bare, strict=False)  # takes raw line breaks in strings, as search engines do
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
