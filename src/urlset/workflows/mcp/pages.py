"""A long list of results → pages of bounded size, and a cursor for the rest."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock
from typing import Any

import msgspec

MAX_ITEMS = 500
"""on one page"""
PAGE_BYTES = 40_000
KEPT_ITEMS = 100_000
KEPT_BYTES = 64 << 20
"""over all results that a cursor may still ask for"""
_LONGEST_TEXT = 4_000


class CursorError(ValueError):
    """The cursor is unknown or expired."""


class _Kept(msgspec.Struct):
    items: list[bytes]
    total: int
    bytes: int


class Pages:
    """Remembers the results of recent calls; the oldest are forgotten first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = Lock()

    def first(self, items: Iterable[Any], limit: int) -> dict[str, Any]:
        """The first page, with the exact number of items."""
        kept: list[bytes] = []
        total = size = 0
        for item in items:
            total += 1
            if len(kept) < KEPT_ITEMS and size < KEPT_BYTES // 2:
                kept.append(msgspec.json.encode(_bounded(msgspec.to_builtins(item))))
                size += len(kept[-1])
        name = secrets.token_hex(8)
        with self._lock:
            self._kept[name] = _Kept(kept, total, size)
            while sum(each.bytes for each in self._kept.values()) > KEPT_BYTES:
                self._kept.popitem(last=False)
        return self._page(name, 0, limit)

    def next(self, cursor: str, limit: int) -> dict[str, Any]:
        """The page that a cursor names; asking again gives the same page. Raises CursorError."""
        name, _, start = cursor.partition(".")
        if not start.isascii() or not start.isdigit() or len(start) > 9:
            raise CursorError("not a cursor of this server")
        return self._page(name, int(start), limit)

    def _page(self, name: str, start: int, limit: int) -> dict[str, Any]:
        with self._lock:
            kept = self._kept.get(name)
        if kept is None or start > len(kept.items):
            raise CursorError("the cursor has expired; repeat the call")
        end, size = start, 0
        while end < min(len(kept.items), start + max(1, min(limit, MAX_ITEMS))):
            size += len(kept.items[end])
            if size > PAGE_BYTES and end > start:
                break
            end += 1
        page: dict[str, Any] = {
            "items": [msgspec.json.decode(each) for each in kept.items[start:end]],
            "total": kept.total,
            "cursor": f"{name}.{end}" if end < len(kept.items) else None,
        }
        if page["cursor"] is None and kept.total > len(kept.items):
            page["left_out"] = kept.total - len(kept.items)
        return page


def _bounded(value: Any) -> Any:
    """One hostile item must not fill the page."""
    match value:
        case str():
            return value if len(value) <= _LONGEST_TEXT else f"{value[:_LONGEST_TEXT]}… ({len(value):,} characters)"
        case dict():
            return {name: _bounded(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_bounded(inner) for inner in value[:50]]
        case _:
            return value
