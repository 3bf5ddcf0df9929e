"""The pages of a crawl → the same, judged by what is known of the whole site: error pages, thin pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from urlset.auditing.facts import Seen, judged
from urlset.crawling.found import Row
from urlset.crawling.frontier import Frontier
from urlset.reading.fingerprint import BlockCounter, boilerplate_of
from urlset.workflows.crawl_look import Kept, kept_in
from urlset.workflows.crawl_probe import Probing


class JudgedRow(NamedTuple):
    row: Row
    kept: Kept | None
    """what was kept of its content; None where that was not read"""


def judged_rows(frontier: Frontier, where: str = "1") -> Iterator[JudgedRow]:
    """In the order of discovery."""
    probe = Probing(frontier).known()
    repeated = _repeated(frontier)
    for row in frontier.rows(where):
        if row.visit is None or row.kept is None:
            yield JudgedRow(row, None)
            continue
        kept = kept_in(row.kept)
        visit = judged(Seen(row.visit, kept.blocks, kept.words), baseline=probe, boilerplate=repeated)
        yield JudgedRow(msgspec.structs.replace(row, visit=visit), kept)


def _repeated(frontier: Frontier) -> frozenset[int]:
    """The text that many pages of the site share."""
    counter = BlockCounter()
    for kept in frontier.kept():
        counter.add(kept_in(kept).blocks)
    return boilerplate_of(counter)
