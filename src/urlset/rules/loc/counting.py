"""One entry whose problems are not shown → how many there are, and their fix, where its address tells at once.

In a file with a fault in every entry a thousand problems of a rule are described and all others are only counted.
A fix that changes characters of the URL needs no description either. Each function here is the `count` or the `brief`
of a rule; None sends the entry to the rule itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from urlset.checking.declare import Brief
from urlset.checking.subjects import Sitemap
from urlset.findings.fix import Safety
from urlset.model.address import Illegality
from urlset.model.address_grammar import escape_text, illegal_between
from urlset.model.columns import Mark
from urlset.model.document import Kind
from urlset.model.private_path import private_part
from urlset.rules.loc.template_leftovers import leftovers
from urlset.spec.engines import Engine
from urlset.spec.generator_artifacts import PAGE_IN_PATH
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.signals import Signal

_SITEMAPS = (Kind.URLSET, Kind.SITEMAPINDEX)
INVISIBLE = lazy_pattern(r"[\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
WEB_HEAD = lazy_pattern(r"https?://[^/?#\s]+(?=[/?#])")
ESCAPES = lazy_pattern(r"(?:%[0-9A-Fa-f]{2})+")
_SPACE = lazy_pattern(r"[ \t\r\n]")
_OTHER_CONTROL = lazy_pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_RESPELLED = lazy_pattern(r"%(?:[a-f][0-9A-Fa-f]|[0-9A-F][a-f]|2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])")
_NO_PATH = lazy_pattern(r"https?://[^/?#\s@:\[\]]+(?:[?#]|$)")
_ILLEGAL_RUN = lazy_pattern(r"[\"<>^`{|}\[\]\\]+")
_BROKEN = lazy_pattern(r"%(?![0-9A-Fa-f]{2})")
_RESIDUE = Signal.RESIDUE | Signal.ILLEGAL | Signal.ESCAPED_BRACKET | Signal.ESCAPE_BROKEN
"""the address may hold a placeholder, which is the business of another rule"""


def _address(sitemap: Sitemap, row: int, unless: int, *, as_written: bool = True) -> str | None:
    """None where the address cannot tell, and with `as_written` where the reader repaired the entry."""
    if sitemap.signals[row] & unless or (as_written and row in sitemap.columns.edits):
        return None
    return (sitemap.columns.loc(row) or "").strip()


def _middle(loc: str | None) -> str | None:
    """What is between authority and fragment."""
    head = None if loc is None else WEB_HEAD.match(loc)
    if loc is None or head is None:
        return None
    fragment = loc.find("#", head.end())
    return loc[head.end() :] if fragment < 0 else loc[head.end() : fragment]


def spaces(sitemap: Sitemap, row: int) -> int | None:
    loc = _address(sitemap, row, _RESIDUE)
    middle = _middle(loc)
    if loc is None or middle is None or loc.count("://") > 1 or _OTHER_CONTROL.search(middle):
        return None
    return 1 if _SPACE.search(middle) else None


def padded(sitemap: Sitemap, row: int) -> int | None:
    """A comment or section near the whitespace may prevent the fix."""
    columns = sitemap.columns
    if columns.marks[row] & (Mark.IRREGULAR | Mark.SALVAGED) or sitemap.kind not in _SITEMAPS:
        return None
    if sitemap.data.find(b"<!", columns.starts[row], columns.ends[row]) >= 0:
        return None
    raw = columns.loc(row) or ""
    return 1 if raw.strip() not in ("", raw) else None


def _escaping(characters: str) -> Callable[[str], list[tuple[int, int, str]]]:
    """The change that escapes these characters between authority and fragment."""
    runs = lazy_pattern(characters)
    escape = lru_cache(256)(escape_text)

    def change(loc: str) -> list[tuple[int, int, str]]:
        head = WEB_HEAD.match(loc)
        assert head is not None
        fragment = loc.find("#", head.end())
        found: Iterator[re.Match[str]] = runs.finditer(loc, head.end(), len(loc) if fragment < 0 else fragment)
        return [(run.start(), run.end(), escape(run[0])) for run in found]

    return change


_SPACES = Brief(Safety.SAFE, "write it as %20", _escaping(r"\x20+"))
_LETTERS = Brief(Safety.SAFE, "percent-encode it as UTF-8", _escaping(r"[^\x00-\x9f]+"))
_ILLEGAL = Brief(Safety.SAFE, "percent-encode it", _escaping(r'["<>^`{|}\[\]]+'))
_FRAGMENT = Brief(Safety.REVIEW, "remove the fragment", lambda loc: [(loc.index("#"), len(loc), "")])
_ANOTHER_PAGE = Brief(Safety.REVIEW)


def spaces_fix(loc: str) -> Brief | None:
    return None if "\t" in loc or "\r" in loc or "\n" in loc else _SPACES


def letters(sitemap: Sitemap, row: int) -> int | None:
    middle = _middle(_address(sitemap, row, _RESIDUE | Signal.CONTROL, as_written=False))
    return None if middle is None or middle.isascii() or "\ufffd" in middle else 1


def letters_fix(loc: str) -> Brief | None:
    return None if INVISIBLE.search(loc) and INVISIBLE.search(loc.replace(" ", "")) else _LETTERS


def illegal(sitemap: Sitemap, row: int) -> int | None:
    loc = _address(sitemap, row, Signal.CONTROL | Signal.SPACE)
    if loc is None and _has_only_stray_brackets(sitemap, row):
        return 0
    if loc is not None and _NO_PATH.fullmatch(loc) and Engine.XSD_STRICT not in sitemap.context.engines:
        return 0  # other rules check the host
    middle = _middle(loc)
    if loc is None or middle is None or Engine.XSD_STRICT in sitemap.context.engines or leftovers(loc):
        return None
    found = illegal_between(middle, 0, len(middle))
    return 1 if any(each.reason is Illegality.ILLEGAL_CHARACTER for each in found) else None


def _has_only_stray_brackets(sitemap: Sitemap, row: int) -> bool:
    """The reader escaped each `<`, which another rule reports, and nothing else in the URL is illegal."""
    columns, data = sitemap.columns, sitemap.data
    start, end = columns.starts[row], columns.ends[row]
    if not columns.marks[row] & Mark.SALVAGED or data.find(b"&", start, end) >= 0 or data.find(b"<!", start, end) >= 0:
        return False
    loc = (columns.loc(row) or "").strip()
    middle = None if sitemap.signals[row] & (Signal.CONTROL | Signal.SPACE) else _middle(loc)
    if middle is None or Engine.XSD_STRICT in sitemap.context.engines or not columns.edits.writing(row, b"&lt;"):
        return False
    return all(run == "<" for run in _ILLEGAL_RUN.findall(middle)) and not leftovers(loc)


def illegal_fix(loc: str) -> Brief | None:
    """URL parsers treat a backslash in the path as a slash."""
    if "\\" not in loc:
        return _ILLEGAL
    return _ANOTHER_PAGE if "\\" in (_middle(loc) or "").partition("?")[0] else None


def fragments(sitemap: Sitemap, row: int) -> int | None:
    loc = _address(sitemap, row, _RESIDUE)
    return None if loc is None or "#" not in loc or "&#" in loc else 1


def fragments_fix(_loc: str) -> Brief:
    return _FRAGMENT


def pages_not_for_search(sitemap: Sitemap, row: int) -> int | None:
    """A path that ends as `/page/7` does is reported once, whatever else it is; and so is `/cart`."""
    if not sitemap.signals[row] & (Signal.PAGE_SEGMENT | Signal.PRIVATE_PATH) or len(sitemap.document) == 1:
        return None  # the only entry has no fix
    middle = _middle(_address(sitemap, row, _RESIDUE | Signal.CONTROL | Signal.SPACE))
    if middle is None:
        return None
    path = middle.partition("?")[0]
    match = PAGE_IN_PATH.search(path)
    return 1 if (match is not None and int(match[1]) > 1) or private_part(path) is not None else None


def respelled_escapes(sitemap: Sitemap, row: int) -> int | None:
    middle = _middle(_address(sitemap, row, _RESIDUE, as_written=False))
    return None if middle is None else int(_RESPELLED.search(middle) is not None)


def escapes_not_utf8(sitemap: Sitemap, row: int) -> int | None:
    middle = _middle(_address(sitemap, row, 0, as_written=False))
    return None if middle is None else int(any(not _is_utf8(run) for run in ESCAPES.findall(middle)))


def _is_utf8(escapes: str) -> bool:
    try:
        bytes.fromhex(escapes.replace("%", "")).decode()
    except UnicodeDecodeError:
        return False
    return True


def broken_escapes(sitemap: Sitemap, row: int) -> int | None:
    loc = _address(sitemap, row, Signal.CONTROL)
    middle = _middle(loc)
    if loc is None or middle is None or leftovers(loc):
        return None
    return 1 if _BROKEN.search(middle) else None


def in_path(pattern: re.Pattern[str]) -> Callable[[Sitemap, int], int | None]:
    """Whether the path matches."""

    def count(sitemap: Sitemap, row: int) -> int | None:
        loc = _address(sitemap, row, Signal.NOT_WEB, as_written=False) or ""
        head = WEB_HEAD.match(loc)
        if head is None:
            return None
        end = loc.partition("#")[0].partition("?")[0]
        return int(pattern.search(loc, head.end(), len(end)) is not None)

    return count


def home_pages(sitemap: Sitemap, row: int) -> int | None:
    if Engine.XSD_STRICT in sitemap.context.engines:
        return None
    return 1 if _NO_PATH.match(_address(sitemap, row, 0, as_written=False) or "") else None


def tracking(sitemap: Sitemap, row: int) -> int | None:
    """The signal is as exact as the rule where there is one question mark and nothing beyond ASCII behind it."""
    loc = _address(sitemap, row, 0)
    if loc is None or not sitemap.signals[row] & Signal.TRACKING:
        return None
    _, mark, query = loc.partition("?")
    return 1 if mark and "?" not in query and query.isascii() else None


def other_page(_loc: str) -> Brief:
    return _ANOTHER_PAGE
