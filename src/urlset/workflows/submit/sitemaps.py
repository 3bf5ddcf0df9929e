"""A live sitemap → a submission to Google, Bing or Yandex, once per change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import urlsplit

import msgspec

from urlset.spec.submission import GOOGLE_WRITE_SCOPE, Channel
from urlset.submitting.bing import Bing
from urlset.submitting.google import Google, GoogleTokens, Property, exact_name, load_credentials, most_specific
from urlset.submitting.receipt import Receipt, Refused, Status
from urlset.submitting.secrets import need_secret
from urlset.submitting.yandex import Yandex, host_id
from urlset.web.api import Api, ApiRequest
from urlset.workflows.submit.live_set import LiveSitemap, Presence
from urlset.workflows.submit.options import SubmitOptions

_NAMED = 5


class Prepared(msgspec.Struct, frozen=True):
    """The request, and the call that sends it and raises Refused."""

    request: ApiRequest
    send: Callable[[], Awaitable[None]]


class SitemapChannel:
    """One engine that takes sitemaps."""

    def __init__(self, channel: Channel, api: Api, options: SubmitOptions) -> None:
        self.channel, self._api, self._options = channel, api, options
        self._google: Google | None = None
        self._bing: Bing | None = None
        self._yandex: Yandex | None = None

    async def prepare(self, url: str) -> Prepared:
        """Raises Refused or SecretError."""
        match self.channel:
            case Channel.GOOGLE:
                return await self._prepare_google(url)
            case Channel.BING:
                return await self._prepare_bing(url)
            case _:
                return await self._prepare_yandex(url)

    async def _prepare_google(self, url: str) -> Prepared:
        options = self._options
        if self._google is None:
            info = load_credentials(options.environment)
            tokens = GoogleTokens(self._api, info, GOOGLE_WRITE_SCOPE, environment=options.environment)
            self._google = Google(self._api, tokens, environment=options.environment)
        google = self._google
        wanted = exact_name(options.property) if options.property else None
        properties = await google.properties()
        found = most_specific(url, (each for each in properties if wanted in (None, each.name)))
        if found is None:
            raise Refused(Status.REFUSED, _no_property(url, wanted, properties))
        return Prepared(google.submission(found.name, url), lambda: google.submit(found.name, url))

    async def _prepare_bing(self, url: str) -> Prepared:
        bing = self.bing()
        site = await bing_site(bing, url)
        return Prepared(bing.feed_submission(site, url), lambda: bing.submit_feed(site, url))

    def bing(self) -> Bing:
        if self._bing is None:
            key = need_secret("URLSET_BING_KEY", "Bing API key", self._options.environment)
            self._bing = Bing(self._api, key, environment=self._options.environment)
        return self._bing

    async def _prepare_yandex(self, url: str) -> Prepared:
        if self._yandex is None:
            token = need_secret("URLSET_YANDEX_TOKEN", "Yandex token", self._options.environment)
            self._yandex = Yandex(self._api, token, environment=self._options.environment)
        yandex = self._yandex
        host = await yandex.host_of(url)
        if host is None:
            raise Refused(Status.REFUSED, f"{host_id(url)} is not a verified host of this Yandex account")
        return Prepared(await yandex.submission(host, url), lambda: yandex.submit(host, url))


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


async def bing_site(bing: Bing, url: str) -> str:
    """The site of the account that contains the URL, as Bing writes it."""
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}".lower()
    for site in await bing.sites():
        if site.lower().rstrip("/") == origin or url.lower().startswith(site.lower().rstrip("/") + "/"):
            return site
    raise Refused(Status.REFUSED, f"{origin}/ is not a verified site of this Bing account")


def unfit(channel: Channel, sitemap: LiveSitemap, known: str | None) -> Receipt | None:
    """Why there is nothing to send: the sitemap is absent, or it is unchanged since it was accepted."""
    if sitemap.presence is Presence.ABSENT:
        return Receipt(channel, sitemap.url, Status.NOT_LIVE, message=f"not submitted: {sitemap.problem}")
    if known is not None and known == sitemap.digest:
        return Receipt(channel, sitemap.url, Status.NOTHING, message="unchanged since it was accepted")
    return None
