"""Pages behind an application → the CPU of a request and the memory of the process, as JSON.

python -m bench.served CONTENDER TASK DATABASE ROUNDS    a million rows in PostgreSQL, for bench.serving
python -m bench.served case ROWS ROUNDS CASE…            one file of a case, for bench.matrix
python -m bench.served table FILE WAY ROUNDS             a file as a table, and all its entries, for bench.matrix

Beside a case is the naive script for the same rows: f-strings joined to bytes, from the same list or the same query.
"""

from __future__ import annotations

import asyncio
import gc
import io
import json
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any
from urllib.parse import urlsplit

from bench.cases import Case
from bench.inputs import LARGEST, Row, base_of, count_of, row_of, rows_of, texts
from bench.naive import OPENING, element_of, with_text_dates
from bench.worker import highest, resident

PER_FILE = 50_000
MIDDLE = 10
BASE = "https://www.example.com"
Ask = Callable[[str], int]
"""a path → the length of the body, which is thrown away piece by piece"""


def django_million(database: str, prefix: str) -> tuple[Ask, str, str]:
    from tests.integrations.djangosite.project import configure

    configure(database, create=False)
    from django.core.wsgi import get_wsgi_application

    from tests.integrations.djangosite import sitemaps

    for name in [name for name in sitemaps.CLASSIC if name != "articles"]:
        del sitemaps.CLASSIC[name]
    del sitemaps.KEYSET["notes"]
    for kind in (sitemaps.Articles, sitemaps.KeysetArticles):
        kind.limit = PER_FILE
    sitemaps.KeysetArticles.refresh = 3600
    return wsgi(get_wsgi_application()), f"{prefix}/sitemap.xml", f"{prefix}/sitemap-articles.xml?p={MIDDLE}"


def flask_million(database: str) -> tuple[Ask, str, str]:
    import flask
    from sqlalchemy import create_engine

    from urlset.integrations.flask import add_sitemaps

    app = flask.Flask("bench.served")
    add_sitemaps(app, sections={"articles": _source(create_engine(database))}, base_url=BASE, refresh=3600)
    return wsgi(app), "/sitemap.xml", f"/sitemap-articles-{MIDDLE}.xml"


def fastapi_million(database: str) -> tuple[Ask, str, str]:
    import fastapi
    from sqlalchemy.ext.asyncio import create_async_engine

    from urlset.integrations.fastapi import add_sitemaps

    app = fastapi.FastAPI()
    add_sitemaps(app, sections={"articles": _source(create_async_engine(database))}, base_url=BASE, refresh=3600)
    return asgi(app), "/sitemap.xml", f"/sitemap-articles-{MIDDLE}.xml"


def _source(engine: Any) -> Any:
    from sqlalchemy import column, select, table

    from urlset.integrations.sqlalchemy import select_source

    rows = table("djangosite_article", column("id"), column("slug"), column("updated"), column("live"))
    chosen = select(rows.c.id, rows.c.slug, rows.c.updated).where(rows.c.live)
    return select_source(
        engine, chosen, key=rows.c.id, lastmod=rows.c.updated, entry=lambda row: (f"/articles/{row[1]}/", row[2])
    )


def wsgi(app: Any, host: str = "www.example.com") -> Ask:
    def ask(path: str) -> int:
        environ = {"REQUEST_METHOD": "GET", "PATH_INFO": path.partition("?")[0], "SCRIPT_NAME": "",
                   "QUERY_STRING": path.partition("?")[2], "SERVER_NAME": "www.example.com", "SERVER_PORT": "443",
                   "HTTP_HOST": host, "SERVER_PROTOCOL": "HTTP/1.1", "wsgi.url_scheme": "https",
                   "wsgi.input": io.BytesIO(), "wsgi.errors": sys.stderr}  # fmt: skip
        status: list[str] = []
        body = app(environ, lambda line, _headers, _info=None: status.append(line))
        size = sum(map(len, body))
        if hasattr(body, "close"):
            body.close()
        assert status == ["200 OK"], (path, status)
        return size

    return ask


def asgi(app: Any, host: str = "www.example.com") -> Ask:
    runner = asyncio.Runner()

    async def asked(path: str) -> int:
        size = 0

        async def receive() -> Any:
            await asyncio.Event().wait()

        async def send(message: Any) -> None:
            nonlocal size
            assert message.get("status", 200) == 200, (path, message)
            size += len(message.get("body", b""))

        scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "https",
                 "path": path, "raw_path": path.encode(), "root_path": "", "query_string": b"",
                 "headers": [(b"host", host.encode())], "server": None, "client": None}  # fmt: skip
        await app(scope, receive, send)
        return size

    return lambda path: runner.run(asked(path))


CONTENDERS: dict[str, Callable[[str], tuple[Ask, str, str]]] = {
    "django.contrib.sitemaps": lambda database: django_million(database, "/before"),
    "urlset, Django's class untouched": lambda database: django_million(database, "/after"),
    "urlset, Django keyset class": lambda database: django_million(database, ""),
    "urlset, FastAPI": fastapi_million,
    "urlset, Flask": flask_million,
}


def main(contender: str, task: str, database: str, rounds: str) -> None:
    ask, index, page = CONTENDERS[contender](database)
    start = process_time()
    if task == "index":
        ask(index)
    first = process_time() - start
    path = index if task == "index" else page
    seconds, size = [], 0
    for _ in range(int(rounds)):
        start = process_time()
        size = ask(path)
        seconds.append(process_time() - start)
    print(json.dumps({"first": first, "seconds": seconds, "peak": highest(), "bytes": size}))


# One case of the matrix.

MOST = {"news": 1_000}
"""in one file"""
MEASURABLE = 10_000
"""a file with fewer rows is made several times"""
Task = Callable[[], int]
"""makes the file and gives its size"""


def render(case: Case, rows: list[Row]) -> Task:
    urlset = import_module("urlset")
    makers = {"dicts": lambda row: row, "tuples": lambda row: (row["loc"], row["lastmod"]), "entries": entry}
    items, base = list(map(makers[case.way], rows)), base_of(case)
    return lambda: len(urlset.render(items, base_url=base))


def entry(row: Row) -> Any:
    model = import_module("urlset.model.entry")
    images = (model.Image(**({"loc": each} if isinstance(each, str) else each)) for each in row.get("images", ()))
    videos = (model.Video(**(each | {"duration": str(each["duration"])})) for each in row.get("videos", ()))
    links = (model.Alternate(code, place) for code, place in row.get("alternates", {}).items())
    news = (model.News(**row["news"]),) if "news" in row else ()
    media = model.Media(images=tuple(images), videos=tuple(videos), news=news, alternates=tuple(links))
    return model.Entry(row["loc"], row["lastmod"].isoformat(), media=media)


def served(case: Case, rows: list[Row]) -> Task:
    sections, base = {"pages": rows}, base_of(case)
    host = urlsplit(base).netloc.replace("bücher", "xn--bcher-kva")
    if case.way in ("ASGI", "WSGI"):
        made = import_module(f"urlset.integrations.{case.way.lower()}").SitemapApp(sections, base)
    else:
        module = import_module(case.way.lower())
        made = module.Flask(__name__) if case.way == "Flask" else module.FastAPI()
        import_module(f"urlset.integrations.{case.way.lower()}").add_sitemaps(made, sections=sections, base_url=base)
    ask = asgi(made, host) if case.way in ("ASGI", "FastAPI") else wsgi(made, host)
    return lambda: ask("/sitemap-pages-1.xml")


def stored(rows: Iterable[Row], path: Path) -> None:
    """A table with the media of a page as JSON, as applications keep them."""
    database = sqlite3.connect(path)
    with database:
        database.execute("create table shop_page (id integer primary key, loc text, lastmod datetime, media text)")
        database.executemany("insert into shop_page (loc, lastmod, media) values (?, ?, ?)", map(_stored, rows))
    database.close()


def _stored(row: Row) -> tuple[str, str, str]:
    rest = {name: value for name, value in row.items() if name not in ("loc", "lastmod")}
    return row["loc"], row["lastmod"].replace(tzinfo=None).isoformat(" "), json.dumps(rest)


def sqlalchemy(case: Case, path: Path) -> tuple[Task, Callable[[], Iterator[Row]]]:
    """Flask, with a query as its source; SQLite gives times without a zone, so both add it."""
    module, utc = import_module("sqlalchemy"), import_module("datetime").UTC
    engine = module.create_engine(f"sqlite:///{path}")
    column, table = module.column, module.table
    pages = table(
        "shop_page", column("id", module.Integer), column("loc"), column("lastmod", module.DateTime), column("media")
    )

    def row_of(row: Any) -> Row:
        return {"loc": row[1], "lastmod": row[2].replace(tzinfo=utc), **json.loads(row[3])}

    source = import_module("urlset.integrations.sqlalchemy").select_source(
        engine, module.select(pages), key=pages.c.id, lastmod=pages.c.lastmod, entry=row_of
    )
    base = base_of(case)
    made = import_module("flask").Flask(__name__)
    import_module("urlset.integrations.flask").add_sitemaps(made, sections={"pages": source}, base_url=base)
    ask = wsgi(made, urlsplit(base).netloc)

    def rows() -> Iterator[Row]:
        with engine.connect() as connection:
            yield from map(row_of, connection.execute(module.select(pages)))

    return lambda: ask("/sitemap-pages-1.xml"), rows


def django(case: Case, path: Path) -> tuple[Task, Callable[[], Iterator[Row]]]:
    """The keyset class."""
    settings, host = import_module("django.conf").settings, urlsplit(base_of(case)).netloc
    settings.configure(
        SECRET_KEY="bench", ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, USE_TZ=True,
        INSTALLED_APPS=["django.contrib.contenttypes", "urlset.integrations.django"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path)}},
    )  # fmt: skip
    import_module("django").setup()
    models = import_module("django.db.models")
    meta = type("Meta", (), {"app_label": "shop"})
    fields = {"loc": models.TextField(), "lastmod": models.DateTimeField(), "media": models.JSONField()}
    page: Any = type("Page", (models.Model,), {"__module__": __name__, "Meta": meta, **fields})
    ours = import_module("urlset.integrations.django")
    columns = ("loc", "lastmod", "media")
    methods = {
        "fields": columns, "date_field": "lastmod", "items": lambda _: page.objects.all(),
        "location": lambda _, row: row.loc, "images": lambda _, row: row.media.get("images"),
        "videos": lambda _, row: row.media.get("videos"), "news": lambda _, row: row.media.get("news"),
        "alternates_for": lambda _, row: row.media.get("alternates"),
    }  # fmt: skip
    pages = type("Pages", (ours.Sitemap,), methods)
    urls = import_module("django.urls")
    globals()["urlpatterns"] = [urls.path("", urls.include(ours.urls({"pages": pages})))]
    ask = wsgi(import_module("django.core.wsgi").get_wsgi_application(), host.replace("bücher", "xn--bcher-kva"))

    def rows() -> Iterator[Row]:
        for loc, day, media in page.objects.values_list(*columns).iterator():
            yield {"loc": loc, "lastmod": day, **media}

    return lambda: ask("/sitemap-pages.xml"), rows


def naive(case: Case, rows: Callable[[], Iterable[Row]]) -> Task:
    element = element_of(case)
    return lambda: len((OPENING + "".join(map(element, with_text_dates(map(dict, rows())))) + "</urlset>\n").encode())


def seconds(task: Task, rounds: int, often: int = 1) -> float:
    found = []
    for _ in range(rounds):
        gc.collect()
        start = process_time()
        sizes = [task() for _ in range(often)]
        found.append(process_time() - start)
        assert min(sizes) > 100
    return min(found)


def main_case(arguments: list[str]) -> None:
    case = Case(*arguments[2:])
    count = min(count_of(case, int(arguments[0])), MOST.get(case.media, sys.maxsize))
    count = min(count, LARGEST // len(element_of(case)(texts(row_of(case, 7)))))
    often = -(-MEASURABLE // count)
    rounds = int(arguments[1])
    with tempfile.TemporaryDirectory() as folder:
        before = resident()
        if case.way in ("SQLAlchemy", "Django"):
            path = Path(folder, "rows.db")
            stored(rows_of(case, count), path)
            ours, source = {"SQLAlchemy": sqlalchemy, "Django": django}[case.way](case, path)
            script = naive(case, source)
        else:
            rows = list(rows_of(case, count))
            script = naive(case, lambda: rows)
            ours = (render if case.way in ("dicts", "tuples", "entries") else served)(case, rows)
        held = resident() - before
        cpu = seconds(ours, rounds + 1, often)  # the first request makes the plan
        peak = highest() - held
        print(json.dumps({"cpu": cpu, "naive": seconds(script, rounds, often), "peak": peak, "count": count}))


def main_table(path: Path, way: str, rounds: int) -> None:
    read = import_module("urlset").read
    import_module(way.replace("to_", "").replace("arrow", "pyarrow"))
    before = resident()
    entries = seconds(lambda: 100 + sum(1 for _ in read(path).entries()), rounds)
    cpu = seconds(lambda: 101 + len(getattr(read(path), way)()), rounds)
    print(json.dumps({"cpu": cpu, "entries": entries, "peak": highest() - before}))


if __name__ == "__main__":
    if sys.argv[1] == "case":
        main_case(sys.argv[2:])
    elif sys.argv[1] == "table":
        main_table(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]) + 1)
    else:
        main(*sys.argv[1:5])
