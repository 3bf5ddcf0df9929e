"""`_redirects` and `_headers` as Netlify and Cloudflare Pages read them → redirects and robots directives of a path."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from urlset.model.address import Address
from urlset.reading.robots_directives import header_directives

REDIRECTS_FILE = "_redirects"
HEADERS_FILE = "_headers"

_STATUS = re.compile(r"([1-5][0-9]{2})(!?)")
_REDIRECTING = frozenset({301, 302, 303, 307, 308})
_CONDITION = re.compile(r"(?:Country|Language|Role|Cookie)=", re.IGNORECASE)
_PARAMETER = re.compile(r"[^/=\s]+=\S*")
_PLACEHOLDER = re.compile(r":([A-Za-z][A-Za-z0-9_]*)")
_MOST_RULES = 20_000


class Redirect(msgspec.Struct, frozen=True):
    origin: str
    target: str
    status: int
    forced: bool
    expression: re.Pattern[str]
    exact: str | None = None
    """the path itself, where the rule has no wildcard"""


class Redirects:
    """The rules in their order; the first that matches a path decides."""

    def __init__(self, text: str = "", *, host: str | None = None, need_force: bool = False) -> None:
        self._need_force = need_force
        self._exact: dict[str, tuple[int, Redirect]] = {}
        self._wild: list[tuple[int, Redirect]] = []
        for rank, rule in enumerate(filter(None, (_redirect(line, host) for line in text.splitlines()[:_MOST_RULES]))):
            if rule.exact is None:
                self._wild.append((rank, rule))
            else:
                self._exact.setdefault(rule.exact, (rank, rule))

    def target_of(self, path: str) -> str | None:
        """Where a page at that path is sent, as written in the rule; None when it is shown."""
        found = self.redirect_of(path)
        return None if found is None else found[0]

    def redirect_of(self, path: str) -> tuple[str, int] | None:
        """The same, and by which status."""
        found = [each for each in (self._exact.get(path), self._exact.get(_other_slash(path))) if each is not None]
        found += [each for each in self._wild if each[1].expression.fullmatch(path)][:1]
        for _, rule in sorted(found, key=lambda each: each[0]):
            target = _filled(rule, path)
            if target is None or target == path or (rule.exact != path and target == _other_slash(path)):
                continue
            if rule.status not in _REDIRECTING or (self._need_force and not rule.forced):
                return None
            return target, rule.status
        return None


def _other_slash(path: str) -> str:
    return path[:-1] if path.endswith("/") and path != "/" else f"{path}/"


def _redirect(line: str, host: str | None) -> Redirect | None:
    """None for comments, and for rules that hold only for some visitors or some queries."""
    words = line.partition(" #")[0].split()
    if len(words) < 2 or words[0].startswith("#"):
        return None
    origin, *rest = words
    if any(_CONDITION.match(word) for word in rest):
        return None
    if _PARAMETER.fullmatch(rest[0]) and not rest[0].startswith(("/", "http")):
        return None
    if "://" in origin:
        address = Address.parse(origin)
        if host is None or (address.host or "").lower() != host.lower():
            return None
        origin = address.path or "/"
    if not origin.startswith("/"):
        return None
    status = next((found for word in rest[1:] if (found := _STATUS.fullmatch(word))), None)
    wild = "*" in origin or _PLACEHOLDER.search(origin) is not None
    return Redirect(
        origin,
        rest[0],
        int(status[1]) if status else 301,
        bool(status and status[2]),
        re.compile(_expression(origin)),
        None if wild else origin,
    )


def _expression(pattern: str) -> str:
    """A star takes the rest of the path, also when it is empty; a placeholder takes one segment."""
    pieces: list[str] = []
    named: set[str] = set()
    for segment in re.split(r"(\*|:[A-Za-z][A-Za-z0-9_]*)", pattern):
        if segment == "*":
            pieces.append("(?P<splat>.*)" if "splat" not in named else ".*")
            named.add("splat")
        elif segment.startswith(":") and _PLACEHOLDER.fullmatch(segment):
            name = segment[1:]
            pieces.append(f"(?P<{name}>[^/]+)" if name not in named else "[^/]+")
            named.add(name)
        else:
            pieces.append(re.escape(segment))
    text = "".join(pieces)
    if pattern.endswith("/*"):
        text = text.removesuffix("/(?P<splat>.*)") + "(?:/(?P<splat>.*))?"
    return text


def _filled(rule: Redirect, path: str) -> str | None:
    match = rule.expression.fullmatch(path) or rule.expression.fullmatch(_other_slash(path))
    if match is None:
        return None
    values = match.groupdict()
    return _PLACEHOLDER.sub(lambda found: values.get(found[1]) or ("" if found[1] in values else found[0]), rule.target)


class Headers:
    """The X-Robots-Tag values of `_headers`; all rules that match a path add up."""

    def __init__(self, text: str = "") -> None:
        self._rules: list[tuple[re.Pattern[str], str]] = []
        pattern: re.Pattern[str] | None = None
        for line in text.splitlines():
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            if not line[0].isspace():
                pattern = _path_of(line.strip())
                continue
            name, colon, value = line.strip().partition(":")
            if (
                pattern is not None
                and colon
                and name.strip().lower() == "x-robots-tag"
                and len(self._rules) < _MOST_RULES
            ):
                self._rules.append((pattern, value.strip()))

    def directives_of(self, path: str, bots: Iterable[str] = ()) -> tuple[str, ...]:
        """For everyone, and for the named bots besides."""
        if not self._rules:
            return ()
        wanted = {"robots", *(bot.lower() for bot in bots)}
        told = [
            word
            for pattern, value in self._rules
            if pattern.fullmatch(path)
            for each in header_directives(value)
            if each.bot in wanted
            for word in each.directives
        ]
        return tuple(dict.fromkeys(told))


def _path_of(written: str) -> re.Pattern[str]:
    return re.compile(_expression(Address.parse(written).path if "://" in written else written))
