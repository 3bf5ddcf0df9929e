"""A preview of fixes → the same fixes applied, only if neither the files nor the result changed since."""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec

from urlset.fixing.choose import FixOptions
from urlset.fixing.diff import unified
from urlset.reading.starts import NoSitemap
from urlset.reports.uri import is_address
from urlset.settings.fix import FixSettings
from urlset.settings.keywords import from_keywords
from urlset.workflows.fix.files import FixTarget, write
from urlset.workflows.fix.fix import fix_targets
from urlset.workflows.mcp.calls import Found, ToolContext
from urlset.workflows.mcp.roots import TargetError

_DIFF_LINES = 200
_REMEMBERED = 50
_CHANGED = "the file or the result changed since the preview; preview it again"


class Preview(msgspec.Struct):
    """What was shown, and may be applied."""

    path: str
    unsafe: bool
    only: tuple[str, ...]
    at: str
    results: dict[str, str]
    """file → the hash of its bytes and of what replaces them"""


class Previews:
    def __init__(self) -> None:
        self._kept: OrderedDict[str, Preview] = OrderedDict()
        self._lock = Lock()

    def keep(self, preview: Preview) -> str:
        name = secrets.token_hex(8)
        with self._lock:
            self._kept[name] = preview
            while len(self._kept) > _REMEMBERED:
                self._kept.popitem(last=False)
        return name

    def take(self, name: str) -> Preview:
        """Once: a second time, the files are no longer those of the preview."""
        with self._lock:
            found = self._kept.pop(name, None)
        if found is None:
            raise TargetError("unknown or used preview; call `fix` again")
        return found


def preview(
    context: ToolContext, previews: Previews, target: str, unsafe: bool, only: tuple[str, ...], at: str
) -> Found:
    if is_address(target):
        raise TargetError("a URL cannot be fixed in place; download the sitemap below a root first")
    wanted = Preview(context.roots.admit_path(target), unsafe, only, at, {})
    facts: dict[str, Any] = {"preview": None, "fixes": 0, "left": 0}
    items: list[dict[str, Any]] = []
    for each in _targets(wanted):
        fixed = each.fixed
        facts["left"] += sum(left.count for left in fixed.left)
        if fixed.refused is not None:
            items.append({"file": str(each.path), "not_fixed": fixed.refused})
            continue
        items += [_left(each.path, left) for left in fixed.left]
        if not each.changed:
            continue
        wanted.results[str(each.path)] = _hash(each)
        facts["fixes"] += len(fixed.applied)
        items.append(
            {
                "file": str(each.path),
                "changes": [f"{it.code} {it.title} ({it.count:,})" for it in fixed.changes(1)],
                "files_after": [piece.name for piece in fixed.pieces] if len(fixed.pieces) > 1 else None,
                "removed": [f"{it.loc} ({it.code})" for it in fixed.removed],
                "renamed": [f"{it.loc} to {it.to} ({it.code})" for it in fixed.renamed],
                "diff": _diff(fixed.original, fixed.edits, each.path.name),
            }
        )
    items.sort(key=lambda item: "diff" not in item)
    if wanted.results and not context.settings.read_only:
        facts["preview"] = previews.keep(wanted)
    return Found(facts, items)


def apply(context: ToolContext, previews: Previews, name: str, backup: bool) -> Found:
    wanted = previews.take(name)
    context.roots.admit_path(wanted.path)
    items: list[dict[str, Any]] = []
    for each in _targets(wanted):
        path = str(each.path)
        if each.fixed.refused is not None or not each.changed:
            continue
        if wanted.results.get(path) != _hash(each):
            items.append({"file": path, "written": False, "error": _CHANGED})
            continue
        written = write(each, backup=backup)
        items.append({"file": path, "written": True, "files": [str(item) for item in written]})
    done = {item["file"] for item in items}
    items += [{"file": p, "written": False, "error": _CHANGED} for p in wanted.results if p not in done]
    return Found({"path": wanted.path, "written": sum(item["written"] for item in items)}, items)


def _targets(wanted: Preview) -> Iterator[FixTarget]:
    settings = from_keywords(FixSettings, {"at": wanted.at} if wanted.at else {})
    options = FixOptions(unsafe=wanted.unsafe, only=tuple(map(_code, wanted.only)))
    for found in fix_targets([wanted.path], settings, options, at=settings.at):
        if isinstance(found, (NoSitemap, str)):
            raise TargetError(found if isinstance(found, str) else found.reason)
        yield found


def _code(name: str) -> str:
    from urlset.rules.catalogue import find

    rule = find(name)
    if rule is None:
        raise TargetError(f"unknown rule {name!r}")
    return rule.code


def _hash(target: FixTarget) -> str:
    digest = hashlib.sha256(Path(target.path).read_bytes())
    for piece in target.fixed.pieces:
        digest.update(b"\0" + piece.name.encode() + b"\0" + piece.data)
    return digest.hexdigest()


def _diff(original: bytes, edits: Any, name: str) -> str:
    lines: list[str] = []
    more = 0
    for line in unified(original, edits, name):
        if len(lines) < _DIFF_LINES:
            lines.append(line.decode("utf-8", "replace")[:1_000])
        else:
            more += 1
    return "\n".join([*lines, *([f"({more:,} more lines)"] if more else [])])


def _left(path: Path, left: Any) -> dict[str, Any]:
    return {"file": str(path), "left": left.code, "count": left.count, "reason": left.reason, "message": left.message}
