"""Addresses → the part of the site they are in, and parts with faulty pages → the few to name."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping
from math import lgamma, log, log2
from typing import TypeVar

import msgspec

DEEPEST = 3
WHOLE = 0.8
"""of the listed pages of a section: so many are not an accident within it"""
_FEW, _MANY = 4, 6
CAUSE_BITS = 16.0
"""what naming a cause costs; a second one must save more than that in listing its pages"""


class CauseScope(msgspec.Struct, frozen=True):
    """A part of the site with pages of a cause."""

    section: str
    count: int
    listed: int = 0
    """all listed pages in it; 0 if that does not apply"""


def section_of(url: str) -> str:
    """`/en/tables/oak/` of a page in it; a folder that is one of many, such as a number or a slug, is a star."""
    folders = path_of_address(url).rstrip("/").split("/")[1:-1]  # /a/b/ is a page in /a/, as /a/b is
    named = ["*" if ONE_OF_MANY.fullmatch(folder) else folder for folder in folders[:DEEPEST]]
    while named and named[-1] == "*":
        named.pop()
    return f"/{'/'.join(named)}/" if named else "/"


Part = TypeVar("Part", bound=Hashable)


def whole_sections(faulty: Mapping[Part, int], listed: Mapping[Part, int]) -> frozenset[Part]:
    """The parts of a site whose pages are nearly all faulty, where naming them explains more than one rate for all.

    The measure is the length of a description: to name a cause and its sections, and then to point out the faulty
    pages among those of the sections it covers.
    """
    whole = {each for each, count in faulty.items() if count >= WHOLE * listed[each] and count > 1}
    rest = [each for each in listed if each not in whole]
    scattered = sum(faulty.get(each, 0) for each in rest)
    if not whole or not scattered:
        return frozenset(whole) if not scattered else frozenset()
    together = _bits(sum(listed.values()), sum(faulty.values()))
    apart = sum(_bits(listed[each], faulty[each]) + log2(len(listed)) for each in whole)
    apart += _bits(sum(listed[each] for each in rest), scattered)
    return frozenset(whole) if together - apart > CAUSE_BITS else frozenset()


def _bits(pages: int, chosen: int) -> float:
    """To point out `chosen` of `pages`."""
    return (lgamma(pages + 1) - lgamma(chosen + 1) - lgamma(pages - chosen + 1)) / log(2)


def scopes(faulty: Mapping[str, int], listed: Mapping[str, int]) -> tuple[CauseScope, ...]:
    """As few sections as say where the pages are, the largest first: parents in place of their children."""
    found = _scopes(faulty, listed, _FEW)
    return found if len(found) <= _MANY else _scopes(faulty, listed, 0)


def _scopes(faulty: Mapping[str, int], listed: Mapping[str, int], few: int) -> tuple[CauseScope, ...]:
    counts, totals = _with_parents(faulty), _with_parents(listed)
    children: defaultdict[str, list[str]] = defaultdict(list)
    for section in counts:
        if section != "/":
            children[_parent(section)].append(section)
    found: list[CauseScope] = []
    waiting = ["/"]
    while waiting:
        node = waiting.pop()
        below, count, total = children[node], counts.get(node, 0), totals.get(node, 0)
        # a part of the site that is faulty as a whole, or in many places, is named; one that is so in few is divided
        if node == "/" or len(below) == 1 or (len(below) <= few and count < WHOLE * total):
            waiting += below
            count, total = faulty.get(node, 0), listed.get(node, 0)
        if count:
            found.append(CauseScope(node, count, total))
    return tuple(sorted(found, key=lambda each: (-each.count, each.section)))


def _with_parents(counts: Mapping[str, int]) -> Counter[str]:
    summed: Counter[str] = Counter()
    for section, count in counts.items():
        node = section
        summed[node] += count
        while node != "/":
            node = _parent(node)
            summed[node] += count
    return summed


def _parent(section: str) -> str:
    return section[: section.rstrip("/").rindex("/") + 1]


# An address → the shape of its path, such as `/p/*`: pages of one shape are mostly made by one template.

_PATH = re.compile(r"[a-z][a-z0-9+.\-]*://[^/?#]*([^?#]*)(\?[^#]*)?", re.IGNORECASE)
# A folder by this name is one of many: a number, a date, a hash, a slug of several words.
ONE_OF_MANY = re.compile(r".*\d.*|[^-_]+(?:[-_][^-_]+){2,}|.{25,}", re.DOTALL)
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_][a-z]{2,4})?", re.IGNORECASE)
_DEEPEST = 4


def path_shape(url: str) -> str:
    """`/en/p/red-shoe?size=4` → `/en/p/*?`: the first folder that has its own name, then one star for each."""
    match = _PATH.match(url)
    if match is None:
        return "*"
    segments = match[1].split("/")[1:]
    query = "?" if match[2] else ""
    if not any(segments):
        return f"/{query}"
    closing = "/" if segments[-1] == "" else ""
    folders = segments[:-1] if not closing else segments[:-2]
    named = 1
    if folders and _LANGUAGE.fullmatch(folders[0]):
        named = 2  # a language is not a section
    shown = [
        folder if place < named and not ONE_OF_MANY.fullmatch(folder) else "*"
        for place, folder in enumerate(folders[:_DEEPEST])
    ]
    return "/" + "/".join([*shown, "*"]) + closing + query


def path_of_address(url: str) -> str:
    """As written, without query; `/` where there is none."""
    match = _PATH.match(url)
    return (match[1] if match is not None else "") or "/"


def first_folder(url: str) -> str:
    """`/blog/` of a page in it; `/` for pages that are in none."""
    first, slash, _ = path_of_address(url).lstrip("/").partition("/")
    return f"/{first}/" if slash else "/"


def depth_of(url: str) -> int:
    """The number of names in the path: 0 for the home page."""
    return sum(map(bool, path_of_address(url).split("/")))
