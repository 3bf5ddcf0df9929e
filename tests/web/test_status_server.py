"""The status page on loopback: its routes, and which Host headers reach them."""

from __future__ import annotations

import socket

import pytest

from urlset.web.address import host_of_header
from urlset.web.status_server import StatusServer

pytestmark = pytest.mark.network


@pytest.mark.parametrize(
    ("header", "host"),
    [
        ("localhost", "localhost"),
        ("LOCALHOST:80", "localhost"),
        ("127.0.0.1:65535", "127.0.0.1"),
        ("[::1]", "::1"),
        ("[::1]:8710", "::1"),
        ("my_host.example-1.com", "my_host.example-1.com"),
        *(
            (text, None)
            for text in ("", "[", "[::1", "::1", "[::1]x", "a/b", "a?b", "a#b", "a@b", "a:b", "a:", "a:123456")
        ),
        *((text, None) for text in ("a b", "a,b", "a\tb", "a\r\nb", "\xb2", "a:\xb2", "a\x00", "%61", "a" * 300)),
    ],
)
def test_a_host_header_is_a_host_and_a_port(header: str, host: str | None) -> None:
    assert host_of_header(header) == host


@pytest.mark.parametrize(
    ("hosts", "status"),
    [
        (["127.0.0.1"], 200),
        (["localhost:9000"], 200),
        ([], 200),
        (["rebound.example.com"], 403),
        (["["], 403),
        (["localhost/x"], 403),
        (["localhost#"], 403),
        (["localhost", "rebound.example.com"], 403),
        (["rebound.example.com", "localhost"], 403),
    ],
)
def test_only_loopback_names_are_answered(hosts: list[str], status: int) -> None:
    routes = {"/healthz": lambda: (200, "text/plain", "ok\n")}
    head = "".join(f"Host: {host}\r\n" for host in hosts)
    with (
        StatusServer("127.0.0.1", 0, routes) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection,
        connection.makefile("rb") as file,
    ):
        connection.sendall(f"GET /healthz HTTP/1.0\r\n{head}\r\n".encode())
        assert int(file.readline().split()[1]) == status
