"""Every kind of bad behaviour in one sitemap: the right state for each, no page lost, memory and time bounded."""

from __future__ import annotations

import random
import resource
import sys
from pathlib import Path

import msgspec

from tests.servers.behaviour import Behaviour
from tests.servers.misbehave import BEHAVIOURS, bad_site
from tests.workflows.audit_sites import sitemap
from urlset.model.answer import FailureKind
from urlset.model.visit import State
from urlset.reports.pages import PageRow
from urlset.settings.audit import AuditSettings
from urlset.web.options import WebOptions
from urlset.workflows.audit.audit import audited

WEB = WebOptions(allow_private=True, concurrency=16, backoff=0.01, patience=0.01)
IMPATIENT = msgspec.structs.replace(WEB, connect_timeout=1.0, read_timeout=1.2, total_timeout=2.5)
"""for what may hang: any other page has its time, also on a busy machine"""
TIMEOUTS = frozenset({FailureKind.READ_TIMEOUT, FailureKind.TOTAL_TIMEOUT})
_UNIT = 1 if sys.platform == "darwin" else 1024


def quick() -> list[Behaviour]:
    """Those that nobody has to wait for long; polite waiting is tested where the client is."""
    found = [
        each
        for each in BEHAVIOURS.values()
        if not (each.outside or each.waits or each.name.startswith("pause"))
        and not any(outcome.status in (429, 503) for outcome in each.outcomes)
    ]
    random.Random(3).shuffle(found)  # so that those alike are not met one after the other
    return found


def test_every_page_of_the_worst_site_gets_its_right_state(tmp_path: Path) -> None:
    chosen = quick()
    hanging = [each for each in chosen if any(outcome.failure in TIMEOUTS for outcome in each.outcomes)]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT
    rows: dict[str, PageRow] = {}
    with bad_site() as site:
        for name, pages, web in (
            ("hanging", hanging, IMPATIENT),
            ("others", [each for each in chosen if each not in hanging], WEB),
        ):
            site.routes[f"/{name}.xml"] = sitemap(site.url(each.at) for each in pages)
            options = AuditSettings(target=site.url(f"/{name}.xml"), state=tmp_path / name, web=web)
            with audited(options) as outcome:
                rows |= {row.url: row for row in outcome.report.pages()}
        wrong = {
            each.name: (rows[site.url(each.at)].state, rows[site.url(each.at)].reason)
            for each in chosen
            if rows[site.url(each.at)].state not in {state for one in each.outcomes for state in one.states}
        }
        soft = {each.name for each in chosen if (rows[site.url(each.at)].soft_404 or 0) >= 0.5}
    assert not wrong
    assert soft == {each.name for each in chosen if each.soft_404}
    unjudged = [row for row in rows.values() if row.state in (State.BLOCKED, State.UNKNOWN, State.ERROR)]
    assert not any(row.remedy for row in unjudged), "blocked is not broken"
    assert len(rows) == len(chosen) > 150
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT - before < 400 << 20
