"""Short ways to write sitemaps in tests."""

from __future__ import annotations

SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
HEAD = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{SITEMAP}">\n'.encode()
TAIL = b"</urlset>\n"


def url(path: bytes | str, extra: bytes = b"") -> bytes:
    text = path if isinstance(path, bytes) else path.encode()
    return b"<url><loc>https://example.com/" + text + b"</loc>" + extra + b"</url>\n"


def urlset(*entries: bytes) -> bytes:
    return HEAD + b"".join(entries) + TAIL


EXTENSIONS = (
    b' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
    b' xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'
    b' xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
    b' xmlns:xhtml="http://www.w3.org/1999/xhtml"'
)


def with_extensions(*entries: bytes) -> bytes:
    return HEAD.replace(b'0.9">', b'0.9"' + EXTENSIONS + b">") + b"".join(entries) + TAIL
