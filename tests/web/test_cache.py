"""What was fetched before → asked about conditionally, and answered from disk where it did not change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.web.fetching import fetch
from urlset.testing import PageAnswer, Request, Routes, Site, redirect
from urlset.web.cache import Cache, Validators

BODY = b"<urlset>" + b"<url/>" * 5000 + b"</urlset>"
TAGGED = PageAnswer(body=BODY, headers={"ETag": '"one"', "Last-Modified": "Sun, 01 Nov 2026 10:00:00 GMT"})


def conditions(request: Request) -> dict[str, str]:
    return {name: value for name, value in request.headers.items() if name.startswith("if-")}


def test_validators_of_the_caller() -> None:
    with Site({"/": TAGGED}) as site:
        answer = fetch(site.url("/"), validators=Validators('"one"', "Sun, 01 Nov 2026 10:00:00 GMT"))
        assert (answer.status, answer.not_modified, answer.body) == (304, True, b"")
        assert conditions(site.log[0]) == {
            "if-none-match": '"one"',
            "if-modified-since": "Sun, 01 Nov 2026 10:00:00 GMT",
        }
        answer = fetch(site.url("/"), validators=Validators('"other"'))
        assert (answer.status, answer.not_modified, answer.body) == (200, False, BODY)
        fetch(site.url("/"), validators=Validators())
        assert conditions(site.log[2]) == {}


def test_a_304_that_nobody_asked_for_confirms_nothing() -> None:
    with Site({"/": PageAnswer(304)}) as site:
        answer = fetch(site.url("/"))
    assert (answer.status, answer.not_modified) == (304, False)


def test_validators_go_only_to_who_gave_them() -> None:
    with Site({"/a": redirect("/b"), "/b": TAGGED}) as site:
        assert fetch(site.url("/a"), validators=Validators('"one"')).status == 200
        answer = fetch(site.url("/a"), validators=Validators('"one"', url=site.url("/b")))
        assert (answer.status, answer.not_modified, len(answer.hops)) == (304, True, 1)
        assert [conditions(request) for request in site.log] == [
            {"if-none-match": '"one"'},
            {},
            {},
            {"if-none-match": '"one"'},
        ]


def test_control_characters_in_a_validator_are_not_sent() -> None:
    with Site({"/": TAGGED}) as site:
        assert fetch(site.url("/"), validators=Validators('"one"\r\nX: y')).status == 200
        assert conditions(site.log[0]) == {}


@pytest.mark.parametrize("spooled", [False, True])
def test_a_kept_body_is_not_sent_again(spooled: bool, tmp_path: Path) -> None:
    spool = tmp_path / "spool" if spooled else None
    options = {"cache": tmp_path / "cache", "keep": True, "spool": spool}

    def body(answer_body: bytes) -> bytes:
        return spool.read_bytes() if spool else answer_body

    with Site({"/s.xml": TAGGED}) as site:
        first = fetch(site.url("/s.xml"), **options)  # type: ignore[arg-type]
        assert (first.status, first.not_modified, body(first.body)) == (200, False, BODY)
        second = fetch(site.url("/s.xml"), **options)  # type: ignore[arg-type]
        assert (second.status, second.not_modified, body(second.body)) == (200, True, BODY)
        assert second.ok
        assert second.header("etag") == '"one"'
        assert second.header("content-type") == "text/html; charset=utf-8"
        assert second.wire_bytes == 0
        assert [request.status for request in site.log] == [200, 304]
        site.routes["/s.xml"] = PageAnswer(body=b"new", headers={"ETag": '"two"'})
        third = fetch(site.url("/s.xml"), **options)  # type: ignore[arg-type]
        assert (third.not_modified, body(third.body)) == (False, b"new")
        fourth = fetch(site.url("/s.xml"), **options)  # type: ignore[arg-type]
        assert (fourth.not_modified, body(fourth.body)) == (True, b"new")
    assert all(path.stat().st_size < len(BODY) / 10 for path in (tmp_path / "cache").iterdir())


def test_a_redirected_sitemap_is_asked_for_where_it_lies(tmp_path: Path) -> None:
    with Site({"/a": redirect("/b"), "/b": TAGGED}) as site:
        for _ in range(2):
            answer = fetch(site.url("/a"), cache=tmp_path, keep=True)
        assert (answer.not_modified, answer.body, len(answer.hops)) == (True, BODY, 1)
        assert [bool(conditions(request)) for request in site.log] == [False, False, False, True]
        site.routes["/a"] = redirect("/c")
        site.routes["/c"] = PageAnswer(body=b"another", headers={"Last-Modified": "Sun, 01 Nov 2020 10:00:00 GMT"})
        assert fetch(site.url("/a"), cache=tmp_path, keep=True).body == b"another"


@pytest.mark.parametrize(
    "page",
    [PageAnswer(404, body=b"no", headers={"ETag": '"x"'}), PageAnswer(500, headers={"ETag": '"x"'})],
)
def test_failures_are_not_kept(page: PageAnswer, tmp_path: Path) -> None:
    with Site({"/": page}) as site:
        for _ in range(2):
            fetch(site.url("/"), cache=tmp_path / "cache", keep=True)
        assert [conditions(request) for request in site.log] == [{}, {}]
    assert not (tmp_path / "cache").exists()


def test_truncated_answers_are_not_kept(tmp_path: Path) -> None:
    with Site({"/": TAGGED}) as site:
        assert fetch(site.url("/"), cache=tmp_path, keep=True, cap=10).truncated
    assert list(tmp_path.iterdir()) == []


def test_pages_that_nobody_wants_kept_are_not(tmp_path: Path) -> None:
    with Site({"/": TAGGED}) as site:
        fetch(site.url("/"), cache=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damage", [b"", b"rubbish", b"{}\n", b'{"version": 99}\n'])
def test_a_foreign_file_counts_as_none(damage: bytes, tmp_path: Path) -> None:
    with Site({"/": TAGGED}) as site:
        fetch(site.url("/"), cache=tmp_path, keep=True)
        (kept,) = tmp_path.iterdir()
        kept.write_bytes(damage)
        assert fetch(site.url("/"), cache=tmp_path, keep=True).body == BODY
        assert conditions(site.log[1]) == {}
        assert fetch(site.url("/"), cache=tmp_path, keep=True).not_modified


@pytest.mark.parametrize("spooled", [False, True])
def test_a_damaged_body_is_fetched_again(spooled: bool, tmp_path: Path) -> None:
    spool = tmp_path / "spool" if spooled else None
    folder = tmp_path / "cache"
    with Site({"/": TAGGED}) as site:
        fetch(site.url("/"), cache=folder, keep=True)
        (kept,) = folder.iterdir()
        kept.write_bytes(kept.read_bytes()[:-20])
        answer = fetch(site.url("/"), cache=folder, keep=True, spool=spool)
        assert (answer.status, answer.not_modified) == (200, False)
        assert (spool.read_bytes() if spool else answer.body) == BODY
        assert [request.status for request in site.log] == [200, 304, 200]


def test_a_folder_that_cannot_be_written_costs_nothing(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with Site({"/": TAGGED}) as site:
        assert fetch(site.url("/"), cache=blocked / "cache", keep=True).body == BODY


def test_the_cap_holds_for_kept_bodies_too(tmp_path: Path) -> None:
    routes: Routes = {"/": TAGGED}
    with Site(routes) as site:
        fetch(site.url("/"), cache=tmp_path, keep=True)
        answer = fetch(site.url("/"), cache=tmp_path, keep=True, cap=100)
        assert (answer.body, answer.truncated) == (BODY[:100], True)
        kept = Cache(tmp_path).find(site.url("/"))
    assert kept is not None
    assert kept.validators.etag == '"one"'
