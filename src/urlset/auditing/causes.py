"""What is wrong with many pages → the few causes that explain most of it: "986 redirects: missing trailing slash".

Rows are counted as they come, nothing of them is kept but a few examples. The number of causes told apart is
bounded; what comes after, and what shares its cause with next to nothing, is counted as "other".
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from urlset.auditing.differences import ELSEWHERE, differences
from urlset.auditing.indexable import canonical_elsewhere
from urlset.auditing.path_shape import path_shape
from urlset.model.page import NOINDEX
from urlset.model.visit import State, Visit
from urlset.reading.host_robots import path_of

OTHER = "other"
MOST_CAUSES = 4000
_MORE_SHAPES = 500
_ARROW = " → "
EXAMPLES = 3
_SHARED_BY = 3
"""so many pages that lead to one page, or so many of one shape, are not an accident"""


class Cause(msgspec.Struct, frozen=True):
    """Many findings explained at once."""

    kind: str
    """what they have in common: redirected, not canonical, gone …"""
    code: str
    """the rule whose findings these mostly are"""
    title: str
    """the cause"""
    count: int
    of: int
    """how many there are of that kind"""
    examples: tuple[tuple[str, str], ...] = ()
    """the listed address, and what it should be, which may be empty"""

    def __str__(self) -> str:
        return f"{self.count} of {self.of} {self.kind}: {self.title}"


class _Group:
    __slots__ = ("count", "examples")

    def __init__(self) -> None:
        self.count = 0
        self.examples: list[tuple[str, str]] = []

    def add(self, example: tuple[str, str]) -> None:
        self.count += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(example)

    def join(self, other: _Group) -> None:
        self.count += other.count
        self.examples = [*self.examples, *other.examples][:EXAMPLES]


_Key = tuple[str, str, str, str]
"""kind, code, title, and what a title of that kind is about where it needs company: a target, a shape"""


class Causes:
    """Fed with every visit, in any order; asked at the end."""

    def __init__(self, most: int = MOST_CAUSES) -> None:
        self._groups: dict[_Key, _Group] = {}
        self._most = most
        self._totals: dict[str, int] = {}

    def add(self, visit: Visit) -> None:
        """A visit that nothing is wrong with counts for nothing."""
        for kind, code, title, about, target in _troubles(visit):
            self._totals[kind] = self._totals.get(kind, 0) + 1
            key = (kind, code, title, about)
            group = self._groups.get(key)
            if group is None:
                if len(self._groups) >= self._most:
                    key = self._crowded(key, visit.url, target)
                group = self._groups.setdefault(key, _Group())
            group.add((visit.url, target))

    def _crowded(self, key: _Key, url: str, target: str) -> _Key:
        """If there are too many separate causes: by the shapes of both addresses, as far as there is room for them."""
        kind, code, title, _ = key
        rough = (kind, code, _shapes(url, target), "")
        if title.endswith(ELSEWHERE) and (rough in self._groups or len(self._groups) < self._most + _MORE_SHAPES):
            return rough
        return kind, code, OTHER, ""

    def found(self) -> list[Cause]:
        """The most frequent first; "other" after the rest of its kind."""
        named: dict[tuple[str, str, str], _Group] = {}
        for (kind, code, title, about), group in self._groups.items():
            reported = _describe(title, about, group)
            named.setdefault((kind, code, reported), _Group()).join(group)
        merged: dict[tuple[str, str, str], _Group] = {}
        for (kind, code, title), group in named.items():
            rare = _ARROW in title and group.count < _SHARED_BY
            merged.setdefault((kind, code, OTHER if rare else title), _Group()).join(group)
        causes = [
            Cause(kind, code, title, group.count, self._totals[kind], tuple(group.examples))
            for (kind, code, title), group in merged.items()
        ]
        return sorted(causes, key=lambda each: (each.title == OTHER, -each.count, each.kind, each.title))


def _describe(title: str, about: str, group: _Group) -> str:
    if not about:
        return title
    if title.endswith(ELSEWHERE):
        shared = group.count >= _SHARED_BY
        return f"{title.removesuffix(ELSEWHERE)}{about}" if shared else _shapes(*group.examples[0])
    return f"{title} below {about}" if group.count >= _SHARED_BY else title


def _shapes(url: str, target: str) -> str:
    """Pages of one kind that each represent another page of one kind."""
    one, other = path_shape(url), path_shape(target)
    return f"{one}{_ARROW}{'another ' if one == other else ''}{other}"


def _troubles(visit: Visit) -> Iterator[tuple[str, str, str, str, str]]:
    """(kind, code, title, about, what it should be) of each thing that is wrong with the page."""
    shape = path_shape(visit.url)
    match visit.state:
        case State.REDIRECTED:
            yield ("redirected", "A003", *_difference(visit.url, visit.final_url), visit.final_url)
            return
        case State.GONE:
            yield "gone", "A001", visit.reason, shape, ""
            return
        case State.ERROR:
            code = "A002" if visit.failure is None else "A023"
            yield "failed", code, visit.reason, shape if visit.failure is None else "", ""
            return
        case State.BLOCKED:
            yield "blocked", "A022", visit.reason, "", ""
            return
        case State.UNKNOWN:
            return
    if not NOINDEX.isdisjoint(visit.directives_for()):
        where = (
            "in the page" if any(not NOINDEX.isdisjoint(each.directives) for each in visit.robots) else "in a header"
        )
        yield "noindex", "A006" if where == "in the page" else "A007", f"noindex {where}", shape, ""
        return
    canonical = canonical_elsewhere(visit)
    if canonical is not None:
        yield ("not canonical", "A012", *_difference(visit.url, canonical), canonical)
    if visit.soft_404 is not None:
        yield "soft 404", "A019", "error pages sent with status 200", shape, ""


def _difference(listed: str, target: str) -> tuple[str, str]:
    """The title, and for pages that have nothing in common the page that is shown instead."""
    found = differences(listed, target)
    if not found:
        return "same URL, different spelling", ""
    if found[-1] != ELSEWHERE:
        return " and ".join(found), ""
    if path_of(target) == "/":
        return ELSEWHERE, f"redirect to the home page: {target}"
    return ELSEWHERE, f"many pages point to {target}"
