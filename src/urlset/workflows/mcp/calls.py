"""One tool call on many targets → one answer: a line per target, and the first page of what was found."""

from __future__ import annotations

import glob
import os
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec

from urlset.findings.finding import Finding
from urlset.findings.verdict import Verdict
from urlset.reading.starts import Missing, expand
from urlset.reports.uri import is_address
from urlset.settings.mcp import McpSettings
from urlset.web.options import WebOptions
from urlset.workflows.live.setup import Live, why_not_fetched

MAX_TARGETS = 50
SHOWN_LINES = 20


class Found(msgspec.Struct):
    """What one target gave; `facts` are complete when all items were read."""

    facts: dict[str, Any]
    items: Iterable[dict[str, Any]] = ()


class ToolContext:
    """What every tool of one server shares."""

    def __init__(self, settings: McpSettings) -> None:
        self.settings = settings
        self.roots = Roots(settings.roots)
        self.pages = Pages()

    @property
    def web(self) -> WebOptions:
        return self.settings.fetching

    def live(self, max_files: int) -> Live:
        return Live(self.web, min(max(max_files, 1), self.settings.max_files))

    def answer(self, targets: Sequence[str], limit: int, work: Callable[[str], Found]) -> dict[str, Any]:
        """Each target by itself: one that fails does not stop the others."""
        if not 1 <= len(targets) <= MAX_TARGETS:
            raise TargetError(f"give 1 to {MAX_TARGETS} targets in one call")
        rows: list[dict[str, Any]] = []

        def items() -> Iterator[dict[str, Any]]:
            for target in targets:
                try:
                    found = work(target)
                    for item in found.items:
                        yield {"target": target, **item}
                except Exception as error:  # noqa: BLE001 - one target must not fail the others
                    rows.append({"target": target, "ok": False, "error": _reason(error)})
                    continue
                rows.append({"target": target, "ok": True, **found.facts})

        page = self.pages.first(items(), limit)
        return {"targets": rows, **page}


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    known = isinstance(error, ValueError) or type(error).__module__.startswith("urlset.")
    return str(error) if known else f"internal error: {type(error).__name__}"


def shown(lines: Sequence[str]) -> list[str]:
    """A few of many; the rest is counted."""
    rest = len(lines) - SHOWN_LINES
    return [*lines[:SHOWN_LINES], *([f"{rest:,} more"] if rest > 0 else [])]


def verdict_facts(verdict: Verdict) -> dict[str, Any]:
    return {
        "documents": len(verdict.documents),
        "entries": verdict.entries,
        "severities": dict(verdict.severity_counts),
        "counts": verdict.concerned,
        "not_read": shown(verdict.unread),
        "rules_skipped": len({each.code for each in verdict.not_checked}),
    }


def finding_item(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "message": finding.message,
        "source": finding.source,
        "line": finding.line,
        "column": finding.column,
        "subject": finding.subject,
        "count": finding.count,
        "fix": finding.fix.title if finding.fix else None,
    }


# A target as an agent names it → a URL or a file below the given folders; anything else is refused.


class TargetError(ValueError):
    """The target may not be used."""


class Roots:
    """The folders that files may be read from and written to. Without one, only URLs can be named."""

    def __init__(self, folders: Sequence[str | Path] = ()) -> None:
        self.folders = tuple(Path(os.path.realpath(folder)) for folder in folders)

    def admit(self, target: str) -> str:
        """The URL, or the path to open: a file, a folder or a pattern whose files are all below a root."""
        if is_address(target):
            if (why := why_not_fetched(target)) is not None:
                raise TargetError(why)
            return target
        return self.admit_path(target)

    def admit_path(self, target: str) -> str:
        if not self.folders:
            raise TargetError("no folder may be read; start the server with --root DIR")
        path = self._below(target)
        if glob.has_magic(path) and not os.path.lexists(path):
            self._need_files(path)
            return path
        real = os.path.realpath(path)
        if not self._covers(real):
            raise self._outside(target)
        if os.path.isdir(real):  # noqa: PTH112 - a text throughout
            self._need_files(real)
        elif not os.path.isfile(real):  # noqa: PTH113 - a named pipe would never end
            raise TargetError("not a regular file" if os.path.lexists(real) else "no such file")
        return real

    def _below(self, target: str) -> str:
        """Without `..`: what is opened is what was compared."""
        if "\0" in target:
            raise TargetError("a file name cannot contain a zero byte")
        candidates = [os.path.normpath(folder / target) for folder in self.folders]
        inside = [path for path in candidates if self._covers(path)]
        if not inside:
            raise self._outside(target)
        return next((path for path in inside if os.path.lexists(path)), inside[0])

    def _need_files(self, path: str) -> None:
        for found in expand(path):
            if isinstance(found, Missing):
                raise TargetError(found.reason)
            if not self._covers(os.path.realpath(found)):
                raise self._outside(found.name)

    def _covers(self, path: str) -> bool:
        return any(Path(path).is_relative_to(folder) for folder in self.folders)

    def _outside(self, target: str) -> TargetError:
        return TargetError(f"{target} is outside the folders that may be used: {', '.join(map(str, self.folders))}")


# A long list of results → pages of bounded size, and a cursor for the rest.

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
