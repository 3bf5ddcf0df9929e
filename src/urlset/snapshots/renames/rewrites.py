"""Pairs that share the end of their path → the rewrites of folders behind them, and where else these lead."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from urlset.snapshots.renames.paths import Parts, is_language, shape_of, words_of


class Rewrite(NamedTuple):
    """`shop/shoes/…` on one host became `store/footwear/…` on another; numbers in folders are written `#`."""

    old_host: str
    new_host: str
    before: tuple[str, ...]
    """folders that both share at the beginning"""
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def swaps_languages(self) -> bool:
        """A page in another language is another page."""
        return len(self.old) == len(self.new) == 1 and is_language(self.old[0]) and is_language(self.new[0])

    def __str__(self) -> str:
        old, new = ("/" + "/".join((*self.before, *each, "")) for each in (self.old, self.new))
        if self.old_host != self.new_host:
            old, new = f"{self.old_host}{old}", f"{self.new_host}{new}"
        return f"{old} became {new}"


def rewrite_of(old: Parts, new: Parts) -> Rewrite:
    """What turns one into the other; both have the same slug."""
    a, b = list(old.folders), list(new.folders)
    while a and b and a[-1] == b[-1]:
        a.pop()
        b.pop()
    shared = 0
    while shared < min(len(a), len(b)) and a[shared] == b[shared]:
        shared += 1
    shaped = [tuple(map(shape_of, each)) for each in (a[:shared], a[shared:], b[shared:])]
    return Rewrite(old.host, new.host, *shaped)


def supported(pairs: Iterable[tuple[Parts, Parts]], removed: Iterable[Parts]) -> Mapping[Rewrite, tuple[int, float]]:
    """How many pairs support each rewrite, and the share of the removed URLs that it applies to."""
    counts = Counter(rewrite_of(old, new) for old, new in pairs)
    reach: Counter[tuple[str, tuple[str, ...]]] = Counter()
    wanted = {(each.old_host, (*each.before, *each.old)) for each in counts}
    lengths = {len(folders) for _, folders in wanted}
    for parts in removed:
        shapes = tuple(map(shape_of, parts.folders))
        for length in lengths:
            if length <= len(shapes) and (parts.host, shapes[:length]) in wanted:
                reach[parts.host, shapes[:length]] += 1
    return {
        each: (count, count / max(1, reach[each.old_host, (*each.before, *each.old)])) for each, count in counts.items()
    }


def applied(rewrites: Iterable[Rewrite], removed: Mapping[int, Parts]) -> Iterable[tuple[int, str, Rewrite]]:
    """Where each removed URL would be now: its number, the key of the new URL, the rewrite."""
    by_start: defaultdict[tuple[str, tuple[str, ...]], list[Rewrite]] = defaultdict(list)
    for each in rewrites:
        if not any("#" in folder for folder in (*each.before, *each.new)):
            by_start[each.old_host, (*each.before, *each.old)].append(each)
    lengths = sorted({len(folders) for _, folders in by_start}, reverse=True)
    for number, parts in removed.items():
        shapes = tuple(map(shape_of, parts.folders))
        for length in lengths:
            for each in by_start.get((parts.host, shapes[:length]), ()):
                folders = (*each.before, *each.new, *parts.folders[length:])
                yield number, Parts(each.new_host, folders, parts.slug, parts.query).key, each


def is_distinctive(slug: str) -> bool:
    """Two pages with this slug are hardly there by chance."""
    words = words_of(slug)
    return len(slug) >= 10 and len(words) >= 2 and any(not word.isdigit() for word in words)
