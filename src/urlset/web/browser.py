"""Fetched pages → the HTML that their scripts make of them, by an installed browser without a network.

The client makes every request of a page, so the guard, the pace, credentials, mapped servers and recordings apply. A
browser that ends for whatever reason costs the time of a restart.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec

from urlset.model.answer import Answer
from urlset.model.errors import UrlsetError
from urlset.model.visit import Rendering
from urlset.web.address import NotFetchableError, target_of
from urlset.web.options import MAX_REDIRECTS

if TYPE_CHECKING:
    from playwright.async_api import Browser as PlaywrightBrowser
    from playwright.async_api import BrowserContext, Page, Playwright, Request, Route

    from urlset.web.client import Client


# One page in the browser: its requests answered by the client, its time bounded, its HTML taken when it is quiet.

_WIDTH, _HEIGHT = 1024, 8000
"""tall, so content that loads when it is scrolled to is there"""
_FETCHED = frozenset({"script", "xhr", "fetch"})
_TAKE_SECONDS = 5.0
_STARVATION = 9_999
_FRAME_SECONDS = 1.0
_AFTER_A_FRAME = 0.5
"""virtual seconds for what a first paint sets off"""
_MOST_SCRIPTS = 32 << 20
"""bytes of scripts that are kept for the next pages"""
_NOT_PASSED_ON = frozenset(
    {"alt-svc", "connection", "content-encoding", "content-length", "keep-alive", "set-cookie", "transfer-encoding"}
)
_NOT_SENT = frozenset({"accept-encoding", "connection", "cookie", "host", "referer", "user-agent"})
# Shadow roots are put in their place, as search engines flatten them. A document without a window runs no scripts.
_TAKE = """(() => {
  const whole = document.documentElement;
  if (!whole) return [0, ""];
  let text = null;
  try {
    const every = [...document.querySelectorAll("*")];
    if (every.some(each => each.shadowRoot)) {
      const inert = document.implementation.createHTMLDocument("");
      const copy = node => {
        const made = inert.importNode(node, false);
        const slotted = node.localName === "slot" ? node.assignedNodes({flatten: true}) : [];
        for (const kid of node.shadowRoot ? node.shadowRoot.childNodes : slotted.length ? slotted : node.childNodes)
          made.appendChild(copy(kid));
        return made;
      };
      text = copy(whole).outerHTML;
    }
  } catch {}
  text = text === null ? whole.outerHTML : text;
  return [text.length, text.slice(0, %d)];
})()"""
_EMPTY = Answer("")
"""in place of a style sheet, which changes no text"""


class RenderOptions(msgspec.Struct, frozen=True, kw_only=True):
    browser: Path | None = None
    """the program; None looks for one"""
    pages: int = 2
    """rendered at the same time"""
    ignore_robots: bool = False
    seconds: float = 30.0
    """for all requests and scripts of a page"""
    virtual_seconds: float = 5.0
    """timers that are due within this time run at once, without waiting"""
    requests: int = 100
    bytes: int = 32 << 20
    """of everything a page fetches"""
    resource: int = 8 << 20
    html: int = 16 << 20
    """characters that are taken of the result"""


class BrowserPage:
    def __init__(self, client: Client, answer: Answer, limits: RenderOptions, scripts: dict[str, Answer]) -> None:
        self._client, self._answer, self._limits, self._scripts = client, answer, limits, scripts
        self._url = answer.final_url or answer.url
        self._served = False
        self._moved_to: str | None = None
        self._requests = self._bytes = self._refused = 0

    async def render(self, browser: PlaywrightBrowser) -> Rendering | None:
        """None where the browser ended meanwhile."""
        from playwright.async_api import Error

        context: BrowserContext | None = None
        try:
            async with asyncio.timeout(self._limits.seconds + _TAKE_SECONDS + _CLOSE_SECONDS):
                context = await browser.new_context(
                    viewport={"width": _WIDTH, "height": _HEIGHT}, service_workers="block", accept_downloads=False
                )
                await context.add_init_script("window.open = () => null")  # a second window would be waited for
                await context.route("**/*", self._route)
                await context.route_web_socket("**/*", lambda socket: socket.close())
                return await self._rendered(context)
        except (Error, TimeoutError, OSError) as error:
            if not browser.is_connected():
                return None
            return self._problem(str(error).strip().partition("\n")[0] or "it did not end in time")
        finally:
            if context is not None and not await _closed(context.close):
                await _closed(browser.close)  # a page that cannot be closed must not live on

    async def _rendered(self, context: BrowserContext) -> Rendering:
        page = await context.new_page()
        crashed = asyncio.Event()
        page.on("crash", lambda _page: crashed.set())
        in_time = True
        try:
            async with asyncio.timeout(self._limits.seconds):
                await self._run(context, page, crashed)
        except TimeoutError:
            in_time = False
        if crashed.is_set():
            return self._problem("the page crashed the browser's renderer")
        async with asyncio.timeout(_TAKE_SECONDS):
            length, html = await self._taken(context, page)
        return Rendering(
            html=html,
            moved_to=self._moved_to,
            requests=self._requests,
            refused=self._refused,
            truncated=length > self._limits.html,
            in_time=in_time,
        )

    async def _run(self, context: BrowserContext, page: Page, crashed: asyncio.Event) -> None:
        """Load the page and let its timers run in virtual time, which pauses while a request is under way."""
        tools = await context.new_cdp_session(page)
        quiet = asyncio.Event()
        tools.on("Emulation.virtualTimeBudgetExpired", lambda _event: quiet.set())
        await page.goto(self._url, wait_until="load", timeout=self._limits.seconds * 1000)
        await _two_frames(page)
        for budget in (self._limits.virtual_seconds, _AFTER_A_FRAME):
            quiet.clear()
            await tools.send(
                "Emulation.setVirtualTimePolicy",
                {
                    "policy": "pauseIfNetworkFetchesPending",
                    "budget": budget * 1000,
                    "maxVirtualTimeTaskStarvationCount": _STARVATION,
                },
            )
            await _first_of(quiet, crashed)
            await _two_frames(page)

    async def _taken(self, context: BrowserContext, page: Page) -> tuple[int, str]:
        """In a world that the scripts of the page cannot reach into."""
        tools = await context.new_cdp_session(page)
        tree = await tools.send("Page.getFrameTree")
        world = await tools.send("Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"]})
        result: Any = await tools.send(
            "Runtime.evaluate",
            {
                "expression": _TAKE % self._limits.html,
                "contextId": world["executionContextId"],
                "returnByValue": True,
                "timeout": _TAKE_SECONDS * 1000,
            },
        )
        length, html = result["result"].get("value") or (0, "")
        return int(length), str(html)

    def _problem(self, said: str) -> Rendering:
        return Rendering(problem=said[:200], requests=self._requests, refused=self._refused)

    # requests

    async def _route(self, route: Route) -> None:
        from playwright.async_api import Error

        with suppress(Error):  # the page may be gone
            answer = await self._answer_to(route.request)
            if answer is None:
                await route.abort()
            elif answer is _EMPTY:
                await route.fulfill(status=200, content_type="text/css", body="")
            else:
                headers = {name: value for name, value in answer.headers if name not in _NOT_PASSED_ON}
                await route.fulfill(status=answer.status or 200, headers=headers, body=answer.body)

    async def _answer_to(self, request: Request) -> Answer | None:
        """None refuses the request."""
        if request.is_navigation_request():
            return self._page_itself(request)
        kind = request.resource_type
        if kind == "stylesheet":
            return _EMPTY
        if kind not in _FETCHED or request.method != "GET":
            self._refused += kind in _FETCHED
            return None
        try:
            url = target_of(request.url).href
        except NotFetchableError:
            return None
        if kind == "script" and url in self._scripts:
            return self._scripts[url]
        limits = self._limits
        if self._requests >= limits.requests or self._bytes >= limits.bytes:
            self._refused += 1
            return None
        self._requests += 1
        client = self._client
        if not limits.ignore_robots and not (await client.robots(url)).match(client.options.token, url).allowed:
            self._refused += 1
            return None
        # what scripts set, such as the public key of an API; what belongs to the browser stays with it
        headers = {
            name: value
            for name, value in request.headers.items()
            if name not in _NOT_SENT and not name.startswith(("sec-", ":"))
        }
        cap = min(limits.resource, limits.bytes - self._bytes)
        answer = await client.get(url, cap=max(cap, 1), headers=headers, max_redirects=MAX_REDIRECTS)
        self._bytes += len(answer.body)
        if answer.failure is not None or answer.status is None or answer.truncated:
            self._refused += 1
            return None
        if kind == "script" and sum(len(each.body) for each in self._scripts.values()) < _MOST_SCRIPTS:
            self._scripts[url] = answer
        return answer

    def _page_itself(self, request: Request) -> Answer | None:
        """The page is there already; a script that leads away from it is noted, and frames stay empty."""
        if request.frame.parent_frame is not None or request.method != "GET":
            return None
        if not self._served:
            self._served = True
            return self._answer
        if self._moved_to is None:
            self._moved_to = request.url
        return None


async def _two_frames(page: Page) -> None:
    """Until the page was painted: content that loads when it is seen starts then."""
    from playwright.async_api import Error

    with suppress(Error, TimeoutError):
        async with asyncio.timeout(_FRAME_SECONDS):
            await page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


async def _first_of(*events: asyncio.Event) -> None:
    waiting = [asyncio.ensure_future(each.wait()) for each in events]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waiting:
            each.cancel()


async def _closed(close: Callable[[], Awaitable[None]]) -> bool:
    from playwright.async_api import Error

    with suppress(Error, TimeoutError, OSError):
        async with asyncio.timeout(_CLOSE_SECONDS):
            await close()
        return True
    return False


# This machine → the Chromium, Chrome or Edge that is installed on it; none is ever downloaded.

_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "msedge",
)
_MAC = ("Chromium", "Google Chrome", "Microsoft Edge")
_WINDOWS = (r"Chromium\Application\chrome.exe", r"Google\Chrome\Application\chrome.exe")
_EDGE = r"Microsoft\Edge\Application\msedge.exe"
MISSING_PACKAGE = "rendering needs playwright: pip install 'urlset[browser]'"
MISSING_BROWSER = "no Chromium, Chrome or Edge was found; install one or name it with --browser PATH"


class BrowserError(UrlsetError):
    """There is no browser that can be used; the message says what to do."""


def find_browser(given: Path | None = None) -> Path:
    """Raises BrowserError."""
    from importlib.util import find_spec

    if find_spec("playwright") is None:
        raise BrowserError(MISSING_PACKAGE)
    if given is not None:
        found = shutil.which(str(given))
        if found is None:
            raise BrowserError(f"no such browser: {given}")
        return Path(found)
    for name in _NAMES:
        if (found := shutil.which(name)) is not None:
            return Path(found)
    for place in _usual_places():
        if place.is_file():
            return place
    raise BrowserError(MISSING_BROWSER)


def _usual_places() -> list[Path]:
    if sys.platform == "darwin":
        return [Path(f"/Applications/{name}.app/Contents/MacOS/{name}") for name in _MAC]
    if os.name == "nt":
        folders = [os.environ.get(name) for name in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")]
        return [Path(folder) / place for folder in folders if folder for place in (*_WINDOWS, _EDGE)]
    return []


# Fetched pages → rendered ones, in one browser that is replaced when it grows or ends.

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
        except BrowserError as error:
            rendering = Rendering(problem=str(error))
        if rendering is None:
            rendering = Rendering(problem=f"the browser ended {_ALONE + 1} times while it rendered this page")
        if rendering.problem:
            self.failed[rendering.problem] += 1
        self.rendered += not rendering.problem
        return rendering

    async def _once(self, process: _Process, answer: Answer) -> Rendering | None:
        """None where the browser ended."""
        process.taken += 1
        process.busy += 1
        page = BrowserPage(self._client, answer, self._options, self._scripts)
        try:
            rendering = await page.render(process.browser)
        finally:
            process.busy -= 1
        process.ended = process.ended or rendering is None or not process.alive
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
                    chromium_sandbox=not (hasattr(os, "geteuid") and os.geteuid() == 0),  # refused to root
                    handle_sigint=False,
                    handle_sigterm=False,
                    handle_sighup=False,
                )
        except (Error, TimeoutError, OSError) as error:
            await _closed(driver.stop)
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
        await _closed(self.browser.close)
        await _closed(self._driver.stop)
