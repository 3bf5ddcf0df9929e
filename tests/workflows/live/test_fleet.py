"""A recording → one process only; the counts of many browsers → one notice."""

from __future__ import annotations

from pathlib import Path

import pytest

from urlset.execution.backend import ExecutionError
from urlset.execution.workers import Where, Workers
from urlset.web.options import WebOptions
from urlset.workflows.crawl.crawl import crawl
from urlset.workflows.crawl.options import CrawlOptions
from urlset.workflows.live.rendering import RenderCounts

TWO = Workers(Where.PROCESS, 2)


def test_a_recording_is_made_by_one_process(tmp_path: Path) -> None:
    web = WebOptions(record=tmp_path / "tape")
    with pytest.raises(ExecutionError, match="--record needs --executor local"):
        crawl(CrawlOptions(url="https://www.example.com/", state=tmp_path, workers=TWO, web=web))


def test_the_counts_of_all_browsers_are_reported_as_one() -> None:
    one, two = RenderCounts(2, 0, {"out of time": 1}), RenderCounts(3, 1, {"out of time": 2})
    assert list(one.plus(two).notices()) == [
        "pages rendered in a browser: 5",
        "the browser ended 1 times and was restarted",
        "3 pages could not be rendered: out of time",
    ]
