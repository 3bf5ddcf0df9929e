"""A site → the indexed share of each sitemap with its interval, and where Google and the site disagree."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from urlset.checking import clock
from urlset.checking.context import Context
from urlset.checking.engine_report import InspectedPage
from urlset.checking.placing import ProblemCollector
from urlset.findings.verdict import Verdict
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import Engine
from urlset.spec.submission import CHANNELS, Channel
from urlset.submitting.exports import Export, ExportError, read_exports
from urlset.submitting.google import exact_name, most_specific
from urlset.submitting.receipt import Refused
from urlset.submitting.sampling import UrlSample, draw, estimate
from urlset.submitting.secrets import SecretError
from urlset.submitting.store import EngineStore
from urlset.web.api import Api, is_loopback
from urlset.web.loop import run
from urlset.workflows.engines.accounts import Accounts, open_accounts
from urlset.workflows.engines.index_options import EngineCount, IndexedShare, IndexOptions, IndexReport
from urlset.workflows.engines.inspecting import Inspector
from urlset.workflows.engines.listed import ListedSample, source_of
from urlset.workflows.submit.live_set import named_loopback
from urlset.workflows.submit.sitemaps import bing_site

_WINDOW = timedelta(days=90)
_TOTAL = "total"
INSPECTION, EXPORT, IMPRESSIONS, NOTHING = "inspection sample", "export", "impressions (lower bound)", "unknown"


def index(options: IndexOptions, *, api: Api | None = None, now: Callable[[], datetime] = clock.now) -> IndexReport:
    """Raises SecretError without credentials, unless exports are given; StateError; ExportError."""
    options = msgspec.structs.replace(options, web=named_loopback(options.web, [options.target]))
    exports = read_exports(options.exports)
    with EngineStore(options.state) as store:
        listed = ListedSample(options)
        sample = draw(listed, options.sample)
        return run(_Work(options, store, listed, sample, exports, now).run(api or Api()))


class _Work:
    def __init__(
        self,
        options: IndexOptions,
        store: EngineStore,
        listed: ListedSample,
        sample: UrlSample,
        exports: tuple[Export, ...],
        now: Callable[[], datetime],
    ) -> None:
        self._options, self._store, self._listed, self._sample = options, store, listed, sample
        self._exports, self._now = exports, now
        self._stopped: list[str] = []
        self._notes = [*listed.missing, *(note for export in exports for note in export.notes)]
        self._counts: list[EngineCount] = []
        self._shown: set[str] = set()
        self._used: set[str] = set()
        self._audited = _audited(options.audit)  # before any quota is spent

    async def run(self, api: Api) -> IndexReport:
        async with api:
            try:
                accounts = open_accounts(api, (), self._options.environment)
            except SecretError:
                if not self._exports:
                    raise
                accounts = Accounts()
            await self._ask(accounts, api)
        return self._report()

    async def _ask(self, accounts: Accounts, api: Api) -> None:
        if accounts.google is not None:
            endpoint = self._options.environment.get(CHANNELS[Channel.GOOGLE].endpoint_variable, "")
            inspector = Inspector(
                accounts.google, self._store, self._options, now=self._now, paced=not is_loopback(endpoint)
            )
            try:
                if self._options.impressions:
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
        name = exact_name(self._options.property) if self._options.property else None
        if name is None:
            chosen = most_specific(self._options.target, await google.properties())
            name = chosen.name if chosen is not None else None
        if name is None:
            return
        end = self._now().date()
        async for url in google.pages_with_impressions(name, (end - _WINDOW).isoformat(), end.isoformat()):
            self._shown.add(url)

    async def _bing(self, accounts: Accounts) -> None:
        if accounts.bing is not None:
            found = await accounts.bing.indexed_pages(await bing_site(accounts.bing, self._options.target))
            if found is not None:
                self._counts.append(EngineCount("bing", found[1], found[0], "GetCrawlStats"))

    async def _yandex(self, accounts: Accounts) -> None:
        if accounts.yandex is not None and (host := await accounts.yandex.host_of(self._options.target)):
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
        total = self._total(inspected, indexed)
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

    def _total(self, inspected: Counter[str], indexed: Counter[str]) -> IndexedShare:
        return self._section(_TOTAL, self._sample.sizes, inspected, indexed)

    def _unused(self) -> tuple[str, ...]:
        """Exports that no number of the report comes from, with the reason."""
        return tuple(
            f"{each.name}: {each.lacking or f'it counts {each.sitemap}, which {self._options.target} does not list'}"
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


def _audited(path: Path | None) -> dict[str, dict[str, Any]]:
    """URL → its row in a JSON report of `urlset audit`."""
    if path is None:
        return {}
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
        rows = body["pages"]
    except (OSError, ValueError, KeyError, TypeError):
        raise ExportError(f"{path}: not a JSON report of `urlset audit`") from None
    return {str(row["url"]): row for row in rows if isinstance(row, dict) and row.get("url")}
