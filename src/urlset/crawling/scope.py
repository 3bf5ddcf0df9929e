"""A link as written on a page → its address in one form, whether that belongs to the site, and is to be requested."""

from __future__ import annotations

import re
from collections.abc import Callable

from urlset.crawling.found import Fate
from urlset.model.address import key_of
from urlset.model.page import join
from urlset.reading.host_robots import Access, HostRobots
from urlset.spec.generator_artifacts import (
    ARCHIVE_ENDINGS,
    ASSET_ENDINGS,
    FEED_FILE,
    PAGE_NAMES_LIKE_ASSETS,
    SESSION_PARAMETERS,
    SESSION_PREFIXES,
    SITEMAP_FILE,
    TRACKING_PARAMETERS,
    TRACKING_PREFIXES,
)

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
    return _without(key_of(resolved), _is_tracking)[0]


class Reader:
    """The links of one page, made absolute; `base` is the address of the page, or what its base element says."""

    def __init__(self, url: str, base_href: str | None = None) -> None:
        base = (join(url, base_href) if base_href else None) or url
        self.base = base if base.startswith(("http://", "https://")) else url
        self.origin = origin_of_url(self.base)

    def read(self, href: str) -> str | None:
        """The address in its normal form, tracking parameters included; None for mailto:, javascript: and the like."""
        resolved = join(self.base, href) if len(href) <= LONGEST_HREF else None
        return key_of(resolved) if resolved and resolved.startswith(("http://", "https://")) else None


def without_visitor(url: str) -> tuple[str, tuple[str, ...]]:
    """The address without what only says who the visitor is and where they came from, and the names of that.

    That is tracking parameters, and the session that the server opened for the client that requested the page.
    """
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


# An address on a page → whether it belongs to the site that is crawled, and whether it is to be requested.

_MEDIA_ENDINGS = frozenset(
    {
        *("mp3", "mp4", "m4a", "m4v", "ogg", "oga", "ogv", "wav", "flac", "aac", "webm", "avi", "mov", "mkv", "wmv"),
        *("mpg", "mpeg", "flv", "swf", "psd", "ai", "eps", "heic", "heif", "jxl", "cur", "cab", "lz4", "br", "torrent"),
        *("epub", "mobi", "azw3", "webmanifest", "vcf", "ics", "kml", "kmz", "gpx", "rss", "atom"),
    }
)
DOCUMENT_ENDINGS = frozenset({"pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "rtf", "csv"})
"""search engines list these, so they are requested, but only their beginning: they hold no links to follow"""


def origin_of_url(url: str) -> str:
    """Scheme, host and port of an address in normal form."""
    end = url.find("/", url.find("//") + 2)
    return url if end < 0 else url[:end]


def kin_of(origin: str) -> tuple[str, ...]:
    """The same host with the other scheme, with or without www: often the same site, sometimes another."""
    scheme, _, authority = origin.partition("://")
    host, colon, _port = authority.partition(":")
    if colon or authority.startswith("["):
        return ()  # a port of its own has no twin
    twin = authority.removeprefix("www.") if authority.startswith("www.") else f"www.{authority}"
    other = "http" if scheme == "https" else "https"
    hosts = (authority,) if host.replace(".", "").isdigit() or "." not in host else (authority, twin)
    return tuple(each for name in hosts for each in (f"{scheme}://{name}", f"{other}://{name}") if each != origin)


class Scope:
    """The site: one origin, and those of its kin that redirect to it."""

    def __init__(self, home: str, *, prefix: str | None = None, wanted: Callable[[str], bool] | None = None) -> None:
        """`wanted` judges by the patterns of the user; `prefix` is a path such as `/blog/`."""
        self.home = home
        self.kin = frozenset(kin_of(home))
        self.belongs = {home: True}
        """origins of which it is known, and whether they are this site"""
        self.prefix = prefix if prefix and prefix != "/" else None
        self._wanted = wanted

    def move_home(self, origin: str) -> None:
        """The start led to one of its kin: that is where the site lives."""
        self.home = origin
        self.kin = frozenset(kin_of(origin))
        self.belongs[origin] = True

    def may_belong(self, url: str) -> bool:
        """False for other sites; related hosts that were not visited yet may belong."""
        origin = origin_of_url(url)
        return self.belongs.get(origin, origin in self.kin)

    def unsettled(self, origin: str) -> bool:
        return origin in self.kin and origin not in self.belongs

    def fate_of(self, url: str) -> Fate:
        """By its name alone; robots.txt and traps come after."""
        path = url[len(origin_of_url(url)) :].partition("?")[0]
        if is_file(path):
            return Fate.FILE
        if self.prefix is not None and not path.startswith(self.prefix):
            return Fate.OUTSIDE
        if self._wanted is not None and not self._wanted(url):
            return Fate.EXCLUDED
        return Fate.ASK


def is_file(path: str) -> bool:
    """The name says that it is not a page: an image, a script, a film, an archive, a sitemap, a feed."""
    ending = ending_of(path)
    if not ending:
        return False
    if ending in ("xml", "txt", "rss", "atom", "gz") and (SITEMAP_FILE.search(path) or FEED_FILE.fullmatch(path)):
        return True
    if ending in ARCHIVE_ENDINGS or ending in _MEDIA_ENDINGS:
        return True
    return ending in ASSET_ENDINGS and not PAGE_NAMES_LIKE_ASSETS.search(path)


def ending_of(path: str) -> str:
    """`pdf` of `/a/b.PDF`; empty where there is none."""
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    return ending.lower() if stem and dot and len(ending) <= 11 else ""


def robots_fate(robots: HostRobots, token: str, url: str) -> Fate:
    if robots.match(token, url).allowed:
        return Fate.ASK
    return Fate.NO_RULES if robots.access is Access.NOTHING else Fate.FORBIDDEN
