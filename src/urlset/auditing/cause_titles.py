"""The features and places of pages with one cause → its title, and whether one other page replaces them all."""

from __future__ import annotations

from collections import Counter

from urlset.auditing.differences import PREFIX, Difference
from urlset.auditing.sections import WHOLE, CauseScope
from urlset.auditing.symptoms import ANOTHER, HOME, LOGIN, UNSPECIFIC

_NEARLY_ALL = 0.9
_SHOWN = 3
ONE_TARGET = "many pages point to"

Features = Counter[tuple[Difference, ...]]


def title_of(kind: str, name: str, features: Features, where: tuple[CauseScope, ...], count: int) -> tuple[str, bool]:
    """`name` is what the pages share. The second value is True if many pages are replaced by a single other one."""
    if kind == LOGIN:
        return f"{LOGIN}{_below(where, count)}", False
    if name.startswith(("http://", "https://")):
        return f"{ONE_TARGET} {name}", True
    said = " and ".join(_parts(features, count))
    return (f"{said}{_below(where, count)}" if kind in UNSPECIFIC else said), name == HOME


def _parts(features: Features, count: int) -> list[str]:
    """Every feature that nearly all pages have, in the order of an address."""
    families: dict[str, Counter[Difference]] = {}
    for several, pages in features.items():
        for each in several:
            families.setdefault(each.family or each.words, Counter())[each] += pages
    common = {family: found for family, found in families.items() if found.total() >= _NEARLY_ALL * count}
    if not common:
        best = max(families, key=lambda family: families[family].total())
        common = {best: families[best]}
    return [_worded(family, found) for family, found in common.items()]


def _worded(family: str, found: Counter[Difference]) -> str:
    if len(found) == 1:
        return next(iter(found)).words
    if family == PREFIX:
        return _prefix(found)
    if family in (ANOTHER, HOME):
        return found.most_common(1)[0][0].words
    names: Counter[str] = Counter()
    for each, pages in found.items():
        for name in (each.before or each.after or each.words).split(","):
            names[name] += pages
    shown = [name for name, _ in names.most_common(_SHOWN)]
    more = f", and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    said = f"{', '.join(shown)}{more}"
    return f"{family}s {said}" if family.endswith("parameter") else f"{family} ({said})"


def _prefix(found: Counter[Difference]) -> str:
    before, after = {each.before for each in found}, {each.after for each in found}
    shown = [each for each, _ in found.most_common(_SHOWN)]
    more = f", and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    if len(after) == 1:
        folders = f"{', '.join(each.before or '/' for each in shown)}{more}"
        to = next(iter(after))
        return f"path prefix changed to {to}, from {folders}" if to else f"superfluous folder {folders}"
    folders = f"{', '.join(each.after or '/' for each in shown)}{more}"
    of = next(iter(before)) if len(before) == 1 else None
    if of == "":
        return f"missing folder {folders}"
    return f"path prefix {of} changed to {folders}" if of is not None else f"path prefix changed, now {folders}"


def _below(where: tuple[CauseScope, ...], count: int) -> str:
    """` below /shop/*`; nothing where the pages are in many parts of the site."""
    if not where or (len(where) == 1 and where[0].section == "/"):
        return ""
    listed = sum(each.listed for each in where)
    shown = [f"{each.section}*" for each in where[:_SHOWN]]
    more = f", and {len(where) - _SHOWN} more" if len(where) > _SHOWN else ""
    joined = f"{', '.join(shown)}{more}"
    share = (
        f" (all {count:,} pages)"
        if count == listed
        else f" ({count:,} of {listed:,} pages)"
        if count >= WHOLE * listed
        else ""
    )
    return f" below {joined}{share}"
