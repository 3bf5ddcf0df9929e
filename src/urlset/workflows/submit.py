"""Sitemaps and engines → receipts: read what is live, send what is new, remember what was accepted."""

from __future__ import annotations

import hashlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from urlset.building.manifest import Manifest, ManifestError
from urlset.building.manifest import load as load_manifest
from urlset.checking import clock
from urlset.model.answer import FailureKind
from urlset.model.errors import ArgumentValueError
from urlset.model.frames import FrameTable, Tabular, table_of
from urlset.model.shown import Shown
from urlset.reading.limits import REMOTE_CAP
from urlset.settings.engines import SubmitSettings
from urlset.settings.groups import SitemapFetchSettings
from urlset.spec.submission import CHANNELS, GOOGLE_WRITE_SCOPE, RETIRED, RETIRED_SPELLINGS, Channel
from urlset.submitting.engine import Receipt, Refused, SecretError, Status, find_secret, need_secret
from urlset.submitting.google import Google, GoogleTokens, Property, exact_name, load_credentials, most_specific
from urlset.submitting.store import EngineStore, Key, copy_store
from urlset.submitting.webmasters import (
    Baidu,
    Bing,
    IndexNow,
    Yandex,
    host_id,
    key_address,
    key_problem,
    new_key,
    within_reach,
)
from urlset.web.api import Api, ApiRequest, is_loopback
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import WebOptions
from urlset.workflows.live.tree import LiveTree
from urlset.writing.files import work_folder


def submit(settings: SubmitSettings, *, environment: Mapping[str, str] = os.environ) -> SubmitReport:
    """Raises ChannelError for an unknown engine, and StateError where the state cannot be used.

    What engines and servers do is in the receipts.
    """
    to, state = channels(settings.to), Path(settings.state)
    web = named_loopback(settings.fetching, list(settings.sitemaps))
    problem = not_published(state, settings.sitemaps, web)
    if problem is not None:
        status = Status.NOTHING if settings.only_if_published else Status.NOT_LIVE
        message = f"the published set is not live yet: {problem}"
        pairs = [(channel, url) for channel in to for url in settings.sitemaps]
        return SubmitReport(tuple(Receipt(channel, url, status, message=message) for channel, url in pairs))
    with ExitStack() as stack:
        folder = state
        if settings.dry_run:  # works on a copy; the real state is unchanged
            folder = Path(stack.enter_context(work_folder()))
            copy_store(state, folder)
        store = stack.enter_context(EngineStore(folder))
        # every URL of every sitemap goes into the store; then it is known what each sitemap is
        live = [LiveSitemap(url, web) for url in settings.sitemaps]
        store.load(chain.from_iterable(live))
        return run(_Submission(settings, to, environment, store, live).run(Api()))


class _Submission:
    def __init__(
        self,
        settings: SubmitSettings,
        to: tuple[Channel, ...],
        environment: Mapping[str, str],
        store: EngineStore,
        live: list[LiveSitemap],
    ) -> None:
        self._settings, self._to, self._environment = settings, to, environment
        self._store, self._live = store, live
        self._requests: list[dict[str, Any]] = []
        self._notes: list[str] = []

    async def run(self, api: Api) -> SubmitReport:
        receipts: list[Receipt] = []
        for sitemap in self._live:
            await sitemap.look_again()
        async with api:
            self._api = api
            self._channels = {
                channel: SitemapChannel(channel, api, self._settings, self._environment) for channel in self._to
            }
            for channel in self._to:
                if CHANNELS[channel].sitemaps:
                    receipts += [await self._submit_sitemap(self._channels[channel], each) for each in self._live]
            for channel in self._to:
                if CHANNELS[channel].urls_per_batch:
                    receipts += [receipt async for receipt in self._submit_urls(channel)]
        return SubmitReport(tuple(receipts), tuple(self._requests), tuple(self._notes))

    async def _submit_sitemap(self, channel: SitemapChannel, sitemap: LiveSitemap) -> Receipt:
        name, url = channel.channel, sitemap.url
        if sitemap.is_absent:
            return Receipt(name, url, Status.NOT_LIVE, message=f"not submitted: {sitemap.problem}")
        if self._store.submitted_digest(name, url) == sitemap.digest:
            return Receipt(name, url, Status.NOTHING, message="unchanged since it was accepted")
        unsure = f"not verified from here: {sitemap.problem}" if sitemap.problem else ""
        try:
            request, send = await channel.prepare(url)
            if self._settings.dry_run:
                self._show(request)
                return Receipt(name, url, Status.DRY_RUN, message=unsure)
            await send()
        except (Refused, SecretError) as error:
            status = error.status if isinstance(error, Refused) else Status.REFUSED
            message = self._api.redact(str(error))
            self._store.note(_now(), name, url, status, 0, 0, message)
            return Receipt(name, url, status, message=message)
        self._store.accept_sitemap(name, url, sitemap.digest, _now())
        return Receipt(name, url, Status.ACCEPTED, 1, 1, unsure)

    async def _submit_urls(self, channel: Channel) -> AsyncIterator[Receipt]:
        if channel is Channel.BING and Channel.INDEXNOW in self._to:
            self._notes.append("Bing receives changed URLs through IndexNow, so none were sent to it directly")
            return
        broken = next((each for each in self._live if each.problem or each.incomplete), None)
        if broken is not None:
            what = broken.problem or f"{broken.incomplete:,} child sitemaps could not be read"
            if channel is not Channel.BING:  # Bing has said what became of the sitemap already
                yield Receipt(channel, broken.url, Status.NOT_LIVE, message=f"no URL was sent: {what}")
            return
        bing = self._channels[channel].bing
        # the hosts of the sitemaps and of the listed URLs, with the scheme of a sitemap on the same host
        schemes = {urlsplit(url).netloc.lower(): urlsplit(url).scheme for url in self._settings.sitemaps}
        for origin in [f"{schemes.get(host, 'https')}://{host}" for host in sorted({*schemes, *self._store.hosts()})]:
            sender = UrlChannel(
                channel, self._api, self._store, self._settings, self._environment, origin=origin, bing=bing
            )
            try:
                yield await sender.run()
            except SecretError as error:
                yield Receipt(channel, origin, Status.REFUSED, message=str(error))
            for request in sender.requests:
                self._show(request)

    def _show(self, request: ApiRequest) -> None:
        body = request.json if request.text is None else request.text
        self._requests.append({"method": request.method, "url": self._api.redact(request.url), "body": body})


def _now() -> str:
    return clock.now().astimezone(UTC).isoformat(timespec="seconds")


# The result of a submission, and its engines by name.


class SubmitReport(Shown, Tabular, msgspec.Struct, frozen=True):
    """What was sent to engines, and how each answered."""

    receipts: tuple[Receipt, ...]
    requests: tuple[dict[str, Any], ...] = ()
    """with `dry_run`: what would be sent, secrets replaced"""
    notes: tuple[str, ...] = ()

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """Rows: receipts."""
        return {"receipts": lambda: table_of(Receipt, lambda: self.receipts)}


class ChannelError(ArgumentValueError):
    """A channel that does not exist, or no longer; the message says what to use."""


def channels(names: Iterable[str]) -> tuple[Channel, ...]:
    """`google`, `bing` → channels, each once; raises ChannelError."""
    found: dict[Channel, None] = {}
    for name in filter(None, (name.strip().lower() for name in names)):
        if name in RETIRED_SPELLINGS:
            retired = RETIRED[RETIRED_SPELLINGS[name]]
            raise ChannelError(
                f"{retired.title} is not available (since {retired.since}): {retired.why}; {retired.instead}"
            )
        try:
            found[Channel(name)] = None
        except ValueError:
            known = ", ".join(channel.value for channel in Channel)
            raise ChannelError(f"unknown engine {name!r}; choose from {known}") from None
    if not found:
        raise ChannelError("no engine given; use --to google,bing,yandex,indexnow")
    return tuple(found)


# A live sitemap → a submission to Google, Bing or Yandex, once per change.

_NAMED = 5


Prepared = tuple[ApiRequest, Callable[[], Awaitable[None]]]
"""the request, and the call that sends it and raises Refused"""


class SitemapChannel:
    """One engine that takes sitemaps."""

    def __init__(self, channel: Channel, api: Api, settings: SubmitSettings, environment: Mapping[str, str]) -> None:
        self.channel, self._api, self._settings, self._environment = channel, api, settings, environment
        self._google: Google | None = None
        self._bing: Bing | None = None
        self._yandex: Yandex | None = None

    async def prepare(self, url: str) -> Prepared:
        """Raises Refused or SecretError."""
        match self.channel:
            case Channel.GOOGLE:
                if self._google is None:
                    info = load_credentials(self._environment)
                    tokens = GoogleTokens(self._api, info, GOOGLE_WRITE_SCOPE, environment=self._environment)
                    self._google = Google(self._api, tokens, environment=self._environment)
                google = self._google
                wanted = exact_name(self._settings.property) if self._settings.property else None
                properties = await google.properties()
                found = most_specific(url, (each for each in properties if wanted in (None, each.name)))
                if found is None:
                    raise Refused(Status.REFUSED, _no_property(url, wanted, properties))
                return google.submission(found.name, url), lambda: google.submit(found.name, url)
            case Channel.BING:
                bing = self.bing()
                site = await bing_site(bing, url)
                return bing.feed_submission(site, url), lambda: bing.submit_feed(site, url)
            case _:
                if self._yandex is None:
                    token = need_secret("URLSET_YANDEX_TOKEN", "Yandex token", self._environment)
                    self._yandex = Yandex(self._api, token, environment=self._environment)
                yandex = self._yandex
                host = await yandex.host_of(url)
                if host is None:
                    raise Refused(Status.REFUSED, f"{host_id(url)} is not a verified host of this Yandex account")
                return await yandex.submission(host, url), lambda: yandex.submit(host, url)

    def bing(self) -> Bing:
        if self._bing is None:
            key = need_secret("URLSET_BING_KEY", "Bing API key", self._environment)
            self._bing = Bing(self._api, key, environment=self._environment)
        return self._bing


def _no_property(url: str, wanted: str | None, properties: Sequence[Property]) -> str:
    """Nothing is sent for a property that Google would refuse, or that is of another site."""
    if wanted is None:
        why = f"no verified Search Console property of this account contains {url}; add the account to one"
    elif wanted not in {each.name for each in properties if each.verified}:
        names = ", ".join(each.name for each in properties[:_NAMED] if each.verified) or "none"
        why = f"{wanted} is not a verified Search Console property of this account (verified: {names})"
    else:
        why = f"the property {wanted} does not contain {url}"
    return f"nothing was sent: {why}"


async def property_name(google: Google, url: str, named: str | None) -> str | None:
    """The property that was named, or the most specific one that contains the URL."""
    if named:
        return exact_name(named)
    chosen = most_specific(url, await google.properties())
    return chosen.name if chosen is not None else None


async def bing_site(bing: Bing, url: str) -> str:
    """The site of the account that contains the URL, as Bing writes it."""
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}".lower()
    for site in await bing.sites():
        if site.lower().rstrip("/") == origin or url.lower().startswith(site.lower().rstrip("/") + "/"):
            return site
    raise Refused(Status.REFUSED, f"{origin}/ is not a verified site of this Bing account")


# Proven changes of a site → batches of URLs for IndexNow, Bing and Baidu, each with its receipt.


class UrlChannel:
    """One engine that takes changed URLs, at one host."""

    def __init__(
        self,
        channel: Channel,
        api: Api,
        store: EngineStore,
        settings: SubmitSettings,
        environment: Mapping[str, str],
        *,
        origin: str,
        bing: Callable[[], Bing],
    ) -> None:
        self._channel, self._api, self._store = channel, api, store
        self._settings, self._environment = settings, environment
        self._origin, self._bing = origin, bing
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
            most = CHANNELS[self._channel].urls_per_batch
            match self._channel:
                case Channel.INDEXNOW:
                    await self._send_indexnow(most)
                case Channel.BING:
                    await self._send_bing(most)
                case _:
                    await self._send_baidu(most)
        except Refused as refused:
            left = self._store.queued(self._channel, self._host)
            message = f"{refused} ({left:,} of {added + changed + removed:,} URLs left: {what})"
            self._store.note(_now(), self._channel, self._host, refused.status, self._sent, self._accepted, message)
            return self._receipt(refused.status, message)
        if self._settings.dry_run:
            return Receipt(self._channel, self._host, Status.DRY_RUN, message=what)
        return self._receipt(Status.ACCEPTED, f"{what}; {self._said}" if self._said else what)

    def _start(self) -> Receipt | None:
        """The first time, the present set is only recorded: nothing proves that any of it changed."""
        store, settings = self._store, self._settings
        if store.has_start(self._channel, self._host):
            return None
        count = store.start(self._channel, self._host, _now(), send_all=settings.all)
        if settings.all:
            return None
        hint = ""
        if self._channel is Channel.INDEXNOW:
            try:
                key = self._indexnow_key()
                hint = "" if key.verified else f"before that, publish {key.location} with the content {key.key}"
            except Refused as refused:
                hint = str(refused)
        known = f"recorded {count:,} URLs as known; later runs send what changed (--all sends all now)"
        return self._receipt(Status.NOTHING, f"{known}; {hint}")

    async def _send_indexnow(self, most: int) -> None:
        key = self._indexnow_key()
        client = IndexNow(self._api, key.key, environment=self._environment)
        beyond = [
            url
            for url in self._store.next_batch(self._channel, self._host, most)
            if not within_reach(url, key.location)
        ]
        if beyond:
            raise Refused(
                Status.REFUSED, f"the key file {key.location} does not count for {beyond[0]}; put it at the root"
            )
        if key.verified is None and not self._settings.dry_run:
            await client.verify(key.location)
            self._store.keep_key(msgspec.structs.replace(key, verified=_now()))
        while urls := self._store.next_batch(self._channel, self._host, most):
            if self._settings.dry_run:
                self.requests.append(client.submission(self._host, key.location, urls))
            else:
                self._said = await client.submit(self._host, key.location, urls) or self._said
            self._take(urls)

    async def _send_bing(self, most: int) -> None:
        bing = self._bing()
        site = await bing_site(bing, f"{self._origin}/")
        left = await bing.quota_left(site)
        while urls := self._store.next_batch(self._channel, self._host, min(most, left) if left else 1):
            if left <= 0:
                raise Refused(Status.POSTPONED, "Bing's URL quota for today is used up; run again tomorrow")
            if self._settings.dry_run:
                self.requests.append(bing.url_submission(site, urls))
            else:
                await bing.submit_urls(site, urls)
            left -= len(urls)
            self._take(urls)

    async def _send_baidu(self, most: int) -> None:
        token = need_secret("URLSET_BAIDU_TOKEN", "Baidu token", self._environment)
        client = Baidu(self._api, token, environment=self._environment)
        while urls := self._store.next_batch(self._channel, self._host, most):
            if self._settings.dry_run:
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
        self._store.accept_urls(self._channel, self._host, urls, _now(), self._said, rejected)
        self._sent += len(urls)
        self._accepted += len(urls) - len(rejected & set(urls))

    def _indexnow_key(self) -> Key:
        """The key of the environment, or the one of an earlier run, or a new one. Raises Refused."""
        if self._key is not None:
            return self._key
        given = find_secret("URLSET_INDEXNOW_KEY", self._environment)
        kept = self._store.key(self._host)
        text = given.reveal() if given is not None else kept.key if kept is not None else new_key()
        problem = key_problem(text)
        if problem is not None:
            raise Refused(Status.REFUSED, f"URLSET_INDEXNOW_KEY: {problem}")
        location = self._settings.key_location or key_address(self._origin, text)
        verified = kept.verified if kept is not None and (kept.key, kept.location) == (text, location) else None
        self._key = Key(self._host, text, location, verified)
        self._store.keep_key(self._key)
        return self._key

    def _receipt(self, status: Status, message: str) -> Receipt:
        return Receipt(self._channel, self._host, status, self._sent, self._accepted, message.rstrip("; "))


_WORD = 1 << 128


class LiveSitemap:
    """One sitemap that was named, with everything below it; its URLs can be consumed once."""

    def __init__(self, url: str, web: WebOptions) -> None:
        self.url, self._web = url, web
        self._sum = 0
        self._entries = 0
        self.problem = ""
        self.is_absent = False
        """False also where it could not be reached from here, which says nothing about the engines"""
        self.incomplete = 0
        """child sitemaps that could not be read: what they list is not known to be gone"""

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        """Host, URL and stamp of every listed page."""
        tree = LiveTree([self.url], SitemapFetchSettings(web=self._web))
        for document in tree:
            columns = document.columns
            if not document.kind.lists_pages:
                continue
            for raw, lastmod in zip(columns.locs, columns.lastmods, strict=True):
                loc = (raw or "").strip()
                host = urlsplit(loc).netloc.lower() if loc else ""
                if not host:
                    continue
                stamp = (lastmod or "").strip()
                reported = hashlib.blake2b(f"{loc}\n{stamp}".encode("utf-8", "surrogatepass"), digest_size=16)
                self._sum = (self._sum + int.from_bytes(reported.digest(), "big")) % _WORD
                self._entries += 1
                yield host, loc, stamp
        for missing in tree.missing:
            if missing.parent or missing.loc != self.url:
                self.incomplete += 1
            else:
                self.problem = missing.reason

    @property
    def digest(self) -> str:
        """The same for the same URLs and dates in any order; empty when unknown."""
        return "" if self.problem else f"{self._entries}:{self._sum:032x}"

    async def look_again(self) -> None:
        """After the rows were consumed: whether a sitemap that could not be read is missing for everyone."""
        if not self.problem:
            return
        async with Client(self._web, named=[self.url]) as client:
            answer = await client.get(self.url, cap=1 << 16)
        failed = answer.failure.kind if answer.failure is not None else None
        # a failure that the server shows to everyone, not only to this machine
        is_ours = failed is not None and (failed in _SHOWN_TO_ALL or failed.is_tls)
        self.is_absent = answer.status is not None or is_ours


_SHOWN_TO_ALL = (FailureKind.REDIRECT_LOOP, FailureKind.TOO_MANY_REDIRECTS, FailureKind.BAD_REDIRECT)


def not_published(state: Path, sitemaps: tuple[str, ...], web: WebOptions) -> str | None:
    """Why a set that `build` published is not what the site serves; None when it is, or none of these was built."""
    for folder in (state, *sorted(state.glob("sets/*"))):
        try:
            manifest = load_manifest(folder)
        except (ManifestError, OSError):
            continue
        for entry in manifest.entry_points if manifest is not None else ():
            if manifest is not None and manifest.url_of(entry.name) in sitemaps:
                problem = run(_differs(manifest, entry.name, entry.sha256, web))
                if problem is not None:
                    return problem
    return None


async def _differs(manifest: Manifest, name: str, sha256: str, web: WebOptions) -> str | None:
    url = manifest.url_of(name)
    with work_folder() as folder:
        path = Path(folder) / "live"
        async with Client(named_loopback(web, [url]), named=[url]) as client:
            answer = await client.get(url, cap=REMOTE_CAP, spool=path)
        if answer.failure is not None and answer.status is None:
            return f"{url} could not be fetched: {answer.failure}"
        if answer.status != 200:
            return f"{url} answers {answer.status}"
        if hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
            return f"{url} is not the file that was published; deploy it first"
    return None


def named_loopback(web: WebOptions, urls: list[str]) -> WebOptions:
    """A loopback address that a person named may be fetched; nothing else that is private may."""
    return msgspec.structs.replace(web, private_hosts=web.private_hosts.union(filter(is_loopback, urls)))
