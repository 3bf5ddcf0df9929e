"""An address → its Answer: fetched politely, from the recording, or by asking whether the kept copy still holds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

import msgspec

from urlset.model.answer import Answer, Failure, FailureKind, Hop
from urlset.reading.host_robots import Access, HostRobots, origin_of
from urlset.spec.protocol import ROBOTS_CACHE_HOURS, ROBOTS_MIN_PARSED_BYTES, ROBOTS_MIN_REDIRECTS, ROBOTS_PLACE
from urlset.web.address import NotFetchableError, RequestTarget, target_of
from urlset.web.cache import Cache, Validators
from urlset.web.cassette import Player, Recorder
from urlset.web.guard import PrivateHosts
from urlset.web.options import WebOptions
from urlset.web.pace import Exchange, Pace, Pause
from urlset.web.routing import Router
from urlset.web.wire import REDIRECTS, Wire

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver


class Client:
    """One for a whole run; `async with Client(options) as client`. Whatever a server does is an Answer.

    It paces itself per host but does not obey robots.txt: callers ask `robots` and match with `options.token`.
    """

    def __init__(
        self,
        options: WebOptions | None = None,
        *,
        named: Iterable[str] = (),
        resumed: bool = False,
        robots_of_today: bool = False,
        resolver: AbstractResolver | None = None,
        still_valid: Callable[[str], bool] | None = None,
    ) -> None:
        """`named`: the addresses the user gave, whose hosts `allow_private` opens; no other private host is contacted.
        Their origins get the credentials that are bound to no other. Raises AccessError for an unusable .netrc.

        `resumed`: an earlier process may have asked a moment ago, so each host is first left alone for its delay.
        `robots_of_today`: a robots.txt that the cache has from the last day is not requested again.
        `still_valid`: addresses of which a kept copy is answered without a request.
        """
        self._still_valid = still_valid
        self.options = options or WebOptions()
        if not self.options.user_agent.isprintable():
            raise ValueError(f"a user agent cannot contain control characters: {self.options.user_agent!r}")
        self.notices: list[str] = []
        """what was done otherwise than servers or the user asked, each once: a Crawl-delay cut, a host refused"""
        named = tuple(named)
        self._private = PrivateHosts(self.options, named, self.notices)
        self._router = Router(self.options.access, named)
        self._resumed, self._robots_of_today, self._resolver = resumed, robots_of_today, resolver
        self._cache = Cache(self.options.cache) if self.options.cache is not None else None
        self._recorder: Recorder | None = None
        self._player: Player | None = None
        self._wire: Wire | None = None
        self._patient: dict[object, tuple[float, str]] = {}
        """until when, and for which host, a slow second try waits"""

    async def __aenter__(self) -> Self:
        """Raises OSError or RecordingError where the recording or the certificates cannot be used."""
        options = self.options
        if options.replay is not None:
            self._player = Player(options.replay)
        elif options.record is not None:
            self._recorder = Recorder(options.record)
        pace = self._pace = Pace(options, resumed=self._resumed)
        if self._player is None:
            try:
                self._wire = Wire(options, self._private.gate, self._resolver, self._router)
            except BaseException:
                self._close_recording()
                raise
        earlier = self._cache if self._robots_of_today and self._player is None else None
        fetch_robots = partial(self.get, cap=ROBOTS_CAP, keep=True, max_redirects=ROBOTS_MIN_REDIRECTS)
        self._robots = RobotsKeeper(fetch_robots, options, pace, self.notices, earlier)
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._close_recording()
        if self._wire is not None:
            await self._wire.close()

    def _close_recording(self) -> None:
        for file in (self._recorder, self._player):
            if file is not None:
                file.close()

    @property
    def under_way(self) -> int:
        """Requests that a server is about to answer; a recording answers at once."""
        return self._pace.under_way if self._wire is not None else 0

    async def get(  # noqa: PLR0913 - all that a caller may say about one request
        self,
        url: str,
        *,
        cap: int | None = None,
        validators: Validators | None = None,
        spool: Path | None = None,
        patient: bool = False,
        keep: bool = False,
        refusal: Refusal | None = None,
        headers: dict[str, str] | None = None,
        max_redirects: int | None = None,
        before_sent: BeforeSent | None = None,
    ) -> Answer:
        """Ask for one address, redirects followed.

        `cap`: unpacked bytes that are read, instead of `options.max_body`; the answer is `truncated` beyond it.
        `validators`: of what the caller kept; a 304 comes back as status 304, `not_modified`, without a body.
        `spool`: the body goes into this file instead of `Answer.body`; it is there afterwards in any case.
        `patient`: the slow second try after a block, with a longer pause first.
        `keep`: for sitemaps and robots.txt, where `options.cache` is a folder: the body stays there, the next run asks
        whether it changed, and a 304 is answered with the kept body, status 200 and `not_modified`.
        `refusal`: says why a redirect must not be followed, for those who obey robots.txt on the way too.
        `headers`: those that a script of a page sets, for this address and no redirect target.
        `before_sent`: called once, when the first request has its turn and is about to go out.
        """
        cap = self.options.max_body if cap is None else cap
        if self._player is not None:
            if before_sent is not None:
                await before_sent()
            return self._player.play(url, conditional=bool(validators), cap=cap, spool=spool)
        if patient:
            mark = object()
            self._patient[mark] = time.monotonic() + self.options.patience, urlsplit(url).netloc
            try:
                await asyncio.sleep(self.options.patience)
            finally:
                del self._patient[mark]
        if spool is not None:
            spool.write_bytes(b"")  # noqa: ASYNC240 - local disk, as for every piece that follows
        limit = self.options.max_redirects if max_redirects is None else max_redirects
        if keep and self._cache is not None and not validators:
            answer = await self._get_kept(self._cache, url, cap, limit, spool)
        else:
            answer = await self._follow(url, cap, limit, validators, spool, refusal, headers, before_sent)
        self._private.note(answer)
        if self._recorder is not None:
            self._recorder.add(answer, conditional=bool(validators), spool=spool)
        return answer

    @property
    def pause(self) -> Pause | None:
        """What keeps every request back at the moment, and for how long; None while requests are in progress."""
        if self.under_way:
            return None
        now = time.monotonic()
        resting = (Pause(max(0.0, until - now), host) for until, host in self._patient.values())
        return min((*self._pace.waits(), *resting), default=None)

    async def robots(self, url: str) -> HostRobots:
        """The robots.txt of the url's origin, requested once and kept for a day; sets that host's Crawl-delay."""
        return await self._robots.of(url)

    async def _get_kept(self, cache: Cache, url: str, cap: int, limit: int, spool: Path | None) -> Answer:
        kept = cache.find(url)
        ask = partial(self._follow, url, cap, limit, spool=spool)
        if kept is not None and self._still_valid is not None and self._still_valid(url):
            answered = kept.as_answer(cap, spool)
            if answered is not None:
                return answered
        answer = await ask(validators=None if kept is None else kept.validators)
        if kept is not None and answer.not_modified:
            confirmed = kept.as_answer(cap, spool, answer)
            if confirmed is not None:
                return confirmed
            answer = await ask()
        cache.keep(answer, spool)
        return answer

    async def _follow(
        self,
        url: str,
        cap: int,
        max_redirects: int,
        validators: Validators | None = None,
        spool: Path | None = None,
        refusal: Refusal | None = None,
        headers: dict[str, str] | None = None,
        before_sent: BeforeSent | None = None,
    ) -> Answer:
        """Redirects are followed by hand: every request answered by one is a hop, also the last.

        Validators go to the one address that gave them, `headers` to the first address only. `refusal` is called
        before each redirect is followed; the caller sees to the first address.
        """
        try:
            first = target = target_of(url)
        except NotFetchableError as error:
            return Answer(url, final_url=url, failure=Failure(FailureKind.BAD_ADDRESS, str(error)), moment=_moment(0.0))
        giver = (validators.url or target.href) if validators else None
        seen = {target.href}
        hops: list[Hop] = []
        seconds = 0.0
        cookies = False
        while True:
            conditions = validators.headers() if validators and target.href == giver else None
            sent = {**(headers or {}), **(conditions or {})} if target is first else conditions
            exchange = await self._ask(target, cap, sent or None, spool, None if hops else before_sent)
            seconds += exchange.seconds
            failure = exchange.failure
            if exchange.status in REDIRECTS and (location := exchange.header("location")) is not None:
                hops.append(Hop(url if target is first else target.href, exchange.status or 0, location))
                cookies = cookies or exchange.header("set-cookie") is not None
                following = _redirect_target(location, target, seen, max_redirects, cookies=cookies)
                if isinstance(following, RequestTarget) and refusal and (why := await refusal(following.href)):
                    following = Failure(FailureKind.NOT_ALLOWED, f"{following.href}, {why}")
                if isinstance(following, RequestTarget):
                    target = following
                    seen.add(target.href)
                    continue
                failure = following
            return Answer(
                **{name: getattr(exchange, name) for name in _FROM_EXCHANGE},
                url=url,
                hops=tuple(hops),
                final_url=url if target is first else target.href,
                failure=failure,
                seconds=seconds,
                not_modified=conditions is not None and exchange.status == 304,
                moment=_moment(seconds),
            )

    async def _ask(
        self,
        target: RequestTarget,
        cap: int,
        headers: dict[str, str] | None,
        spool: Path | None,
        before_sent: BeforeSent | None,
    ) -> Exchange:
        """One address without its redirects: the last exchange of as many tries as help, each in its host's turn.

        Where a host has asked to be left alone for longer than is waited, its refusal comes back with 0 tries.
        """
        assert self._wire is not None
        tried, failed = 0, ""
        refused_at: int | None = None
        while True:
            refusal = await self._pace.take(target.host)
            if refusal is not None:
                return msgspec.structs.replace(refusal, tries=tried)
            try:
                if before_sent is not None and not tried:
                    await before_sent()
                exchange = await self._wire.ask(target.href, cap=cap, headers=headers, spool=spool)
            except BaseException:
                self._pace.drop(target.host)
                raise
            tried += 1
            pause, refused_at = self._pace.settle(target.host, exchange, tried, refused_at)
            if pause is None:
                return exchange if tried == 1 else msgspec.structs.replace(exchange, tries=tried, retried=failed)
            failed = failed or (exchange.failure.kind.value if exchange.failure is not None else str(exchange.status))
            if pause:
                await asyncio.sleep(pause)


_FROM_EXCHANGE = ("status", "headers", "body", "truncated", "wire_bytes", "first_byte", "tries", "retried")
Refusal = Callable[[str], Awaitable[str | None]]
"""why an address must not be requested; None where it may"""
BeforeSent = Callable[[], Awaitable[None]]


def _redirect_target(
    location: str, target: RequestTarget, seen: set[str], max_redirects: int, *, cookies: bool
) -> RequestTarget | Failure:
    """`cookies`: one was set on the way, which may be what the circle waits for."""
    if not location.strip():
        return Failure(FailureKind.BAD_REDIRECT, "the Location header is empty")
    try:
        following = target_of(location, target.href)
    except NotFetchableError as error:
        return Failure(FailureKind.BAD_REDIRECT, str(error))
    if following.href in seen:
        waits = "; a cookie was set on the way, and crawlers send none back" if cookies else ""
        return Failure(FailureKind.REDIRECT_LOOP, f"back to {following.href}{waits}")
    if len(seen) > max_redirects:
        return Failure(FailureKind.TOO_MANY_REDIRECTS, f"more than {max_redirects}")
    return following


def _moment(seconds_ago: float) -> str:
    asked = datetime.now(UTC) - timedelta(seconds=seconds_ago)
    return asked.isoformat(timespec="milliseconds").replace("+00:00", "Z")


# Origins → their robots.txt, each requested once, kept for a day, and its Crawl-delay given to the pace.

ROBOTS_CAP = ROBOTS_MIN_PARSED_BYTES
MOST_KEPT = 256 << 20
"""bytes, roughly"""
_BYTES_OF_ONE, _BYTES_OF_A_LINE = 4_000, 500
_KEPT = ROBOTS_CACHE_HOURS * 3600.0
_KEPT_FAILURE = 300.0
"""a server that failed may be back soon, and until then it closes its whole site"""

# A robots.txt that cannot be reached for its redirects is treated as absent, as Google does. One that is not in a
# recording forbids nothing: whatever is in there was allowed when it was made.
_AS_ABSENT = frozenset(
    {FailureKind.TOO_MANY_REDIRECTS, FailureKind.REDIRECT_LOOP, FailureKind.BAD_REDIRECT, FailureKind.NOT_RECORDED}
)


class RobotsKeeper:
    def __init__(
        self,
        fetch: Callable[[str], Awaitable[Answer]],
        options: WebOptions,
        pace: Pace,
        notices: list[str],
        earlier: Cache | None = None,
    ) -> None:
        """`earlier`: what the run that is being resumed has kept, so its answer of the day stays valid."""
        self._fetch, self._options, self._pace, self._notices, self._earlier = fetch, options, pace, notices, earlier
        self._known: dict[str, tuple[float, HostRobots]] = {}
        self._asking: dict[str, asyncio.Lock] = {}
        self._weight = 0

    async def of(self, page: str) -> HostRobots:
        origin = origin_of(page)
        if origin is None:
            return HostRobots.unrestricted(page)
        found = self._fresh(origin)
        if found is not None:
            return found
        async with self._asking.setdefault(origin, asyncio.Lock()):
            found = self._fresh(origin)
            if found is None:
                url = origin + ROBOTS_PLACE
                found = judged(origin, self._of_today(url) or await self._fetch(url))
                self._set_delay(url, found)
                kept = _KEPT_FAILURE if found.access is Access.NOTHING else _KEPT
                self._forget(origin)
                self._known[origin] = (time.monotonic() + kept, found)
                self._weight += _weight(found)
                # of very many hosts the earliest are forgotten, and requested again if they are ever met again
                while self._weight > MOST_KEPT and len(self._known) > 1:
                    self._forget(next(iter(self._known)))
        return found

    def _forget(self, origin: str) -> None:
        known = self._known.pop(origin, None)
        if known is not None:
            self._weight -= _weight(known[1])
            lock = self._asking.get(origin)
            if lock is not None and not lock.locked():
                del self._asking[origin]

    def _fresh(self, origin: str) -> HostRobots | None:
        known = self._known.get(origin)
        return known[1] if known is not None and time.monotonic() < known[0] else None

    def _of_today(self, url: str) -> Answer | None:
        kept = self._earlier.find(url) if self._earlier is not None else None
        if kept is None:
            return None
        try:
            age = datetime.now(UTC) - datetime.fromisoformat(kept.moment)
        except (ValueError, TypeError):  # not what we wrote
            return None
        return kept.as_answer(ROBOTS_CAP) if timedelta() <= age <= timedelta(seconds=_KEPT) else None

    def _set_delay(self, url: str, found: HostRobots) -> None:
        wanted = found.crawl_delay(self._options.token) if self._options.obey_crawl_delay else None
        if not wanted:
            return
        host = target_of(url).host
        longest = self._options.max_crawl_delay
        if not wanted <= longest:
            self._notices.append(f"{host} sets Crawl-delay to {wanted:g} seconds; waiting {longest:g}")
            wanted = longest
        self._pace.host(host).set_min_delay(wanted)


def _weight(robots: HostRobots) -> int:
    body = len(robots.answer.body) if robots.answer is not None else 0
    lines = len(robots.robots.lines) if robots.robots is not None else 0
    return _BYTES_OF_ONE + body + _BYTES_OF_A_LINE * lines


def judged(origin: str, answer: Answer) -> HostRobots:
    if answer.failure is not None and answer.failure.kind in _AS_ABSENT:
        return HostRobots(origin, Access.EVERYTHING, None, answer)
    if answer.failure is None and answer.status is not None and 300 <= answer.status < 400:
        return HostRobots(origin, Access.EVERYTHING, None, answer)  # a redirect without a target
    return HostRobots.of(origin, answer)
