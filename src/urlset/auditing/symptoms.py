"""A judged page → what is wrong with it first of all, as features that pages with one cause share.

A page has one symptom at most: whatever else is found on it (a redirected page with a wrong date) goes away with it
or can be seen only after it. Pages without one have what their rules say, see `Causes.add`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from urlset.auditing.differences import ELSEWHERE, Difference, differences
from urlset.auditing.indexable import canonical_elsewhere
from urlset.auditing.path_shape import path_shape
from urlset.auditing.remedy import may_list
from urlset.model.page import NOINDEX
from urlset.model.visit import State, Visit
from urlset.reading.host_robots import path_of
from urlset.reading.robots_match import Match
from urlset.spec.engines import Engine

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


def symptom_of_rule(code: str) -> Symptom:
    """A fault that leaves the page in the index: known by its rule."""
    return Symptom(code, (code,), (Difference(code),), lost=False)


def _place_of_noindex(visit: Visit) -> str:
    by_scripts = visit.rendered.robots if visit.rendered is not None else ()
    places = {"in the page": visit.robots, "in the X-Robots-Tag header": visit.header_robots}
    for place, reported in (*places.items(), ("added by a script", by_scripts)):
        if any(each.bot == "robots" and not NOINDEX.isdisjoint(each.directives) for each in reported):
            return place
    return "in the X-Robots-Tag header"


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
            return _redirected(visit)
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


def _redirected(visit: Visit) -> Symptom:
    target = visit.final_url
    lost = not NOINDEX.isdisjoint(visit.directives_for()) or _is_error_page(visit)
    features = _features(visit.url, target)
    if features[-1].family == ANOTHER and path_of(target) == "/":
        features, lost = (Difference(f"{HOME}: {target}", HOME),), True
    return Symptom(REDIRECTED, CODES[REDIRECTED], features, target, lost=lost)


def _is_error_page(visit: Visit) -> bool:
    return visit.soft_404 is not None and visit.soft_404.certainty >= _SURE


def _features(url: str, target: str) -> tuple[Difference, ...]:
    """Pages that have nothing in common with their target: the target, or the shapes of both."""
    found = differences(url, target)
    if not found:
        return (Difference("same URL, different spelling"),)
    return (*found[:-1], another_page(url, target)) if found[-1] == ELSEWHERE else found


def another_page(url: str, target: str) -> Difference:
    one, other = path_shape(url), path_shape(target)
    return Difference(f"{one} → {'another ' if one == other else ''}{other}", ANOTHER, other, target)


def _of_page(visit: Visit) -> Symptom | None:
    if visit.state is not State.OK:
        return None
    if not NOINDEX.isdisjoint(visit.directives_for()):
        return _plain(NOINDEXED, f"noindex {_place_of_noindex(visit)}")
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
