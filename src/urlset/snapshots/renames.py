"""Removed and added URLs → renames, the strongest evidence first, each URL in one rename at most."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from heapq import nlargest
from math import log
from typing import NamedTuple
from urllib.parse import unquote

from urlset.snapshots.delta import Loose, RenamedUrl

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
            lambda each, _: each.canonical or None,
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
        only = "on no other removed or added page"
        self._pair(lambda each, _: each.fingerprint, CONTENT, lambda _old, _new: f"same main text, {only}")
        self._pair(lambda each, _: each.images or None, CONTENT, lambda _old, _new: f"same images, {only}")

    # what paths show

    def spellings(self) -> None:
        """Scheme, www, letter case, slash, extension, index file; then the whole host."""

        def said(old: int, new: int) -> str:
            return f"same path; different {difference(self._old[old].loc, self._new[new].loc)}"

        self._pair(lambda _, parts: parts.key, PATH, said)
        self._pair(lambda _, parts: f"{parts.path}?{parts.query}", PATH, said)

    def folders(self) -> None:
        """The same end of the path below other folders; long ends first, because they are rarely shared."""
        # URLs that no other shares the end of the path with, on either side
        pairs: list[tuple[int, int]] = []
        taken: tuple[set[int], set[int]] = (set(), set())
        for length in _ENDS:
            found = _unique(_ends(self._old_parts, length, taken[0]), _ends(self._new_parts, length, taken[1]))
            for old, new in list(found):
                if not rewrite_of(self._old_parts[old], self._new_parts[new]).swaps_languages:
                    pairs.append((old, new))
                    taken[0].add(old)
                    taken[1].add(new)
        support = supported(
            ((self._old_parts[old], self._new_parts[new]) for old, new in pairs), self._old_parts.values()
        )
        worded = Counter(
            rewrite_of(self._old_parts[old], self._new_parts[new])
            for old, new in pairs
            if not self._old_parts[old].slug.isdigit()
        )
        sure = {
            each
            for each, (count, share) in support.items()
            if count >= _BEHIND_A_REWRITE and (share >= _SHARE_OF_NUMBERED or worded[each] >= _BEHIND_A_REWRITE)
        }
        self._rewrites = sure
        for old, new in pairs:
            parts = self._old_parts[old]
            rewrite = rewrite_of(parts, self._new_parts[new])
            if rewrite in sure and (support[rewrite][1] >= _SHARE_OF_NUMBERED or not parts.slug.isdigit()):
                self._take(old, new, PATH, f"{rewrite} for {support[rewrite][0]:,} URLs")
            elif is_distinctive(parts.slug):
                self._take(old, new, PATH, f"same last segment; {rewrite}")
        # slugs that several URLs share are distinguished by a rewrite that other URLs have proven
        places = {parts.key: number for number, parts in self._new_parts.items()}
        for old, key, rewrite in list(applied(sure, self._old_parts)):
            if key in places:
                self._take(old, places[key], PATH, f"{rewrite} for other URLs too")

    def bags(self) -> None:
        """The same words and numbers in another order, with an id of some length among them."""

        def bag(_: Loose, parts: Parts) -> tuple[str, ...] | None:
            found = bag_of(parts)
            return found if len(found) >= 3 and any(word.isdigit() and len(word) >= 4 for word in found) else None

        self._pair(
            bag,
            PATH,
            lambda old, _: f"same words and number: {' '.join(bag_of(self._old_parts[old]))}",
        )

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
        old, new = _slugs(self._old, self._old_parts), _slugs(self._new, self._new_parts)
        for one, two, likeness in list(Matcher(old, new, self._same_section).pairs()):
            self._take(one, two, PATH, f"near-same path ({likeness:.0%} alike)")

    def _same_section(self, old: Parts, new: Parts) -> bool:
        if old.host == new.host and old.folders == new.folders:
            return True
        return rewrite_of(old, new) in self._rewrites

    def _pair(self, key: Callable[[Loose, Parts], Hashable], evidence: str, detail: Callable[[int, int], str]) -> None:
        """URLs that have a key, not None, which no other has on either side."""
        sides = ((self._old, self._old_parts), (self._new, self._new_parts))
        old, new = ([(key(each, parts[number]), number) for number, each in side.items()] for side, parts in sides)
        for one, two in list(_unique(old, new)):
            if one in self._old and two in self._new:
                self._take(one, two, evidence, detail(one, two))


def _unique(old: Iterable[tuple[Hashable, int]], new: Iterable[tuple[Hashable, int]]) -> Iterator[tuple[int, int]]:
    """Numbers that one URL of each side has under the same key, and no other."""
    ones, twos = _once(old), _once(new)
    for key, number in ones.items():
        other = twos.get(key)
        if key is not None and number is not None and other is not None:
            yield number, other


def _once(items: Iterable[tuple[Hashable, int]]) -> dict[Hashable, int | None]:
    found: dict[Hashable, int | None] = {}
    for key, number in items:
        found[key] = None if key in found else number
    return found


def _slugs(side: Mapping[int, Loose], parts: Mapping[int, Parts]) -> dict[int, Slug]:
    dates = Counter(each.lastmod for each in side.values() if len(each.lastmod or "") > 16)
    return {
        number: slug_of(parts[number], each.lastmod if dates[each.lastmod] == 1 else None)
        for number, each in side.items()
        if parts[number].slug
    }


def _ends(parts: Mapping[int, Parts], length: int, taken: set[int]) -> Iterator[tuple[Hashable, int]]:
    for number, each in parts.items():
        if each.slug and number not in taken and len(each.folders) + 1 >= length:
            folders = each.folders[len(each.folders) + 1 - length :]
            yield (folders, each.slug, each.query), number


def _by_shape(parts: Mapping[int, Parts]) -> dict[str, dict[str, int]]:
    """By the shape of the path and the only number in it: `/item?id=#` and `17`."""
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for number, each in parts.items():
        text = f"{each.path}?{each.query}"
        numbers = _NUMBER.findall(text)
        if len(numbers) == 1:
            found[f"{each.host}/{shape_of(text)}"][numbers[0]] = number
    return {shape: numbers for shape, numbers in found.items() if len(numbers) >= _BEHIND_A_REWRITE}


# A URL → the parts that survive a migration: host without www, folders, slug, query, words and numbers.

_INDEX = re.compile(r"(?:index|default|home)\.(?:html?|php|aspx?|jsp|shtml)", re.IGNORECASE)
_EXTENSION = re.compile(r"\.(?:html?|php\d?|aspx?|jsp|shtml|amp)$", re.IGNORECASE)
_BETWEEN_WORDS = re.compile(r"[\W_]+")
_DASHED = str.maketrans("_+ ", "---")
_NUMBER = re.compile(r"\d+")
_LANGUAGE = re.compile(r"[a-z]{2}(?:-[a-z]{2,4})?")


class Parts(NamedTuple):
    host: str
    """in lowercase, without www and the default port"""
    folders: tuple[str, ...]
    slug: str
    """the last segment without extension; empty for a front page"""
    query: str

    @property
    def path(self) -> str:
        return "/".join((*self.folders, self.slug))

    @property
    def key(self) -> str:
        """The same for spellings of one path."""
        return f"{self.host}/{self.path}?{self.query}" if self.query else f"{self.host}/{self.path}"


def parts_of(url: str) -> Parts:
    rest = url.partition("://")[2] or url
    rest = rest.partition("#")[0]
    rest, _, query = rest.partition("?")
    host, _, path = rest.partition("/")
    host = host.lower().removeprefix("www.").removesuffix(":443").removesuffix(":80")
    segments = [unquote(each).casefold().translate(_DASHED) for each in path.split("/") if each]
    if segments and _INDEX.fullmatch(segments[-1]):
        segments.pop()
    if not segments:
        return Parts(host, (), "", query)
    slug = _EXTENSION.sub("", segments[-1]) or segments[-1]
    return Parts(host, tuple(segments[:-1]), slug, query)


def words_of(text: str) -> list[str]:
    return [word for word in _BETWEEN_WORDS.split(text) if word]


def bag_of(parts: Parts) -> tuple[str, ...]:
    """The words of the slug and the numbers of the folders, in any order: `/p/17/red-shoe`, `/shop/red-shoe-17`."""
    ids = (folder for folder in parts.folders if folder.isdigit())
    return tuple(sorted({*words_of(parts.slug), *words_of(parts.query), *ids}))


def shape_of(folder: str) -> str:
    """Dates and numbers are alike wherever they identify one of many."""
    return _NUMBER.sub("#", folder)


def difference(old: str, new: str) -> str:
    """In which parts two spellings of one path differ, in words."""
    one, two = _split(old), _split(new)
    found = [name for name, a, b in zip(_NAMES, one, two, strict=True) if a != b and name != "path"]
    old, new = one[2], two[2]
    if old.endswith("/") != new.endswith("/"):
        found.append("trailing slash")
    old, new = old.rstrip("/"), new.rstrip("/")
    if _extension(old) != _extension(new):
        found.append("file extension")
    old, new = _EXTENSION.sub("", old), _EXTENSION.sub("", new)
    if old != new:
        found.append("letter case" if old.casefold() == new.casefold() else "spelling of the path")
    return ", ".join(found) or "spelling"


_NAMES = ("scheme", "host", "path", "query")


def _split(url: str) -> tuple[str, str, str, str]:
    scheme, _, rest = url.partition("://")
    rest, _, query = rest.partition("#")[0].partition("?")
    host, _, path = rest.partition("/")
    return scheme.lower(), host.lower(), path, query


def _extension(path: str) -> str:
    found = _EXTENSION.search(path)
    return found[0].lower() if found else ""


# Pairs that share the end of their path → the rewrites of folders behind them, and where else these lead.


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
        folders = (*self.old, *self.new)
        return len(self.old) == len(self.new) == 1 and all(map(_LANGUAGE.fullmatch, folders))

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


# Removed and added URLs whose slugs were edited → pairs that are each other's best match by a clear margin.

ENOUGH = 0.72
ENOUGH_WITH_DATE = 0.45
"""where both carry the same time of day as lastmod, and no other URL does"""
_MARGIN = 0.08
_CLOSEST = 12
"""candidates compared word by word: those that share the most words"""
_LOOKED_AT, _ALL_LOOKED_AT = 2_000, 10_000_000
"""URLs that are looked at because they share a word, for one URL and for all"""
_ALIKE = 0.75
_LITTLE_WORDS = frozenset(
    {"a", "an", "and", "at", "by", "das", "de", "der", "die", "el", "en", "et", "for", "from", "how", "in", "is", "la"}
    | {"le", "les", "los", "my", "of", "on", "or", "our", "the", "to", "und", "with", "your"}
)


class Slug(NamedTuple):
    parts: Parts
    words: frozenset[str]
    numbers: frozenset[str]
    date: str | None
    """its lastmod where that has a time of day and no other URL of its state has it"""


def slug_of(parts: Parts, date: str | None) -> Slug:
    words = words_of(f"{parts.slug} {parts.query}")
    numbers = (number.lstrip("0") or "0" for word in words for number in _NUMBER.findall(word))
    return Slug(parts, frozenset(words), frozenset(numbers), date)


class Matcher:
    """Compares slugs word by word; rare words count more."""

    def __init__(
        self, old: Mapping[int, Slug], new: Mapping[int, Slug], same_section: Callable[[Parts, Parts], bool]
    ) -> None:
        self._old, self._new, self._same_section = old, new, same_section
        self._known = Counter(word for side in (old, new) for slug in side.values() for word in slug.words)
        self._total = len(old) + len(new)
        self._budget = min(_LOOKED_AT, _ALL_LOOKED_AT // max(1, len(old)))
        self._by_word: defaultdict[str, list[int]] = defaultdict(list)
        self._by_date = {slug.date: number for number, slug in new.items() if slug.date}
        for number, slug in new.items():
            for word in slug.words:
                self._by_word[word].append(number)

    def pairs(self) -> Iterator[tuple[int, int, float]]:
        """Old number, new number, likeness."""
        best: dict[int, tuple[float, int]] = {}
        second: dict[int, float] = {}
        rivals: defaultdict[int, list[tuple[float, int]]] = defaultdict(list)
        for number, slug in self._old.items():
            scores = sorted(
                ((self._likeness(slug, self._new[each]), each) for each in self._candidates(slug)), reverse=True
            )
            for score, each in scores:
                if score > 0:
                    rivals[each].append((score, number))
            if scores and scores[0][0] > 0:
                best[number] = scores[0]
                second[number] = scores[1][0] if len(scores) > 1 else 0.0
        for number, (score, each) in best.items():
            others = [rival for rival, whose in rivals[each] if whose != number]
            date = self._old[number].date
            enough = ENOUGH_WITH_DATE if date is not None and date == self._new[each].date else ENOUGH
            if score >= enough and score - second[number] >= _MARGIN and score - max(others, default=0.0) >= _MARGIN:
                yield number, each, score

    def _candidates(self, slug: Slug) -> set[int]:
        """Rare words first, as long as the budget lasts."""
        shared: Counter[int] = Counter()
        budget = self._budget
        for word in sorted((word for word in slug.words if word in self._by_word), key=self._known.__getitem__):
            budget -= len(self._by_word[word])
            if budget < 0:
                break
            shared.update(self._by_word[word])
        several = {number: count for number, count in shared.items() if count > 1} if len(slug.words) > 2 else shared
        found = set(nlargest(_CLOSEST, several, key=several.__getitem__))
        if slug.date in self._by_date:
            found.add(self._by_date[slug.date])
        return found

    def _likeness(self, old: Slug, new: Slug) -> float:
        """0 where they cannot be one page."""
        lost, found = old.numbers - new.numbers, new.numbers - old.numbers
        # other numbers are other pages; a long one may be dropped or added: an id, a year, a date
        if (lost and found) or any(len(number) < 4 for number in lost | found):
            return 0.0
        if not self._same_section(old.parts, new.parts):
            return 0.0
        gone, come = old.words - new.words, new.words - old.words
        if not self._is_an_edit(gone, come) and not (old.date and old.date == new.date):
            return 0.0
        common = sum(map(self._weight, old.words & new.words))
        # both spellings of a word count as shared
        spelled = 0.0
        for one in gone:
            two = next((each for each in come if self._respelled(one, each)), None)
            if two is not None:
                spelled += self._weight(one) + self._weight(two)
        total = sum(map(self._weight, old.words | new.words))
        return (common + spelled) / total if total else 0.0

    def _weight(self, word: str) -> float:
        if word in _LITTLE_WORDS:
            return 0.1
        return log(1 + self._total / self._known[word])

    def _is_an_edit(self, gone: frozenset[str], come: frozenset[str]) -> bool:
        """Words that other URLs use too tell products apart; an edit respells a word or adds one of no meaning."""
        gone, come = gone - _LITTLE_WORDS, come - _LITTLE_WORDS
        if not gone and not come:
            return True
        if gone and come:
            return all(any(self._respelled(one, two) for two in come) for one in gone)
        return all(self._known[word] == 1 for word in gone | come)

    def _respelled(self, one: str, two: str) -> bool:
        """`recieve` and `receive`, `shoe` and `shoes`; not `shirt` and `skirt`, which are both in use elsewhere."""
        short, long = sorted((one, two), key=len)
        if long in (f"{short}s", f"{short}es"):
            return True
        if min(self._known[one], self._known[two]) > 1:
            return False
        return one[:1] == two[:1] and SequenceMatcher(None, one, two).ratio() >= _ALIKE
