"""A select as a section: SQLite, a real PostgreSQL with a sync and an async engine, reads while rows come and go."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

import urlset
from tests.integrations.asking import ask
from tests.workflows.postgresql import server
from urlset.integrations.asgi import SitemapApp as AsgiApp
from urlset.integrations.plan import ServingPlan
from urlset.integrations.wsgi import SitemapApp as WsgiApp

sqlalchemy = pytest.importorskip("sqlalchemy")
pytest.importorskip("psycopg")

BASE = "https://www.example.com"
WHEN = datetime(2026, 5, 1, 10, tzinfo=UTC)
TABLE = sqlalchemy.table(
    "pages", *(sqlalchemy.column(name) for name in ("id", "slug", "changed", "shown", "code"))
)  # fmt: skip
MAKE = """
create table pages (id bigserial primary key, slug text not null, changed timestamptz, shown bool not null default true,
                    code uuid not null default gen_random_uuid() unique);
insert into pages (slug, changed)
select 'page-' || n, timestamptz '2026-05-01 10:00:00+00' + n * interval '1 second' from generate_series(1, 1500) n;
"""


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with server() as address:
        yield address


@pytest.fixture
def engine(database: str) -> Iterator[Any]:
    made = sqlalchemy.create_engine(database)
    with made.begin() as connection:
        connection.exec_driver_sql("drop table if exists pages")
        connection.exec_driver_sql(MAKE)
    yield made
    made.dispose()


def source(engine: Any, key: Any = None, **more: Any) -> Any:
    from urlset.integrations.sqlalchemy import select_source

    chosen = sqlalchemy.select(TABLE.c.id, TABLE.c.slug, TABLE.c.changed).where(TABLE.c.shown)
    more = {"entry": lambda row: (f"/p/{row.slug}", row.changed), "lastmod": TABLE.c.changed} | more
    return select_source(engine, chosen, key=TABLE.c.id if key is None else key, **more)


def listed(app: Any) -> dict[str, str]:
    """Every URL with its file; a URL in two files is a failure."""
    found: dict[str, str] = {}
    for file in ask(app, "/sitemap.xml").locs:
        for loc in ask(app, file.removeprefix(BASE)).locs:
            assert loc not in found, f"{loc} is in {found[loc]} and {file}"
            found[loc] = file
    return found


def test_shards_of_a_select(engine: Any) -> None:
    app = WsgiApp(sections={"pages": source(engine)}, base_url=BASE, shard_size=400)
    index = ask(app, "/sitemap.xml")
    entries = [(entry.loc, entry.lastmod) for entry in urlset.read(index.body)]
    assert entries[0] == (f"{BASE}/sitemap-pages-1.xml", "2026-05-01T10:06:39Z")
    assert entries[-1] == (f"{BASE}/sitemap-pages-4.xml", "2026-05-01T10:25:00Z")
    assert listed(app).keys() == {f"{BASE}/p/page-{n}" for n in range(1, 1501)}
    shard = ask(app, "/sitemap-pages-2.xml")
    assert shard.headers["last-modified"] == "Fri, 01 May 2026 10:13:19 GMT"
    assert urlset.check(shard.body, at=f"{BASE}/sitemap-pages-2.xml").at_or_above(urlset.Severity.ERROR) == 0


def test_an_async_engine_gives_the_same_bytes(engine: Any, database: str) -> None:
    from sqlalchemy.ext.asyncio import create_async_engine

    plain = WsgiApp(sections={"pages": source(engine)}, base_url=BASE, shard_size=400)
    for path in ("/sitemap.xml", "/sitemap-pages-2.xml", "/sitemap-pages-4.xml.gz"):
        # asyncio.run closes its loop, and an async engine belongs to one loop
        other = create_async_engine(database, poolclass=sqlalchemy.pool.NullPool)
        app = AsgiApp(sections={"pages": source(other)}, base_url=BASE, shard_size=400)
        assert ask(app, path).body == ask(plain, path).body
    threaded = AsgiApp(sections={"pages": source(engine)}, base_url=BASE, shard_size=400)
    assert ask(threaded, "/sitemap-pages-3.xml").body == ask(plain, "/sitemap-pages-3.xml").body


@pytest.mark.parametrize("key", ["id", "code", "slug"])
def test_reads_while_rows_come_and_go(engine: Any, key: str) -> None:
    """With growing keys, pages that stay are listed once in every read and never move.

    With other keys no page is ever listed twice, but a read that overlaps the split of a file can miss what moves.
    """
    app = WsgiApp(sections={"pages": source(engine, TABLE.c[key])}, base_url=BASE, shard_size=400, refresh=0.001)
    stop = threading.Event()
    staying = {f"{BASE}/p/page-{n}" for n in range(1, 1501) if n % 7}

    def churn() -> None:
        number = 0
        with engine.connect() as connection:
            while not stop.is_set():
                number += 1
                connection.exec_driver_sql(f"insert into pages (slug, changed) values ('new-{number}', now())")
                connection.exec_driver_sql(f"delete from pages where id = {number * 7 % 1505} and mod(id, 7) = 0")
                connection.exec_driver_sql(f"update pages set changed = now() where id = {number % 1500}")
                connection.commit()

    thread = threading.Thread(target=churn)
    thread.start()
    try:
        reads = [listed(app) for _ in range(6)]
    finally:
        stop.set()
        thread.join()
        with app.sitemaps.keepers["pages"]._lock:  # no plan is being renewed
            pass
    keeper = app.sitemaps.keepers["pages"]
    assert keeper._plan is not None
    keeper._plan = msgspec.structs.replace(keeper._plan, made=0.0)
    keeper.renew()
    keeper._refresh = 3600
    assert staying <= listed(app).keys()
    if key != "id":
        return
    homes: dict[str, str] = {}
    for read in reads:
        assert staying <= read.keys()
        known = read.keys() & homes.keys()
        assert {loc: homes[loc] for loc in known} == {loc: read[loc] for loc in known}
        homes |= read


def test_etags_follow_the_rows(engine: Any) -> None:
    app = WsgiApp(sections={"pages": source(engine)}, base_url=BASE, shard_size=400)
    files = [f"/sitemap-pages-{number}.xml" for number in (1, 2, 3)]
    before = [ask(app, file).headers["etag"] for file in files]
    with engine.begin() as connection:
        connection.exec_driver_sql("delete from pages where id = 410")
        connection.exec_driver_sql("update pages set changed = now() where id = 820")
    app.sitemaps.keepers["pages"]._plan = ServingPlan("range", 400, ())
    after = [ask(app, file).headers["etag"] for file in files]
    assert before[0] == after[0]
    assert before[1] != after[1]
    assert before[2] != after[2]


def test_columns_by_name_and_sqlite(tmp_path: Path) -> None:
    from urlset.integrations.sqlalchemy import select_source

    engine = sqlalchemy.create_engine(f"sqlite:///{tmp_path / 'site.db'}")
    with engine.begin() as connection:
        connection.exec_driver_sql("create table pages (id integer primary key, slug text, changed text)")
        connection.exec_driver_sql(
            "insert into pages (slug, changed) values ('a', '2026-01-02'), ('b & c', null), ('d', '2026-02-03')"
        )
    table = sqlalchemy.table("pages", *(sqlalchemy.column(name) for name in ("id", "slug", "changed")))
    loc = (sqlalchemy.literal("/p/") + table.c.slug).label("loc")
    chosen = sqlalchemy.select(table.c.id, loc, table.c.changed.label("lastmod"))
    made = select_source(engine, chosen, key=table.c.id, lastmod=table.c.changed)
    for app in (kind(sections={"pages": made}, base_url=BASE) for kind in (WsgiApp, AsgiApp)):
        assert ask(app, "/sitemap-pages-1.xml").locs == [f"{BASE}/p/a", f"{BASE}/p/b%20&%20c", f"{BASE}/p/d"]
        assert b"<lastmod>2026-02-03</lastmod>" in ask(app, "/sitemap.xml").body
    with pytest.raises(ValueError, match="no column is called loc or url"):
        select_source(engine, sqlalchemy.select(table.c.id), key=table.c.id)
    engine.dispose()
