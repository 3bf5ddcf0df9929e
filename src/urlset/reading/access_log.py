"""A line of an access log (Common, Combined, with or without a virtual host, JSON) → the request it records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from urlset.model.frames import instant_of
from urlset.spec.lazy_pattern import lazy_pattern


class LoggedRequest(NamedTuple):
    target: str
    """path and query, as sent"""
    status: int
    agent: str
    address: str
    """of the client"""
    host: str = ""
    """empty where the log does not say"""
    time: datetime | None = None


_QUOTED = r'"((?:[^"\\]++|\\.)*+)"'
_COMBINED = lazy_pattern(
    r"(?:(?P<host>(?=[\w.-]*[A-Za-z])[\w.-]+)(?::\d+)? )?(?P<address>[\w:][\w.:%-]*) [^ ]+ [^\[]*\[(?P<time>[^\]]+)\] "
    rf"{_QUOTED} (?P<status>\d{{3}}) [^ ]+(?: {_QUOTED} {_QUOTED})?.*"
)
_TIME = "%d/%b/%Y:%H:%M:%S %z"
_NO_HOST = frozenset({"", "_", "-", "localhost", "default"})
_LEVELS = 4
_NAMES: dict[str, tuple[str, ...]] = {
    "request": ("request", "request_line"),
    "target": ("request_uri", "uri", "requesturl", "clientrequesturi", "path", "url", "cs-uri-stem"),
    "status": ("status", "status_code", "statuscode", "edgeresponsestatus", "response_status", "response_code"),
    "agent": ("http_user_agent", "user_agent", "useragent", "clientrequestuseragent", "user-agent", "agent", "ua"),
    "address": ("remote_addr", "remote_ip", "remoteip", "client_ip", "clientip", "ip", "remote_host", "client"),
    "host": ("http_host", "host", "clientrequesthost", "server_name", "vhost", "domain", "authority"),
    "time": ("time_iso8601", "@timestamp", "timestamp", "time", "ts", "time_local", "edgestarttimestamp", "datetime"),
}
"""keys of JSON logs, as nginx, Apache, Caddy, Cloudflare, Google Cloud and Elastic write them; case does not matter"""


def read_line(line: str) -> LoggedRequest | None:
    """None for a line that records no request."""
    text = line.strip()
    return _from_json(text) if text.startswith("{") else _from_combined(text)


def _from_combined(text: str) -> LoggedRequest | None:
    match = _COMBINED.fullmatch(text)
    if match is None:
        return None
    request, agent = match[4], match[7] or ""
    return _request(
        _target_of(request), match["status"], agent, match["address"], match["host"] or "", _local_time(match["time"])
    )


def _from_json(text: str) -> LoggedRequest | None:
    try:
        found = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return None
    values: dict[str, Any] = {}
    for name, value in _flat(found, _LEVELS):
        values.setdefault(name.lower(), value)
    say = {meaning: _first(values, names) for meaning, names in _NAMES.items()}
    target = str(say["target"] or "") or _target_of(str(say["request"] or ""))
    return _request(
        target,
        str(say["status"] or ""),
        str(say["agent"] or ""),
        str(say["address"] or ""),
        str(say["host"] or ""),
        _any_time(say["time"]),
    )


def _request(
    target: str, status: str, agent: str, address: str, host: str, time: datetime | None
) -> LoggedRequest | None:
    if target.lower().startswith(("http://", "https://")):
        host, slash, rest = target.partition("://")[2].partition("/")
        target = slash + rest or "/"
    if not target.startswith("/") or not (status.isascii() and status.isdecimal() and len(status) == 3):
        return None
    name = host.lower().partition(":")[0] if not host.startswith("[") else host.lower()
    return LoggedRequest(target, int(status), agent, address, "" if name in _NO_HOST else name, time)


def _target_of(request: str) -> str:
    """`GET /a?b HTTP/1.1` → `/a?b`; nothing for another method, which fetches no page."""
    method, _, rest = request.partition(" ")
    return rest.partition(" ")[0] if method in ("GET", "HEAD") else ""


def _flat(value: Any, levels: int) -> Iterator[tuple[str, Any]]:
    """The innermost names and values, outer ones first."""
    if not isinstance(value, Mapping) or not levels:
        return
    for name, each in value.items():
        if isinstance(each, list) and each and isinstance(each[0], str):
            yield name, each[0]
        elif not isinstance(each, (Mapping, list)):
            yield name, each
    for each in value.values():
        yield from _flat(each, levels - 1)


def _first(values: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((values[name] for name in names if values.get(name) not in (None, "", "-")), None)


def _local_time(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, _TIME).astimezone(UTC)
    except ValueError:
        return None


def _any_time(value: Any) -> datetime | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        seconds = float(value)
        while seconds > 1e11:  # milliseconds, microseconds or nanoseconds
            seconds /= 1000
        try:
            return datetime.fromtimestamp(seconds, UTC)
        except (ValueError, OverflowError, OSError):
            return None
    text = str(value or "")
    return _local_time(text) or instant_of(text)
