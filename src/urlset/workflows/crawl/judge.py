"""The pages of a crawl → the same, judged by what is known of the whole site: error pages, thin pages, traps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from urlset.auditing.facts import PendingVisit, judged
from urlset.crawling.found import CrawledUrl
from urlset.crawling.frontier import CrawlFrontier
from urlset.crawling.traps import IN_A_ROW, inside_traps
from urlset.reading.fingerprint import BlockCounter, boilerplate_of
from urlset.workflows.crawl.look import PageContent, blocks_in, kept_in
from urlset.workflows.crawl.probe import Probing

_OWN_WORDS = 60
"""more than the names of months and days and the numbers of a month's days, which tell one empty page from the next"""


class JudgedRow(NamedTuple):
    row: CrawledUrl
    kept: PageContent | None
    """what was kept of its content; None where that was not read"""
    endless: str | None = None
    """why it is one of endlessly many"""


def judged_rows(frontier: CrawlFrontier, where: str = "1") -> Iterator[JudgedRow]:
    """In the order of discovery."""
    probe = Probing(frontier).known()
    repeated = _repeated(frontier)
    inside = _inside_traps(frontier)
    for row in frontier.rows(where):
        endless = inside.get(row.id)
        if row.visit is None or row.kept is None:
            yield JudgedRow(row, None, endless)
            continue
        kept = kept_in(row.kept)
        visit = judged(PendingVisit(row.visit, kept.blocks, kept.words), baseline=probe, boilerplate=repeated)
        yield JudgedRow(msgspec.structs.replace(row, visit=visit), kept, endless)


def _inside_traps(frontier: CrawlFrontier) -> dict[int, str]:
    """The pages inside traps, and what is said of each; in a row a page with a text of its own is a page."""
    inside = inside_traps(frontier)
    in_a_row = [page for page, trap in inside.items() if trap.kind in IN_A_ROW]
    texts = {page: kept_in(data) for page in in_a_row if (data := frontier.kept_of(page))}
    shared = Counter(block for text in texts.values() for block in set(text.blocks))
    for page, text in texts.items():
        own = sum(count for block, count in zip(text.blocks, text.words, strict=True) if shared[block] == 1)
        if own >= _OWN_WORDS:
            del inside[page]
    return {page: f"{trap.kind.value}: {trap.reason}" for page, trap in inside.items()}


def _repeated(frontier: CrawlFrontier) -> frozenset[int]:
    """The text that many pages of the site share."""
    counter = BlockCounter()
    for kept in frontier.kept():
        counter.add(blocks_in(kept).blocks)
    return boilerplate_of(counter)
