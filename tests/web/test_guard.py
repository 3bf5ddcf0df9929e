"""Addresses in every spelling, from the name service and from redirects → refused unless they are public."""

from __future__ import annotations

import pytest

from tests.web.fetching import Names, fetch
from urlset.model.answer import FailureKind
from urlset.testing import Routes, Site, redirect
from urlset.web.guard import why_forbidden

FORBIDDEN = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::10.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:127.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::8.8.8.8",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:f5ff:fffe",
    "2001:db8::1",
    "2001:10::1",
    "2002:0a00:0001::1",
    "2002:7f00:0001::",
    "2600:1f00::5efe:10.0.0.1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "not an address",
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "100.63.255.255",
    "172.32.0.1",
    "192.0.1.1",
    "198.20.0.1",
    "223.255.255.254",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2001:4860:4860::8888",
    "2002:0808:0808::1",
    "2606:4700:4700::1111",
    "2a00:1450:4001::1",
]

LITERALS = {
    "127.0.0.1": "127.0.0.1",
    "127.1": "127.0.0.1",
    "2130706433": "127.0.0.1",
    "0x7f000001": "127.0.0.1",
    "0x7f.0.0.0x1": "127.0.0.1",
    "0177.0.0.1": "127.0.0.1",
    "017700000001": "127.0.0.1",
    "127.0.0.1.": "127.0.0.1",
    "%31%32%37.0.0.1": "127.0.0.1",
    "１２７.0.0.1": "127.0.0.1",
    "①②⑦.⓪.⓪.①": "127.0.0.1",
    "0": "0.0.0.0",
    "10.1": "10.0.0.1",
    "0300.0250.1": "192.168.0.1",
    "169.254.169.254": "169.254.169.254",
    "2852039166": "169.254.169.254",
    "0xa9fea9fe": "169.254.169.254",
    "[::1]": "::1",
    "[::]": "::",
    "[::ffff:127.0.0.1]": "::ffff:7f00:1",
    "[::ffff:7f00:1]": "::ffff:7f00:1",
    "[0:0:0:0:0:ffff:a9fe:a9fe]": "::ffff:a9fe:a9fe",
    "[64:ff9b::169.254.169.254]": "64:ff9b::a9fe:a9fe",
    "[fd00:ec2::254]": "fd00:ec2::254",
    "[fe80::1]": "fe80::1",
    "user@127.0.0.1": None,
    "example.com@127.0.0.1": None,
    "example.com:80@127.0.0.1": None,
}


@pytest.mark.parametrize("address", FORBIDDEN)
def test_what_is_not_public_is_named(address: str) -> None:
    assert why_forbidden(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_what_is_public_passes(address: str) -> None:
    assert why_forbidden(address) is None


@pytest.mark.parametrize(("host", "address"), LITERALS.items())
def test_every_spelling_of_a_literal_is_refused(host: str, address: str | None) -> None:
    answer = fetch(f"http://{host}/latest/meta-data/", allow_private=False)
    assert answer.status is None
    assert answer.tries == 1
    assert answer.failure is not None
    if address is None:  # with a user name nothing is asked at all
        assert answer.failure.kind is FailureKind.BAD_ADDRESS
    else:
        assert answer.failure.kind is FailureKind.FORBIDDEN_ADDRESS
        assert answer.failure.detail.startswith(f"{address} (")


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["10.0.0.1", "10.0.0.2"],
        ["169.254.169.254", "fd00:ec2::254"],
        ["::1", "127.0.0.1"],
        ["64:ff9b::7f00:1"],
        ["::ffff:192.168.0.1", "100.64.1.1", "fe80::1"],
    ],
)
def test_what_the_name_service_says_is_checked(addresses: list[str]) -> None:
    names = Names(**{"rebound.test": addresses})
    answer = fetch("http://rebound.test/", allow_private=False, resolver=names)
    assert names.asked == ["rebound.test"]
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.FORBIDDEN_ADDRESS
    assert any(address in answer.failure.detail for address in addresses)


def test_a_name_may_not_lead_elsewhere_on_its_second_answer() -> None:
    """What was checked is what is connected to: there is no second look-up in between."""
    with Site({"/": "hello"}) as site:
        names = Names(**{"public.test": ["127.0.0.1"]})
        url = site.url(host="public.test")
        answer = fetch(url, allow_private=False, allow_addresses=frozenset({"127.0.0.1"}), resolver=names)
    assert answer.body == b"hello"
    assert names.asked == ["public.test"]


@pytest.mark.parametrize(
    "inside",
    [
        "http://127.0.0.2:{port}/secret",
        "http://2130706434:{port}/secret",
        "//0x7f000002:{port}/secret",
        "http://127.2:{port}/secret",
        "http://[::ffff:127.0.0.2]:{port}/secret",
        "http://inside.test:{port}/secret",
        "http://169.254.169.254/latest/meta-data/",
        "http://[fd00:ec2::254]/",
        "\thttp:\\\\10.0.0.1\\",
        "https://192.168.0.1/",
    ],
)
@pytest.mark.parametrize("hops", [1, 2])
def test_redirects_into_private_space_are_refused(inside: str, hops: int) -> None:
    routes: Routes = {"/secret": "the crown jewels", "/1": "", "/2": redirect("/1", 302)}
    with Site(routes, addresses=("127.0.0.1", "127.0.0.2")) as site:
        site.routes["/1"] = redirect(inside.format(port=site.port), 302)
        names = Names(**{"inside.test": ["127.0.0.2"]})
        answer = fetch(
            site.url(f"/{hops}"), allow_private=False, allow_addresses=frozenset({"127.0.0.1"}), resolver=names
        )
        assert "/secret" not in site.paths()
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.FORBIDDEN_ADDRESS
    assert answer.status is None
    assert len(answer.hops) == hops


def test_a_host_with_a_public_and_a_private_address_is_asked_at_the_public_one_only() -> None:
    with Site({"/": "hello"}, addresses=("127.0.0.1", "127.0.0.2")) as site:
        names = Names(**{"mixed.test": ["127.0.0.2", "127.0.0.1"]})
        url = site.url(host="mixed.test")
        answer = fetch(url, allow_private=False, allow_addresses=frozenset({"127.0.0.1"}), resolver=names)
        assert answer.body == b"hello"


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://example.com/", "gopher://x/", "data:,x", "javascript:1", "//x/", "http://", "a b"],
)
def test_other_schemes_are_not_asked(url: str) -> None:
    answer = fetch(url, allow_private=True)
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.BAD_ADDRESS
    assert answer.final_url == url


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    with Site({"/": "hello"}) as site:
        assert fetch(site.url()).body == b"hello"
