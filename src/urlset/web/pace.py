"""Waiting requests → the time at which each is sent: never too many per host at once, never too soon."""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple

import msgspec

from urlset.model.answer import Failure, FailureKind
from urlset.web.options import WebOptions

PUSHBACK = frozenset({429, 503})
LONGEST_GAP = 30.0
LONGEST_GAP_UNWELL = 2.0
"""a 503 may be one broken page's answer; a 429 is about this client"""
_FIRST_GAP = 0.5
_GOOD_RUN = 16
"""answers without complaint after which one more at a time is dared"""
_GOOD_TIME = 30.0
"""seconds without complaint that count as much: the longer the gap, the fewer answers they hold"""
RESUMED_PAUSE = 0.25
"""what the earlier process had under way is over by then"""
_LATENCY_WEIGHT = 0.15
_LATENCY_SAMPLES = 8
_LATENCY_FACTOR = 4.0
_LATENCY_FLOOR = 0.3
"""seconds above the usual before a host counts as slowed down"""
_BASELINE_DRIFT = 1.02
_STRIKES = 2
MANY_HOSTS = 5_000
_DEAD = 2
"""addresses in a row without a connection after which a host gets one try each"""
_FUTILE = 5
_ONCE_IN = 8
"""after so many addresses for which another try did not help, only one in so many gets one"""


class Pause(NamedTuple):
    seconds: float
    host: str


RetryDecision = tuple[float | None, int | None]
"""Seconds to wait before the next try, None where the exchange is final; and how many requests the host had welcomed
when it refused this one, for `settle` of the next try."""


class HostPace:
    """The queue at one host. `delay` above 0 means one at a time, counted from the end of an answer."""

    def __init__(self, concurrency: int, delay: float, *, first_after: float = 0.0) -> None:
        self._concurrency = concurrency
        self.delay = delay
        """requested by the caller or by Crawl-delay"""
        self.limit = 1 if delay else concurrency
        self.extra = 0.0
        """the gap that the host's complaints have led to"""
        self.active = 0
        self.unreachable = 0
        """addresses in a row that got no connection"""
        self.futile = 0
        """addresses in a row for which another try did not help"""
        self.welcomed = 0
        """answers without complaint so far"""
        self.refusal: Exchange | None = None
        self._refused_until = 0.0
        self._strikes = 0
        self._not_before = time.monotonic() + first_after if first_after else 0.0
        self._last_end = 0.0
        self._slowed_at = 0.0
        self._good_run = 0
        self._caution = 1
        """answers without complaint after which the gap is halved: more, where that was too early before

        But never more than come in `_GOOD_TIME`. So a host that keeps refusing some requests, whatever the gap, is
        asked at a gap at which it refuses one in about that time, and not ever more seldom.
        """
        self._hastened = False
        """the gap was halved since the last complaint"""
        self._latency = _Latency()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def gap(self) -> float:
        return max(self.delay, self.extra)

    @property
    def wait(self) -> float | None:
        """Seconds until the next request may go out; None if no request waits for that."""
        return max(0.0, self._not_before - time.monotonic()) if self._waiting and not self.active else None

    async def take(self) -> None:
        """Wait for a turn; every turn is given back by `give_back`."""
        if not self._waiting and self.active < self.limit and time.monotonic() >= self._not_before:
            self.active += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._wake()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.active -= 1
                self._wake()
            raise

    def give_back(self, *, asked: bool = True) -> None:
        """`asked` is False if the turn was not used, so no delay follows."""
        self.active -= 1
        if asked:
            self._last_end = time.monotonic()
            self._keep_gap()
        self._wake()

    def settle(self, exchange: Exchange, tried: int, refused_at: int | None, options: WebOptions) -> RetryDecision:
        """Learn from an exchange, give its turn back, and decide whether another try can help."""
        pushed_back = exchange.status in PUSHBACK
        self.learn(exchange, refused_at=refused_at)
        if pushed_back:
            wanted = retry_after(exchange)
            if wanted is not None and wanted > options.max_retry_after:
                self.refuse(msgspec.structs.replace(exchange, body=b""), wanted)
            elif wanted:
                self.leave_alone(wanted)
        # others at that host may have shown that retries fail; a 429 is always worth waiting for
        hopeless = exchange.status != 429 and self.futile >= _FUTILE and self.futile % _ONCE_IN != 0
        if exchange.failure is not None and exchange.failure.kind in UNREACHABLE:
            hopeless = self.unreachable >= _DEAD
        pause = pause_before_retry(exchange, tried, options)
        if pause is None or hopeless:
            self._remember(exchange, tried)
            pause = None
        elif pushed_back:
            self.leave_alone(pause)
            pause = 0.0
        self.give_back()
        return pause, self.welcomed if pushed_back else None

    def _remember(self, exchange: Exchange, tried: int) -> None:
        failure = exchange.failure
        if exchange.status is not None:
            self.unreachable = 0
        elif failure is not None and failure.kind in UNREACHABLE:
            self.unreachable += 1
            return
        if is_temporary(exchange):
            self.futile += 1
        elif tried > 1:
            self.futile = 0

    def leave_alone(self, seconds: float) -> None:
        self._not_before = max(self._not_before, time.monotonic() + seconds)

    def set_min_delay(self, delay: float) -> None:
        """A Crawl-delay: it holds from the last answer on, the robots.txt itself as a rule."""
        self.delay = max(self.delay, delay)
        if self.delay:
            self.limit = 1
            self._keep_gap()

    def refuse(self, exchange: Exchange, seconds: float) -> None:
        """The host requires a longer pause than any request waits; once may be limited to one page."""
        self._strikes += 1
        self.leave_alone(min(seconds, LONGEST_GAP) if self._strikes < _STRIKES else 0.0)
        if self._strikes >= _STRIKES:
            self.refusal = exchange
            self._refused_until = time.monotonic() + seconds

    @property
    def closed(self) -> bool:
        return self.refusal is not None and time.monotonic() < self._refused_until

    @property
    def is_as_new(self) -> bool:
        """Nothing is under way or waited for, and nothing was learned that a new queue would not know."""
        busy = self.active or self._waiting or time.monotonic() < self._not_before
        learned = self.extra or self._caution > 1 or self._strikes
        learned = learned or self.refusal is not None or self.unreachable or self.futile
        return not busy and not learned and self.limit == (1 if self.delay else self._concurrency)

    def learn(self, exchange: Exchange, *, refused_at: int | None = None) -> None:
        """Slower after complaints and when answers take longer and longer; faster again when they are good.

        `refused_at` is how many had been welcomed when the same address was refused before. Where others were
        welcomed since, it is the page that refuses, at any pace.
        """
        status = exchange.status
        if status in PUSHBACK:
            if refused_at is not None and self.welcomed > refused_at:
                return
            if self._hastened and exchange.started >= self._slowed_at:
                self._caution = min(2 * self._caution, _GOOD_RUN)
                self._hastened = False
            self._slow_down(exchange.started, LONGEST_GAP if status == 429 else LONGEST_GAP_UNWELL)
            return
        if status is None or exchange.failure is not None or status >= 500:
            return
        self._strikes, self.refusal = 0, None
        self.welcomed += 1
        if self._latency.add(exchange.first_byte) and self.limit > 1:
            self._slow_down(exchange.started)
            return
        if exchange.started >= self._slowed_at:  # an earlier one tells nothing about the pace of now
            self._good_run += 1
            self._recover()

    def _slow_down(self, started: float, longest_gap: float = 0.0) -> None:
        """Answers to requests that were in progress at the last slowdown do not count as a new complaint."""
        self._good_run = 0
        if started < self._slowed_at:
            return
        self._slowed_at = time.monotonic()
        if self.limit > 1:
            self.limit //= 2
        else:
            self.extra = max(self.extra, min(longest_gap, max(_FIRST_GAP, 2 * self.extra)))
            self._keep_gap()

    def _recover(self) -> None:
        """A gap goes quickly, as a quota comes back all at once; the number at a time grows slowly."""
        if self.extra:
            if self._good_run >= min(self._caution, _GOOD_TIME / self.gap):
                self._good_run = 0
                self._hastened = True
                self.extra = self.extra / 2 if self.extra > _FIRST_GAP else 0.0
        elif self._good_run >= _GOOD_RUN:
            self._good_run = 0
            self._caution, self._hastened = 1, False
            if self.limit < self._concurrency and not self.delay:
                self.limit += 1

    def _keep_gap(self) -> None:
        gap = self.gap
        if gap and self._last_end:
            self._not_before = max(self._not_before, self._last_end + gap)

    def _wake(self) -> None:
        while self._waiting and self.active < self.limit:
            if self._waiting[0].done():  # given up while it waited
                self._waiting.popleft()
                continue
            wait = self._not_before - time.monotonic()
            if wait > 0:
                if self._timer is None:
                    self._timer = asyncio.get_running_loop().call_later(wait, self._ring)
                return
            self.active += 1
            self._waiting.popleft().set_result(None)

    def _ring(self) -> None:
        self._timer = None
        self._wake()


class _Latency:
    """Whether a host has become much slower than it was."""

    def __init__(self) -> None:
        self._usual = self._now = 0.0
        self._samples = 0

    def add(self, seconds: float) -> bool:
        self._samples += 1
        if not self._now:
            self._usual = self._now = seconds
            return False
        self._now += _LATENCY_WEIGHT * (seconds - self._now)
        self._usual = min(self._now, self._usual * _BASELINE_DRIFT)
        if self._samples < _LATENCY_SAMPLES or self._now < self._usual + _LATENCY_FLOOR:
            return False
        if self._now > _LATENCY_FACTOR * self._usual:
            self._samples = 0
            return True
        return False


class Pace:
    """All hosts, and how many requests are under way in all."""

    def __init__(self, options: WebOptions, *, resumed: bool = False) -> None:
        self._options = options
        self._first_after = max(options.delay, RESUMED_PAUSE) if resumed else 0.0
        self._hosts: dict[str, HostPace] = {}
        self._crowded = MANY_HOSTS
        self._everywhere = asyncio.Semaphore(options.total_concurrency)

    async def take(self, host: str) -> Exchange | None:
        """Wait for the turn of a request, which is settled or dropped.

        Returns the refusal of a host that asked to be left alone for longer than is waited.
        """
        found = self.host(host)
        if found.closed and found.refusal is not None:
            return found.refusal
        await found.take()
        try:
            await self._everywhere.acquire()
        except asyncio.CancelledError:
            found.give_back(asked=False)
            raise
        return None

    def settle(self, host: str, exchange: Exchange, tried: int, refused_at: int | None) -> RetryDecision:
        self._everywhere.release()
        return self.host(host).settle(exchange, tried, refused_at, self._options)

    def drop(self, host: str) -> None:
        """The request was sent and is not waited for any more."""
        self._everywhere.release()
        self.host(host).give_back()

    @property
    def under_way(self) -> int:
        """Requests that were sent and have no answer yet; those that wait for their turn do not count."""
        return sum(host.active for host in self._hosts.values())

    def waits(self) -> Iterator[Pause]:
        """Of the hosts with waiting requests that are paused for now."""
        for name, host in self._hosts.items():
            if (seconds := host.wait) is not None:
                yield Pause(seconds, name)

    def host(self, name: str) -> HostPace:
        found = self._hosts.get(name)
        if found is None:
            if len(self._hosts) >= self._crowded:
                # hosts that were requested once and never again: redirects may lead to any number of them
                known, delay = self._hosts.items(), self._options.delay
                self._hosts = {each: host for each, host in known if host.delay != delay or not host.is_as_new}
                self._crowded = max(MANY_HOSTS, 2 * len(self._hosts))
            found = self._hosts[name] = HostPace(
                self._options.concurrency, self._options.delay, first_after=self._first_after
            )
        return found


# A failed exchange → how long to wait before another try, where another try can help.

_TEMPORARY = frozenset({429, 502, 503, 504})
_SECONDS = re.compile(r"\d{1,9}(?:\.\d+)?")

_ALWAYS = 1 << 10
_TRIES_THAT_HELP = {
    FailureKind.DNS: _ALWAYS,
    FailureKind.REFUSED: _ALWAYS,
    FailureKind.RESET: _ALWAYS,
    FailureKind.UNREACHABLE: _ALWAYS,
    FailureKind.CUT_SHORT: 2,
    FailureKind.CONNECT_TIMEOUT: 2,
    FailureKind.READ_TIMEOUT: 2,
    FailureKind.TOTAL_TIMEOUT: 2,
}
"""tries in total, the first included; any other failure stays the same on every try"""

UNREACHABLE = frozenset({FailureKind.DNS, FailureKind.REFUSED, FailureKind.UNREACHABLE, FailureKind.CONNECT_TIMEOUT})
"""no server answered: the next address of that host will hardly do better"""


def pause_before_retry(exchange: Exchange, tried: int, options: WebOptions) -> float | None:
    """Seconds; None where it stays as it is."""
    if tried >= options.tries or exchange.lasting:
        return None
    backoff: float = options.backoff * 2 ** (tried - 1)
    if exchange.failure is not None:
        return backoff if tried < _TRIES_THAT_HELP.get(exchange.failure.kind, 0) else None
    if exchange.status not in _TEMPORARY:
        return None
    asked = retry_after(exchange)
    if asked is None:
        return 2 * backoff
    return asked if asked <= options.max_retry_after else None


def is_temporary(exchange: Exchange) -> bool:
    """Whether another try might have helped, had there been one."""
    if exchange.failure is not None:
        return exchange.failure.kind in _TRIES_THAT_HELP and not exchange.lasting
    return exchange.status in _TEMPORARY


def retry_after(exchange: Exchange) -> float | None:
    """The seconds that a Retry-After header means, given as a number or as a date."""
    written = exchange.header("retry-after")
    if not written or exchange.status is None:
        return None
    if _SECONDS.fullmatch(written.strip()):
        return float(written)
    until = _moment(written)
    if until is None:
        return None
    now = _moment(exchange.header("date") or "") or datetime.now(UTC)  # by the server's clock, where it shows one
    return max(0.0, (until - now).total_seconds())


def _moment(written: str) -> datetime | None:
    try:
        read = parsedate_to_datetime(written)
    except ValueError:
        return None
    return read if read.tzinfo is not None else read.replace(tzinfo=UTC)


# One request and what came back, or how it failed.

Headers = tuple[tuple[str, str], ...]


class Exchange(msgspec.Struct, frozen=True):
    status: int | None = None
    headers: Headers = ()
    body: bytes = b""
    truncated: bool = False
    failure: Failure | None = None
    lasting: bool = False
    """the failure will be the same the next time"""
    wire_bytes: int = 0
    seconds: float = 0.0
    first_byte: float = 0.0
    started: float = 0.0
    """on the monotonic clock"""
    tries: int = 1
    retried: str = ""
    """how the first try failed, where there were several: a status, or a failure"""

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name), None)
