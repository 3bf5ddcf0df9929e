"""`_redirects` and `_headers` as Netlify and Cloudflare Pages read them → rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.building.sources.hosting_rules import MOST_RULES, HeaderRule, Redirect

REDIRECTS_FILE = "_redirects"
HEADERS_FILE = "_headers"

_STATUS = re.compile(r"([1-5][0-9]{2})(!?)")
_CONDITION = re.compile(r"(?:Country|Language|Role|Cookie)=", re.IGNORECASE)
_PARAMETER = re.compile(r"[^/=\s]+=\S*")
_PLACEHOLDER = re.compile(r":([A-Za-z][A-Za-z0-9_]*)")
_WITH_HOST = re.compile(r"https?://([^/]*)(.*)", re.IGNORECASE)
_FIRST_ERROR = 400


def redirects_in(text: str, *, host: str | None = None, need_force: bool = False) -> Iterator[Redirect]:
    """`need_force`: a rule without `!` is shadowed by the page, as Netlify does it; other hosts redirect always."""
    for line in text.splitlines()[:MOST_RULES]:
        rule = _redirect(line, host, need_force=need_force)
        if rule is not None:
            yield rule


def headers_in(text: str, *, host: str | None = None) -> Iterator[HeaderRule]:
    """`! X-Robots-Tag` takes back what rules before it set."""
    pattern: re.Pattern[str] | None = None
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line[0].isspace():
            pattern = path_pattern(line.strip(), host)
            continue
        name, colon, value = line.strip().partition(":")
        taken_back = name.startswith("!") and not colon
        if pattern is None or name.removeprefix("!").strip().lower() != "x-robots-tag" or not (colon or taken_back):
            continue
        yield HeaderRule(pattern, None if taken_back else value.strip())


def path_pattern(written: str, host: str | None) -> re.Pattern[str] | None:
    """The paths that `/a/*` or `/a/:name` matches; None for a rule of another host, such as that of previews."""
    path = _path_at(host, written)
    return None if path is None else re.compile(_expression(path))


def _path_at(host: str | None, written: str) -> str | None:
    """The path of a rule that may begin with a host; None where that is not the host of the site."""
    found = _WITH_HOST.fullmatch(written)
    if found is None:
        return written
    labels, own = found[1].lower().split("."), (host or "").lower().split(".")
    same = len(labels) == len(own) and all(a in ("*", b) or a.startswith(":") for a, b in zip(labels, own, strict=True))
    return found[2] or "/" if host and same else None


def rule_of(origin: str, target: str, status: int, host: str | None, *, shadowed: bool) -> Redirect | None:
    """None for a rule of another host, and for a value that is not a path."""
    path = _path_at(host, origin)
    if path is None or not path.startswith("/"):
        return None
    origin = path
    wild = "*" in origin or _PLACEHOLDER.search(origin) is not None
    expression = re.compile(_expression(origin))
    return Redirect(target, status, expression, None if wild else origin, shadowed)


def _redirect(line: str, host: str | None, *, need_force: bool) -> Redirect | None:
    """None for comments, and for rules that hold only for some visitors or some queries."""
    words = line.partition(" #")[0].split()
    if len(words) < 2 or words[0].startswith("#"):
        return None
    origin, *rest = words
    if any(_CONDITION.match(word) for word in rest):
        return None
    if _PARAMETER.fullmatch(rest[0]) and not rest[0].startswith(("/", "http")):
        return None
    status = next((found for word in rest[1:] if (found := _STATUS.fullmatch(word))), None)
    forced = bool(status and status[2])
    code = int(status[1]) if status else 301
    # only Netlify knows rules that end in an error, and there a page without `!` comes first
    shadowed = not forced and (need_force or code >= _FIRST_ERROR)
    return rule_of(origin, rest[0], code, host, shadowed=shadowed)


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
