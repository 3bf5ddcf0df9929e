"""robots.txt → groups, rules and Sitemap lines, by RFC 9309 with the leniencies of Google's parser.

Two decisions the RFC leaves open follow Google: only an allow or disallow rule ends a list of user agents
(so `User-agent: a`, `Crawl-delay: 5`, `User-agent: b` is one group of two agents), and rules before the
first user agent belong to no group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from urlset.model.columns import Columns
from urlset.model.document import Contents
from urlset.model.place import Place, between
from urlset.model.robots import LineKind, Robots, RobotsGroup, RobotsLine
from urlset.model.trouble import Trouble, TroubleKind, Troubles
from urlset.reading.characters import bad_utf8
from urlset.reading.front_matter import front_matter_end
from urlset.spec.lazy_pattern import lazy_pattern

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_READ_AT_MOST = 8 << 20
_MAX_LINES = 200_000
"""Far beyond any engine's limit; keeps a hostile file from costing a hundred times its size."""

_LOOK_AT_BYTES = 1 << 16
_SHOWN = 120
_BAD_BYTES_PER_LINE = 20

_FIELD_LINE = lazy_pattern(rb"(?:^|[\r\n])[ \t]*(?:user-?agent|site-?map|(?:dis)?allow)[ \t]*:", re.IGNORECASE)
_CONTENT = lazy_pattern(rb"[^\r\n]+")
# Text, markup or data that happens to have a colon: names of fields have no such signs, and not three words.
_NO_FIELD = lazy_pattern(rb"""["'{}\[\]<>()=;/\\$%@!?&|,]|\S\s+\S+\s+\S""")
_WITHOUT_COLON = lazy_pattern(rb"(?P<field>[A-Za-z-]+)[ \t]+(?P<value>\S+)")
_ADDRESS = lazy_pattern(rb"[A-Za-z][A-Za-z0-9+.-]*://")

# The first four by how the field begins, as Google's parser has it: "Sitemaps" and "Disallowed" count.
_BY_BEGINNING = (
    (LineKind.USER_AGENT, ("user-agent", "useragent", "user agent")),
    (LineKind.ALLOW, ("allow",)),
    (
        LineKind.DISALLOW,
        ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"),
    ),
    (LineKind.SITEMAP, ("sitemap", "site-map")),
)
_BY_NAME = {
    "crawl-delay": LineKind.CRAWL_DELAY,
    "crawldelay": LineKind.CRAWL_DELAY,
    "crawl delay": LineKind.CRAWL_DELAY,
    "host": LineKind.HOST,
    "clean-param": LineKind.CLEAN_PARAM,
    "noindex": LineKind.NOINDEX,
}
_RULES = frozenset({LineKind.ALLOW, LineKind.DISALLOW})
_OUTSIDE_GROUPS = frozenset({LineKind.SITEMAP, LineKind.HOST, LineKind.CLEAN_PARAM})


def recognizes(data: bytes) -> bool:
    """Some line near the beginning has a field that only robots.txt has, and the whole is not markup."""
    # a template that was not rendered: its front matter may have keys that robots.txt has too
    begin = front_matter_end(data)
    head = data[begin : begin + _LOOK_AT_BYTES].removeprefix(_BYTE_ORDER_MARK)
    return not head.lstrip().startswith(b"<") and _FIELD_LINE.search(head) is not None


def read(data: bytes) -> Contents:
    robots, troubles = read_robots(data)
    return Contents(Columns(), Troubles(troubles), robots)


def read_robots(data: bytes) -> tuple[Robots, list[Trouble]]:
    """Never raises. A line's `place` is the whole line without its end, `value_place` just the value."""
    troubles: list[Trouble] = []
    lines: list[RobotsLine] = []
    for physical in _physical_lines(data, troubles):
        if line := _read_line(physical, troubles):
            lines.append(line)
        if len(lines) + len(troubles) >= _MAX_LINES:
            place = Place(physical.start + len(physical.raw))
            troubles.append(Trouble(TroubleKind.TOO_LARGE, place, f"more than {_MAX_LINES:,} lines"))
            break
    sitemaps = tuple(line for line in lines if line.kind is LineKind.SITEMAP)
    return Robots(tuple(_groups(lines)), sitemaps, tuple(lines)), troubles


class _Physical(NamedTuple):
    number: int
    start: int
    raw: bytes


def _physical_lines(data: bytes, troubles: list[Trouble]) -> Iterator[_Physical]:
    """The lines that are not empty; CR, LF and CRLF each end one line."""
    end = len(data)
    if end > _READ_AT_MOST:
        # half a rule is a wrong rule: stop at the end of a line
        end = 1 + max(data.rfind(b"\n", 0, _READ_AT_MOST), data.rfind(b"\r", 0, _READ_AT_MOST))
        troubles.append(Trouble(TroubleKind.TOO_LARGE, Place(end), f"more than {_READ_AT_MOST:,} bytes"))
    begin = len(_BYTE_ORDER_MARK) if data.startswith(_BYTE_ORDER_MARK) else 0
    number, behind = 1, begin
    begin = max(begin, front_matter_end(data))
    for content in _CONTENT.finditer(data, begin, end):
        gap = data[behind : content.start()]
        number += gap.count(b"\n") + gap.count(b"\r") - gap.count(b"\r\n")
        behind = content.end()
        yield _Physical(number, content.start(), content.group())


def _read_line(line: _Physical, troubles: list[Trouble]) -> RobotsLine | None:
    place = Place(line.start, len(line.raw))
    content = line.raw.partition(b"#")[0].rstrip()
    indent = len(content) - len(content.lstrip())
    if indent == len(content):
        return None
    for start, end in islice(bad_utf8(content), _BAD_BYTES_PER_LINE):
        detail = content[start:end][:8].hex(" ").upper()
        troubles.append(Trouble(TroubleKind.BAD_UTF8, between(line.start + start, line.start + end), detail))
    split = _split(content, indent)
    if split is None:
        shown = content[indent : indent + _SHOWN].decode("utf-8", "replace")
        troubles.append(Trouble(TroubleKind.BAD_LINE, place, shown))
        return None
    field_end, value_start = split
    written = content[indent:field_end].decode("utf-8", "replace")
    value = content[value_start:]
    value_place = Place(line.start + value_start, len(value))
    return RobotsLine(_kind(written), written, value.decode("utf-8", "replace"), place, value_place, line.number)


def _split(content: bytes, indent: int) -> tuple[int, int] | None:
    """Where the field ends and where the value begins; None when it is not a `field: value` line."""
    bare = _WITHOUT_COLON.fullmatch(content, indent)
    colon = content.find(b":", indent)
    if bare is not None:
        kind = _kind(bare["field"].decode())
        # the colon of `Sitemap https://…` is not the one that separates
        if (colon == -1 and kind is not LineKind.OTHER) or (kind is LineKind.SITEMAP and _ADDRESS.match(bare["value"])):
            return bare.end("field"), bare.start("value")
    field = content[indent:colon].rstrip() if colon != -1 else b""
    if not field or (_NO_FIELD.search(field) and _kind(field.decode("utf-8", "replace")) is LineKind.OTHER):
        return None
    value = content[colon + 1 :]
    return indent + len(field), len(content) - len(value.lstrip())


def _kind(written: str) -> LineKind:
    lower = written.lower()
    for kind, beginnings in _BY_BEGINNING:
        if lower.startswith(beginnings):
            return kind
    return _BY_NAME.get(lower, LineKind.OTHER)


def delay_groups(robots: Robots) -> Robots:
    """The same lines, each Crawl-delay with just the agents named directly above it.

    Google ignores the line, so for its rules the agents after it join those before. The author of such a line means
    it to end a list of agents as a rule does.
    """
    return Robots(tuple(_groups(list(robots.lines), _RULES | {LineKind.CRAWL_DELAY})), robots.sitemaps, robots.lines)


def _groups(lines: list[RobotsLine], ending: frozenset[LineKind] = _RULES) -> Iterator[RobotsGroup]:
    """`ending`: the kinds of lines after which a user agent begins another group."""
    agents: list[str] = []
    members: list[RobotsLine] = []
    rules_began = False
    for line in lines:
        if line.kind is LineKind.USER_AGENT:
            if rules_began:
                yield RobotsGroup(tuple(agents), tuple(members))
                agents, members, rules_began = [], [], False
            agents.append(line.value)
        elif agents and line.kind not in _OUTSIDE_GROUPS:
            members.append(line)
            rules_began = rules_began or line.kind in ending
    if agents:
        yield RobotsGroup(tuple(agents), tuple(members))
