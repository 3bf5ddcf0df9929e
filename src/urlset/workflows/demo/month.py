"""A month of the sample shop → a state folder, by an audit and a snapshot on every simulated day."""

from __future__ import annotations

from collections import abc
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from urlset.checking import clock
from urlset.execution.workers import Where
from urlset.settings.engines import IndexSettings
from urlset.settings.groups import JudgeSettings
from urlset.settings.history import SnapshotSettings
from urlset.snapshots.expressions import KEEP_ALL
from urlset.testing.site import Site
from urlset.web.access import ServerMapping, SiteAccess
from urlset.web.options import WebOptions
from urlset.workflows.audit.audit import audited
from urlset.workflows.audit.options import AuditOptions
from urlset.workflows.demo.engines import environment
from urlset.workflows.demo.fake_engines import FakeEngines
from urlset.workflows.demo.sample.month import DAYS, pages_on, shop_on
from urlset.workflows.engines_index import InspectionPace, index
from urlset.workflows.snapshot import snapshot

HOUR = 6
ORIGIN = "https://www.wick-and-lumen.example"
"""the name of the shop, which only this simulation knows"""
INSPECTED = (2, 9, 16, 23, 30)
"""the days with URL inspections"""
_LATE = 3
"""days until Google has seen what changed"""


class Month(msgspec.Struct, frozen=True):
    target: str
    web: WebOptions
    """requests for the shop go to the server on loopback"""
    first: datetime
    """midnight before day 1"""

    def at(self, day: int) -> datetime:
        """When the audit of that day starts."""
        return self.first + timedelta(days=day, hours=HOUR)


def web_for(site: Site) -> WebOptions:
    access = SiteAccess(mappings=(ServerMapping(ORIGIN, site.origin),))
    return WebOptions(access=access, concurrency=16, patience=0.1, backoff=0.05)


def simulate(
    site: Site, state: Path, now: datetime, *, days: int = DAYS, watch: Callable[[int], None] = lambda _day: None
) -> Month:
    """The last day is that of `now`, or the one before if it is still early; `watch` receives each finished day."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    last = midnight if now - midnight >= timedelta(hours=HOUR) else midnight - timedelta(days=1)
    month = Month(f"{ORIGIN}/", web_for(site), last - timedelta(days=days))
    with FakeEngines() as engines:
        engines.google.properties = {month.target: "siteOwner"}
        secrets = environment(engines, state)
        for day in range(1, days + 1):
            routes = shop_on(ORIGIN, month.first, day)
            site.routes.update(routes)
            for path in [path for path in site.routes if path not in routes]:
                del site.routes[path]
            with clock.fixed(month.at(day)):
                _look(month, state, engines, secrets if day in INSPECTED else None, day)
            watch(day)
    return month


def _look(month: Month, state: Path, engines: FakeEngines, secrets: abc.Mapping[str, str] | None, day: int) -> None:
    """One day: audit, now and then Google, snapshot."""
    now = month.at(day)
    with audited(AuditOptions(target=month.target, state=state, web=month.web), JudgeSettings(), now=now):
        pass
    if secrets is not None:
        engines.google.pages = _google(month, day)
        settings = IndexSettings(target=month.target, state=state, sample=60, web=month.web)
        index(settings, environment=secrets, now=lambda: now, pace=InspectionPace(refresh_days=1))
    taking = SnapshotSettings(target=month.target, state=state, keep=KEEP_ALL, web=month.web, executor=Where.LOCAL)
    snapshot(taking, now=now)


def _google(month: Month, day: int) -> dict[str, dict[str, str]]:
    """Google has what was indexable a few days ago, and believes a canonical only in part."""
    seen = max(1, day - _LATE)
    found = {}
    for number, page in enumerate(pages_on(month.first, seen)):
        if page.noindex:
            said = {"verdict": "NEUTRAL", "coverageState": "Excluded by 'noindex' tag"}
        elif page.canonical and number % 4:
            said = {"verdict": "NEUTRAL", "coverageState": "Alternate page with proper canonical tag"}
        elif number % 11 == 10:
            said = {"verdict": "NEUTRAL", "coverageState": "Crawled - currently not indexed"}
        else:
            said = {"verdict": "PASS", "coverageState": "Submitted and indexed"}
        found[f"{ORIGIN}{page.path}"] = said
    return found
