"""A sample and its properties → inspections, written one by one, until the sample or the day's quota ends."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import msgspec

from urlset.checking.engine_report import moment_of
from urlset.submitting.google import Google, Inspection, Property, exact_name, most_specific
from urlset.submitting.receipt import Refused, Status
from urlset.submitting.sampling import SampleUrl, UrlSample
from urlset.submitting.store import EngineStore, left_today, quota_day
from urlset.workflows.engines.index_options import IndexOptions

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
        options: IndexOptions,
        *,
        now: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        paced: bool = True,
    ) -> None:
        self._google, self._store, self._options, self._now, self._sleep = google, store, options, now, sleep
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
        if self._options.property:
            return [Property(exact_name(self._options.property))]
        found = await self._google.properties()
        if not any(each.verified for each in found):
            raise Refused(Status.REFUSED, "the account has no verified Search Console property")
        return found

    def _queues(self, sample: UrlSample, properties: list[Property]) -> dict[str, deque[SampleUrl]]:
        """By property: what has no answer yet, in the order of the sample; then answers that are out of date."""
        queues: dict[str, deque[SampleUrl]] = {}
        stale: list[tuple[bool, str, str, SampleUrl]] = []
        for each in sample.order:
            chosen = properties[0] if self._options.property else most_specific(each.url, properties)
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
        age = timedelta(days=self._options.refresh_days)
        return asked is None or self._now() - asked > age or self._changed(each, at)

    def _changed(self, each: SampleUrl, at: str) -> bool:
        changed, asked = moment_of(each.lastmod), moment_of(at)
        return changed is not None and asked is not None and changed > asked

    async def _spend(self, name: str, queue: deque[SampleUrl]) -> None:
        """Use up what the property may ask today."""
        left = left_today(self._store, name, self._now(), self._options.per_day)
        if not left and queue:
            self._stop(name, "the quota of today is used up; run again tomorrow")
            return
        work = deque(queue.popleft() for _ in range(min(left, len(queue))))
        if queue:
            self._stop(name, "the quota of today is used up; run again tomorrow")
        pace = _Bucket(self._options.per_minute, self._sleep) if self._paced else None
        failures = 0

        async def worker() -> None:
            nonlocal failures
            while work and failures < _MOST_FAILURES:
                each = work.popleft()
                if pace is not None:
                    await pace.take()
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
                self._keep(name, found)

        async with asyncio.TaskGroup() as group:
            for _ in range(min(self._options.at_once, len(work))):
                group.create_task(worker())

    def _keep(self, name: str, found: Inspection) -> None:
        now = self._now()
        self._store.keep_inspection(name, quota_day(now), now.isoformat(timespec="seconds"), found)
        self.result.asked += 1

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
