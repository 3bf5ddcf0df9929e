"""Sections and a base URL → answers to requests for the index, its shards, their .gz twins and robots.txt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from hashlib import blake2b
from typing import Any, NamedTuple

from urlset.building.robots_lines import corrected
from urlset.integrations.calls import Each, Steps
from urlset.integrations.http import (
    GZIP,
    METHODS,
    TEXT,
    XML,
    EntityValidators,
    FinishedFile,
    FrameworkRequest,
    ResponseHead,
    etag_of,
    head,
)
from urlset.integrations.plan import (
    PlannedShard,
    ServedSection,
    ServingPlan,
    Source,
    bucket_of,
    hash_of_loc,
    sections_of,
)
from urlset.integrations.store import Context, Keeper, PlanStore
from urlset.model.address import Address
from urlset.model.entry import IndexEntry
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import MAX_URLS
from urlset.workflows.library.build import SitemapStream
from urlset.writing.gzip import compress
from urlset.writing.urlset import write_index

_SHARD = lazy_pattern(r"/sitemap-(?P<section>[A-Za-z0-9_-]+)-(?P<number>[1-9][0-9]{0,17})\.xml(?P<gz>\.gz)?")
_INDEX = lazy_pattern(r"/sitemap\.xml(?P<gz>\.gz)?")
ROBOTS = "/robots.txt"


class ServedAnswer(NamedTuple):
    head: ResponseHead
    body: bytes | FinishedFile = b""

    @property
    def chunks(self) -> Iterable[bytes]:
        """None of them empty."""
        if isinstance(self.body, FinishedFile):
            return self.body
        return [self.body] if self.body else []

    def close(self) -> None:
        if isinstance(self.body, FinishedFile):
            self.body.close()


class Sitemaps:
    """What every framework module serves."""

    def __init__(
        self,
        sections: Mapping[str, Source],
        base_url: str,
        *,
        refresh: float = 300.0,
        shard_size: int = MAX_URLS,
        gzip: bool = False,
        store: PlanStore | None = None,
        robots: bool | str = False,
    ) -> None:
        """`refresh`: seconds after which counts and dates are renewed, and for which answers may be cached.

        `gzip`: the index lists the .gz twins; both are always served. `store`: where the shards of a section are
        remembered across processes and restarts. `robots`: serve robots.txt too, with these rules.
        """
        base = Address.parse(base_url)
        if not base.is_web or base.whatwg is None or base.userinfo is not None:
            raise ValueError(f"base_url {base_url!r} is not an http or https URL")
        if refresh < 0:
            raise ValueError(f"refresh {refresh}: give seconds, 0 or more")
        self.base_url = base.key[: base.key.rfind("/") + 1]
        self.refresh, self.gzip = refresh, gzip
        self.sections = sections_of(sections, shard_size)
        self.context: Context = nullcontext
        """surrounds every use of a source outside a request: an application context, or the closing of connections"""
        self.keepers = {
            name: Keeper(section, self.base_url, refresh, store, self._surrounded)
            for name, section in self.sections.items()
        }
        self._robots = None if robots is False else "" if robots is True else robots

    def _surrounded(self) -> AbstractContextManager[Any]:
        return self.context()  # set after this was made, when the framework knows its application

    def robots_line(self, prefix: str = "") -> str:
        """`Sitemap: https://…/sitemap.xml`, for a robots.txt of your own."""
        return f"Sitemap: {self.url_of('/sitemap.xml', prefix)}"

    def url_of(self, path: str, prefix: str = "") -> str:
        """The public URL of a file; a mount prefix that base_url already ends with is not repeated."""
        slash = self.base_url.find("/", self.base_url.find("//") + 2)
        origin, folder = self.base_url[:slash], self.base_url[slash:-1]
        place = prefix.rstrip("/")
        return f"{origin}{place if place.startswith(folder) else folder + place}{path}"

    def serves(self, path: str) -> bool:
        """Whether a path is one of ours, which does not mean that there is a shard behind it."""
        shard = _SHARD.fullmatch(path)
        known = shard is not None and shard["section"] in self.sections
        return known or _INDEX.fullmatch(path) is not None or (path == ROBOTS and self._robots is not None)

    def answer(self, request: FrameworkRequest, *, is_async: bool = False) -> Steps:
        """`is_async`: the steps may wait in the event loop for a plan that is being made."""
        if not self.serves(request.path):
            return _not_found()
        if request.method not in METHODS:
            return ServedAnswer(
                ResponseHead(405, [("Allow", ", ".join(METHODS)), ("Content-Type", TEXT)]), b"method not allowed\n"
            )
        if request.path == ROBOTS:
            line = self.robots_line(request.prefix).removeprefix("Sitemap: ")
            data = corrected((self._robots or "").encode() or None, [line], create=True).data or b""
            etag = EntityValidators(etag_of(blake2b(data).hexdigest(), weak=False))
            return _sent(request, ServedAnswer(head(request, TEXT, etag, int(self.refresh)), data))
        shard = _SHARD.fullmatch(request.path)
        if shard is None:
            plans: dict[str, ServingPlan] = {}
            for name, keeper in self.keepers.items():
                plans[name] = yield keeper.plan_async if is_async else keeper.plan
            return self._index(request, plans, gzip=request.path.endswith(".gz"))
        section, keeper, number = self.sections[shard["section"]], self.keepers[shard["section"]], int(shard["number"])
        known: ServingPlan = yield keeper.plan_async if is_async else keeper.plan
        found = known.shard(number)
        if found is None or not found.tally.count:
            known = yield keeper.renew_async if is_async else keeper.renew
            found = known.shard(number)
        if found is None or not found.tally.count:
            return _not_found()
        return (yield from self._shard(request, section, known, found, gzip=shard["gz"] is not None))

    def _index(self, request: FrameworkRequest, plans: Mapping[str, ServingPlan], *, gzip: bool) -> ServedAnswer:
        children: list[IndexEntry] = []
        dates: list[float] = []
        for name, plan in plans.items():
            for shard in plan.listed:
                file = f"/sitemap-{name}-{shard.number}.xml{'.gz' if self.gzip else ''}"
                children.append(IndexEntry(self.url_of(file, request.prefix), shard.tally.latest))
                dates.append(shard.modified)
        data = b"".join(write_index(children))
        etag = etag_of(blake2b(data).hexdigest(), gzip, weak=False)
        modified = max(dates) if dates and min(dates) > 0 else 0.0
        answer = head(request, GZIP if gzip else XML, EntityValidators(etag, modified), int(self.refresh))
        return _sent(request, ServedAnswer(answer, b"".join(compress([data])) if gzip else data))

    def _shard(
        self, request: FrameworkRequest, section: ServedSection, plan: ServingPlan, shard: PlannedShard, *, gzip: bool
    ) -> Steps:
        tally = shard.tally
        etag = etag_of(self.base_url, section.name, plan.mode, plan.width, shard.number, shard.after, shard.upto,
                       tally.count, tally.latest, tally.digest, gzip)  # fmt: skip
        answer = head(request, GZIP if gzip else XML, EntityValidators(etag, shard.modified), int(self.refresh))
        if answer.status != 200 or request.method == "HEAD":
            return ServedAnswer(answer)
        keyed, rows, keep = section.keyed, section.pages, None
        if keyed is not None:
            rows = partial(keyed.rows, shard.after, shard.upto, plan.most_rows(shard))
        else:
            keep = _Bucket(shard.number - 1, plan.width)
        rendering = SitemapStream(self.base_url, gzip=gzip, keep=keep)
        with FinishedFile.making() as file:
            yield Each(rows, lambda pages: file.write(rendering.feed(pages)))
            file.finish(rendering.finish(f"sitemap-{section.name}-{shard.number}.xml"))
        return _sent(request, ServedAnswer(answer, file))


class _Bucket:
    """The elements of one shard of an iterable, each address once."""

    def __init__(self, bucket: int, buckets: int) -> None:
        self._bucket, self._buckets = bucket, buckets
        self._seen: set[int] = set()

    def __call__(self, line: bytes) -> bool:
        if bucket_of(line, self._buckets) != self._bucket:
            return False
        before = len(self._seen)
        self._seen.add(hash_of_loc(line))
        return len(self._seen) > before


def _sent(request: FrameworkRequest, answer: ServedAnswer) -> ServedAnswer:
    """With its length, and without a body where none is wanted."""
    if answer.head.status != 200:
        return ServedAnswer(answer.head)
    length = ("Content-Length", str(len(answer.body)))
    sized = ResponseHead(200, [*answer.head.headers, length])
    return ServedAnswer(sized, b"" if request.method == "HEAD" else answer.body)


def _not_found() -> ServedAnswer:
    return ServedAnswer(ResponseHead(404, [("Content-Type", TEXT)]), b"not found\n")
