"""Removed and added URLs whose slugs were edited → pairs that are each other's best match by a clear margin."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from difflib import SequenceMatcher
from heapq import nlargest
from math import log
from typing import NamedTuple

from urlset.snapshots.renames.paths import Parts, numbers_of, words_of

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
    return Slug(parts, frozenset(words), frozenset(numbers_of(words)), date)


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
            enough = ENOUGH_WITH_DATE if self._same_date(number, each) else ENOUGH
            if score >= enough and score - second[number] >= _MARGIN and score - max(others, default=0.0) >= _MARGIN:
                yield number, each, score

    def _same_date(self, old: int, new: int) -> bool:
        return self._old[old].date is not None and self._old[old].date == self._new[new].date

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
        if _numbers_conflict(old.numbers, new.numbers) or not self._same_section(old.parts, new.parts):
            return 0.0
        gone, come = old.words - new.words, new.words - old.words
        if not self._is_an_edit(gone, come) and not (old.date and old.date == new.date):
            return 0.0
        common = sum(map(self._weight, old.words & new.words))
        spelled = self._weight_of_respelled(gone, come)
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

    def _weight_of_respelled(self, gone: frozenset[str], come: frozenset[str]) -> float:
        """Both spellings of a word count as shared."""
        total = 0.0
        for one in gone:
            two = next((each for each in come if self._respelled(one, each)), None)
            if two is not None:
                total += self._weight(one) + self._weight(two)
        return total


def _numbers_conflict(old: frozenset[str], new: frozenset[str]) -> bool:
    """Other numbers are other pages. A long one may be dropped or added: an id, a year, a date."""
    gone, come = old - new, new - old
    if gone and come:
        return True
    return any(len(number) < 4 for number in gone | come)
