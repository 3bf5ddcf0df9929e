"""What attackers try: no sign-in, forged forms, script in URLs and titles, paths, private targets, too much input."""

from __future__ import annotations

import contextlib
import re
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.dashboard.conftest import HOSTILE_PATH, SCRIPT, Hostile
from tests.dashboard.served import Client, served
from urlset.dashboard import server
from urlset.dashboard.access import Protection, hash_password
from urlset.settings.serve import ServeSettings

pytestmark = pytest.mark.network
TOKEN = "a-token-of-decent-length"
PASSWORD = "correct horse"


@pytest.fixture(scope="module")
def client(hostile: Hostile) -> Iterator[Client]:
    """Open on loopback, about a hostile site; private hosts are not opened."""
    with served(ServeSettings(state=hostile.state)) as found:
        yield found


@pytest.fixture(scope="module")
def locked(hostile: Hostile) -> Iterator[Client]:
    access = Protection(TOKEN, hash_password(PASSWORD))
    with served(ServeSettings(state=hostile.state), access) as found:
        yield found


@pytest.fixture
def stranger(locked: Client) -> Client:
    return Client(locked.port)


def site_path(client: Client) -> str:
    found = re.search(r'href="(/sites/[^"/]+)"', client.get("/", authorization=f"Bearer {TOKEN}").text)
    assert found is not None
    return found[1]


TABS = ("", "/pages", "/findings", "/sitemaps", "/diff", "/dates", "/engines", "/alerts", "/runs")
DOWNLOADS = ("/pages.csv", "/pages.json", "/diff.html", "/diff.csv", "/history.json", "/history.html", "/history.csv")


# signing in


@pytest.mark.parametrize("end", [*TABS, *DOWNLOADS, "/page?url=x"])
def test_nothing_is_shown_without_signing_in(stranger: Client, end: str) -> None:
    answer = stranger.get(f"{site_path(Client(stranger.port))}{end}")
    assert answer.status == 303
    assert answer.headers["location"].startswith("/login?next=")
    assert SCRIPT not in answer.text


@pytest.mark.parametrize("target", ["/runs", "/logout", "/runs/x/stop"])
def test_nothing_is_done_without_signing_in(stranger: Client, target: str) -> None:
    assert stranger.post(target, {"kind": "check"}).status == 401


@pytest.mark.parametrize("secret", [TOKEN, PASSWORD])
def test_a_session_starts_with_the_right_secret_and_a_new_id(stranger: Client, secret: str) -> None:
    stranger.get("/login")
    before = stranger.cookie
    answer = stranger.submit("/login", {"password": secret, "next": "/sites/x"}, "/login")
    assert (answer.status, answer.headers["location"]) == (303, "/sites/x")
    assert stranger.cookie != before
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert "SameSite=Lax" in answer.headers["set-cookie"]
    assert stranger.get("/").status == 200
    assert Client(stranger.port).get("/", cookie=before).status == 303
    assert stranger.submit("/logout", {}).status == 303
    assert stranger.get("/").status == 303


@pytest.mark.parametrize("elsewhere", ["//evil.example", "https://evil.example/", "/\\evil.example", "/\r\nx: y"])
def test_signing_in_leads_nowhere_else(stranger: Client, elsewhere: str) -> None:
    answer = stranger.submit("/login", {"password": TOKEN, "next": elsewhere}, "/login")
    assert (answer.status, answer.headers["location"]) == (303, "/")


def test_a_bearer_token_opens_pages(stranger: Client) -> None:
    assert stranger.get("/", authorization=f"Bearer {TOKEN}").status == 200
    assert stranger.get("/", authorization="Bearer wrong-token-of-length").status == 303


def test_attempts_to_sign_in_are_limited(hostile: Hostile) -> None:
    with served(ServeSettings(state=hostile.state), Protection(TOKEN)) as client:
        for _ in range(5):
            assert client.submit("/login", {"password": "wrong"}, "/login").status == 401
        answer = client.submit("/login", {"password": TOKEN}, "/login")
        assert answer.status == 429
        assert 0 < int(answer.headers["retry-after"]) <= 60
        assert client.get("/").status == 303


# forged requests


def test_a_form_without_its_token_is_refused(client: Client) -> None:
    client.get("/")
    for fields in ({}, {"form_token": ""}, {"form_token": "x" * 43}):
        answer = client.post("/runs", {"kind": "check", "target": "https://example.com/", **fields})
        assert answer.status == 403


def test_the_token_of_another_session_is_refused(client: Client) -> None:
    token = Client(client.port).form_token()
    fresh = Client(client.port)
    fresh.get("/")
    assert fresh.post("/runs", {"kind": "check", "target": "https://example.com/", "form_token": token}).status == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
def test_a_form_from_another_site_is_refused(client: Client, headers: dict[str, str]) -> None:
    token = client.form_token()
    answer = client.post("/runs", {"kind": "check", "target": "https://example.com/", "form_token": token}, **headers)
    assert answer.status == 403


@pytest.mark.parametrize("host", ["rebound.example.com", "127.0.0.1.evil.example", "evil.example:80", ""])
def test_a_rebound_name_is_refused(client: Client, host: str) -> None:
    answer = client.get("/", host=host)
    assert answer.status == 421
    assert "Sites" not in answer.text


HOSTS = [
    "127.0.0.1:{port}/login?",
    "127.0.0.1/login",
    "127.0.0.1:{port}/static/?",
    "127.0.0.1#",
    "127.0.0.1:{port}?x=/healthz",
    "127.0.0.1\\login",
    "127.0.0.1:{port}:80",
    "127.0.0.1:",
    "127.0.0.1:x",
    "127.0.0.1:-1",
    "127.0.0.1 ",
    "user@127.0.0.1",
    "127.0.0.1@evil.example",
    "127.0.0.1,evil.example",
    "[::1",
    "[::1]x",
    "[::1]/login?",
    "[",
    "%6cocalhost",
    "localhost\xb2",
]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("target", ["/", "/runs", "/sites/x"])
def test_a_host_that_is_more_than_a_host_opens_nothing(locked: Client, host: str, target: str) -> None:
    """Some versions of Starlette take the path of `request.url` from the Host header."""
    head = f"GET {target} HTTP/1.1\r\nHost: {host.format(port=locked.port)}\r\nConnection: close\r\n\r\n"
    status, body = locked.send_raw(head.encode("latin-1"))
    assert status in (303, 400, 421)
    assert b"Sites" not in body
    assert status != 303 or host.endswith(" ")  # blanks around a value are not part of it


def test_two_hosts_open_nothing(locked: Client) -> None:
    head = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    assert locked.send_raw(head.encode())[0] in (400, 421)


@pytest.mark.parametrize("path", ["/loginx", "/login/", "/login/../", "/healthz/x", "/staticx", "//login", "/./login"])
def test_only_the_open_paths_are_open(stranger: Client, path: str) -> None:
    assert stranger.get(path).status == 303


ODD_VALUES = [
    "http://[",
    "[",
    "http://[::1",
    "\xb2",
    "\xff\xfe",
    "http://127.0.0.1:x",
    "//",
    "=;=;",
    "%",
    '"',
    "x" * 4_000,
]
HEADERS = [
    *("origin", "referer", "sec-fetch-site", "cookie", "authorization", "content-type", "content-length", "range"),
    *("if-none-match", "if-modified-since", "accept", "accept-encoding", "accept-language", "forwarded"),
    *("x-forwarded-for", "x-forwarded-host", "hx-request", "hx-target", "hx-current-url", "connection", "upgrade"),
    *("expect", "transfer-encoding", "te", "x-http-method-override"),
]


@pytest.mark.parametrize("name", HEADERS)
def test_no_header_makes_the_server_fail(locked: Client, name: str) -> None:
    for value in ODD_VALUES:
        for method in ("GET", "POST"):
            for target in ("/login", "/runs", "/static/dashboard.css"):
                head = f"{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n{name}: {value}\r\n"
                end = "" if name in ("connection", "transfer-encoding") else "Connection: close\r\n"
                status, _ = locked.send_raw(f"{head}{end}\r\n".encode("latin-1"))
                assert 200 <= status < 500, (method, target, name, value)


def test_get_starts_nothing(client: Client) -> None:
    assert client.get("/runs?kind=check&target=https://example.com/").status == 405
    assert client.ask("PUT", "/runs").status == 405
    assert client.ask("DELETE", "/").status == 405


# script


@pytest.mark.parametrize(
    "end", [*TABS, f"/pages?q={quote(SCRIPT)}", f"/pages?title={quote(SCRIPT)}", "/pages?q=%22%3E%3Cb%3E"]
)
def test_texts_of_sites_and_requests_stay_text(client: Client, end: str) -> None:
    answer = client.get(f"{site_path(client)}{end}")
    assert answer.status == 200
    for bad in (SCRIPT, "<img", "onerror=alert(2)>", "{{7*7}}49", 'href="javascript:', "<b>"):
        assert bad not in answer.text.replace("<button", "").replace("<b>{", "") or bad == "<b>"
    assert "49" not in re.findall(r"&#34;&#39;(\S+)</p>", answer.text)


def test_hostile_pages_are_found_and_shown_as_text(client: Client) -> None:
    answer = client.get(f"{site_path(client)}/pages")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in answer.text
    assert HOSTILE_PATH in answer.text
    assert "{{7*7}}" in answer.text


def test_the_life_of_a_hostile_page(client: Client, hostile: Hostile) -> None:
    answer = client.get(f"{site_path(client)}/page?url={quote(f'{hostile.site.origin}{HOSTILE_PATH}', safe='')}")
    assert answer.status == 200
    assert SCRIPT not in answer.text


@pytest.mark.parametrize("end", ["/", "/static/dashboard.css", "/nothing", "/login"])
def test_headers_forbid_inline_script_and_framing(client: Client, end: str) -> None:
    headers = client.get(end).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert "server" not in headers


def test_pages_have_no_inline_script_or_style(client: Client) -> None:
    for end in TABS:
        text = client.get(f"{site_path(client)}{end}").text
        assert re.findall(r"<script(?![^>]*\bsrc=)", text) == []
        assert re.findall(r"<style|\sstyle=|\son[a-z]+=", re.sub(r">[^<]*<", "><", text)) == []


def test_downloads_are_attachments_that_run_nothing(client: Client) -> None:
    for end in DOWNLOADS:
        answer = client.get(f"{site_path(client)}{end}")
        assert answer.status == 200
        assert answer.headers["content-disposition"].startswith("attachment")
        assert answer.headers["content-security-policy"] == "sandbox"


# paths


@pytest.mark.parametrize(
    "target",
    [
        *("/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/static/.%00"),
        *(
            "/sites/..%2f..%2fetc",
            "/sites/../snapshots",
            "/sites/%2e%2e",
            "/runs/../../x",
            "/runs/..%2f..%2fx/report.json",
        ),
        *("/rules/..%2fA001", "/rules/<script>"),
    ],
)
def test_paths_lead_to_nothing(client: Client, target: str) -> None:
    answer = client.get(target)
    assert answer.status == 404
    assert "root:" not in answer.text
    assert "import" not in answer.text


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "2026-01-01T00-00-00Z", "..%2f..", "'", "latest.parquet"])
def test_snapshots_are_found_only_by_a_known_name(client: Client, name: str) -> None:
    site = site_path(client)
    for end in (f"/pages?at={name}", f"/diff?old={name}", f"/diff?new={name}", f"/findings?at={name}"):
        assert client.get(f"{site}{end}").status == 404


@pytest.mark.parametrize(
    "target", ["/etc/passwd", "file:///etc/passwd", "ftp://example.com/", "../x", "a b", "", "https://a:b@example.com/"]
)
def test_only_urls_are_targets(client: Client, target: str, hostile: Hostile) -> None:
    before = sorted(hostile.state.rglob("run.json"))
    assert client.submit("/runs", {"kind": "snapshot", "target": target}).status == 400
    assert sorted(hostile.state.rglob("run.json")) == before


# private networks


def ended(client: Client, path: str) -> str:
    for _ in range(300):
        text = client.get(path).text
        if 'class="pill live"' not in text:
            return text
        time.sleep(0.1)
    raise AssertionError("the run did not end")


@pytest.mark.slow
def test_private_hosts_are_not_fetched(client: Client, hostile: Hostile) -> None:
    """The guard of `web` holds for runs from the page: loopback, and names and numbers that lead there."""
    seen = len(hostile.site.log)
    port = hostile.site.port
    answer = client.submit("/runs", {"kind": "check", "target": f"http://0x7f.1:{port}/sitemap.xml"})
    assert answer.status == 303
    text = ended(client, answer.headers["location"])
    assert 'class="pill bad"' in text
    assert "loopback" in text
    assert len(hostile.site.log) == seen


# too much


def test_a_long_url_is_refused(client: Client) -> None:
    assert client.get(f"/?q={'x' * 9_000}").status == 414


def test_a_large_body_is_refused(client: Client) -> None:
    assert client.post("/runs", {"target": "x" * 70_000}).status == 413
    assert client.ask("POST", "/runs", b"x" * 100, content_length="99999999999999").status in (400, 413)


@pytest.mark.parametrize(
    "query",
    [
        *(f"q={'%25' * 2_000}", "start=999999999999999999999", "start=-1", "start=x", "status=99999", "status=%C2%B2"),
        *("state=%00", "code='%20OR%201=1--", "file=%F0%9F%92%A9", "indexed=maybe", "q=%ED%A0%80", "start=99999999"),
    ],
)
def test_odd_filters_are_answered(client: Client, query: str) -> None:
    assert client.get(f"{site_path(client)}/pages?{query}").status == 200


def test_a_broken_form_is_refused(client: Client) -> None:
    fields = "&".join(f"a{number}=1" for number in range(100))
    kind = "application/x-www-form-urlencoded"
    assert client.ask("POST", "/runs", fields, content_type=kind).status == 403
    assert client.ask("POST", "/runs", b"\xff\xfe", content_type="application/json").status == 403


# clients that keep others out


def opened(client: Client, count: int, data: bytes) -> list[socket.socket]:
    found = []
    for _ in range(count):
        found.append(socket.create_connection(("127.0.0.1", client.port), timeout=10))
        found[-1].sendall(data)
    return found


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"G",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nx",
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ],
)
def test_many_connections_keep_nobody_out(client: Client, begun: bytes) -> None:
    """300 that send nothing, a part of a request, or one request and then nothing."""
    slow = opened(client, 300, begun)
    try:
        assert [client.get("/healthz").status for _ in range(5)] == [200] * 5
    finally:
        for each in slow:
            each.close()


@pytest.mark.parametrize("again", [False, True])
def test_a_request_has_a_deadline(hostile: Hostile, monkeypatch: pytest.MonkeyPatch, again: bool) -> None:
    """Also the second one of a connection, and however many bytes come in between."""
    monkeypatch.setattr(server, "REQUEST_SECONDS", 0.4)
    with served(ServeSettings(state=hostile.state)) as client:
        slow = opened(client, 1, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" if again else b"")[0]
        with slow:
            if again:
                assert slow.recv(100).startswith(b"HTTP/1.1 200")
            begun = time.monotonic()
            with contextlib.suppress(OSError):
                for byte in b"GET /healthz HTTP/1.1":
                    slow.sendall(bytes([byte]))
                    time.sleep(0.05)
                while slow.recv(100):
                    pass
            assert time.monotonic() - begun < 3


def test_an_answer_has_to_be_read(hostile: Hostile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "UNREAD_SECONDS", 0.3)
    with served(ServeSettings(state=hostile.state)) as client, socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        slow.connect(("127.0.0.1", client.port))
        slow.settimeout(10)
        asking = b"GET /static/htmx.min.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        with contextlib.suppress(OSError):  # it is dropped while it asks
            for _ in range(400):
                slow.sendall(asking)
        time.sleep(1)
        got = 0
        with contextlib.suppress(ConnectionError):
            while data := slow.recv(65_536):
                got += len(data)
    assert got < 10_000_000  # of 20 MB


def test_passwords_are_checked_one_at_a_time(hostile: Hostile) -> None:
    """Twenty wrong ones at once: five are checked, and the others have to wait."""
    with served(ServeSettings(state=hostile.state), Protection(TOKEN)) as client:
        client.get("/login")
        token = client.form_token("/login")

        def attempt(_: int) -> int:
            own = Client(client.port)
            own.cookie = client.cookie
            return own.post("/login", {"password": "wrong", "form_token": token}).status

        with ThreadPoolExecutor(20) as pool:
            assert sorted(pool.map(attempt, range(20))) == [401] * 5 + [429] * 15


# read-only


def test_a_read_only_dashboard_starts_nothing(hostile: Hostile) -> None:
    with served(ServeSettings(state=hostile.state, read_only=True)) as client:
        assert "Audit now" not in client.get(site_path(client)).text
        assert 'action="/runs"' not in client.get("/").text
        stolen = client.get("/").text
        assert "read-only" in stolen


def test_damaged_snapshots_are_counted_and_skipped(hostile: Hostile, tmp_path: Path) -> None:
    folder = next((hostile.state / "snapshots").iterdir())
    copied = tmp_path / "snapshots" / folder.name
    copied.mkdir(parents=True)
    for path in folder.glob("*.parquet"):
        (copied / path.name).write_bytes(path.read_bytes())
    (copied / "2026-01-01T00-00-00Z.parquet").write_bytes(b"PAR1 nonsense")
    with served(ServeSettings(state=tmp_path)) as client:
        assert "1 snapshot could not be read" in client.get("/").text
        site = site_path(client)
        for end in TABS:
            assert client.get(f"{site}{end}").status == 200, end
        assert "No history: " in client.get(site).text
        assert client.get(f"{site}/history.json").status == 503
