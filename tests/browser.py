"""Nothing → a real browser: fixtures `browser` and `tab`, what it logged and requested, and the rules of axe-core.

The browser is Debian's Chromium or another installed one; none is downloaded. It lives as long as a test module: while
it runs, `asyncio.run` fails in the same thread, so make what it is to show in a fixture that comes before `browser`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

REQUIRED = "REQUIRE_CHROMIUM"
"""set where a missing browser is a failure and not a skip, as in the gate of every change"""
NAMES = ("chromium", "chromium-browser", "google-chrome", "microsoft-edge")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
AXE_TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


def executable() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


def _missing(what: str) -> NoReturn:
    if os.environ.get(REQUIRED):
        pytest.fail(f"{what} is not installed, and this run must not skip it")
    pytest.skip(f"{what} is not installed")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Headless, with a profile of its own, for the tests of one module."""
    path = executable()
    if path is None:
        _missing("chromium")
    if find_spec("playwright") is None:
        _missing("playwright")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=list(FLAGS), headless=True)
        yield launched
        launched.close()


class Tab:
    """One page in a context of its own, and everything it logged, threw, or requested."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        """console errors and warnings, and exceptions"""
        self.requests: list[str] = []
        """addresses, without that of the document itself"""
        page.on(
            "console", lambda said: self.complaints.append(said.text) if said.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._dialog)
        page.on("request", self._requested)

    def _dialog(self, dialog: Any) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _requested(self, request: Any) -> None:
        if not request.is_navigation_request():
            self.requests.append(request.url)

    def open(self, target: str | Path) -> Page:
        """A file, or an address."""
        self.page.goto(target.as_uri() if isinstance(target, Path) else target, wait_until="load")
        return self.page

    def accessibility(self, part: str = "html") -> list[str]:
        """What axe-core finds in a part of the page, one line per rule and element; it sends no request."""
        import axe_playwright_python

        script = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
        self.page.evaluate(f"() => {{ {script} }}")
        found = self.page.evaluate(
            "([part, tags]) => axe.run(part, {runOnly: tags, resultTypes: ['violations']})", [part, list(AXE_TAGS)]
        )
        return [
            f"{each['id']}: {node['target']} {node['html'][:200]}"
            for each in found["violations"]
            for node in each["nodes"]
        ]


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    """A fresh tab; the test fails in the end if the page logged an error."""
    context = browser.new_context(accept_downloads=True)
    try:
        made = Tab(context.new_page())
        yield made
        assert made.complaints == []
    finally:
        context.close()
