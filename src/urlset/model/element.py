"""One entry in detail: elements, attributes and text with the exact bytes of each."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

import msgspec

from urlset.model.place import Place, between

if TYPE_CHECKING:
    from collections.abc import Iterator


class TextRun(msgspec.Struct, frozen=True, gc=False):
    """A stretch of decoded characters and the bytes they were written with."""

    text: str
    place: Place
    verbatim: bool
    """True when the bytes are just the UTF-8 of the text; False for a reference such as `&amp;`."""


class Value(msgspec.Struct, frozen=True, dict=True):
    """Decoded text that remembers which byte every character came from."""

    text: str
    place: Place
    runs: tuple[TextRun, ...] = ()

    def locate(self, start: int, length: int = 1) -> Place:
        """The bytes of `text[start:start + length]`."""
        if not self.runs:
            return self.place
        run = self.runs[0]
        if len(self.runs) == 1 and run.verbatim and run.text.isascii():
            first, size = run.place.offset, len(run.text)
            return between(first + min(start, size), first + min(start + length, size))
        return between(
            self._byte_at(start),
            self._byte_at(start + length, after=True) if length else self._byte_at(start),
        )

    def _byte_at(self, index: int, *, after: bool = False) -> int:
        ends = self._ends
        number = bisect_left(ends, index) if after else bisect_right(ends, index)
        if number == len(ends):
            return self.runs[-1].place.end
        run = self.runs[number]
        inside = index - (ends[number] - len(run.text))
        if not run.verbatim:
            return run.place.end if inside else run.place.offset
        return run.place.offset + (inside if run.text.isascii() else self._sizes(number)[inside])

    @cached_property
    def _ends(self) -> list[int]:
        """How many characters there are up to the end of each run."""
        return list(accumulate(len(run.text) for run in self.runs))

    def _sizes(self, number: int) -> list[int]:
        """The bytes before each character of a run; kept, because a value full of faults needs it for each of them."""
        known: dict[int, list[int]] = vars(self).setdefault("_known_sizes", {})
        if number not in known:
            sizes = (len(letter.encode("utf-8", "surrogatepass")) for letter in self.runs[number].text)
            known[number] = list(accumulate(sizes, initial=0))
        return known[number]


class Attribute(msgspec.Struct, frozen=True):
    """One attribute as written; `namespace` is empty for an unprefixed one."""

    namespace: str
    local: str
    written: str
    value: Value
    place: Place


class Element(msgspec.Struct, frozen=True):
    """One element with everything in it; `place` runs from `<` to the end of its close tag."""

    namespace: str
    local: str
    written: str
    place: Place
    open_tag: Place
    close_tag: Place
    attributes: tuple[Attribute, ...]
    value: Value
    children: tuple[Element, ...]
    comments: tuple[Place, ...] = ()
    cdata: bool = False

    @property
    def inner(self) -> Place:
        """What is between the two tags."""
        return between(self.open_tag.end, self.close_tag.offset)

    @property
    def text(self) -> str:
        return self.value.text.strip()

    def attribute(self, local: str) -> Attribute | None:
        for attribute in self.attributes:
            if attribute.local == local:
                return attribute
        return None

    def all(self, local: str, namespace: str | None = None) -> Iterator[Element]:
        for child in self.children:
            if child.local == local and namespace in (None, child.namespace):
                yield child

    def first(self, local: str, namespace: str | None = None) -> Element | None:
        return next(self.all(local, namespace), None)

    def walk(self) -> Iterator[Element]:
        yield self
        for child in self.children:
            yield from child.walk()
