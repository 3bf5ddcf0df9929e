"""A judged page → what is wrong with it first of all, as features that pages with one cause share.

A page has one symptom at most: whatever else is found on it (a redirected page with a wrong date) goes away with it
or can be seen only after it. Pages without one have what their rules say, see `Causes.add`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import unquote

from urlset.auditing.indexable import canonical_elsewhere, may_list, noindex_code
from urlset.auditing.sections import path_shape
from urlset.model.page import NOINDEX
from urlset.model.shown import few
from urlset.model.visit import State, Visit
from urlset.model.whatwg import parse_url
from urlset.reading.host_robots import path_of
from urlset.reading.robots import Match
from urlset.spec.engines import Engine
from urlset.spec.generator_artifacts import (
    AMBIGUOUS_SESSION_PARAMETERS,
    PAGE_PARAMETERS,
    SESSION_PARAMETERS,
    SESSION_PREFIXES,
    TRACKING_PARAMETERS,
    TRACKING_PREFIXES,
)

REDIRECTED, NOT_CANONICAL = "redirected", "not canonical"
GONE, FAILED, NOINDEXED, SOFT_404 = "gone", "failed", "noindex", "soft 404"
LOGIN, BLOCKED, DISALLOWED, NOT_ALLOWED = "requires login", "blocked", "disallowed", "not requested"
THIN, SCRIPTED = "thin", "rendered by scripts"
UNSPECIFIC = frozenset({GONE, FAILED, NOINDEXED, SOFT_404, THIN, SCRIPTED})
"""kinds that do not tell why: where the pages are does"""
NOTES = frozenset({THIN, SCRIPTED, NOT_ALLOWED, BLOCKED})
"""kinds that may be intended"""
HOME, ANOTHER = "redirect to the home page", "another page"
_SERVER_ERRORS = "server errors"
_PLACES = {"A006": "in the page", "A007": "in the X-Robots-Tag header", "A039": "added by a script"}
_SURE = 0.5
CODES = {
    REDIRECTED: ("A003",),
    NOT_CANONICAL: ("A012", "A013"),
    GONE: ("A001",),
    FAILED: ("A002", "A023", "A005", "A028"),
    NOINDEXED: ("A006", "A007", "A008"),
    SOFT_404: ("A019",),
    LOGIN: ("A022",),
    BLOCKED: ("A022", "A021"),
    DISALLOWED: ("A011",),
    NOT_ALLOWED: (),
    THIN: ("A019",),
    SCRIPTED: ("A019",),
}


class Symptom(NamedTuple):
    kind: str
    codes: tuple[str, ...]
    """the rules that report it; none for what no rule reports"""
    features: tuple[Difference, ...]
    """what it has in common with other pages, the most telling one decides"""
    target: str = ""
    """the address to list instead; empty if there is none"""
    lost: bool = True
    """no engine can index this page, nor the same page under another address"""


def symptom_of(visit: Visit, kept_out: Mapping[Engine, Match], engines: int) -> Symptom | None:
    """None for a page that can be indexed as it is listed; `engines` is the number of those selected."""
    if kept_out and len(kept_out) >= engines:
        return _disallowed(kept_out, everyone=True)
    found = _of_state(visit) or _of_page(visit)
    return found or (_disallowed(kept_out, everyone=False) if kept_out else None)


def doubt_of(visit: Visit) -> Symptom | None:
    """What may be wrong with a page that nothing else is wrong with."""
    if visit.state is not State.OK:
        return None
    if visit.thin is not None and visit.thin.certainty >= _SURE:
        return _plain(THIN, "almost no unique content", lost=False)
    if visit.marks is not None and visit.marks.only_scripts:
        return _plain(SCRIPTED, "empty until scripts run", lost=False)
    return None


def symptom_of_rule(code: str, target: str = "") -> Symptom:
    """A fault that leaves the page in the index: known by its rule."""
    return Symptom(code, (code,), (Difference(code),), target, lost=False)


def _plain(kind: str, words: str, family: str = "", *, lost: bool = True) -> Symptom:
    return Symptom(kind, CODES[kind], (Difference(words, family),), lost=lost)


def _disallowed(kept_out: Mapping[Engine, Match], *, everyone: bool) -> Symptom:
    line = next(iter(kept_out.values())).line
    said = "robots.txt"
    if line is not None:
        said = f"{line.written.strip()}: {line.value.strip()} (line {line.number} of robots.txt)"
    whose = "" if everyone else f" for {', '.join(engine.value for engine in kept_out)} only"
    return _plain(DISALLOWED, f"{said}{whose}", lost=everyone)


def _of_state(visit: Visit) -> Symptom | None:
    match visit.state:
        case State.REDIRECTED:
            target = visit.final_url
            lost = not NOINDEX.isdisjoint(visit.directives_for()) or _is_error_page(visit)
            features = _features(visit.url, target)
            if features[-1].family == ANOTHER and path_of(target) == "/":
                features, lost = (Difference(f"{HOME}: {target}", HOME),), True
            return Symptom(REDIRECTED, CODES[REDIRECTED], features, target, lost=lost)
        case State.GONE:
            after = ", after a redirect" if visit.hops else ""
            return _plain(GONE, f"{visit.reason.partition(',')[0]}{after}")
        case State.ERROR if visit.failure is None:
            return _plain(FAILED, visit.reason.partition(",")[0], _SERVER_ERRORS if (visit.status or 0) >= 500 else "")
        case State.ERROR:
            return _plain(FAILED, visit.failure.kind.value if visit.failure is not None else visit.reason)
        case State.LOGIN:
            return _plain(LOGIN, "login wall")
        case State.BLOCKED:
            return _plain(BLOCKED, visit.reason.partition(", after")[0], lost=False)
        case State.UNKNOWN if visit.reason.startswith("robots.txt disallows"):
            return _plain(NOT_ALLOWED, visit.reason, lost=False)
    return None


def _is_error_page(visit: Visit) -> bool:
    return visit.soft_404 is not None and visit.soft_404.certainty >= _SURE


def _features(url: str, target: str) -> tuple[Difference, ...]:
    """Pages that have nothing in common with their target: the target, or the shapes of both."""
    found = differences(url, target)
    if not found:
        return (Difference("same URL, different spelling"),)
    if found[-1] != ELSEWHERE:
        return found
    one, other = path_shape(url), path_shape(target)
    shapes = f"{one} → {'another ' if one == other else ''}{other}"
    return (*found[:-1], Difference(shapes, ANOTHER, other, target))


def _of_page(visit: Visit) -> Symptom | None:
    if visit.state is not State.OK:
        return None
    if not NOINDEX.isdisjoint(visit.directives_for()):
        return _plain(NOINDEXED, f"noindex {_PLACES[noindex_code(visit, NOINDEX) or 'A007']}")
    canonical = canonical_elsewhere(visit)
    if canonical is not None:
        return Symptom(
            NOT_CANONICAL,
            CODES[NOT_CANONICAL],
            _features(visit.url, canonical),
            canonical,
            lost=not may_list(visit.url, canonical),
        )
    if _is_error_page(visit):
        return _plain(SOFT_404, "error pages sent with status 200")
    return None


# Two addresses → in which components they differ, in words that say what is wrong with the first.

_EXTENSION = re.compile(r"\.(?:html?|php|aspx?|jsp|shtml)$", re.IGNORECASE)
_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?|jsp|shtml)$", re.IGNORECASE)
_SLASHES = re.compile(r"/{2,}")
_LANGUAGE = re.compile(r"/[a-z]{2}(?:[-_][a-z]{2,4})?", re.IGNORECASE)
_LONGEST_PREFIX = 3
_MOST_NAMES = 3
PREFIX = "prefix"


class Difference(NamedTuple):
    """One difference; two of the same `family` have one explanation."""

    words: str
    family: str = ""
    """empty for a difference that is only like itself"""
    before: str = ""
    after: str = ""
    """of a path prefix, or the names of parameters that are too many and that are missing"""

    def __str__(self) -> str:
        return self.words


ELSEWHERE = Difference("another page")
"""nothing simple turns one into the other"""


def differences(listed: str, target: str) -> tuple[Difference, ...]:
    """What would have to change in `listed` to make it `target`, in the order of an address; empty for equals."""
    try:
        one, two = parse_url(listed), parse_url(target)
    except (ValueError, UnicodeEncodeError):
        return (ELSEWHERE,)
    found: list[Difference] = []
    if one.protocol != two.protocol:
        found.append(Difference(f"{one.protocol.rstrip(':')} instead of {two.protocol.rstrip(':')}"))
    if one.host == f"www.{two.host}":
        found.append(Difference("host with www."))
    elif two.host == f"www.{one.host}":
        found.append(Difference("host without www."))
    elif one.host != two.host and one.hostname == two.hostname:
        found.append(Difference(f"port {one.port or 'none'} instead of {two.port or 'none'}"))
    elif one.host != two.host:
        found.append(Difference(f"host {one.host} instead of {two.host}"))
    path = _path(one.pathname, two.pathname)
    if path is None:
        return (*found, ELSEWHERE)
    return (*found, *path, *_query(one.search, two.search))


def _path(one: str, two: str) -> list[Difference] | None:
    """All differences between two paths; None where they are of no known kind."""
    found: list[Difference] = []
    if one == two:
        return found
    if _SLASHES.sub("/", one) != one and _SLASHES.sub("/", two) == two:
        found.append(Difference("doubled slash"))
        one = _SLASHES.sub("/", one)
    if unquote(one) == unquote(two):
        return [*found, Difference("other percent-encoding")] if one != two else found
    one, two = unquote(one), unquote(two)
    said, one, two = _ending(one, two)
    found += map(Difference, said)
    if one == two:
        return found
    if one.casefold() == two.casefold():
        lower = two == two.lower()
        return [*found, Difference("uppercase letters in the path" if lower else "different letter case in the path")]
    prefix = _prefix(one, two)
    return [*found, prefix] if prefix is not None else None


def _ending(one: str, two: str) -> tuple[list[str], str, str]:
    """Index file, extension and trailing slash of both taken off, and what they said."""
    found: list[str] = []
    index_one, index_two = _INDEX.search(one), _INDEX.search(two)
    if index_one and not index_two:
        found.append(f"superfluous {index_one[0].lstrip('/').lower()}")
        one = one[: index_one.start() + 1] if two.endswith("/") else one[: index_one.start()] or "/"
    elif index_two and not index_one:
        found.append(f"missing {index_two[0].lstrip('/').lower()}")
        two = two[: index_two.start() + 1] if one.endswith("/") else two[: index_two.start()] or "/"
    else:
        ext_one, ext_two = _EXTENSION.search(one), _EXTENSION.search(two)
        if ext_one and not ext_two:
            found.append(f"extra extension {ext_one[0].lower()}")
            one, two = one[: ext_one.start()], two.rstrip("/") or "/"
        elif ext_two and not ext_one:
            found.append(f"missing extension {ext_two[0].lower()}")
            one, two = one.rstrip("/") or "/", two[: ext_two.start()]
        elif ext_one and ext_two and ext_one[0].lower() != ext_two[0].lower():
            found.append(f"extension {ext_one[0].lower()} instead of {ext_two[0].lower()}")
            one, two = one[: ext_one.start()], two[: ext_two.start()]
    if one.endswith("/") != two.endswith("/"):
        found.append("extra trailing slash" if one.endswith("/") else "missing trailing slash")
    return found, one.rstrip("/") or "/", two.rstrip("/") or "/"


def _prefix(one: str, two: str) -> Difference | None:
    """Folders at the beginning that were added, taken away or exchanged, before an end that stayed."""
    a, b = one.split("/")[1:], two.split("/")[1:]
    same = 0
    while same < min(len(a), len(b)) and a[-1 - same].casefold() == b[-1 - same].casefold():
        same += 1
    if same == 0 or not "".join(a[-same:]):
        return None
    a, b = a[: len(a) - same], b[: len(b) - same]
    while a and b and a[0] == b[0]:  # /en/blog and /en/news differ as /blog and /news do
        a, b = a[1:], b[1:]
    before, after = (f"/{'/'.join(each)}" if each else "" for each in (a, b))
    if max(before.count("/"), after.count("/")) > _LONGEST_PREFIX:
        return None
    kind = "language" if _LANGUAGE.fullmatch(after or before) and (not before or not after) else "folder"
    if not before:
        return Difference(f"missing {kind} {after}", PREFIX, before, after)
    if not after:
        return Difference(f"superfluous {kind} {before}", PREFIX, before, after)
    return Difference(f"path prefix {before} instead of {after}", PREFIX, before, after)


def _query(one: str, two: str) -> Iterator[Difference]:
    if one == two:
        return
    a, b = _parameters(one), _parameters(two)
    if sorted(a) == sorted(b):
        yield Difference("different parameter order")
        return
    gone = sorted({name for name, _ in a} - {name for name, _ in b})
    new = sorted({name for name, _ in b} - {name for name, _ in a})
    if gone and new:
        yield Difference(
            f"parameter {_names(gone)} instead of {_names(new)}", "parameter", ",".join(gone), ",".join(new)
        )
    elif new:
        yield Difference(f"missing parameter {_names(new)}", "missing parameter", after=",".join(new))
    elif not gone:
        yield Difference("different parameter values")
    for kind in dict.fromkeys(map(parameter_kind, gone)) if not new else ():
        names = [name for name in gone if parameter_kind(name) == kind]
        said = f"extra {f'{kind} ' if kind else ''}parameter"
        yield Difference(f"{said} {_names(names)}", said, before=",".join(names))


def parameter_kind(name: str) -> str:
    """`session`, `tracking`, `page`; empty for any other, which chooses content."""
    name = name.lower()
    if name in SESSION_PARAMETERS or name in AMBIGUOUS_SESSION_PARAMETERS or name.startswith(SESSION_PREFIXES):
        return "session"
    if name in TRACKING_PARAMETERS or name.startswith(TRACKING_PREFIXES):
        return "tracking"
    return "page" if name in PAGE_PARAMETERS else ""


def _parameters(search: str) -> list[tuple[str, str]]:
    pairs = [each.partition("=") for each in search.lstrip("?").split("&") if each]
    return [(name, value) for name, _, value in pairs]


def _names(names: list[str]) -> str:
    return few([name[:40] for name in names], _MOST_NAMES)
