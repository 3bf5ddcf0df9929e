"""The name of a source → a URI reference: relative and percent-encoded, or an unchanged URL."""

from __future__ import annotations

import os
import re
from urllib.parse import quote

from urlset.storage.paths import is_stored

_LEGAL_IN_ADDRESS = ":/?#[]@!$&'()*+,;=%-._~"


def is_address(source: str) -> bool:
    return source[:8].lower().startswith(("http://", "https://"))


def uri_of(source: str) -> str:
    """Only slashes stay unescaped, so a colon or a question mark in a name cannot be misread."""
    if is_address(source) or is_stored(source):
        return quote(source, safe=_LEGAL_IN_ADDRESS, errors="surrogatepass")
    path = quote(os.fsencode(_without_halves(source))) or "-"
    if path.startswith("//"):
        path = "/" + path.lstrip("/")
    return f"file://{path}" if path.startswith("/") else path.removeprefix("./")


def _without_halves(source: str) -> str:
    """Bytes of a file name that are not UTF-8 are restored; other lone surrogates cannot be encoded."""
    return re.sub("[\ud800-\udc7f\udd00-\udfff]", "\ufffd", source)
