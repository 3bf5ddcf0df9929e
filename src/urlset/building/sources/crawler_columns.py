"""What the export of a crawler says about a page (status, indexability, type) → why it is not one to list."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from urlset.reading.robots_directives import meta_directives
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.status_phrases import status_text

COLUMNS: dict[str, tuple[str, ...]] = {
    "status": ("status_code", "http_status_code", "http_status", "response_code", "http_code"),
    "indexable": ("indexability", "indexable", "is_indexable_page", "is_indexable"),
    "indexability_status": ("indexability_status", "indexable_status"),
    "noindex": ("is_noindex", "noindex"),
    "x_robots_tag": ("x_robots_tag", "x_robots_tag_1"),
    "content_type": ("content_type", "content"),
}
"""what a column means, by the names it may have"""

TOOLS: tuple[tuple[str, frozenset[str]], ...] = (
    ("Screaming Frog", frozenset({"address", "indexability"})),
    ("Screaming Frog", frozenset({"address", "status_code"})),
    ("Ahrefs", frozenset({"url", "is_indexable_page"})),
    ("Sitebulb", frozenset({"url", "http_status_code", "indexable_status"})),
    ("Sitebulb", frozenset({"url", "http_status_code", "crawl_depth"})),
    ("Search Console", frozenset({"top_pages", "clicks"})),
    ("Search Console", frozenset({"url", "last_crawled"})),
)
"""tool → columns that its exports have; seen in public files, 2024 to 2026"""

ABSENT = "--"
"""Sitebulb's empty cell"""
_YES = frozenset({"indexable", "yes", "true", "1", "y"})
_NO = frozenset({"non-indexable", "not indexable", "no", "false", "0", "n"})
_UNKNOWN = frozenset({"", ABSENT, "n/a", "unknown", "not set"})
_ASSETS = ("image/", "font/", "audio/", "video/", "text/css", "text/javascript", "application/javascript",
           "application/x-javascript", "application/json", "application/ld+json", "application/x-font",
           "application/font", "application/xml", "text/xml", "application/manifest+json")  # fmt: skip


_INDEXABLE = lazy_pattern(r"index|indic|indiz|индекс|インデックス|索引|색인", re.IGNORECASE)
_REFUSAL = lazy_pattern(
    r"\s*(?:non|no|not|nicht|niet|não|nao|ne|nie|inte|ikke|ej|не)(?:[\s-]|(?=index|indic|indiz|индекс))"
    r"|.*(?:不可|不能|非|ない|無効|불가)",
    re.IGNORECASE,
)


class Exclusion(NamedTuple):
    """What keeps a page out; nothing where all is well or unknown."""

    error: str | None = None
    not_indexable: str | None = None
    directives: tuple[str, ...] = ()
    is_page: bool = True
    trouble: str | None = None
    """a value that was not understood"""


CLEAR = Exclusion()


def tool_of(columns: frozenset[str]) -> str | None:
    """The tool that wrote a table with these columns, names normalized."""
    return next((tool for tool, signs in TOOLS if signs <= columns), None)


def standing_of(values: Mapping[str, Any]) -> Exclusion:
    if not COLUMNS.keys() & values.keys():
        return CLEAR
    code, trouble = _status(values.get("status"))
    words = _text(values, "indexability_status")
    directives = meta_directives(_text(values, "x_robots_tag"))
    if _text(values, "noindex").lower() in _YES:
        directives = (*directives, "noindex")
    refused = _refused(_text(values, "indexable").lower(), words)
    error = None
    if code is not None and code >= 400:
        error = status_text(code)
    elif code == 0:
        refused = refused or "no response"
    elif code is not None and code not in (200, 304):
        refused = f"{status_text(code)}, {words}" if words else status_text(code)
    is_page = not _text(values, "content_type").lower().startswith(_ASSETS)
    return Exclusion(error, refused, directives, is_page, trouble)


def says_indexable(word: str) -> bool:
    """A word about indexing, in a language known here."""
    return _INDEXABLE.search(word) is not None


def is_refusal(word: str) -> bool:
    """Whether such a word says no: `Nicht indexierbar`, `Non-indexable`."""
    return _REFUSAL.match(word) is not None


def _refused(indexable: str, words: str) -> str | None:
    """Why the tool says it is not indexable; None where it says it is, or nothing."""
    if indexable in _NO:
        return words or "not indexable"
    if indexable in _YES or (indexable in _UNKNOWN and words.lower() in _YES | _UNKNOWN):
        return None
    if says_indexable(indexable) and not is_refusal(indexable):
        return None
    return words if indexable in _UNKNOWN else words or indexable


def _status(value: object) -> tuple[int | None, str | None]:
    text = "" if value is None else str(value).strip()
    if text.lower() in _UNKNOWN:
        return None, None
    whole = text.removesuffix(".0")  # pandas writes 404.0 in a column with gaps
    if whole.isascii() and whole.isdecimal() and len(whole) <= 3:
        return int(whole), None
    return None, f"status: {text[:40]!r} is not an HTTP status code; omitted"


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return "" if value is None or value == ABSENT else str(value).strip()
