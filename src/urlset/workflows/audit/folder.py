"""A build folder and its public address → what a server of these files would answer; nothing is fetched."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import msgspec

from urlset.auditing.facts import seen_of
from urlset.auditing.session_writer import pack_text
from urlset.auditing.store import AuditStore, PendingUrl, Result, What
from urlset.building.sources.hosting import Hosting
from urlset.model.address import Address
from urlset.model.answer import Answer, Failure, FailureKind, Hop
from urlset.model.page import join
from urlset.model.visit import State, Visit
from urlset.reading.host_robots import origin_of
from urlset.reading.html_bytes import MAX_PAGE_BYTES
from urlset.settings.groups import JudgeSettings
from urlset.storage.paths import is_stored
from urlset.web.options import MAX_REDIRECTS
from urlset.workflows.audit.options import AuditError, AuditOptions

_BATCH = 64
_PAGES = (".html", ".htm", ".xhtml")


class FolderSite:
    """The files below a folder by their addresses, with the hosting rules that lie among them."""

    def __init__(self, folder: Path, base_url: str) -> None:
        bare = base_url.partition("#")[0].partition("?")[0]
        self.base = bare if bare.endswith("/") else f"{bare}/"
        self._folder = folder.resolve()
        self._prefix = Address.parse(self.base).path
        self._origin = origin_of(self.base)
        host = Address.parse(self.base).host
        self._hosting = Hosting(folder, host=host)

    def robots(self) -> Answer:
        """robots.txt counts only at the root of a host."""
        url = f"{self._origin}/robots.txt"
        path = self._folder / "robots.txt"
        if self._prefix == "/" and path.is_file():
            return Answer(url, final_url=url, status=200, body=path.read_bytes())
        return Answer(url, final_url=url, status=404)

    def answer(self, url: str) -> tuple[Answer, str | None]:
        """What would come back, and the file it comes from; status None where the folder cannot tell."""
        hops: list[Hop] = []
        at = url
        while True:
            if not self._holds(at):
                return Answer(url, tuple(hops), at), None
            path = Address.parse(at).path or "/"
            exists = self._file_at(path) is not None
            target, status = self._hosting.redirects.redirect_of(path, exists=exists) or (None, 0)
            following = join(at, target) if target is not None else None
            if target is None or following is None:
                return self._served(url, at, tuple(hops))
            hops.append(Hop(at, status, target))
            if following in {hop.url for hop in hops} or len(hops) > MAX_REDIRECTS:
                failure = Failure(FailureKind.REDIRECT_LOOP, "in the host's redirects")
                return Answer(url, tuple(hops), following, failure=failure), None
            at = following

    def _holds(self, url: str) -> bool:
        path = Address.parse(url).path or "/"
        return origin_of(url) == self._origin and (path.startswith(self._prefix) or f"{path}/" == self._prefix)

    def _served(self, url: str, at: str, hops: tuple[Hop, ...]) -> tuple[Answer, str | None]:
        path = Address.parse(at).path or "/"
        file = self._file_at(path)
        status = 404 if file is None else self._hosting.redirects.error_of(path)
        if file is None or status is not None:
            return Answer(url, hops, at, status), None
        with file.open("rb") as opened:
            body = opened.read(MAX_PAGE_BYTES + 1)
        kind = "text/html" if file.suffix.lower() in _PAGES else mimetypes.guess_type(file.name)[0]
        headers = [("content-type", kind)] if kind else []
        directives = self._hosting.headers.directives_of(path)
        if directives:
            headers.append(("x-robots-tag", ", ".join(directives)))
        answer = Answer(url, hops, at, 200, tuple(headers), body[:MAX_PAGE_BYTES], truncated=len(body) > MAX_PAGE_BYTES)
        return answer, file.relative_to(self._folder).as_posix()

    def _file_at(self, path: str) -> Path | None:
        return self._file(f"{path}/"[len(self._prefix) :] if f"{path}/" == self._prefix else path[len(self._prefix) :])

    def _file(self, below: str) -> Path | None:
        """The file that static hosts serve for a path; never one outside the folder."""
        names = [unquote(name) for name in below.split("/") if name not in ("", ".")]
        if any(name == ".." or "/" in name or "\\" in name or "\0" in name for name in names):
            return None
        place = self._folder.joinpath(*names)
        try:
            for candidate in _candidates(place, slash=below.endswith("/") or not names):
                if candidate.is_file() and candidate.resolve().is_relative_to(self._folder):
                    return candidate
        except (OSError, ValueError):  # a name that no file can have
            pass
        return None


def _candidates(place: Path, *, slash: bool) -> Iterator[Path]:
    if not slash:
        yield place
        yield from (place.with_name(place.name + ending) for ending in _PAGES)
    yield from (place / f"index{ending}" for ending in _PAGES)
    if slash and place.name:
        yield from (place.with_name(place.name + ending) for ending in _PAGES)


def visit_folder(store: AuditStore, site: FolderSite) -> None:
    """Every listed page gets its answer from the folder."""
    origin = origin_of(site.base)
    if origin is not None:
        store.keep_robots(origin, site.robots())
    after = -1
    while waiting := store.waiting(after, _BATCH):
        after = waiting[-1].position
        store.save([_result(page, site) for page in waiting])


def _result(page: PendingUrl, site: FolderSite) -> Result:
    answer, file = site.answer(page.url)
    if answer.status is None and answer.failure is None:
        after = " after a redirect" if answer.hops else ""
        reason = f"{answer.final_url} is outside {site.base}{after}: unknown from the folder"
        visit = Visit(url=page.url, state=State.UNKNOWN, reason=reason, hops=answer.hops, final_url=answer.final_url)
        return Result(page.id, visit)
    seen = seen_of(answer, facets=True)
    visit = msgspec.structs.replace(seen.visit, from_disk=file)
    if visit.state is State.GONE:
        visit = msgspec.structs.replace(visit, reason="no such file in the folder")
    if page.kind is not What.PAGE:
        return Result(page.id, visit, msgspec.msgpack.encode(msgspec.structs.replace(answer, body=b"")))
    return Result(page.id, visit, pack_text(seen.blocks, seen.words))


def folder_of(options: AuditOptions, settings: JudgeSettings) -> FolderSite | None:
    """The build folder that answers instead of a server; None where a server answers."""
    if options.is_url:
        return None
    if is_stored(settings.root or ""):
        raise AuditError("--root of an audit must be a folder on disk")
    path = Path(options.target)
    if not is_stored(options.target) and not path.exists() and not any(mark in options.target for mark in "*?["):
        raise AuditError(f"{options.target}: no such file or folder")
    folder = Path(settings.root) if settings.root else path if path.is_dir() else None
    if folder is None:
        return None
    if options.known:
        raise AuditError("--known does not apply to a folder")
    if settings.base_url is None:
        raise AuditError(f"{folder} is a folder; set its URL with --base-url https://…")
    if not Address.parse(settings.base_url).is_web:
        raise AuditError(f"--base-url {settings.base_url!r} is not a URL like https://www.example.com/")
    return FolderSite(folder, settings.base_url)
