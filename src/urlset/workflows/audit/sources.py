"""The target of an audit → its sitemaps, one document at a time, in the order in which they are listed."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec

from urlset.auditing.facts import seen_of
from urlset.auditing.page_text import pack_text
from urlset.auditing.sample import Estimator, SampleSize, Strata
from urlset.auditing.store import AuditedUrl, AuditStore, ListingWriter, Result, What
from urlset.building.candidate import Candidate
from urlset.building.policy import variants_of
from urlset.building.sources.hosting import Hosting
from urlset.building.sources.open import open_source
from urlset.building.sources.source import Item, SourceBroken, SourceError, SourceOptions, items_of
from urlset.checking.context import Context
from urlset.checking.live_page import Comparison, Crawled, CrawlExport, ListingPlace
from urlset.findings.card import Card
from urlset.model.address import Address, key_of
from urlset.model.answer import Answer, Failure, FailureKind, Hop
from urlset.model.document import Document, Kind
from urlset.model.errors import UrlsetError
from urlset.model.page import NOINDEX, join
from urlset.model.shown import few
from urlset.model.visit import State, Visit
from urlset.reading.disk import NoSitemap
from urlset.reading.fingerprint import hash_of
from urlset.reading.host_robots import origin_of
from urlset.reading.html_bytes import MAX_PAGE_BYTES
from urlset.reading.tree import DocumentTree, Missing
from urlset.reports.pages import EstimateRow
from urlset.settings.audit import AuditSettings
from urlset.storage.paths import is_address, is_stored
from urlset.submitting.exports import ExportError, read_export
from urlset.web.caller import checkpoint
from urlset.web.options import MAX_REDIRECTS, WebOptions
from urlset.workflows.audit.judge import add_document
from urlset.workflows.audit.rows import Repeated
from urlset.workflows.live.tree import LiveTree

Notify = Callable[[str], None]
Watch = Callable[[int, int], None]
"""sitemaps read, pages listed"""
_SLUG = re.compile(r"[^a-z0-9]+")
_LONGEST_SLUG = 40


class AuditError(UrlsetError):
    """The target cannot be audited; the message says why and what to do."""


def audit_database(target: str, state: Path, web: WebOptions) -> Path:
    """One for each target: a readable name, and a hash that tells two of them apart."""
    whole = "\n".join((_whole(target), *web.access.views))
    words = _SLUG.sub("-", target.lower().partition("://")[2] or target.lower()).strip("-")
    return state / f"audit-{words[:_LONGEST_SLUG].strip('-') or 'site'}-{hash_of(whole) & 0xFFFFFFFF:08x}.db"


def plan_of(settings: AuditSettings, web: WebOptions) -> dict[str, Any]:
    """What makes two runs the same audit: only then does one resume the other."""
    return {
        "target": _whole(settings.target or ""),
        "base_url": settings.base_url,
        "sample": settings.sample,
        "media": settings.media,
        "obey_robots": not settings.ignore_robots,
        "user_agent": web.user_agent,
        "sends": list(web.access.sends),
        "render": settings.render.value,
    }


def _whole(target: str) -> str:
    return target if is_address(target) or is_stored(target) else str(Path(target).resolve())


def list_local(
    listing: ListingWriter,
    target: str | Document,
    notify: Notify,
    *,
    root: str | None,
    base_url: str | None,
    media: bool,
) -> None:
    """A file, a pattern, a folder or a document in memory, and what its indexes list on disk."""
    tree = DocumentTree([target], root=root, base_url=base_url)
    for document in tree:
        checkpoint()
        if document.kind is not Kind.ROBOTS:
            add_document(listing, document, keep=False, media=media)
        del document  # let go before the next is read: two at once would double the memory
    _tell(listing, tree.missing, notify)


def list_remote(listing: ListingWriter, tree: LiveTree, notify: Notify, *, media: bool, watch: Watch) -> None:
    """A site, a sitemap or an index on the web; the bytes of its sitemaps are kept, to show places in them."""
    for count, document in enumerate(tree, 1):
        add_document(listing, document, keep=True, media=media)
        watch(count, listing.count)
        del document
    _tell(listing, tree.missing, notify)


def _tell(listing: ListingWriter, absent: list[Missing], notify: Notify) -> None:
    for missing in absent:
        if isinstance(missing, NoSitemap):  # nothing failed: a folder or a site without a sitemap
            notify(f"{missing.loc}: {missing.reason}")
            continue
        where = f", listed in {missing.parent}" if missing.parent else ""
        listing.leave(f"{missing.loc}{where}: {missing.reason}")


# Exports of Screaming Frog, Sitebulb, Ahrefs or Search Console → findings against the pages that sitemaps list.
#
# What the columns say is obeyed: only a page that answered with 200, is indexable and its own canonical is missing
# from a sitemap. Orphan pages are reported from exports of crawlers only: Search Console knows no links, and its
# tables are cut.


class CrawlExportError(AuditError):
    """An export that cannot be read, or has no page of the audited site."""


class ExportedSite:
    """Reads the files again whenever they are walked through: there may be millions of rows."""

    def __init__(self, paths: tuple[Path, ...], base_url: str | None) -> None:
        """Raises ExportError."""
        self._paths, self._base_url = paths, base_url
        self.notes: list[str] = []
        self._name = " and ".join(path.name for path in paths)
        self._hosts: set[str] = set()
        self._crawled: set[str] = set()
        """hosts of which a crawler says how pages answered"""
        self._seen_in_search = _seen_in_search(paths)
        troubles = rows = 0
        for item in self._items(self.notes):
            if not isinstance(item, Candidate):
                troubles += 1
                continue
            rows += 1
            host = origin_of(item.loc) or ""
            self._hosts.add(host)
            if item.is_crawled:
                self._crawled.add(host)
        if not rows:
            raise CrawlExportError(f"{self._name}: no row with a URL")
        if troubles:
            self.notes.append(f"{self._name}: {troubles:,} row{'s'[: troubles != 1]} could not be used")
        if not self._crawled:
            self.notes.append(
                f"{self._name}: no column says how pages answered, so every URL in it counts as a page,"
                " and orphan pages are unknown"
            )

    def __call__(self, listings: Iterable[ListingPlace], context: Context) -> Comparison:
        hosts = {origin_of(listing.loc) or "" for listing in listings}
        if hosts.isdisjoint(self._hosts):
            others = few(sorted(self._hosts), 3)
            raise CrawlExportError(f"{self._name}: no page of the audited site; its pages are on {others}")
        pages = Repeated(lambda: (page for page in self.pages() if (origin_of(page.url) or "") in hosts))
        export = CrawlExport(self._name, frozenset(self._crawled))
        return Comparison(listings, pages, context, complete=False, export=export)

    def pages(self) -> Iterator[Crawled]:
        for item in self._items([]):
            if isinstance(item, Candidate):
                yield _crawled(item, in_search=not item.is_crawled and item.loc in self._seen_in_search)

    def _items(self, notes: list[str]) -> Iterator[Item]:
        options = SourceOptions(base_url=self._base_url, notify=notes.append)
        for path in self._paths:
            try:
                yield from items_of(open_source(str(path), options))
            except (SourceError, SourceBroken) as error:
                raise CrawlExportError(str(error)) from error


_LARGEST_DOWNLOAD = 8 << 20


def _seen_in_search(paths: tuple[Path, ...]) -> frozenset[str]:
    """Pages that performance exports name; these have at most 1,000 rows."""
    found: set[str] = set()
    for path in paths:
        if path.stat().st_size <= _LARGEST_DOWNLOAD:
            with suppress(ExportError):
                found |= read_export(path).seen_in_search
    return frozenset(found)


def _crawled(page: Candidate, *, in_search: bool = False) -> Crawled:
    target = page.redirects_to or ""
    return Crawled(
        page.loc,
        target if target and key_of(target) != key_of(page.loc) else "",
        canonical=page.canonical,
        indexable=page.is_page
        and not (target or page.error or page.not_indexable or page.disallowed or page.endless)
        and NOINDEX.isdisjoint(page.directives)
        and next(variants_of(Address.parse(page.loc)), None) is None,
        is_linked=page.is_linked and not in_search,
        in_search=in_search,
    )


# A build folder and its public address → what a server of these files would answer; nothing is fetched.

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
            path = Address.parse(at).path or "/"
            if origin_of(at) != self._origin or not (path.startswith(self._prefix) or f"{path}/" == self._prefix):
                return Answer(url, tuple(hops), at), None
            file = self._file_at(path)
            target, status = self._hosting.redirects.redirect_of(path, exists=file is not None) or (None, 0)
            following = join(at, target) if target is not None else None
            if target is None or following is None:
                break
            hops.append(Hop(at, status, target))
            if following in {hop.url for hop in hops} or len(hops) > MAX_REDIRECTS:
                failure = Failure(FailureKind.REDIRECT_LOOP, "in the host's redirects")
                return Answer(url, tuple(hops), following, failure=failure), None
            at = following
        failed = 404 if file is None else self._hosting.redirects.error_of(path)
        if file is None or failed is not None:
            return Answer(url, tuple(hops), at, failed), None
        with file.open("rb") as opened:
            body = opened.read(MAX_PAGE_BYTES + 1)
        kind = "text/html" if file.suffix.lower() in _PAGES else mimetypes.guess_type(file.name)[0]
        headers = [("content-type", kind)] if kind else []
        directives = self._hosting.headers.directives_of(path)
        if directives:
            headers.append(("x-robots-tag", ", ".join(directives)))
        is_cut, body = len(body) > MAX_PAGE_BYTES, body[:MAX_PAGE_BYTES]
        answer = Answer(url, tuple(hops), at, 200, tuple(headers), body, truncated=is_cut)
        return answer, file.relative_to(self._folder).as_posix()

    def _file_at(self, path: str) -> Path | None:
        """The file that static hosts serve for a path; never one outside the folder."""
        below = f"{path}/"[len(self._prefix) :] if f"{path}/" == self._prefix else path[len(self._prefix) :]
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
        results: list[Result] = []
        for page in waiting:
            answer, file = site.answer(page.url)
            if answer.status is None and answer.failure is None:
                redirected = " after a redirect" if answer.hops else ""
                reason = f"{answer.final_url} is outside {site.base}{redirected}: unknown from the folder"
                visit = Visit(
                    url=page.url, state=State.UNKNOWN, reason=reason, hops=answer.hops, final_url=answer.final_url
                )
                results.append(Result(page.id, visit))
                continue
            seen = seen_of(answer, facets=True)
            visit = msgspec.structs.replace(seen.visit, from_disk=file)
            if visit.state is State.GONE:
                visit = msgspec.structs.replace(visit, reason="no such file in the folder")
            text = pack_text(seen.blocks, seen.words)
            if page.kind is not What.PAGE:
                text = msgspec.msgpack.encode(msgspec.structs.replace(answer, body=b""))
            results.append(Result(page.id, visit, text))
        store.save(results)


def folder_of(settings: AuditSettings, *, in_memory: bool = False) -> FolderSite | None:
    """The build folder that answers instead of a server; None where a server answers. A document may be `in_memory`."""
    target = settings.target or ""
    if is_address(target) and not in_memory:
        return None
    if is_stored(settings.root or ""):
        raise AuditError("--root of an audit must be a folder on disk")
    path = Path(target)
    if not in_memory and not is_stored(target) and not path.exists() and not any(mark in target for mark in "*?["):
        raise AuditError(f"{target}: no such file or folder")
    folder = Path(settings.root) if settings.root else path if not in_memory and path.is_dir() else None
    if folder is None:
        return None
    if settings.known:
        raise AuditError("--known does not apply to a folder")
    if settings.base_url is None:
        raise AuditError(f"{folder} is a folder; set its URL with --base-url https://…")
    if not Address.parse(settings.base_url).is_web:
        raise AuditError(f"--base-url {settings.base_url!r} is not a URL like https://www.example.com/")
    return FolderSite(folder, settings.base_url)


# The listing of an audit → the sample that is requested, and what its findings say about all pages.

_NOT_JUDGED = frozenset({State.BLOCKED, State.UNKNOWN})


def strata_of(store: AuditStore) -> Strata:
    strata = Strata()
    for _, source, url in store.addresses():
        strata.add(source, url)
    return strata


def choose(store: AuditStore, wanted: SampleSize) -> None:
    """The same pages for the same listing: a resumed audit uses them again."""
    taker = strata_of(store).taker(wanted)
    store.choose(position for position, source, url in store.addresses() if taker.takes(source, url))


class Projection:
    """Counts every judged page, then projects the counts to all pages."""

    def __init__(self, store: AuditStore) -> None:
        strata = strata_of(store)
        self._estimator, self._of_every = Estimator(strata), Estimator(strata)
        self._describe_unjudged: set[str] = set()
        """reported for pages that could not be fetched: robots.txt disallows them, or they require a login"""

    def add(self, row: AuditedUrl, visit: Visit, codes: tuple[str, ...]) -> None:
        source, url = row.listed.source, row.listed.url
        self._of_every.add(source, url, codes)
        if visit.state in _NOT_JUDGED:
            self._describe_unjudged.update(codes)
        else:
            self._estimator.add(source, url, codes)

    @property
    def none_of(self) -> float | None:
        """The largest share of all pages that a fault can have which no page of the sample shows."""
        unseen = self._estimator.unseen()
        return None if unseen is None else unseen.high

    def rows(self, cards: Mapping[str, Card]) -> tuple[EstimateRow, ...]:
        """The most frequent first."""
        every = self._of_every.estimates()
        estimates = self._estimator.estimates() | {code: every[code] for code in self._describe_unjudged}
        found = [
            EstimateRow(
                f"{code} {cards[code].name}" if code in cards else code,
                each.seen,
                each.share,
                each.low,
                each.high,
                each.pages_low,
                each.pages_high,
            )
            for code, each in estimates.items()
        ]
        return tuple(sorted(found, key=lambda row: (-row.share, row.what)))
