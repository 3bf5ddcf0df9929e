"""The validator of the documentation site: opened from local files in a real browser that has no network."""

from __future__ import annotations

import gzip
import json
import re
import threading
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from docs import validator_engine
from tests.browser import Tab
from tests.cli.commands import run
from tests.docs import browser_reports
from tests.house.installed import once
from tests.house.source_tree import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page, ViewportSize

pytestmark = [pytest.mark.slow, once]
SHOP = (ROOT / "docs/samples/shop.xml").read_bytes()
CORE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
DESK: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
TEXT = "Sitemap, feed or robots.txt"
SETTLED = "body[data-state=done], body[data-state=failed]"


@pytest.fixture(scope="module")
def validator(site: Path) -> Path:
    return site / "validator" / "index.html"


@pytest.fixture(scope="module")
def opened(validator: Path, browser: Browser) -> Iterator[Tab]:
    """The page, without a network; most tests share it, because loading Python takes seconds."""
    context = browser.new_context(accept_downloads=True, offline=True, viewport=DESK)
    tab = Tab(context.new_page())
    tab.open(validator).wait_for_selector("body[data-state=ready]", timeout=60_000)
    yield tab
    context.close()


@pytest.fixture
def page(opened: Tab) -> Iterator[Page]:
    """Ready, with an empty input; the test fails in the end if the page logged an error."""
    opened.page.evaluate("() => { load([{name: '', text: ''}]); byId('at').value = ''; enter('ready'); }")
    yield opened.page
    complaints, opened.complaints = opened.complaints, []
    assert complaints == []


def settled(page: Page) -> str:
    page.wait_for_selector(SETTLED, timeout=60_000)
    return str(page.locator("#status").inner_text())


def press(page: Page, name: str) -> str:
    page.get_by_role("button", name=name).click()
    return settled(page)


def findings(page: Page) -> Locator:
    return page.locator("[data-code][data-line][data-severity]")


def downloaded(page: Page, act: Callable[[], object]) -> tuple[str, bytes]:
    with page.expect_download() as waiting:
        act()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_paste_check_fix_download(
    page: Page, opened: Tab, size: ViewportSize, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.set_viewport_size(size)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sitemap.xml").write_bytes(SHOP)
    report = run("check", "sitemap.xml", "--format", "json").text
    page.get_by_label(TEXT).fill(SHOP.decode())
    assert "6 errors" in press(page, "Check")
    found = json.loads(report)["findings"]
    assert findings(page).count() == len(found)
    shown = page.locator("[data-code=L007]")
    assert (shown.get_attribute("data-line"), shown.get_attribute("data-severity")) == ("8", "error")
    assert "unescaped space" in shown.inner_text()
    assert downloaded(page, lambda: page.get_by_role("button", name="JSON").click()) == (
        "urlset-report.json", report.encode(),
    )  # fmt: skip
    assert "2 fixes" in press(page, "Fix")
    assert "+    <loc>https://www.example.com/lamps/desk%20lamp</loc>" in page.locator(".diff").inner_text()
    name, data = downloaded(page, lambda: page.get_by_role("button", name="Download").click())
    run("fix", "sitemap.xml")
    assert (name, data) == ("sitemap.xml", (tmp_path / "sitemap.xml").read_bytes())
    assert {re.split(r"[:/]", each)[0] for each in opened.requests} <= {"file", "blob", "data"}


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_unsafe_fixes_are_choices(page: Page, size: ViewportSize) -> None:
    page.set_viewport_size(size)
    page.get_by_label(TEXT).fill(SHOP.decode())
    press(page, "Fix")
    assert "#step-2" in downloaded(page, lambda: page.get_by_role("button", name="Download").click())[1].decode()
    page.get_by_role("checkbox", name="L013").check()
    page.wait_for_function("() => document.getElementById('status').textContent.startsWith('3 fixes')")
    data = downloaded(page, lambda: page.get_by_role("button", name="Download").click())[1].decode()
    assert "#step-2" not in data
    assert "<priority>1.5</priority>" in data


def test_files_index_gzip_robots(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child = f"<urlset {CORE}><url><loc>https://www.nordliving.shop/a b</loc></url></urlset>\n"
    index = f"<sitemapindex {CORE}><sitemap><loc>https://www.nordliving.shop/a.xml.gz</loc></sitemap></sitemapindex>\n"
    files = {
        "index.xml": index.encode(),
        "a.xml.gz": gzip.compress(child.encode(), mtime=0),
        "list.txt": b"https://www.nordliving.shop/\nnot a url\n",
        "robots.txt": b"User-agent: *\nSitemap: /index.xml\n",
        "feed.rss": b'<rss version="2.0"><channel><item><link>https://www.nordliving.shop/x</link></item></channel></rss>\n',
        "wide.xml": f'<?xml version="1.0" encoding="UTF-16"?>{child}'.encode("utf-16"),
    }
    monkeypatch.chdir(tmp_path)
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    page.locator("input[type=file]").set_input_files([tmp_path / name for name in files])
    settled(page)
    report = downloaded(page, lambda: page.get_by_role("button", name="JSON").click())[1].decode()
    assert report == run("check", *files, "--format", "json").text
    assert {each["source"] for each in json.loads(report)["findings"]} >= {"a.xml.gz", "robots.txt", "wide.xml"}
    page.locator("[data-code=L007][data-source='a.xml.gz'] .place").click()
    assert page.locator("#lines .current mark.error").first.inner_text() == " "
    assert press(page, "Fix")
    name, data = downloaded(page, lambda: page.get_by_role("button", name="Download").click())
    (tmp_path / name).write_bytes(data)
    with zipfile.ZipFile(tmp_path / name) as archive:
        assert b"/a%20b" in gzip.decompress(archive.read("a.xml.gz"))


def test_filters_marks_and_reports(page: Page) -> None:
    page.get_by_role("button", name="Common mistakes").click()
    settled(page)
    every = findings(page).count()
    page.get_by_label("Severity").select_option("error")
    errors = page.locator("[data-severity=error]:visible").count()
    assert 0 < errors == page.locator("[data-code]:visible").count() < every
    page.get_by_label("Severity").select_option("")
    page.get_by_label("Engine").select_option("bing")
    assert page.locator("[data-code=F009]:visible").count() == 0
    page.get_by_label("Engine").select_option("")
    page.get_by_label("Rule").select_option("L007")
    assert page.locator("[data-code]:visible").count() == 1
    page.locator("[data-code=L007] .place").click()
    assert page.locator("#lines .current mark").first.inner_text() == " "
    name, data = downloaded(page, lambda: page.get_by_role("button", name="SARIF").click())
    assert (name, json.loads(data)["version"]) == ("urlset-report.sarif", "2.1.0")
    settled(page)
    name, data = downloaded(page, lambda: page.get_by_role("button", name="HTML").click())
    assert (name, data[:15]) == ("urlset-report.html", b"<!doctype html>")
    settled(page)


def test_a_link_holds_the_text(page: Page, tab: Tab) -> None:
    page.get_by_role("button", name="Common mistakes").click()
    settled(page)
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_function("() => location.hash.startsWith('#text=')")
    other = tab.open(page.url)
    settled(other)
    assert findings(other).count() == findings(page).count() > 0
    other.wait_for_selector("#info:not([hidden])")
    assert "3 URLs" in other.locator("#info").inner_text()


def test_an_example_of_a_rule(validator: Path, tab: Tab) -> None:
    page = tab.open(f"{validator.as_uri()}?embed#rule=L013")
    settled(page)
    assert page.locator("[data-code=L013]").count() >= 1
    assert not page.locator("header.top").is_visible()


def test_files_can_be_dropped_and_work_can_be_stopped(page: Page) -> None:
    page.evaluate(
        """(text) => {
          const given = new DataTransfer();
          given.items.add(new File([text], "dropped.xml"));
          document.getElementById("input").dispatchEvent(
            new DragEvent("drop", {dataTransfer: given, bubbles: true, cancelable: true}));
        }""",
        SHOP.decode(),
    )
    page.wait_for_selector("body[data-state=done]")
    assert page.locator("[data-code=L007]").get_attribute("data-source") == "dropped.xml"
    rows = "".join(f"<url><loc>https://www.nordliving.shop/&{number}</lok></url>\n" for number in range(20_000))
    page.get_by_label(TEXT).fill(f"<urlset {CORE}>{rows}")  # as a file: a text area would take half a minute
    assert page.locator("#chosen").inner_text().startswith("sitemap.xml")
    page.get_by_role("button", name="Check").click()
    page.get_by_role("button", name="Stop").click()
    assert settled(page) == "Stopped"
    page.get_by_label(TEXT).fill(SHOP.decode())
    assert "6 errors" in press(page, "Check")  # in a new worker


def test_hostile_text_is_text(page: Page) -> None:
    evil = '"><img src=x onerror=alert(1)><script>alert(2)</script>\u202e'
    page.get_by_label(TEXT).fill(f"<urlset {CORE}><url><loc>https://e.com/{evil}</loc></url></urlset>")
    press(page, "Check")
    press(page, "Fix")
    assert page.locator("#result img, #result script").count() == 0


def test_files_too_large_are_refused_and_the_page_goes_on(page: Page, tmp_path: Path) -> None:
    large = tmp_path / "large.xml"
    with large.open("wb") as file:
        file.truncate(65 << 20)
    page.locator("input[type=file]").set_input_files(large)
    assert "large.xml has 68.2 MB" in settled(page)
    assert page.locator("body").get_attribute("data-state") == "failed"
    page.get_by_label(TEXT).fill(SHOP.decode())
    assert "6 errors" in press(page, "Check")


def test_nothing_given(page: Page) -> None:
    assert press(page, "Check").startswith("Nothing to read")


def test_a_browser_without_webassembly(validator: Path, tab: Tab) -> None:
    tab.page.add_init_script("delete globalThis.WebAssembly")
    page = tab.open(validator)
    assert "no WebAssembly" in settled(page)
    assert page.get_by_role("button", name="Check").is_disabled()


def test_the_keyboard_is_enough(page: Page) -> None:
    page.locator(".skip").focus()
    page.keyboard.press("Enter")  # skips to the input
    page.keyboard.insert_text(SHOP.decode())
    page.keyboard.press("Control+Enter")
    assert "6 errors" in settled(page)
    assert page.evaluate("document.activeElement.id") == "verdict"


def test_accessible_light_dark_wide_and_narrow(page: Page, opened: Tab) -> None:
    assert opened.accessibility() == []
    page.get_by_label(TEXT).fill(SHOP.decode())
    press(page, "Check")
    press(page, "Fix")
    page.wait_for_selector("#info:not([hidden])")
    for size in (PHONE, DESK):
        page.set_viewport_size(size)
        for scheme in ("dark", "light"):
            page.locator("html").evaluate("(root, scheme) => { root.dataset.theme = scheme; }", scheme)
            assert opened.accessibility() == [], (size, scheme)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    opened.complaints = [
        each for each in opened.complaints if not re.search("validator.css|preload assets", each)
    ]  # axe


def test_reports_are_those_of_the_command(page: Page) -> None:
    """A part of what `python -m tests.docs.browser_reports` compares."""
    files = browser_reports.inputs(60, every=7)
    compiled, pure = (browser_reports.by_command(files, scanner) for scanner in ("compiled", "python"))
    shown = browser_reports.by_browser(page, files)
    assert browser_reports.differences(files, compiled=compiled, pure=pure, browser=shown) == []


def test_a_large_file_leaves_the_page_responsive(page: Page, tmp_path: Path) -> None:
    rows = "".join(f"<url><loc>https://www.nordliving.shop/p/{n}</loc></url>\n" for n in range(10_000))
    file = tmp_path / "large.xml"
    file.write_text(f"<urlset {CORE}>\n{rows}</urlset>\n", encoding="utf-8")
    page.evaluate("() => { globalThis.ticks = 0; setInterval(() => { globalThis.ticks += 1; }, 20); }")
    page.locator("input[type=file]").set_input_files(file)
    settled(page)
    seconds = float(page.evaluate("document.body.dataset.seconds"))
    assert page.locator("#tiles").inner_text().count("10,000") == 1
    assert page.evaluate("globalThis.ticks") > 10 * seconds


def test_it_opens_without_a_network_once_it_was_loaded(validator: Path, tab: Tab) -> None:
    handler = partial(QuietFiles, directory=str(validator.parent.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        page = tab.open(f"http://127.0.0.1:{server.server_port}/validator/index.html")
        page.wait_for_selector("body[data-state=ready]", timeout=60_000)
        page.evaluate("navigator.serviceWorker.ready")
        page.reload()  # through the copy in the browser
        page.wait_for_selector("body[data-state=ready]", timeout=60_000)
        server.shutdown()
        thread.join()
    page.reload()
    page.wait_for_selector("body[data-state=ready]", timeout=60_000)
    page.get_by_label(TEXT).fill(SHOP.decode())
    assert "6 errors" in press(page, "Check")
    tab.complaints.clear()  # the copy asks the server first


class QuietFiles(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        del format, args


def test_a_build_without_npm_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(validator_engine, "CACHE", tmp_path / "empty")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(validator_engine.EngineError, match="needs Pyodide from npm, and npm is not installed"):
        validator_engine.write_engine(tmp_path / "engine")
