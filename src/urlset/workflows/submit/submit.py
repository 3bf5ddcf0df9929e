"""Sitemaps and engines → receipts: read what is live, send what is new, remember what was accepted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from datetime import UTC
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from urlset.checking import clock
from urlset.spec.submission import CHANNELS, Channel
from urlset.submitting.receipt import Receipt, Refused, Status
from urlset.submitting.secrets import SecretError
from urlset.submitting.store import EngineStore, copy_store
from urlset.web.api import Api, ApiRequest
from urlset.web.loop import run
from urlset.workflows.submit.live_set import LiveSitemap, SitemapUrls, named_loopback, not_published
from urlset.workflows.submit.options import SubmitOptions, SubmitReport
from urlset.workflows.submit.sitemaps import SitemapChannel, unfit
from urlset.workflows.submit.urls import UrlChannel
from urlset.writing.files import work_folder


def submit(options: SubmitOptions, *, api: Api | None = None) -> SubmitReport:
    """Raises StateError where the state cannot be used; what engines and servers do is in the receipts."""
    options = msgspec.structs.replace(options, web=named_loopback(options.web, list(options.sitemaps)))
    problem = not_published(options.state, options.sitemaps, options.web)
    if problem is not None:
        status = Status.NOTHING if options.only_if_published else Status.NOT_LIVE
        message = f"the published set is not live yet: {problem}"
        pairs = [(channel, url) for channel in options.to for url in options.sitemaps]
        return SubmitReport(tuple(Receipt(channel, url, status, message=message) for channel, url in pairs))
    with ExitStack() as stack:
        folder = options.state
        if options.dry_run:  # works on a copy; the real state is unchanged
            folder = Path(stack.enter_context(work_folder()))
            copy_store(options.state, folder)
        store = stack.enter_context(EngineStore(folder))
        live = _read(options, store)
        return run(_Submission(options, store, live).run(api or Api()))


def _read(options: SubmitOptions, store: EngineStore) -> list[LiveSitemap]:
    """Load every URL of every sitemap into the store, and learn what each sitemap is."""
    rows = [SitemapUrls(url, options.web) for url in options.sitemaps]

    def listed() -> Iterator[tuple[str, str, str]]:
        for each in rows:
            yield from each

    store.load(listed())
    return [each.result() for each in rows]


class _Submission:
    def __init__(self, options: SubmitOptions, store: EngineStore, live: list[LiveSitemap]) -> None:
        self._options, self._store, self._live = options, store, live
        self._requests: list[dict[str, Any]] = []
        self._notes: list[str] = []

    async def run(self, api: Api) -> SubmitReport:
        async with api:
            self._api = api
            self._channels = {channel: SitemapChannel(channel, api, self._options) for channel in self._options.to}
            receipts = [receipt async for receipt in self._receipts()]
        return SubmitReport(tuple(receipts), tuple(self._requests), tuple(self._notes))

    async def _receipts(self) -> AsyncIterator[Receipt]:
        for channel in self._options.to:
            if CHANNELS[channel].sitemaps:
                for sitemap in self._live:
                    yield await self._submit_sitemap(self._channels[channel], sitemap)
        for channel in self._options.to:
            if CHANNELS[channel].urls_per_batch:
                async for receipt in self._submit_urls(channel):
                    yield receipt

    async def _submit_sitemap(self, channel: SitemapChannel, sitemap: LiveSitemap) -> Receipt:
        name, url = channel.channel, sitemap.url
        nothing = unfit(name, sitemap, self._store.submitted_digest(name, url))
        if nothing is not None:
            return nothing
        unsure = f"not verified from here: {sitemap.problem}" if sitemap.problem else ""
        try:
            prepared = await channel.prepare(url)
            if self._options.dry_run:
                self._show(prepared.request)
                return Receipt(name, url, Status.DRY_RUN, message=unsure)
            await prepared.send()
        except (Refused, SecretError) as error:
            status = error.status if isinstance(error, Refused) else Status.REFUSED
            message = self._api.redact(str(error))
            self._store.note(_now(), name, url, status, 0, 0, message)
            return Receipt(name, url, status, message=message)
        self._store.accept_sitemap(name, url, sitemap.digest, _now())
        return Receipt(name, url, Status.ACCEPTED, 1, 1, unsure)

    async def _submit_urls(self, channel: Channel) -> AsyncIterator[Receipt]:
        if channel is Channel.BING and Channel.INDEXNOW in self._options.to:
            self._notes.append("Bing receives changed URLs through IndexNow, so none were sent to it directly")
            return
        broken = next((each for each in self._live if each.problem or each.incomplete), None)
        if broken is not None:
            what = broken.problem or f"{broken.incomplete:,} child sitemaps could not be read"
            if channel is not Channel.BING:  # Bing has said what became of the sitemap already
                yield Receipt(channel, broken.url, Status.NOT_LIVE, message=f"no URL was sent: {what}")
            return
        bing = self._channels[channel].bing
        for origin in self._origins():
            sender = UrlChannel(channel, self._api, self._store, self._options, origin=origin, now=_now, bing=bing)
            try:
                yield await sender.run()
            except SecretError as error:
                yield Receipt(channel, origin, Status.REFUSED, message=str(error))
            for request in sender.requests:
                self._show(request)

    def _origins(self) -> list[str]:
        """The hosts of the sitemaps and of the listed URLs, with the scheme of a sitemap on the same host."""
        schemes = {urlsplit(url).netloc.lower(): urlsplit(url).scheme for url in self._options.sitemaps}
        return [f"{schemes.get(host, 'https')}://{host}" for host in sorted({*schemes, *self._store.hosts()})]

    def _show(self, request: ApiRequest) -> None:
        body = request.json if request.text is None else request.text
        self._requests.append({"method": request.method, "url": self._api.redact(request.url), "body": body})


def _now() -> str:
    return clock.now().astimezone(UTC).isoformat(timespec="seconds")
