"""The head of a page's source between `---` or `+++` → its fields, and the dates among them.

Only what generators agree on: one field a line at the outer level. YAML and TOML know more; a value that needs more
to be read says nothing about dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from urlset.model.page import DateOrigin, PageDate
from urlset.spec.lazy_pattern import lazy_pattern

LONGEST = 1 << 16
"""bytes in which it must end"""
_SIGNS = {b"---": ":", b"+++": "="}
_OPENING = lazy_pattern(rb"(?:\xef\xbb\xbf)?\s*+(---|\+\+\+)[ \t]*+\r?\n")
_CLOSING = {
    b"---": lazy_pattern(rb"^(?:---|\.\.\.)[ \t]*+\r?(?:\n|\Z)", re.MULTILINE),
    b"+++": lazy_pattern(rb"^\+\+\+[ \t]*+\r?(?:\n|\Z)", re.MULTILINE),
}
_FIELD = lazy_pattern(r"([ \t]*)([\"']?)([A-Za-z][\w.-]*)\2[ \t]*([:=])[ \t]*(.*)")
_MODIFIED = frozenset(
    {
        *("lastmod", "last_modified_at", "last_modified", "lastmodified", "lastupdated", "last_updated", "updated"),
        *("updated_at", "updatedat", "updateddate", "updated_date", "modified", "modified_at", "modifieddate"),
        *("date_modified", "datemodified", "dateupdated", "date_updated", "last_update.date", "git_revision_date"),
    }
)
_PUBLISHED = frozenset(
    {
        *("date", "pubdate", "publishdate", "publish_date", "published", "published_at", "publishedat"),
        *("date_published", "datepublished", "publisheddate", "created", "created_at"),
    }
)


class FrontMatter(msgspec.Struct, frozen=True):
    fields: Mapping[str, str]
    """names in lowercase without hyphens, inner ones as `outer.inner`; values without quotes"""
    end: int
    """where the page itself begins"""

    def dates(self) -> Iterator[PageDate]:
        for names, origin in (
            (_MODIFIED, DateOrigin.FRONT_MATTER_MODIFIED),
            (_PUBLISHED, DateOrigin.FRONT_MATTER_PUBLISHED),
        ):
            yield from (PageDate(origin, value) for name, value in self.fields.items() if name in names and value)


def front_matter(data: bytes) -> FrontMatter | None:
    """None where the data does not begin with one, or does not close it."""
    opening = _OPENING.match(data)
    if opening is None:
        return None
    closing = _CLOSING[opening[1]].search(data, opening.end(), opening.end() + LONGEST)
    if closing is None:
        return None
    text = data[opening.end() : closing.start()].decode("utf-8", "replace")
    return FrontMatter(dict(_fields(text, _SIGNS[opening[1]])), closing.end())


def front_matter_end(data: bytes) -> int:
    """The offset of the first byte after the block; 0 where there is none."""
    found = front_matter(data)
    return 0 if found is None else found.end


def _fields(text: str, sign: str) -> Iterator[tuple[str, str]]:
    outer = ""
    for line in text.splitlines():
        found = _FIELD.fullmatch(line)
        if found is None or found[4] != sign:
            continue
        name = found[3].lower().replace("-", "_")
        value = _value(found[5])
        if not found[1]:
            outer = name
        yield (f"{outer}.{name}" if found[1] else name), value


def _value(written: str) -> str:
    text = written.strip()
    if text[:1] in ("'", '"'):
        closing = text.find(text[0], 1)
        return text[1:closing].strip() if closing > 0 else ""
    return text.partition(" #")[0].strip()
