"""HTTP status codes → their reason phrases, as RFC 9110 and RFC 6585 name them."""

from __future__ import annotations

PHRASES = {
    204: "No Content", 206: "Partial Content",
    300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 307: "Temporary Redirect",
    308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    406: "Not Acceptable", 408: "Request Timeout", 410: "Gone", 429: "Too Many Requests",
    451: "Unavailable For Legal Reasons", 500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
    504: "Gateway Timeout",
}  # fmt: skip


STATUS_CODES = frozenset(map(str, (200, 304, *range(520, 527), *PHRASES)))
"""what a column of status codes holds; the 52x are those of Cloudflare"""


def status_text(status: int) -> str:
    """`404 Not Found`, or `status 499`."""
    return f"{status} {PHRASES[status]}" if status in PHRASES else f"status {status}"
