"""Files → what rules say of them with signals and without; a difference names the rule, the bytes and the signal.

python -m fuzz.signals --seconds 60   mutated files, in both scanners
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from random import Random

import msgspec

from fuzz.judge import reading_with
from fuzz.mutate import mutated
from fuzz.seeds import SEEDS, corpus
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import run
from urlset.checking.select import select
from urlset.checking.subjects import Sitemap
from urlset.model.document import Document
from urlset.reading.limits import COMPILED, PYTHON
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
        for each in tally.findings()
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
        written = document.place(rows[0]).cut(data) if rows else data
        wanted = names_of(waits[code] or 0)
        lines.append(f"{code} says {each[3]!r} and waits for ({wanted}), but {written!r} raises only: {raised}")
    return "\n".join(lines)


def judge_signals(data: bytes) -> None:
    """The same findings with signals and with every rule on every entry, in both scanners."""
    for scanner in (COMPILED, PYTHON):
        with reading_with(scanner):
            assert_same(data, Context(now=datetime(2026, 11, 15, 12, tzinfo=UTC), engines=tuple(Engine)))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="rules with and without signals, on mutated sitemaps")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    chance, seeds, runs = Random(chosen.seed), (*SEEDS, *corpus()), 0
    end = time.monotonic() + chosen.seconds
    while time.monotonic() < end:
        judge_signals(mutated(chance.choice(seeds), seeds, chance))
        runs += 1
    print(f"{runs:,} files, no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
