"""`allow_private` → the hosts the user named and no other, whatever redirects and name services say."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from aiohttp.abc import ResolveResult

from tests.web.fetching import Names
from urlset.model.answer import Answer, FailureKind
from urlset.settings.check import CheckSettings
from urlset.testing import Site, redirect
from urlset.web import wire
from urlset.web.access import SiteAccess
from urlset.web.client import Client
from urlset.web.guard import PrivateHosts, advice
from urlset.web.loop import run
from urlset.web.options import WebOptions

NEVER = [
    "169.254.169.254",
    "169.254.1.1",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fe80::1",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd00:c1::a9fe:a9fe",
    "fd20:ce::254",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
]


def asked(
    *urls: str, named: tuple[str, ...] = (), resolver: Names | None = None, **options: Any
) -> tuple[list[Answer], list[str]]:
    """The answers, one after another, and the notices of the client."""

    async def get() -> tuple[list[Answer], list[str]]:
        given = WebOptions(**{"backoff": 0.01, "tries": 1, "connect_timeout": 2.0, **options})
        async with Client(given, named=named, resolver=resolver) as client:
            return [await client.get(url) for url in urls], client.notices

    return run(get())


def is_refused(answer: Answer) -> bool:
    return answer.failure is not None and answer.failure.kind is FailureKind.FORBIDDEN_ADDRESS


def test_only_the_host_the_user_named_is_opened() -> None:
    with Site({"/": "hello"}, addresses=("127.0.0.1", "127.0.0.2")) as site:
        own, other = site.url("/"), site.url("/", host="127.0.0.2")
        (first, second), notices = asked(own, other, named=(own,), allow_private=True)
        assert [request.host for request in site.log] == ["127.0.0.1"]
    assert first.body == b"hello"
    assert is_refused(second)
    (notice,) = notices
    place = f"127.0.0.2:{site.port}"
    refused = f"not fetched from {place}: the address is private: 127.0.0.2 (loopback, not a host and port you named)"
    assert notice == f"{refused}; --private-host {place} allows it"


def test_a_host_can_be_opened_by_its_name() -> None:
    with Site({"/": "hello"}, addresses=("127.0.0.1", "127.0.0.2")) as site:
        names = Names(**{"shop.test": ["127.0.0.2"]})
        url = site.url("/", host="shop.test")
        (closed,), _ = asked(url, named=(site.url("/"),), allow_private=True, resolver=names)
        (other_port,), _ = asked(url, private_hosts=frozenset({"Shop.test."}), resolver=names)
        (opened,), notices = asked(url, private_hosts=frozenset({f"Shop.test.:{site.port}"}), resolver=names)
    assert is_refused(closed)
    assert is_refused(other_port)
    assert opened.body == b"hello"
    assert notices == []


@pytest.mark.parametrize(
    ("written", "host", "ports"),
    [
        ("LOCALHOST.", "localhost", (80, 443)),
        ("localhost:8080", "localhost", (8080,)),
        ("localhost:80", "localhost", (80,)),
        ("http://localhost:8080/a", "localhost", (8080,)),
        ("https://localhost:443/a:1", "localhost", (443,)),
        ("https://localhost/a:1", "localhost", (80, 443)),
        ("127.1", "127.0.0.1", (80, 443)),
        ("0x7f.1:9", "127.0.0.1", (9,)),
        ("[::1]:8080", "::1", (8080,)),
        ("[::1]", "::1", (80, 443)),
        ("::1", "::1", (80, 443)),
        ("0:0:0:0:0:0:0:1", "::1", (80, 443)),
        ("fd00::2", "fd00::2", (80, 443)),
        ("bücher.test", "xn--bcher-kva.test", (80, 443)),
        ("a b", "", ()),
        ("localhost:99999", "", ()),
        ("localhost:x", "", ()),
        ("", "", ()),
    ],
)
def test_a_host_is_opened_however_it_is_written(written: str, host: str, ports: tuple[int, ...]) -> None:
    opened = PrivateHosts(WebOptions(private_hosts=frozenset({written})), (), []).hosts
    assert opened == {(host, port) for port in ports}
    problems = list(CheckSettings(private_hosts=(written,)).problems())
    assert [name for name, _ in problems] == ([] if ports else ["private_hosts"])


@pytest.mark.parametrize(
    ("target", "private", "ports"),
    [
        ("http://localhost/", None, {80, 443}),
        ("https://localhost/", None, {80, 443}),
        ("http://localhost:8000/", None, {8000}),
        ("https://localhost:8443/x", None, {8443}),
        ("http://localhost:8000/", "localhost", {80, 443}),
        ("http://localhost:8000/", "localhost:9000", {9000}),
        ("http://other.test:8000/", "localhost", {80, 443}),
    ],
)
def test_which_ports_are_opened(target: str, private: str | None, ports: set[int]) -> None:
    options = WebOptions(allow_private=True) if private is None else WebOptions(private_hosts=frozenset({private}))
    assert PrivateHosts(options, [target], []).hosts == {("localhost", port) for port in ports}


def test_another_port_of_a_named_host_is_not_opened() -> None:
    """A page, a redirect or a sitemap of one service must not reach another one on the same host."""
    with Site({"/": "hello"}) as site, Site({"/": "the database"}) as other:
        site.routes["/moved"] = redirect(other.url("/"))
        urls = [site.url("/"), other.url("/"), site.url("/moved")]
        (own, *refused), notices = asked(*urls, named=(site.url("/"),), allow_private=True)
        assert other.log == []
        (opened,), _ = asked(other.url("/"), named=(site.url("/"),), private_hosts=frozenset({f"127.1:{other.port}"}))
    assert own.body == b"hello"
    assert all(map(is_refused, refused))
    assert len(notices) == 1
    assert notices[0].endswith(f"; --private-host 127.0.0.1:{other.port} allows it")
    assert opened.body == b"the database"


def test_the_advice_is_one_that_helps() -> None:
    """`--allow-private` opens the hosts of the targets only, so it is no help with any other."""
    with Site({"/": redirect("http://localhost:9/")}) as site:
        url, port = site.url("/"), site.port
        (own,), _ = asked(url, named=(url,))
        (other,), _ = asked(f"http://localhost:{port}/", named=(url,))
        (moved,), _ = asked(url, named=(url,), allow_private=True)
    assert advice(own) == "; --allow-private allows it"
    assert advice(other) == f"; --private-host localhost:{port} allows it"
    assert advice(moved) == "; --private-host localhost:9 allows it"


def test_another_name_for_the_address_of_a_named_host_is_another_host() -> None:
    with Site({"/": "hello"}) as site:
        names = Names(**{"evil.test": ["127.0.0.1"]})
        url = site.url("/", host="evil.test")
        (answer,), _ = asked(url, named=(site.url("/"),), allow_private=True, resolver=names)
        assert site.log == []
    assert is_refused(answer)


def test_a_redirect_from_a_named_host_opens_no_other() -> None:
    with Site({"/secret": "the crown jewels"}, addresses=("127.0.0.1", "127.0.0.2")) as site:
        site.routes["/"] = redirect(site.url("/secret", host="127.0.0.2"))
        (answer,), notices = asked(site.url("/"), named=(site.url("/"),), allow_private=True)
        assert "/secret" not in site.paths()
    assert is_refused(answer)
    assert len(answer.hops) == 1
    assert len(notices) == 1


def test_a_refused_host_is_reported_once() -> None:
    urls = [f"http://10.0.0.{last}/{page}" for page in range(3) for last in (1, 2)]
    answers, notices = asked(*urls, named=("http://127.0.0.1/",), allow_private=True)
    assert all(map(is_refused, answers))
    assert len(notices) == 2


@pytest.mark.parametrize("address", NEVER)
def test_link_local_and_metadata_addresses_are_never_opened(address: str) -> None:
    """Not by naming them, not by a name that leads there, not as a single address."""
    url = f"http://[{address}]/" if ":" in address else f"http://{address}/"
    names = Names(**{"named.test": [address]})
    for target in (url, "http://named.test/"):
        (answer,), notices = asked(
            target,
            named=(target,),
            allow_private=True,
            private_hosts=frozenset({address, "named.test"}),
            allow_addresses=frozenset({address}),
            resolver=names,
        )
        assert is_refused(answer)
        assert answer.failure is not None
        assert "never fetched" in answer.failure.detail
        assert "--private-host" not in notices[0]


@pytest.mark.parametrize("address", ["169.254.169.254", "100.100.100.200", "fe80::1"])
def test_no_proxy_is_sent_to_link_local_and_metadata_addresses(address: str) -> None:
    """Behind a proxy no socket of ours leads there, so the host of the request has to be checked."""
    url = f"http://[{address}]/" if ":" in address else f"http://{address}/"
    names = Names(**{"named.test": [address], "other.test": ["10.0.0.9"]})
    with Site({"*": "for you"}) as proxy:
        answers, notices = asked(
            url,
            "http://named.test/",
            "http://other.test/",
            named=(url, "http://named.test/"),
            allow_private=True,
            access=SiteAccess.of(proxy=f"http://127.0.0.1:{proxy.port}"),
            resolver=names,
        )
        assert all(map(is_refused, answers))
        assert not proxy.log
    assert ["never fetched" in notice for notice in notices] == [True, True, False]
    assert "--private-host other.test allows it" in notices[2]


@pytest.mark.parametrize(
    "host",
    ["metadata.google.internal", "METADATA.Google.internal.", "metadata", "instance-data", "metadata.tencentyun.com"],
)
def test_no_proxy_is_sent_to_a_metadata_service_by_its_name(host: str) -> None:
    """Such a name resolves only inside the cloud, so only the proxy could see where it leads."""
    url = f"http://{host}/computeMetadata/v1/"
    with Site({"*": "for you"}) as proxy:
        (answer, fine), notices = asked(
            url,
            "http://only-the-proxy-knows.test/",
            named=(url,),
            allow_private=True,
            private_hosts=frozenset({host}),
            access=SiteAccess.of(proxy=f"http://127.0.0.1:{proxy.port}"),
            resolver=Names(),
        )
        assert len(proxy.log) == 1
    assert is_refused(answer)
    assert fine.body == b"for you"
    assert "never fetched" in notices[0]
    assert "allows it" not in notices[0]


def test_a_private_host_that_a_script_asks_for_is_reported() -> None:
    async def get() -> tuple[Answer, list[str]]:
        async with Client(WebOptions(allow_private=True), named=["http://localhost/"]) as client:
            return await client.get("http://127.0.0.1:9/api", cap=100, headers={}), client.notices

    answer, notices = run(get())
    assert is_refused(answer)
    assert len(notices) == 1


class Rebinding(Names):
    """A name service whose answer for a name changes each time it is asked."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await super().resolve(host, port, family)
        times = self.asked.count(host)
        return [found[(times - 1) % len(found)]]


def test_a_name_that_changes_its_address_between_look_up_and_connect() -> None:
    """The guard looks at the address that is connected to, so there is nothing to change in between."""
    with Site({"/": "inside"}, addresses=("127.0.0.1", "127.0.0.2")) as site:
        names = Rebinding(**{"rebound.test": ["127.0.0.1", "127.0.0.2"]})
        url = site.url("/", host="rebound.test")
        (answer,), _ = asked(url, allow_addresses=frozenset({"127.0.0.1"}), resolver=names)
    assert answer.body == b"inside"
    assert names.asked == ["rebound.test"]


def test_a_name_that_changes_its_address_from_request_to_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "_DNS_SECONDS", 0)
    monkeypatch.setattr(wire, "_IDLE_SECONDS", 0.0)
    with Site({"/": "inside"}, addresses=("127.0.0.1", "127.0.0.2")) as site:
        names = Rebinding(**{"rebound.test": ["127.0.0.1", "127.0.0.2"]})
        url = site.url("/", host="rebound.test")
        answers, _ = asked(*[url] * 4, allow_addresses=frozenset({"127.0.0.1"}), resolver=names)
    assert len(names.asked) >= 2
    assert any(map(is_refused, answers))
    assert all(is_refused(answer) or answer.body == b"inside" for answer in answers)
