"""A date is only judged by a page that was fetched for it: no look, no accusation and no all-clear."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import run
from tests.workflows.audit_sites import page
from urlset.checking.clock import now
from urlset.settings.audit import AuditSettings
from urlset.testing import Request, Site
from urlset.testing.exchange import Reply
from urlset.web.options import WebOptions
from urlset.workflows.audit.audit import audited
from urlset.workflows.library.history import diff, history, snapshot

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")
START = datetime(2026, 11, 1, 3, 0, tzinfo=UTC)
COUNT = 24
WEB = WebOptions(allow_private=True)


class Shop:
    """Pages with a date each; `edit` changes both."""

    def __init__(self) -> None:
        self.dates = dict.fromkeys(range(COUNT), "2026-01-01")
        self.texts = dict.fromkeys(range(COUNT), 0)

    def redate(self, date: str) -> None:
        self.dates = dict.fromkeys(range(COUNT), date)

    def edit(self, date: str) -> None:
        self.redate(date)
        self.texts = {number: version + 1 for number, version in self.texts.items()}

    def __call__(self, request: Request) -> Reply | None:
        if request.path == "/sitemap.xml":
            rows = "".join(
                f"<url><loc>{request.origin}/p{number}</loc><lastmod>{date}</lastmod></url>"
                for number, date in self.dates.items()
            )
            return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'
        name = request.path.removeprefix("/p")
        return page(f"{name}-{self.texts[int(name)]}") if name.isdigit() else None


class Series:
    def __init__(self, site: Site) -> None:
        self.target = site.url("/sitemap.xml")
        self.day = 0

    def audit(self) -> None:
        assert run("audit", self.target, "--allow-private", "--format", "json").code in (0, 1)

    def take(self) -> None:
        snapshot(self.target, now=START + timedelta(days=self.day), web=WEB, keep="all")
        self.day += 1

    @property
    def told(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(run("history", self.target, "--format", "json").text)
        return body

    def counts(self) -> tuple[int, int, int, int]:
        """Of the last comparison."""
        last = self.told["lastmod"][0]["transitions"][-1]
        return last["moved"], last["known"], last["backed"], last["unbacked"]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.chdir(tmp_path)
    return Shop()


def test_pages_that_were_not_fetched_again_prove_nothing(shop: Shop) -> None:
    with Site(shop) as site:
        series = Series(site)
        series.audit()
        series.take()
        shop.edit("2026-11-01")
        series.take()
        assert series.counts() == (COUNT, 0, 0, 0)
        assert "Q020" not in series.told["counts"]
        text = run("history", series.target).text
        assert "content same" not in text
        assert "no date moved" not in text
        assert f"{COUNT} dates moved; no page was fetched again" in text
        with diff(f"{series.target}@previous", f"{series.target}@latest") as found:
            assert {each.evidence for each in found.changed} == {None}
        life = history(site.url("/p1")).urls[0].sightings
        assert [each.content for each in life] == ["new", None]


def test_a_page_that_was_fetched_before_its_date_moved_proves_nothing(shop: Shop) -> None:
    with Site(shop) as site:
        series = Series(site)
        series.audit()
        series.take()
        series.audit()  # the same text again, of course: the edit comes later
        shop.edit("2026-11-01")
        series.take()
        assert series.counts() == (COUNT, 0, 0, 0)


@pytest.mark.parametrize(("edited", "counts"), [(True, (COUNT, COUNT, COUNT, 0)), (False, (COUNT, COUNT, 0, COUNT))])
def test_a_page_that_was_fetched_for_its_date_proves_it_or_not(
    shop: Shop, edited: bool, counts: tuple[int, int, int, int]
) -> None:
    date = f"{datetime.now(UTC):%Y-%m-%d}"
    with Site(shop) as site:
        series = Series(site)
        series.audit()
        series.take()
        (shop.edit if edited else shop.redate)(date)
        series.audit()
        series.take()
        assert series.counts() == counts


def test_a_series_without_a_second_snapshot_has_no_all_clear(shop: Shop) -> None:
    with Site(shop) as site:
        series = Series(site)
        series.take()
        text = run("history", series.target).text
    assert "no findings" not in text
    assert "one snapshot: nothing to compare yet" in text


def test_an_audit_that_requests_few_pages_judges_only_those(shop: Shop, tmp_path: Path) -> None:
    """With `refresh`, the other pages keep what an earlier run saw, and their dates move meanwhile."""
    with Site(shop) as site:
        target = site.url("/sitemap.xml")

        def look(refresh: int | None) -> dict[str, int]:
            options = AuditSettings(target=target, state=tmp_path, web=WEB, now=now())
            with audited(options, refresh=refresh) as run:
                return dict(run.report.verdict.counts)

        look(None)
        shop.edit(f"{datetime.now(UTC):%Y-%m-%d}")
        assert "Q020" not in look(4)  # four edited pages are fetched, twenty are not
        assert "Q020" not in look(COUNT)
        assert "D029" not in look(None)
