"""The head of a page's source, YAML, TOML or JSON → its fields, and the dates among them.

Of YAML and TOML only what generators agree on: one field a line at the outer level. A value that needs more to be read
says nothing about dates.
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
_JSON = b"{"
_OPENING = lazy_pattern(rb"(?:\xef\xbb\xbf)?\s*+(---|\+\+\+|\{)[ \t]*+\r?\n")
_CLOSING = {
    b"---": lazy_pattern(rb"^(?:---|\.\.\.)[ \t]*+\r?(?:\n|\Z)", re.MULTILINE),
    b"+++": lazy_pattern(rb"^\+\+\+[ \t]*+\r?(?:\n|\Z)", re.MULTILINE),
    _JSON: lazy_pattern(rb"^\}[ \t]*+\r?(?:\n|\Z)", re.MULTILINE),
}
_TABLE = lazy_pattern(r"[ \t]*\[{1,2}[ \t]*([\w.-]+)[ \t]*\]{1,2}[ \t]*(?:#.*)?")
_FIELD = lazy_pattern(r"([ \t]*)([\"']?)([A-Za-z][\w.-]*)\2[ \t]*([:=])[ \t]*(.*)")
_MODIFIED = frozenset(
    {
        *("lastmod", "last_modified_at", "last_modified", "lastmodified", "lastupdated", "last_updated", "updated"),
        *("updated_at", "updatedat", "updateddate", "updated_date", "modified", "modified_at", "modifieddate"),
        *("modifiedat", "moddate", "lastmodifiedat", "last_mod", "lastmodifieddate", "updatedon", "updated_on"),
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
    if opening[1] == _JSON:
        fields = _json_fields(data[opening.start(1) : closing.end()])
        return None if fields is None else FrontMatter(fields, closing.end())
    text = data[opening.end() : closing.start()].decode("utf-8", "replace")
    return FrontMatter(dict(_fields(text, _SIGNS[opening[1]])), closing.end())


def front_matter_end(data: bytes) -> int:
    """The offset of the first byte after the block; 0 where there is none."""
    found = front_matter(data)
    return 0 if found is None else found.end


def _fields(text: str, sign: str) -> Iterator[tuple[str, str]]:
    outer = ""
    has_tables = sign == "="
    for line in text.splitlines():
        if has_tables and (table := _TABLE.fullmatch(line)):
            outer = _name(table[1])
            continue
        found = _FIELD.fullmatch(line)
        if found is None or found[4] != sign:
            continue
        name = _name(found[3])
        is_inner = bool(outer if has_tables else found[1])
        if not is_inner:
            outer = "" if has_tables else name
        yield (f"{outer}.{name}" if is_inner else name), _value(found[5])


def _json_fields(data: bytes) -> dict[str, str] | None:
    try:
        given = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    inner = {
        f"{_name(outer)}.{_name(name)}": value
        for outer, values in given.items()
        if isinstance(values, dict)
        for name, value in values.items()
    }
    fields = {_name(name): value for name, value in given.items()} | inner
    return {name: value.strip() for name, value in fields.items() if isinstance(value, str)}


def _name(written: str) -> str:
    return written.lower().replace("-", "_")


def _value(written: str) -> str:
    text = written.strip()
    if text[:1] in ("'", '"'):
        closing = text.find(text[0], 1)
        return text[1:closing].strip() if closing > 0 else ""
    return text.partition(" #")[0].strip()
