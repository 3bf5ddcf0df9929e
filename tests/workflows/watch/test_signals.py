"""Certificates, engines and audits → signals: what a watch reports beyond a check of the sitemaps."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.servers.certificates import Authority
from tests.servers.engines import FakeEngines
from tests.workflows.submit.engine_sites import Stage
from tests.workflows.watch.watched_sites import WatchedSite as SmallShop
from urlset.settings.watch import WatchSettings
from urlset.testing import Site
from urlset.watching.schedule import Schedule
from urlset.watching.store import WatchStore
from urlset.watching.tracker import AlertKind, Condition, Measurement, Rules
from urlset.web.options import WebOptions
from urlset.workflows.watch_looks import JobKind, Look, WatchedSite, audit_site, certificate_signals, read_engines

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[WatchStore]:
    with WatchStore(tmp_path / "state") as opened:
        yield opened


def look_at(store: WatchStore, url: str, kind: JobKind, now: datetime = NOW, **web: Any) -> Look:
    schedules = {each: Schedule.parse("every 1h") for each in JobKind}
    site = WatchedSite(url=url, schedules=schedules, pages_per_day=200)
    reached = WebOptions(allow_addresses=frozenset({"127.0.0.1"}), **web)
    return Look(site, kind, store, WatchSettings(state=store.path.parent, web=reached, max_files=100, keep="all"), now)


def by_kind(signals: Any) -> dict[AlertKind, Measurement]:
    return {signal.kind: signal for signal in signals}


def test_a_certificate_that_ends_soon_and_another_one(store: WatchStore) -> None:
    def seen(context: ssl.SSLContext, authority: Authority, now: datetime) -> dict[AlertKind, Measurement]:
        with Site({}, tls=context) as site:
            ask = look_at(store, site.url("/"), JobKind.CHECK, now, ca_file=authority.ca_file)
            return by_kind(certificate_signals(ask))

    with Authority() as authority:
        context, other = authority.context(), authority.context()
        today = datetime.now(UTC)
        first, second = seen(context, authority, today), seen(other, authority, today)
        assert first[AlertKind.CERTIFICATE].condition is Condition.OK
        assert first[AlertKind.CERTIFICATE_CHANGED].digest != second[AlertKind.CERTIFICATE_CHANGED].digest
        until = datetime.fromisoformat(first[AlertKind.CERTIFICATE].details["valid_until"])
        soon = seen(context, authority, until - timedelta(days=13, hours=1))[AlertKind.CERTIFICATE]
        assert soon.condition is Condition.BAD
        assert soon.message.endswith("in 13 days")
        expired = seen(authority.context(expired=True), authority, today)
        assert expired[AlertKind.CERTIFICATE].condition is Condition.BAD
        assert AlertKind.CERTIFICATE_CHANGED not in expired


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        ("2026-11-14T00:00:00Z", Condition.OK),
        ("2026-11-07T00:00:00Z", Condition.BAD),
        (None, Condition.BAD),
    ],
)
def test_a_sitemap_not_read_for_a_week(
    store: WatchStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: str | None, expected: Condition
) -> None:
    with FakeEngines() as engines, Site({}) as site:
        stage = Stage(engines, site, tmp_path)
        stage.serve(range(3))
        resource = {"path": stage.sitemap, "lastSubmitted": "2026-10-01T00:00:00Z", "errors": "0", "warnings": "0"}
        resource |= {"lastDownloaded": read} if read else {}
        engines.google.sitemaps[f"{site.origin}/"] = {stage.sitemap: resource}
        for name, value in stage.environment.items():
            monkeypatch.setenv(name, "" if "BING_KEY" in name or "YANDEX_TOKEN" in name else value)
        outcome = read_engines(look_at(store, site.url("/"), JobKind.ENGINES))
        found = by_kind(outcome.signals)[AlertKind.NOT_READ]
        assert (outcome.result, found.condition) == ("ok", expected)
        assert found.subject == f"google {stage.sitemap}"


def test_an_audit_stays_within_its_budget(store: WatchStore, tmp_path: Path) -> None:
    """New pages first, then those with a new date, then the longest unseen; the rest keeps what was seen."""
    with Site({}) as site:
        shop = SmallShop(site, tmp_path, pages=30)

        def audit(pages: int, now: datetime) -> list[str]:
            ask = look_at(store, site.url("/"), JobKind.AUDIT, now)
            wanted = msgspec.structs.replace(ask.site, pages_per_day=pages)
            site.log.clear()
            outcome = audit_site(msgspec.structs.replace(ask, site=wanted))
            store.record(site.url("/"), "audit", outcome, started=now, now=now, due=None, rules=Rules(), channels={})
            assert outcome.result == "ok"
            return [each.path for each in site.log if each.path[:2] == "/p" and each.path[2:].isdigit()]

        first = audit(10, NOW)
        second = audit(10, NOW + timedelta(days=1))
        third = audit(10, NOW + timedelta(days=2))
        assert len(first) == len(second) == len(third) == 10
        assert sorted(first + second + third) == sorted(f"/p{number}" for number in range(30))
        assert audit(10, NOW + timedelta(days=2, hours=1)) == [], "today's budget is used up"
        listing = str(site.routes["/sitemap.xml"])
        site.routes["/sitemap.xml"] = listing.replace(
            f"{site.origin}/p7</loc><lastmod>2026", f"{site.origin}/p7</loc><lastmod>2099"
        )
        fourth = audit(3, NOW + timedelta(days=3))
        assert "/p7" in fourth
        assert len(fourth) == 3
        assert set(fourth) - {"/p7"} <= set(first)
        shop.list_pages(31)
        assert "/p30" in audit(3, NOW + timedelta(days=4))
