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
from urlset.rules.loc.template_leftovers import leftovers
from urlset.spec.engines import Engine
from urlset.spec.generator_artifacts import PAGE_IN_PATH
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.signals import Signal

_SITEMAPS = (Kind.URLSET, Kind.SITEMAPINDEX)
INVISIBLE = lazy_pattern(r"[\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_HEAD = r"https?://[^/?#\s]++(?=[/?#])"
WEB_HEAD = lazy_pattern(_HEAD)
_ILLEGAL = r'"<>\\^`{|}\[\]'
_RESIDUE = Signal.RESIDUE | Signal.ILLEGAL | Signal.ESCAPED_BRACKET | Signal.ESCAPE_BROKEN
"""the address may hold a placeholder, which is the business of another rule"""

# What a URL is like between authority and fragment.
_SPACED = lazy_pattern(_HEAD + r"(?=[^# ]*+ )[^:#\t\n\r]*+(?::(?!//)[^:#\t\n\r]*+)*+(?:#|\Z)")
_LETTERED = lazy_pattern(_HEAD + r"(?=[\x00-\x22\x24-\x7f]*+[^\x00-\x7f])[^#\ufffd]*+(?:#|\Z)")
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
    return _counted(sitemap, rows, _SPACED, _RESIDUE | Signal.CONTROL)


def letters(sitemap: Sitemap, rows: Sequence[int]) -> Sequence[int | None]:
    return _counted(sitemap, rows, _LETTERED, _RESIDUE | Signal.CONTROL, as_written=False)


def illegal(sitemap: Sitemap, rows: Sequence[int]) -> Sequence[int | None]:
    if Engine.XSD_STRICT in sitemap.context.engines:
        return [None] * len(rows)
    found = _counted(sitemap, rows, _MARRED, Signal.CONTROL | Signal.SPACE)
    return [
        None if number is None or leftovers((loc or "").strip()) else number
        for number, loc in zip(found, sitemap.columns.locs_of(rows), strict=True)
    ]


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
def later_pages(sitemap: Sitemap, row: int) -> int | None:
    """A path that ends as `/page/7` does is reported once, whatever else it is."""
    signals = sitemap.signals[row]
    if not signals & Signal.PAGE_SEGMENT or signals & (_RESIDUE | Signal.CONTROL | Signal.SPACE):
        return None
    if len(sitemap.document) == 1 or row in sitemap.columns.edits:
        return None  # the only entry has no fix
    loc = (sitemap.columns.loc(row) or "").strip()
    head = WEB_HEAD.match(loc)
    path = "" if head is None else loc[head.end() :].partition("#")[0].partition("?")[0]
    match = PAGE_IN_PATH.search(path)
    return 1 if match is not None and int(match[1]) > 1 else None


@lru_cache(4096)
def _escaped(run: bytes) -> bytes:
    return f"%{run.replace(b'&lt;', b'<').hex('%').upper()}".encode()


def _are_visible(locs: Sequence[str]) -> Sequence[bool]:
    """Without invisible characters, apart from spaces."""
    if not INVISIBLE.search("\0".join(locs).replace(" ", "")):
        return [True] * len(locs)
    return [not INVISIBLE.search(loc.replace(" ", "")) for loc in locs]


def _have_backslash_in_path(locs: Sequence[str]) -> Sequence[bool]:
    """URL parsers treat it as a slash."""
    return [_BACKSLASHED.match(loc) is not None for loc in locs]


SPACES = Brief(Safety.SAFE, "write it as %20", lazy_pattern(rb" +"), _escaped)
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
