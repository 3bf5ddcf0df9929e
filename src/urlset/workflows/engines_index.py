"""A site → the indexed share of each sitemap with its interval, and where Google and the site disagree."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from urlset.checking import clock
from urlset.checking.context import Context
from urlset.checking.live_page import InspectedPage, moment_of
from urlset.checking.placing import ProblemCollector
from urlset.findings.finding import quoted
from urlset.findings.verdict import Verdict
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
from urlset.submitting.exports import Export, ExportError, ExportScope, read_exports
from urlset.submitting.google import Google, Property, exact_name, most_specific
from urlset.submitting.sampling import SampleUrl, Share, UrlSample, draw, estimate, needed
from urlset.submitting.store import EngineStore, left_today, quota_day
from urlset.submitting.webmasters import Accounts, open_accounts
from urlset.web.api import Api, is_loopback
from urlset.web.loop import run
from urlset.web.options import WebOptions
from urlset.workflows.live.tree import LiveTree
from urlset.workflows.submit import bing_site, named_loopback, property_name

_WINDOW = timedelta(days=90)
_TOTAL = "total"
INSPECTION, EXPORT, NOTHING = "inspection sample", "export", "unknown"
SEEN, REASONS = "seen in search (lower bound)", "exported reasons (upper bound)"
ALL_KNOWN = "all known pages (upper bound)"


def index(
    settings: IndexSettings,
    *,
    environment: Mapping[str, str] = os.environ,
    now: Callable[[], datetime] = clock.now,
    pace: InspectionPace | None = None,
) -> IndexReport:
    """Raises SecretError without credentials, unless exports are given; StateError; ExportError."""
    assert settings.target is not None  # required
    target = settings.target
    exports, refused = read_exports(tuple(map(Path, settings.exports)))
    with EngineStore(Path(settings.state)) as store:
        listed = ListedSample(target, named_loopback(settings.fetching, [target]))
        work = _Work(settings, environment, store, listed, exports, refused, now, pace or InspectionPace())
        return run(work.run())


def _why_ignored(export: Export, target: str) -> str:
    if export.seen_in_search:
        return f"none of its {len(export.seen_in_search):,} pages is listed in {target}"
    if export.sitemap is not None and export.has_counts:
        return f"it counts {export.sitemap}, which {target} does not list"
    if export.scope is ExportScope.UNKNOWN and export.has_counts:
        if not export.filter:
            return "its Metadata names no filter, so it is unknown which pages it counts; export the zip as a whole"
        return (
            f"its filter {quoted(export.filter)} is not understood; choose one sitemap in the filter of the Page "
            "indexing report, or set Search Console to English, then export again"
        )
    if export.urls and export.lists_indexed is None:
        return "it lists pages, but not whether they are indexed: export the zip with its Metadata, not one table"
    if export.urls:
        return f"none of its {len(export.urls):,} pages is listed in {target}"
    return "it has reasons, but no chart of indexed and not indexed pages; export the summary as a whole"


class _Work:
    def __init__(
        self,
        settings: IndexSettings,
        environment: Mapping[str, str],
        store: EngineStore,
        listed: ListedSample,
        exports: list[Export],
        refused: list[str],
        now: Callable[[], datetime],
        pace: InspectionPace,
    ) -> None:
        self._settings, self._target, self._environment = settings, settings.target or "", environment
        self._store, self._listed, self._sample = store, listed, draw(listed, settings.sample)
        self._exports, self._refused, self._now, self._pace = exports, refused, now, pace
        self._used: dict[str, list[str]] = {}
        """name of an export → what it is used for"""
        self._stopped: list[str] = []
        self._notes = [*listed.missing, *(note for export in exports for note in export.notes)]
        self._counts: list[EngineCount] = []
        self._shown: set[str] = set()
        self._not_indexed: Counter[str] = Counter()
        """listed pages by section that a list of pages in an export says are not indexed"""
        self._audited = _audited(settings.audit)  # before any quota is spent

    async def run(self) -> IndexReport:
        async with Api() as api:
            try:
                accounts = open_accounts(api, (), self._environment)
            except SecretError:
                if not (self._exports or self._refused):
                    raise
                accounts = Accounts()
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
                    await inspector.run(self._sample)
                    self._stopped += inspector.stopped
                    if inspector.outside:
                        self._notes.append(
                            f"{inspector.outside:,} sampled URLs are in no verified property of the account"
                        )
                except Refused as refused:
                    self._stopped.append(api.redact(str(refused)))
            self._notes += accounts.notes
            for ask in (self._bing, self._yandex):
                try:
                    await ask(accounts)
                except Refused as refused:
                    self._notes.append(api.redact(str(refused)))
        return self._report()

    async def _lower_bound(self, accounts: Accounts) -> None:
        google = accounts.google
        assert google is not None
        name = await property_name(google, self._target, self._settings.property)
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
        reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)
        gathering = ProblemCollector(Context(now=self._now(), engines=(Engine.GOOGLE,)), {}, {})
        rules = [rule for rule in all_rules() if rule.on is InspectedPage]
        for each in self._sample.order:
            section = self._listed.section_of(each.stratum)
            known = self._store.inspection(each.url)
            if known is None:
                continue
            inspected[each.stratum] += 1
            indexed[each.stratum] += known.inspection.indexed
            if not known.inspection.indexed:
                reasons[section][known.inspection.coverage or "no reason given"] += 1
            page = _page(each.url, each.stratum.partition(_BETWEEN)[0], each.lastmod, known, self._audited, self._now())
            for rule in rules:
                gathering.judge(rule, partial(rule.check, page), each.url)
        self._use_pages(reasons)
        self._use_counts()
        strata: defaultdict[str, list[str]] = defaultdict(list)
        for stratum in self._sample.sizes:
            strata[self._listed.section_of(stratum)].append(stratum)
        sections = [
            self._section(name, {each: self._sample.sizes[each] for each in found}, inspected, indexed)
            for name, found in sorted(strata.items())
        ]
        total = self._section(_TOTAL, self._sample.sizes, inspected, indexed)
        count = sum(inspected.values())
        verdict: Verdict = gathering.verdict(rules, read)
        unused = [each for each in self._exports if each.name not in self._used]
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
            unused=(*self._refused, *(f"{each.name}: {_why_ignored(each, self._target)}" for each in unused)),
            used=tuple(f"{name}: {'; '.join(dict.fromkeys(uses))}" for name, uses in self._used.items()),
        )

    def _use(self, export: Export, what: str) -> None:
        self._used.setdefault(export.name, []).append(what)

    def _use_pages(self, reasons: defaultdict[str, Counter[str]]) -> None:
        """Pages that exports name: seen in search, indexed, or not indexed for a reason."""
        inspected = {each.url for each in self._sample.order if self._store.inspection(each.url) is not None}
        for export in self._exports:
            listed = [url for url in (*export.seen_in_search, *export.urls) if self._listed.section_of_url(url)]
            if not listed or (export.urls and export.lists_indexed is None):
                continue
            of = f"{len(listed):,} of its {len(export.seen_in_search) + len(export.urls):,} pages are listed"
            if export.seen_in_search or export.lists_indexed:
                self._shown.update(listed)
                what = "indexed" if export.lists_indexed else "seen in search, so indexed"
                self._use(export, f"{of}: {what} (lower bound)")
                continue
            for url in listed:
                section = self._listed.section_of_url(url) or ""
                self._not_indexed[section] += 1
                reasons[section][export.issue] += url not in inspected
            self._use(export, f"{of}: not indexed, {quoted(export.issue)} (upper bound)")

    def _use_counts(self) -> None:
        """Counts of more than the listed pages: they say something, but not the share of a sitemap."""
        for export in self._exports:
            if not export.has_counts or export.indexed is None or export.not_indexed is None:
                continue
            both = f"{export.indexed:,} of {export.indexed + export.not_indexed:,} pages indexed on {export.day}"
            if export.scope is ExportScope.KNOWN:
                self._counts.append(EngineCount("google", export.indexed, export.day, "export of all known pages"))
                self._use(export, f"{both}, listed or not: an upper bound for the total")
            elif export.scope is ExportScope.UNSUBMITTED:
                self._counts.append(EngineCount("google", export.indexed, export.day, "export of unsubmitted pages"))
                self._use(export, f"{both} that no submitted sitemap lists: see `urlset audit --crawl`")

    def _section(
        self, name: str, sizes: dict[str, int], inspected: Counter[str], indexed: Counter[str]
    ) -> IndexedShare:
        found = estimate(sizes, {each: inspected[each] for each in sizes}, {each: indexed[each] for each in sizes})
        sitemaps = self._listed.whole if name == _TOTAL else {name}
        export = next((each for each in self._exports if any(map(each.counts_for, sitemaps))), None)
        if export is None and name == _TOTAL:  # also that of all submitted pages
            submitted = (each for each in self._exports if each.has_counts and each.scope is ExportScope.SUBMITTED)
            export = next(submitted, None)
        if export is not None and export.indexed is not None and export.not_indexed is not None:
            whole = export.indexed + export.not_indexed
            share = export.indexed / whole if whole else None
            source = f"{EXPORT} of {export.day}"
            if export.scope is ExportScope.SUBMITTED:
                source += ", all submitted pages"
            self._use(export, f"exact counts of {'the whole' if name == _TOTAL else name}: {whole:,} pages")
            low = share or 0.0
            return IndexedShare(name, found.urls, found.inspected, found.indexed, share, low, low, source)
        low, high, source = self._bounds(name, found)
        needs = _needs(found, self._sample, is_sitemap=bool(sitemaps) and "://" in next(iter(sitemaps)))
        return IndexedShare(name, found.urls, found.inspected, found.indexed, found.share, low, high, source, needs)

    def _bounds(self, name: str, found: Share) -> tuple[float, float, str]:
        """The interval of the sample, narrowed by pages that are known to be indexed or not."""
        source = INSPECTION if found.inspected else ""
        low, high = found.low, found.high
        if not found.urls:
            return low, high, source or NOTHING
        of = [self._listed.section_of_url(url) for url in self._shown]
        shown = sum(section is not None and name in (section, _TOTAL) for section in of)
        refused = sum(self._not_indexed.values()) if name == _TOTAL else self._not_indexed[name]
        known = [each.indexed for each in self._counts if each.source == "export of all known pages"]
        if shown:
            low = max(low, min(shown / found.urls, high))
            source = ", ".join(filter(None, (source, SEEN)))
        if refused:
            high = max(low, min(high, 1 - refused / found.urls))
            source = ", ".join(filter(None, (source, REASONS)))
        if known and name == _TOTAL:
            high = max(low, min(high, known[0] / found.urls))
            source = ", ".join(filter(None, (source, ALL_KNOWN)))
        return low, high, source or NOTHING


_POINTS = 0.05


def _needs(found: Share, sample: UrlSample, *, is_sitemap: bool) -> str:
    """What makes the interval narrower: so many more inspections, or an export."""
    wanted = needed(found.urls, found.share, _POINTS)
    if not found.urls or found.inspected >= wanted:
        return ""
    whole = min(sample.total, ceil(wanted * sample.total / found.urls))
    more = f"{wanted - found.inspected:,} more inspections for ±{_POINTS * 100:.0f} points (--sample {whole})"
    export = ", or an export filtered to this sitemap for exact counts" if is_sitemap else ""
    return f"{more}{export}"


def _page(
    url: str, source: str, lastmod: str | None, known: Any, audited: dict[str, dict[str, Any]], now: datetime
) -> InspectedPage:
    said = msgspec.structs.asdict(known.inspection)
    said.pop("sitemaps")
    ours = audited.get(url, {})
    remedy = ours.get("remedy")
    dropped = isinstance(remedy, dict) and remedy.get("action") == "drop"
    return InspectedPage(
        **{**said, "url": url},
        context=Context(now=now, engines=(Engine.GOOGLE,)),
        source=source,
        lastmod=lastmod,
        known_since=known.first,
        state=ours.get("state"),
        indexable=ours.get("indexable"),
        advised_against=(str(remedy["code"]),) if dropped and isinstance(remedy, dict) else (),
    )


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
    needs: str = ""
    """what makes the interval narrower; empty where it is narrow enough"""

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
    """The share of listed URLs that Google has indexed."""

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
    used: tuple[str, ...] = ()
    """the other exports, and what for"""

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


class Inspector:
    def __init__(
        self,
        google: Google,
        store: EngineStore,
        named_property: str | None,
        pace: InspectionPace,
        *,
        now: Callable[[], datetime],
        paced: bool = True,
    ) -> None:
        self._google, self._store, self._now = google, store, now
        self._property, self._pace, self._paced = named_property, pace, paced
        self.stopped: list[str] = []
        """why inspections ended early"""
        self.outside = 0
        """URLs that no property of the account contains"""

    async def run(self, sample: UrlSample) -> None:
        """Raises Refused where the account cannot be used at all."""
        if self._property:
            properties = [Property(exact_name(self._property))]
        else:
            properties = await self._google.properties()
            if not any(each.verified for each in properties):
                raise Refused(Status.REFUSED, "the account has no verified Search Console property")
        queues = self._queues(sample, properties)
        async with asyncio.TaskGroup() as group:
            for name, queue in queues.items():
                group.create_task(self._spend(name, queue))

    def _queues(self, sample: UrlSample, properties: list[Property]) -> dict[str, deque[SampleUrl]]:
        """By property: what has no answer yet, in the order of the sample; then answers that are out of date."""
        queues: dict[str, deque[SampleUrl]] = {}
        stale: list[tuple[bool, str, str, SampleUrl]] = []
        for each in sample.order:
            chosen = properties[0] if self._property else most_specific(each.url, properties)
            if chosen is None:
                self.outside += 1
                continue
            known = self._store.inspection(each.url)
            if known is None:
                queues.setdefault(chosen.name, deque()).append(each)
                continue
            changed, asked = moment_of(each.lastmod), moment_of(known.at)
            is_changed = changed is not None and asked is not None and changed > asked
            if asked is None or self._now() - asked > timedelta(days=self._pace.refresh_days) or is_changed:
                stale.append((not is_changed, known.at, chosen.name, each))
        for _, _, name, each in sorted(stale, key=lambda item: item[:2]):
            queues.setdefault(name, deque()).append(each)
        return queues

    async def _spend(self, name: str, queue: deque[SampleUrl]) -> None:
        """Use up what the property may ask today."""
        left = left_today(self._store, name, self._now(), self._pace.per_day)
        if not left and queue:
            self._stop(name, "the quota of today is used up; run again tomorrow")
            return
        work = deque(queue.popleft() for _ in range(min(left, len(queue))))
        if queue:
            self._stop(name, "the quota of today is used up; run again tomorrow")
        bucket = _Bucket(self._pace.per_minute) if self._paced else None
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

        async with asyncio.TaskGroup() as group:
            for _ in range(min(self._pace.at_once, len(work))):
                group.create_task(worker())

    def _stop(self, name: str, why: str) -> None:
        line = f"{name}: {why}"
        if line not in self.stopped:
            self.stopped.append(line)


class _Bucket:
    """So many a minute, the first minute's worth at once."""

    def __init__(self, per_minute: int) -> None:
        self._most = float(per_minute)
        self._tokens, self._then = float(per_minute), time.monotonic()

    async def take(self) -> None:
        while True:
            now = time.monotonic()
            self._tokens = min(self._most, self._tokens + (now - self._then) * self._most / 60)
            self._then = now
            if self._tokens >= 1:
                self._tokens -= 1
                return
            await asyncio.sleep((1 - self._tokens) * 60 / self._most)


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
        self._strata: dict[int, str] = {}
        """the hash of a URL → its stratum"""

    def __iter__(self) -> Iterator[SampleUrl]:
        target = self._target
        tree = LiveTree([target], SitemapFetchSettings(web=self._web)) if is_address(target) else DocumentTree([target])
        for document in tree:
            if document.kind.lists_pages:
                name = document.url or document.name
                self._files.add(name)
                columns = document.columns
                strata: dict[str, str] = {}
                for raw, lastmod in zip(columns.locs, columns.lastmods, strict=True):
                    url = (raw or "").strip()
                    if not is_address(url) or hash(url) in self._strata:
                        continue
                    segment = urlsplit(url).path.lstrip("/").partition("/")
                    part = f"/{segment[0]}/" if segment[1] else "/"
                    if part not in self._segments and len(self._segments) >= _MOST_SEGMENTS:
                        part = "/…"
                    self._segments.add(part)
                    stratum = self._strata[hash(url)] = strata.setdefault(part, f"{name}{_BETWEEN}{part}")
                    yield SampleUrl(url, stratum, lastmod and lastmod.strip())
            elif document.kind.lists_sitemaps:
                self._indexes.add(document.url or document.name)
        self.missing = [f"{missing.loc}: {missing.reason}" for missing in tree.missing]

    @property
    def whole(self) -> frozenset[str]:
        """The only sitemap or the only index: what lists everything."""
        found = self._indexes or self._files
        return frozenset(found) if len(found) == 1 else frozenset()

    def section_of(self, stratum: str) -> str:
        """The sitemap; the first folder of the path where there is only one sitemap."""
        name, _, part = stratum.partition(_BETWEEN)
        return name if len(self._files) > 1 else part

    def section_of_url(self, url: str) -> str | None:
        """None for a page that is not listed."""
        stratum = self._strata.get(hash(url.strip()))
        return None if stratum is None else self.section_of(stratum)
