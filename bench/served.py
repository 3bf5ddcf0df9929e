"""One application with a million rows behind it → the CPU of its requests and the memory of its process, as JSON.

Started by bench.serving as  python -m bench.served CONTENDER TASK DATABASE ROUNDS
"""

from __future__ import annotations

import asyncio
import io
import json
import sys
from collections.abc import Callable
from time import process_time
from typing import Any

from bench.worker import highest

PER_FILE = 50_000
MIDDLE = 10
BASE = "https://www.example.com"
Ask = Callable[[str], int]
"""a path → the length of the body, which is thrown away piece by piece"""


def django(database: str, prefix: str) -> tuple[Ask, str, str]:
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


def flask(database: str) -> tuple[Ask, str, str]:
    import flask
    from sqlalchemy import create_engine

    from urlset.integrations.flask import add_sitemaps

    app = flask.Flask("bench.served")
    add_sitemaps(app, sections={"articles": _source(create_engine(database))}, base_url=BASE, refresh=3600)
    return wsgi(app), "/sitemap.xml", f"/sitemap-articles-{MIDDLE}.xml"


def fastapi(database: str) -> tuple[Ask, str, str]:
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


def wsgi(app: Any) -> Ask:
    def ask(path: str) -> int:
        environ = {"REQUEST_METHOD": "GET", "PATH_INFO": path.partition("?")[0], "SCRIPT_NAME": "",
                   "QUERY_STRING": path.partition("?")[2], "SERVER_NAME": "www.example.com", "SERVER_PORT": "443",
                   "HTTP_HOST": "www.example.com", "SERVER_PROTOCOL": "HTTP/1.1", "wsgi.url_scheme": "https",
                   "wsgi.input": io.BytesIO(), "wsgi.errors": sys.stderr}  # fmt: skip
        status: list[str] = []
        body = app(environ, lambda line, _headers, _info=None: status.append(line))
        size = sum(map(len, body))
        if hasattr(body, "close"):
            body.close()
        assert status == ["200 OK"], (path, status)
        return size

    return ask


def asgi(app: Any) -> Ask:
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
                 "headers": [(b"host", b"www.example.com")], "server": None, "client": None}  # fmt: skip
        await app(scope, receive, send)
        return size

    return lambda path: runner.run(asked(path))


CONTENDERS: dict[str, Callable[[str], tuple[Ask, str, str]]] = {
    "django.contrib.sitemaps": lambda database: django(database, "/before"),
    "urlset, Django's class untouched": lambda database: django(database, "/after"),
    "urlset, Django keyset class": lambda database: django(database, ""),
    "urlset, FastAPI": fastapi,
    "urlset, Flask": flask,
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


if __name__ == "__main__":
    main(*sys.argv[1:5])
