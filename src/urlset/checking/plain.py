"""The screen: for which entries can no entry rule fire? Only the others are looked at one by one.

Sound, not complete: a test takes every bad example of every entry rule, and mutations of them, and asserts
that none of them is ever plain. Whoever writes an entry rule whose fault could look plain narrows the
patterns here; the test tells.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import timedelta
from typing import cast

from urlset.checking.subjects import Sitemap
from urlset.model.columns import Mark
from urlset.model.document import Document, Kind
from urlset.model.media import Image
from urlset.spec import wild
from urlset.spec.engines import Engine
from urlset.spec.protocol import MAX_IMAGES_PER_URL

_MONTH_DAY = r"(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
_DATE = re.compile(
    rf"(?:199[2-9]|20\d\d)-{_MONTH_DAY}"
    r"(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|\+00:00|[+-](?:0[1-9]|1[0-3]):[0-5]\d))?"
)
_PRIORITY = re.compile(r"0\.\d{1,2}|1\.0{1,2}")
_CHANGEFREQ = frozenset({None, "daily", "weekly", "monthly", "yearly"})
"""the others can contradict a date"""
_MAX_LENGTH = 256
"""the tightest limit any engine has"""


def _by_first_letter(words: Iterable[str]) -> str:
    """An alternation that fails at its first character nearly always."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for word in sorted(set(words)):
        groups[word[0]].append(re.escape(word[1:]))
    return "|".join(f"{re.escape(letter)}(?:{'|'.join(rest)})" for letter, rest in groups.items())


_NAMES = (
    *(f"{name}=" for name in (
        *wild.SESSION_PARAMETERS, *wild.AMBIGUOUS_SESSION_PARAMETERS, *wild.TRACKING_PARAMETERS,
        *wild.PAGE_PARAMETERS, *wild.FACET_PARAMETERS, *wild.SEARCH_PARAMETERS_AT_ROOT, "feed",
    )),
    *wild.SESSION_PREFIXES, *wild.TRACKING_PREFIXES, *wild.FACET_PREFIXES,
)  # fmt: skip
_PARAMETER = rf"(?!{_by_first_letter(_NAMES)})[a-z0-9_]++=(?!undefined|null|NaN|None)[A-Za-z0-9_.~-]*+"
_LABEL = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_FIRST = rf"(?!(?i:(?:[a-z]{{2}}(?:[-_][a-z]{{2,4}})?/)?(?:{_by_first_letter(wild.FIRST_PRIVATE_WORDS)})(?=[/?]|\Z)))"
_SEGMENT = r"(?!(?i:(?:undefined|null|nan|none)(?=[-_./?]|\Z)|page[/-][0-9]|feed/|comments/feed))[A-Za-z0-9_~-]"
_LOC = re.compile(
    # a host name in lower case, not an IP address, and a path without empty or dot segments, escapes and known words
    rf"https?://{_LABEL}(?:\.{_LABEL})*\.[a-z]{{2,24}}/{_FIRST}(?:{_SEGMENT}[A-Za-z0-9_.~-]*+/)*+"
    rf"(?:{_SEGMENT}[A-Za-z0-9_~-]*+(?:[A-Za-z0-9_.~-]*\.(?:html?|php|aspx?|jsp|pdf))?)?"
    rf"(?:\?{_PARAMETER}(?:&{_PARAMETER})*+)?"
)
_HARMLESS = Mark.EXTENDED | Mark.CANONICAL


def plain_rows(sitemap: Sitemap) -> bytearray:
    """1 for each row on which no entry rule can fire."""
    columns = sitemap.columns
    if sitemap.kind is not Kind.URLSET or Engine.XSD_STRICT in sitemap.context.engines:
        return bytearray(len(columns))
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


def _plain_dates(sitemap: Sitemap, texts: set[str | None]) -> set[str | None]:
    """Well-formed, after the web began, and not in the future by any reckoning of time zones."""
    latest = (sitemap.context.now - timedelta(days=1)).strftime("%Y-%m-%d")
    match = _DATE.fullmatch
    found = {text for text in texts if text is not None and match(text) is not None and text[:10] <= latest}
    return {*found, None}


_IMAGE_LOC = re.compile(
    rf"https?://{_LABEL}(?:\.{_LABEL})*\.[a-z]{{2,24}}/[A-Za-z0-9_~/.-]*+(?:\?[A-Za-z0-9_=&.~-]*+)?"
)


_UNPADDED = re.compile(rb":loc>[^<\s]+</")


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
