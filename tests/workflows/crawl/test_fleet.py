"""A crawl in worker processes → the pages, links and depths of a crawl in one process."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.servers.process import SiteProcess
from urlset.crawling.frontier import CrawlFrontier
from urlset.execution.workers import Where, Workers
from urlset.web.options import WebOptions
from urlset.workflows.crawl.crawl import crawl
from urlset.workflows.crawl.options import CrawlOptions, CrawlReport
from urlset.workflows.crawl.rows import crawl_rows

pytestmark = [pytest.mark.slow, pytest.mark.network]
SITE = f"{Path(__file__).parents[1] / 'crawl_process.py'}:large"


def crawled(url: str, state: Path, workers: Workers, *, content: bool) -> tuple[object, ...]:
    rows: list[object] = []

    def use(frontier: CrawlFrontier, report: CrawlReport) -> None:
        del report
        rows.extend(
            (row.url, row.state, row.reason, row.depth, row.via, row.found_on, row.title)
            for row in crawl_rows(frontier)
        )

    web = WebOptions(allow_private=True, backoff=0.01)
    report = crawl(CrawlOptions(url=url, state=state, workers=workers, web=web, content=content), use=use)
    return (report.ended, report.visited, report.depths, report.tracking, report.completeness, report.notices, rows)


def test_worker_processes_crawl_as_one_process_does(tmp_path: Path) -> None:
    with SiteProcess(SITE, count=60) as site:
        url = site.url("/")
        here = crawled(url, tmp_path / "here", Workers(Where.LOCAL), content=True)
        before = len(site.log)
        there = crawled(url, tmp_path / "there", Workers(Where.PROCESS, 2), content=True)
        assert site.counts().most_common(1)[0][1] == 2
        assert len(site.log) == 2 * before
    assert there == here
