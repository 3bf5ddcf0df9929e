"""Fetched pages → the HTML that their scripts make of them, by an installed browser without a network.

The client makes every request of a page, so the guard, the pace, credentials, mapped servers and recordings apply. A
browser that ends for whatever reason costs the time of a restart.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

import msgspec

from urlset.model.visit import Rendering
from urlset.web.browser_page import BrowserPage, PageLimits
from urlset.web.installed_browser import BrowserError, find_browser

if TYPE_CHECKING:
    from playwright.async_api import Browser as PlaywrightBrowser
    from playwright.async_api import Playwright

    from urlset.model.answer import Answer
    from urlset.web.client import Client

_ALONE = 2
"""tries in a separate browser, for a page during which the shared browser ended"""
_MOST_LAUNCHES = 3
"""without success, after which none is tried"""
_MOST_PAGES = 200
"""rendered by one browser before it is replaced: browsers grow"""
_CLOSE_SECONDS = 5.0
_LAUNCH_SECONDS = 30.0
# No way out but the interception: names do not resolve, and every connection goes to a proxy that is not there.
_NO_NETWORK = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:1",
    "--proxy-bypass-list=<-loopback>",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # the name before Chromium shortened it
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-pings",
)
_SMALL = (
    "--disable-gpu",
    "--in-process-gpu",
    "--disable-extensions",
    "--blink-settings=imagesEnabled=false",
    "--no-first-run",
    "--mute-audio",
    "--js-flags=--max-old-space-size=512",
)


class RenderOptions(msgspec.Struct, frozen=True, kw_only=True):
    browser: Path | None = None
    """the program; None looks for one"""
    pages: int = 2
    """rendered at the same time"""
    limits: PageLimits = PageLimits()
    obey_robots: bool = True


class Browser:
    """`async with Browser(client) as browser: rendering = await browser.render(answer)`."""

    def __init__(self, client: Client, options: RenderOptions | None = None) -> None:
        """Raises BrowserError where no browser can be used. It is started with the first page."""
        self._client, self._options = client, options or RenderOptions()
        self._program = find_browser(self._options.browser)
        self._slots = asyncio.Semaphore(self._options.pages)
        self._starting, self._alone = asyncio.Lock(), asyncio.Lock()
        self._shared: _Process | None = None
        self._scripts: dict[str, Answer] = {}
        self._not_started: list[str] = []
        self.rendered = self.restarts = 0
        self.failed: Counter[str] = Counter()
        """pages that could not be rendered, by reason"""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        if self._shared is not None:
            await self._shared.close()

    async def render(self, answer: Answer) -> Rendering:
        """Never raises for what a page or the browser does."""
        try:
            async with self._slots:
                rendering = await self._tried(answer)
        except BrowserError as error:
            rendering = Rendering(problem=str(error))
        if rendering is None:
            rendering = Rendering(problem=f"the browser ended {_ALONE + 1} times while it rendered this page")
        if rendering.problem:
            self.failed[rendering.problem] += 1
        self.rendered += not rendering.problem
        return rendering

    async def _tried(self, answer: Answer) -> Rendering | None:
        rendering = await self._once(await self._started(), answer)
        for _ in range(_ALONE):
            if rendering is not None:
                break
            self.restarts += 1
            async with self._alone:
                alone = await self._launched()
                try:
                    rendering = await self._once(alone, answer)
                finally:
                    await alone.close()
        return rendering

    async def _once(self, process: _Process, answer: Answer) -> Rendering | None:
        """None where the browser ended."""
        process.taken += 1
        process.busy += 1
        page = BrowserPage(
            self._client, answer, self._options.limits, self._scripts, obey_robots=self._options.obey_robots
        )
        try:
            rendering = await page.render(process.browser)
        finally:
            process.busy -= 1
        if rendering is None or not process.alive:
            process.ended = True
            return rendering
        return rendering

    async def _started(self) -> _Process:
        async with self._starting:
            process = self._shared
            if process is not None and process.is_over:
                await process.close()
                process = None
            if process is None:
                process = self._shared = await self._launched()
            return process

    async def _launched(self) -> _Process:
        from playwright.async_api import Error, async_playwright

        if len(self._not_started) >= _MOST_LAUNCHES:
            raise BrowserError(self._not_started[0])
        driver = await async_playwright().start()
        try:
            async with asyncio.timeout(_LAUNCH_SECONDS):
                browser = await driver.chromium.launch(
                    executable_path=self._program,
                    args=[*_NO_NETWORK, *_SMALL],
                    chromium_sandbox=not _is_root(),
                    handle_sigint=False,
                    handle_sigterm=False,
                    handle_sighup=False,
                )
        except (Error, TimeoutError, OSError) as error:
            with suppress(Error, OSError):
                await driver.stop()
            said = str(error).strip().splitlines()
            self._not_started.append(f"{self._program} does not start: {said[0] if said else 'no answer'}")
            raise BrowserError(self._not_started[-1]) from error
        self._not_started.clear()
        return _Process(driver, browser)


class _Process:
    def __init__(self, driver: Playwright, browser: PlaywrightBrowser) -> None:
        self._driver, self.browser = driver, browser
        self.taken = self.busy = 0
        self.ended = False

    @property
    def is_over(self) -> bool:
        return self.ended or not self.alive or (self.taken >= _MOST_PAGES and not self.busy)

    @property
    def alive(self) -> bool:
        return self.browser.is_connected()

    async def close(self) -> None:
        from playwright.async_api import Error

        for closing in (self.browser.close, self._driver.stop):
            with suppress(Error, TimeoutError, OSError):
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await closing()


def _is_root() -> bool:
    """Chromium refuses its sandbox to root."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
