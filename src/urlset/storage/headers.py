"""A file name and its bytes → the attributes of its object."""

from __future__ import annotations

from urlset.storage.store import StorageError

CACHE_CONTROL = "public, max-age=600"
_UTF8 = "; charset=utf-8"
_TYPES = {
    ".xml": "application/xml",
    ".gz": "application/gzip",
    ".txt": f"text/plain{_UTF8}",
    ".html": f"text/html{_UTF8}",
    ".css": f"text/css{_UTF8}",
    ".js": f"text/javascript{_UTF8}",
    ".md": f"text/markdown{_UTF8}",
    ".json": "application/json",
    ".atom": "application/atom+xml",
    ".rss": "application/rss+xml",
}


def attributes_of(name: str, data: bytes, cache_control: str) -> dict[str, str]:
    """Content-Encoding only for a gzip body without the .gz suffix: with both, clients unpack once too little."""
    suffix = name[name.rfind(".") :].lower()
    is_gzip = data.startswith(b"\x1f\x8b")
    if suffix == ".gz" and not is_gzip:
        raise StorageError(f"{name} is not gzip data; rename it or compress it")
    found = {"Content-Type": _TYPES.get(suffix, "application/octet-stream"), "Cache-Control": cache_control}
    return found | ({"Content-Encoding": "gzip"} if is_gzip and suffix != ".gz" else {})
