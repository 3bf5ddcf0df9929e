"""Visits → indexable for whom, why not, and what to do about the entry."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from urlset.auditing.indexable import KEEP, canonical_elsewhere, indexable_by, remedy
from urlset.model.answer import Answer, Hop
from urlset.model.page import BotDirectives, Canonical, Refresh
from urlset.model.visit import Likelihood, State, Visit
from urlset.reading.host_robots import HostRobots
from urlset.spec.engines import Engine

URL = "https://e.test/a"
NOW = datetime(2026, 6, 1, tzinfo=UTC)


def visit(**more: object) -> Visit:
    given: dict[str, object] = {"url": URL, "state": State.OK, "status": 200, "final_url": URL, **more}
    return Visit(**given)  # type: ignore[arg-type]


def reported(*words: str, bot: str = "robots") -> tuple[BotDirectives, ...]:
    return (BotDirectives(bot, words),)


def robots(text: str, status: int = 200) -> HostRobots:
    return HostRobots.of("https://e.test", Answer("https://e.test/robots.txt", status=status, body=text.encode()))


@pytest.mark.parametrize(
    ("met", "google", "bing"),
    [
        (visit(), True, True),
        (visit(robots=reported("noindex")), False, False),
        (visit(header_robots=reported("none")), False, False),
        (visit(robots=reported("max-image-preview:none")), True, True),
        (visit(robots=reported("noindex", bot="googlebot")), False, True),
        (visit(robots=reported("noindex", bot="googlebot-news")), True, True),
        (visit(header_robots=reported("noindex", bot="bingbot")), True, False),
        (visit(robots=reported("unavailable_after:25 jun 2010 15:00:00 pst")), False, True),
        (visit(robots=reported("unavailable_after:friday, 25-jun-10 15:00:00 gmt")), False, True),
        (visit(robots=reported("unavailable_after:2031-01-01")), True, True),
        (visit(robots=reported("unavailable_after:some day")), True, True),
        (visit(canonicals=(Canonical("/b"),)), False, False),
        (visit(canonicals=(Canonical("/a"),)), True, True),
        (visit(canonicals=(Canonical("HTTPS://E.test:443/%61#x"),)), True, True),
        (visit(canonicals=(Canonical("/b", in_head=False),)), True, True),
        (visit(qualified_canonicals=("/b",)), True, True),
        (visit(link_canonicals=("https://e.test/b",)), False, False),
        (visit(refresh=Refresh(0, "/b")), False, False),
        (visit(refresh=Refresh(30, "/b")), True, True),
        (visit(media_type="application/zip"), False, False),
        (visit(media_type="application/pdf"), True, True),
        (visit(status=204, reason="204 No Content"), False, False),
        (visit(state=State.GONE, status=404, reason="404"), False, False),
        (visit(state=State.REDIRECTED, final_url="https://e.test/b", reason="301"), False, False),
        (visit(state=State.ERROR, status=500, reason="500"), False, False),
        (visit(state=State.BLOCKED, status=403, reason="403"), None, None),
        (visit(state=State.UNKNOWN, status=None), None, None),
    ],
)
def test_by_engine(met: Visit, google: bool | None, bing: bool | None) -> None:
    for engine, expected in ((Engine.GOOGLE, google), (Engine.BING, bing)):
        [(found, reasons)] = indexable_by(met, [engine], None, NOW)
        assert found is expected
        assert bool(reasons) is (expected is not True)


def test_robots_txt_by_engine() -> None:
    rules = robots("User-agent: bingbot\nDisallow: /a\n\nUser-agent: YandexBot\nDisallow: /\n")
    assert indexable_by(visit(), [Engine.GOOGLE], rules, NOW) == [(True, ())]
    assert indexable_by(visit(), [Engine.BING], rules, NOW) == [(False, ('disallowed by robots.txt: "/a"',))]
    assert indexable_by(visit(), [Engine.YANDEX], rules, NOW)[0][0] is False
    assert indexable_by(visit(state=State.BLOCKED, reason="403"), [Engine.BING], rules, NOW)[0][0] is False
    assert indexable_by(visit(), [Engine.GOOGLE], robots("", status=503), NOW)[0][0] is None


def test_a_canonical_is_read_where_the_page_ended_and_with_its_base() -> None:
    met = visit(final_url="https://e.test/x/", base_href="/base/", canonicals=(Canonical("a"),))
    assert canonical_elsewhere(met) == "https://e.test/base/a"


@pytest.mark.parametrize(
    ("met", "action", "code", "to"),
    [
        (visit(), "keep", "", None),
        (visit(state=State.GONE, status=410, reason="410 Gone"), "drop", "A001", None),
        (visit(state=State.BLOCKED, status=403), "keep", "", None),
        (visit(state=State.ERROR, status=500), "keep", "", None),
        (visit(state=State.UNKNOWN, status=None), "keep", "", None),
        (visit(robots=reported("noindex")), "drop", "A006", None),
        (visit(header_robots=reported("noindex")), "drop", "A007", None),
        (visit(robots=reported("none")), "drop", "A008", None),
        (visit(robots=reported("unavailable_after:2010-01-01")), "drop", "A009", None),
        (visit(robots=reported("noindex", bot="googlebot")), "keep", "", None),
        (visit(canonicals=(Canonical("/b"),)), "replace", "A012", "https://e.test/b"),
        (visit(link_canonicals=("/b",)), "replace", "A013", "https://e.test/b"),
        (visit(canonicals=(Canonical("/b"), Canonical("/c"))), "keep", "", None),
        (
            visit(canonicals=(Canonical("/b"),), link_canonicals=("https://e.test/b",)),
            "replace",
            "A012",
            "https://e.test/b",
        ),
        (visit(canonicals=(Canonical("https://www.e.test/a"),)), "replace", "A012", "https://www.e.test/a"),
        (visit(canonicals=(Canonical("https://other.test/a"),)), "drop", "A012", None),
        (visit(canonicals=(Canonical("javascript:void(0)"),)), "keep", "", None),
        (visit(state=State.REDIRECTED, final_url="https://e.test/b"), "replace", "A003", "https://e.test/b"),
        (visit(state=State.REDIRECTED, final_url="https://e.test/b", status=204), "keep", "", None),
        (visit(state=State.REDIRECTED, final_url="https://e.test/b", robots=reported("noindex")), "drop", "A006", None),
        (visit(state=State.LOGIN, final_url="https://e.test/login?next=/a"), "keep", "", None),
        (visit(state=State.REDIRECTED, final_url="https://other.test/a"), "drop", "A003", None),
        (
            visit(state=State.REDIRECTED, final_url="https://e.test/b?x=1", canonicals=(Canonical("/b"),)),
            "replace",
            "A003",
            "https://e.test/b",
        ),
        (
            visit(
                state=State.REDIRECTED,
                final_url="https://e.test/",
                soft_404=Likelihood(0.9),
                hops=(Hop(URL, 302, "/"),),
            ),
            "keep",
            "",
            None,
        ),
    ],
)
def test_remedies(met: Visit, action: str, code: str, to: str | None) -> None:
    found = remedy(met, now=NOW)
    assert (found.action, found.code, found.to) == (action, code, to)


@pytest.mark.parametrize(
    "there",
    [
        visit(url="https://e.test/b", final_url="https://e.test/b", state=State.GONE, status=404),
        visit(url="https://e.test/b", final_url="https://e.test/b", robots=reported("noindex")),
        visit(url="https://e.test/b", final_url="https://e.test/b", canonicals=(Canonical("/a"),)),
        visit(url="https://e.test/b", final_url="https://e.test/b", canonicals=(Canonical("/c"),)),
        visit(url="https://e.test/b", final_url="https://e.test/b", soft_404=Likelihood(0.9)),
        visit(url="https://e.test/b", state=State.UNKNOWN, status=None, final_url=""),
    ],
)
def test_a_canonical_that_is_known_to_be_no_better_is_not_listed(there: Visit) -> None:
    assert remedy(visit(canonicals=(Canonical("/b"),)), find=lambda _url: there, now=NOW) == KEEP
