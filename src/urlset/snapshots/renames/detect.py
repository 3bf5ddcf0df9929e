"""Removed and added URLs → renames, the strongest evidence first, each URL in one rename at most."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from urlset.snapshots.delta import Loose, RenamedUrl
from urlset.snapshots.renames.paths import Parts, bag_of, difference, id_of, parts_of
from urlset.snapshots.renames.rewrites import Rewrite, applied, is_distinctive, rewrite_of, supported
from urlset.snapshots.renames.similar import Matcher, slug_of

REDIRECT, CANONICAL, CONTENT, PATH = "redirect", "canonical", "content", "path"
_BEHIND_A_REWRITE = 3
"""pairs that make a rewrite of folders more than a coincidence"""
_SHARE_OF_NUMBERED = 0.8
"""of the removed URLs below a folder; numbers alone meet by chance"""
_MOST_SHAPES = 10_000
_ENDS = (4, 3, 2, 1)
"""segments at the end of a path"""


def find_renames(
    removed: Sequence[Loose], added: Sequence[Loose], redirects: Mapping[str, str] | None = None
) -> list[RenamedUrl]:
    """`redirects` are known from elsewhere: URL → where it leads now."""
    search = _Search(removed, added)
    search.redirects(redirects or {})
    search.canonicals()
    search.content()
    search.spellings()
    search.folders()
    search.bags()
    search.ids()
    search.slugs()
    return sorted(search.found, key=lambda each: each.old)


class _Search:
    def __init__(self, removed: Sequence[Loose], added: Sequence[Loose]) -> None:
        self.found: list[RenamedUrl] = []
        self._old = dict(enumerate(removed))
        self._new = dict(enumerate(added))
        self._old_parts = {number: parts_of(each.loc) for number, each in self._old.items()}
        self._new_parts = {number: parts_of(each.loc) for number, each in self._new.items()}
        self._rewrites: set[Rewrite] = set()

    def _take(self, old: int, new: int, evidence: str, detail: str) -> None:
        if old in self._old and new in self._new:
            self.found.append(RenamedUrl(self._old.pop(old).loc, self._new.pop(new).loc, evidence, detail))
            del self._old_parts[old], self._new_parts[new]

    # what audits and redirect lists know

    def redirects(self, known: Mapping[str, str]) -> None:
        named = {number: known.get(each.loc) or each.final_url for number, each in self._old.items()}
        self._follow(named, REDIRECT, "redirects to the new URL")

    def canonicals(self) -> None:
        named = {number: each.canonical for number, each in self._old.items()}
        self._follow(named, CANONICAL, "named the new URL as canonical")
        self._pair(
            ((each.canonical, number) for number, each in self._old.items() if each.canonical),
            ((each.canonical, number) for number, each in self._new.items() if each.canonical),
            CANONICAL,
            lambda old, _: f"both name {self._old[old].canonical} as canonical",
        )

    def _follow(self, named: Mapping[int, str | None], evidence: str, detail: str) -> None:
        places = {parts.key: number for number, parts in self._new_parts.items()}
        leads: defaultdict[int, list[int]] = defaultdict(list)
        for number, url in named.items():
            if url and (target := places.get(parts_of(url).key)) is not None:
                leads[target].append(number)
        for target, numbers in leads.items():
            # of several that lead to one page, the one with the most similar path was renamed; the others were merged
            self._take(max(numbers, key=lambda each: self._alike(each, target)), target, evidence, detail)

    def _alike(self, old: int, new: int) -> tuple[bool, int, int]:
        one, two = self._old_parts[old], self._new_parts[new]
        shared = len(set(one.path.split("/")) & set(two.path.split("/")))
        return one.slug == two.slug, shared, -old

    def content(self) -> None:
        self._pair(
            ((each.fingerprint, number) for number, each in self._old.items() if each.fingerprint is not None),
            ((each.fingerprint, number) for number, each in self._new.items() if each.fingerprint is not None),
            CONTENT,
            lambda _old, _new: "same main text, on no other removed or added page",
        )
        self._pair(
            ((each.images, number) for number, each in self._old.items() if each.images),
            ((each.images, number) for number, each in self._new.items() if each.images),
            CONTENT,
            lambda _old, _new: "same images, on no other removed or added page",
        )

    # what paths show

    def spellings(self) -> None:
        """Scheme, www, letter case, slash, extension, index file; then the whole host."""
        for key_of in (lambda parts: parts.key, lambda parts: f"{parts.path}?{parts.query}"):
            key: Callable[[Parts], str] = key_of
            self._pair(
                ((key(parts), number) for number, parts in self._old_parts.items()),
                ((key(parts), number) for number, parts in self._new_parts.items()),
                PATH,
                lambda old, new: f"same path; different {difference(self._old[old].loc, self._new[new].loc)}",
            )

    def folders(self) -> None:
        """The same end of the path below other folders; long ends first, because they are rarely shared."""
        pairs = self._same_ends()
        support = supported(
            ((self._old_parts[old], self._new_parts[new]) for old, new in pairs), self._old_parts.values()
        )
        sure = {
            each
            for each, (count, share) in support.items()
            if count >= _BEHIND_A_REWRITE and (share >= _SHARE_OF_NUMBERED or self._is_worded(pairs, each))
        }
        self._rewrites = sure
        for old, new in pairs:
            parts = self._old_parts[old]
            rewrite = rewrite_of(parts, self._new_parts[new])
            if rewrite in sure and (support[rewrite][1] >= _SHARE_OF_NUMBERED or not _is_number(parts.slug)):
                self._take(old, new, PATH, f"{rewrite} for {support[rewrite][0]:,} URLs")
            elif is_distinctive(parts.slug):
                self._take(old, new, PATH, f"same last segment; {rewrite}")
        self._apply(sure)

    def _same_ends(self) -> list[tuple[int, int]]:
        """URLs that no other shares the end of the path with, on either side."""
        pairs: list[tuple[int, int]] = []
        taken: tuple[set[int], set[int]] = (set(), set())
        for length in _ENDS:
            found = _unique(
                _ends(self._old_parts, length, taken[0]),
                _ends(self._new_parts, length, taken[1]),
            )
            for old, new in list(found):
                if not rewrite_of(self._old_parts[old], self._new_parts[new]).swaps_languages:
                    pairs.append((old, new))
                    taken[0].add(old)
                    taken[1].add(new)
        return pairs

    def bags(self) -> None:
        """The same words and numbers in another order, with an id among them."""
        self._pair(
            ((bag, number) for number, parts in self._old_parts.items() if _has_id(bag := bag_of(parts))),
            ((bag, number) for number, parts in self._new_parts.items() if _has_id(bag := bag_of(parts))),
            PATH,
            lambda old, _: f"same words and number: {' '.join(bag_of(self._old_parts[old]))}",
        )

    def _is_worded(self, pairs: Iterable[tuple[int, int]], rewrite: Rewrite) -> bool:
        worded = (
            not _is_number(self._old_parts[old].slug)
            for old, new in pairs
            if rewrite_of(self._old_parts[old], self._new_parts[new]) == rewrite
        )
        return sum(worded) >= _BEHIND_A_REWRITE

    def _apply(self, rewrites: Iterable[Rewrite]) -> None:
        """Slugs that several URLs share are distinguished by a rewrite that other URLs have proven."""
        places = {parts.key: number for number, parts in self._new_parts.items()}
        for old, key, rewrite in list(applied(rewrites, self._old_parts)):
            if key in places:
                self._take(old, places[key], PATH, f"{rewrite} for other URLs too")

    def ids(self) -> None:
        """Pages that only a number tells apart: `/item?id=17` and `/products/17`, if that holds for nearly all."""
        old, new = _by_shape(self._old_parts), _by_shape(self._new_parts)
        if len(old) * len(new) > _MOST_SHAPES:
            return
        for shape, numbers in old.items():
            best = max(new, key=lambda each: len(numbers.keys() & new[each].keys()), default="")
            common = numbers.keys() & new.get(best, {}).keys()
            if len(common) >= max(_BEHIND_A_REWRITE, _SHARE_OF_NUMBERED * len(numbers)):
                for each in sorted(common):
                    self._take(numbers[each], new[best][each], PATH, f"same number; {shape} became {best}")

    def slugs(self) -> None:
        """The slug itself was edited."""
        dates = [_own_dates(each.values()) for each in (self._old, self._new)]
        old, new = (
            {
                number: slug_of(parts[number], each.lastmod if each.lastmod in own else None)
                for number, each in side.items()
                if parts[number].slug
            }
            for side, parts, own in ((self._old, self._old_parts, dates[0]), (self._new, self._new_parts, dates[1]))
        )
        for one, two, likeness in list(Matcher(old, new, self._same_section).pairs()):
            self._take(one, two, PATH, f"near-same path ({likeness:.0%} alike)")

    def _same_section(self, old: Parts, new: Parts) -> bool:
        if old.host == new.host and old.folders == new.folders:
            return True
        return rewrite_of(old, new) in self._rewrites

    def _pair(
        self,
        old: Iterable[tuple[Hashable, int]],
        new: Iterable[tuple[Hashable, int]],
        evidence: str,
        detail: Callable[[int, int], str],
    ) -> None:
        for one, two in list(_unique(old, new)):
            if one in self._old and two in self._new:
                self._take(one, two, evidence, detail(one, two))


def _unique(old: Iterable[tuple[Hashable, int]], new: Iterable[tuple[Hashable, int]]) -> Iterator[tuple[int, int]]:
    """Numbers that one URL of each side has under the same key, and no other."""
    ones, twos = _once(old), _once(new)
    for key, number in ones.items():
        other = twos.get(key)
        if number is not None and other is not None:
            yield number, other


def _once(items: Iterable[tuple[Hashable, int]]) -> dict[Hashable, int | None]:
    found: dict[Hashable, int | None] = {}
    for key, number in items:
        found[key] = None if key in found else number
    return found


def _own_dates(items: Iterable[Loose]) -> set[str]:
    counts = Counter(each.lastmod for each in items if each.lastmod and len(each.lastmod) > 16)
    return {date for date, count in counts.items() if count == 1}


def _ends(parts: Mapping[int, Parts], length: int, taken: set[int]) -> Iterator[tuple[Hashable, int]]:
    for number, each in parts.items():
        if each.slug and number not in taken and len(each.folders) + 1 >= length:
            folders = each.folders[len(each.folders) + 1 - length :]
            yield (folders, each.slug, each.query), number


def _by_shape(parts: Mapping[int, Parts]) -> dict[str, dict[str, int]]:
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for number, each in parts.items():
        reported = id_of(each)
        if reported is not None:
            found[reported[0]][reported[1]] = number
    return {shape: numbers for shape, numbers in found.items() if len(numbers) >= _BEHIND_A_REWRITE}


def _has_id(bag: tuple[str, ...]) -> bool:
    """An id of some length, and words beside it."""
    return len(bag) >= 3 and any(word.isdigit() and len(word) >= 4 for word in bag)


def _is_number(slug: str) -> bool:
    return slug.isdigit()
