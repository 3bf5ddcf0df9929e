"""The screen: for which entries can no entry rule fire? Only the others are looked at one by one.

Sound, not complete: a test takes every bad example of every entry rule, and mutations of them, and asserts
that none of them is ever plain. Whoever writes an entry rule whose fault could look plain narrows the
patterns here; the test tells.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from operator import and_
from typing import cast

from urlset.checking.subjects import Sitemap
from urlset.model.columns import Columns, Hint, Mark
from urlset.model.document import Document, Kind
from urlset.model.media import Image
from urlset.reading.compiled_words import FREQUENCIES, PAGE_ENDINGS, PARAMETER_NAMES, PARAMETER_PREFIXES
from urlset.spec import wild
from urlset.spec.engines import Engine
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import MAX_IMAGES_PER_URL

_MONTH_DAY = r"(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
_DATE = lazy_pattern(
    rf"(?:199[2-9]|20\d\d)-{_MONTH_DAY}"
    r"(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|\+00:00|[+-](?:0[1-9]|1[0-3]):[0-5]\d))?"
)
_PRIORITY = lazy_pattern(r"0\.\d{1,2}|1\.0{1,2}")
_CHANGEFREQ = frozenset({None, *(word.decode() for word in FREQUENCIES)})
_MAX_LENGTH = 256
"""the tightest limit any engine has"""


def _by_first_letter(words: Iterable[str]) -> str:
    """An alternation that fails at its first character nearly always."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for word in sorted(set(words)):
        groups[word[0]].append(re.escape(word[1:]))
    return "|".join(f"{re.escape(letter)}(?:{'|'.join(rest)})" for letter, rest in groups.items())


_NAMES = (*(f"{name}=" for name in PARAMETER_NAMES), *PARAMETER_PREFIXES)
_PARAMETER = rf"(?!{_by_first_letter(_NAMES)})[a-z0-9_]++=(?!undefined|null|NaN|None)[A-Za-z0-9_.~-]*+"
_LABEL = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_FIRST = rf"(?!(?i:(?:[a-z]{{2}}(?:[-_][a-z]{{2,4}})?/)?(?:{_by_first_letter(wild.FIRST_PRIVATE_WORDS)})(?=[/?]|\Z)))"
_SEGMENT = r"(?!(?i:(?:undefined|null|nan|none)(?=[-_./?]|\Z)|page[/-][0-9]|feed/|comments/feed))[A-Za-z0-9_~-]"
_LOC = lazy_pattern(
    # a host name in lower case, not an IP address, and a path without empty or dot segments, escapes and known words
    rf"https?://{_LABEL}(?:\.{_LABEL})*\.[a-z]{{2,24}}/{_FIRST}(?:{_SEGMENT}[A-Za-z0-9_.~-]*+/)*+"
    rf"(?:{_SEGMENT}[A-Za-z0-9_~-]*+(?:[A-Za-z0-9_.~-]*\.(?:{'|'.join(PAGE_ENDINGS)}))?)?"
    rf"(?:\?{_PARAMETER}(?:&{_PARAMETER})*+)?"
)
_HARMLESS = Mark.EXTENDED | Mark.CANONICAL


def plain_rows(sitemap: Sitemap) -> bytearray:
    """1 for each row on which no entry rule can fire."""
    columns = sitemap.columns
    if sitemap.kind is not Kind.URLSET or Engine.XSD_STRICT in sitemap.context.engines:
        return bytearray(len(columns))
    rows = _hinted(sitemap)
    if rows is None:
        return plain_pattern_rows(sitemap)
    unsure = [row for row, plain in enumerate(rows) if not plain] if 0 in rows else []
    if unsure:
        for row, plain in zip(unsure, _plain(sitemap, _only(columns, unsure)), strict=True):
            rows[row] = plain
    return rows


def plain_pattern_rows(sitemap: Sitemap) -> bytearray:
    """The same for a list of pages, whatever the scanner says of it: by the patterns, which define it."""
    return _plain(sitemap, sitemap.columns)


def _hinted(sitemap: Sitemap) -> bytearray | None:
    """What the scanner knows already: 1 for rows that are plain for sure; None when it gave no hints."""
    columns = sitemap.columns
    if not any(columns.hints):
        return None
    rows = columns.hints.translate(_PLAIN_HINTS)
    rows.extend(bytes(len(columns) - len(rows)))
    if columns.marks.translate(None, _HARMLESS_MARKS):
        rows = bytearray(map(and_, rows, columns.marks.translate(_WITHOUT_HARM)))
    if columns.newest_day > int(f"{_latest(sitemap):%Y%m%d}"):
        dates = _plain_dates(sitemap, set(columns.lastmods))
        rows = bytearray(plain and lastmod in dates for plain, lastmod in zip(rows, columns.lastmods, strict=True))
    return rows


_WHOLLY = Hint.PLAIN_LOC | Hint.PLAIN_FIELDS
_PLAIN_HINTS = bytes(hint & _WHOLLY == _WHOLLY for hint in range(256))
_HARMLESS_MARKS = bytes(mark for mark in range(256) if not mark & ~_HARMLESS)
_WITHOUT_HARM = bytes(not mark & ~_HARMLESS for mark in range(256))


def _only(columns: Columns, rows: list[int]) -> Columns:
    """Some of the rows, as far as the patterns look at them."""
    few = Columns()
    few.marks = bytearray(map(columns.marks.__getitem__, rows))
    few.locs = list(map(columns.locs.__getitem__, rows))
    few.lastmods = list(map(columns.lastmods.__getitem__, rows))
    few.changefreqs = list(map(columns.changefreqs.__getitem__, rows))
    few.priorities = list(map(columns.priorities.__getitem__, rows))
    return few


def _plain(sitemap: Sitemap, columns: Columns) -> bytearray:
    texts = set(columns.lastmods)
    dates = _plain_dates(sitemap, texts)
    frequencies, priorities = set(columns.changefreqs), set(columns.priorities)
    plain_priorities = {text for text in priorities if text is None or _PRIORITY.fullmatch(text)}
    odd = any(mark & ~_HARMLESS for mark in set(columns.marks))
    if not odd and texts <= dates and frequencies <= _CHANGEFREQ and priorities <= plain_priorities:
        return _plain_locs(columns.locs)
    return bytearray(
        loc
        and not mark & ~_HARMLESS
        and lastmod in dates
        and changefreq in _CHANGEFREQ
        and priority in plain_priorities
        for mark, loc, lastmod, changefreq, priority in zip(
            columns.marks,
            _plain_locs(columns.locs),
            columns.lastmods,
            columns.changefreqs,
            columns.priorities,
            strict=True,
        )
    )


def _plain_locs(locs: list[str | None]) -> bytearray:
    match = _LOC.fullmatch
    texts = locs if None not in locs else [loc or "" for loc in locs]
    rows = bytearray(found is not None for found in map(match, cast("list[str]", texts)))
    if max(map(len, filter(None, locs)), default=0) > _MAX_LENGTH:
        for row, loc in enumerate(locs):
            if loc and len(loc) > _MAX_LENGTH:
                rows[row] = 0
    return rows


def _latest(sitemap: Sitemap) -> datetime:
    return sitemap.context.now - timedelta(days=1)


def _plain_dates(sitemap: Sitemap, texts: set[str | None]) -> set[str | None]:
    """Well-formed, after the web began, and not in the future by any reckoning of time zones."""
    latest = f"{_latest(sitemap):%Y-%m-%d}"
    match = _DATE.fullmatch
    found = {text for text in texts if text is not None and match(text) is not None and text[:10] <= latest}
    return {*found, None}


_IMAGE_LOC = lazy_pattern(
    rf"https?://{_LABEL}(?:\.{_LABEL})*\.[a-z]{{2,24}}/[A-Za-z0-9_~/.-]*+(?:\?[A-Za-z0-9_=&.~-]*+)?"
)


_UNPADDED = lazy_pattern(rb":loc>[^<\s]+</")


def plain_images(document: Document, row: int, images: tuple[Image, ...]) -> bool:
    """Images of a row that the lane took: one plain address each, nothing else, none twice."""
    if not document.columns.marks[row] & Mark.CANONICAL or len(images) > MAX_IMAGES_PER_URL:
        return False
    locs = {image.loc for image in images}
    if len(locs) != len(images) or any(image != Image(image.loc) for image in images):
        return False
    text = document.place(row).cut(document.data)
    if text.count(b":loc>") != 2 * len(images) or len(_UNPADDED.findall(text)) != len(images):
        return False
    return all(loc is not None and _IMAGE_LOC.fullmatch(loc) for loc in locs)
