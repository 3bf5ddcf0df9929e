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

import msgspec

from urlset.model.columns import Columns
from urlset.model.document import Contents, LineKind, Robots, RobotsGroup, RobotsLine
from urlset.model.page import BotDirectives
from urlset.model.place import Place, between
from urlset.model.trouble import Trouble, TroubleKind, Troubles
from urlset.reading.decode import bad_utf8
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


# The value of a robots meta tag or an X-Robots-Tag header → directives per bot, in lowercase.

EVERYONE = "robots"

# The directives whose value follows a colon: a colon after any other word ends the name of a bot.
_WITH_VALUE = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
_DATED = "unavailable_after"
_PLAIN = frozenset(
    {
        *("all", "index", "noindex", "follow", "nofollow", "none", "archive", "noarchive", "nocache", "snippet"),
        *("nosnippet", "noimageindex", "notranslate", "indexifembedded", "nositelinkssearchbox", "noodp", "noydir"),
        *("noai", "noimageai", "noyaca"),
    }
)
"""the directives without a value"""
_SEPARATOR = lazy_pattern(r"\s*,\s*")
_COLON = lazy_pattern(r"\s*:\s*")
_BOT = lazy_pattern(r"([A-Za-z][A-Za-z0-9_.*-]*)\s*:\s*(.*)", re.DOTALL)
# A date may hold commas ("Wed, 25 Jun 2031"); a word that is not a directive belongs to the date before it.
_LONE_WORD = lazy_pattern(r"[a-z][a-z_-]+(?:\s*:\s*[a-z0-9-]+)?")


def meta_directives(content: str) -> tuple[str, ...]:
    """`NoIndex, max-snippet : 20` → `noindex`, `max-snippet:20`.

    The norm is a comma between directives, and no engine documents how it reads `noindex nofollow`. Known directives
    that are separated by whitespace only are split, to be on the safe side; any other text is kept as written.
    """
    return tuple(_directives(content))


def header_directives(value: str) -> tuple[BotDirectives, ...]:
    """One header value, in which a bot's name before a colon claims what follows: `bingbot: noindex, nofollow`."""
    found: list[BotDirectives] = []
    bot, gathered = EVERYONE, list[str]()
    for piece in _SEPARATOR.split(value.strip()):
        named = _BOT.fullmatch(piece)
        if named and named[1].lower() not in _WITH_VALUE:
            if gathered:
                found.append(BotDirectives(bot, tuple(_directives(", ".join(gathered)))))
            bot = EVERYONE if named[1] == "*" else named[1].lower()
            gathered = [named[2]]
        else:
            gathered.append(piece)
    words = tuple(_directives(", ".join(gathered)))
    return (*found, BotDirectives(bot, words)) if words else tuple(found)


def _directives(content: str) -> list[str]:
    found: list[str] = []
    for piece in _SEPARATOR.split(content.strip().lower()):
        if not piece:
            continue
        if found and found[-1].startswith(_DATED) and not _LONE_WORD.fullmatch(piece):
            found[-1] += f", {piece}"
            continue
        for part in _without_commas(piece):
            name, colon, value = part.partition(":")
            found.append(f"{name.strip()}:{value.strip()}" if colon else " ".join(part.split()))
    return found


def _without_commas(piece: str) -> list[str]:
    """The directives between two commas; usually one."""
    words = _COLON.sub(":", piece).split()
    if len(words) < 2:
        return [piece]
    parts: list[str] = []
    for place, word in enumerate(words):
        name = word.partition(":")[0]
        if word == name and name in _PLAIN:
            parts.append(word)
        elif name == _DATED:
            return [*parts, " ".join(words[place:])]  # a date may hold spaces
        elif word != name and name in _WITH_VALUE:
            parts.append(word)
        else:
            return [piece]
    return parts


# robots.txt and the path of an address → whether a crawler may fetch it, and the line that says so.
#
# RFC 9309 with Google's answers where it leaves room: the longest rule in octets wins, allow wins a tie, groups for
# the same agent are one, `*` counts only when no group names the agent. Google compares escapes as they are written;
# the RFC, and so every other agent here, takes an escaped letter for the letter.

ROBOTS_PATH = "/robots.txt"

_TOKEN = lazy_pattern(r"[A-Za-z_-]+")
_GLOBAL = lazy_pattern(r"\*(?:\s.*)?", re.DOTALL)
# A crawler obeys the group of the family when its own name is not there.
_FAMILY = {
    "googlebot-image": "googlebot",
    "googlebot-news": "googlebot",
    "googlebot-video": "googlebot",
    "yandexbot": "yandex",
    "yandeximages": "yandex",
    "bingbot": "msnbot",
    "applebot": "googlebot",
}
_GOOGLE = lazy_pattern(
    r"(?:googlebot|adsbot-google|mediapartners-google|google-|storebot-google|googleother)", re.IGNORECASE
)
_ESCAPE = lazy_pattern(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_INDEX_PAGE = "/index.htm"


class Match(msgspec.Struct, frozen=True):
    allowed: bool
    line: RobotsLine | None = None
    """the line that decided; None when no rule forbids the path, even if one allows it"""


_FREE = Match(allowed=True)


def is_allowed(robots: Robots, agent: str, path: str) -> Match:
    """`path` is the path and query of an address, as written there."""
    return matcher_for(robots, agent).match(path)


def matcher_for(robots: Robots, agent: str) -> RobotsMatcher:
    """The rules for one agent, ready for many paths."""
    lines = [line for group in groups_for(robots, agent) for line in group.lines]
    return RobotsMatcher(lines, google=_GOOGLE.match(agent) is not None)


def groups_for(robots: Robots, agent: str) -> list[RobotsGroup]:
    """The groups that count for an agent: those that name it, else its family, else everyone's."""
    token = _token(agent)
    wanted: str | None = token
    while wanted:
        found = [group for group in robots.groups if any(_token(name) == wanted for name in group.agents)]
        if found:
            return found
        wanted = _FAMILY.get(wanted)
    return [group for group in robots.groups if any(_GLOBAL.fullmatch(name.strip()) for name in group.agents)]


def _token(agent: str) -> str:
    """`Googlebot/2.1 (+http…)` → `googlebot`; empty for anything else."""
    match = _TOKEN.match(agent.strip())
    return match[0].lower() if match else ""


class _Rule(msgspec.Struct, frozen=True):
    pieces: tuple[str, ...]
    """the text between the stars"""
    anchored: bool
    length: int
    allows: bool
    line: RobotsLine

    def matches(self, path: str) -> bool:
        """Leftmost finds suffice for stars, so the time is linear in their number."""
        first, *rest = self.pieces
        if not path.startswith(first):
            return False
        if not rest:
            return not self.anchored or len(path) == len(first)
        at = len(first)
        last = rest.pop() if self.anchored else ""
        for piece in rest:
            at = path.find(piece, at)
            if at == -1:
                return False
            at += len(piece)
        return not self.anchored or (path.endswith(last) and len(path) - len(last) >= at)


class RobotsMatcher:
    """The rules that count for one agent, the longest first, allow before disallow of the same length."""

    def __init__(self, lines: list[RobotsLine], *, google: bool = False) -> None:
        self._decode = not google
        rules = [rule for line in lines for rule in self._rules(line, google=google)]
        self._rules_in_order = sorted(rules, key=lambda rule: (-rule.length, not rule.allows))
        forbidding = [rule for rule in rules if not rule.allows]
        self._prefixes = tuple({rule.pieces[0] for rule in forbidding if len(rule.pieces) == 1})
        self._wild = [(max(rule.pieces, key=len), rule) for rule in forbidding if len(rule.pieces) > 1]

    def match(self, path: str) -> Match:
        path = _normal(path.partition("#")[0] or "/", decode=self._decode, is_path=True)
        if not self._may_be_forbidden(path) or path == ROBOTS_PATH:
            return _FREE
        for rule in self._rules_in_order:
            if rule.matches(path):
                return Match(rule.allows, rule.line)
        return _FREE

    def _may_be_forbidden(self, path: str) -> bool:
        """Most paths are decided here; the line that allows a path is worth finding only if another forbids it."""
        if path.startswith(self._prefixes):
            return True
        for piece, rule in self._wild:  # noqa: SIM110 - a generator here costs more than all the rest
            if piece in path and rule.matches(path):
                return True
        return False

    def _rules(self, line: RobotsLine, *, google: bool) -> list[_Rule]:
        if line.kind not in (LineKind.ALLOW, LineKind.DISALLOW):
            return []
        value = line.value.strip()
        if not value:
            return []
        allows = line.kind is LineKind.ALLOW
        rules = [self._rule(value, line, allows=allows)]
        folder, slash, name = value.rpartition("/")
        if google and allows and (slash + name).startswith(_INDEX_PAGE):
            # Google takes index.htm and index.html for the folder itself
            rules.append(self._rule(f"{folder}/$", line, allows=True))
        return rules

    def _rule(self, value: str, line: RobotsLine, *, allows: bool) -> _Rule:
        pattern = _normal(value, decode=self._decode, is_path=False)
        body, anchored = pattern.removesuffix("$"), pattern.endswith("$")
        if self._decode:
            body = body.replace("$", "%24")
        return _Rule(tuple(body.split("*")), anchored, len(pattern), allows, line)


def _normal(text: str, *, decode: bool, is_path: bool) -> str:
    """Everything beyond ASCII escaped, escapes in uppercase and, by the RFC, letters and digits unescaped."""
    if not text.isascii() or " " in text:
        text = "".join(
            character
            if " " < character < "\x7f"
            else "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "replace"))
            for character in text
        )
    if "%" in text:
        text = _ESCAPE.sub(_unescaped if decode else lambda match: match[0].upper(), text)
    if is_path and decode and ("*" in text or "$" in text):
        text = text.replace("*", "%2A").replace("$", "%24")  # in a rule these two are written so to mean themselves
    return text


def _unescaped(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()
