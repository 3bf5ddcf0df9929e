"""Where sitemaps and URLs are submitted → endpoints, limits, credentials, and the channels that no longer exist."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from urlset.spec.protocol import INDEXNOW_MAX_URLS


class Channel(StrEnum):
    """Where something can be submitted to."""

    GOOGLE = "google"
    BING = "bing"
    YANDEX = "yandex"
    INDEXNOW = "indexnow"
    BAIDU = "baidu"


class ChannelFacts(msgspec.Struct, frozen=True):
    """One channel: its endpoint, the variable that overrides it, and its limits."""

    endpoint: str
    endpoint_variable: str
    sitemaps: bool
    """takes the address of a sitemap"""
    urls_per_batch: int = 0
    """how many changed URLs one request may carry; 0 where it takes none"""
    cites: tuple[str, ...] = ()


CHANNELS: dict[Channel, ChannelFacts] = {
    Channel.GOOGLE: ChannelFacts(
        "https://searchconsole.googleapis.com/", "URLSET_GOOGLE_ENDPOINT", sitemaps=True, cites=("gsc-api",)
    ),
    Channel.BING: ChannelFacts(
        "https://ssl.bing.com/webmaster/api.svc/json/",
        "URLSET_BING_ENDPOINT",
        sitemaps=True,
        urls_per_batch=500,
        cites=("bing-api",),
    ),
    Channel.YANDEX: ChannelFacts(
        "https://api.webmaster.yandex.net/v4/", "URLSET_YANDEX_ENDPOINT", sitemaps=True, cites=("yandex-api",)
    ),
    Channel.INDEXNOW: ChannelFacts(
        "https://api.indexnow.org/indexnow",
        "URLSET_INDEXNOW_ENDPOINT",
        sitemaps=False,
        urls_per_batch=INDEXNOW_MAX_URLS,
        cites=("indexnow",),
    ),
    Channel.BAIDU: ChannelFacts(
        "http://data.zz.baidu.com/urls",
        "URLSET_BAIDU_ENDPOINT",
        sitemaps=False,
        urls_per_batch=2_000,
        cites=("seen-in-the-wild",),
    ),
}

GOOGLE_TOKEN_ENDPOINT = "https://oauth2.googleapis.com/token"
GOOGLE_TOKEN_VARIABLE = "URLSET_GOOGLE_TOKEN_ENDPOINT"
GOOGLE_AUTHORIZATION = "https://accounts.google.com/o/oauth2/v2/auth"
GOOGLE_AUTHORIZATION_VARIABLE = "URLSET_GOOGLE_AUTHORIZATION_ENDPOINT"
GOOGLE_REVOCATION = "https://oauth2.googleapis.com/revoke"
GOOGLE_REVOCATION_VARIABLE = "URLSET_GOOGLE_REVOCATION_ENDPOINT"
GOOGLE_READ_SCOPE = "https://www.googleapis.com/auth/webmasters.readonly"
GOOGLE_WRITE_SCOPE = "https://www.googleapis.com/auth/webmasters"

INSPECTIONS_AT_ONCE = 50
"""an answer takes about five seconds and 600 a minute are allowed"""
QUOTA_ZONE = "America/Los_Angeles"
"""Google's daily quotas start at midnight there"""


class Retired(msgspec.Struct, frozen=True):
    """A channel people still ask for that must not be used."""

    title: str
    since: str
    why: str
    instead: str


RETIRED: dict[str, Retired] = {
    "google-ping": Retired(
        "Google's sitemap ping",
        "2023-06-26",
        "Google announced the end of google.com/ping on that day and answers 404 since the end of 2023",
        "use `--to google` (Search Console API) or name the sitemap in robots.txt",
    ),
    "bing-ping": Retired(
        "Bing's sitemap ping",
        "2022-05-13",
        "Bing retired anonymous sitemap submission and answers 410",
        "use `--to bing` (Webmaster API), `--to indexnow`, or name the sitemap in robots.txt",
    ),
    "google-indexing-api": Retired(
        "Google's Indexing API",
        "2018-06-26",
        "it accepts only pages with JobPosting or BroadcastEvent markup, and other use is treated as spam",
        "use `--to google` to submit the sitemap; Google offers no API that requests indexing of ordinary pages",
    ),
}
"""by the name that `--to` may be given"""

RETIRED_SPELLINGS: dict[str, str] = {
    "ping": "google-ping",
    "google-ping": "google-ping",
    "bing-ping": "bing-ping",
    "indexing-api": "google-indexing-api",
    "google-indexing-api": "google-indexing-api",
    "google-indexing": "google-indexing-api",
}
