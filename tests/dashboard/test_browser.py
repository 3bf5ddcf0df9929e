"""The dashboard in a real browser: every page, search, filters, diff, keyboard, accessibility, dark, narrow."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from tests.browser import Tab
from tests.dashboard.conftest import Hostile, Simulated
from tests.dashboard.served import Client, served
from tests.house.installed import once
from urlset.dashboard.sites import DashboardSite, all_sites
from urlset.settings.serve import ServeSettings
from urlset.workflows.demo.month import CANONICALS_BROKEN, NOINDEX, RENAMED

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.network, once]


@pytest.fixture(scope="module")
def site(month: Simulated, hostile: Hostile) -> DashboardSite:
    del hostile  # has to be made before the browser
    (found,) = all_sites(month.state)
    return found


def address(shop: Client, site: DashboardSite, end: str = "") -> str:
    return f"{shop.origin}/sites/{site.id}{end}"


def every_page(shop: Client, site: DashboardSite) -> dict[str, str]:
    names = [taken.name for taken in site.taken]
    lamp = quote(f"{site.target}lamps/desk/aurora-brass/", safe="")
    return {
        "sites": f"{shop.origin}/",
        "overview": address(shop, site),
        "pages": address(shop, site, f"/pages?code=A012&at={names[CANONICALS_BROKEN]}"),
        "findings": address(shop, site, f"/findings?at={names[NOINDEX]}"),
        "sitemaps": address(shop, site, "/sitemaps"),
        "diff": address(shop, site, f"/diff?old={names[RENAMED - 2]}&new={names[RENAMED - 1]}"),
        "dates": address(shop, site, "/dates"),
        "engines": address(shop, site, "/engines"),
        "alerts": address(shop, site, "/alerts"),
        "runs": address(shop, site, "/runs"),
        "page": address(shop, site, f"/page?url={lamp}"),
        "rule": f"{shop.origin}/rules/A012",
    }


def settled(page: Page) -> None:
    """What is computed in the background is there."""
    page.wait_for_function("() => !document.querySelector('.pending')", timeout=60_000)


def test_every_page_is_accessible_and_quiet(shop: Client, site: DashboardSite, tab: Tab) -> None:
    """axe-core finds nothing, nothing is logged, and all that is fetched comes from the dashboard itself."""
    for name, url in every_page(shop, site).items():
        page = tab.open(url)
        settled(page)
        assert page.locator("main h1").count() == 1, name
        assert tab.accessibility() == [], name
    assert {url for url in tab.requests if not url.startswith(shop.origin)} == set()


def test_dark_and_narrow(shop: Client, site: DashboardSite, browser: Browser) -> None:
    context = browser.new_context(color_scheme="dark", viewport={"width": 360, "height": 740})
    dark = Tab(context.new_page())
    pages = every_page(shop, site)
    for name in ("overview", "pages", "findings", "sitemaps", "diff", "dates", "page"):
        page = dark.open(pages[name])
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
        if name == "overview":
            assert dark.accessibility() == [], name
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(16, 19, 24)"
    assert dark.complaints == []
    context.close()


def test_the_story_can_be_read(shop: Client, site: DashboardSite, tab: Tab) -> None:
    page = tab.open(address(shop, site))
    settled(page)
    told = page.locator(".events li").all_inner_texts()
    days = {number: site.taken[number - 1].day for number in (9, 16, 18, 22)}
    for day, text in (
        (9, "A012 canonical-elsewhere: 0 → 60 pages"),
        (16, "A006 noindex-in-meta: 0 → 20 pages"),
        (18, "A012 canonical-elsewhere: 60 → 0 pages"),
        (22, "URLs: 25 renamed"),
    ):
        assert any(days[day] in each and text in each for each in told), (day, told)
    assert page.locator(".chart").count() == 4


def test_from_the_event_to_the_pages(shop: Client, site: DashboardSite, tab: Tab) -> None:
    page = tab.open(address(shop, site))
    settled(page)
    page.locator(".events li", has_text="0 → 60").get_by_role("link", name="pages").click()
    page.wait_for_url(re.compile("code=A012"))
    assert page.locator("#results .count").inner_text().startswith("60 pages")
    assert page.locator("#results tbody tr").count() == 50
    page.get_by_role("link", name="Next page").click()
    page.wait_for_function("() => document.querySelectorAll('#results tbody tr').length === 10")


def test_search_and_filters(shop: Client, site: DashboardSite, tab: Tab) -> None:
    """Typing is enough; the address can be shared, and back leads back."""
    page = tab.open(address(shop, site, "/pages"))
    page.get_by_label("URL contains").fill("/lamps/desk/")
    page.wait_for_function("() => document.querySelector('.count').textContent.includes('11 pages')")
    assert "q=%2Flamps%2Fdesk%2F" in page.url
    page.get_by_label("Title contains").fill("BRASS")
    page.wait_for_function("() => document.querySelectorAll('#results tbody tr').length === 2")
    page.get_by_label("Title contains").fill("")
    page.get_by_label("URL contains").fill("")
    page.get_by_label("State").select_option("gone")
    page.wait_for_function("() => document.querySelectorAll('#results tbody tr').length === 4")
    shared = page.url
    page.reload()
    assert page.url == shared
    assert page.locator("#results tbody tr").count() == 4
    page.get_by_label("URL contains").fill("no-such-page")
    page.wait_for_selector("text=No page matches")


def test_one_page_and_the_keyboard(shop: Client, site: DashboardSite, tab: Tab) -> None:
    """Tab and Enter alone lead from the site to the life of a page; the first stop skips the navigation."""
    page = tab.open(address(shop, site, "/pages?q=/lamps/desk/aurora-brass/"))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    for _ in range(40):
        page.keyboard.press("Tab")
        if "aurora-brass" in page.evaluate("document.activeElement.textContent"):
            break
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/page\\?url="))
    settled(page)
    told = page.locator(".events").inner_text()
    assert "A012" in told
    assert "main content changed" in told or "lastmod" in told
    assert page.locator("svg.life rect").count() == 30


def test_two_days_compared(shop: Client, site: DashboardSite, tab: Tab) -> None:
    page = tab.open(address(shop, site, "/diff"))
    settled(page)
    page.get_by_label("From").select_option(site.taken[RENAMED - 2].name)
    page.locator("select[name=new]").select_option(site.taken[RENAMED - 1].name)
    page.get_by_role("button", name="Compare").click()
    settled(page)
    tiles = page.locator(".tiles li").all_inner_texts()
    assert [text.split() for text in tiles if "renamed" in text] == [["25", "renamed"]]
    assert "/journal/small-rooms/ → /stories/small-rooms/" in page.locator("#renamed").inner_text()
    with page.expect_download() as started:
        page.get_by_role("link", name="JSON").click()
    assert '"renamed"' in started.value.path().read_text()


def test_an_audit_from_the_page(month: Simulated, site: DashboardSite, tab: Tab, tmp_path: Path) -> None:
    """Started, watched to its end, and its report downloaded; the state has one more snapshot then."""
    state = tmp_path / "state"
    shutil.copytree(month.state, state)
    with served(ServeSettings(state=state, web=month.month.web, keep="all")) as client:
        page = tab.open(address(client, site))
        page.get_by_role("button", name="Audit now").click()
        page.wait_for_url(re.compile("/runs/"))
        page.wait_for_selector(".pill.good", timeout=60_000)
        assert "snapshot of 121 URLs" in page.locator("#progress").inner_text()
        with page.expect_download() as started:
            page.get_by_role("link", name="HTML").click()
        assert "urlset audit" in started.value.path().read_text()
        assert len(all_sites(state)[0].taken) == len(site.taken) + 1


def test_without_script(shop: Client, site: DashboardSite, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address(shop, site, "/pages"))
    page.get_by_label("URL contains").fill("/guides/")
    page.get_by_role("button", name="Search").click()
    assert page.locator("#results .count").inner_text().startswith("20 pages")
    page.goto(address(shop, site, "/runs"))
    page.get_by_role("button", name="Check the sitemaps").click()
    page.wait_for_url(re.compile("/runs/"))
    page.wait_for_selector(".pill.good", timeout=60_000)
    context.close()


def test_hostile_texts_run_nowhere(hostile: Hostile, site: DashboardSite, tab: Tab) -> None:
    """A dialog, a console error or a request to elsewhere would fail the test."""
    with served(ServeSettings(state=hostile.state)) as client:
        (site,) = all_sites(hostile.state)
        for end in ("", "/pages", "/pages?q=%3Cscript%3Ealert(1)%3C/script%3E", "/findings", "/sitemaps", "/diff"):
            page = tab.open(f"{client.origin}/sites/{site.id}{end}")
            settled(page)
        tab.open(f"{client.origin}/sites/{site.id}/pages").locator("tbody a").nth(1).click()
        assert page.locator("script:not([src])").count() == 0
        assert {url for url in tab.requests if not url.startswith(client.origin)} == set()
