"""The configuration of the host that lies in or beside a build folder → redirects, robots headers, address style.

`_redirects` and `_headers` lie in the folder. `netlify.toml` and `vercel.json` lie in it, or beside it in the project,
where they count unless they name another folder. Earlier files decide first.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from urlset.building.candidate import RowTrouble
from urlset.building.sources.source import IndexStyle, PageStyle
from urlset.reading.robots import header_directives

_LARGEST = 4 << 20
_Config = TypeVar("_Config", "NetlifyConfig", "VercelConfig")


class Hosting:
    """What the host of a folder does to its pages; `troubles` name files that cannot be used."""

    def __init__(self, folder: Path, *, host: str | None = None, need_force: bool = False) -> None:
        self.troubles: list[RowTrouble] = []
        self.page_style: PageStyle = "auto"
        self.index_style: IndexStyle = "auto"
        """as the host serves pages; `auto` where its files do not say"""
        self._folder = folder
        netlify = self._config(NETLIFY_FILE, NetlifyConfig)
        # where netlify.toml shows which host reads _redirects, a page comes before a rule without `!`
        need_force = need_force or netlify is not None
        redirects: list[Redirect] = list(
            redirects_in(_text_of(folder / REDIRECTS_FILE) or "", host=host, need_force=need_force)
        )
        headers: list[HeaderRule] = list(headers_in(_text_of(folder / HEADERS_FILE) or "", host=host))
        if netlify is not None:
            redirects.extend(netlify.redirects(host))
            headers.extend(netlify.headers(host))
            if netlify.pretty_urls:
                self.page_style, self.index_style = "drop", "slash"
        vercel = self._config(VERCEL_FILE, VercelConfig)
        if vercel is not None:
            redirects.extend(vercel.redirects())
            headers.extend(vercel.headers())
            if vercel.page_style != "auto":
                self.page_style = vercel.page_style
            if vercel.index_style != "auto":
                self.index_style = vercel.index_style
        self.redirects = Redirects(redirects)
        self.headers = Headers(headers)
        self.has_rules = bool(redirects or headers)

    def _config(self, name: str, kind: type[_Config]) -> _Config | None:
        """The file in the folder, or one beside it that is about the folder."""
        for path in (self._folder / name, self._folder.resolve().parent / name):
            text = _text_of(path)
            if text is None:
                continue
            try:
                found = kind(text)
            except (ValueError, RecursionError) as error:
                self.troubles.append(RowTrouble(path.name, f"cannot be used: {error}"))
                continue
            if path.parent == self._folder or found.is_about(self._folder, path.parent):
                return found
        return None


def _text_of(path: Path) -> str | None:
    """None where there is no regular file, or none of a size that such files have."""
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return None


# Redirects and headers of a host, from whatever file they came → what they make of a path.

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

    def target_of(self, path: str) -> str | None:
        """Where a page at that path is sent, as written in the rule; None when it is shown."""
        found = self.redirect_of(path)
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


# `_redirects` and `_headers` as Netlify and Cloudflare Pages read them → rules.

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


# `netlify.toml` → its redirects, headers, and whether pages are served without their ending.

NETLIFY_FILE = "netlify.toml"


class NetlifyConfig:
    def __init__(self, text: str) -> None:
        """Raises ValueError for invalid TOML."""
        self._given: Mapping[str, Any] = tomllib.loads(text)

    def is_about(self, folder: Path, home: Path) -> bool:
        """Whether the file, which lies in `home`, is about that folder; one that names no folder is about any."""
        build = _table(self._given.get("build"))
        publish = build.get("publish")
        if not isinstance(publish, str):
            return True
        base = build.get("base")
        below = home / base.strip("/") if isinstance(base, str) else home
        return folder.resolve() in ((below / publish.strip("/")).resolve(), (home / publish.strip("/")).resolve())

    def redirects(self, host: str | None) -> Iterator[Redirect]:
        """Without those that hold only for some visitors; without `force` a page at the path is shown instead."""
        for rule in _tables(self._given.get("redirects")):
            origin, target, status = rule.get("from"), rule.get("to"), rule.get("status", 301)
            conditional = rule.get("conditions") or rule.get("query")
            if not isinstance(origin, str) or not isinstance(target, str) or not isinstance(status, int) or conditional:
                continue
            found = rule_of(origin, target, status, host, shadowed=rule.get("force") is not True)
            if found is not None:
                yield found

    def headers(self, host: str | None) -> Iterator[HeaderRule]:
        for rule in _tables(self._given.get("headers")):
            place, values = rule.get("for"), _table(rule.get("values"))
            pattern = path_pattern(place, host) if isinstance(place, str) else None
            for name, value in values.items():
                if pattern is not None and name.lower() == "x-robots-tag":
                    several = value if isinstance(value, list) else [value]
                    yield from (HeaderRule(pattern, str(each)) for each in several)

    @property
    def pretty_urls(self) -> bool:
        processing = _table(_table(_table(self._given.get("build")).get("processing")).get("html"))
        return processing.get("pretty_urls") is True


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _tables(value: object) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


# `vercel.json` → its redirects, headers, clean URLs and trailing slash.
#
# Its redirects come before files, so a page under a redirect is never shown. Rules with `has` or `missing` hold only
# for some requests and are passed over.

VERCEL_FILE = "vercel.json"

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
            expression = _vercel_expression(rule.get("source"))
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
            expression = _vercel_expression(rule.get("source"))
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


def _vercel_expression(source: object) -> re.Pattern[str] | None:
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
