"""The month of the demo: what happened to the shop can be read from what audits and snapshots left in the state."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.dashboard.conftest import Simulated
from tests.house.installed import once
from urlset.dashboard.access import Protection
from urlset.dashboard.context import DashboardContext
from urlset.dashboard.sites import DashboardSite, all_sites
from urlset.dashboard.trends import Past, compared, events, past_of
from urlset.settings.serve import ServeSettings
from urlset.workflows.demo.month import CANONICALS_BROKEN, DAYS, DISCONTINUED, FIXED, GONE, NOINDEX, RENAMED

pytestmark = [pytest.mark.slow, pytest.mark.network, once]
LAMPS, GUIDES = 60, 20


@pytest.fixture(scope="module")
def site(month: Simulated) -> DashboardSite:
    (found,) = all_sites(month.state)
    return found


@pytest.fixture(scope="module")
def past(month: Simulated, site: DashboardSite) -> Iterator[Past]:
    context = DashboardContext(ServeSettings(state=month.state), Protection())

    async def wait() -> Past:
        while (found := await past_of(context, site)) is None:
            pass
        return found

    yield asyncio.run(wait())
    asyncio.run(context.close())


def counts(site: DashboardSite, code: str) -> list[int]:
    """Pages with a finding, by day from 1; the first item is a placeholder."""
    return [-1, *(taken.info.findings.get(code, 0) for taken in site.taken)]


def test_every_day_was_audited_and_kept_at_its_own_time(month: Simulated, site: DashboardSite) -> None:
    assert [taken.info.taken for taken in site.taken] == [month.month.at(day).isoformat() for day in range(1, DAYS + 1)]
    assert [taken.info.audited for taken in site.taken] == [taken.info.taken for taken in site.taken]


def test_a_deploy_breaks_canonicals_on_day_9(site: DashboardSite) -> None:
    found = counts(site, "A012")
    assert [day for day in range(1, DAYS + 1) if found[day]] == list(range(CANONICALS_BROKEN, FIXED))
    assert found[CANONICALS_BROKEN] == LAMPS
    causes = site.taken[CANONICALS_BROKEN - 1].info.causes
    assert {cause.kind for cause in causes} == {"not canonical"}
    assert sum(cause.count for cause in causes) == LAMPS


def test_noindex_spreads_on_day_16_and_is_fixed_on_day_18(site: DashboardSite) -> None:
    found = counts(site, "A006")
    assert found[NOINDEX - 1 : FIXED + 1] == [0, GUIDES, GUIDES + 23, 0]


def test_a_section_is_renamed_on_day_22(month: Simulated, site: DashboardSite) -> None:
    old, new = site.taken[RENAMED - 2], site.taken[RENAMED - 1]
    with compared(month.state, old, new) as report:
        assert (report.summary.added, report.summary.removed, report.summary.renamed) == (0, 0, 25)
        assert {each.old.replace("/journal/", "/stories/") for each in report.renamed} == {
            each.new for each in report.renamed
        }


def test_discontinued_lamps_stay_listed(site: DashboardSite) -> None:
    found = counts(site, "A001")
    assert [day for day in range(1, DAYS + 1) if found[day]] == list(range(DISCONTINUED, DAYS + 1))
    assert found[DAYS] == GONE


def test_the_overview_tells_the_story(site: DashboardSite, past: Past) -> None:
    told = [(site.taken.index(site.at(each.at) or site.latest) + 1, each.text) for each in events(site, past)]
    story = [(day, text) for day, text in reversed(told) if "Indexed" not in text]
    assert story == [
        (9, "A012 canonical-elsewhere: 0 → 60 pages"),
        (16, "A006 noindex-in-meta: 0 → 20 pages"),
        (17, "A006 noindex-in-meta: 20 → 43 pages"),
        (18, "A006 noindex-in-meta: 43 → 0 pages"),
        (18, "A012 canonical-elsewhere: 60 → 0 pages"),
        (22, "URLs: 25 renamed"),
    ]


def test_google_notices_later(site: DashboardSite) -> None:
    shares = [taken.indexed_share for taken in site.taken]
    assert shares[0] is None
    before, during, after = shares[NOINDEX - 2], shares[NOINDEX - 1], shares[-1]
    assert before is not None
    assert during is not None
    assert after is not None
    assert during < before
    assert during < after


def test_dates_of_guides_are_stamped_and_those_of_lamps_are_honest(past: Past) -> None:
    honesty = {each.source.rpartition("/")[2]: each for each in past.history.honesty}
    guides, lamps = honesty["sitemap-guides.xml"], honesty["sitemap-lamps.xml"]
    assert guides.follows_every_look
    assert guides.score.high < 0.5
    assert lamps.score.share == 1.0
    assert {"D028", "Q020"} <= {finding.code for finding in past.history.verdict.findings}
