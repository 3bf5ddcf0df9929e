"""A fetched page → whether a browser must look at it too, and what its scripts change."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol
from urllib.parse import urlsplit

import msgspec

from urlset.auditing.facts import is_html
from urlset.auditing.page_text import PageText, runs_scripts, words_in
from urlset.model.address import key_of
from urlset.model.answer import Answer
from urlset.model.page import PageFacts
from urlset.model.visit import RenderedPage, Rendering, RenderMode, State, Visit
from urlset.reading.html import read_page

if TYPE_CHECKING:
    from urlset.web.browser import Browser
    from urlset.web.client import Client

_FEW_WORDS = 50
"""a page that runs scripts and shows fewer is a shell, whatever it calls its root element"""
CONTENT_WORDS = 25
CONTENT_SHARE = 1 / 3
"""text that scripts add counts from so many words, and from this share of all: a banner is less"""
_MOST_NEW_LINKS = 10
_WORD = re.compile(r"[^\W_]+")
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_MOST_PROBLEMS = 3
_SAID_OF_TEXT = ("marks", "lifetime")


class ScriptedPage(NamedTuple):
    """A page after its scripts ran."""

    answer: Answer | None
    """with the HTML that the browser made; None where it made none"""
    page: RenderedPage


class SecondLook:
    """Decides which pages are rendered, and compares."""

    def __init__(self, browser: Browser, mode: RenderMode) -> None:
        self._browser, self._mode = browser, mode

    async def at(self, answer: Answer, visit: Visit) -> ScriptedPage | None:
        """None where no second look is needed."""
        if visit.state not in (State.OK, State.REDIRECTED) or not answer.ok or not is_html(answer) or answer.truncated:
            return None
        if not runs_scripts(answer.body):
            return None
        sent = read_page(answer.body, declared=answer.header("content-type"))
        if self._mode is not RenderMode.ALWAYS and not is_shell(answer, sent):
            return None
        rendering = await self._browser.render(answer)
        if rendering.problem:
            return ScriptedPage(None, RenderedPage(problem=rendering.problem))
        shown = as_answer(answer, rendering)
        return ScriptedPage(shown, compared(answer, sent, read_page(shown.body, declared=_UTF_8), rendering))


class SecondLookSettings(Protocol):
    """What the settings of an audit or a crawl say of browsers."""

    @property
    def render(self) -> RenderMode: ...
    @property
    def browser(self) -> str | os.PathLike[str] | None: ...
    @property
    def ignore_robots(self) -> bool: ...


@asynccontextmanager
async def second_look(
    settings: SecondLookSettings, client: Client, notices: list[str]
) -> AsyncIterator[SecondLook | None]:
    """None where nothing is to be rendered. Raises BrowserError where no browser is installed."""
    if settings.render is RenderMode.NEVER:
        yield None
        return
    from urlset.web.browser import Browser, RenderOptions

    path = None if settings.browser is None else Path(settings.browser)
    async with Browser(client, RenderOptions(browser=path, ignore_robots=settings.ignore_robots)) as opened:
        yield SecondLook(opened, settings.render)
    if opened.rendered:
        notices.append(f"pages rendered in a browser: {opened.rendered:,}")
    if opened.restarts:
        notices.append(f"the browser ended {opened.restarts:,} times and was restarted")
    failed = opened.failed.most_common(_MOST_PROBLEMS)
    notices += [f"{count:,} pages could not be rendered: {problem}" for problem, count in failed]


_UTF_8 = "text/html; charset=utf-8"


def is_shell(answer: Answer, sent: PageFacts) -> bool:
    """Whether scripts bring what there is to read."""
    text = PageText(sent, answer.body)
    return text.made_by_scripts or text.only_scripts or text.shown_words < _FEW_WORDS


def as_answer(answer: Answer, rendering: Rendering) -> Answer:
    """The same answer with the HTML that the browser made."""
    headers = tuple(pair for pair in answer.headers if pair[0] != "content-type")
    body = rendering.html.encode("utf-8", "replace")
    return msgspec.structs.replace(
        answer, headers=(*headers, ("content-type", _UTF_8)), body=body, truncated=rendering.truncated
    )


def compared(answer: Answer, sent: PageFacts, shown: PageFacts, rendering: Rendering | None = None) -> RenderedPage:
    here = answer.final_url or answer.url
    before, after = _links(sent, here), _links(shown, here)
    new = [url for key, url in after.items() if key not in before]
    words_before, words_after = _words(sent), _words(shown)
    rendering = rendering or Rendering()
    return RenderedPage(
        title=shown.title,
        base_href=shown.base_href,
        canonicals=shown.canonicals,
        robots=shown.robots,
        words_sent=words_before.total(),
        words=words_after.total(),
        words_added=(words_after - words_before).total(),
        links_sent=len(before),
        links_added=len(new),
        new_links=tuple(new[:_MOST_NEW_LINKS]),
        moved_to=rendering.moved_to,
        refused=rendering.refused,
        in_time=rendering.in_time,
    )


def with_rendered(visit: Visit, rendered: RenderedPage, shown: Visit | None) -> Visit:
    """The visit as sent; its text is judged as rendered, because readers and Google see that."""
    if shown is None or shown.state not in (State.OK, State.REDIRECTED):
        return msgspec.structs.replace(visit, rendered=rendered)
    return msgspec.structs.replace(visit, rendered=rendered, **{name: getattr(shown, name) for name in _SAID_OF_TEXT})


def _links(facts: PageFacts, here: str) -> dict[str, str]:
    """Pages of the same host that are linked, by what makes two addresses the same."""
    host = urlsplit(here).netloc.lower()
    own = key_of(here)
    found: dict[str, str] = {}
    for link in facts.links:
        url = facts.resolve(link.href, here)
        if url is None or not url.startswith(("http://", "https://")):
            continue
        url = url.partition("#")[0]
        if urlsplit(url).netloc.lower() == host and (key := key_of(url)) != own:
            found.setdefault(key, url)
    return found


def _words(facts: PageFacts) -> Counter[str]:
    """The words of the text with how often they occur: scripts that wrap text in other elements change none."""
    text = "\n".join(facts.blocks).casefold()
    if words_in(text.replace("\n", " ")) > text.count(" ") + text.count("\n") + 1:
        return Counter(_DENSE.findall(text)[::2]) + Counter(_WORD.findall(_DENSE.sub(" ", text)))
    return Counter(_WORD.findall(text))
