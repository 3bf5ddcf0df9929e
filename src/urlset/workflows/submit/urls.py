"""Proven changes of a site → batches of URLs for IndexNow, Bing and Baidu, each with its receipt."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from urlset.spec.submission import CHANNELS, Channel
from urlset.submitting.baidu import Baidu
from urlset.submitting.bing import Bing
from urlset.submitting.indexnow import IndexNow, key_address, key_problem, new_key, within_reach
from urlset.submitting.receipt import Receipt, Refused, Status
from urlset.submitting.secrets import find_secret, need_secret
from urlset.submitting.store import EngineStore, Key
from urlset.web.api import Api, ApiRequest
from urlset.workflows.submit.options import SubmitOptions
from urlset.workflows.submit.sitemaps import bing_site


class UrlChannel:
    """One engine that takes changed URLs, at one host."""

    def __init__(
        self,
        channel: Channel,
        api: Api,
        store: EngineStore,
        options: SubmitOptions,
        *,
        origin: str,
        now: Callable[[], str],
        bing: Callable[[], Bing],
    ) -> None:
        self._channel, self._api, self._store, self._options = channel, api, store, options
        self._origin, self._now, self._bing = origin, now, bing
        self._host = origin.partition("://")[2]
        self._key: Key | None = None
        self._sent = self._accepted = 0
        self._said = ""
        self.requests: list[ApiRequest] = []

    async def run(self) -> Receipt:
        started = self._start()
        if started is not None:
            return started
        added, changed, removed = self._store.queue_changes(self._channel, self._host)
        what = f"{added:,} added, {changed:,} changed, {removed:,} removed"
        if not added + changed + removed:
            return self._receipt(Status.NOTHING, "no URL changed since the last accepted submission")
        try:
            await self._send()
        except Refused as refused:
            left = self._store.queued(self._channel, self._host)
            message = f"{refused} ({left:,} of {added + changed + removed:,} URLs left: {what})"
            self._store.note(
                self._now(), self._channel, self._host, refused.status, self._sent, self._accepted, message
            )
            return self._receipt(refused.status, message)
        if self._options.dry_run:
            return Receipt(self._channel, self._host, Status.DRY_RUN, message=what)
        return self._receipt(Status.ACCEPTED, f"{what}; {self._said}" if self._said else what)

    def _start(self) -> Receipt | None:
        """The first time, the present set is only recorded: nothing proves that any of it changed."""
        store, options = self._store, self._options
        if store.has_start(self._channel, self._host):
            return None
        count = store.start(self._channel, self._host, self._now(), send_all=options.send_all)
        if options.send_all:
            return None
        hint = f"; {self._key_hint()}" if self._channel is Channel.INDEXNOW else ""
        return self._receipt(
            Status.NOTHING,
            f"recorded {count:,} URLs as known; later runs send what changed (--all sends all now){hint}",
        )

    async def _send(self) -> None:
        most = CHANNELS[self._channel].urls_per_batch
        match self._channel:
            case Channel.INDEXNOW:
                await self._send_indexnow(most)
            case Channel.BING:
                await self._send_bing(most)
            case _:
                await self._send_baidu(most)

    async def _send_indexnow(self, most: int) -> None:
        key = self._indexnow_key()
        client = IndexNow(self._api, key.key, environment=self._options.environment)
        beyond = [
            url
            for url in self._store.next_batch(self._channel, self._host, most)
            if not within_reach(url, key.location)
        ]
        if beyond:
            raise Refused(
                Status.REFUSED, f"the key file {key.location} does not count for {beyond[0]}; put it at the root"
            )
        if key.verified is None and not self._options.dry_run:
            await client.verify(key.location)
            self._store.keep_key(msgspec.structs.replace(key, verified=self._now()))
        while urls := self._store.next_batch(self._channel, self._host, most):
            if self._options.dry_run:
                self.requests.append(client.submission(self._host, key.location, urls))
            else:
                self._said = await client.submit(self._host, key.location, urls) or self._said
            self._take(urls)

    async def _send_bing(self, most: int) -> None:
        bing = self._bing()
        site = await bing_site(bing, f"{self._origin}/")
        left = (await bing.quota(site)).left
        while urls := self._store.next_batch(self._channel, self._host, min(most, left) if left else 1):
            if left <= 0:
                raise Refused(Status.POSTPONED, "Bing's URL quota for today is used up; run again tomorrow")
            if self._options.dry_run:
                self.requests.append(bing.url_submission(site, urls))
            else:
                await bing.submit_urls(site, urls)
            left -= len(urls)
            self._take(urls)

    async def _send_baidu(self, most: int) -> None:
        token = need_secret("URLSET_BAIDU_TOKEN", "Baidu token", self._options.environment)
        client = Baidu(self._api, token, environment=self._options.environment)
        while urls := self._store.next_batch(self._channel, self._host, most):
            if self._options.dry_run:
                self.requests.append(client.submission(self._origin, urls))
                self._take(urls)
                continue
            pushed = await client.submit(self._origin, urls)
            self._take(urls, pushed.rejected)
            if pushed.rejected:
                self._said = f"{len(pushed.rejected):,} were rejected as not on this site or not valid"
            if not pushed.remaining and self._store.queued(self._channel, self._host):
                raise Refused(Status.POSTPONED, "Baidu's quota for today is used up; run again tomorrow")

    def _take(self, urls: list[str], rejected: frozenset[str] = frozenset()) -> None:
        self._store.accept_urls(self._channel, self._host, urls, self._now(), self._said, rejected)
        self._sent += len(urls)
        self._accepted += len(urls) - len(rejected & set(urls))

    def _indexnow_key(self) -> Key:
        """The key of the environment, or the one of an earlier run, or a new one. Raises Refused."""
        if self._key is not None:
            return self._key
        given = find_secret("URLSET_INDEXNOW_KEY", self._options.environment)
        kept = self._store.key(self._host)
        text = given.reveal() if given is not None else kept.key if kept is not None else new_key()
        problem = key_problem(text)
        if problem is not None:
            raise Refused(Status.REFUSED, f"URLSET_INDEXNOW_KEY: {problem}")
        location = self._options.key_location or key_address(self._origin, text)
        verified = kept.verified if kept is not None and (kept.key, kept.location) == (text, location) else None
        self._key = Key(self._host, text, location, verified)
        self._store.keep_key(self._key)
        return self._key

    def _key_hint(self) -> str:
        try:
            key = self._indexnow_key()
        except Refused as refused:
            return str(refused)
        return "" if key.verified else f"before that, publish {key.location} with the content {key.key}"

    def _receipt(self, status: Status, message: str) -> Receipt:
        return Receipt(self._channel, self._host, status, self._sent, self._accepted, message.rstrip("; "))
