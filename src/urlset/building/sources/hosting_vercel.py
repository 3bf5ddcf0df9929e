"""`vercel.json` → its redirects, headers, clean URLs and trailing slash.

Its redirects come before files, so a page under a redirect is never shown. Rules with `has` or `missing` hold only for
some requests and are passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from urlset.building.sources.hosting_rules import HeaderRule, Redirect
from urlset.building.sources.options import IndexStyle, PageStyle

FILE_NAME = "vercel.json"

_PERMANENT, _TEMPORARY = 308, 307
_LONGEST_PATTERN = 500
# `:name`, with its own expression in brackets and a modifier; an expression without a name; an escaped character.
_PART = re.compile(r"(/?):([A-Za-z_][A-Za-z0-9_]*)(\((?:[^()\\]|\\.|\([^()]*\))*\))?([*+?]?)|\\(.)")
_PLAIN = re.compile(r"[^:()*+?\\\[\]{}|^$]*")


class VercelConfig:
    def __init__(self, text: str) -> None:
        """Raises ValueError for anything but a JSON object."""
        given = json.loads(text)
        if not isinstance(given, dict):
            raise ValueError("not a JSON object")  # noqa: TRY004 - the content is wrong, not a type in the program
        self._given: Mapping[str, Any] = given

    def is_about(self, folder: Path, home: Path) -> bool:
        """Whether the file, which lies in `home`, is about that folder; one that names no folder is about any."""
        output = self._given.get("outputDirectory")
        return not isinstance(output, str) or (home / output.strip("/")).resolve() == folder.resolve()

    def redirects(self) -> Iterator[Redirect]:
        for rule in self._rules("redirects"):
            target = rule.get("destination")
            expression = _expression(rule.get("source"))
            if not isinstance(target, str) or expression is None:
                continue
            status = rule.get("statusCode")
            if not isinstance(status, int):
                status = _TEMPORARY if rule.get("permanent") is False else _PERMANENT
            source = str(rule["source"])
            exact = source if _PLAIN.fullmatch(source) else None
            yield Redirect(target, status, expression, exact, either_slash=self._normalizes_slash)
        for rule in self._rules("routes"):
            status, target = rule.get("status"), _header(rule.get("headers"), "location")
            expression = _compiled(rule.get("src"))
            if expression is not None and isinstance(status, int) and target is not None:
                yield Redirect(target, status, expression, either_slash=self._normalizes_slash)

    def headers(self) -> Iterator[HeaderRule]:
        for rule in self._rules("headers"):
            expression = _expression(rule.get("source"))
            listed = rule.get("headers")
            for each in listed if expression is not None and isinstance(listed, list) else ():
                if isinstance(each, dict) and str(each.get("key")).lower() == "x-robots-tag":
                    assert expression is not None
                    yield HeaderRule(expression, str(each.get("value")))
        for rule in self._rules("routes"):
            expression, robots = _compiled(rule.get("src")), _header(rule.get("headers"), "x-robots-tag")
            if expression is not None and robots is not None:
                yield HeaderRule(expression, robots)

    @property
    def page_style(self) -> PageStyle:
        if self._given.get("cleanUrls") is not True:
            return "auto"
        return "slash" if self._given.get("trailingSlash") is True else "drop"

    @property
    def index_style(self) -> IndexStyle:
        slash = self._given.get("trailingSlash")
        if isinstance(slash, bool):
            return "slash" if slash else "bare"
        return "bare" if self._given.get("cleanUrls") is True else "auto"

    @property
    def _normalizes_slash(self) -> bool:
        """The host settles the slash at the end before it looks for a rule."""
        return isinstance(self._given.get("trailingSlash"), bool)

    def _rules(self, name: str) -> Iterator[Mapping[str, Any]]:
        listed = self._given.get(name)
        for rule in listed if isinstance(listed, list) else ():
            if isinstance(rule, dict) and not rule.get("has") and not rule.get("missing"):
                yield rule


def _header(given: object, name: str) -> str | None:
    if not isinstance(given, dict):
        return None
    return next((str(value) for key, value in given.items() if str(key).lower() == name), None)


def _expression(source: object) -> re.Pattern[str] | None:
    """`/blog/:slug*`, `/post/:id(\\d+)`, `/(.*)`: names take one segment, with `*` or `+` several."""
    if not isinstance(source, str) or not source.startswith("/") or len(source) > _LONGEST_PATTERN:
        return None
    pieces: list[str] = []
    named: set[str] = set()
    at = 0
    for part in _PART.finditer(source):
        pieces.append(_literal(source[at : part.start()]))
        at = part.end()
        if part[5] is not None:
            pieces.append(re.escape(part[5]))
            continue
        slash, name, own, many = part[1], part[2], part[3], part[4]
        inner = own[1:-1] if own else ".*" if many == "*" else ".+" if many == "+" else "[^/]+"
        group = f"({inner})" if name in named else f"(?P<{name}>{inner})"
        named.add(name)
        pieces.append(f"(?:{slash}{group})?" if many in ("*", "?") else f"{slash}{group}")
    pieces.append(_literal(source[at:]))
    return _compiled("".join(pieces))


def _literal(text: str) -> str:
    """Text between names: parentheses hold an expression already, and an unbalanced one makes the rule invalid."""
    pieces = re.split(r"(\((?:[^()\\]|\\.|\([^()]*\))*\))", text)
    return "".join(
        piece if place % 2 else re.escape(piece).replace("\\(", "(").replace("\\)", ")")
        for place, piece in enumerate(pieces)
    )


def _compiled(expression: object) -> re.Pattern[str] | None:
    if not isinstance(expression, str) or len(expression) > 2 * _LONGEST_PATTERN:
        return None
    try:
        return re.compile(expression)
    except (re.error, RecursionError, OverflowError):
        return None
