"""What a repair did, in words: the changes by rule, what is no longer listed, what was left and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from urlset.cli.terminal import Style, printable, visible
from urlset.findings.card import Severity
from urlset.findings.fix_result import Applied, Change, FixResult, Left
from urlset.fixing.diff import unified

_PLACES = 3
_WIDTH = 60


def report(fixed: FixResult, style: Style, *, diff: bool) -> Iterator[str]:
    """Lines for a terminal about one document."""
    name, count = style.bold(printable(fixed.source)), len(fixed.applied)
    left = [each for each in fixed.left if each.severity is not Severity.INFO]
    if not count:
        yield f"{name}: nothing to fix" + ("; the rest needs manual review" if left else "")
    else:
        yield f"{name}: {_fixes(count)}{' to apply' if diff else ''}"
        yield from _changes(fixed, style)
    yield from _addresses(fixed, style)
    if len(fixed.pieces) > 1:
        yield f"  {len(fixed.pieces)} files:"
        yield from (f"    {printable(piece.name)}  {piece.size:,} bytes" for piece in fixed.pieces)
    yield from _left(left, style)


def difference(fixed: FixResult, style: Style) -> Iterator[str]:
    """The diff for a terminal, coloured; control characters are made visible, the line ends of Windows left out."""
    palettes = {"+": style.green, "-": style.red, "@": style.cyan}
    for line in patch(fixed):
        shown = visible(line.removesuffix(b"\r").decode("utf-8", "replace"))
        yield palettes.get(shown[:1], str)(shown)


def patch(fixed: FixResult) -> Iterator[bytes]:
    """The diff for programs: every byte as in the file."""
    return unified(fixed.original, fixed.edits, printable(fixed.source))


class FixedDocument(NamedTuple):
    """What the summary needs to know of one document."""

    changed: bool
    fixes: int
    left: int


def done_with(fixed: FixResult, *, changed: bool) -> FixedDocument:
    left = sum(item.count for item in fixed.left if item.severity is not Severity.INFO)
    changed = changed and fixed.refused is None
    return FixedDocument(changed, len(fixed.applied) if changed else 0, left)


def summary(done: Sequence[FixedDocument], *, diff: bool) -> str:
    """One line about all files."""
    changed = sum(each.changed for each in done)
    fixes, left = sum(each.fixes for each in done), sum(each.left for each in done)
    verb = "would be fixed" if diff else "fixed"
    tail = f"; {left:,} {'finding' if left == 1 else 'findings'} left" if left else ""
    files = "file" if len(done) == 1 else "files"
    return f"{changed:,} of {len(done):,} {files} {verb}, {_fixes(fixes)}{tail}"


def _fixes(count: int) -> str:
    return f"{count:,} {'fix' if count == 1 else 'fixes'}"


def _changes(fixed: FixResult, style: Style) -> Iterator[str]:
    """By rule and title; by rule alone if nearly every change has its own title, such as the date it writes."""
    by_rule: dict[str, list[Change]] = {}
    for change in fixed.changes(_PLACES):
        by_rule.setdefault(change.code, []).append(change)
    for changes in by_rule.values():
        yield from _all_of(changes, style) if len(changes) > _PLACES else _each(changes, style)


def _all_of(changes: Sequence[Change], style: Style) -> Iterator[str]:
    count = sum(change.count for change in changes)
    yield f"  {style.green(changes[0].code)} {changes[0].name} ({count:,} times)"
    yield from _examples([change.examples[0] for change in changes[:_PLACES]], style)
    if count > _PLACES:
        yield style.dim(f"    and {count - _PLACES:,} more (--format json lists all)")


def _each(changes: Sequence[Change], style: Style) -> Iterator[str]:
    for change in changes:
        times = f" ({change.count:,} times)" if change.count > 1 else ""
        yield f"  {style.green(change.code)} {change.name}: {printable(change.title)}{times}"
        yield from _examples(change.examples, style)


def _examples(items: Iterable[Applied], style: Style) -> Iterator[str]:
    for item in items:
        before, after = _short(item.before), _short(item.after)
        wording = f"{before} → {after}" if before and after else f"+ {after}" if after else f"- {before}"
        yield style.dim(f"    {item.line}:{item.column}  {wording}")


def _short(text: str) -> str:
    shown = printable(text.strip()) or (repr(text) if text else "")
    return shown if len(shown) <= _WIDTH else f"{shown[: _WIDTH - 1]}…"


def _addresses(fixed: FixResult, style: Style) -> Iterator[str]:
    if fixed.removed:
        count = len(fixed.removed)
        yield f"  removed: {count:,} {'entry' if count == 1 else 'entries'}"
        yield from _few((f"{each.code}  {printable(each.loc or 'without a URL')}" for each in fixed.removed), style)
    if fixed.renamed:
        yield f"  replaced: {len(fixed.renamed):,}"
        yield from _few((f"{each.code}  {printable(each.loc)} → {printable(each.to)}" for each in fixed.renamed), style)


def _few(lines: Iterable[str], style: Style) -> Iterator[str]:
    every = list(lines)
    yield from (style.dim(f"    {line}") for line in every[:_PLACES])
    if len(every) > _PLACES:
        yield style.dim(f"    and {len(every) - _PLACES:,} more (--format json lists all)")


def _left(left: Sequence[Left], style: Style) -> Iterator[str]:
    """Only what a person should act on: notes stay with `urlset check`."""
    if not left:
        return
    yield "  not fixed:"
    for item in left:
        place = f"{item.line}:{item.column}  " if item.line else ""
        times = f" ({item.count:,} times)" if item.count > 1 else ""
        yield f"    {style.yellow(item.code)} {item.name}{times}: {printable(item.reason)}"
        if item.message:
            yield style.dim(f"      {place}{printable(item.message)}")
