"""Lines of access logs as servers write them → requests; anything else is no request and costs nothing."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.reading.access_log import LoggedRequest, read_line

AGENT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
WHEN = datetime(2026, 11, 14, 9, 8, 7, tzinfo=UTC)
STAMP = "[14/Nov/2026:10:08:07 +0100]"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            f'66.249.66.1 - - {STAMP} "GET /a?b=1 HTTP/1.1" 200 512 "-" "{AGENT}"',
            LoggedRequest("/a?b=1", 200, AGENT, "66.249.66.1", "", WHEN),
        ),
        (
            f'www.example.com:443 66.249.66.1 - frank {STAMP} "GET / HTTP/2.0" 304 - "https://x/" "{AGENT}" 0.123',
            LoggedRequest("/", 304, AGENT, "66.249.66.1", "www.example.com", WHEN),
        ),
        (
            f'2001:4860:4801::1 - - {STAMP} "HEAD /a HTTP/1.1" 404 0 "-" "a \\"quoted\\" agent"',
            LoggedRequest("/a", 404, 'a \\"quoted\\" agent', "2001:4860:4801::1", "", WHEN),
        ),
        (f'1.2.3.4 - - {STAMP} "GET /a HTTP/1.0" 200 5', LoggedRequest("/a", 200, "", "1.2.3.4", "", WHEN)),
        (
            f'1.2.3.4 - - {STAMP} "GET http://www.example.com/a HTTP/1.1" 200 5 "-" "x"',
            LoggedRequest("/a", 200, "x", "1.2.3.4", "www.example.com", WHEN),
        ),
        (f'1.2.3.4 - - {STAMP} "POST /a HTTP/1.1" 200 5 "-" "x"', None),
        (f'1.2.3.4 - - {STAMP} "\\x16\\x03" 400 5 "-" "x"', None),
        ('1.2.3.4 - - [no time] "GET /a HTTP/1.1" 200 5 "-" "x"', LoggedRequest("/a", 200, "x", "1.2.3.4")),
        ("", None),
        ("GET / HTTP/1.1", None),
    ],
)
def test_common_and_combined(line: str, expected: LoggedRequest | None) -> None:
    assert read_line(line) == expected


HOST, ADDRESS = "www.example.com", "66.249.66.1"
NGINX = {"time_iso8601": "2026-11-14T10:08:07+01:00", "remote_addr": ADDRESS, "host": HOST, "status": "200"}
CADDY = {"remote_ip": ADDRESS, "method": "GET", "host": HOST, "uri": "/a", "headers": {"User-Agent": ["Googlebot"]}}
CLOUDFLARE = {"ClientIP": ADDRESS, "ClientRequestHost": HOST, "ClientRequestURI": "/a", "EdgeResponseStatus": 200}
GOOGLE = {"requestUrl": f"https://{HOST}/a", "status": 200, "userAgent": "Googlebot", "remoteIp": ADDRESS}
SECONDS = 1_794_647_287


@pytest.mark.parametrize(
    "line",
    [
        NGINX | {"request": "GET /a HTTP/1.1", "http_user_agent": "Googlebot"},
        {"ts": SECONDS, "request": CADDY, "status": 200},
        CLOUDFLARE | {"ClientRequestUserAgent": "Googlebot", "EdgeStartTimestamp": SECONDS * 10**9},
        {"httpRequest": GOOGLE, "timestamp": "2026-11-14T09:08:07Z"},
    ],
    ids=["nginx", "caddy", "cloudflare", "google-cloud"],
)
def test_json(line: dict[str, object]) -> None:
    assert read_line(json.dumps(line)) == LoggedRequest("/a", 200, "Googlebot", ADDRESS, HOST, WHEN)


@pytest.mark.parametrize("line", ["{", "{}", '{"status":200}', '{"uri":"/a","status":"OK"}', '{"uri":7,"status":200}'])
def test_json_that_records_no_request(line: str) -> None:
    assert read_line(line) is None


@given(st.text() | st.text('"\\[] -:./{}', max_size=200).map(lambda text: f"1.2.3.4 - - {text}"))
def test_any_line_is_read_or_refused(line: str) -> None:
    read_line(line)


@pytest.mark.parametrize("piece", ['"', "\\", "[", " ", '"a" ', "a ", '{"a":'])
def test_a_hostile_line_is_cheap(piece: str) -> None:
    read_line("1.2.3.4 - - [x] " + piece * 200_000)
    read_line(piece * 200_000)
