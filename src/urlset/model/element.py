"""One entry in detail: elements, attributes and text with the exact bytes of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from urlset.model.place import Place, between

if TYPE_CHECKING:
    from collections.abc import Iterator


class Run(msgspec.Struct, frozen=True, gc=False):
    """A stretch of decoded characters and the bytes they were written with."""

    text: str
    place: Place
    verbatim: bool
    """True when the bytes are just the UTF-8 of the text; False for a reference such as `&amp;`."""


class Value(msgspec.Struct, frozen=True, gc=False):
    """Decoded text that remembers which byte every character came from."""

    text: str
    place: Place
    runs: tuple[Run, ...] = ()

    def locate(self, start: int, length: int = 1) -> Place:
        """The bytes of `text[start:start + length]`."""
        if not self.runs:
            return self.place
        return between(
            self._byte_at(start),
            self._byte_at(start + length, after=True) if length else self._byte_at(start),
        )

    def _byte_at(self, index: int, *, after: bool = False) -> int:
        seen = 0
        for run in self.runs:
            size = len(run.text)
            if index < seen + size or (after and index == seen + size):
                inside = index - seen
                if run.verbatim:
                    return run.place.offset + len(run.text[:inside].encode("utf-8", "surrogatepass"))
                return run.place.end if inside else run.place.offset
            seen += size
        return self.runs[-1].place.end


class Attribute(msgspec.Struct, frozen=True, gc=False):
    """One attribute as written; `namespace` is empty for an unprefixed one."""

    namespace: str
    local: str
    written: str
    value: Value
    place: Place


class Element(msgspec.Struct, frozen=True, gc=False):
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
        """What stands between the two tags."""
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
