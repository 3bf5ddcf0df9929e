"""What a repair did, in words: the diff, the changes by rule, what was left and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from urlset.cli.terminal import Style, printable
from urlset.findings.mended import Applied, Left, Mended
from urlset.fixing.diff import unified

_PLACES = 3
_WIDTH = 60


def report(mended: Mended, style: Style, *, diff: bool) -> Iterator[str]:
    """Lines for a terminal."""
    if diff:
        yield from _diff(mended, style)
    verb = "would change" if diff else "changed"
    count = len(mended.applied)
    if not count:
        yield f"{style.bold(printable(mended.source))}: nothing to fix{_still(mended.left)}"
    else:
        plural = "" if count == 1 else "s"
        yield f"{style.bold(printable(mended.source))}: {count:,} fix{'es' if plural else ''} {verb} it"
        yield from _changes(mended.applied, style)
    if mended.removed:
        yield f"  no longer listed: {len(mended.removed):,} entries"
        for item in mended.removed[:_PLACES]:
            yield f"    {item.code}  {printable(item.loc)}"
    if len(mended.pieces) > 1:
        yield f"  now {len(mended.pieces)} files: {', '.join(printable(piece.name) for piece in mended.pieces)}"
    yield from _left(mended.left, style)


def _still(left: tuple[Left, ...]) -> str:
    return "" if not left else "; what is left needs a person"


def _diff(mended: Mended, style: Style) -> Iterator[str]:
    inks = {"+": style.green, "-": style.red, "@": style.cyan}
    for line in unified(mended.original, mended.edits, printable(mended.source)):
        yield inks.get(line[:1], str)(printable(line))


def _changes(applied: tuple[Applied, ...], style: Style) -> Iterator[str]:
    counts = Counter((item.code, item.name, item.title) for item in applied)
    for (code, name, title), count in counts.items():
        examples = [item for item in applied if (item.code, item.title) == (code, title)][:_PLACES]
        yield f"  {style.green(code)} {name}: {title}{f' ({count:,} times)' if count > 1 else ''}"
        for item in examples:
            yield style.dim(f"    {item.line}:{item.column}  {_short(item.before)} → {_short(item.after)}")


def _short(text: str) -> str:
    shown = printable(text.strip() or text)
    return (shown if len(shown) <= _WIDTH else f"{shown[: _WIDTH - 1]}…") or "nothing"


def _left(left: tuple[Left, ...], style: Style) -> Iterator[str]:
    """Only what a person can act on: notes about whole files stay with `urlset check`."""
    if not left:
        return
    yield "  left as it is:"
    for item in left:
        place = f"{item.line}:{item.column}  " if item.line else ""
        times = f" ({item.count:,} times)" if item.count > 1 else ""
        yield f"    {style.yellow(item.code)} {item.name}{times}: {item.reason}"
        if item.message:
            yield style.dim(f"      {place}{printable(item.message)}")
