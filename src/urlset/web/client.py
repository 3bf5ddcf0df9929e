"""An address → its Answer: fetched politely, from the recording, or by asking whether the kept copy still holds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from urlset.model.answer import Answer
from urlset.reading.host_robots import HostRobots
from urlset.spec.protocol import ROBOTS_MIN_REDIRECTS
from urlset.web.asking import Asker
from urlset.web.cache import Cache
from urlset.web.cassette import Player, Recorder
from urlset.web.options import MAX_REDIRECTS, WebOptions
from urlset.web.pace import Pace, Pause
from urlset.web.private_hosts import PrivateHosts
from urlset.web.redirects import Refusal, follow
from urlset.web.robots import CAP as ROBOTS_CAP
from urlset.web.robots import RobotsKeeper
from urlset.web.routing import Router
from urlset.web.validators import Validators
from urlset.web.wire import Wire

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver

__all__ = ["Client", "Validators"]


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
            self._asker = Asker(self._wire, pace)
        earlier = self._cache if self._robots_of_today and self._player is None else None
        self._robots = RobotsKeeper(self._fetch_robots, options, pace, self.notices, earlier)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
        return self._asker.under_way if self._wire is not None else 0

    async def get(
        self,
        url: str,
        *,
        cap: int | None = None,
        validators: Validators | None = None,
        spool: Path | None = None,
        patient: bool = False,
        keep: bool = False,
        refusal: Refusal | None = None,
    ) -> Answer:
        """Ask for one address, redirects followed.

        `cap`: unpacked bytes that are read, instead of `options.max_body`; the answer is `truncated` beyond it.
        `validators`: of what the caller kept; a 304 comes back as status 304, `not_modified`, without a body.
        `spool`: the body goes into this file instead of `Answer.body`; it is there afterwards in any case.
        `patient`: the slow second try after a block, with a longer pause first.
        `keep`: for sitemaps and robots.txt, where `options.cache` is a folder: the body stays there, the next run asks
        whether it changed, and a 304 is answered with the kept body, status 200 and `not_modified`.
        `refusal`: says why a redirect must not be followed, for those who obey robots.txt on the way too.
        """
        cap = self.options.max_body if cap is None else cap
        if self._player is not None:
            return self._player.play(url, conditional=bool(validators), cap=cap, spool=spool)
        if patient:
            await self._wait_patiently(url)
        if spool is not None:
            spool.write_bytes(b"")  # noqa: ASYNC240 - local disk, as for every piece that follows
        limit = self.options.max_redirects
        if keep and self._cache is not None and not validators:
            answer = await self._get_kept(self._cache, url, cap, limit, spool)
        else:
            answer = await follow(
                self._asker,
                url,
                cap=cap,
                max_redirects=limit,
                validators=validators,
                spool=spool,
                refusal=refusal,
            )
        self._private.note(answer)
        if self._recorder is not None:
            self._recorder.add(answer, conditional=bool(validators), spool=spool)
        return answer

    async def get_resource(self, url: str, *, cap: int, headers: dict[str, str]) -> Answer:
        """What a script of a page asks for; `headers` are those it sets, for this address and no redirect target."""
        if self._player is not None:
            return self._player.play(url, cap=cap)
        answer = await follow(self._asker, url, cap=cap, max_redirects=MAX_REDIRECTS, headers=headers)
        self._private.note(answer)
        if self._recorder is not None:
            self._recorder.add(answer)
        return answer

    @property
    def pause(self) -> Pause | None:
        """What keeps every request back at the moment, and for how long; None while requests are in progress."""
        if self.under_way:
            return None
        now = time.monotonic()
        resting = (Pause(max(0.0, until - now), host) for until, host in self._patient.values())
        return min((*self._pace.waits(), *resting), default=None)

    async def _wait_patiently(self, url: str) -> None:
        mark = object()
        self._patient[mark] = time.monotonic() + self.options.patience, urlsplit(url).netloc
        try:
            await asyncio.sleep(self.options.patience)
        finally:
            del self._patient[mark]

    async def robots(self, url: str) -> HostRobots:
        """The robots.txt of the url's origin, requested once and kept for a day; sets that host's Crawl-delay."""
        return await self._robots.of(url)

    async def _fetch_robots(self, url: str) -> Answer:
        if self._player is not None:
            return self._player.play(url, cap=ROBOTS_CAP)
        if self._cache is not None:
            answer = await self._get_kept(self._cache, url, ROBOTS_CAP, ROBOTS_MIN_REDIRECTS, None)
        else:
            answer = await follow(self._asker, url, cap=ROBOTS_CAP, max_redirects=ROBOTS_MIN_REDIRECTS)
        self._private.note(answer)
        if self._recorder is not None:
            self._recorder.add(answer)
        return answer

    async def _get_kept(self, cache: Cache, url: str, cap: int, limit: int, spool: Path | None) -> Answer:
        kept = cache.find(url)
        if kept is not None:
            if self._still_valid is not None and self._still_valid(url):
                answered = kept.as_answer(cap, spool)
                if answered is not None:
                    return answered
            answer = await follow(
                self._asker, url, cap=cap, max_redirects=limit, validators=kept.validators, spool=spool
            )
            if answer.not_modified:
                confirmed = kept.as_answer(cap, spool, answer)
                if confirmed is not None:
                    return confirmed
                answer = await follow(self._asker, url, cap=cap, max_redirects=limit, spool=spool)
        else:
            answer = await follow(self._asker, url, cap=cap, max_redirects=limit, spool=spool)
        cache.keep(answer, spool)
        return answer
