"""A site → the indexed share of each sitemap with its interval, and where Google and the site disagree."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from urlset.checking import clock
from urlset.checking.context import Context
from urlset.checking.live_page import InspectedPage, moment_of
from urlset.checking.placing import ProblemCollector
from urlset.findings.verdict import Verdict
from urlset.model.document import Document
from urlset.model.frames import FrameTable, Tabular, table_of
from urlset.model.shown import Shown
from urlset.reading.read import read
from urlset.reading.tree import DocumentTree
from urlset.rules.catalogue import all_rules
from urlset.settings.declare import StrPath
from urlset.settings.engines import IndexSettings
from urlset.settings.groups import SitemapFetchSettings
from urlset.spec.engines import Engine
from urlset.spec.protocol import GSC_INSPECTIONS_PER_DAY, GSC_INSPECTIONS_PER_MINUTE
from urlset.spec.submission import CHANNELS, INSPECTIONS_AT_ONCE, Channel
from urlset.storage.paths import is_address
from urlset.submitting.engine import Refused, SecretError, Status
from urlset.submitting.exports import Export, ExportError, read_exports
from urlset.submitting.google import Google, Property, exact_name, most_specific
from urlset.submitting.sampling import SampleUrl, UrlSample, draw, estimate
from urlset.submitting.store import EngineStore, left_today, quota_day
from urlset.submitting.webmasters import Accounts, open_accounts
from urlset.web.api import Api, is_loopback
from urlset.web.loop import run
from urlset.web.options import WebOptions
from urlset.workflows.live.tree import LiveTree
from urlset.workflows.submit import bing_site, named_loopback

_WINDOW = timedelta(days=90)
_TOTAL = "total"
INSPECTION, EXPORT, IMPRESSIONS, NOTHING = "inspection sample", "export", "impressions (lower bound)", "unknown"


def index(
    settings: IndexSettings,
    *,
    environment: Mapping[str, str] = os.environ,
    api: Api | None = None,
    now: Callable[[], datetime] = clock.now,
    pace: InspectionPace | None = None,
) -> IndexReport:
    """Raises SecretError without credentials, unless exports are given; StateError; ExportError."""
    assert settings.target is not None  # required
    target = settings.target
    exports = read_exports(tuple(map(Path, settings.exports)))
    with EngineStore(Path(settings.state)) as store:
        listed = ListedSample(target, named_loopback(settings.fetching, [target]))
        sample = draw(listed, settings.sample)
        work = _Work(settings, environment, store, listed, sample, exports, now, pace or InspectionPace())
        return run(work.run(api or Api()))


class _Work:
    def __init__(
        self,
        settings: IndexSettings,
        environment: Mapping[str, str],
        store: EngineStore,
        listed: ListedSample,
        sample: UrlSample,
        exports: tuple[Export, ...],
        now: Callable[[], datetime],
        pace: InspectionPace,
    ) -> None:
        self._settings, self._target, self._environment = settings, settings.target or "", environment
        self._store, self._listed, self._sample = store, listed, sample
        self._exports, self._now, self._pace = exports, now, pace
        self._stopped: list[str] = []
        self._notes = [*listed.missing, *(note for export in exports for note in export.notes)]
        self._counts: list[EngineCount] = []
        self._shown: set[str] = set()
        self._used: set[str] = set()
        self._audited = _audited(settings.audit)  # before any quota is spent

    async def run(self, api: Api) -> IndexReport:
        async with api:
            try:
                accounts = open_accounts(api, (), self._environment)
            except SecretError:
                if not self._exports:
                    raise
                accounts = Accounts()
            await self._ask(accounts, api)
        return self._report()

    async def _ask(self, accounts: Accounts, api: Api) -> None:
        if accounts.google is not None:
            endpoint = self._environment.get(CHANNELS[Channel.GOOGLE].endpoint_variable, "")
            inspector = Inspector(
                accounts.google,
                self._store,
                self._settings.property,
                self._pace,
                now=self._now,
                paced=not is_loopback(endpoint),
            )
            try:
                if self._settings.impressions:
                    await self._lower_bound(accounts)
                done = await inspector.run(self._sample)
                self._stopped += done.stopped
                if done.outside:
                    self._notes.append(f"{done.outside:,} sampled URLs are in no verified property of the account")
            except Refused as refused:
                self._stopped.append(api.redact(str(refused)))
        self._notes += accounts.notes
        for ask in (self._bing, self._yandex):
            try:
                await ask(accounts)
            except Refused as refused:
                self._notes.append(api.redact(str(refused)))

    async def _lower_bound(self, accounts: Accounts) -> None:
        google = accounts.google
        assert google is not None
        name = exact_name(self._settings.property) if self._settings.property else None
        if name is None:
            chosen = most_specific(self._target, await google.properties())
            name = chosen.name if chosen is not None else None
        if name is None:
            return
        end = self._now().date()
        async for url in google.pages_with_impressions(name, (end - _WINDOW).isoformat(), end.isoformat()):
            self._shown.add(url)

    async def _bing(self, accounts: Accounts) -> None:
        if accounts.bing is not None:
            found = await accounts.bing.indexed_pages(await bing_site(accounts.bing, self._target))
            if found is not None:
                self._counts.append(EngineCount("bing", found[1], found[0], "GetCrawlStats"))

    async def _yandex(self, accounts: Accounts) -> None:
        if accounts.yandex is not None and (host := await accounts.yandex.host_of(self._target)):
            count = await accounts.yandex.searchable_pages(host)
            if count is not None:
                self._counts.append(EngineCount("yandex", count, None, "searchable_pages_count"))

    # the report

    def _report(self) -> IndexReport:
        inspected: Counter[str] = Counter()
        indexed: Counter[str] = Counter()
        shown: Counter[str] = Counter()
        reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)
        gathering = ProblemCollector(Context(now=self._now(), engines=(Engine.GOOGLE,)), {}, {})
        rules = [rule for rule in all_rules() if rule.on is InspectedPage]
        for each in self._sample.order:
            section = self._listed.section_of(each.stratum)
            known = self._store.inspection(each.url)
            shown[section] += each.url in self._shown
            if known is None:
                continue
            inspected[each.stratum] += 1
            indexed[each.stratum] += known.inspection.indexed
            if not known.inspection.indexed:
                reasons[section][known.inspection.coverage or "no reason given"] += 1
            page = _page(each.url, source_of(each.stratum), each.lastmod, known, self._audited, self._now())
            for rule in rules:
                gathering.judge(rule, partial(rule.check, page), each.url)
        sections = self._sections(inspected, indexed)
        total = self._section(_TOTAL, self._sample.sizes, inspected, indexed)
        count = sum(inspected.values())
        verdict: Verdict = gathering.verdict(rules, read)
        return IndexReport(
            inspected=count,
            left=len(self._sample.order) - count,
            sections=tuple(sections),
            total=total,
            verdict=verdict,
            reasons={name: dict(found.most_common()) for name, found in sorted(reasons.items())},
            counts=tuple(self._counts),
            notes=tuple(self._notes),
            stopped="; ".join(self._stopped),
            unused=self._unused(),
        )

    def _sections(self, inspected: Counter[str], indexed: Counter[str]) -> list[IndexedShare]:
        strata: defaultdict[str, list[str]] = defaultdict(list)
        for stratum in self._sample.sizes:
            strata[self._listed.section_of(stratum)].append(stratum)
        return [
            self._section(name, {each: self._sample.sizes[each] for each in found}, inspected, indexed)
            for name, found in sorted(strata.items())
        ]

    def _unused(self) -> tuple[str, ...]:
        """Exports that no number of the report comes from, with the reason."""
        return tuple(
            f"{each.name}: {each.lacking or f'it counts {each.sitemap}, which {self._target} does not list'}"
            for each in self._exports
            if each.name not in self._used
        )

    def _section(
        self, name: str, sizes: dict[str, int], inspected: Counter[str], indexed: Counter[str]
    ) -> IndexedShare:
        found = estimate(sizes, {each: inspected[each] for each in sizes}, {each: indexed[each] for each in sizes})
        sitemaps = self._listed.whole if name == _TOTAL else {name}
        export = next((export for export in self._exports if any(map(export.counts_for, sitemaps))), None)
        if export is not None and export.indexed is not None and export.not_indexed is not None:
            self._used.add(export.name)
            whole = export.indexed + export.not_indexed
            share = export.indexed / whole if whole else None
            return IndexedShare(
                name,
                found.urls,
                found.inspected,
                found.indexed,
                share,
                share or 0.0,
                share or 0.0,
                f"{EXPORT} of {export.day}",
            )
        source = INSPECTION if found.inspected else NOTHING
        low = found.low
        if self._shown and name == _TOTAL:
            bound = len(self._shown) / found.urls if found.urls else 0.0
            low = max(low, min(bound, found.high))
            source = f"{source}, {IMPRESSIONS}" if found.inspected else IMPRESSIONS
        return IndexedShare(name, found.urls, found.inspected, found.indexed, found.share, low, found.high, source)


def _page(
    url: str, source: str, lastmod: str | None, known: Any, audited: dict[str, dict[str, Any]], now: datetime
) -> InspectedPage:
    said = known.inspection
    ours = audited.get(url, {})
    return InspectedPage(
        context=Context(now=now, engines=(Engine.GOOGLE,)),
        url=url,
        source=source,
        lastmod=lastmod,
        verdict=said.verdict,
        coverage=said.coverage,
        robots=said.robots,
        indexing=said.indexing,
        fetch=said.fetch,
        last_crawl=said.last_crawl,
        google_canonical=said.google_canonical,
        user_canonical=said.user_canonical,
        known_since=known.first,
        state=ours.get("state"),
        indexable=ours.get("indexable"),
        advised_against=_advice(ours),
    )


def _advice(row: dict[str, Any]) -> tuple[str, ...]:
    """The code of the finding for which the audit advises to drop the page."""
    remedy = row.get("remedy")
    dropped = isinstance(remedy, dict) and remedy.get("action") == "drop"
    return (str(remedy["code"]),) if dropped and isinstance(remedy, dict) else ()


def _audited(given: StrPath | None) -> dict[str, dict[str, Any]]:
    """URL → its row in a JSON report of `urlset audit`."""
    if given is None:
        return {}
    path = Path(given)
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
        rows = body["pages"]
    except (OSError, ValueError, KeyError, TypeError):
        raise ExportError(f"{path}: not a JSON report of `urlset audit`") from None
    return {str(row["url"]): row for row in rows if isinstance(row, dict) and row.get("url")}


# The pace of inspections, and the result.


class InspectionPace(msgspec.Struct, frozen=True):
    """How fast URLs are inspected, and how long an answer counts."""

    per_day: int = GSC_INSPECTIONS_PER_DAY
    at_once: int = INSPECTIONS_AT_ONCE
    per_minute: int = GSC_INSPECTIONS_PER_MINUTE
    refresh_days: int = 30
    """an answer older than this, or older than the page's lastmod, is requested again once the sample is complete"""


class IndexedShare(msgspec.Struct, frozen=True):
    """The indexed share of one sitemap or path, or of everything; `share` is None where nothing is known."""

    name: str
    urls: int
    inspected: int
    indexed: int
    share: float | None
    low: float
    high: float
    source: str

    @property
    def band(self) -> str | None:
        """Practitioners' rule of thumb, named only when the whole interval lies inside one band."""
        for name, low, high in (("healthy", 0.9, 1.0), ("mixed", 0.6, 0.9), ("poor", 0.0, 0.6)):
            if low <= self.low and self.high <= high and self.share is not None:
                return name
        return None


class EngineCount(msgspec.Struct, frozen=True):
    """What an engine says it has of the whole site."""

    engine: str
    indexed: int
    at: str | None
    source: str


class IndexReport(Shown, Tabular, msgspec.Struct, frozen=True):
    inspected: int
    """URLs of the sample with an answer"""
    left: int
    """URLs of the sample still to be asked about"""
    sections: tuple[IndexedShare, ...]
    total: IndexedShare
    verdict: Verdict
    reasons: dict[str, dict[str, int]] = {}
    """section → Google's display text → URLs, of those inspected and not indexed"""
    counts: tuple[EngineCount, ...] = ()
    notes: tuple[str, ...] = ()
    stopped: str = ""
    """why inspections ended early; empty when none is left"""
    unused: tuple[str, ...] = ()
    """exports that say nothing about the listed sitemaps, with the reason"""

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """Rows: sections, findings, counts."""
        return {
            "sections": lambda: table_of(IndexedShare, lambda: (*self.sections, self.total)),
            "findings": lambda: self.verdict.table("findings"),
            "counts": lambda: table_of(EngineCount, lambda: self.counts),
        }


# A sample and its properties → inspections, written one by one, until the sample or the day's quota ends.

_MOST_FAILURES = 5
"""answers in a row that say nothing: the engine is not well"""


class InspectionRun(msgspec.Struct):
    """What a run did."""

    asked: int = 0
    stopped: list[str] = []
    outside: int = 0
    """URLs that no property of the account contains"""


class Inspector:
    def __init__(
        self,
        google: Google,
        store: EngineStore,
        named_property: str | None,
        pace: InspectionPace,
        *,
        now: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        paced: bool = True,
    ) -> None:
        self._google, self._store, self._now, self._sleep = google, store, now, sleep
        self._property, self._pace = named_property, pace
        self._paced = paced
        self.result = InspectionRun()

    async def run(self, sample: UrlSample) -> InspectionRun:
        """Raises Refused where the account cannot be used at all."""
        queues = self._queues(sample, await self._properties())
        async with asyncio.TaskGroup() as group:
            for name, queue in queues.items():
                group.create_task(self._spend(name, queue))
        return self.result

    async def _properties(self) -> list[Property]:
        if self._property:
            return [Property(exact_name(self._property))]
        found = await self._google.properties()
        if not any(each.verified for each in found):
            raise Refused(Status.REFUSED, "the account has no verified Search Console property")
        return found

    def _queues(self, sample: UrlSample, properties: list[Property]) -> dict[str, deque[SampleUrl]]:
        """By property: what has no answer yet, in the order of the sample; then answers that are out of date."""
        queues: dict[str, deque[SampleUrl]] = {}
        stale: list[tuple[bool, str, str, SampleUrl]] = []
        for each in sample.order:
            chosen = properties[0] if self._property else most_specific(each.url, properties)
            if chosen is None:
                self.result.outside += 1
                continue
            known = self._store.inspection(each.url)
            if known is None:
                queues.setdefault(chosen.name, deque()).append(each)
            elif self._is_stale(each, known.at):
                stale.append((not self._changed(each, known.at), known.at, chosen.name, each))
        for _, _, name, each in sorted(stale, key=lambda item: item[:2]):
            queues.setdefault(name, deque()).append(each)
        return queues

    def _is_stale(self, each: SampleUrl, at: str) -> bool:
        asked = moment_of(at)
        age = timedelta(days=self._pace.refresh_days)
        return asked is None or self._now() - asked > age or self._changed(each, at)

    def _changed(self, each: SampleUrl, at: str) -> bool:
        changed, asked = moment_of(each.lastmod), moment_of(at)
        return changed is not None and asked is not None and changed > asked

    async def _spend(self, name: str, queue: deque[SampleUrl]) -> None:
        """Use up what the property may ask today."""
        left = left_today(self._store, name, self._now(), self._pace.per_day)
        if not left and queue:
            self._stop(name, "the quota of today is used up; run again tomorrow")
            return
        work = deque(queue.popleft() for _ in range(min(left, len(queue))))
        if queue:
            self._stop(name, "the quota of today is used up; run again tomorrow")
        bucket = _Bucket(self._pace.per_minute, self._sleep) if self._paced else None
        failures = 0

        async def worker() -> None:
            nonlocal failures
            while work and failures < _MOST_FAILURES:
                each = work.popleft()
                if bucket is not None:
                    await bucket.take()
                try:
                    found = await self._google.inspect(name, each.url)
                except Refused as refused:
                    if refused.status is Status.UNREACHABLE:
                        failures += 1
                        if failures == _MOST_FAILURES:
                            self._stop(name, str(refused))
                        continue
                    work.clear()
                    if refused.status is Status.POSTPONED:
                        self._store.exhaust(name, quota_day(self._now()))
                    self._stop(name, str(refused))
                    return
                failures = 0
                now = self._now()
                self._store.keep_inspection(name, quota_day(now), now.isoformat(timespec="seconds"), found)
                self.result.asked += 1

        async with asyncio.TaskGroup() as group:
            for _ in range(min(self._pace.at_once, len(work))):
                group.create_task(worker())

    def _stop(self, name: str, why: str) -> None:
        line = f"{name}: {why}"
        if line not in self.result.stopped:
            self.result.stopped.append(line)


class _Bucket:
    """So many a minute, the first minute's worth at once."""

    def __init__(self, per_minute: int, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._most, self._sleep = float(per_minute), sleep
        self._tokens, self._then = float(per_minute), time.monotonic()

    async def take(self) -> None:
        while True:
            now = time.monotonic()
            self._tokens = min(self._most, self._tokens + (now - self._then) * self._most / 60)
            self._then = now
            if self._tokens >= 1:
                self._tokens -= 1
                return
            await self._sleep((1 - self._tokens) * 60 / self._most)


# A site, sitemap or file → candidates for inspection, by section and stratum.

_MOST_SEGMENTS = 50
_BETWEEN = "\t"


class ListedSample:
    """Iterate once to get the candidates; afterwards `section_of` names the section of each stratum."""

    def __init__(self, target: str, web: WebOptions) -> None:
        self._target, self._web = target, web
        self.missing: list[str] = []
        self._files: set[str] = set()
        self._indexes: set[str] = set()
        self._segments: set[str] = set()

    def __iter__(self) -> Iterator[SampleUrl]:
        seen: set[int] = set()
        target = self._target
        tree = LiveTree([target], SitemapFetchSettings(web=self._web)) if is_address(target) else DocumentTree([target])
        for document in tree:
            if document.kind.lists_pages:
                yield from self._pages(document, seen)
            elif document.kind.lists_sitemaps:
                self._indexes.add(document.url or document.name)
        self.missing = [f"{missing.loc}: {missing.reason}" for missing in tree.missing]

    def _pages(self, document: Document, seen: set[int]) -> Iterator[SampleUrl]:
        name = document.url or document.name
        self._files.add(name)
        columns = document.columns
        for raw, lastmod in zip(columns.locs, columns.lastmods, strict=True):
            url = (raw or "").strip()
            if not is_address(url) or hash(url) in seen:
                continue
            seen.add(hash(url))
            segment = urlsplit(url).path.lstrip("/").partition("/")
            part = f"/{segment[0]}/" if segment[1] else "/"
            if part not in self._segments and len(self._segments) >= _MOST_SEGMENTS:
                part = "/…"
            self._segments.add(part)
            yield SampleUrl(url, f"{name}{_BETWEEN}{part}", lastmod and lastmod.strip())

    @property
    def whole(self) -> frozenset[str]:
        """The only sitemap or the only index: what lists everything."""
        found = self._indexes or self._files
        return frozenset(found) if len(found) == 1 else frozenset()

    def section_of(self, stratum: str) -> str:
        """The sitemap; the first folder of the path where there is only one sitemap."""
        name, _, part = stratum.partition(_BETWEEN)
        return name if len(self._files) > 1 else part


def source_of(stratum: str) -> str:
    return stratum.partition(_BETWEEN)[0]
