"""Fixes → columns: a rule, a place, and a range of edits each; a million fixes take tens of megabytes."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, count
from operator import eq
from typing import NamedTuple

from urlset.checking.declare import AnyRule
from urlset.findings.fix import Safety
from urlset.model.columns import Edit
from urlset.model.edits import Edits


class Title(NamedTuple):
    """The common part of many fixes."""

    rule: AnyRule
    text: str
    safety: Safety


class Fixes:
    """Fixes in insertion order. One with a single edit takes about 60 bytes."""

    __slots__ = ("_numbers", "_stops", "edits", "offsets", "rows", "subjects", "title_numbers", "titles")

    def __init__(self) -> None:
        self.titles: list[Title] = []
        self._numbers: dict[tuple[str, str, Safety], int] = {}
        self.title_numbers: array[int] = array("L")
        self.offsets: array[int] = array("Q")
        """the start of the fixed problem"""
        self.rows: array[int] = array("q")
        """the entry with the problem; -1 if it is in none"""
        self.subjects: dict[int, str] = {}
        """the affected URL, if it is not the URL of the entry"""
        self.edits = Edits()
        self._stops: array[int] = array("Q", [0])

    def __len__(self) -> int:
        return len(self.offsets)

    def number_of(self, title: Title) -> int:
        key = (title.rule.code, title.text, title.safety)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.titles)
            self.titles.append(title)
        return number

    def add(self, title: Title, offset: int, row: int, edits: Iterable[Edit], subject: str | None = None) -> None:
        if subject is not None:
            self.subjects[len(self.offsets)] = subject
        self.title_numbers.append(self.number_of(title))
        self.offsets.append(offset)
        self.rows.append(row)
        if isinstance(edits, Edits):
            self.edits.extend(edits)
        else:
            for edit in edits:
                self.edits.add(edit.place.offset, edit.place.length, edit.text)
        self._stops.append(len(self.edits))

    def title(self, number: int) -> Title:
        return self.titles[self.title_numbers[number]]

    def span(self, number: int) -> range:
        """The edits of a fix, ordered by place."""
        return range(self._stops[number], self._stops[number + 1])

    def numbered_edits(self) -> Iterator[tuple[int, int, int, bytes]]:
        """Fix number, offset, length, and text of all edits."""
        number, stops = 0, self._stops
        for at, (offset, length, text) in enumerate(self.edits.triples()):
            while at >= stops[number + 1]:
                number += 1
            yield number, offset, length, text

    def picked(self, numbers: Sequence[int]) -> Fixes:
        """Some of them, in another order; itself for all of them in the same order."""
        if len(numbers) == len(self) and (isinstance(numbers, range) or all(map(eq, numbers, count()))):
            return self
        found = Fixes()
        found.titles, found._numbers = self.titles, self._numbers
        found.title_numbers = array("L", [self.title_numbers[number] for number in numbers])
        found.offsets = array("Q", [self.offsets[number] for number in numbers])
        found.rows = array("q", [self.rows[number] for number in numbers])
        if self.subjects:
            kept = ((at, self.subjects.get(number)) for at, number in enumerate(numbers))
            found.subjects = {at: subject for at, subject in kept if subject is not None}
        stops = self._stops
        found._stops.extend(accumulate(stops[number + 1] - stops[number] for number in numbers))
        if stops[-1] == len(self):  # one edit each
            found.edits = self.edits.picked(numbers)
        else:
            found.edits = self.edits.picked(at for number in numbers for at in range(stops[number], stops[number + 1]))
        return found
