"""A recorded run → the same answers again without a network, whatever happened to the file meanwhile."""

from __future__ import annotations

import asyncio
import gzip
import json
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.web.fetching import fetch, quick
from urlset.model.answer import Answer, Failure, FailureKind, Hop
from urlset.testing import PageAnswer, Raw, Site, redirect
from urlset.web.cache import Validators
from urlset.web.cassette import Player, Recorder, RecordingError
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import WebOptions

CAP = 1 << 20
names = pytest.mark.parametrize("name", ["tape.jsonl", "tape.jsonl.gz"])


async def ask(options: WebOptions, urls: list[str]) -> list[Answer]:
    async with Client(options) as client:
        return [await client.get(url) for url in urls]


@names
def test_a_round_trip(name: str, tmp_path: Path) -> None:
    tape = tmp_path / name
    routes = {
        "/a": redirect("/b"),
        "/b": PageAnswer(body=bytes(range(256)) * 50, headers=[("X-Odd", "ü"), ("X-Twice", "1"), ("X-Twice", "2")]),
        "/gone": PageAnswer(404, body="no"),
        "/cut": Raw((b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",)),
        "/robots.txt": "User-agent: *\nDisallow: /private\n",
    }
    with Site(routes) as site:  # type: ignore[arg-type]
        urls = [site.url(path) for path in ("/a", "/b", "/gone", "/cut")] + ["ftp://x/", "http://127.0.0.1:1/"]
        recorded = run(ask(quick(record=tape), urls))
        count = len(site.log)
        replayed = run(ask(quick(replay=tape), urls))
        assert len(site.log) == count
    assert replayed == recorded


@names
def test_robots_are_recorded_too(name: str, tmp_path: Path) -> None:
    async def allowed(options: WebOptions, url: str) -> tuple[bool, float | None]:
        async with Client(options) as client:
            robots = await client.robots(url)
            return bool(robots.match("urlset", url).allowed), robots.crawl_delay("urlset")

    with Site({"/robots.txt": "User-agent: *\nDisallow: /private\nCrawl-delay: 5\n"}) as site:
        url = site.url("/private/x")
        assert run(allowed(quick(record=tmp_path / name), url)) == (False, 5.0)
        assert run(allowed(quick(replay=tmp_path / name), url)) == (False, 5.0)
        assert len(site.log) == 1


@names
def test_what_is_not_recorded_says_so(name: str, tmp_path: Path) -> None:
    tape = tmp_path / name
    with Site({"/": "x"}) as site:
        fetch(site.url("/"), record=tape)
    answer = fetch("http://example.com/other", replay=tape)
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.NOT_RECORDED
    assert answer.failure.detail == f"'http://example.com/other' is not in {tape}"


def test_robots_that_are_not_recorded_forbid_nothing(tmp_path: Path) -> None:
    Recorder(tmp_path / "tape").close()

    async def main() -> bool:
        async with Client(WebOptions(replay=tmp_path / "tape")) as client:
            return bool((await client.robots("http://example.com/")).match("urlset", "http://example.com/x").allowed)

    assert run(main())


@names
def test_spooled_bodies_are_recorded_and_replayed(name: str, tmp_path: Path) -> None:
    tape, spool = tmp_path / name, tmp_path / "spool"
    with Site({"/": b"the body" * 1000}) as site:
        recorded = fetch(site.url("/"), record=tape, spool=spool)
        spool.unlink()
        replayed = fetch(site.url("/"), replay=tape, spool=spool)
        assert (replayed, spool.read_bytes()) == (recorded, b"the body" * 1000)
        assert fetch(site.url("/"), replay=tape).body == b"the body" * 1000
        short = fetch(site.url("/"), replay=tape, cap=10)
    assert (short.body, short.truncated) == (b"the bodyth", True)


def test_kept_bodies_are_recorded_whole(tmp_path: Path) -> None:
    tape = tmp_path / "tape"
    with Site({"/": PageAnswer(body="sitemap", headers={"ETag": '"1"'})}) as site:
        fetch(site.url("/"), cache=tmp_path / "cache", keep=True)
        confirmed = fetch(site.url("/"), cache=tmp_path / "cache", keep=True, record=tape)
        assert confirmed.not_modified
        assert fetch(site.url("/"), replay=tape, keep=True) == confirmed


def test_a_304_answers_only_conditional_requests(tmp_path: Path) -> None:
    tape = tmp_path / "tape"
    with Site({"/": PageAnswer(body="x", headers={"ETag": '"1"'})}) as site:
        url = site.url("/")
        fetch(url, record=tape, validators=Validators('"1"'))
        assert fetch(url, replay=tape, validators=Validators('"1"')).status == 304
        plain = fetch(url, replay=tape)
        assert plain.failure is not None
        assert plain.failure.kind is FailureKind.NOT_RECORDED
        fetch(url, record=tape)
        assert fetch(url, replay=tape).status == 200
        assert fetch(url, replay=tape, validators=Validators('"1"')).status == 304


def answer_of(url: str, body: bytes = b"") -> Answer:
    return Answer(url, final_url=url, status=200, body=body)


def played(tape: Path, url: str, times: int) -> list[bytes]:
    with closing(Player(tape)) as player:
        return [player.play(url, cap=CAP).body for _ in range(times)]


@names
def test_repeated_requests_come_in_order_and_the_last_one_stays(name: str, tmp_path: Path) -> None:
    tape = tmp_path / name
    recorder = Recorder(tape)
    for body in (b"1", b"2", b"3"):
        recorder.add(answer_of("u", body))
    recorder.close()
    assert played(tape, "u", 5) == [b"1", b"2", b"3", b"3", b"3"]


@names
def test_a_later_session_counts_for_what_it_asked(name: str, tmp_path: Path) -> None:
    tape = tmp_path / name
    for bodies in ({"u": b"old", "v": b"kept"}, {"u": b"new"}):
        recorder = Recorder(tape)
        for url, body in bodies.items():
            recorder.add(answer_of(url, body))
        recorder.close()
    assert (played(tape, "u", 2), played(tape, "v", 1)) == ([b"new"] * 2, [b"kept"])


@names
def test_a_recording_torn_anywhere_keeps_what_is_whole(name: str, tmp_path: Path) -> None:
    tape = tmp_path / name
    recorder = Recorder(tape)
    sizes = []
    for number in range(4):
        recorder.add(answer_of(f"u{number}", b"%d" % number * 40))
        sizes.append(tape.stat().st_size)
    recorder.close()
    whole = tape.read_bytes()
    for cut in range(sizes[1] + 1, sizes[2]):
        tape.write_bytes(whole[:cut])
        with closing(Player(tape)) as player:
            found = [player.play(f"u{number}", cap=CAP).body for number in range(4)]
        assert found == [b"0" * 40, b"1" * 40, b"", b""]
    later = Recorder(tape)
    later.add(answer_of("u9", b"after the kill"))
    later.close()
    assert played(tape, "u9", 1) == [b"after the kill"]
    assert played(tape, "u1", 1) == [b"1" * 40]


@names
def test_every_answer_is_on_disk_at_once(name: str, tmp_path: Path) -> None:
    tape = tmp_path / name

    async def main(url: str) -> list[bytes]:
        async with Client(quick(record=tape)) as client:
            await client.get(url)
            return played(tape, url, 1)  # while the recording goes on

    with Site({"/": "x"}) as site:
        assert run(main(site.url("/"))) == [b"x"]


def test_the_form_is_plain(tmp_path: Path) -> None:
    tape, packed = tmp_path / "tape.jsonl", tmp_path / "tape.jsonl.gz"
    failed = Answer("u", failure=Failure(FailureKind.RESET, "why"), hops=(Hop("u", 301, "/x"),))
    for path in (tape, packed):
        recorder = Recorder(path)
        recorder.add(failed)
        recorder.close()
    session, line = map(json.loads, tape.read_text().splitlines())
    assert (session["v"], list(session)) == (1, ["v", "session"])
    assert line == {
        "v": 1,
        "url": "u",
        "answer": {
            "url": "u",
            "hops": [{"url": "u", "status": 301, "location": "/x"}],
            "failure": {"kind": "RESET", "detail": "why"},
        },
    }
    assert gzip.decompress(packed.read_bytes()).splitlines()[1] == tape.read_bytes().splitlines()[1]


@pytest.mark.parametrize("content", [b"<html>\n", b'{"a": 1}\n', b"\x00\x01\n", b'{"v": 2, "session": "x"}\n'])
def test_other_files_are_refused_and_left_alone(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "tape"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match="tape"):
        Recorder(path)
    with pytest.raises(RecordingError, match="tape"):
        Player(path)
    assert path.read_bytes() == content


def test_an_ordinary_gzip_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml.gz"
    path.write_bytes(gzip.compress(b"<urlset/>"))
    with pytest.raises(RecordingError):
        Recorder(path)
    assert gzip.decompress(path.read_bytes()) == b"<urlset/>"


@given(st.text(max_size=60), st.binary(max_size=200))
def test_any_address_and_body_come_back(url: str, body: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        tape = Path(folder) / "tape"
        recorder = Recorder(tape)
        recorder.add(answer_of(url, body))
        recorder.close()
        assert played(tape, url, 1) == [body]


def test_a_half_character_in_an_address_is_recorded(tmp_path: Path) -> None:
    with Site(lambda request: redirect("/end") if request.path != "/end" else PageAnswer(body="x")) as site:
        for url in (site.url("/\ud800"), site.url("/\udce9")):
            answer = fetch(url, record=tmp_path / "tape")
            assert fetch(url, replay=tmp_path / "tape") == answer
    assert (answer.body, answer.hops[0].url) == (b"x", url)


def test_replaying_waits_for_nothing(tmp_path: Path) -> None:
    tape = tmp_path / "tape"
    recorder = Recorder(tape)
    for number in range(50):
        recorder.add(answer_of(f"http://example.com/{number}"))
    recorder.close()

    async def main() -> list[Answer]:
        async with Client(WebOptions(replay=tape, delay=60, patience=60), resumed=True) as client:
            urls = [f"http://example.com/{number}" for number in range(50)]
            return list(await asyncio.gather(*(client.get(url, patient=True) for url in urls)))

    assert all(answer.ok for answer in run(main()))


DAMAGED = {
    "status": {"status": "200"},
    "odd status": {"status": 10**30},
    "failure": {"failure": {"kind": "NOPE"}},
    "no failure": {"failure": "RESET"},
    "body": {"body": "***"},
    "headers": {"headers": [["a"]]},
    "hops": {"hops": [{"url": 1}]},
    "another address": {"url": "http://other.example/", "final_url": "http://other.example/"},
}


@pytest.mark.parametrize("change", DAMAGED.values(), ids=DAMAGED)
@names
def test_what_no_recorder_writes_is_no_answer(name: str, change: dict[str, object], tmp_path: Path) -> None:
    """A recording is a file like any other: somebody may have edited it."""
    url, fine = "http://e.com/", "http://e.com/fine"
    lines = [{"v": 1, "url": url, "answer": {"url": url, "status": 200, **change}}]
    lines.append({"v": 1, "url": fine, "answer": {"url": fine, "status": 200, "final_url": fine}})
    packed = (json.dumps(line).encode() + b"\n" for line in lines)
    tape = tmp_path / name
    tape.write_bytes(b"".join(gzip.compress(line) if name.endswith(".gz") else line for line in packed))
    first, second = run(ask(quick(replay=tape), [url, fine]))
    assert (first.url, first.status) == (url, None)
    assert first.failure is not None
    assert first.failure.kind is FailureKind.NOT_RECORDED
    assert "damaged" in first.failure.detail
    assert second.ok
