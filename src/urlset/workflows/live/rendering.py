"""The options of rendering → the second look at pages that a client fetched."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from urlset.model.visit import RenderMode

if TYPE_CHECKING:
    from urlset.auditing.second_look import SecondLook
    from urlset.settings.groups import RenderSettings
    from urlset.web.browser import Browser
    from urlset.web.client import Client

_MOST_PROBLEMS = 3


class Render(msgspec.Struct, frozen=True):
    mode: RenderMode = RenderMode.NEVER
    browser: Path | None = None

    @classmethod
    def of(cls, settings: RenderSettings) -> Render:
        return cls(RenderMode(settings.render), Path(settings.browser) if settings.browser is not None else None)


def _notices(browser: Browser) -> Iterator[str]:
    if browser.rendered:
        yield f"pages rendered in a browser: {browser.rendered:,}"
    if browser.restarts:
        yield f"the browser ended {browser.restarts:,} times and was restarted"
    for problem, count in Counter(browser.failed).most_common(_MOST_PROBLEMS):
        yield f"{count:,} pages could not be rendered: {problem}"


@asynccontextmanager
async def second_look(
    render: Render, client: Client, notices: list[str], *, obey_robots: bool
) -> AsyncIterator[SecondLook | None]:
    """None where nothing is to be rendered. Raises BrowserError where no browser is installed."""
    if render.mode is RenderMode.NEVER:
        yield None
        return
    from urlset.auditing.second_look import SecondLook
    from urlset.web.browser import Browser, RenderOptions

    async with Browser(client, RenderOptions(browser=render.browser, obey_robots=obey_robots)) as browser:
        yield SecondLook(browser, render.mode)
    notices += _notices(browser)
