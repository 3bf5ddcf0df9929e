"""The read-only verbs → what each target gave, as plain values."""

from __future__ import annotations

import glob
import hashlib
import os
import re
import secrets
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec

from urlset.checking.select import UnknownSelectorError
from urlset.findings.finding import Finding
from urlset.findings.verdict import Verdict
from urlset.fixing.edit_buffer import unified
from urlset.model.document import Kind
from urlset.model.errors import ArgumentValueError
from urlset.model.moment import Moment
from urlset.reading.disk import Missing, NoSitemap, expand
from urlset.settings.check import CheckSettings
from urlset.settings.fix import FixSettings
from urlset.settings.groups import SitemapFetchSettings
from urlset.settings.load import from_keywords
from urlset.settings.serve import McpSettings
from urlset.storage.paths import is_address
from urlset.web.api import is_loopback
from urlset.web.options import ALLOW_PRIVATE, WebOptions
from urlset.workflows.fix import FixTarget, fix_targets, write
from urlset.workflows.live.discover import why_not_fetched


def read(context: ToolContext, target: str, fields: Sequence[str], contains: str, since: str, max_files: int) -> Found:
    from urlset.workflows.live.tree import LiveTree
    from urlset.workflows.ls import Batch, ListFilter, choose, list_pages

    chosen = choose(",".join(fields))
    moment = Moment.parse(since) if since else None
    if moment is not None and moment.interval() is None:
        raise TargetError(f"{since!r} is not a date like 2026-11 or 2026-11-16")
    facts: dict[str, Any] = {}
    live = partial(LiveTree, settings=context.fetching(max_files))
    batches = list_pages([context.roots.admit(target)], ListFilter(since=moment), live=live)

    def items() -> Iterator[dict[str, Any]]:
        """One document at a time: a tree may list millions."""
        documents, urls, notices = set(), 0, []
        for batch in batches:
            if not isinstance(batch, Batch):
                notices.append(f"{batch.source}: {batch.text}")
                continue
            documents.add(batch.document.name)
            for loc, *values in zip(batch.locs, *(field.values(batch) for field in chosen), strict=True):
                if contains in loc:
                    urls += 1
                    row = zip((field.name for field in chosen), values, strict=True)
                    yield {name: value for name, value in row if value not in (None, (), [])}
        if not documents or not urls:
            wanted = "; no URL matches" if documents else ""
            raise TargetError("; ".join(shown(notices)) or f"no URL is listed{wanted}")
        facts.update(documents=len(documents), urls=urls, notices=shown(notices))

    return Found(facts, items())


def check(context: ToolContext, target: str, **options: Any) -> Found:
    verdict = _verdict(context, target, options)
    return Found(verdict_facts(verdict), [finding_item(each) for each in verdict.findings])


def unknowns(context: ToolContext, target: str, **options: Any) -> Found:
    """The rules that a check of this target skips, by reason."""
    verdict = _verdict(context, target, options)
    reasons: dict[str, set[str]] = {}
    for each in verdict.not_checked:
        reasons.setdefault(each.reason, set()).add(each.code)
    items: list[dict[str, Any]] = [
        {"skipped": sorted(codes), "because": reason} for reason, codes in sorted(reasons.items())
    ]
    items += [{"not_read": line} for line in verdict.unread]
    return Found(verdict_facts(verdict), items)


def _verdict(context: ToolContext, target: str, options: dict[str, Any]) -> Any:
    from urlset.workflows.check import check as check_targets

    path, at, max_files = context.roots.admit(target), options.pop("at", None), options.pop("max_files")
    given = {name: value for name, value in options.items() if value}
    fetching = context.fetching(max_files).values(SitemapFetchSettings)
    given |= {**fetching, "at": None if is_address(path) else at or None, "jobs": 1}
    settings = from_keywords(CheckSettings, given)
    try:
        verdict = check_targets([path], settings)
    except UnknownSelectorError as error:
        raise TargetError(str(error)) from error
    if all(each.kind == Kind.ROBOTS for each in verdict.documents) and (verdict.unread or not verdict.documents):
        raise TargetError("; ".join(shown(verdict.unread)) or "nothing to check")
    return verdict


def explain(context: ToolContext, name: str) -> Found:
    from urlset.rules.catalogue import all_rules, find
    from urlset.spec.citations import cited

    if "://" in name:
        from urlset.workflows.explain import explain_url

        lines = explain_url(Path(context.settings.state), name)
        if not lines:
            raise TargetError("unknown to the builds, audits and crawls in the state folder of the server")
        return Found({}, [{"line": line.strip()} for line in lines])
    rule = find(name)
    if rule is None:
        known = [each.name for each in all_rules()] + [each.code for each in all_rules()]
        close = get_close_matches(name, known, n=1) or get_close_matches(name.upper(), known, n=1)
        raise TargetError(f"unknown rule{f'; did you mean {close[0]!r}?' if close else ''}")
    card = rule.card
    item = {
        "code": card.code,
        "name": card.name,
        "summary": card.summary,
        "rationale": card.rationale,
        "severities": {str(engine): str(level) for engine, level in card.severities.items()},
        "fixable": card.fixable,
        "skipped_if": rule.needs,
        "wrong": [each.text or each.title for each in rule.bad if each.text or each.title][:3],
        "right": [each.text or each.title for each in rule.good if each.text or each.title][:3],
        "sources": [f"{cited(key).document}: {cited(key).url or cited(key).section}" for key in card.cites],
    }
    return Found({}, [item])


def doctor(context: ToolContext, target: str) -> Found:
    from urlset.settings.engines import DoctorSettings
    from urlset.workflows.doctor import doctor as look

    report = look(DoctorSettings(url=context.admit_site(target), web=context.web))
    facts = {
        "healthy": report.healthy,
        "sitemap": report.sitemap or None,
        "sitemaps": {"listed": report.children, "fetched": report.children_fetched},
        "crawlers": [f"{result}: {names}" for result, names in report.crawler_lines()],
        "served_by": list(report.platforms),
        "looked_at": list(report.looked_at),
        "advice": report.all_clear if report.healthy else None,
    }
    return Found(facts, [msgspec.to_builtins(each) for each in report.causes])


def diff(context: ToolContext, old: str, new: str) -> Found:
    from urlset.workflows.library.history import diff as compare

    with compare(
        _state(context, old), _state(context, new), web=context.web, state=context.settings.state, probe=0, strict=False
    ) as report:
        if not (report.summary.old or report.summary.new):
            raise TargetError("; ".join(shown([*report.troubled, *report.notes])) or "neither side lists a URL")
        items: list[dict[str, Any]] = [
            {"change": "renamed", "loc": each.old, "to": each.new} for each in report.renamed
        ]
        items += [{"change": "added", "loc": loc} for loc in report.added]
        items += [{"change": "removed", "loc": loc} for loc in report.removed]
        items += [{"change": "changed", "loc": each.loc, "fields": each.fields} for each in report.changed]
        items += [{"change": "moved", "loc": each.loc, "from": each.old, "to": each.new} for each in report.moved]
        facts = {
            "summary": msgspec.to_builtins(report.summary),
            "notes": shown(report.notes),
            "not_read": shown(report.troubled),
        }
    return Found(facts, items)


def _state(context: ToolContext, target: str) -> str:
    """`TARGET@WHEN` names a snapshot; the target itself must be one that may be used."""
    from urlset.checking import clock
    from urlset.snapshots.expressions import is_moment
    from urlset.storage.paths import is_address

    name, sign, when = target.rpartition("@")
    if sign and is_moment(when, clock.now()):
        return f"{name if is_address(name) else context.roots.admit_path(name)}@{when}"
    return context.roots.admit(target)


def engines(context: ToolContext, target: str, names: Sequence[str]) -> Found:
    from urlset.workflows.library.engines import engines_status

    report = engines_status(context.admit_site(target), to=names, web=context.web)
    if report.unreachable and not report.sitemaps:
        raise TargetError("; ".join(report.unreachable))
    facts = {**verdict_facts(report.verdict), "unreachable": list(report.unreachable), "notes": list(report.notes)}
    items = [msgspec.to_builtins(each) for each in report.sitemaps]
    return Found(facts, [*items, *(finding_item(each) for each in report.verdict.findings)])


# A preview of fixes → the same fixes applied, only if neither the files nor the result changed since.

_DIFF_LINES = 200
_REMEMBERED = 50
_SHRINK = "use --allow-shrink to apply it"
_SHRINK_HERE = "this tool never removes more than half of a file; run `urlset fix --unsafe --allow-shrink` instead"
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
        for left in fixed.left:
            reason = left.reason.replace(_SHRINK, _SHRINK_HERE)
            items.append(
                {
                    "file": str(each.path),
                    "left": left.code,
                    "count": left.count,
                    "reason": reason,
                    "message": left.message,
                }
            )
        if not each.changed:
            continue
        wanted.results[str(each.path)] = _hash(each)
        facts["fixes"] += len(fixed.applied)
        lines: list[str] = []
        more = 0
        for line in unified(fixed.original, fixed.edits, each.path.name):
            if len(lines) < _DIFF_LINES:
                lines.append(line.decode("utf-8", "replace")[:1_000])
            else:
                more += 1
        items.append(
            {
                "file": str(each.path),
                "changes": [f"{it.code} {it.title} ({it.count:,})" for it in fixed.changes(1)],
                "files_after": [piece.name for piece in fixed.pieces] if len(fixed.pieces) > 1 else None,
                "removed": [f"{it.loc} ({it.code})" for it in fixed.removed],
                "renamed": [f"{it.loc} to {it.to} ({it.code})" for it in fixed.renamed],
                "diff": "\n".join([*lines, *([f"({more:,} more lines)"] if more else [])]),
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
    written = sum(item["written"] for item in items)
    if not written:
        raise TargetError(_CHANGED)
    return Found({"path": wanted.path, "written": written}, items)


def _targets(wanted: Preview) -> Iterator[FixTarget]:
    from urlset.rules.catalogue import find

    rules = {name: find(name) for name in wanted.only}
    for name, rule in rules.items():
        if rule is None:
            raise TargetError(f"unknown rule {name!r}")
    codes = tuple(rule.code for rule in rules.values() if rule is not None)
    given = {"unsafe": wanted.unsafe, "only": codes, "at": wanted.at or None}
    settings = replace(from_keywords(FixSettings, given), targets=(wanted.path,))
    for found in fix_targets(settings):
        if isinstance(found, (NoSitemap, str)):
            raise TargetError(found if isinstance(found, str) else found.reason)
        yield found


def _hash(target: FixTarget) -> str:
    digest = hashlib.sha256(Path(target.path).read_bytes())
    for piece in target.fixed.pieces:
        digest.update(b"\0" + piece.name.encode() + b"\0" + piece.data)
    return digest.hexdigest()


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
        self.roots = Roots(settings.roots, settings.state)
        self.pages = Pages()

    @property
    def web(self) -> WebOptions:
        return self.settings.fetching

    def admit_site(self, target: str) -> str:
        """For commands that open a loopback address because a person named it: here an agent did."""
        if is_loopback(target) and not self.web.allow_private:
            raise TargetError(f"the address is private; {ALLOW_PRIVATE} allows it")
        return self.roots.admit(target)

    def fetching(self, max_files: int) -> SitemapFetchSettings:
        """With no more files than the server allows."""
        return SitemapFetchSettings(web=self.web, max_files=min(max(max_files, 1), self.settings.max_files))

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
                        yield {"target": target, **self.roots.hide_in(item)}
                except Exception as error:  # noqa: BLE001 - one target must not fail the others
                    rows.append({"target": target, "ok": False, "error": self.roots.hide(reason_of(error))})
                    continue
                rows.append({"target": target, "ok": True, **self.roots.hide_in(found.facts)})

        page = self.pages.first(items(), limit)
        return {"targets": rows, **page}


def reason_of(error: Exception) -> str:
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
    names = ("code", "name", "severity", "message", "source", "line", "column", "subject", "count")
    return {name: getattr(finding, name) for name in names} | {"fix": finding.fix.title if finding.fix else None}


# A target as an agent names it → a URL or a file below the given folders; anything else is refused.


class TargetError(ArgumentValueError):
    """The target may not be used."""


class Roots:
    """The folders that files may be read from and written to. Without one, only URLs can be named."""

    def __init__(self, folders: Sequence[str | Path] = (), state: str | Path = "") -> None:
        self.folders = tuple(Path(os.path.realpath(folder)) for folder in folders)
        several = len(self.folders) > 1
        own = {str(folder): folder.name if several else "" for folder in self.folders}
        others = dict.fromkeys(map(os.path.realpath, (state, tempfile.gettempdir(), Path.home(), ".")), "…")
        self._private = [
            (rf"(?<![\w./\\:-]){re.escape(path)}", name)
            for path, name in sorted({**others, **own}.items(), key=lambda pair: -len(pair[0]))
            if len(path) > 1
        ]
        """folders of the server where a path begins, and what an answer has in their place"""

    def hide(self, text: str) -> str:
        """A text without the folders of the server: files are named from their root, as targets are."""
        if "/" not in text and "\\" not in text:
            return text
        for path, name in self._private:
            text = re.sub(rf"{path}[/\\]", f"{name}/" if name else "", text)
            text = re.sub(rf"{path}(?![\w.-])", name or ".", text)
        return text

    def hide_in(self, value: Any) -> Any:
        """The same for every text in a value."""
        return each_text(value, self.hide)

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
        if "\0" in target:
            raise TargetError("a file name cannot contain a zero byte")
        candidates = [os.path.normpath(folder / target) for folder in self.folders]
        first, _, rest = target.partition("/")
        candidates += [os.path.normpath(folder / rest) for folder in self.folders if folder.name == first]
        inside = [path for path in candidates if self._covers(path)]
        if not inside:
            raise self._outside(target)
        path = next((path for path in inside if os.path.lexists(path)), inside[0])
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

    def _need_files(self, path: str) -> None:
        for found in expand(path):
            if isinstance(found, Missing):
                raise TargetError(found.reason)
            if not self._covers(os.path.realpath(found)):
                raise self._outside(found.name)

    def _covers(self, path: str) -> bool:
        return any(Path(path).is_relative_to(folder) for folder in self.folders)

    def _outside(self, target: str) -> TargetError:
        return TargetError(f"{target} is outside the folders that may be used")


# A long list of results → pages of bounded size, and a cursor for the rest.

MAX_ITEMS = 500
"""on one page"""
PAGE_BYTES = 40_000
KEPT_ITEMS = 100_000
KEPT_BYTES = 64 << 20
"""over all results that a cursor may still ask for"""
_LONGEST_TEXT, _LONGEST_LIST = 4_000, 50


class CursorError(ArgumentValueError):
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
                kept.append(msgspec.json.encode(each_text(msgspec.to_builtins(item), _cut, _LONGEST_LIST)))
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


def each_text(value: Any, change: Callable[[str], str], longest: int | None = None) -> Any:
    """A value with every text in it changed, and at most so many items of each list."""
    match value:
        case str():
            return change(value)
        case dict():
            return {name: each_text(inner, change, longest) for name, inner in value.items()}
        case list() | tuple():
            return [each_text(inner, change, longest) for inner in value[:longest]]
        case _:
            return value


def _cut(text: str) -> str:
    """One hostile item must not fill the page."""
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}… ({len(text):,} characters)"
