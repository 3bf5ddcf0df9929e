"""Search engine → its name, its limit and its tokens in robots.txt and robots meta tags."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from urlset.spec.protocol import MAX_BYTES


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


class EngineSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One engine, and who says so."""

    engine: Engine
    title: str
    max_bytes: int = MAX_BYTES
    robots_tokens: tuple[str, ...] = ()  # most general first
    meta_tokens: tuple[str, ...] = ()  # lowercase, beside "robots"
    cites: tuple[str, ...]


_SPECS = (
    EngineSpec(
        engine=Engine.PROTOCOL,
        title="sitemaps.org protocol 0.9",
        robots_tokens=("*",),
        cites=("sitemaps-protocol", "rfc9309"),
    ),
    EngineSpec(
        engine=Engine.GOOGLE,
        title="Google",
        robots_tokens=("Googlebot", "Googlebot-Image", "Googlebot-Video", "Googlebot-News"),
        meta_tokens=("googlebot", "googlebot-news"),
        cites=("google-build", "google-robots", "google-crawlers", "google-robots-meta"),
    ),
    EngineSpec(
        engine=Engine.BING,
        title="Bing",
        robots_tokens=("bingbot",),
        meta_tokens=("bingbot",),
        cites=("bing-2025", "sitemaps-protocol", "crawler-tokens", "google-robots-meta"),
    ),
    EngineSpec(
        engine=Engine.YANDEX,
        title="Yandex",
        robots_tokens=("Yandex", "YandexBot"),
        meta_tokens=("yandex",),
        cites=("yandex-errors", "yandex-robots", "crawler-tokens"),
    ),
    EngineSpec(
        engine=Engine.BAIDU,
        title="Baidu",
        max_bytes=10_485_760,
        robots_tokens=("Baiduspider",),
        meta_tokens=("baiduspider",),
        cites=("baidu-sitemap", "crawler-tokens"),
    ),
    EngineSpec(
        engine=Engine.SEZNAM,
        title="Seznam",
        robots_tokens=("SeznamBot",),
        meta_tokens=("seznambot",),
        cites=("sitemaps-protocol", "crawler-tokens"),
    ),
    EngineSpec(
        engine=Engine.NAVER,
        title="Naver",
        robots_tokens=("Yeti",),
        meta_tokens=("yeti",),
        cites=("sitemaps-protocol", "crawler-tokens"),
    ),
    EngineSpec(engine=Engine.XSD_STRICT, title="official XML schemas", cites=("sitemaps-protocol",)),
)
ENGINES: dict[Engine, EngineSpec] = {spec.engine: spec for spec in _SPECS}
