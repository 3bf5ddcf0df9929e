"""The name of a column → what it means, and which columns of a table are not read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from urlset.building.sources import crawler_columns
from urlset.building.sources.options import SourceOptions
from urlset.model.few import few
from urlset.spec.lazy_pattern import lazy_pattern

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
    **crawler_columns.COLUMNS,
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
    tool = crawler_columns.tool_of(frozenset(map(_normalized, header)))
    if tool is not None:
        judged = [column for column in header if meaning_of(column) in crawler_columns.COLUMNS]
        used = f"; pages are chosen by {', '.join(judged)}" if judged else ""
        options.notify(f"{source}: {tool} export{used}")
    ignored = [column for column in header if column.strip() and meaning_of(column) is None]
    if ignored:
        named = few([column[:40] for column in ignored], _NAMED)
        options.notify(f"{source}: ignored column{'s' if len(ignored) > 1 else ''}: {named}")
