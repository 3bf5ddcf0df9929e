"""A seed → a simulated site with known habits, what a series of audits saw of it, and the truth.

Habits: how often pages change, how often a change moves the date, how often a date moves without one. Some sites have
pages of two kinds (honest ones and some that are always stamped), as templates make them. Audits see all pages or a
sample of them.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import msgspec

from urlset.snapshots.honesty import Honesty, Transition, judge, worth_of


class Habits(NamedTuple):
    changes: float
    """the chance that a page changes between two looks"""
    follows: float
    """that a change moves the date"""
    stamps: float
    """that a date moves without a change"""
    liars: float
    """the share of pages whose date moves every time"""


class Simulated(NamedTuple):
    honesty: Honesty
    score: float
    moves_with_change: float
    changes_with_move: float


def simulated(seed: int) -> Simulated:
    chance = Random(seed)
    habits = Habits(
        changes=chance.choice((0.05, 0.1, 0.3)),
        follows=chance.choice((0.2, 0.7, 0.95, 1.0)),
        stamps=chance.choice((0.0, 0.02, 0.1, 0.5)),
        liars=chance.choice((0.0, 0.0, 0.2, 0.6)),
    )
    pages = chance.choice((30, 100, 400))
    looks = chance.randrange(2, 9)
    seen = int(pages * chance.choice((1.0, 0.3)))
    transitions, per_page = [], [0] * seen
    kinds = [chance.random() < habits.liars for _ in range(seen)]
    for look in range(1, looks):
        counts = dict.fromkeys(("dated", "moved", "known", "backed", "unbacked", "silent"), 0)
        for page in range(seen):
            changed = chance.random() < habits.changes
            moved = kinds[page] or chance.random() < (habits.follows if changed else habits.stamps)
            counts["dated"] += 1
            counts["known"] += 1
            counts["moved"] += moved
            if moved or changed:
                counts["backed" if moved and changed else "unbacked" if moved else "silent"] += 1
                per_page[page] += 1
        transitions.append(msgspec.structs.replace(Transition(str(look), str(look + 1)), **counts))
    worth = worth_of(sum(per_page), sum(each * each for each in per_page))
    return Simulated(judge("sitemap.xml", transitions, worth), *_truth(habits))


def _truth(habits: Habits) -> tuple[float, float, float]:
    """What the shares would be after very many looks at very many pages of these habits."""
    liars, change = habits.liars, habits.changes
    backed = change * (liars + (1 - liars) * habits.follows)
    unbacked = (1 - change) * (liars + (1 - liars) * habits.stamps)
    silent = change * (1 - liars) * (1 - habits.follows)
    events = backed + unbacked + silent
    return backed / events, backed / (backed + unbacked), backed / (backed + silent)


def coverage(sites: int) -> dict[str, float]:
    """The share of sites whose interval covers the truth, for each of the three numbers."""
    hits = dict.fromkeys(("score", "moves_with_change", "changes_with_move"), 0)
    for seed in range(sites):
        site = simulated(seed)
        for name in hits:
            told, truth = getattr(site.honesty, name), getattr(site, name)
            hits[name] += told.low <= truth <= told.high
    return {name: count / sites for name, count in hits.items()}
