"""The table of bad behaviours → proof that each one really does on the wire what it says."""

from __future__ import annotations

import gzip
import socket
import ssl
import zlib
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.servers import bad_bodies
from tests.servers.bad_tls import FAULTS, bad_tls_sites
from tests.servers.behaviour import FINE
from tests.servers.misbehave import BEHAVIOURS, bad_site, behaviours
from urlset.testing.exchange import PageAnswer, Request, TurnByTurn
from urlset.testing.site import Site


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with bad_site() as site:
        yield site


def wire(site: Site, path: str, most: int = 1 << 20, patience: float = 0.6) -> bytes:
    """What a plain socket gets for a request, until the end, a silence or `most` bytes."""
    got = bytearray()
    with socket.create_connection(("127.0.0.1", site.port), timeout=patience) as plug:
        plug.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nAccept-Encoding: gzip\r\n\r\n".encode())
        with suppress(TimeoutError, ConnectionResetError):
            while len(got) < most and (data := plug.recv(65536)):
                got += data
                if got.endswith((b"</html>", b"</html>\n")):
                    break
    return bytes(got)


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_every_behaviour_is_served_and_described(name: str, site: Site) -> None:
    behaviour = BEHAVIOURS[name]
    assert behaviour.at in site.routes
    assert behaviour.does
    assert not behaviour.does.endswith(".")
    assert behaviour.outcomes
    assert len(set(behaviour.outcomes)) == len(behaviour.outcomes)
    assert all(each.states for each in behaviour.outcomes)


def test_sites_do_not_share_what_they_remember() -> None:
    first, second = behaviours()["close-once"].route, behaviours()["close-once"].route
    assert isinstance(first, TurnByTurn)
    first(Request("GET", "/close-once", {}))
    assert isinstance(second, TurnByTurn)
    assert (first.asked, second.asked) == (1, 0)


@pytest.mark.parametrize(
    ("name", "starts", "ends"),
    [
        ("close-before-status", b"", b""),
        ("close-in-status-line", b"HTTP/1.1 20", b"HTTP/1.1 20"),
        ("hang-in-body", b"HTTP/1.1 200", FINE[: len(FINE) // 2][-9:]),
        ("early-hints", b"HTTP/1.1 103", FINE[-9:]),
        ("http-0.9", b"<!doctype", FINE[-9:]),
        ("length-too-long", b"HTTP/1.1 200", FINE[-9:]),
        ("redirect-javascript", b"HTTP/1.1 302", b"\r\n\r\n"),
        ("wall-cloudflare", b"HTTP/1.1 403", b"</html>"),
        ("type-missing", b"HTTP/1.1 200", FINE[-9:]),
    ],
)
def test_what_goes_over_the_wire(name: str, starts: bytes, ends: bytes, site: Site) -> None:
    got = wire(site, BEHAVIOURS[name].at)
    assert got.startswith(starts)
    assert got.endswith(ends)
    assert bool(got) is bool(starts)


def test_a_drip_is_slow_and_does_not_stop(site: Site) -> None:
    got = wire(site, "/drip-body", most=90)
    head, _, body = got.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    assert len(body) > 5
    assert set(body) == {ord("a")}


def test_the_bomb_unpacks_to_gigabytes() -> None:
    block = bad_bodies.bomb_block()
    assert zlib.decompressobj(-15).decompress(block * 3) == b" " * (3 << 20)
    packed = sum(len(piece) for piece in bad_bodies.bomb())
    assert packed < 16 << 20
    assert packed * 500 < bad_bodies.BOMB_MEGABYTES << 20


def test_the_small_bombs_unpack() -> None:
    assert len(bad_bodies.small_bomb()) < 80_000
    assert len(gzip.decompress(bad_bodies.small_bomb())) == 64 << 20
    assert len(bad_bodies.double_bomb()) < 16_000
    inner = zlib.decompressobj(31).decompress(bad_bodies.double_bomb())
    assert len(zlib.decompressobj(31).decompress(inner, 1 << 22)) == 1 << 22


@pytest.mark.parametrize("name", ["gzip", "gzip-two-members"])
def test_good_packings_are_good(name: str, site: Site) -> None:
    assert gzip.decompress(wire(site, f"/{name}").partition(b"\r\n\r\n")[2]) == FINE


@pytest.mark.parametrize("name", ["gzip-not", "gzip-cut-off", "gzip-damaged"])
def test_bad_packings_are_bad(name: str, site: Site) -> None:
    with pytest.raises((EOFError, zlib.error, gzip.BadGzipFile)):
        gzip.decompress(wire(site, f"/{name}").partition(b"\r\n\r\n")[2])


def test_huge_answers_are_huge(site: Site) -> None:
    for name in ("endless-body", "endless-chunks", "hundred-megabytes", "headers-endless", "continue-flood"):
        assert len(wire(site, f"/{name}", most=4 << 20)) >= 4 << 20, name


def test_turns_end_with_the_last() -> None:
    route = TurnByTurn(PageAnswer(429), PageAnswer(503), "fine")
    request = Request("GET", "/", {})
    given = [route(request) for _ in range(4)]
    assert given == [PageAnswer(429), PageAnswer(503), "fine", "fine"]


def test_any_path_of_the_shop_is_a_soft_404(site: Site) -> None:
    missing = [wire(site, f"/shop/{name}") for name in ("a", "b/c", "1000")]
    assert all(each.startswith(b"HTTP/1.1 200") and b"not found" in each for each in missing)
    assert b"not found" not in wire(site, "/shop/3")


def test_tls_faults_are_real() -> None:
    with bad_tls_sites() as sites:
        assert set(sites.urls) == set(FAULTS)
        context = ssl.create_default_context(cafile=str(sites.ca_file))
        good: list[str] = []
        for name, url in sites.urls.items():
            port = int(url.rstrip("/").rpartition(":")[2])
            with socket.create_connection(("127.0.0.1", port), timeout=0.5) as plug, suppress(OSError):
                context.wrap_socket(plug, server_hostname="127.0.0.1").close()
                good.append(name)
    assert good == ["tls-fine"]
