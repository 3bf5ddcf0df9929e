"""The read-only verbs → what each target gave, as plain values."""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec

from urlset.checking.select import UnknownSelectorError
from urlset.fixing.diff import unified
from urlset.model.moment import Moment
from urlset.reading.starts import NoSitemap
from urlset.reports.uri import is_address
from urlset.settings.check import CheckSettings
from urlset.settings.fix import FixSettings
from urlset.settings.keywords import from_keywords
from urlset.workflows.fix import FixTarget, fix_targets, write
from urlset.workflows.mcp.calls import Found, TargetError, ToolContext, finding_item, shown, verdict_facts

MAX_SAMPLE = 500
MAX_SECONDS = 300


def read(context: ToolContext, target: str, fields: Sequence[str], contains: str, since: str, max_files: int) -> Found:
    from urlset.workflows.ls import Batch, ListFilter, choose, list_pages

    chosen = choose(",".join(fields))
    moment = Moment.parse(since) if since else None
    if moment is not None and moment.interval() is None:
        raise TargetError(f"{since!r} is not a date like 2026-11 or 2026-11-16")
    facts: dict[str, Any] = {}
    batches = list_pages([context.roots.admit(target)], ListFilter(since=moment), live=context.live(max_files))

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
        if notices and not documents:
            raise TargetError("; ".join(shown(notices)))
        facts.update(documents=len(documents), urls=urls, notices=shown(notices))

    return Found(facts, items())


def check(context: ToolContext, target: str, **how: Any) -> Found:
    verdict = _verdict(context, target, how)
    return Found(verdict_facts(verdict), [finding_item(each) for each in verdict.findings])


def unknowns(context: ToolContext, target: str, **how: Any) -> Found:
    """The rules that a check of this target skips, by reason."""
    verdict = _verdict(context, target, how)
    reasons: dict[str, set[str]] = {}
    for each in verdict.not_checked:
        reasons.setdefault(each.reason, set()).add(each.code)
    items: list[dict[str, Any]] = [
        {"skipped": sorted(codes), "because": reason} for reason, codes in sorted(reasons.items())
    ]
    items += [{"not_read": line} for line in verdict.unread]
    return Found(verdict_facts(verdict), items)


def _verdict(context: ToolContext, target: str, how: dict[str, Any]) -> Any:
    from urlset.workflows.check import check as check_targets

    path, at, max_files = context.roots.admit(target), how.pop("at", None), how.pop("max_files")
    given = {name: value for name, value in how.items() if value}
    settings = from_keywords(CheckSettings, {**given, "at": None if is_address(path) else at or None, "jobs": 1})
    try:
        verdict = check_targets([path], settings, live=context.live(max_files))
    except UnknownSelectorError as error:
        raise TargetError(str(error)) from error
    if not verdict.documents:
        raise TargetError("; ".join(shown(verdict.unread)) or "nothing to check")
    return verdict


def explain(context: ToolContext, name: str) -> Found:
    from urlset.rules.catalogue import all_rules, find
    from urlset.spec.citations import cited

    if "://" in name:
        return _explain_page(context, name)
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


def _explain_page(context: ToolContext, url: str) -> Found:
    from urlset.workflows.explain import explain_url

    lines = explain_url(Path(context.settings.state), url)
    if not lines:
        raise TargetError(f"unknown to the builds, audits and crawls in {context.settings.state}")
    return Found({}, [{"line": line.strip()} for line in lines])


def audit(context: ToolContext, target: str, sample: int, seconds: float, base_url: str) -> Found:
    from urlset.workflows.library.audit import audit as audited

    where = context.roots.admit(target)
    most, longest = max(1, min(sample, MAX_SAMPLE)), max(1.0, min(seconds, MAX_SECONDS))
    with audited(where, sample=most, max_time=longest, web=context.web, base_url=base_url or None) as report:
        facts = {
            "listed": report.listed,
            "states": {str(state.value): count for state, count in report.states.items()},
            "not_asked": [msgspec.to_builtins(each) for each in report.not_asked],
            "causes": [{"title": each.title, "count": each.count, "of": each.of} for each in report.causes[:20]],
            "estimates": [msgspec.to_builtins(each) for each in report.estimates],
            "finished": report.finished,
            "notices": shown(report.notices),
            **verdict_facts(report.verdict),
        }
        items: list[dict[str, Any]] = [
            {
                "url": page.url,
                "state": page.state.value,
                "status": page.status,
                "final_url": page.final_url,
                "reason": page.reason or None,
                "codes": list(page.codes),
                "indexable": page.indexable,
            }
            for page in report.pages()
            if page.asked
        ]
    return Found(facts, items)


def diff(context: ToolContext, old: str, new: str) -> Found:
    from urlset.workflows.library.history import diff as compare

    with compare(
        _state(context, old), _state(context, new), web=context.web, state=context.settings.state, probe=0
    ) as report:
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
    from urlset.reports.uri import is_address
    from urlset.snapshots.expressions import is_moment

    name, sign, when = target.rpartition("@")
    if sign and is_moment(when, clock.now()):
        return f"{name if is_address(name) else context.roots.admit_path(name)}@{when}"
    return context.roots.admit(target)


def engines(context: ToolContext, target: str, names: Sequence[str]) -> Found:
    from urlset.workflows.library.engines import engines_status

    report = engines_status(context.roots.admit(target), engines=names, web=context.web)
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
    given = {"unsafe": wanted.unsafe, "only": tuple(map(_code, wanted.only)), "at": wanted.at or None}
    settings = replace(from_keywords(FixSettings, given), targets=(wanted.path,))
    for found in fix_targets(settings):
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
    reason = left.reason.replace(_SHRINK, _SHRINK_HERE)
    return {"file": str(path), "left": left.code, "count": left.count, "reason": reason, "message": left.message}
