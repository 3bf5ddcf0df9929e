"""Search engine → what it reads in a sitemap, what it ignores, and what is unknown."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from urlset.spec.protocol import MAX_BYTES, ROBOTS_MIN_PARSED_BYTES


class Engine(StrEnum):
    """Whose rules count; two of them are documents, the protocol's prose and its schema."""

    PROTOCOL = "protocol"
    GOOGLE = "google"
    BING = "bing"
    YANDEX = "yandex"
    BAIDU = "baidu"
    SEZNAM = "seznam"
    NAVER = "naver"
    XSD_STRICT = "xsd-strict"


DEFAULT_ENGINES = (Engine.PROTOCOL, Engine.GOOGLE, Engine.BING)


class Honour(StrEnum):
    """What becomes of a feature."""

    USED = "used"
    DOCUMENTED = "documented"  # described, effect not stated
    WEAK = "weak"  # a hint at most
    IGNORED = "ignored"
    DEAD = "dead"  # was there once, is switched off
    UNKNOWN = "unknown"  # no document found; unknown is not "no"


class Claim(msgspec.Struct, frozen=True):
    """What one engine does with one feature, and who says so."""

    honour: Honour
    note: str = ""
    cites: tuple[str, ...] = ()


class EngineSpec(msgspec.Struct, frozen=True):
    """One engine's treatment of sitemaps."""

    engine: Engine
    title: str
    formats: tuple[str, ...]  # of FORMATS
    formats_cites: tuple[str, ...]
    lastmod: Claim
    changefreq: Claim
    priority: Claim
    hreflang: Claim
    image: Claim
    video: Claim
    news: Claim
    ping: Claim
    indexnow: Claim
    path_scope: Claim
    max_bytes: int
    max_bytes_cites: tuple[str, ...]
    robots_max_bytes: int | None = None  # what lies beyond is not read; None when no limit is published
    robots_tokens: tuple[str, ...] = ()  # most general first
    meta_tokens: tuple[str, ...] = ()  # lowercase, beside "robots"
    robots_cites: tuple[str, ...] = ()

    def features(self) -> dict[str, Claim]:
        """Every claim by the name of its feature."""
        return {name: value for name in self.__struct_fields__ if isinstance(value := getattr(self, name), Claim)}


FORMATS = ("urlset", "sitemapindex", "text", "rss", "mrss", "atom", "atom03")
_UNKNOWN = Claim(Honour.UNKNOWN)
_NO_EXTENSION = Claim(Honour.IGNORED, "foreign elements are allowed and mean nothing here", ("sitemaps-protocol",))
_NO_PING = Claim(Honour.DEAD, "no major engine serves the ping endpoint", ("google-2023", "bing-2022"))


def _said(honour: Honour, note: str, *cites: str) -> Claim:
    return Claim(honour, note, cites)


def _used(note: str, *cites: str) -> Claim:
    return Claim(Honour.USED, note, cites)


_PROTOCOL = EngineSpec(
    Engine.PROTOCOL,
    "sitemaps.org protocol 0.9",
    ("urlset", "sitemapindex", "text", "rss", "atom", "atom03"),
    ("sitemaps-protocol",),
    lastmod=_used("when the page was last modified, not when the file was made", "sitemaps-protocol"),
    changefreq=_used("a hint", "sitemaps-protocol"),
    priority=_used("relative to the site's other pages", "sitemaps-protocol"),
    hreflang=_NO_EXTENSION,
    image=_NO_EXTENSION,
    video=_NO_EXTENSION,
    news=_NO_EXTENSION,
    ping=_NO_PING,
    indexnow=Claim(Honour.IGNORED, "not part of it", ("indexnow",)),
    path_scope=_used(
        "only addresses below the file's own folder, same host, scheme and port;"
        " a Sitemap line in a host's robots.txt proves that the file may list URLs of the host",
        "sitemaps-protocol",
    ),
    max_bytes=MAX_BYTES,
    max_bytes_cites=("sitemaps-protocol",),
    robots_max_bytes=None,
    robots_tokens=("*",),
    robots_cites=("rfc9309",),
)

_XSD_STRICT = EngineSpec(
    Engine.XSD_STRICT,
    "official XML schemas",
    ("urlset", "sitemapindex"),
    ("xsd-urlset", "xsd-siteindex"),
    lastmod=_used("xsd:date or xsd:dateTime only", "xsd-urlset", "xsd-tested"),
    changefreq=_used("exact lowercase, no spaces", "xsd-urlset", "xsd-tested"),
    priority=_used("xsd:decimal from 0.0 to 1.0", "xsd-urlset", "xsd-tested"),
    hreflang=_said(Honour.DOCUMENTED, "valid only where an XHTML schema is loaded too", "xsd-urlset", "xsd-tested"),
    image=_used("element order matters", "xsd-image"),
    video=_used("element order matters", "xsd-video"),
    news=_used("element order matters", "xsd-news"),
    ping=Claim(Honour.IGNORED, "not part of it", ("xsd-urlset",)),
    indexnow=Claim(Honour.IGNORED, "not part of it", ("xsd-urlset",)),
    path_scope=Claim(Honour.IGNORED, "a schema does not know where the file is", ("xsd-urlset",)),
    max_bytes=MAX_BYTES,
    max_bytes_cites=("sitemaps-protocol",),
)

_GOOGLE = EngineSpec(
    Engine.GOOGLE,
    "Google",
    ("urlset", "sitemapindex", "text", "rss", "mrss", "atom"),
    ("google-build", "google-video"),
    lastmod=_used("if consistently and verifiably accurate", "google-build", "google-2023"),
    changefreq=_said(Honour.IGNORED, "", "google-build", "google-2023"),
    priority=_said(Honour.IGNORED, "", "google-build", "google-2023"),
    hreflang=_used("", "google-hreflang"),
    image=_used("only image:loc since 2022", "google-image", "google-2022"),
    video=_used("", "google-video"),
    news=_used("articles of the last two days", "google-news"),
    ping=_said(Honour.DEAD, "answers 404 since the end of 2023", "google-2023"),
    indexnow=_said(Honour.IGNORED, "does not take part", "indexnow-faq"),
    path_scope=_used("unless the sitemap is submitted in Search Console", "google-build", "google-hreflang"),
    max_bytes=MAX_BYTES,
    max_bytes_cites=("google-build",),
    robots_max_bytes=ROBOTS_MIN_PARSED_BYTES,
    robots_tokens=("Googlebot", "Googlebot-Image", "Googlebot-Video", "Googlebot-News"),
    meta_tokens=("googlebot", "googlebot-news"),
    robots_cites=("google-robots", "google-crawlers", "google-robots-meta"),
)

_BING = EngineSpec(
    Engine.BING,
    "Bing",
    ("urlset", "sitemapindex", "text", "rss", "atom", "atom03"),
    ("bing-help",),
    lastmod=_used("a key signal, wanted with date and time", "bing-2023", "bing-2025"),
    changefreq=_said(Honour.IGNORED, "since 2025", "bing-2025"),
    priority=_said(Honour.IGNORED, "since 2025", "bing-2025"),
    hreflang=_said(Honour.WEAK, "content-language is preferred", "bing-hreflang"),
    image=_UNKNOWN,
    video=_UNKNOWN,
    news=_UNKNOWN,
    ping=_said(Honour.DEAD, "answers 410 since December 2021", "bing-2022"),
    indexnow=_used("", "indexnow-faq"),
    path_scope=_said(Honour.DOCUMENTED, "follows the protocol", "bing-help"),
    max_bytes=MAX_BYTES,
    max_bytes_cites=("bing-2025", "sitemaps-protocol"),
    robots_tokens=("bingbot",),
    meta_tokens=("bingbot",),
    robots_cites=("crawler-tokens", "google-robots-meta"),
)

_YANDEX = EngineSpec(
    Engine.YANDEX,
    "Yandex",
    ("urlset", "sitemapindex", "text"),
    ("yandex-sitemap",),
    lastmod=_used("at most 100 bytes", "yandex-sitemap"),
    changefreq=_said(Honour.DOCUMENTED, "at most 100 bytes", "yandex-sitemap"),
    priority=_used("orders the crawl, at most 100 bytes", "yandex-sitemap"),
    hreflang=_UNKNOWN,
    image=_said(Honour.IGNORED, "image data is not taken from sitemaps", "yandex-sitemap"),
    video=_UNKNOWN,
    news=_UNKNOWN,
    ping=_said(Honour.DEAD, "undocumented since 2017", "general-knowledge"),
    indexnow=_used("", "indexnow-faq"),
    path_scope=_used("only pages of the domain the file lies on", "yandex-sitemap"),
    max_bytes=MAX_BYTES,
    max_bytes_cites=("yandex-errors",),
    robots_tokens=("Yandex", "YandexBot"),
    meta_tokens=("yandex",),
    robots_cites=("yandex-robots", "crawler-tokens"),
)

_BAIDU = EngineSpec(
    Engine.BAIDU,
    "Baidu",
    ("urlset", "sitemapindex", "text"),
    ("baidu-sitemap",),
    lastmod=_said(Honour.DOCUMENTED, "optional", "baidu-sitemap"),
    changefreq=_said(Honour.DOCUMENTED, "accepted", "baidu-sitemap"),
    priority=_said(Honour.DOCUMENTED, "accepted", "baidu-sitemap"),
    hreflang=_UNKNOWN,
    image=_UNKNOWN,
    video=_UNKNOWN,
    news=_UNKNOWN,
    ping=_said(Honour.DEAD, "removed in 2017", "baidu-sitemap"),
    indexnow=_said(Honour.IGNORED, "does not take part", "indexnow-faq"),
    path_scope=_UNKNOWN,
    max_bytes=10_485_760,
    max_bytes_cites=("baidu-sitemap",),
    robots_tokens=("Baiduspider",),
    meta_tokens=("baiduspider",),
    robots_cites=("crawler-tokens",),
)

_SEZNAM = EngineSpec(
    Engine.SEZNAM,
    "Seznam",
    ("urlset", "sitemapindex"),
    ("seznam-2007",),
    lastmod=_UNKNOWN,
    changefreq=_UNKNOWN,
    priority=_used("compares pages within the site", "seznam-2007"),
    hreflang=_UNKNOWN,
    image=_UNKNOWN,
    video=_UNKNOWN,
    news=_UNKNOWN,
    ping=_UNKNOWN,
    indexnow=_used("", "indexnow-faq"),
    path_scope=_UNKNOWN,
    max_bytes=MAX_BYTES,
    max_bytes_cites=("sitemaps-protocol",),
    robots_tokens=("SeznamBot",),
    meta_tokens=("seznambot",),
    robots_cites=("crawler-tokens",),
)

_NAVER = EngineSpec(
    Engine.NAVER,
    "Naver",
    ("urlset", "sitemapindex"),
    ("general-knowledge",),
    lastmod=_UNKNOWN,
    changefreq=_UNKNOWN,
    priority=_UNKNOWN,
    hreflang=_UNKNOWN,
    image=_UNKNOWN,
    video=_UNKNOWN,
    news=_UNKNOWN,
    ping=_UNKNOWN,
    indexnow=_used("", "indexnow-faq"),
    path_scope=_UNKNOWN,
    max_bytes=MAX_BYTES,
    max_bytes_cites=("sitemaps-protocol",),
    robots_tokens=("Yeti",),
    meta_tokens=("yeti",),
    robots_cites=("crawler-tokens",),
)

ENGINES: dict[Engine, EngineSpec] = {
    spec.engine: spec for spec in (_PROTOCOL, _GOOGLE, _BING, _YANDEX, _BAIDU, _SEZNAM, _NAVER, _XSD_STRICT)
}
