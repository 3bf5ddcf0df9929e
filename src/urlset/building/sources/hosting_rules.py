"""Redirects and headers of a host, from whatever file they came → what they make of a path."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from urlset.reading.robots_directives import header_directives

MOST_RULES = 20_000
_REDIRECTING = frozenset({301, 302, 303, 307, 308})
_HIDING = frozenset({401, 403, 404, 410, 451})
_REFERENCE = re.compile(r":([A-Za-z][A-Za-z0-9_]*)[*+?]?|\$([1-9])")


class Redirect(msgspec.Struct, frozen=True):
    """The named groups of the expression are filled into the target as `:name`, numbered ones as `$1`."""

    target: str
    status: int
    expression: re.Pattern[str]
    exact: str | None = None
    """the path itself, where the rule has no wildcard"""
    shadowed: bool = False
    """a page at that path is shown instead of the redirect"""
    either_slash: bool = True
    """the rule holds with and without a slash at the end of the path"""


class HeaderRule(msgspec.Struct, frozen=True):
    expression: re.Pattern[str]
    robots: str | None
    """the value of X-Robots-Tag; None takes back the values of earlier rules"""


class Redirects:
    """The rules in their order; the first that matches a path decides."""

    def __init__(self, rules: Iterable[Redirect] = ()) -> None:
        self._exact: dict[str, tuple[int, Redirect]] = {}
        self._wild: list[tuple[int, Redirect]] = []
        for rank, rule in enumerate(rules):
            if rank >= MOST_RULES:
                break
            if rule.exact is None:
                self._wild.append((rank, rule))
            else:
                self._exact.setdefault(rule.exact, (rank, rule))

    def target_of(self, path: str, *, exists: bool = True) -> str | None:
        """Where a page at that path is sent, as written in the rule; None when it is shown."""
        found = self.redirect_of(path, exists=exists)
        return None if found is None else found[0]

    def redirect_of(self, path: str, *, exists: bool = True) -> tuple[str, int] | None:
        """The same, and by which status; `exists`: there is a file for the path."""
        found = self._decided(path, exists=exists)
        return found if found is not None and found[1] in _REDIRECTING else None

    def error_of(self, path: str) -> int | None:
        """The status by which a rule hides the page at that path."""
        found = self._decided(path, exists=True)
        return found[1] if found is not None and found[1] in _HIDING else None

    def _decided(self, path: str, *, exists: bool) -> tuple[str, int] | None:
        if not self._exact and not self._wild:
            return None
        other = self._exact.get(_other_slash(path))
        found = [each for each in (self._exact.get(path), other if other and other[1].either_slash else None) if each]
        found += [each for each in self._wild if each[1].expression.fullmatch(path)][:1]
        for _, rule in sorted(found, key=lambda each: each[0]):
            target = _filled(rule, path)
            if target is None or target == path or (rule.exact != path and target == _other_slash(path)):
                continue
            return None if rule.shadowed and exists else (target, rule.status)
        return None


class Headers:
    """The X-Robots-Tag values of a host; all rules that match a path add up."""

    def __init__(self, rules: Iterable[HeaderRule] = ()) -> None:
        self._rules = list(rules)[:MOST_RULES]

    def directives_of(self, path: str, bots: Iterable[str] = ()) -> tuple[str, ...]:
        """For everyone, and for the named bots too."""
        if not self._rules:
            return ()
        wanted = {"robots", *(bot.lower() for bot in bots)}
        words: dict[str, None] = {}
        for rule in self._rules:
            if not rule.expression.fullmatch(path):
                continue
            if rule.robots is None:
                words.clear()
            for each in header_directives(rule.robots or ""):
                words.update(dict.fromkeys(each.directives if each.bot in wanted else ()))
        return tuple(words)


def _other_slash(path: str) -> str:
    return path[:-1] if path.endswith("/") and path != "/" else f"{path}/"


def _filled(rule: Redirect, path: str) -> str | None:
    match = rule.expression.fullmatch(path)
    if match is None and rule.either_slash:
        match = rule.expression.fullmatch(_other_slash(path))
    if match is None:
        return None
    values = match.groupdict()

    def value(found: re.Match[str]) -> str:
        if found[1]:
            return values.get(found[1]) or ("" if found[1] in values else found[0])
        number = int(found[2])
        return (match[number] or "") if number <= (match.re.groups or 0) else found[0]

    return _REFERENCE.sub(value, rule.target)
