"""What is committed stays, what was under way is known, and two audits of one target do not meet."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from urlset.auditing.date_log import DateLog, LastLook, Observation
from urlset.auditing.store import STORE, AuditStore, ListedUrl, Result, What
from urlset.model.answer import Answer, Hop
from urlset.model.entry import Alternate
from urlset.model.visit import State, Visit
from urlset.reading.fingerprint import Content
from urlset.writing.sqlite_store import META, ForeignState, Migration, StateBusy

PLAN = {"target": "https://example.com/sitemap.xml"}


def begun(store: AuditStore, *urls: str) -> AuditStore:
    start = store.begin(plan=PLAN, started="now")
    if start.needs_listing:
        with store.listing() as listing:
            listing.document("s.xml", b"facts")
            for row, url in enumerate(urls):
                listing.add(ListedUrl(url, "s.xml", row))
        store.ready()
    return store


def visit(url: str, state: State = State.OK) -> Visit:
    return Visit(url=url, state=state, status=200, hops=(Hop("a", 301, "b"),))


def test_a_page_counts_once_where_it_is_listed_first(tmp_path: Path) -> None:
    with AuditStore(tmp_path / "a.db") as store:
        store.begin(plan=PLAN, started="now")
        links = (Alternate("de", "https://example.com/de"),)
        with store.listing() as listing:
            assert listing.add(ListedUrl("https://example.com/a", "one.xml", 3, "2026-01-01", links))
            assert not listing.add(ListedUrl("https://example.com/a", "two.xml", 1))
            assert listing.add(ListedUrl("https://example.com/a", "two.xml", 1, kind=What.IMAGE))
            assert listing.count == 2
        (row,) = store.rows()
        assert row.listed == ListedUrl("https://example.com/a", "one.xml", 3, "2026-01-01", links)
        assert row.visit is None


def test_answers_come_back_in_the_order_of_the_listing(tmp_path: Path) -> None:
    with begun(AuditStore(tmp_path / "a.db"), "u1", "u2", "u3") as store:
        pages = store.waiting(-1, 10)
        store.save([Result(pages[2].id, visit("u3"), b"text"), Result(pages[0].id, visit("u1", State.GONE))])
        assert [(row.listed.url, row.visit and row.visit.state) for row in store.rows()] == [
            ("u1", State.GONE),
            ("u2", None),
            ("u3", State.OK),
        ]
        assert store.states() == {State.OK: 1, State.GONE: 1}
        assert [page.url for page in store.waiting(-1, 10)] == ["u2"]
        assert store.find("u3") == visit("u3")
        assert store.find("u2") is None
        assert [text for _, _, text in store.texts()] == [b"text"]


def test_what_was_under_way_is_known_after_a_kill(tmp_path: Path) -> None:
    with begun(AuditStore(tmp_path / "a.db"), "u1", "u2", "u3") as store:
        pages = store.waiting(-1, 10)
        store.save([], [pages[1].id, pages[2].id])
        store.save([Result(pages[2].id, visit("u3"))], [])
    with begun(AuditStore(tmp_path / "a.db")) as store:
        (page,) = store.under_way()
        assert (page.url, page.attempts) == ("u2", 1)
        assert [each.url for each in store.waiting(-1, 10)] == ["u1"]
        store.save([], [page.id])
    with begun(AuditStore(tmp_path / "a.db")) as store:
        assert [each.attempts for each in store.under_way()] == [2]
        store.save([], put_back=[page.id])
        assert not store.under_way()
        assert [each.url for each in store.waiting(-1, 10)] == ["u1", "u2"]


def test_a_second_try_that_was_killed_is_not_made_again(tmp_path: Path) -> None:
    with begun(AuditStore(tmp_path / "a.db"), "u1", "u2") as store:
        first, second = store.waiting(-1, 10)
        blocked = [Result(page.id, visit(page.url, State.BLOCKED), again=True) for page in (first, second)]
        store.save(blocked)
        assert [page.url for page in store.to_retry(-1, 10, blocked=True)] == ["u1", "u2"]
        store.save([], [first.id])
    with begun(AuditStore(tmp_path / "a.db")) as store:
        assert not store.under_way()
        assert [page.url for page in store.to_retry(-1, 10, blocked=True)] == ["u2"]
        assert store.states() == {State.BLOCKED: 2}


def test_a_run_goes_on_until_it_is_finished_and_then_starts_anew(tmp_path: Path) -> None:
    with begun(AuditStore(tmp_path / "a.db"), "u1", "u2") as store:
        store.save([Result(store.waiting(-1, 1)[0].id, visit("u1"))])
    with AuditStore(tmp_path / "a.db") as store:
        again = store.begin(plan=PLAN, started="later")
        assert (again.run, again.needs_listing, again.resumed) == (1, False, True)
        store.finish("then")
    with AuditStore(tmp_path / "a.db") as store:
        again = store.begin(plan=PLAN, started="later")
        assert (again.run, again.needs_listing, again.resumed) == (2, True, False)
        with store.listing() as listing:
            listing.add(ListedUrl("u3", "s.xml", 0))
            listing.add(ListedUrl("u1", "s.xml", 1))
        store.ready()
        waiting = store.waiting(-1, 10)
        assert [page.url for page in waiting] == ["u3", "u1"]
        known = store.earlier(waiting[1].id)
        assert known is not None
        assert known[0] == visit("u1")
        assert store.earlier(waiting[0].id) is None
        assert store.states() == {}


def test_another_plan_is_another_run(tmp_path: Path) -> None:
    begun(AuditStore(tmp_path / "a.db"), "u1").close()
    with AuditStore(tmp_path / "a.db") as store:
        assert store.begin(plan={**PLAN, "sample": "5%"}, started="later").needs_listing


def interrupted(store: AuditStore) -> None:
    with store.listing() as listing:
        listing.add(ListedUrl("u1", "s.xml", 0))
        raise KeyboardInterrupt


def test_a_listing_that_was_killed_is_none(tmp_path: Path) -> None:
    store = AuditStore(tmp_path / "a.db")
    store.begin(plan=PLAN, started="now")
    with pytest.raises(KeyboardInterrupt):
        interrupted(store)
    store.close()
    with AuditStore(tmp_path / "a.db") as store:
        assert store.begin(plan=PLAN, started="now").needs_listing
        assert store.count() == 0


def test_a_listing_that_was_killed_before_the_sample_is_made_again(tmp_path: Path) -> None:
    with AuditStore(tmp_path / "a.db") as store:
        store.begin(plan=PLAN, started="now")
        with store.listing() as listing:
            listing.add(ListedUrl("u1", "s.xml", 0))
            listing.add(ListedUrl("u2", "s.xml", 1))
    with AuditStore(tmp_path / "a.db") as store:
        assert store.begin(plan=PLAN, started="now").needs_listing
        with store.listing() as listing:
            assert listing.add(ListedUrl("u2", "s.xml", 0))
        store.choose([0])
        store.ready()
        assert [page.url for page in store.waiting(-1, 10)] == ["u2"]
        assert store.count() == 1


def test_a_sample_leaves_the_rest_alone_with_its_media(tmp_path: Path) -> None:
    with AuditStore(tmp_path / "a.db") as store:
        store.begin(plan=PLAN, started="now")
        with store.listing() as listing:
            for row in range(4):
                listing.add(ListedUrl(f"u{row}", "s.xml", row))
                listing.add(ListedUrl(f"i{row}", "s.xml", row, kind=What.IMAGE))
        store.choose([position for position, _, url in store.addresses() if url == "u2"])
        assert [page.url for page in store.waiting(-1, 10)] == ["u2", "i2"]
        assert (store.count(), store.count(chosen=True), store.count(kind=What.PAGE)) == (8, 2, 4)


def test_robots_probes_documents_and_troubles_are_kept(tmp_path: Path) -> None:
    answer = Answer("https://example.com/robots.txt", status=200, body=b"User-agent: *\n")
    with AuditStore(tmp_path / "a.db") as store:
        store.begin(plan=PLAN, started="now")
        with store.listing() as listing:
            listing.document("https://example.com/s.xml", b"facts", b"<urlset/>")
            listing.document("local.xml", b"others")
            listing.add(ListedUrl("u1", "https://example.com/s.xml", 0))
            listing.leave("b.xml: cannot be read")
        store.keep_robots("https://example.com", answer)
        store.keep_probe("https://example.com", b"probe")
        assert store.robots("https://example.com") == answer
        assert store.robots("https://example.org") is None
        assert store.probes() == {"https://example.com": b"probe"}
        assert store.document("https://example.com/s.xml") == b"<urlset/>"
        assert store.document("local.xml") is None
        assert [(each.name, each.facts, each.pages) for each in store.sources()] == [
            ("https://example.com/s.xml", b"facts", 1),
            ("local.xml", b"others", 0),
        ]
        assert store.unlisted("troubled") == ["b.xml: cannot be read"]


def test_one_audit_of_a_target_at_a_time(tmp_path: Path) -> None:
    with begun(AuditStore(tmp_path / "a.db"), "u1"), pytest.raises(StateBusy, match="another audit"):
        AuditStore(tmp_path / "a.db")


def test_a_foreign_file_is_refused_and_never_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE precious (value)")
    other.close()
    with pytest.raises(ForeignState, match="not a urlset database"):
        AuditStore(path)
    with pytest.raises(ForeignState):
        STORE.remove(path)
    assert path.is_file()


def test_a_damaged_file_can_be_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    begun(AuditStore(path), "u1").close()
    path.write_bytes(b"SQLite format 3\0" + b"x" * 8192)
    with pytest.raises(ForeignState, match="--fresh"):
        AuditStore(path)
    STORE.remove(path)
    with begun(AuditStore(path), "u1") as store:
        assert store.count() == 1


def test_a_file_of_version_1_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "audit.db"
    old = msgspec.structs.replace(STORE, migrations=(Migration(1, (META,)),))
    old.connect(path).close()
    with pytest.raises(ForeignState, match="written by an older version of urlset; use --fresh to start over"):
        AuditStore(path)
    STORE.remove(path)
    AuditStore(path).close()


def test_a_file_of_version_2_keeps_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "audit.db"
    with closing(msgspec.structs.replace(STORE, migrations=STORE.migrations[:1]).connect(path)) as db:
        db.execute("INSERT INTO observed (page, lastmod, content, events) VALUES (1, '2026-11-01', 7, 2)")
        db.execute("INSERT INTO looks VALUES (1, '2026-11-02T00:00:00+00:00')")
    with AuditStore(path) as store:
        store.run = 2
        log = DateLog(store)
        assert log.before == "2026-11-02T00:00:00+00:00"
        assert log.last(1) == LastLook("2026-11-01", Content(7), None, None)
        log.note(Observation(2, "2026-11-03", Content(8, (1, 2)), seen="2026-11-03T00:00:00Z"))
        log.keep("2026-11-03T00:00:00+00:00", [], [])
        assert log.is_kept
