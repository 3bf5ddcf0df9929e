"""How pages are asked: who is asked first, how many at a time, and when a host is left alone."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from tests.workflows.audit_sites import CHALLENGE, page
from urlset.auditing.page_text import pack_text, unpack_text
from urlset.auditing.session import (
    BLOCKED_AGAIN,
    BLOCKED_IN_A_ROW,
    FAILED_AGAIN,
    MOST_ATTEMPTS,
    HostQueues,
    Session,
    SessionEnd,
)
from urlset.auditing.store import AuditStore, ListedUrl, PendingUrl, Result, What
from urlset.model.answer import Failure, FailureKind
from urlset.model.visit import State, Visit
from urlset.settings.audit import AuditSettings
from urlset.testing import PageAnswer, Request, Site, redirect
from urlset.testing.exchange import Reply, Routes, most_at_once
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import WebOptions
from urlset.writing.sqlite_store import StateError

WEB = WebOptions(allow_addresses=frozenset({"127.0.0.1"}), backoff=0.01, patience=0.01)


def opened(path: Path, *urls: str) -> AuditStore:
    store = AuditStore(path)
    if store.begin(plan={}, started="now").needs_listing:
        with store.listing() as listing:
            for row, url in enumerate(urls):
                listing.add(ListedUrl(url, "s.xml", row))
        store.ready()
    return store


def asked(store: AuditStore, web: WebOptions = WEB, **more: object) -> Session:
    async def ask() -> Session:
        async with Client(web) as client:
            session = Session(store, client, AuditSettings(**more))  # type: ignore[arg-type]
            await session.run()
            return session

    return run(ask())


def pages_of(site: Site) -> list[str]:
    return [path for path in site.paths() if path.startswith("/page")]


def answer(request: Request) -> Reply | None:
    return page(request.path) if request.path.startswith("/page") else None


def test_pages_that_were_under_way_come_first(tmp_path: Path) -> None:
    with Site(answer) as site, opened(tmp_path / "a.db", *(site.url(f"/page{n}") for n in range(20))) as store:
        waiting = store.waiting(-1, 20)
        store.save([], [waiting[7].id, waiting[11].id])
        asked(store, WebOptions(allow_addresses=frozenset({"127.0.0.1", "127.0.0.2"}), concurrency=1))
        order = pages_of(site)
    assert order[:4] == ["/page7", "/page11", "/page0", "/page1"]
    assert Counter(order).most_common(1)[0][1] == 1
    assert len(order) == 20


def test_each_host_has_its_budget_and_the_next_run_goes_on(tmp_path: Path) -> None:
    web = WebOptions(allow_addresses=frozenset({"127.0.0.1"}))
    with Site(answer) as site:
        large = [site.url(f"/page{n}") for n in range(12)]
        small = [site.url(f"/page{n}", host="localhost") for n in range(3)]
        with opened(tmp_path / "a.db", *large, *small) as store:
            first = asked(store, web, max_pages_per_host=5)
            assert (first.ended, first.done) == (SessionEnd.OUT_OF_BUDGET, 8)
            assert asked(store, web, max_pages_per_host=5).ended is SessionEnd.OUT_OF_BUDGET
            assert asked(store, web, max_pages_per_host=5).ended is SessionEnd.FINISHED
        counts = Counter((each.host, each.path) for each in site.log if each.path.startswith("/page"))
    assert len(counts) == 15
    assert max(counts.values()) == 1


def test_a_page_that_was_under_way_at_every_kill_is_not_asked_again(tmp_path: Path) -> None:
    with Site(answer) as site, opened(tmp_path / "a.db", site.url("/page1"), site.url("/page2")) as store:
        first = store.waiting(-1, 2)[0]
        for _ in range(MOST_ATTEMPTS):
            store.save([], [first.id])
        session = asked(store)
        assert pages_of(site) == ["/page2"]
        rows = list(store.rows())
    assert session.ended is SessionEnd.FINISHED
    assert rows[0].visit is not None
    assert rows[0].visit.state is State.UNKNOWN
    assert rows[0].visit.reason == "urlset was killed 2 times during this request"


def test_a_kill_while_a_page_waits_for_its_turn_does_not_count(tmp_path: Path) -> None:
    def route(request: Request) -> Reply | None:
        return "User-agent: *\nCrawl-delay: 20\n" if request.path == "/robots.txt" else answer(request)

    under_way: list[PendingUrl] = []

    def watch(session: Session) -> None:
        if session.standing[1] is not None:  # the page waits for what robots.txt wants
            under_way.extend(store.under_way())
            session.stop()

    async def ask() -> SessionEnd:
        async with Client(WEB) as client:
            return await Session(store, client, AuditSettings(), watch=watch).run()

    with Site(route) as site, opened(tmp_path / "a.db", site.url("/page1")) as store:
        store.keep_probe(site.origin, msgspec.msgpack.encode(None))  # else it is what waits
        assert run(ask()) is SessionEnd.STOPPED
        assert pages_of(site) == []
    assert not under_way


@pytest.mark.parametrize("method", ["save", "take"])
def test_an_error_between_two_pages_ends_the_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    web = msgspec.structs.replace(WEB, total_concurrency=1)
    save, take = AuditStore.save, HostQueues.take
    taken: list[object] = []

    def saved(store: AuditStore, results: list[Result], *more: list[int]) -> None:
        if results:
            raise StateError("disk full")
        save(store, results, *more)

    def took(queues: HostQueues) -> object:
        taken.append(take(queues))
        if len(taken) == 2:
            raise RuntimeError("disk full")
        return taken[-1]

    with Site(answer) as site:
        # of two hosts: while robots.txt of the second is requested, no page is marked
        pages = (site.url("/page1"), site.url("/page1", host="localhost"))
        with opened(tmp_path / "a.db", *pages) as store:
            if method == "save":
                monkeypatch.setattr(AuditStore, "save", saved)
            else:
                monkeypatch.setattr(HostQueues, "take", took)
            with pytest.raises((StateError, RuntimeError), match="disk full"):
                asked(store, web)
        assert len(pages_of(site)) == 1


def test_a_slow_host_does_not_hold_up_another(tmp_path: Path) -> None:
    def reply(request: Request) -> Reply | None:
        if not request.path.startswith("/page"):
            return None
        return PageAnswer(200, page(request.path), pause=0.3 if request.host == "127.0.0.1" else 0.0)

    web = WebOptions(allow_addresses=frozenset({"127.0.0.1", "127.0.0.2"}), concurrency=1)
    with Site(reply, addresses=("127.0.0.1", "127.0.0.2")) as site:
        slow = [site.url(f"/page{n}") for n in range(3)]
        fast = [site.url(f"/page{n}", host="127.0.0.2") for n in range(20)]
        with opened(tmp_path / "a.db", *slow, *fast) as store:
            asked(store, web)
        done = [each.host for each in sorted(site.log, key=lambda each: each.ended or 0) if "page" in each.path]
    assert done.index("127.0.0.1") > 10
    assert Counter(done) == {"127.0.0.1": 3, "127.0.0.2": 20}


def test_no_host_is_asked_more_at_a_time_than_allowed(tmp_path: Path) -> None:
    def reply(request: Request) -> Reply | None:
        return PageAnswer(200, page(request.path), pause=0.01) if request.path.startswith("/page") else None

    with Site(reply) as site, opened(tmp_path / "a.db", *(site.url(f"/page{n}") for n in range(60))) as store:
        asked(store, WebOptions(allow_addresses=frozenset({"127.0.0.1"}), concurrency=3))
        assert site.most_at_once == 3


@pytest.mark.parametrize(("robots", "reason"), [
    (PageAnswer(200, "User-agent: urlset\nDisallow: /page2\n", type="text/plain"),
     "robots.txt disallows urlset"),
    (PageAnswer(503, "busy"), "robots.txt could not be fetched (status 503), so no page was requested"),
])  # fmt: skip
def test_robots_txt_is_obeyed(tmp_path: Path, robots: PageAnswer, reason: str) -> None:
    def reply(request: Request) -> Reply | None:
        return robots if request.path == "/robots.txt" else answer(request)

    with Site(reply) as site, opened(tmp_path / "a.db", site.url("/page2")) as store:
        asked(store)
        (row,) = store.rows()
        assert pages_of(site) == []
    assert row.visit is not None
    assert (row.visit.state, row.visit.reason) == (State.UNKNOWN, reason)


def test_a_private_host_is_unknown_with_the_option_that_opens_it(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db", "http://127.0.0.1:9/page") as store:
        asked(store, WebOptions())
        (row,) = store.rows()
    assert row.visit is not None
    assert "127.0.0.1 (loopback); --allow-private allows it), so no page was requested" in (row.visit.reason or "")


def test_the_error_page_of_a_host_is_asked_for_once(tmp_path: Path) -> None:
    urls = ("/page1", "/page2", "/page3")
    with Site(answer) as site:
        with opened(tmp_path / "a.db", *map(site.url, urls)) as store:
            asked(store, max_pages=1)
        probes = [path for path in site.paths() if not path.startswith(("/page", "/robots.txt"))]
        with opened(tmp_path / "a.db") as store:
            asked(store)
        again = [path for path in site.paths() if not path.startswith(("/page", "/robots.txt"))]
    assert probes
    assert again == probes


def test_addresses_that_cannot_be_asked_are_unknown(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db", "ftp://example.com/a", "/relative", "http://", "mailto:someone") as store:
        asked(store)
        assert {row.visit.state for row in store.rows() if row.visit} == {State.UNKNOWN}
        assert store.states() == {State.UNKNOWN: 4}


def test_host_queues_take_turns_and_let_go_of_a_shut_host() -> None:
    queues = HostQueues(2)
    for number, host in enumerate("aaaab"):
        queues.add(PendingUrl(number, f"https://{host}.example/{number}", What.PAGE, number))
    first = queues.take()
    assert first is not None
    taken = [first, queues.take(), queues.take()]
    assert [each and each[1].id for each in taken] == [0, 4, 1]
    assert queues.take() is None
    queues.shut(first[0])
    queues.done(first[0])
    assert queues.take() is None
    assert (queues.queued, queues.running) == (0, 2)
    assert not queues.add(PendingUrl(9, "https://a.example/9", What.PAGE, 9))
    queues.reopen()
    assert queues.add(PendingUrl(9, "https://a.example/9", What.PAGE, 9))


def test_texts_come_back_as_they_were_packed() -> None:
    blocks, words = (5, -(2**63), 2**63 - 1), (0, 7, 90_000)
    packed = pack_text(blocks, words)
    assert packed is not None
    assert len(packed) == 36
    assert unpack_text(packed) == (blocks, words)
    assert pack_text((), ()) is None
    assert unpack_text(b"") == ((), ())


def visits(store: AuditStore) -> list[Visit]:
    return [row.visit for row in store.rows() if row.visit is not None]


def test_a_redirect_is_not_followed_to_where_robots_txt_forbids_to_go(tmp_path: Path) -> None:
    routes: Routes = {
        "/robots.txt": "User-agent: *\nDisallow: /secret/\n",
        "/page1": redirect("/secret/page"),
        "/secret/page": page("secret"),
    }
    with Site(routes) as site, opened(tmp_path / "a.db", site.url("/page1")) as store:
        asked(store)
        (visit,) = visits(store)
        assert "/secret/page" not in site.paths()
        assert visit.state is State.UNKNOWN
        assert visit.failure == Failure(
            FailureKind.NOT_ALLOWED, f"{site.url('/secret/page')}, robots.txt disallows urlset"
        )
    with Site(routes) as site, opened(tmp_path / "b.db", site.url("/page1")) as store:
        asked(store, ignore_robots=True)
        (visit,) = visits(store)
        assert (visit.state, visit.final_url) == (State.REDIRECTED, site.url("/secret/page"))


def test_a_redirect_to_a_host_that_is_not_there_is_followed_to_find_out(tmp_path: Path) -> None:
    with Site({}) as there:
        nobody = there.url("/page")
    with Site({"/page1": redirect(nobody)}) as site, opened(tmp_path / "a.db", site.url("/page1")) as store:
        asked(store)
        (visit,) = visits(store)
    assert visit.state is State.ERROR
    assert visit.failure is not None
    assert visit.failure.kind is FailureKind.REFUSED


def test_where_nobody_answers_for_robots_txt_nobody_answers_for_pages(tmp_path: Path) -> None:
    with Site({}) as site:
        urls = [site.url(f"/page{number}") for number in range(3)]
    with opened(tmp_path / "a.db", *urls) as store:
        asked(store)
        found = visits(store)
    assert [(each.url, each.state) for each in found] == [(url, State.ERROR) for url in urls]
    assert {each.failure and each.failure.kind for each in found} == {FailureKind.REFUSED}


def test_a_page_that_failed_once_is_asked_again(tmp_path: Path) -> None:
    asked_for: Counter[str] = Counter()

    def reply(request: Request) -> Reply | None:
        asked_for[request.path] += 1
        failing = request.path == "/page2" or (request.path == "/page1" and asked_for["/page1"] == 1)
        return PageAnswer(500, "broken") if failing else answer(request)

    with Site(reply) as site, opened(tmp_path / "a.db", *(site.url(f"/page{n}") for n in range(4))) as store:
        session = asked(store)
        found = visits(store)
    assert [each.state for each in found] == [State.OK, State.OK, State.ERROR, State.OK]
    assert found[2].tries == 2
    assert session.states == {"ok": 3, "error": 1}
    assert asked_for["/page2"] == 2


def test_pages_that_keep_failing_are_not_all_asked_again(tmp_path: Path) -> None:
    def reply(request: Request) -> Reply | None:
        return PageAnswer(500, "broken") if request.path.startswith("/page") else None

    with Site(reply) as site, opened(tmp_path / "a.db", *(site.url(f"/page{n}") for n in range(40))) as store:
        session = asked(store, WebOptions(allow_addresses=frozenset({"127.0.0.1"}), concurrency=1, patience=0.01))
        assert len(pages_of(site)) == 40 + FAILED_AGAIN
    assert session.states == {"error": 40}


def test_a_part_of_a_site_that_keeps_us_out_does_not_hide_the_rest(tmp_path: Path) -> None:
    def reply(request: Request) -> Reply | None:
        if request.path.startswith("/members/"):
            return PageAnswer(403, "members only")
        return answer(request) if request.path.startswith("/page") else None

    members, pages = [f"/members/{n}" for n in range(100)], [f"/page{n}" for n in range(30)]
    with Site(reply) as site, opened(tmp_path / "a.db", *map(site.url, [*members, *pages])) as store:
        session = asked(store)
        assert len([path for path in site.paths() if path.startswith("/members/")]) < 2 * BLOCKED_IN_A_ROW
        assert session.states["ok"] == 30
        assert session.left_out == {site.origin: session.states["unknown"]}
    assert session.states["blocked"] + session.states["unknown"] == 100


def test_a_host_that_blocks_one_page_is_not_said_to_block(tmp_path: Path) -> None:
    def reply(request: Request) -> Reply | None:
        return CHALLENGE if request.path in ("/page1", "/page2", "/page3", "/page4") else answer(request)

    with Site(reply) as site, opened(tmp_path / "a.db", *(site.url(f"/page{n}") for n in range(20))) as store:
        session = asked(store)
    assert session.states == {"ok": 16, "blocked": 4}
    assert not session.left_out


def test_who_blocked_is_asked_one_at_a_time_the_second_time(tmp_path: Path) -> None:
    def reply(request: Request) -> Reply | None:
        return PageAnswer(403, "no", pause=0.05) if request.path.startswith("/page") else None

    with Site(reply) as site, opened(tmp_path / "a.db", *(site.url(f"/page{n}") for n in range(4))) as store:
        asked(store)
        requests = [each for each in site.log if each.path.startswith("/page")]
    assert len(requests) == 4 + BLOCKED_AGAIN
    assert most_at_once(requests[:4]) > 1
    assert most_at_once(requests[4:]) == 1


def test_who_has_had_enough_does_not_wait_for_what_was_not_sent(tmp_path: Path) -> None:
    with Site(answer) as site, opened(tmp_path / "a.db", *(site.url(f"/page{n}") for n in range(9))) as store:

        async def ask() -> float:
            async with Client(WebOptions(allow_addresses=frozenset({"127.0.0.1"}), delay=60.0)) as client:
                session = Session(store, client, AuditSettings())
                asking = asyncio.create_task(session.run())
                await asyncio.sleep(1.0)  # robots.txt is known by then, and a minute is waited for
                session.stop()
                stopped = time.monotonic()
                assert await asking is SessionEnd.STOPPED
                return time.monotonic() - stopped

        assert run(ask()) < 2.0
        assert len(store.waiting(-1, 20)) == 9
        assert store.under_way() == []
