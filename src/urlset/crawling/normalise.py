"""A link as written on a page → the one form in which its address is requested and remembered."""

from __future__ import annotations

import re
from collections.abc import Callable

from urlset.model.address import key_of
from urlset.model.page import join
from urlset.spec.generator_artifacts import SESSION_PARAMETERS, SESSION_PREFIXES, TRACKING_PARAMETERS, TRACKING_PREFIXES

# Rooted and relative references that need nothing but to be put behind the origin or the folder: no dot segment,
# no second slash at the start, no scheme, only characters and escapes that every parser leaves as they are.
_KEPT_ESCAPE = r"%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF])"
_PATH = rf"(?:[A-Za-z0-9\-_~!$&'()*+,;=:@]++|(?<!/)\.++|/|{_KEPT_ESCAPE})*+"
_QUERY = rf"(?:\?(?:[A-Za-z0-9\-._~!$&()*+,;=:@/?]++|{_KEPT_ESCAPE})*+)?"
_ROOTED = re.compile(rf"(/(?!/){_PATH}{_QUERY})(?:\#[!-~]*)?")
_RELATIVE = re.compile(rf"([A-Za-z0-9\-_][A-Za-z0-9\-_~]*+(?![:.]*:)(?:[./]{_PATH})?{_QUERY})(?:\#[!-~]*)?")
_SCHEME = re.compile(r"[\x00-\x20]*([A-Za-z][A-Za-z0-9+.\-]*):")
_DOTS_AT_END = re.compile(r"/\.{1,2}(?=[/?]|\Z)")
# Not the folder by which ASP.NET names a session: without it the server only redirects to another.
_SESSION = re.compile(r";(jsessionid|phpsessid|sid)=[^;/?#]*", re.IGNORECASE)
LONGEST_HREF = 8192
"""longer ones are not addresses: data, or runaway markup"""


def address_of(url: str) -> str | None:
    """A whole address in the form it is requested; None for anything but an http(s) address."""
    if len(url) > LONGEST_HREF:
        return None
    resolved = join(url, "") if url else None
    if resolved is None or not resolved.startswith(("http://", "https://")):
        return None
    return without_tracking(key_of(resolved))[0]


class Reader:
    """The links of one page, made absolute; `base` is the address of the page, or what its base element says."""

    def __init__(self, url: str, base_href: str | None = None) -> None:
        base = (join(url, base_href) if base_href else None) or url
        if not base.startswith(("http://", "https://")):
            base = url
        self.base = base
        start = base.find("/", base.find("//") + 2)
        plain = base.partition("#")[0].partition("?")[0]
        self.origin = base[:start] if start >= 0 else plain
        self._folder = plain[: plain.rfind("/") + 1] if start >= 0 else f"{plain}/"
        self._own = _ROOTED.fullmatch(self._folder, len(self.origin)) is not None and not _dotted(self._folder)

    def read(self, href: str) -> str | None:
        """The address in its normal form, tracking parameters included; None for mailto:, javascript: and the like."""
        if len(href) > LONGEST_HREF:
            return None
        found = _ROOTED.fullmatch(href)
        if found and not _dotted(href):
            return self.origin + found[1]
        if self._own and not found and (found := _RELATIVE.fullmatch(href)) and not _dotted(href):
            return self._folder + found[1]
        scheme = _SCHEME.match(href)
        if scheme and scheme[1].lower() not in ("http", "https"):
            return None
        origin = self.origin
        if scheme and href.startswith(origin) and href.startswith("/", len(origin)):
            found = _ROOTED.fullmatch(href, len(origin))
            if found and not _dotted(href):
                return origin + found[1]
        resolved = join(self.base, href)
        if resolved is None or not resolved.startswith(("http://", "https://")):
            return None
        return key_of(resolved)


def _dotted(text: str) -> bool:
    """A segment `.` or `..`, which is resolved away; `/a.` and `/a../b` are names."""
    return "/." in text and _DOTS_AT_END.search(text.partition("?")[0]) is not None


def without_tracking(url: str) -> tuple[str, tuple[str, ...]]:
    """The address without the parameters that only say where a visitor came from, and the names of those."""
    return _without(url, _is_tracking) if "?" in url else (url, ())


def without_visitor(url: str) -> tuple[str, tuple[str, ...]]:
    """The same, without the session that the server opened for the client that requested the page with this link."""
    if "?" not in url and ";" not in url:
        return url, ()
    path, mark, query = url.partition("?")
    sessions = tuple(dict.fromkeys(name.lower() for name in _SESSION.findall(path)))
    if sessions:
        url = _SESSION.sub("", path) + mark + query
    kept, dropped = _without(url, _is_of_visitor)
    return kept, sessions + dropped


def _without(url: str, unwanted: Callable[[str], bool]) -> tuple[str, tuple[str, ...]]:
    path, mark, query = url.partition("?")
    if not mark:
        return url, ()
    kept: list[str] = []
    dropped: list[str] = []
    for piece in query.split("&"):
        name = piece.partition("=")[0].lower()
        if unwanted(name):
            dropped.append(name)
        else:
            kept.append(piece)
    if not dropped:
        return url, ()
    return f"{path}?{'&'.join(kept)}" if kept else path, tuple(dropped)


def _is_tracking(name: str) -> bool:
    return name in TRACKING_PARAMETERS or name.startswith(TRACKING_PREFIXES)


def _is_of_visitor(name: str) -> bool:
    return _is_tracking(name) or name in SESSION_PARAMETERS or name.startswith(SESSION_PREFIXES)
