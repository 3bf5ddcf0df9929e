"""Crawls that are stopped, taken up, bounded or repeated, and how politely they ask."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from tests.workflows.crawled_sites import QUICK, crawled, html
from urlset.crawling.frontier import CrawlFrontier
from urlset.crawling.loop import Crawl
from urlset.model.visit import CrawlRow
from urlset.settings.crawl import CrawlSettings
from urlset.testing import PageAnswer, Request, Routes, Site
from urlset.workflows.crawl import CrawlError, CrawlUse, crawling, state_file
from urlset.writing.sqlite_store import StateBusy, StateError

EMPTY = html()


class TestState:
    def test_a_finished_crawl_is_made_anew(self, tmp_path: Path) -> None:
        routes: Routes = {"/": html("/a"), "/a": EMPTY}
        with Site(routes) as site:
            crawled(site, tmp_path)
            site.routes["/a"] = html("/b")
            site.routes["/b"] = EMPTY
            found = crawled(site, tmp_path)
        assert found.report.taken_over == 0
        assert found.asked() == {"/", "/a", "/b"}

    def test_stopped_and_taken_up(self, tmp_path: Path) -> None:
        count = 60

        def answer(request: Request) -> PageAnswer:
            number = int(request.path[1:] or 0) if request.path[1:].isdigit() or request.path == "/" else -1
            return (
                PageAnswer(body=html(f"/{number + 1}", f"/{number * 2 + 1}"))
                if 0 <= number < count
                else PageAnswer(404)
            )

        with Site(answer) as site:
            whole = crawled(site, tmp_path / "whole")

            def stop(sitting: Crawl) -> None:
                if sitting.asked == 25:
                    sitting.stop()

            settings = CrawlSettings(url=site.url("/"), state=tmp_path / "parts", web=QUICK)
            with crawling(settings, progress=stop) as (_, first):
                pass
            assert first.ended == "stopped"
            assert " left" in first.completeness.reasons[0]
            second = crawled(site, tmp_path / "parts")
        assert second.report.taken_over >= 25
        assert _plain(second.rows) == _plain(whole.rows)

    def test_fresh_starts_over(self, tmp_path: Path) -> None:
        with Site({"/": html("/a", "/b", "/c"), "/a": EMPTY, "/b": EMPTY, "/c": EMPTY}) as site:
            crawled(site, tmp_path, max_pages=2)
            assert crawled(site, tmp_path, fresh=True).report.taken_over == 0

    def test_other_options_are_another_crawl(self, tmp_path: Path) -> None:
        start, use = "https://e.com/", CrawlUse()
        settings = CrawlSettings(state=tmp_path)
        others = {
            state_file(replace(settings, prefix="/a"), use, start),
            state_file(replace(settings, follow_nofollow=True), use, start),
            state_file(replace(settings, user_agent="another"), use, start),
            state_file(settings, CrawlUse(name="build"), start),
            state_file(settings, use, "https://e.com/a"),
        }
        usual = state_file(settings, use, start)
        assert len({usual, *others}) == 6
        assert state_file(replace(settings, max_pages=7, max_depth=3, fresh=True), use, start) == usual

    def test_two_at_once_are_refused(self, tmp_path: Path) -> None:
        settings = CrawlSettings(url="http://127.0.0.1:9/", state=tmp_path)
        path = state_file(settings, CrawlUse(), "http://127.0.0.1:9/")
        with CrawlFrontier(path), pytest.raises(StateBusy, match="another crawl"), crawling(settings):
            pass

    def test_a_foreign_or_damaged_file(self, tmp_path: Path) -> None:
        settings = CrawlSettings(url="http://127.0.0.1:9/", state=tmp_path)
        path = state_file(settings, CrawlUse(), "http://127.0.0.1:9/")
        path.parent.mkdir(parents=True)
        path.write_bytes(b"no database at all, just text" * 100)
        with pytest.raises(StateError, match="--fresh to start over"), crawling(settings):
            pass

    @pytest.mark.parametrize("url", ["ftp://e.com/", "https://", "http://[::1", "https://e.com:99999/"])
    def test_no_address(self, url: str, tmp_path: Path) -> None:
        settings = CrawlSettings(url=url, state=tmp_path)
        with pytest.raises(CrawlError, match="not an http or https URL"), crawling(settings):
            pass


class TestPoliteness:
    def test_concurrency_is_kept(self, tmp_path: Path) -> None:
        routes: Routes = {"/": html(*(f"/{number}" for number in range(30)))}
        routes |= {f"/{number}": PageAnswer(body=EMPTY, pause=0.01) for number in range(30)}
        with Site(routes) as site:
            crawled(site, tmp_path, web=msgspec.structs.replace(QUICK, concurrency=3))
            assert 1 < site.most_at_once <= 3

    def test_delay_is_kept_also_after_a_restart(self, tmp_path: Path) -> None:
        routes: Routes = {
            "/": html(*(f"/{number}" for number in range(6))),
            **{f"/{number}": EMPTY for number in range(6)},
        }
        web = msgspec.structs.replace(QUICK, delay=0.05)
        with Site(routes) as site:
            crawled(site, tmp_path, max_pages=3, web=web)
            crawled(site, tmp_path, web=web)
            assert min(site.gaps()) >= 0.05
            assert site.most_at_once == 1


def _plain(rows: list[CrawlRow]) -> list[CrawlRow]:
    return [msgspec.structs.replace(row, seconds=None, asked=None) for row in rows]
