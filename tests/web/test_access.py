"""Credentials, mapped servers, pinned addresses and proxies: who gets which request, and who must not."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.fetching import Names
from urlset.model.answer import Answer, FailureKind
from urlset.testing import PageAnswer, Request, Site
from urlset.testing.exchange import Reply, redirect
from urlset.web.access import AccessError, Credential, SiteAccess
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import WebOptions

SHOP = "https://www.example.com"
HERE = frozenset({"127.0.0.1"})
AUTH = "Basic " + base64.b64encode(b"ann:sesame-77").decode()


def get(*urls: str, access: SiteAccess, named: tuple[str, ...] = (f"{SHOP}/",), **options: object) -> list[Answer]:
    async def main() -> list[Answer]:
        given = WebOptions(access=access, tries=1, **options)  # type: ignore[arg-type]
        async with Client(given, named=named, resolver=Names(localhost=["127.0.0.1"])) as client:
            return [await client.get(url) for url in urls]

    return run(main())


@pytest.fixture
def staging() -> Iterator[Site]:
    with Site({"/": "home"}) as site:
        yield site


def test_a_mapped_origin_is_answered_by_its_server(staging: Site) -> None:
    access = SiteAccess.of(maps=[f"{SHOP}={staging.origin}"], auth=["ann:sesame-77"])
    [answer] = get(f"{SHOP}/", access=access)
    assert (answer.status, answer.final_url) == (200, f"{SHOP}/")
    [request] = staging.log
    assert request.headers["host"] == "www.example.com"
    assert request.headers["x-forwarded-proto"] == "https"
    assert request.headers["authorization"] == AUTH


def test_a_redirect_of_the_server_to_itself_is_one_of_the_mapped_origin(staging: Site) -> None:
    staging.routes["/old"] = lambda _request: redirect(staging.url("/?new"))
    [answer] = get(f"{SHOP}/old", access=SiteAccess.of(maps=[f"{SHOP}={staging.origin}"]))
    assert (answer.status, answer.final_url) == (200, f"{SHOP}/?new")
    assert answer.hops[0].location == f"{SHOP}/?new"


def test_the_server_of_a_map_is_open_to_the_mapped_origin_only(staging: Site) -> None:
    """Also when a connection to it is idle in the pool."""
    staging.routes["/trap"] = lambda _request: redirect(staging.url("/", host="localhost"))
    access = SiteAccess.of(maps=[f"{SHOP}={staging.origin}"])
    first, direct, trapped = get(f"{SHOP}/", staging.url("/"), f"{SHOP}/trap", access=access)
    assert first.status == 200
    for answer in (direct, trapped):
        assert answer.failure is not None
        assert answer.failure.kind is FailureKind.FORBIDDEN_ADDRESS
    assert staging.paths() == ["/", "/trap"]


@pytest.mark.parametrize("server", ["http://169.254.169.254", "http://[fd00:ec2::254]:80"])
def test_a_metadata_service_is_never_a_server(server: str) -> None:
    [answer] = get(f"{SHOP}/", access=SiteAccess.of(maps=[f"{SHOP}={server}"]))
    assert answer.failure is not None
    assert "never fetched" in answer.failure.detail


def test_credentials_stay_with_the_origin_they_are_for(staging: Site) -> None:
    """Not after a redirect, not for another port, not for another mapped origin of the same server."""
    other = "https://other.example.com"
    with Site({"/": "elsewhere"}) as elsewhere:
        staging.routes["/away"] = lambda _request: redirect(elsewhere.url("/"))
        staging.routes["/kin"] = lambda _request: redirect(f"{other}/")
        access = SiteAccess.of(
            maps=[f"{SHOP}={staging.origin}", f"{other}={staging.origin}"],
            auth=["ann:sesame-77"],
            headers=["X-Preview: sesame-88"],
            cookies=["session=sesame-99"],
        )
        away, kin = get(f"{SHOP}/away", f"{SHOP}/kin", access=access, allow_addresses=HERE)
        assert (away.status, kin.status) == (200, 200)
        assert all("sesame" not in str(request.headers) for request in elsewhere.log)
    sent = {(request.host, request.path): set(request.headers) for request in staging.log}
    secret = {"authorization", "x-preview", "cookie"}
    assert secret <= sent["www.example.com", "/away"]
    assert not secret & sent["other.example.com", "/"]


def test_an_origin_may_be_named(staging: Site) -> None:
    with Site({"/": "cdn"}) as cdn:
        access = SiteAccess.of(
            headers=[f"{cdn.origin}=X-Key: a", "X-Key: b"], auth=[f"{staging.origin}/=ann:sesame-77"]
        )
        get(staging.url("/"), cdn.url("/"), access=access, named=(staging.url("/"),), allow_private=True,
            allow_addresses=HERE)  # fmt: skip
        assert cdn.log[0].headers["x-key"] == "a"
        assert "authorization" not in cdn.log[0].headers
    assert staging.log[0].headers["x-key"] == "b"
    assert staging.log[0].headers["authorization"] == AUTH


@pytest.mark.parametrize(
    ("named", "origin", "sent"),
    [
        ("http://www.example.com/", "https://www.example.com", True),
        ("https://www.example.com/", "http://www.example.com", False),
        ("http://www.example.com:8080/", "https://www.example.com", False),
        ("https://www.example.com/", "https://www.example.com:8443", False),
        ("https://example.com/", "https://www.example.com", False),
    ],
)
def test_credentials_move_to_https_and_nowhere_else(named: str, origin: str, sent: bool, staging: Site) -> None:
    access = SiteAccess.of(auth=["ann:sesame-77"], maps=[f"{origin}={staging.origin}"])
    get(f"{origin}/", access=access, named=(named,))
    assert ("authorization" in staging.log[0].headers) is sent


def test_a_pinned_address_is_open_to_its_host_and_port_only(staging: Site) -> None:
    pinned = f"http://shop.example.com:{staging.port}"
    access = SiteAccess.of(resolve=[f"shop.example.com:{staging.port}:127.0.0.1"])
    first, direct, named = get(
        f"{pinned}/", staging.url("/"), f"http://localhost:{staging.port}/", access=access, named=(pinned,)
    )
    assert first.status == 200
    assert staging.log[0].host == "shop.example.com"
    assert [answer.failure is not None for answer in (direct, named)] == [True, True]
    assert len(staging.log) == 1


def test_a_response_that_repeats_a_credential_is_redacted(staging: Site, tmp_path: Path) -> None:
    def echo(request: Request) -> Reply:
        sent = (
            f"{request.headers['authorization']} {request.headers['x-preview']} {request.headers['cookie']} sesame-77"
        )
        return PageAnswer(body=f"<p>{sent}</p>", headers={"X-Seen": sent})

    staging.routes["/"] = echo
    access = SiteAccess.of(
        maps=[f"{SHOP}={staging.origin}"],
        auth=["ann:sesame-77"],
        headers=["X-Preview: Bearer sesame-88"],
        cookies=["a=1; session=sesame-99"],
    )
    spool = tmp_path / "body"

    async def main() -> Answer:
        options = WebOptions(access=access, record=tmp_path / "tape.jsonl", cache=tmp_path / "cache")
        async with Client(options, named=[f"{SHOP}/"]) as client:
            await client.get(f"{SHOP}/", spool=spool, keep=True)
            return await client.get(f"{SHOP}/")

    answer = run(main())
    packed = AUTH.partition(" ")[2]
    written = [answer.body, str(answer.headers).encode(), spool.read_bytes(), (tmp_path / "tape.jsonl").read_bytes()]
    assert all(secret not in each for each in written for secret in (b"sesame", packed.encode()))
    assert answer.body == b"<p>Basic *** *** a=1; session=*** ***</p>"


def test_the_proxy_gets_requests_and_the_guard_stays() -> None:
    """A host that a proxy must resolve is left to it; one that is known to be private is refused."""
    with Site({"*": lambda request: f"for {request.target}"}) as proxy:
        access = SiteAccess.of(proxy=f"http://ann:sesame-77@127.0.0.1:{proxy.port}")
        urls = ("http://shop.example.com/a", "http://127.0.0.1:9/", "http://localhost:9/", "http://169.254.169.254/")
        public, *private = get(*urls, access=access, named=urls[:1])
        assert public.body == b"for http://shop.example.com/a"
        assert proxy.log[0].headers["proxy-authorization"] == AUTH
        assert [each.failure is not None for each in private] == [True] * 3
        assert len(proxy.log) == 1
        [opened] = get("http://127.0.0.1:9/", access=access, named=("http://127.0.0.1:9/",), allow_private=True)
        assert opened.status == 200


def test_credentials_come_from_netrc(staging: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "netrc"
    file.write_text("machine www.example.com login ann password sesame-77\nmachine b.example.com login b password c\n")
    monkeypatch.setenv("NETRC", str(file))
    get(f"{SHOP}/", access=SiteAccess.of(netrc=True, maps=[f"{SHOP}={staging.origin}"]))
    assert staging.log[0].headers["authorization"] == AUTH
    file.write_text("machine www.example.com login ann passwort sesame-77\n")
    with pytest.raises(AccessError, match=r"not a valid \.netrc file \(line 1\)") as error:
        get(f"{SHOP}/", access=SiteAccess.of(netrc=True))
    assert "sesame" not in str(error.value)


@pytest.mark.parametrize(
    "given",
    [
        {"headers": ["sesame"]},
        {"headers": ["X-Key sesame"]},
        {"headers": ["X-Key: sesame\r\nHost: b"]},
        {"headers": ["Transfer-Encoding: sesame"]},
        {"headers": ["User-Agent: sesame"]},
        {"cookies": ["sesame"]},
        {"auth": ["sesame"]},
        {"auth": ["https://www.example.com=sesame"]},
        {"auth": ["https://ann:sesame@www.example.com=a:b"]},
        {"proxy": "ftp://ann:sesame@proxy"},
        {"proxy": "http://ann:sesame@proxy:x"},
        {"maps": ["https://www.example.com"]},
        {"maps": ["https://www.example.com/path=http://127.0.0.1"]},
        {"resolve": ["www.example.com:443"]},
        {"resolve": ["www.example.com:443:localhost"]},
    ],
)
def test_a_bad_value_is_refused_without_repeating_a_secret(given: dict[str, list[str]]) -> None:
    with pytest.raises(AccessError) as error:
        SiteAccess.of(**given)  # type: ignore[arg-type]
    assert "sesame" not in str(error.value)


def test_no_repr_shows_a_secret() -> None:
    access = SiteAccess.of(
        headers=["X-Key: sesame"], cookies=["a=sesame"], auth=["ann:sesame"], proxy="http://ann:sesame@proxy:3128"
    )
    options = WebOptions(access=access)
    shown = repr(options) + repr(access) + options._repr_html_() + str(access.views) + str(access.sends)
    rich = [each.__rich_repr__() for each in (options, access, access.proxy, *access.credentials) if each is not None]
    assert "sesame" not in shown + str(rich)
    assert Credential("X-Key", "sesame").name in shown


def test_a_host_header_replaces_the_host_of_a_mapped_origin(staging: Site) -> None:
    get(f"{SHOP}/", access=SiteAccess.of(maps=[f"{SHOP}={staging.origin}"], headers=["Host: staging.example.com"]))
    assert staging.log[0].host == "staging.example.com"


def test_nothing_changes_without_access(staging: Site) -> None:
    [answer] = get(staging.url("/"), access=SiteAccess(), named=(staging.url("/"),), allow_private=True)
    assert answer.status == 200
    assert set(staging.log[0].headers) == {"host", "user-agent", "accept", "accept-encoding"}
