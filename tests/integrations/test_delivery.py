"""Every framework on a real server: a sitemap arrives complete, or as an error, and never as a part with status 200."""

from __future__ import annotations

import gzip
import logging
import socket
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest

import urlset
from tests.integrations.asking import Reply, served
from tests.integrations.rows import Rows
from urlset.integrations import asgi, calls, plan, wsgi
from urlset.integrations.http import _IN_MEMORY, FinishedFile

pytestmark = pytest.mark.network
BASE = "https://www.example.com"
ROWS: dict[Any, str | None] = dict.fromkeys(range(1, 451), "2026-05-06")
LEFT_OUT = [number for number in ROWS if not 100 < number <= 300]


class Complete(Rows):
    def rows(self, after: Any, upto: Any, limit: int) -> Iterator[Any]:
        return map(self.page, self._keys(after, upto)[:limit])

    def page(self, key: int) -> Any:
        return f"/{key}"


class LeftOut(Complete):
    """Two whole batches of 100 rows are on another host."""

    def page(self, key: int) -> Any:
        return f"https://elsewhere.example.net/{key}" if 100 < key <= 300 else f"/{key}"


class Broken(Complete):
    def page(self, key: int) -> Any:
        if key > 350:
            raise RuntimeError("no database")
        return f"/{key}"


class BrokenAtOnce(Complete):
    def page(self, key: int) -> Any:
        raise RuntimeError(f"no database: {key}")


class Ended(Complete):
    """A source that ends with an exception which generators treat as their end."""

    def rows(self, after: Any, upto: Any, limit: int) -> Iterator[Any]:
        nothing: Iterator[str] = iter(())
        for key in self._keys(after, upto)[:limit]:
            yield f"/{key}" if key <= 350 else next(nothing)


SOURCES = {"complete": Complete, "left-out": LeftOut, "broken": Broken, "at-once": BrokenAtOnce, "ended": Ended}


def _sections() -> dict[str, Any]:
    return {name: kind(ROWS) for name, kind in SOURCES.items()}


def _fastapi() -> Any:
    fastapi = pytest.importorskip("fastapi")
    from urlset.integrations.fastapi import add_sitemaps

    app = fastapi.FastAPI()
    add_sitemaps(app, sections=_sections(), base_url=BASE)
    return app


def _flask() -> Any:
    flask = pytest.importorskip("flask")
    from urlset.integrations.flask import add_sitemaps

    app = flask.Flask(__name__)
    add_sitemaps(app, sections=_sections(), base_url=BASE)
    return app


def _django_wsgi() -> Any:
    from django.core.handlers.wsgi import WSGIHandler

    return WSGIHandler()


def _django_asgi() -> Any:
    from django.core.handlers.asgi import ASGIHandler

    class TidyHandler(ASGIHandler):  # type: ignore[misc]  # Django has no types
        """Django leaves the file of a request body to the garbage collector where a request fails."""

        async def read_body(self, receive: Any) -> Any:
            self.files = [*getattr(self, "files", []), await super().read_body(receive)]
            return self.files[-1]

        def __del__(self) -> None:
            for file in self.files:
                file.close()

    return TidyHandler()


APPS = {
    "wsgi": lambda: wsgi.SitemapApp(_sections(), BASE),
    "asgi": lambda: asgi.SitemapApp(_sections(), BASE),
    "flask": _flask,
    "fastapi": _fastapi,
    "django-wsgi": _django_wsgi,
    "django-asgi": _django_asgi,
}


@pytest.fixture(scope="module", params=APPS)
def origin(request: pytest.FixtureRequest) -> Iterator[str]:
    """A server of each kind, with batches of 100 rows; the plan of the files reads 50. Django numbers by `?p=`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calls, "BATCH", 100)
        patch.setattr(plan, "SAMPLE", 50)
        logging.disable(logging.CRITICAL)
        try:
            if request.param.startswith("django"):
                request.getfixturevalue("client")
                from django.test import override_settings

                urls = override_settings(ROOT_URLCONF="tests.integrations.djangosite.delivery")
                with urls, served(APPS[request.param]()) as found:
                    yield f"{found}/sitemap-{{}}.xml"
            else:
                with served(APPS[request.param]()) as found:
                    yield f"{found}/sitemap-{{}}-1.xml"
        finally:
            logging.disable(logging.NOTSET)


def fetched(url: str, method: str = "GET", **headers: str) -> Reply:
    """Raises IncompleteRead where the server says that more was to come."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=20)
    try:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, parts.path, headers={"host": "www.example.com", **sent})
        answer = connection.getresponse()
        return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
    finally:
        connection.close()


def fetched_by_http_1_0(url: str) -> tuple[int, bytes]:
    """As a reverse proxy asks that speaks HTTP/1.0: the body ends where the connection does."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=20) as connection:
        connection.sendall(f"GET {parts.path} HTTP/1.0\r\nHost: www.example.com\r\n\r\n".encode())
        with connection.makefile("rb") as file:
            head, _, body = file.read().partition(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1]), body


@pytest.mark.parametrize("end", ["", ".gz"])
@pytest.mark.parametrize(("name", "wanted"), [("complete", list(ROWS)), ("left-out", LEFT_OUT)])
def test_a_sitemap_arrives_complete(origin: str, name: str, wanted: list[int], end: str) -> None:
    reply = fetched(origin.format(name) + end)
    assert reply.status == 200
    assert int(reply.headers["content-length"]) == len(reply.body)
    data = gzip.decompress(reply.body) if end else reply.body
    assert data.endswith(b"</urlset>\n")
    assert [int((entry.loc or "").rpartition("/")[2]) for entry in urlset.read(data)] == wanted
    assert fetched_by_http_1_0(origin.format(name) + end) == (200, reply.body)


@pytest.mark.parametrize("end", ["", ".gz"])
@pytest.mark.parametrize("name", ["broken", "at-once", "ended"])
def test_rows_that_fail_are_an_error(origin: str, name: str, end: str) -> None:
    url = origin.format(name) + end
    reply = fetched(url)
    assert reply.status == 500
    assert b"<urlset" not in reply.body
    status, body = fetched_by_http_1_0(url)
    assert status == 500
    assert b"<urlset" not in body


@pytest.mark.parametrize("end", ["", ".gz"])
def test_rows_are_not_read_where_no_body_is_sent(origin: str, end: str) -> None:
    """HEAD and a condition that holds: the rows would fail."""
    url = origin.format("broken") + end
    head = fetched(url, "HEAD")
    assert (head.status, head.body) == (200, b"")
    same = fetched(url, if_none_match=head.headers["etag"])
    assert (same.status, same.body) == (304, b"")


@pytest.mark.parametrize("end", ["", ".gz"])
def test_a_range_is_answered_with_all_of_it(origin: str, end: str) -> None:
    url = origin.format("complete") + end
    reply = fetched(url, range="bytes=5-9")
    assert (reply.status, reply.body) == (200, fetched(url).body)


@pytest.mark.parametrize("size", [0, 1, _IN_MEMORY, _IN_MEMORY + 1, 3 * _IN_MEMORY])
def test_a_finished_file_gives_back_what_was_written(size: int) -> None:
    data = bytes(range(256)) * (size // 256) + bytes(size % 256)
    with FinishedFile.making() as file:
        for start in range(0, size, 700_000):
            file.write(data[start : start + 700_000])
            file.write(b"")
        file.finish(b"")
    assert len(file) == size
    chunks = list(file)
    assert b"".join(chunks) == data
    assert b"" not in chunks
    assert list(file) == []


def test_a_finished_file_is_closed_with_the_failure() -> None:
    made: list[FinishedFile] = []

    def fail() -> None:
        with FinishedFile.making() as file:
            made.append(file)
            file.write(bytes(2 * _IN_MEMORY))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list(made[0]) == []
