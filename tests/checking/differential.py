"""Files → what rules say of them with signals and without; a difference names the rule, the bytes and the signal."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import run
from urlset.checking.select import select
from urlset.checking.subjects import Sitemap
from urlset.model.document import Document
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import DEFAULT_ENGINES, Engine
from urlset.spec.signals import Signal

SEVERAL = tuple(engine for engine in Engine if engine is not Engine.XSD_STRICT)
CHOICES = (DEFAULT_ENGINES, SEVERAL, tuple(Engine), (Engine.XSD_STRICT,))
RULES = {engines: select(all_rules(), engines) for engines in CHOICES}
NAMES = {bit: name for name, bit in vars(Signal).items() if isinstance(bit, int)}

Said = tuple[str, int | None, int, str, int, bool]


def names_of(signals: int) -> str:
    return " | ".join(name for bit, name in NAMES.items() if signals & bit) or "none"


def unconditional(rules: Sequence[AnyRule]) -> list[AnyRule]:
    """The same rules, awake on every entry."""
    return [msgspec.structs.replace(rule, when=None) for rule in rules]


def said(document: Document, rules: Sequence[AnyRule], context: Context) -> list[Said]:
    tally = run(document, rules, context)
    assert tally.crashes == []
    return sorted(
        (each.code, each.offset, each.length, each.message, each.count, each.fix is not None)
        for _, _, late in tally.problems
        for each in (late.made(),)
    )


def assert_same(data: bytes, context: Context, url: str | None = None) -> int:
    """Read twice, because a document keeps what it was asked for. How many findings there are."""
    rules = RULES[context.engines]
    with_signals = said(read(data, name="example", url=url), rules, context)
    everything = said(read(data, name="example", url=url), unconditional(rules), context)
    if with_signals != everything:
        raise AssertionError(_explained(data, context, url, with_signals, everything))
    return len(everything)


def _explained(data: bytes, context: Context, url: str | None, ours: list[Said], theirs: list[Said]) -> str:
    document = read(data, name="example", url=url)
    signals = Sitemap(document, context).signals
    waits = {rule.code: rule.when for rule in RULES[context.engines]}
    lines = [f"more with signals than without: {each}" for each in ours if each not in theirs]
    for each in theirs:
        if each in ours:
            continue
        code, offset = each[0], each[1] or 0
        rows = [row for row in range(len(document)) if document.place(row).offset <= offset < document.place(row).end]
        raised = names_of(signals[rows[0]]) if rows else "no row"
        lines.append(
            f"{code} says {each[3]!r}, but none of the signals it waits for ({names_of(waits[code] or 0)}) is raised by "
            f"{document.place(rows[0]).cut(data) if rows else data!r}: {raised}"
        )
    return "\n".join(lines)
