"""robots.txt and the path of an address → whether a crawler may fetch it, and the line that says so.

RFC 9309 with Google's answers where it leaves room: the longest rule in octets wins, allow wins a tie, groups for
the same agent are one, `*` counts only when no group names the agent. Google compares escapes as they are written;
the RFC, and so every other agent here, takes an escaped letter for the letter.
"""

from __future__ import annotations

import re

import msgspec

from urlset.model.robots import LineKind, Robots, RobotsGroup, RobotsLine
from urlset.spec.lazy_pattern import lazy_pattern

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


def _escaped(text: str) -> str:
    return "".join(
        character
        if " " < character < "\x7f"
        else "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "replace"))
        for character in text
    )


def _normal(text: str, *, decode: bool, is_path: bool) -> str:
    """Everything beyond ASCII escaped, escapes in uppercase and, by the RFC, letters and digits unescaped."""
    if not text.isascii() or " " in text:
        text = _escaped(text)
    if "%" in text:
        text = _ESCAPE.sub(_unescaped if decode else _upper, text)
    if is_path and decode and ("*" in text or "$" in text):
        text = text.replace("*", "%2A").replace("$", "%24")  # in a rule these two are written so to mean themselves
    return text


def _unescaped(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _upper(match: re.Match[str]) -> str:
    return match[0].upper()
