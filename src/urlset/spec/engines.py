"""Search engine → its name, its limit and its tokens in robots.txt and robots meta tags; the crawlers of others."""

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

# Crawlers of search engines and AI services → their name in robots.txt, what they fetch pages for, and the source.
#
# Each operator documents its names as independent of each other: closing a site to one says nothing to another.
# `Google-Extended` and `Applebot-Extended` send no requests; they only say what fetched pages may be used for.
# Fetchers that act for a single user (ChatGPT-User, Claude-User, Perplexity-User, Amzn-User, Meta-ExternalFetcher) are
# left out: they do not crawl, and not all of them obey robots.txt.


class Purpose(StrEnum):
    SEARCH = "search"
    """an index with links to pages"""
    AI_SEARCH = "AI search"
    """answers that cite pages"""
    AI_TRAINING = "AI training"
    ARCHIVE = "archive"
    """a public copy of the web, used by many"""


class Crawler(msgspec.Struct, frozen=True):
    token: str
    """its name in robots.txt"""
    operator: str
    purpose: Purpose
    source: str
    """the operator's own page about it"""
    agent: str = ""
    """its User-Agent header, for the crawlers whose name `urlset doctor` tries"""


_GOOGLE = "https://developers.google.com/crawling/docs/crawlers-fetchers/google-common-crawlers"
_OPENAI = "https://platform.openai.com/docs/bots"
_ANTHROPIC = "https://support.claude.com/en/articles/8896518"
_APPLE = "https://support.apple.com/en-us/119829"
_AMAZON = "https://developer.amazon.com/amazonbot"
_META = "https://developers.facebook.com/docs/sharing/webmasters/web-crawlers"
_WEBKIT = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko)"

CRAWLERS = (
    Crawler(
        "Googlebot",
        "Google",
        Purpose.SEARCH,
        _GOOGLE,
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    ),
    Crawler(
        "bingbot",
        "Microsoft",
        Purpose.SEARCH,
        "https://www.bing.com/webmasters/help/8c184ec0",
        "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    ),
    Crawler(
        "YandexBot", "Yandex", Purpose.SEARCH, "https://yandex.com/support/webmaster/robot-workings/user-agent.html"
    ),
    Crawler("Baiduspider", "Baidu", Purpose.SEARCH, "https://help.baidu.com/question?prod_id=99&class=476"),
    Crawler("SeznamBot", "Seznam", Purpose.SEARCH, "https://o-seznam.cz/napoveda/vyhledavani/en/seznambot-crawler/"),
    Crawler("Yeti", "Naver", Purpose.SEARCH, "https://searchadvisor.naver.com/guide/seo-basic-robots"),
    Crawler(
        "DuckDuckBot", "DuckDuckGo", Purpose.SEARCH, "https://duckduckgo.com/duckduckgo-help-pages/results/duckduckbot"
    ),
    Crawler("Applebot", "Apple", Purpose.SEARCH, _APPLE),
    Crawler(
        "OAI-SearchBot",
        "OpenAI",
        Purpose.AI_SEARCH,
        _OPENAI,
        f"{_WEBKIT}; compatible; OAI-SearchBot/1.3; +https://openai.com/searchbot",
    ),
    Crawler(
        "Claude-SearchBot",
        "Anthropic",
        Purpose.AI_SEARCH,
        _ANTHROPIC,
        f"{_WEBKIT}; compatible; Claude-SearchBot/1.0; +searchbot@anthropic.com",
    ),
    Crawler(
        "PerplexityBot",
        "Perplexity",
        Purpose.AI_SEARCH,
        "https://docs.perplexity.ai/guides/bots",
        f"{_WEBKIT}; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot",
    ),
    Crawler("Amzn-SearchBot", "Amazon", Purpose.AI_SEARCH, _AMAZON),
    Crawler("Meta-WebIndexer", "Meta", Purpose.AI_SEARCH, _META),
    Crawler(
        "DuckAssistBot",
        "DuckDuckGo",
        Purpose.AI_SEARCH,
        "https://duckduckgo.com/duckduckgo-help-pages/results/duckassistbot",
    ),
    Crawler(
        "GPTBot",
        "OpenAI",
        Purpose.AI_TRAINING,
        _OPENAI,
        f"{_WEBKIT}; compatible; GPTBot/1.2; +https://openai.com/gptbot",
    ),
    Crawler(
        "ClaudeBot",
        "Anthropic",
        Purpose.AI_TRAINING,
        _ANTHROPIC,
        f"{_WEBKIT}; compatible; ClaudeBot/1.0; +claudebot@anthropic.com",
    ),
    Crawler("Google-Extended", "Google", Purpose.AI_TRAINING, _GOOGLE),
    Crawler("Applebot-Extended", "Apple", Purpose.AI_TRAINING, _APPLE),
    Crawler("Meta-ExternalAgent", "Meta", Purpose.AI_TRAINING, _META),
    Crawler("Amazonbot", "Amazon", Purpose.AI_TRAINING, _AMAZON),
    Crawler("CCBot", "Common Crawl", Purpose.ARCHIVE, "https://commoncrawl.org/ccbot"),
)
