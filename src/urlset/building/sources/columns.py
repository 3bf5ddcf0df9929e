"""The columns of a table → what each means: by its name, by what crawlers export, or by its values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from urlset.building.sources.source import SourceOptions
from urlset.model.shown import few
from urlset.reading.robots import meta_directives
from urlset.spec.error_phrases import STATUS_CODES, status_text
from urlset.spec.lazy_pattern import lazy_pattern

# What the export of a crawler says about a page (status, indexability, type) → why it is not one to list.

CRAWLER_COLUMNS: dict[str, tuple[str, ...]] = {
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
    if not CRAWLER_COLUMNS.keys() & values.keys():
        return CLEAR
    code, trouble = _status(values.get("status"))
    words = _said(values, "indexability_status")
    directives = meta_directives(_said(values, "x_robots_tag"))
    if _said(values, "noindex").lower() in _YES:
        directives = (*directives, "noindex")
    refused = _refused(_said(values, "indexable").lower(), words)
    error = None
    if code is not None and code >= 400:
        error = status_text(code)
    elif code == 0:
        refused = refused or "no response"
    elif code is not None and code not in (200, 304):
        refused = f"{status_text(code)}, {words}" if words else status_text(code)
    is_page = not _said(values, "content_type").lower().startswith(_ASSETS)
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


def _said(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return "" if value is None or value == ABSENT else str(value).strip()


COLUMNS: dict[str, tuple[str, ...]] = {
    "loc": ("loc", "url", "address", "link", "top_pages"),
    "lastmod": ("lastmod", "last_modified", "lastmodified", "modified", "modified_at", "updated", "updated_at"),
    "changefreq": ("changefreq",),
    "priority": ("priority",),
    "section": ("section",),
    "title": ("title", "title_1"),
    "language": ("language", "lang"),
    "canonical": ("canonical", "canonical_url", "canonical_link_element_1"),
    "robots": ("robots", "directives", "meta_robots", "meta_robots_1"),
    "redirects_to": ("redirects_to", "redirect", "redirect_url"),
    "inlinks": ("inlinks", "unique_inlinks"),
    "images": ("images", "image"),
    "videos": ("videos", "video"),
    "news": ("news",),
    "alternates": ("alternates", "hreflang"),
    **CRAWLER_COLUMNS,
}
"""what a column means, by the names it may have; `docs/sources.md` shows them"""

FLAT = {"news": "news", "video": "videos", "image": "images", "alternate": "alternates", "hreflang": "alternates"}
"""`news_title`, `video.duration`, `hreflang:de`: one field of one thing, by the word before the mark"""

MEANING = {name: meaning for meaning, names in COLUMNS.items() for name in names}
_MARKS = lazy_pattern(r"[\s.:-]+")
FLAT_COLUMN = lazy_pattern(rf"({'|'.join(FLAT)})_(.+)")
_HOLDS = {
    "loc": "URLs",
    "status_code": "status codes",
    "content_type": "media types",
    "indexability": "indexability",
    "redirect_url": "redirect targets",
    "canonical": "canonical URLs",
}
_NAMED = 10
"""ignored columns that are named"""


def _normalized(column: str) -> str:
    return _MARKS.sub("_", column.strip().lower())


def meaning_of(column: str) -> str | None:
    """`URL` → `loc`, `news.title` → `news_title`; None for a column that is not read."""
    if (known := MEANING.get(column)) is not None:
        return known
    name = _normalized(column)
    return MEANING.get(name) or (name if FLAT_COLUMN.fullmatch(name) else None)


@lru_cache(1024)
def flat_field(meaning: str) -> tuple[str, str] | None:
    """`video_title` → `videos` and `title`; None for any other column."""
    match = FLAT_COLUMN.fullmatch(meaning) if meaning not in MEANING else None
    if match is None:
        return None
    group = FLAT[match[1]]
    return group, match[2].replace("_", "-") if group == "alternates" else match[2]


def name_columns(
    header: Sequence[str], source: str, options: SourceOptions, recognized: Sequence[tuple[str, str]] = ()
) -> None:
    """Say whose export it is, and name the ignored columns: a misspelled one is easily overlooked.

    `recognized` are columns and what they hold, where values decided about that.
    """
    if options.notify is None:
        return
    if recognized:
        named = ", ".join(f"{_HOLDS[meaning]} in {column[:40]!r}" for column, meaning in recognized)
        options.notify(f"{source}: columns recognized by their values: {named}")
    tool = tool_of(frozenset(map(_normalized, header)))
    if tool is not None:
        judged = [column for column in header if meaning_of(column) in CRAWLER_COLUMNS]
        used = f"; pages are chosen by {', '.join(judged)}" if judged else ""
        options.notify(f"{source}: {tool} export{used}")
    ignored = [column for column in header if column.strip() and meaning_of(column) is None]
    if ignored:
        named = few([column[:40] for column in ignored], _NAMED)
        options.notify(f"{source}: ignored column{'s' if len(ignored) > 1 else ''}: {named}")


# The first lines of a text → whether it is a table, and what its columns hold, by their values.
#
# Exports are in the language of the account or program, so where no name says which column holds URLs, values decide
# about all columns that matter: URLs, status codes, media types, and whether a page is indexable.

SAMPLE = 100
"""rows that are looked at"""
WEB = lazy_pattern(r"\s*https?://", re.IGNORECASE)
_NO_PART_OF_URL = lazy_pattern(r"$|.*\s|https?://|\d{1,4}([-/.])\d\d?(?:\1\d{1,4})?(?:T\d.*)?$", re.IGNORECASE)
"""nothing, words, a URL, or a date"""
_MEDIA_TYPE = lazy_pattern(r"(?:text|application|image|font|audio|video)/[\w.+-]+(?:\s*;.*)?", re.IGNORECASE)
_NO_ANSWER = "0"


class Shape(NamedTuple):
    header: list[str]
    """with the names that urlset knows instead of those recognized by their values"""
    recognized: tuple[tuple[str, str], ...] = ()
    """column and what it holds"""


def is_table(lines: Sequence[str], delimiters: str, *, is_named_so: bool = False) -> bool:
    """By the header, or by the row after it: exports are in the language of the account.

    Without a header, by what follows the URL: a delimiter may be part of a URL, as in /list;page=2 or /article,123.
    `is_named_so`: the name of the file, or a tab, says that it is a table.
    """
    header, *row = (
        [cell.strip().strip('"') for cell in re.split(f"[{delimiters}]", line)] for line in lines[:2] or [""]
    )
    if any(meaning_of(cell) == "loc" for cell in header):
        return True
    if len(header) > 1 and WEB.match(header[0]):
        return is_named_so or any(_NO_PART_OF_URL.match(cell) for cells in (header, *row) for cell in cells[1:])
    is_header = len(header) > 1 and not header[0].startswith("#") and not any(map(WEB.match, header))
    return is_header and bool(row) and len(row[0]) >= len(header) and any(map(WEB.match, row[0]))


def by_shape(header: Sequence[str], rows: Sequence[Sequence[object]]) -> Shape:
    """The header as it is where it names the column of URLs."""
    if any(meaning_of(column) == "loc" for column in header):
        return Shape(list(header))
    columns = [[_cell_text(row[at]) if at < len(row) else "" for row in rows[:SAMPLE]] for at in range(len(header))]
    names = list(header)
    found = dict(_recognized(columns))
    for at, meaning in found.items():
        names[at] = meaning
    return Shape(names, tuple((header[at], meaning) for at, meaning in found.items()))


def _recognized(columns: Sequence[list[str]]) -> Iterator[tuple[int, str]]:
    """Place and meaning of columns; each meaning once."""
    urls = [at for at, cells in enumerate(columns) if _are_urls(cells)]
    if not urls:
        return
    locs = columns[urls[0]]
    yield urls[0], "loc"
    answers = [[cell for cell in cells if cell != _NO_ANSWER] for cells in columns]
    status = next((at for at, cells in enumerate(answers) if _all(cells, STATUS_CODES.__contains__)), None)
    if status is None:
        return  # without it, a word or a second URL may mean anything
    yield status, "status_code"
    types = next((at for at, cells in enumerate(columns) if _all(cells, _MEDIA_TYPE.fullmatch)), None)
    if types is not None:
        yield types, "content_type"
    for at, cells in enumerate(columns):
        if _all(cells, says_indexable) and _agrees(cells, columns[status]):
            yield at, "indexability"
            break
    codes = columns[status]
    for at in urls[1:]:
        named = [(cell, loc, code) for cell, loc, code in zip(columns[at], locs, codes, strict=True) if cell]
        if all(code.startswith("3") for _, _, code in named):
            yield at, "redirect_url"
            break
    for at in urls[1:]:
        named = [(cell, loc, code) for cell, loc, code in zip(columns[at], locs, codes, strict=True) if cell]
        if 2 * sum(cell == loc for cell, loc, _ in named) > len(named):
            yield at, "canonical"
            break


def _are_urls(cells: Sequence[str]) -> bool:
    """Most of them: one bad row must not cost the others."""
    filled = [cell for cell in cells if cell]
    return 2 * sum(WEB.match(cell) is not None for cell in filled) > len(filled)


def _agrees(cells: Sequence[str], codes: Sequence[str]) -> bool:
    """A page that is not there is never indexable: where a word says so, it was misunderstood."""
    return all(is_refusal(cell) for cell, code in zip(cells, codes, strict=True) if cell and code[:1] in ("4", "5"))


def _all(cells: Sequence[str], fits: Callable[[str], object]) -> bool:
    """Every cell that is not empty, and there is one."""
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(map(fits, filled))


def _cell_text(cell: object) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell).strip()
