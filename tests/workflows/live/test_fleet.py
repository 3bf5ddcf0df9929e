"""Options that only one process can keep → a refusal before any worker starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from urlset.execution.backend import ExecutionError
from urlset.execution.workers import Where, Workers
from urlset.model.rendered import RenderMode
from urlset.web.options import WebOptions
from urlset.workflows.crawl.crawl import crawl
from urlset.workflows.crawl.options import CrawlOptions
from urlset.workflows.live.rendering import Render

TWO = Workers(Where.PROCESS, 2)


def test_a_recording_is_made_by_one_process(tmp_path: Path) -> None:
    web = WebOptions(record=tmp_path / "tape")
    with pytest.raises(ExecutionError, match="--record needs --executor local"):
        crawl(CrawlOptions(url="https://www.example.com/", state=tmp_path, workers=TWO, web=web))


def test_a_browser_is_started_by_one_process(tmp_path: Path) -> None:
    render = Render(RenderMode.ALWAYS)
    with pytest.raises(ExecutionError, match="--render needs --executor local"):
        crawl(CrawlOptions(url="https://www.example.com/", state=tmp_path, workers=TWO, render=render))
