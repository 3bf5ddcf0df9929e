"""Signals of pages only save time: no rule has anything to say of a page that raises none of its signals."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.checking.transcripts import page_of
from urlset.checking.context import Context
from urlset.checking.examples import context_of
from urlset.checking.live_engine import page_signals
from urlset.checking.live_page import ListingPlace, LivePage
from urlset.checking.select import select
from urlset.model.answer import Answer, Hop
from urlset.model.entry import Alternate
from urlset.model.page import BotDirectives, Canonical, DateOrigin, PageDate, Refresh
from urlset.model.visit import Likelihood, PageMarks, State, Visit
from urlset.reading.host_robots import HostRobots
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import DEFAULT_ENGINES, Engine
from urlset.spec.signals import PageSignal

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
RULES = [rule for rule in select(all_rules(), tuple(Engine)) if rule.on is LivePage]
URL = "https://example.com/a"
PLAIN = Visit(
    url=URL,
    state=State.OK,
    status=200,
    final_url=URL,
    media_type="text/html",
    size=4000,
    canonicals=(Canonical(URL),),
    robots=(BotDirectives("robots", ("index", "follow", "max-snippet:-1")),),
    dates=(PageDate(DateOrigin.JSON_LD_MODIFIED, "2026-10-01T10:00:00+02:00"),),
    moment="2026-11-15T12:00:00Z",
)
OTHER = msgspec.structs.replace(PLAIN, url="https://example.com/b", canonicals=(), robots=())


def missed(page: LivePage) -> list[str]:
    """What is said by rules that would not have been asked, with the signals that are missing."""
    signals = page_signals(page)
    return [
        f"{rule.code} waits for {names_of(rule.when)}, the page raises {names_of(signals)}"
        for rule in RULES
        if rule.when is not None and not rule.when & signals
        for _ in rule.check(page)
    ]


def names_of(signals: int) -> str:
    return (
        " | ".join(name for name, bit in vars(PageSignal).items() if isinstance(bit, int) and signals & bit) or "none"
    )


@pytest.mark.parametrize("engines", [DEFAULT_ENGINES, tuple(Engine)], ids=["default", "all"])
def test_every_example(engines: tuple[Engine, ...]) -> None:
    for rule in RULES:
        for example in rule.bad:
            assert missed(page_of(example.text, context_of(example, engines))) == [], (rule.code, example.text)
        for good in rule.good:
            assert missed(page_of(good.text, context_of(good, engines))) == [], (rule.code, good.text)


WORDS = ("index", "noindex", "none", "follow", "nofollow", "max-snippet:20", "max-snippet:-1", "all", "indexifembedded",
         "max-image-preview:none", "max-image-preview:large", "unavailable_after:2020-01-01", "archive")  # fmt: skip
BOTS = st.builds(
    BotDirectives,
    st.sampled_from(("robots", "googlebot", "bingbot", "googlebot-news")),
    st.lists(st.sampled_from(WORDS), max_size=3).map(tuple),
)
HREFS = st.sampled_from(
    (URL, "/a", f"{URL}#x", "https://example.com/a/", "https://example.com/b", "http://[", "mailto:x")
)
DATES = st.sampled_from(("2026-10-01", "2019-01-01", "2026-10-01T10:00:00Z", "soon", "2027-01-01", ""))
CHANGES: dict[str, st.SearchStrategy[object]] = {
    "state": st.sampled_from(State),
    "status": st.sampled_from((200, 204, 206, 401, 403, 404, 429, 500, None)),
    "hops": st.just((Hop("https://example.com/0", 301, "/a"),)),
    "media_type": st.sampled_from((None, "text/html", "application/zip", "application/json", "application/pdf")),
    "size": st.sampled_from((0, 1, 2 << 20, (2 << 20) + 1)),
    "canonicals": st.lists(st.builds(Canonical, HREFS, st.booleans()), max_size=2).map(tuple),
    "qualified_canonicals": st.just((URL,)),
    "link_canonicals": st.lists(HREFS, max_size=2).map(tuple),
    "robots": st.lists(BOTS, max_size=2).map(tuple),
    "header_robots": st.lists(BOTS, max_size=2).map(tuple),
    "alternates": st.just((Alternate("de", "https://example.com/de/a"),)),
    "refresh": st.sampled_from((None, Refresh(0, "/b"), Refresh(5, "/a"))),
    "dates": st.lists(st.builds(PageDate, st.sampled_from(DateOrigin), DATES), max_size=2).map(tuple),
    "last_modified": st.sampled_from((None, "Sat, 02 Mar 2019 10:00:00 GMT", "Sun, 15 Nov 2026 11:00:00 GMT")),
    "soft_404": st.sampled_from((None, Likelihood(0.4), Likelihood(0.5))),
    "marks": st.builds(PageMarks, blank=st.booleans(), only_login=st.booleans(), only_scripts=st.booleans()),
    "thin": st.sampled_from((None, Likelihood(0.4), Likelihood(0.9))),
}
ROBOTS = st.sampled_from((None, "User-agent: *\nDisallow: /a\n", "User-agent: Yandex\nDisallow: /\n", "Disallow: /"))


def robots_of(text: str | None) -> HostRobots | None:
    return None if text is None else HostRobots.of("https://example.com", Answer(URL, status=200, body=text.encode()))


@given(st.data())
@settings(max_examples=600)
def test_every_page(data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted(CHANGES)), max_size=3, unique=True))
    visit = msgspec.structs.replace(PLAIN, **{name: data.draw(CHANGES[name]) for name in names})
    loc = data.draw(st.sampled_from((URL, URL, "http://example.com/a", f"{URL}#x", "https://EXAMPLE.com/a")))
    listing = ListingPlace(
        loc,
        lastmod=data.draw(st.one_of(st.none(), DATES)),
        alternates=data.draw(st.sampled_from(((), (Alternate("de", "https://example.com/b"),)))),
    )
    page = LivePage(
        visit,
        listing,
        Context(now=NOW, engines=data.draw(st.sampled_from((DEFAULT_ENGINES, tuple(Engine), (Engine.PROTOCOL,))))),
        robots=robots_of(data.draw(ROBOTS)),
        find=lambda _url: msgspec.structs.replace(OTHER, state=State.GONE),
        seen_changed=data.draw(st.one_of(st.none(), DATES)),
    )
    assert missed(page) == []


def test_a_page_in_order_raises_nothing() -> None:
    """Else signals would be sound and useless."""
    listing = ListingPlace(URL, lastmod="2026-10-01")
    allowed = robots_of("User-agent: *\nDisallow: /b\n")
    bare = msgspec.structs.replace(PLAIN, canonicals=(), robots=())
    assert names_of(page_signals(LivePage(PLAIN, listing, Context(now=NOW), robots=allowed))) == "none"
    assert names_of(page_signals(LivePage(bare, ListingPlace(URL), Context(now=NOW)))) == "none"


def test_every_rule_on_pages_waits_for_a_signal() -> None:
    assert [rule.code for rule in RULES if rule.when is None] == []
