"""Sitemaps, pages and headers → the programs that made them, by the signs they leave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from urlset.spec.generators import GENERATORS, Generator

MOST_BYTES = 65_536
"""of a page or sitemap that are searched: signs are in the head, or in a comment at either end"""
_END = 2_048


class GeneratorSigns:
    """Counts signs; any number of texts may be shown."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._found: Counter[str] = Counter(known)

    def add(self, names: Iterable[str]) -> None:
        """What another one has found."""
        self._found.update(names)

    def sitemap(self, name: str, data: bytes | None) -> None:
        text = _ends(data) if data else ""
        for each in GENERATORS:
            if any(sign in text for sign in each.in_sitemap) or any(sign in name.lower() for sign in each.in_name):
                self._found[each.name] += 1

    def page(self, body: bytes, headers: Iterable[tuple[str, str]]) -> None:
        text = _ends(body)
        sent = "\n".join(f"{name}: {value}" for name, value in headers).lower()
        for each in GENERATORS:
            if any(sign in text for sign in each.in_page) or any(sign in sent for sign in each.in_headers):
                self._found[each.name] += 1

    def found(self) -> tuple[Generator, ...]:
        """In the order of the table, in which the more specific come first: Yoast before WordPress."""
        return tuple(each for each in GENERATORS if self._found[each.name])


def _ends(data: bytes) -> str:
    """Lowercase; what is between the ends of a large file is left out."""
    if len(data) <= MOST_BYTES:
        return data.decode("latin-1").lower()
    return (data[:MOST_BYTES] + data[-_END:]).decode("latin-1").lower()
