"""HTML reports in a real browser: search, filters, sorting, downloads, keyboard, screen readers, hostile text."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from tests.browser import Tab
from tests.cli.commands import run
from tests.reports.audited_shop import PAYLOADS, SHOP, hostile_shop, shop
from tests.reports.test_crawl_html import crawl_rows, summary
from tests.reports.verdicts import NASTY, ORDINARY
from urlset.checking.declare import wrap
from urlset.findings.verdict import Verdict
from urlset.reports import audit_html, crawl, history
from urlset.reports.format import ReportOptions, reporter
from urlset.reports.history_report import HistoryReport, SiteHistory
from urlset.reports.pages import AuditReport, AuditTotals
from urlset.reports.visible import visible
from urlset.snapshots.timeline import Point
from urlset.spec.engines import DEFAULT_ENGINES
from urlset.writing.escaping import guarded

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

MADE = datetime(2026, 11, 16, 3, tzinfo=UTC)
THEMES = ("light", "dark")


def options(command: str) -> ReportOptions:
    return ReportOptions(command=command, target=(SHOP,), engines=DEFAULT_ENGINES, made=MADE, version="0.0.0")


def audit_file(folder: Path, report: AuditReport) -> Path:
    path = folder / "audit.html"
    path.write_text("".join(audit_html.render(report, options("audit"))), encoding="utf-8")
    return path


def check_file(folder: Path, verdict: Verdict) -> Path:
    path = folder / "check.html"
    path.write_text("".join(reporter("html")(verdict, options("check"))), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return audit_file(tmp_path_factory.mktemp("audit"), shop(400))


@pytest.fixture
def page(audit: Path, tab: Tab) -> Iterator[Page]:
    yield tab.open(audit)
    assert tab.requests == []


def found(page: Page) -> str:
    return page.inner_text("#found")


def shown(page: Page, column: str) -> list[str]:
    heads = page.locator("#rows thead th").all_inner_texts()
    cells = page.locator(f"#rows tbody tr > :nth-child({heads.index(column) + 1})")
    return [text.removeprefix("Details").strip() for text in cells.all_inner_texts()]


def choose(page: Page, column: str, value: str) -> None:
    page.select_option(f"#filters select[data-filter-by={column}]", value)


def test_search_finds_words_in_any_column_and_can_be_cleared(page: Page) -> None:
    assert found(page) == "400 pages"
    page.fill("#search", "OAK lamp")
    addresses = shown(page, "Page")
    assert addresses
    assert all("oak" in each and "lamp" in each for each in addresses)
    count = int(found(page).split(" of ")[0])
    assert count == sum("oak" in row.url and "lamp" in row.url for row in shop(400).pages())
    page.fill("#search", "no such page anywhere")
    assert found(page) == "0 of 400 pages"
    assert page.inner_text("#rows tbody") == "No page matches."
    page.click("#clear")
    assert found(page) == "400 pages"


FILTERS = {
    "state": "gone",
    "status": "404",
    "codes": "A003",
    "section": "/lamps/",
    "sitemap": f"{SHOP}sitemap-lamps.xml",
    "indexable_google": "no",
    "cause": "1",
    "age": "over 5 years",
}


def test_a_filter_shows_exactly_its_pages(page: Page) -> None:
    page.select_option("#size", "25")
    page.click("#columns summary")
    for column, value in FILTERS.items():
        page.check(f"#columns [data-column={column}]")
        title = page.locator(f"#columns label:has([data-column={column}])").inner_text()
        told = page.locator(f"#filters select[data-filter-by={column}] option[value='{value}']").inner_text()
        choose(page, column, value)
        count = int(found(page).split(" of ")[0].replace(",", ""))
        assert 0 < count < 400
        assert str(count) in told
        short = value.removeprefix(SHOP.rstrip("/"))
        assert all(short in (each, *each.split()) for each in shown(page, title))
        choose(page, column, "")


def test_filters_add_up_and_stay_in_the_address(page: Page, audit: Path, tab: Tab) -> None:
    choose(page, "state", "gone")
    choose(page, "section", "/lamps/")
    expected = sum(row.state == "gone" and "/lamps/" in row.url for row in shop(400).pages())
    assert found(page) == f"{expected} of 400 pages"
    page.goto("about:blank")
    page.goto(f"{audit.as_uri()}#filter:state=gone&section=%2Flamps%2F&sort=-url")
    assert found(page) == f"{expected} of 400 pages"
    assert shown(page, "Page") == sorted(shown(page, "Page"), reverse=True)
    assert tab.requests == []


def test_sorting_is_by_value_both_ways(page: Page) -> None:
    page.click("#columns summary")
    page.check("[data-column=bytes]")
    page.click("#columns summary")
    page.select_option("#size", "100")
    sizes = [row.bytes for row in shop(400).pages()]
    page.click("button[data-sort=bytes]")
    assert [int(each.replace(",", "")) for each in shown(page, "Bytes")] == sorted(sizes)[:100]
    page.click("button[data-sort=bytes]")
    assert [int(each.replace(",", "")) for each in shown(page, "Bytes")] == sorted(sizes, reverse=True)[:100]
    assert page.locator("th[aria-sort=descending]").inner_text() == "Bytes"


def test_columns_are_chosen_and_pages_turned(page: Page) -> None:
    page.click("#columns summary")
    page.uncheck("[data-column=reason]")
    page.check("[data-column=title]")
    heads = page.locator("#rows thead th").all_inner_texts()
    assert "Title" in heads
    assert "Reason" not in heads
    first = shown(page, "Page")
    page.click("#next")
    assert page.inner_text("#position") == "Page 2 of 8"
    assert set(first).isdisjoint(shown(page, "Page"))
    page.click("#last")
    assert page.is_disabled("#next")


def test_downloads_have_what_is_filtered_in_the_shown_order(page: Page) -> None:
    choose(page, "state", "redirected")
    page.click("#rows button[data-sort=url]")
    with page.expect_download() as waiting:
        page.click("#csv")
    text = Path(waiting.value.path()).read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    expected = sorted(row.url for row in shop(400).pages() if row.state == "redirected")
    assert [row["url"] for row in rows] == expected
    assert waiting.value.suggested_filename == "urlset-pages.csv"
    with page.expect_download() as waiting:
        page.click("#json")
    said = json.loads(Path(waiting.value.path()).read_text(encoding="utf-8"))
    assert [row["url"] for row in said] == expected
    assert {row["state"] for row in said} == {"redirected"}
    assert said[0]["final_url"] == f"{expected[0]}/"
    assert isinstance(said[0]["bytes"], int)


def test_downloaded_cells_are_guarded_as_in_csv_reports(page: Page) -> None:
    cells = ["=1+1", " +1", "\u3000=1", "\u200e-1", "﹦1", "＠a", "\tb", "-", "a=1", "https://www.example.com/"]
    assert page.evaluate("cells => cells.map(csvCell)", cells) == [guarded(cell) for cell in cells]


def test_a_number_in_the_report_leads_to_its_pages(page: Page) -> None:
    page.click("#causes ~ ol li:first-child button.as-link")
    expected, every = sum(row.number == 1 for row in shop(400).problems()), len(list(shop(400).problems()))
    assert page.inner_text("#problems-found") == f"{expected} of {every} problems"
    page.click(".legend button:text-is('gone')")
    assert found(page) == f"{shop(400).states['gone']} of 400 pages"  # type: ignore[index]


def test_everything_can_be_done_with_the_keyboard(page: Page) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.type("oak")
    assert found(page).endswith("of 400 pages")
    page.focus("button[data-sort=status]")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.sort") == "status", "the focus stays"
    page.focus("#rows tbody .more >> nth=0")
    page.keyboard.press("Enter")
    assert page.locator("#detail").is_visible()
    assert "Canonical" in page.inner_text("#detail")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.className") == "more"


def test_addresses_open_in_a_tab_that_cannot_reach_back(page: Page) -> None:
    links = page.locator("#rows tbody a[target]")
    assert links.count() > 0
    assert {links.nth(at).get_attribute("rel") for at in range(5)} == {"noopener noreferrer"}


def test_findings_of_one_engine(audit: Path, tab: Tab) -> None:
    page = tab.open(audit)
    sections = page.locator("section.rule")
    every = sections.count()
    page.select_option("#engine", "bing")
    seen = [at for at in range(every) if sections.nth(at).is_visible()]
    assert 0 < len(seen) < every
    assert all("bing:" in (sections.nth(at).get_attribute("data-engines") or "") for at in seen)
    assert page.locator("#A001 h3 .badge").inner_text() == "warning", "the severity for this engine"
    page.select_option("#engine", "")
    assert sections.nth(0).is_visible()
    assert page.locator("#A001 h3 .badge").inner_text() == "error"


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing(browser: Browser, tmp_path: Path, theme: str) -> None:
    context = browser.new_context(color_scheme=theme)  # type: ignore[arg-type]
    try:
        tab = Tab(context.new_page())
        page = tab.open(audit_file(tmp_path, shop(40)))
        page.select_option("#size", "25")
        page.click("#columns summary")
        page.evaluate("scrollTo(0, 0)")  # what lies behind the sticky bar counts as too small
        assert tab.accessibility() == []
        page.locator("#rows tbody .more").first.click()
        assert tab.accessibility("#detail") == []
        assert (tab.complaints, tab.requests) == ([], [])
    finally:
        context.close()


@pytest.mark.slow
def test_axe_finds_nothing_in_a_check(tab: Tab, tmp_path: Path) -> None:
    tab.open(check_file(tmp_path, ORDINARY))
    assert tab.accessibility() == []


def other_pages(folder: Path) -> Iterator[Path]:
    """The pages of a crawl, a comparison and a history."""
    points = tuple(Point(f"2026-11-0{day} 03:00:00", 100 + day, 100, 1, 90, None) for day in range(1, 6))
    site = SiteHistory(target=SHOP, points=points, honesty=(), verdict=Verdict())
    (folder / "old.xml").write_text(wrap("".join(f"<url><loc>{SHOP}{n}</loc></url>" for n in range(9))))
    (folder / "new.xml").write_text(wrap("".join(f"<url><loc>{SHOP}{n}</loc></url>" for n in range(4, 15))))
    made = {
        "crawl": crawl.render(summary(), crawl_rows(), options("crawl"), "html"),
        "history": history.render(HistoryReport(site=site), options("history"), "html"),
        "diff": [run("diff", folder / "old.xml", folder / "new.xml", "--format", "html").text],
    }
    for name, pieces in made.items():
        path = folder / f"{name}.html"
        path.write_text("".join(map(str, pieces)), encoding="utf-8")
        yield path


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return list(other_pages(tmp_path_factory.mktemp("others")))


@pytest.mark.slow
def test_pages_of_other_commands(others: list[Path], tab: Tab) -> None:
    for path in others:
        page = tab.open(path)
        assert tab.accessibility() == [], path.name
        if path.stem != "history":
            assert int(found(page).split()[0]) >= 10
            page.fill("#search", "1")
            assert " of " in found(page)
    assert tab.requests == []


def test_the_theme_can_be_changed(page: Page) -> None:
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    assert page.inner_text("#theme") == "Light mode"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before


def test_a_phone_needs_no_sideways_scrolling(audit: Path, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 740}, is_mobile=True)
    try:
        tab = Tab(context.new_page())
        page = tab.open(audit)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    finally:
        context.close()


def test_without_scripts_everything_important_is_there(audit: Path, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        page.goto(audit.as_uri())
        assert page.locator("#explorer").is_hidden()
        assert page.locator("#theme").is_hidden()
        assert page.locator("table.pages").first.is_visible()
        assert page.locator(".tiles b").first.inner_text() == "400"
        assert page.locator(".with-scripts").first.is_hidden()
    finally:
        context.close()


def test_the_summary_for_a_client_prints_on_one_page(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "client.html"
    report = msgspec.structs.replace(
        shop(400), trend=(AuditTotals("2026-11-01", 390, 300, 40, 9), AuditTotals("2026-11-15", 400, 340, 30, 9))
    )
    path.write_text("".join(audit_html.client_page(report, ReportOptions(command="audit"))), encoding="utf-8")
    page.goto(path.as_uri())
    margin = "15mm"
    data = page.pdf(format="A4", margin={"top": margin, "bottom": margin, "left": margin, "right": margin})
    assert len(re.findall(rb"/Type\s*/Page\b", data)) == 1


def test_print_shows_no_controls(page: Page) -> None:
    page.emulate_media(media="print")
    assert page.locator("#explorer .controls").is_hidden()
    assert page.locator("#problems-explorer .controls").is_hidden()
    assert page.locator("#theme").is_hidden()
    assert page.locator(".tiles").is_visible()


@pytest.mark.slow
def test_hostile_text_stays_text(tab: Tab, tmp_path: Path) -> None:
    page = tab.open(audit_file(tmp_path, hostile_shop()))
    page.evaluate("window.reached = 0")
    page.select_option("#size", "250")
    for box in page.locator("#columns input").all():
        box.evaluate("box => { if (!box.checked) box.click(); }")
    details = (
        "each => each.map(more => { more.click(); const said = detail.textContent; detail.close(); return said; })"
    )
    said = page.eval_on_selector_all("#rows .more", details)
    assert len(said) == 2 * len(PAYLOADS)
    assert all(visible(payload) in "".join(said) for payload in PAYLOADS)
    page.fill("#search", "<script>window.reached=1</script>")
    assert int(found(page).split(" of ")[0]) >= 6
    page.mouse.move(300, 300)
    assert page.locator("#rows .chip").count() == page.locator("#rows tbody tr").count() * 3, "one per state and engine"
    assert page.evaluate("window.reached") == 0
    assert page.locator("body img, body iframe, body script:not([type]):not(:nth-last-child(-n+2))").count() == 0
    hrefs = page.eval_on_selector_all("a[href]", "links => links.map(link => link.getAttribute('href'))")
    assert {href.split(":")[0].lower() for href in hrefs if not href.startswith("#")} <= {"http", "https"}
    tab.open(check_file(tmp_path, NASTY))
    assert tab.requests == []
