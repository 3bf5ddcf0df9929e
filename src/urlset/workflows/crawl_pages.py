"""The answer of a server → what a crawl keeps of the page and the links it follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Iterator
from functools import partial
from typing import Any, NamedTuple

import msgspec

from urlset.auditing.facts import PendingVisit, header_links, is_html, judged, seen_of
from urlset.auditing.page_text import PageText
from urlset.auditing.second_look import SecondLook, with_rendered
from urlset.auditing.soft404 import ErrorProbe, probe_of, probe_urls
from urlset.auditing.state import state_of
from urlset.building.policy import DEFAULT_AGENT, forbidding_line
from urlset.building.sources.crawled import candidate_of, is_surely_an_error
from urlset.crawling.found import NOT_REQUESTED, CrawledUrl, Fate, FetchedPage, TrapKind
from urlset.crawling.frontier import CrawlFrontier, end_of
from urlset.crawling.loop import Crawl, Fetch
from urlset.crawling.traps import IN_A_ROW, inside_traps
from urlset.model.answer import Answer, FailureKind
from urlset.model.entry import Image, Video
from urlset.model.page import NOINDEX, PageFacts, join
from urlset.model.visit import EXCLUDED, NOT_ASKED, NOT_YET, OUTSIDE, CrawlRow, State, Visit, conflicting
from urlset.reading.fingerprint import BlockCounter, boilerplate_of, page_blocks
from urlset.reading.html import MAX_LINKS, read_page
from urlset.reading.read import read
from urlset.reading.robots import matcher_for
from urlset.web.client import Client

Look = Callable[[Answer], FetchedPage]
_MOST_IMAGES = 1000
_BUSY = 25
_MANY_WORDS = 10_000


class PageContent(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """What a build needs from a page in addition to its visit."""

    blocks: tuple[int, ...] = ()
    words: tuple[int, ...] = ()
    images: tuple[Image, ...] = ()
    videos: tuple[Video, ...] = ()
    main: tuple[int, ...] = ()
    """what decides whether the page changed, see `reading.page_facets`; none in crawls of older versions"""


_kept_out = msgspec.msgpack.Encoder().encode
kept_in = msgspec.msgpack.Decoder(PageContent).decode


def looker(
    *,
    content: bool = False,
    images: bool = False,
    videos: bool = False,
    baseline: Callable[[], ErrorProbe | None] = lambda: None,
) -> Look:
    """`content` reads and keeps the text too, without which a build can tell neither changes nor error pages."""

    def look(answer: Answer) -> FetchedPage:
        if answer.hops and answer.failure is not None and answer.failure.kind is FailureKind.TOO_MANY_REDIRECTS:
            return FetchedPage(_redirected(answer))
        return whole(answer) if content else _quickly(answer)

    def whole(answer: Answer) -> FetchedPage:
        read: list[PageFacts] = []

        def reader(data: bytes, **given: Any) -> PageFacts:
            read.append(read_page(data, **{**given, "images": images, "videos": videos, "links": True, "facets": True}))
            return read[0]

        seen = seen_of(answer, reader=reader, baseline=baseline())
        visit, marks = seen.visit, seen.visit.marks
        # an error or challenge page says nothing about the page that was requested
        facts = read[0] if read and seen.visit.state is State.OK else None
        kept = None
        if facts is not None:
            sources = (facts.resolve(each.src, visit.final_url) for each in facts.images[:_MOST_IMAGES])
            found = tuple(Image(src) for src in sources if src and src.startswith(("http://", "https://")))
            kept = _kept_out(PageContent(seen.blocks, seen.words, found, facts.videos, page_blocks(facts)))
        if facts is not None and len(facts.links) >= MAX_LINKS:
            visit = msgspec.structs.replace(visit, complete=False)
        is_shell = facts is not None and not facts.links and marks is not None and marks.made_by_scripts
        texts = partial(_main_texts, facts) if facts is not None else tuple
        return FetchedPage(visit, facts, kept, _header_links(answer), is_shell, texts)

    return look


def fetcher(client: Client, look: Look, browser: SecondLook | None = None) -> Fetch:
    async def fetch(url: str, cap: int | None, patient: bool) -> FetchedPage:
        answer = await client.get(url, cap=cap, patient=patient)
        looked = look(answer)
        if browser is not None and looked.visit.state is State.OK:
            return await _looked_again(browser, look, answer, looked)
        return looked

    return fetch


async def _looked_again(browser: SecondLook, look: Look, answer: Answer, looked: FetchedPage) -> FetchedPage:
    """What a crawl keeps of a page that a browser rendered: its text, and the links of both looks."""
    shown = await browser.at(answer, looked.visit)
    if shown is None or looked.facts is None:
        return looked
    if shown.answer is None:
        return looked._replace(visit=with_rendered(looked.visit, shown.page, None))
    by_browser = look(shown.answer)
    visit = with_rendered(looked.visit, shown.page, by_browser.visit)
    if by_browser.facts is None:
        return looked._replace(visit=visit)
    base_href = looked.facts.base_href or by_browser.facts.base_href
    links = tuple(dict.fromkeys((*looked.facts.links, *by_browser.facts.links)))
    facts = msgspec.structs.replace(by_browser.facts, links=links, base_href=base_href)
    return by_browser._replace(visit=visit, facts=facts, link_headers=looked.link_headers)


def _quickly(answer: Answer) -> FetchedPage:
    """Without the text of the page, which takes most of the time."""
    facts = None
    if answer.ok and is_html(answer):
        facts = read_page(answer.body, declared=answer.header("content-type"), text=False)
    # a page with so many links is not a bot challenge, and need not be searched for the signs of one
    busy = facts is not None and len(facts.links) >= _BUSY
    if state_of(answer, words=_MANY_WORDS if busy else None)[0] is not State.OK:
        return FetchedPage(seen_of(answer).visit)
    if facts is None:
        return FetchedPage(seen_of(answer).visit, None, None, _header_links(answer))
    visit = seen_of(answer, reader=lambda *_body, **_parts: msgspec.structs.replace(facts, words=_MANY_WORDS)).visit
    visit = msgspec.structs.replace(visit, complete=facts.complete and len(facts.links) < MAX_LINKS)
    with_text = partial(read_page, answer.body, declared=answer.header("content-type"), links=False)
    is_shell = not facts.links and b"<script" in answer.body and PageText(with_text(), answer.body).made_by_scripts
    return FetchedPage(visit, facts, None, _header_links(answer), is_shell, lambda: _main_texts(with_text()))


def _main_texts(facts: PageFacts) -> tuple[str, ...]:
    frame = frozenset(facts.frame)
    return facts.main or tuple(text for text in facts.blocks if text not in frame)


def _redirected(answer: Answer) -> Visit:
    hop = answer.hops[0]
    target = join(hop.url, hop.location) or ""
    return Visit(
        url=answer.url,
        state=State.REDIRECTED,
        reason=f"{hop.status} to {target or hop.location}",
        status=hop.status,
        hops=answer.hops[:1],
        final_url=target,
        seconds=answer.seconds,
        moment=answer.moment,
        tries=answer.tries,
    )


def _header_links(answer: Answer) -> tuple[tuple[str, tuple[str, ...]], ...]:
    values = answer.all("link")
    return tuple((each.target, each.rels) for each in header_links(values)) if values and answer.ok else ()


# A site → how it answers addresses that cannot exist, asked once and kept with the crawl.

_META = "error_probe"


class Probing:
    """The baseline by which error pages that are sent as pages are recognised."""

    def __init__(self, frontier: CrawlFrontier) -> None:
        self._frontier = frontier
        kept = frontier.meta(_META)
        self._asked = kept is not None
        self._probe = msgspec.json.decode(kept, type=ErrorProbe | None) if kept is not None else None

    def known(self) -> ErrorProbe | None:
        return self._probe

    def ready(self, client: Client, sitting: Crawl) -> Callable[[str], Awaitable[None]] | None:
        """What asks when the home of the site is known; None where an earlier run has asked."""
        if self._asked:
            return None

        async def ask(home: str) -> None:
            urls = [url for url in probe_urls(f"{home}/") if sitting.rule_of(url) is Fate.ASK]
            answers = [await client.get(url) for url in urls]
            self._probe = probe_of(answers)
            self._frontier.remember(**{_META: msgspec.json.encode(self._probe).decode()})

        return ask


# The pages of a crawl → the same, judged by what is known of the whole site: error pages, thin pages, traps.

_OWN_WORDS = 60
"""more than the names of months and days and the numbers of a month's days, which tell one empty page from the next"""


class JudgedRow(NamedTuple):
    row: CrawledUrl
    kept: PageContent | None
    """what was kept of its content; None where that was not read"""
    endless: str | None = None
    """why it is one of endlessly many"""


def judged_rows(frontier: CrawlFrontier, where: str = "1") -> Iterator[JudgedRow]:
    """In the order of discovery."""
    probe = Probing(frontier).known()
    counter = BlockCounter()
    for data in frontier.kept():
        counter.add(kept_in(data).blocks)
    repeated = boilerplate_of(counter)
    inside = _inside_traps(frontier)
    for row in frontier.rows(where):
        endless = inside.get(row.id)
        if row.visit is None or row.kept is None:
            yield JudgedRow(row, None, endless)
            continue
        kept = kept_in(row.kept)
        visit = judged(PendingVisit(row.visit, kept.blocks, kept.words), baseline=probe, boilerplate=repeated)
        yield JudgedRow(msgspec.structs.replace(row, visit=visit), kept, endless)


def _inside_traps(frontier: CrawlFrontier) -> dict[int, str]:
    """The pages inside traps, and what is said of each; in a row a page with a text of its own is a page."""
    inside = inside_traps(frontier)
    in_a_row = [page for page, trap in inside.items() if trap.kind in IN_A_ROW]
    texts = {page: kept_in(data) for page in in_a_row if (data := frontier.kept_of(page))}
    shared = Counter(block for text in texts.values() for block in set(text.blocks))
    for page, text in texts.items():
        own = sum(count for block, count in zip(text.blocks, text.words, strict=True) if shared[block] == 1)
        if own >= _OWN_WORDS:
            del inside[page]
    return {page: f"{trap.kind.value}: {trap.reason}" for page, trap in inside.items()}


_FATES = NOT_REQUESTED | {Fate.ASK: NOT_YET, Fate.EXCLUDED: EXCLUDED, Fate.OUTSIDE: OUTSIDE}


def crawl_rows(frontier: CrawlFrontier, robots_txt: bytes | None = None) -> Generator[CrawlRow]:
    """In the order of discovery; addresses linked only with nofollow last."""
    robots = read(robots_txt).robots if robots_txt is not None else None
    matcher = matcher_for(robots, DEFAULT_AGENT) if robots is not None else None
    for each in judged_rows(frontier):
        # the line that forbids the page to the robot a build asks for
        forbidden_by = forbidding_line(matcher, each.row.url) if matcher is not None else None
        yield _row(each, frontier, forbidden_by)
    for url, source in frontier.only_unfollowed():
        yield CrawlRow(url=url, state=NOT_ASKED, reason="only nofollow links", depth=-1, via="link", found_on=source)


def _row(judged: JudgedRow, frontier: CrawlFrontier, forbidden_by: str | None) -> CrawlRow:
    row = judged.row
    visit = row.visit
    if visit is None:
        reason = _FATES[row.fate]
        if row.trap is not None:
            reason = f"{reason}: {TrapKind(msgspec.json.decode(row.trap)['kind']).value}"
        return CrawlRow(
            url=row.url, state=NOT_ASKED, reason=reason, depth=row.depth, via=row.via.shown, found_on=row.found_on
        )
    page = candidate_of(visit)
    return CrawlRow(
        url=row.url,
        state=visit.state.value,
        reason=visit.reason,
        status=visit.status,
        depth=row.depth,
        via=row.via.shown,
        found_on=row.found_on,
        redirects_to=end_of(frontier, visit) if visit.state is State.REDIRECTED else page.redirects_to,
        canonical=page.canonical,
        indexable=is_indexable(visit) and page.canonical in (None, row.url),
        title=visit.title,
        language=visit.language,
        media_type=visit.media_type,
        size=visit.size or (None if visit.unchanged else 0),
        seconds=round(visit.seconds, 3),
        last_modified=visit.last_modified,
        asked=visit.moment or None,
        robots=page.directives or None,
        disallowed=forbidden_by,
        soft_404="; ".join(visit.soft_404.signs) if is_surely_an_error(visit.soft_404) else None,
        thin=page.thin,
        endless=judged.endless,
        dates=visit.dates or None,
        alternates=page.entry.media.alternates or None,
    )


def is_indexable(visit: Visit) -> bool | None:
    """By what the page says of itself; None where that does not decide it."""
    marks = visit.marks
    there = visit.state is State.OK and visit.size > 0 and visit.refresh is None and not (marks and marks.blank)
    if not there or not NOINDEX.isdisjoint(visit.directives_for()):
        return False
    is_open = bool(conflicting(visit)) or (marks is not None and (marks.only_login or marks.only_scripts))
    return None if is_open else True
