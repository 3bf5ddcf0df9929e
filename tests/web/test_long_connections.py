"""A connection that brings many answers keeps nothing of those it has brought."""

from __future__ import annotations

from urlset.testing.site import Site
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import WebOptions


def test_nothing_is_left_of_answers_that_were_read() -> None:
    async def callbacks(origin: str) -> list[int]:
        async with Client(WebOptions(concurrency=1, allow_addresses=frozenset({"127.0.0.1"}))) as client:
            for number in range(24):
                answer = await client.get(f"{origin}/{number}")
                assert answer.status == 200
            assert client._wire is not None
            kept = client._wire._session.connector
            assert kept is not None
            open_ones = [protocol for found in kept._conns.values() for protocol, _ in found]
            return [len(each._closed._callbacks or ()) for each in open_ones if each._closed is not None]

    # too large for one piece, so that the reader has to wait for the rest
    with Site({"/*": b"<p>" + b"word " * 800_000}) as site:
        left = run(callbacks(site.origin))
        assert len({request.connection for request in site.log}) == 1
    assert left
    assert max(left) <= 2
