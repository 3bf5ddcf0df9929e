"""The order in which answers arrive → no part of what a crawl finds: one worker and many visit the same pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import msgspec

from tests.workflows.crawled_sites import QUICK, Crawled, crawled, html
from urlset.testing import PageAnswer, Request, Site
from urlset.workflows.demo.sample.site import SampleServer

NAMES = ("colour", "size", "brand", "material")


def by(site: Site, state: Path, workers: int) -> Crawled:
    return crawled(site, state, max_pages=3_000, web=msgspec.structs.replace(QUICK, concurrency=workers))


def found(crawl: Crawled) -> list[tuple[object, ...]]:
    """Every address in the order of the frontier, whether it was asked, and what led to it."""
    return [(row.url.removeprefix(crawl.origin), row.state, row.depth) for row in crawl.rows]


def late(seed: int) -> Callable[[Request], PageAnswer]:
    """An endless shop whose pages answer in no order."""
    chance = Random(seed)

    def answer(request: Request) -> PageAnswer:
        chosen = dict(piece.split("=") for piece in request.query.split("&") if piece)
        links = []
        for name in NAMES:
            for value in "abc":
                query = "&".join(f"{key}={each}" for key, each in sorted({**chosen, name: value}.items()))
                links.append(f"/shop?{query}")
        return PageAnswer(body=html("/about", *links, title=request.target), pause=chance.choice([0, 0, 0.002, 0.01]))

    return answer


def test_late_answers_change_nothing(tmp_path: Path) -> None:
    crawls = []
    for number, workers in enumerate((1, 8, 8, 3)):
        with Site(late(number)) as site:
            crawls.append(by(site, tmp_path / str(number), workers))
    first = found(crawls[0])
    assert any(state != "not asked" for _, state, _ in first)
    assert crawls[0].report.traps
    for crawl in crawls[1:]:
        assert found(crawl) == first
        assert [(each.kind, each.place, each.addresses) for each in crawl.report.traps] == [
            (each.kind, each.place, each.addresses) for each in crawls[0].report.traps
        ]


def test_the_sample_site_is_walked_the_same_way(tmp_path: Path) -> None:
    with SampleServer(datetime(2026, 11, 15, 12, tzinfo=UTC)) as server:
        crawls = [by(server.site, tmp_path / str(workers), workers) for workers in (2, 8)]
    assert found(crawls[0]) == found(crawls[1])
    assert len(crawls[0].asked()) == len(crawls[1].asked()) > 300
