"""What an application names as a section → a Section: an iterable, a callable that returns one, or a keyed source."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any

from urlset.building.entry_lines import Page
from urlset.integrations.keyed import AnyKeyed, AsyncKeyedSource, KeyedSource
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import MAX_URLS

Source = Iterable[Page] | AsyncIterable[Page] | Callable[[], Any] | AnyKeyed
"""the callable may be async, and may return an iterable or an async iterable"""

_NAME = lazy_pattern(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?")


class ServedSection:
    """A source under the name its files carry."""

    def __init__(self, name: str, source: Source, shard_size: int = MAX_URLS) -> None:
        if not _NAME.fullmatch(name):
            raise ValueError(f"section name {name!r}: use letters, digits, '-' and '_'")
        if isinstance(source, (str, bytes, Mapping)):
            raise TypeError(f"section {name!r}: {type(source).__name__} is not a source of pages")
        if isinstance(source, (Iterator, AsyncIterator)):
            raise TypeError(
                f"section {name!r}: a generator can be read only once; pass the function that makes it instead"
            )
        usable = callable(source) or isinstance(source, (Iterable, AsyncIterable, KeyedSource, AsyncKeyedSource))
        if not usable:
            raise TypeError(f"section {name!r}: {type(source).__name__} is not a source of pages")
        if not 1 <= shard_size <= MAX_URLS:
            raise ValueError(f"shard_size {shard_size}: a sitemap lists 1 to {MAX_URLS:,} URLs")
        self.name, self.source, self.shard_size = name, source, shard_size

    @property
    def keyed(self) -> AnyKeyed | None:
        return self.source if isinstance(self.source, (KeyedSource, AsyncKeyedSource)) else None

    @property
    def is_async(self) -> bool:
        """Known to be async before it is called; a plain function may still return something async."""
        source: Any = self.source
        if self.keyed is not None:
            return bool(self.keyed.is_async)
        if isinstance(source, AsyncIterable) and not isinstance(source, Iterable):
            return True
        return any(
            check(found)
            for check in (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
            for found in (source, getattr(source, "__call__", None))  # noqa: B004 - not whether, but which
        )

    def pages(self) -> Any:
        """What the source gives: an iterable, an async iterable, or an awaitable of one."""
        source: Any = self.source
        return source() if callable(source) and not isinstance(source, Iterable) else source


def sections_of(sections: Mapping[str, Source | ServedSection], shard_size: int = MAX_URLS) -> dict[str, ServedSection]:
    if not sections:
        raise ValueError("no sections: name at least one source of pages")
    return {
        name: source if isinstance(source, ServedSection) else ServedSection(name, source, shard_size)
        for name, source in sections.items()
    }


def bucket_of(line: bytes, buckets: int) -> int:
    """The shard of an entry without a key: by its address alone, so other entries cannot move it."""
    if buckets == 1:
        return 0
    loc = line[line.find(b"<loc>") : line.find(b"</loc>")]
    return int.from_bytes(blake2b(loc, digest_size=8).digest()) & (buckets - 1)
