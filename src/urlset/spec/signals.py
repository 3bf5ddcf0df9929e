"""Small named facts about one entry, each a reason for some rule to look at it: the only definition of each.

Both evaluators (`reading/signals.py` and `reading/compiled_signals.pyx`) derive from the tables below, and a rule
names what it waits for: `@rule(..., when=Signal.FRAGMENT)`. A signal may be raised on more entries than any rule
reports, never on fewer; a differential test compares the two. Texts are judged as UTF-8, byte by byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

import msgspec

from urlset.spec import generator_artifacts
from urlset.spec.generator_artifacts import FACET_PREFIXES, PAGE_PARAMETERS
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import (
    CHANGEFREQ,
    HINT_MAX_BYTES_YANDEX,
    LOC_LENGTH_BELOW,
    LOC_MAX_BYTES_BAIDU,
    LOC_MIN_LENGTH_XSD,
)


class Signal:
    """One bit each. Plain integers: an IntFlag costs a microsecond per operation, and there are millions."""

    # the address as a whole
    MISSING: Final = 1 << 0
    """there is no loc"""
    EMPTY: Final = 1 << 1
    """there is a loc with nothing but whitespace in it"""
    PADDED: Final = 1 << 2
    """whitespace before or after the address"""
    SHORT: Final = 1 << 3
    """fewer characters than the schema requires"""
    LONG: Final = 1 << 4
    """more characters than the protocol allows"""
    LONG_FOR_BAIDU: Final = 1 << 5
    """more bytes than Baidu allows"""
    NOT_WEB: Final = 1 << 6
    """does not begin with http:// or https:// and a bare host"""
    NO_PATH: Final = 1 << 7
    """nothing between the host and the query or the end"""
    FRAGMENT: Final = 1 << 8
    SLASHED: Final = 1 << 9
    """the path ends with a slash"""
    # its characters
    SPACE: Final = 1 << 10
    CONTROL: Final = 1 << 11
    ILLEGAL: Final = 1 << 12
    """a printable ASCII character that RFC 3986 excludes"""
    NON_ASCII: Final = 1 << 13
    QUOTED_QUERY: Final = 1 << 14
    """an apostrophe in the query, which URL parsers escape"""
    # its percent-escapes; valid ones raise nothing
    ESCAPE_BROKEN: Final = 1 << 15
    ESCAPE_RESPELLED: Final = 1 << 16
    """lower-case digits, or an escape that is not needed"""
    ESCAPE_NOT_UTF8: Final = 1 << 17
    ESCAPED_BRACKET: Final = 1 << 18
    """an opening bracket or brace, as in an escaped placeholder"""
    # its path
    EMPTY_SEGMENT: Final = 1 << 19
    DOT_SEGMENT: Final = 1 << 20
    PRIVATE_PATH: Final = 1 << 21
    """/cart, /login, also behind one more segment"""
    PAGE_SEGMENT: Final = 1 << 22
    """/page/2, /page-2"""
    FEED: Final = 1 << 23
    ASSET: Final = 1 << 24
    DOWNLOAD: Final = 1 << 25
    """a file ending of a non-page: an archive, a sitemap, a feed"""
    RESIDUE: Final = 1 << 26
    """undefined, null, :id"""
    # its parameters
    SESSION: Final = 1 << 27
    AMBIGUOUS_SESSION: Final = 1 << 28
    """sid, session: depends on the value"""
    TRACKING: Final = 1 << 29
    PAGED: Final = 1 << 30
    FACET: Final = 1 << 31
    SEARCH: Final = 1 << 32

    # lastmod, changefreq, priority
    ODD_DATE: Final = 1 << 33
    """a lastmod in any form but the three ordinary ones, or before the web"""
    DATE_NOTATION: Final = 1 << 49
    """of odd ones: written in another notation altogether, or with wrong marks"""
    DATE_CALENDAR: Final = 1 << 50
    """of odd ones: a day or a time that does not exist, or that many readers refuse"""
    DATE_ZONE: Final = 1 << 51
    DATE_TIME: Final = 1 << 52
    DATE_COARSE: Final = 1 << 53
    """of odd ones: a year or a month"""
    DATE_BLANK: Final = 1 << 54
    """of odd ones: empty, or with whitespace around it"""
    NO_SECONDS: Final = 1 << 34
    FUTURE_DATE: Final = 1 << 35
    """an ordinary lastmod that is later than now"""
    ODD_CHANGEFREQ: Final = 1 << 36
    """not one of the seven words as written"""
    AT_ODDS: Final = 1 << 37
    """always or hourly with a lastmod of years ago, never with a recent one"""
    ODD_PRIORITY: Final = 1 << 38
    LONG_HINT: Final = 1 << 39
    """a field above the limit of Yandex"""

    # the structure of the entry
    DISORDERED: Final = 1 << 40
    """see Mark.DISORDERED"""
    IRREGULAR: Final = 1 << 41
    """see Mark.IRREGULAR; in an index also changefreq and priority"""
    EXTENDED: Final = 1 << 42
    """carries elements of another namespace"""
    ODD_LINK: Final = 1 << 48
    """irregular, with the word link before whitespace, as in a tag with attributes"""

    # what else the entry carries: see checking/media_signals.py and spec/extensions.py
    LINKS: Final = 1 << 43
    """a link with other attributes, with content, or in a language that another link has"""
    LINK_CODE: Final = 1 << 55
    """a link with an unusual hreflang value"""
    LINK_HREF: Final = 1 << 56
    """a link with an unusual URL"""
    LINK_SELF: Final = 1 << 57
    """links, but none to the page itself"""
    CAPTIONED: Final = 1 << 45
    """an image with more than an address"""
    MEDIA_MISSING: Final = 1 << 44
    """an image, a video or an article without a required field, or with an empty field"""
    MEDIA_SHAPE: Final = 1 << 46
    """too many of them, or one with a repeated, unknown or withdrawn field, or with unusual attributes"""
    MEDIA_ADDRESS: Final = 1 << 47
    MEDIA_TEXT: Final = 1 << 58
    MEDIA_DATE: Final = 1 << 59
    MEDIA_VALUE: Final = 1 << 60
    """an unusual number, code or choice"""

    # what only a build asks for
    RETURNING: Final = 1 << 61
    """a parameter that says where to go afterwards"""

    # about neighbours and scanners
    OTHER_HEAD: Final = 1 << 62
    """begins with another scheme and host than the address before it, as far as is known"""
    UNKNOWN: Final = 1 << 63
    """not judged yet: what a scanner writes for rows that it did not look at"""


class PageSignal:
    """The same for a page that was fetched: see checking/live_engine.py."""

    ANSWER: Final = 1 << 0
    """anything but a page with status 200"""
    REDIRECTS: Final = 1 << 1
    REFRESH: Final = 1 << 2
    NOT_A_PAGE: Final = 1 << 3
    """looks like an error page, or has no content of unique text"""
    TYPE: Final = 1 << 4
    SIZE: Final = 1 << 5
    """empty, or more than Google reads"""
    ALTERNATES: Final = 1 << 6
    NOT_SECURE: Final = 1 << 7
    CANONICALS: Final = 1 << 8
    """names another page, or itself in another way than once in its head"""
    DIRECTIVES: Final = 1 << 9
    """words for robots that are not harmless"""
    DATES: Final = 1 << 10
    """dates that differ from lastmod"""
    DISALLOWED: Final = 1 << 11
    RENDERED: Final = 1 << 12
    """a browser looked at it"""
    DUPLICATE: Final = 1 << 13
    """another listed page has the same content, or nearly the same"""
    SPEED: Final = 1 << 14
    """slow, or answered only on a second try"""
    LINKS: Final = 1 << 15
    """a crawl of the site is known"""
    KIND: Final = 1 << 16
    """an archive, a search, a cart …"""


class Region:
    """Parts of an address. A delimiter belongs to the part that it opens."""

    HEAD: Final = 1
    """scheme and authority"""
    START: Final = 2
    """the first two segments of the path"""
    REST: Final = 4
    """the rest of the path"""
    PATH: Final = START | REST
    QUERY: Final = 8
    FRAGMENT: Final = 16
    ANYWHERE: Final = HEAD | PATH | QUERY | FRAGMENT


class Bytes(msgspec.Struct, frozen=True):
    """Raised by any of these bytes."""

    signal: int
    chars: bytes
    within: int = Region.ANYWHERE


class Words(msgspec.Struct, frozen=True):
    """Raised by any of these words directly behind one of the bytes `after`."""

    signal: int
    words: tuple[bytes, ...]
    after: bytes
    within: int
    """where the byte `after` is"""
    until: bytes | None = None
    """the word counts only before one of these bytes or the end of the address; None: before anything"""
    folded: bool = True
    """uppercase and lowercase ASCII letters are the same"""


class Escapes(msgspec.Struct, frozen=True):
    """Raised by the escapes of these bytes."""

    signal: int
    values: bytes
    within: int


_UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_SEGMENT_END, _PATH_END, _NAME_END = b"/?#", b"?#", b"=&#"
_DIGITS = "0123456789"


def _encoded(*texts: str) -> tuple[bytes, ...]:
    return tuple(sorted({text.encode() for text in texts}))


def _parameters(signal: int, names: Iterable[str]) -> Words:
    """Of the query, by their whole names."""
    return Words(signal, _encoded(*names), b"?&", Region.QUERY, _NAME_END)


def _starts(signal: int, *starts: str) -> Words:
    """How a parameter begins."""
    return Words(signal, _encoded(*starts), b"?&", Region.QUERY)


BYTES: Final = (
    Bytes(Signal.SPACE, b" \t\r\n"),
    Bytes(Signal.CONTROL, bytes({*range(32), 127} - set(b"\t\r\n"))),
    Bytes(Signal.ILLEGAL, b'"<>\\^`{|}[]'),
    Bytes(Signal.NON_ASCII, bytes(range(128, 256))),
    Bytes(Signal.QUOTED_QUERY, b"'", Region.QUERY),
)

ESCAPES: Final = (
    Escapes(Signal.ESCAPE_RESPELLED, _UNRESERVED, Region.PATH | Region.QUERY),
    Escapes(Signal.ESCAPED_BRACKET, b"{[", Region.ANYWHERE),
)
LOWER_CASE_ESCAPE: Final = Escapes(Signal.ESCAPE_RESPELLED, bytes(range(256)), Region.PATH | Region.QUERY)
"""any escape with a lower-case digit"""
BROKEN_ESCAPE: Final = Escapes(Signal.ESCAPE_BROKEN, b"", Region.ANYWHERE)
"""a percent sign without two hexadecimal digits"""
FOREIGN_ESCAPE: Final = Escapes(Signal.ESCAPE_NOT_UTF8, b"", Region.PATH | Region.QUERY)
"""adjacent escapes that together are not UTF-8"""

WORDS: Final = (
    Words(Signal.CONTROL, tuple(bytes((byte,)) for byte in range(0x80, 0xA0)), b"\xc2", Region.ANYWHERE, folded=False),
    Words(Signal.EMPTY_SEGMENT, (b"/",), b"/", Region.PATH),
    Words(Signal.DOT_SEGMENT, (b".", b".."), b"/", Region.PATH, _SEGMENT_END),
    Words(Signal.PRIVATE_PATH, _encoded(*generator_artifacts.PRIVATE_PATHS), b"/", Region.START, b"/?#."),
    Words(
        Signal.PAGE_SEGMENT,
        _encoded(*(f"page{join}{digit}" for join in "/-" for digit in _DIGITS)),
        b"/",
        Region.PATH,
        folded=False,
    ),
    Words(Signal.FEED, (b"comments/feed", b"feed/atom", b"feed/rdf", b"feed/rss"), b"/", Region.PATH),
    Words(Signal.ASSET, _encoded(*generator_artifacts.ASSET_ENDINGS), b".", Region.PATH, _PATH_END),
    Words(
        Signal.DOWNLOAD,
        _encoded(*generator_artifacts.ARCHIVE_ENDINGS, "xml", "txt", "rss", "atom"),
        b".",
        Region.PATH,
        _PATH_END,
    ),
    Words(
        Signal.RESIDUE,
        (b"(null)", b"(undefined)", b"NaN", b"None", b"null", b"undefined"),
        b"/=",
        Region.ANYWHERE,
        b"-_./?&#",
        folded=False,
    ),
    Words(Signal.RESIDUE, (b":",), b"/", Region.PATH),
    Words(Signal.SESSION, (b"jsessionid=", b"phpsessid=", b"sid="), b";", Region.PATH),
    Words(Signal.SESSION, (b"(a(", b"(f(", b"(s("), b"/", Region.PATH),
    _parameters(Signal.SESSION, generator_artifacts.SESSION_PARAMETERS),
    _starts(Signal.SESSION, *generator_artifacts.SESSION_PREFIXES),
    _parameters(Signal.AMBIGUOUS_SESSION, generator_artifacts.AMBIGUOUS_SESSION_PARAMETERS),
    _parameters(Signal.TRACKING, generator_artifacts.TRACKING_PARAMETERS),
    _starts(Signal.TRACKING, *generator_artifacts.TRACKING_PREFIXES),
    _starts(Signal.PAGED, *(f"{name}={digit}" for name in PAGE_PARAMETERS for digit in _DIGITS if digit != "1")),
    _starts(Signal.PAGED, *(f"{name}=1{digit}" for name in PAGE_PARAMETERS for digit in _DIGITS)),
    _parameters(Signal.FACET, generator_artifacts.FACET_PARAMETERS),
    _starts(Signal.FACET, *FACET_PREFIXES, *(prefix.replace("[", "%5b") for prefix in FACET_PREFIXES)),
    _parameters(Signal.RETURNING, generator_artifacts.RETURN_PARAMETERS),
    _parameters(Signal.SEARCH, generator_artifacts.SEARCH_PARAMETERS_AT_ROOT),
    Words(Signal.FEED, (b"feed=atom", b"feed=rdf", b"feed=rss"), b"?&", Region.QUERY, folded=False),
)

MOST_CHARACTERS: Final = LOC_LENGTH_BELOW - 1
FEWEST_CHARACTERS: Final = LOC_MIN_LENGTH_XSD
MOST_BYTES: Final = LOC_MAX_BYTES_BAIDU

RESPELLABLE: Final = (Signal.SPACE | Signal.CONTROL | Signal.ILLEGAL | Signal.NON_ASCII | Signal.QUOTED_QUERY) | (
    Signal.ESCAPE_BROKEN | Signal.ESCAPE_RESPELLED | Signal.DOT_SEGMENT | Signal.NO_PATH | Signal.PADDED
)
"""an address that raises none of them is, behind its host, spelled in the one way that its key has"""

# -- fields: judged once for each text that a file has ---------------------------------------------------------

_LEAP = r"(?:20(?:[02468][048]|[13579][26])|199[26])-02-29"
_MONTH_DAY = r"(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
_DAY = rf"(?:(?:199[2-9]|20[0-9]{{2}})-{_MONTH_DAY}|{_LEAP})"
_ZONE = r"(?:Z|\+00:00|[+-](?:0[1-9]|1[0-3]):[0-5][0-9]|\+14:00)"
_MINUTES = r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]"
_ORDINARY_DATE = rf"{_DAY}(?:{_MINUTES}:[0-5][0-9](?:\.[0-9]{{1,6}})?{_ZONE})?"
ORDINARY_DATE: Final = lazy_pattern(_ORDINARY_DATE)
"""a day of the calendar since the web began, alone or with a time to the second and a zone"""
_FEED_DAY = (
    r"(?:[A-Z][a-z]{2}, )?(?:(?:0[1-9]|1[0-9]|2[0-8]) Feb|31 (?:Jan|Mar|May|Jul|Aug|Oct|Dec)"
    r"|(?:0[1-9]|[12][0-9]|30) (?:Jan|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)) "
)
_FEED_TIME = r" (?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9] (?:GMT|[+-](?:0[0-9]|1[0-3])[0-5][0-9])"


@cache
def feed_dates_before(year: int) -> re.Pattern[str]:
    """Dates of earlier years as RSS writes them, in a text of dates with a zero before each."""
    decade, last = divmod(year - 1, 10)
    years = "|".join(("199[3-9]", *(f"{each}[0-9]" for each in range(200, decade)), f"{decade}[0-{last}]"))
    return re.compile(rf"(?:\0{_FEED_DAY}(?:{years}){_FEED_TIME}(?![^\0]))++")


MINUTE_DATE: Final = lazy_pattern(rf"{_DAY}{_MINUTES}{_ZONE}")
ORDINARY_PRIORITY: Final = lazy_pattern(r"0(?:\.[0-9]{0,20})?|1(?:\.0{0,20})?|\.[0-9]{1,20}")
CHANGEFREQS: Final = frozenset(CHANGEFREQ)
RESTLESS: Final = frozenset({"always", "hourly"})
RESTFUL: Final = "never"
MOST_HINT_BYTES: Final = HINT_MAX_BYTES_YANDEX
