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
    from urlset.web.client import Client

_MOST_PROBLEMS = 3


class Render(msgspec.Struct, frozen=True):
    mode: RenderMode = RenderMode.NEVER
    browser: Path | None = None

    @classmethod
    def of(cls, settings: RenderSettings) -> Render:
        return cls(RenderMode(settings.render), Path(settings.browser) if settings.browser is not None else None)


class RenderCounts(msgspec.Struct, frozen=True, array_like=True):
    """What browsers did, in one process or in all of them."""

    rendered: int = 0
    restarts: int = 0
    failed: dict[str, int] = {}
    """pages that could not be rendered, by reason"""

    def plus(self, other: RenderCounts) -> RenderCounts:
        failed = Counter(self.failed) + Counter(other.failed)
        return RenderCounts(self.rendered + other.rendered, self.restarts + other.restarts, dict(failed))

    def notices(self) -> Iterator[str]:
        if self.rendered:
            yield f"pages rendered in a browser: {self.rendered:,}"
        if self.restarts:
            yield f"the browser ended {self.restarts:,} times and was restarted"
        for problem, count in Counter(self.failed).most_common(_MOST_PROBLEMS):
            yield f"{count:,} pages could not be rendered: {problem}"


def counts_of(look: SecondLook | None) -> RenderCounts:
    if look is None:
        return RenderCounts()
    browser = look.browser
    return RenderCounts(browser.rendered, browser.restarts, dict(browser.failed))


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
        look = SecondLook(browser, render.mode)
        yield look
    notices += counts_of(look).notices()
