"""Two audits of one site → findings about dates that move without the pages, and none about those that are honest."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import run
from tests.workflows.audit_sites import page
from urlset.testing import Request, Site
from urlset.testing.exchange import Reply

TODAY = f"{datetime.now(UTC):%Y-%m-%d}"
ABOUT_TIME = {"D028", "D029", "Q020"}


class Blog:
    """Pages with words of their own, and a sitemap whose dates the test decides on."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.version = dict.fromkeys(range(count), 0)
        self.dates: dict[int, str] | None = None
        """None: the time of the request"""
        self.requests = 0

    def __call__(self, request: Request) -> Reply | None:
        if request.path == "/sitemap.xml":
            self.requests += 1
            now = datetime.now(UTC).isoformat()
            rows = "".join(
                f"<url><loc>{request.origin}/p{number}</loc>"
                f"<lastmod>{now if self.dates is None else self.dates[number]}</lastmod></url>"
                for number in range(self.count)
            )
            return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'
        name = request.path[2:]
        if request.path.startswith("/p") and name.isdigit() and int(name) < self.count:
            return page(f"{name}-{self.version[int(name)]}")
        return None


def audit(site: Site, state: Path, *options: str) -> tuple[set[str], dict[str, Any]]:
    ran = run("audit", site.url("/sitemap.xml"), "--allow-private", "--state", state, "--format", "json", *options)
    assert ran.code in (0, 1), ran.err
    body = json.loads(ran.text)
    return ABOUT_TIME & set(body["counts"]), body


def test_two_audits_report_dates_that_are_always_now(tmp_path: Path) -> None:
    count = 3
    with Site(Blog(count)) as site:
        assert audit(site, tmp_path)[0] == set()
        found, body = audit(site, tmp_path)
        assert found == {"D028", "Q020"}
        (reported,) = (each for each in body["findings"] if each["code"] == "D028")
        assert reported["severity"] == "warning"
        assert reported["message"].startswith(f"lastmod was the time of each of 2 fetches, on {count} pages")
        again = run("audit", site.url("/sitemap.xml"), "--state", tmp_path, "--known", "--format", "json")
        assert ABOUT_TIME & set(json.loads(again.text)["counts"]) == {"D028", "Q020"}


def test_honest_dates_are_not_reported(tmp_path: Path) -> None:
    blog = Blog(24)
    blog.dates = dict.fromkeys(range(24), "2026-01-01")
    with Site(blog) as site:
        audit(site, tmp_path)
        for number in range(10):
            blog.version[number] += 1
            blog.dates[number] = "2026-11-01"
        assert audit(site, tmp_path)[0] == set()


def test_changes_that_leave_the_date_are_reported(tmp_path: Path) -> None:
    blog = Blog(24)
    blog.dates = dict.fromkeys(range(24), "2026-01-01")
    with Site(blog) as site:
        audit(site, tmp_path)
        for number in range(12):
            blog.version[number] += 1
        assert audit(site, tmp_path)[0] == {"D029"}


class Shop(Blog):
    """Products whose image, color, price and rating change apart from their text."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.dates = dict.fromkeys(range(count), "2026-01-01")
        self.stated: dict[int, dict[str, Any]] = {number: {} for number in range(count)}

    def __call__(self, request: Request) -> Reply | None:
        answer = super().__call__(request)
        if not request.path.startswith("/p") or not isinstance(answer, str):
            return answer
        number = int(request.path[2:])
        said = {"image": f"/i/{number}.jpg", "color": "red", "price": "19.00", "votes": 3, **self.stated[number]}
        offer = {"@type": "Offer", "price": said["price"], "priceCurrency": "EUR"}
        rating = {"@type": "AggregateRating", "ratingValue": 4, "ratingCount": said["votes"]}
        product = {"@type": "Product", "name": f"Chair {number}", "color": said["color"], "image": said["image"]}
        data = json.dumps({**product, "offers": offer, "aggregateRating": rating})
        script = f'<script type="application/ld+json">{data}</script>'
        return answer.replace("</body>", f"<p>€ {said['price']}</p>{script}</body>")

    def change(self, numbers: range, date: str | None = TODAY, **stated: Any) -> None:
        assert self.dates is not None
        for number in numbers:
            self.stated[number] |= {name: value.format(number) for name, value in stated.items()}
            if date:
                self.dates[number] = date


def test_images_and_structured_data_back_a_date_and_ratings_do_not(tmp_path: Path) -> None:
    shop, ratings = Shop(24), Shop(24)
    with Site(shop) as site:
        audit(site, tmp_path)
        shop.change(range(4), image="/i/new-{}.jpg")
        shop.change(range(4, 8), color="blue {}")
        shop.change(range(8, 10), price="21.{}0")
        assert audit(site, tmp_path)[0] == set()
    store = sqlite3.connect(next(tmp_path.glob("audit-*.db")))
    assert dict(store.execute("SELECT facet, pages FROM date_evidence")) == {"images": 4, "data": 4, "price": 2}
    store.close()
    with Site(ratings) as site:
        audit(site, tmp_path)
        ratings.change(range(12), votes="9{}")
        found, body = audit(site, tmp_path)
        assert found == {"Q020"}
        (reported,) = (each for each in body["findings"] if each["code"] == "Q020")
        assert reported["message"].startswith("12 of 12 lastmod changes had no change of text, key images or")


def test_a_price_without_a_new_date_is_no_lie_unless_it_counts(tmp_path: Path) -> None:
    shop = Shop(24)
    with Site(shop) as site:
        for state in ("default", "price"):
            shop.change(range(12), None, price=f"{len(state)}.{{}}0")
            audit(site, tmp_path / state)
        shop.change(range(12), None, price="30.{}0")
        assert audit(site, tmp_path / "default")[0] == set()
        found, body = audit(site, tmp_path / "price", "--date-changes", "text,price")
        assert found == {"D029"}
        (reported,) = (each for each in body["findings"] if each["code"] == "D029")
        assert "(the price changed)" in reported["message"]


def test_snapshots_name_what_backs_a_date(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    shop = Shop(24)
    with Site(shop) as site:
        target, fetch = site.url("/sitemap.xml"), ("--allow-private", "--state", tmp_path)
        for _ in range(2):
            audit(site, tmp_path)
            assert run("snapshot", target, *fetch, "--keep", "all").code == 0
            shop.change(range(6), image="/i/new-{}.jpg")
            shop.change(range(6, 8), votes="9{}")
        (file,) = json.loads(run("history", target, "--state", tmp_path, "--format", "json").text)["lastmod"]
        assert file["transitions"][0]["evidence"] == {"images": 6}
        assert (file["moves_with_change"]["found"], file["moves_with_change"]["of"]) == (6, 8)
        (example,) = file["examples"]
        assert (example["what"], example["changed"]) == ("unbacked", ["rating"])
        shown = run("history", target, "--state", tmp_path).text
        assert "a key image on 6 pages" in shown
        assert "date moved, only the rating changed" in shown
        assert "changed (images)" in run("history", site.url("/p0"), "--state", tmp_path).text
        text_only = run("history", target, "--state", tmp_path, "--date-changes", "text", "--format", "json")
        assert json.loads(text_only.text)["lastmod"][0]["moves_with_change"]["found"] == 0
        old, new = sorted(map(str, tmp_path.glob("snapshots/**/*.parquet")))
        shown = run("diff", old, new).text
        assert "(changed: a key image)" in shown
