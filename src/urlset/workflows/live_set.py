"""Addresses of sitemaps → the URLs they list right now, a digest of each sitemap, and whether the set is live."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from urlset.building.manifest import Manifest, ManifestError
from urlset.building.manifest import load as load_manifest
from urlset.model.answer import Answer, FailureKind
from urlset.reading.limits import REMOTE_CAP
from urlset.web.api import is_loopback
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import WebOptions
from urlset.workflows.live.setup import Live
from urlset.workflows.live.tree import LiveTree
from urlset.writing.files import work_folder

_WORD = 1 << 128


class Presence(StrEnum):
    LIVE = "live"
    UNKNOWN = "unknown"
    """it could not be reached from here, which says nothing about the engines"""
    ABSENT = "absent"


class LiveSitemap(msgspec.Struct, frozen=True):
    """One sitemap that was named, with everything below it."""

    url: str
    presence: Presence
    digest: str = ""
    """the same for the same URLs and dates in any order; empty when unknown"""
    entries: int = 0
    problem: str = ""
    incomplete: int = 0
    """child sitemaps that could not be read: what they list is not known to be gone"""


class SitemapUrls:
    """Reads one sitemap; the URLs can be consumed once."""

    def __init__(self, url: str, web: WebOptions) -> None:
        self.url, self._web = url, web
        self._sum = 0
        self._entries = 0
        self._missing: list[str] = []
        self._root_missing = ""

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        """Host, URL and stamp of every listed page."""
        tree = LiveTree([self.url], Live(self._web))
        for document in tree:
            columns = document.columns
            if not document.kind.lists_pages:
                continue
            for raw, lastmod in zip(columns.locs, columns.lastmods, strict=True):
                loc = (raw or "").strip()
                host = urlsplit(loc).netloc.lower() if loc else ""
                if not host:
                    continue
                stamp = (lastmod or "").strip()
                reported = hashlib.blake2b(f"{loc}\n{stamp}".encode("utf-8", "surrogatepass"), digest_size=16)
                self._sum = (self._sum + int.from_bytes(reported.digest(), "big")) % _WORD
                self._entries += 1
                yield host, loc, stamp
        for missing in tree.missing:
            if missing.parent or missing.loc != self.url:
                self._missing.append(missing.loc)
            else:
                self._root_missing = missing.reason

    def result(self) -> LiveSitemap:
        """After the rows were consumed."""
        if not self._root_missing:
            return LiveSitemap(
                self.url,
                Presence.LIVE,
                f"{self._entries}:{self._sum:032x}",
                self._entries,
                incomplete=len(self._missing),
            )
        answer = run(_asked(self.url, self._web))
        unknown = answer.status is None and not _is_ours(answer)
        return LiveSitemap(self.url, Presence.UNKNOWN if unknown else Presence.ABSENT, problem=self._root_missing)


def _is_ours(answer: Answer) -> bool:
    """A failure that the server shows to everyone, not only to this machine."""
    kinds = (FailureKind.REDIRECT_LOOP, FailureKind.TOO_MANY_REDIRECTS, FailureKind.BAD_REDIRECT)
    return answer.failure is not None and (answer.failure.kind in kinds or answer.failure.kind.is_tls)


async def _asked(url: str, web: WebOptions) -> Answer:
    async with Client(web, named=[url]) as client:
        return await client.get(url, cap=1 << 16)


def not_published(state: Path, sitemaps: tuple[str, ...], web: WebOptions) -> str | None:
    """Why a set that `build` published is not what the site serves; None when it is, or none of these was built."""
    for folder in (state, *sorted(state.glob("sets/*"))):
        try:
            manifest = load_manifest(folder)
        except (ManifestError, OSError):
            continue
        for entry in manifest.entry_points if manifest is not None else ():
            if manifest is not None and manifest.url_of(entry.name) in sitemaps:
                problem = run(_differs(manifest, entry.name, entry.sha256, web))
                if problem is not None:
                    return problem
    return None


async def _differs(manifest: Manifest, name: str, sha256: str, web: WebOptions) -> str | None:
    url = manifest.url_of(name)
    with work_folder() as folder:
        path = Path(folder) / "live"
        async with Client(named_loopback(web, [url]), named=[url]) as client:
            answer = await client.get(url, cap=REMOTE_CAP, spool=path)
        if answer.failure is not None and answer.status is None:
            return f"{url} could not be fetched: {answer.failure}"
        if answer.status != 200:
            return f"{url} answers {answer.status}"
        if hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
            return f"{url} is not the file that was published; deploy it first"
    return None


def named_loopback(web: WebOptions, urls: list[str]) -> WebOptions:
    """A loopback address that a person named may be fetched; nothing else that is private may."""
    return msgspec.structs.replace(web, private_hosts=web.private_hosts.union(filter(is_loopback, urls)))
