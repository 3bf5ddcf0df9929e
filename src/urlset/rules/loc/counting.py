"""Entries whose problems are not shown → how many there are, and their fix, where the addresses tell at once.

In a file with a fault in every entry a thousand problems of a rule are described and all others are only counted.
A fix that changes characters of the URL needs no description either. Here are the `count` and the `briefs` of rules
on URLs. A column of URLs is judged by one pattern; None sends an entry to the rule itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from urlset.checking.declare import Brief, in_each
from urlset.checking.subjects import Sitemap
from urlset.findings.fix import Safety
from urlset.model.columns import Mark
from urlset.model.document import Kind
from urlset.model.private_path import private_part
from urlset.rules.loc.template_leftovers import leftovers
from urlset.spec.engines import Engine
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.signals import Signal

_SITEMAPS = (Kind.URLSET, Kind.SITEMAPINDEX)
INVISIBLE = lazy_pattern(r"[\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_HEAD = r"https?://[^/?#\s]++(?=[/?#])"
WEB_HEAD = lazy_pattern(_HEAD)
_ILLEGAL_RUN = lazy_pattern(r"[\"<>^`{|}\[\]\\]+")
_ILLEGAL = r'"<>\\^`{|}\[\]'
_CONTROL = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
_RESPELLED_ESCAPE = r"%(?:[a-f][0-9A-Fa-f]|[0-9A-F][a-f]|2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])"
ESCAPES = lazy_pattern(r"(?:%[0-9A-Fa-f]{2})+")
_RESIDUE = Signal.RESIDUE | Signal.ILLEGAL | Signal.ESCAPED_BRACKET | Signal.ESCAPE_BROKEN
"""the address may hold a placeholder, which is the business of another rule"""

ANOTHER_VALUE = lazy_pattern(
    r"\s(?:\d{4}-\d\d-\d\d\S*|[01]?\.\d+|always|hourly|daily|weekly|monthly|yearly|never)(?:\s|\Z)"
)
"""a date, priority or frequency behind the URL, as a table has it"""

# What a URL is like between authority and fragment.
_SPACED = lazy_pattern(
    _HEAD + rf"(?=[^# \t\r\n]*+[ \t\r\n])[^:#{_CONTROL}]*+(?::(?!//)[^:#{_CONTROL}]*+)*+(?:#(?!.*://)|\Z)", re.DOTALL
)
_LETTERED = lazy_pattern(_HEAD + r"(?=[\x00-\x22\x24-\x7f]*+[^\x00-\x7f])[^#\ufffd]*+(?:#|\Z)")
_RESPELLED = lazy_pattern(_HEAD + rf"(?:[^#%]|(?!{_RESPELLED_ESCAPE})%)*+{_RESPELLED_ESCAPE}")
_BROKEN = lazy_pattern(_HEAD + r"(?:[^#%]|%[0-9A-Fa-f]{2})*+%")
_DOTTED = lazy_pattern(_HEAD + r"[^?#]*?/\.\.?(?:[/?#]|\Z)")
_EMPTY_SEGMENT = lazy_pattern(_HEAD + r"[^?#]*?(?<!:)//")
_NO_PATH = lazy_pattern(r"https?://[^/?#\s@:\[\]\\]++(?:[?#]|\Z)")
_MARRED = lazy_pattern(_HEAD + rf"[^#{_ILLEGAL}]*+[{_ILLEGAL}]")
_BACKSLASHED = lazy_pattern(_HEAD + r"[^?#\\]*+\\")
_ONE_FRAGMENT = lazy_pattern(r"(?:[^#]*+(?<!&)#)++[^#]*+\Z")
_ONE_QUERY = lazy_pattern(r"[^?]*+\?[\x00-\x3e\x40-\x7f]*+\Z")
"""one question mark and nothing beyond ASCII behind it"""


def _counted(
    sitemap: Sitemap, rows: Sequence[int], pattern: re.Pattern[str], unless: int, *, as_written: bool = True
) -> list[int | None]:
    """One problem in each URL of that form; None for others, and with `as_written` for repaired entries."""
    signals, columns, fits = sitemap.signals, sitemap.columns, pattern.match
    found = [
        1 if not signals[row] & unless and fits((loc or "").strip()) else None
        for row, loc in zip(rows, columns.locs_of(rows), strict=True)
    ]
    if as_written and columns.edits:
        found = [None if row in columns.edits else number for row, number in zip(rows, found, strict=True)]
    return found


def spaces(sitemap: Sitemap, rows: Sequence[int]) -> Sequence[int | None]:
    if sitemap.kind is Kind.TEXT:
        return [None] * len(rows)  # a blank may separate the URL from another value
    return _counted(sitemap, rows, _SPACED, _RESIDUE)


def letters(sitemap: Sitemap, rows: Sequence[int]) -> Sequence[int | None]:
    return _counted(sitemap, rows, _LETTERED, _RESIDUE | Signal.CONTROL, as_written=False)


def illegal(sitemap: Sitemap, rows: Sequence[int]) -> Sequence[int | None]:
    if Engine.XSD_STRICT in sitemap.context.engines:
        return [None] * len(rows)
    return _filled_in(sitemap, rows, _counted(sitemap, rows, _MARRED, Signal.CONTROL | Signal.SPACE))


def _filled_in(sitemap: Sitemap, rows: Sequence[int], found: Sequence[int | None]) -> Sequence[int | None]:
    """Without URLs that contain a placeholder."""
    return [
        None if number is None or leftovers((loc or "").strip()) else number
        for number, loc in zip(found, sitemap.columns.locs_of(rows), strict=True)
    ]


def certainly_legal(sitemap: Sitemap, row: int) -> bool | None:
    """The same key for URLs without a path, and for those in which the reader escaped `<`, which X011 reports."""
    columns, data = sitemap.columns, sitemap.data
    if Engine.XSD_STRICT in sitemap.context.engines or sitemap.signals[row] & (Signal.CONTROL | Signal.SPACE):
        return None
    loc = (columns.loc(row) or "").strip()
    if row not in columns.edits:
        return True if _NO_PATH.fullmatch(loc) else None
    start, end = columns.starts[row], columns.ends[row]
    if not columns.marks[row] & Mark.SALVAGED or data.find(b"&", start, end) >= 0 or data.find(b"<!", start, end) >= 0:
        return None
    if WEB_HEAD.match(loc) is None or not columns.edits.writing(row, b"&lt;") or leftovers(loc):
        return None
    return True if all(run == "<" for run in _ILLEGAL_RUN.findall(loc.partition("#")[0])) else None


def respelled_escapes(sitemap: Sitemap, rows: Sequence[int]) -> Sequence[int | None]:
    return _counted(sitemap, rows, _RESPELLED, _RESIDUE, as_written=False)


def broken_escapes(sitemap: Sitemap, rows: Sequence[int]) -> Sequence[int | None]:
    return _filled_in(sitemap, rows, _counted(sitemap, rows, _BROKEN, Signal.CONTROL))


def dot_segments(sitemap: Sitemap, rows: Sequence[int]) -> Sequence[int | None]:
    return _counted(sitemap, rows, _DOTTED, Signal.NOT_WEB, as_written=False)


def empty_segments(sitemap: Sitemap, rows: Sequence[int]) -> Sequence[int | None]:
    return _counted(sitemap, rows, _EMPTY_SEGMENT, Signal.NOT_WEB, as_written=False)


def home_pages(sitemap: Sitemap, rows: Sequence[int]) -> Sequence[int | None]:
    if Engine.XSD_STRICT in sitemap.context.engines:
        return [None] * len(rows)
    return _counted(sitemap, rows, _NO_PATH, 0, as_written=False)


@in_each
def escapes_not_utf8(sitemap: Sitemap, row: int) -> int | None:
    loc = (sitemap.columns.loc(row) or "").strip().partition("#")[0]
    head = WEB_HEAD.match(loc)
    return None if head is None else int(any(not _is_utf8(run) for run in ESCAPES.findall(loc, head.end())))


def _is_utf8(escapes: str) -> bool:
    try:
        bytes.fromhex(escapes.replace("%", "")).decode()
    except UnicodeDecodeError:
        return False
    return True


def fragments(sitemap: Sitemap, rows: Sequence[int]) -> Sequence[int | None]:
    return _counted(sitemap, rows, _ONE_FRAGMENT, _RESIDUE)


def tracking(sitemap: Sitemap, rows: Sequence[int]) -> Sequence[int | None]:
    """With a query of this form the signal is as exact as the rule."""
    found = _counted(sitemap, rows, _ONE_QUERY, 0)
    return [number if sitemap.signals[row] & Signal.TRACKING else None for row, number in zip(rows, found, strict=True)]


@in_each
def padded(sitemap: Sitemap, row: int) -> int | None:
    """A comment or section near the whitespace may prevent the fix."""
    columns = sitemap.columns
    if columns.marks[row] & (Mark.IRREGULAR | Mark.SALVAGED) or sitemap.kind not in _SITEMAPS:
        return None
    if sitemap.data.find(b"<!", columns.starts[row], columns.ends[row]) >= 0:
        return None
    raw = columns.loc(row) or ""
    return 1 if raw.strip() not in ("", raw) else None


@in_each
def not_for_search(sitemap: Sitemap, row: int) -> int | None:
    """A path such as `/cart` is reported once, whatever else it is."""
    signals = sitemap.signals[row]
    if not signals & Signal.PRIVATE_PATH or signals & (_RESIDUE | Signal.CONTROL | Signal.SPACE):
        return None
    if len(sitemap.document) == 1 or row in sitemap.columns.edits:
        return None  # the only entry has no fix
    loc = (sitemap.columns.loc(row) or "").strip()
    head = WEB_HEAD.match(loc)
    path = "" if head is None else loc[head.end() :].partition("#")[0].partition("?")[0]
    return 1 if private_part(path) is not None else None


@lru_cache(4096)
def _escaped(run: bytes) -> bytes:
    return f"%{run.replace(b'&lt;', b'<').hex('%').upper()}".encode()


def _are_visible(locs: Sequence[str]) -> Sequence[bool]:
    """Without invisible characters, apart from spaces."""
    if not INVISIBLE.search("\0".join(locs).replace(" ", "")):
        return [True] * len(locs)
    return [not INVISIBLE.search(loc.replace(" ", "")) for loc in locs]


def _is_one_value(loc: str) -> bool:
    return "\t" not in loc and "\r" not in loc and "\n" not in loc and ANOTHER_VALUE.search(loc) is None


def _have_backslash_in_path(locs: Sequence[str]) -> Sequence[bool]:
    """URL parsers treat it as a slash."""
    return [_BACKSLASHED.match(loc) is not None for loc in locs]


SPACES = Brief(
    Safety.SAFE, "write it as %20", lazy_pattern(rb" +"), _escaped, fits=lambda locs: [*map(_is_one_value, locs)]
)
LETTERS = Brief(Safety.SAFE, "percent-encode it as UTF-8", lazy_pattern(rb"[\x80-\xff]+"), _escaped, fits=_are_visible)
ILLEGAL = Brief(
    Safety.SAFE,
    "percent-encode it",
    lazy_pattern(rb'(?:["<>^`{|}\[\]]|&lt;)+'),
    _escaped,
    fits=lambda locs: ["\\" not in loc for loc in locs],
)
BACKSLASHES = Brief(Safety.REVIEW, fits=_have_backslash_in_path)
FRAGMENT = Brief(Safety.REVIEW, "remove the fragment", lazy_pattern(rb"#.*"), lambda _: b"", in_fragment=True)
ANOTHER_PAGE = Brief(Safety.REVIEW)
