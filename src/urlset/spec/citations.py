"""Citation key → the document behind it, for every source a rule or table names."""

from __future__ import annotations

from enum import StrEnum

import msgspec

# One source of a fact, and how much weight it carries.


class Reading(StrEnum):
    """How the source was read, strongest first."""

    PRIMARY = "primary"  # the publisher's own page or file
    MIRROR = "mirror"  # a dated, faithful copy of the publisher's page
    SECONDARY = "secondary"  # someone else's report or partial copy
    TESTED = "tested"  # observed by running something
    KNOWLEDGE = "knowledge"  # general knowledge, not looked up again


class Citation(msgspec.Struct, frozen=True):
    """A document that a rule or a table entry leans on."""

    key: str
    document: str
    url: str
    says: str
    section: str = ""
    read_on: str = "2026-11-15"  # ISO date of the copy read, or of the reading when the copy has no date
    how: Reading = Reading.PRIMARY


# Sources published by or about Bing, Yandex, Baidu, Seznam, Naver and IndexNow.

_YANDEX = "https://yandex.com/support/webmaster/en"


def _yandex(key: str, path: str, title: str, says: str) -> Citation:
    return Citation(key, f"Yandex Webmaster, {title}", f"{_YANDEX}/{path}", says)


ENGINES: tuple[Citation, ...] = (
    Citation(
        "bing-2022",
        "Bing Webmaster blog, anonymous sitemap submission removed (May 2022)",
        "https://blogs.bing.com/webmaster/may-2022/Spring-cleaning-Removed-Bing-anonymous-sitemap-submission",
        "ping is gone; name sitemaps in robots.txt or Webmaster Tools; fetched about daily",
    ),
    Citation(
        "bing-2023",
        "Bing Webmaster blog on lastmod (February 2023)",
        "https://blogs.bing.com/webmaster/february-2023/The-Importance-of-Setting-the-lastmod-Tag-in-Your-Sitemap",
        "lastmod is the tag that matters most; many files carry the generation time in it",
        how=Reading.SECONDARY,
    ),
    Citation(
        "bing-2025",
        "Bing Webmaster blog, sitemaps in AI powered search (July 2025)",
        "https://blogs.bing.com/webmaster/July-2025/Keeping-Content-Discoverable-with-Sitemaps-in-AI-Powered-Search",
        "lastmod with date and time is a key signal; changefreq and priority are not used",
        how=Reading.SECONDARY,
    ),
    Citation(
        "bing-help",
        "Bing Webmaster Tools help, Sitemaps",
        "https://www.bing.com/webmasters/help/sitemaps-3b5cf6ed",
        "XML, RSS 2.0, Atom 0.3 and 1.0, text",
    ),
    Citation(
        "bing-api",
        "Bing Webmaster API, IWebmasterApi",
        "https://learn.microsoft.com/dotnet/api/microsoft.bing.webmaster.api.interfaces.iwebmasterapi",
        "SubmitUrl, SubmitUrlBatch, GetUrlSubmissionQuota",
    ),
    Citation(
        "bing-hreflang",
        "Reports on how Bing treats hreflang",
        "https://www.bing.com/webmasters/help",
        "content-language is preferred and hreflang is a weak signal at most",
        how=Reading.SECONDARY,
    ),
    _yandex(
        "yandex-canonical",
        "robot-workings/canonical.html",
        "Canonical URLs",
        "rel=canonical in a link element or a Link header; a recommendation",
    ),
    _yandex(
        "yandex-sitemap",
        "controlling-robot/sitemap.html",
        "Using a Sitemap file",
        "XML and text only, own domain only; lastmod, changefreq and priority documented, 100 bytes each",
    ),
    _yandex(
        "yandex-errors",
        "error-dictionary/sitemap.html",
        "Sitemap error dictionary",
        "unknown, missing and repeated tags, size above 50 MB, anything but status 200",
    ),
    _yandex(
        "yandex-robots",
        "error-dictionary/robots-txt.html",
        "robots.txt error dictionary",
        "at most 2,048 rules of at most 1,024 characters; sitemap lines need a full address",
    ),
    _yandex(
        "yandex-tool",
        "indexing-options/tool-sitemap.html",
        "Sitemap file analysis",
        "a file that takes longer than 10 seconds is not loaded",
    ),
    Citation(
        "yandex-api",
        "Yandex Webmaster API v4, sitemaps",
        "https://yandex.com/dev/webmaster/doc/en/",
        "lists the sitemaps of a host and the ones a user added",
    ),
    Citation(
        "baidu-sitemap",
        "Baidu search resource platform, sitemap help (copies of 2014 to 2018)",
        "https://ziyuan.baidu.com/",
        "10 MB, 50,000 URLs, loc of at most 256 bytes, XML, text and index, mobile annotations",
        how=Reading.SECONDARY,
    ),
    Citation(
        "seznam-2007",
        "Seznam blog on sitemaps (2007-11-07)",
        "https://blog.seznam.cz/",
        "XML sitemaps read from robots.txt or /sitemap.xml; priority compares pages within the site",
    ),
    Citation(
        "indexnow",
        "IndexNow documentation",
        "https://www.indexnow.org/documentation",
        "key of 8 to 128 characters, key file, 10,000 URLs per POST, response codes",
        how=Reading.MIRROR,
    ),
    Citation(
        "indexnow-faq",
        "IndexNow frequently asked questions and participants",
        "https://www.indexnow.org/faq",
        "submit changes only, wait between submissions; Bing, Yandex, Naver, Seznam and others share them",
        read_on="2026-09-01",
        how=Reading.SECONDARY,
    ),
    Citation(
        "crawler-tokens",
        "Names by which crawlers obey robots.txt and robots meta tags",
        "",
        "bingbot, Yandex, Baiduspider, SeznamBot, Yeti",
        how=Reading.KNOWLEDGE,
    ),
)


# Sources published by Google about sitemaps, crawling, Search Console and its parser.

_DOCS = "https://developers.google.com/search/docs"
_CRAWLING = "https://developers.google.com/crawling/docs"
_BLOG = "https://developers.google.com/search/blog"
_API = "https://developers.google.com/webmaster-tools"
_COPY = "2026-07-08"


def _docs(key: str, path: str, title: str, says: str) -> Citation:
    return Citation(key, f"Google Search Central, {title}", f"{_DOCS}/{path}", says, read_on=_COPY, how=Reading.MIRROR)


def _sitemaps(key: str, page: str, title: str, says: str) -> Citation:
    return _docs(key, f"crawling-indexing/sitemaps/{page}", title, says)


def _crawling(key: str, path: str, title: str, says: str) -> Citation:
    return Citation(key, f"Google crawling, {title}", f"{_CRAWLING}/{path}", says, read_on=_COPY, how=Reading.MIRROR)


def _blog(key: str, path: str, title: str, says: str) -> Citation:
    return Citation(key, f"Google Search Central blog, {title}", f"{_BLOG}/{path}", says, how=Reading.MIRROR)


GOOGLE: tuple[Citation, ...] = (
    _sitemaps("google-overview", "overview", "What is a sitemap", "small, well linked sites may do without one"),
    _sitemaps(
        "google-build",
        "build-sitemap",
        "Build and submit a sitemap",
        "formats, absolute URLs, 50,000 and 50 MB; changefreq and priority ignored, lastmod used if accurate",
    ),
    _sitemaps(
        "google-large",
        "large-sitemaps",
        "Manage large sitemaps",
        "index rules: same site, same directory or lower, 500 index files per property",
    ),
    _sitemaps(
        "google-image",
        "image-sitemaps",
        "Image sitemaps",
        "image:loc required, 1,000 images per page, other domains allowed, metadata tags removed",
    ),
    _sitemaps(
        "google-video",
        "video-sitemaps",
        "Video sitemaps and alternatives",
        "required and optional video tags with their ranges; the mRSS tags read instead",
    ),
    _sitemaps(
        "google-news",
        "news-sitemap",
        "News sitemaps",
        "articles of the last two days, 1,000 per file, publication, date, title; language codes",
    ),
    _sitemaps(
        "google-combine",
        "combine-sitemap-extensions",
        "Combine sitemap extensions",
        "the namespace of each supported extension; order after loc does not matter",
    ),
    _docs(
        "google-hreflang",
        "specialty/international/localized-versions",
        "Localized versions of your page",
        "xhtml:link, language-script-region codes, self and return links, x-default",
    ),
    _docs(
        "google-canonical",
        "crawling-indexing/consolidate-duplicate-urls",
        "Canonical URLs",
        "sitemaps are a weak canonical signal and must not contradict rel=canonical",
    ),
    _docs(
        "google-javascript",
        "crawling-indexing/javascript/javascript-seo-basics",
        "JavaScript SEO basics",
        "pages are indexed as rendered; scripts must not change the canonical; not all bots run scripts",
    ),
    _docs(
        "google-robots-meta",
        "crawling-indexing/robots-meta-tag",
        "Robots meta tag and X-Robots-Tag",
        "noindex, none, unavailable_after; bot-specific names; restrictions add up",
    ),
    _docs(
        "google-noindex",
        "crawling-indexing/block-indexing",
        "Block indexing",
        "a page that robots.txt blocks never shows its noindex",
    ),
    _docs(
        "google-url-structure",
        "crawling-indexing/url-structure",
        "URL structure",
        "percent-encode reserved characters; fragments are not used to tell pages apart",
    ),
    _docs("google-redirects", "crawling-indexing/301-redirects", "Redirects", "which redirects move the canonical"),
    _docs(
        "google-troubleshoot",
        "crawling-indexing/troubleshoot-crawling-errors",
        "Troubleshoot crawling",
        "soft 404s, no resubmission of unchanged sitemaps, no rotating of sitemaps",
    ),
    _docs(
        "google-googlebot", "crawling-indexing/googlebot", "Googlebot", "reads the first 2 MB of a file, 64 MB of a PDF"
    ),
    _docs(
        "google-site-move",
        "crawling-indexing/site-move-with-url-changes",
        "Site moves",
        "keep redirect chains short, at most 10 hops are followed",
    ),
    _docs(
        "google-video-best",
        "appearance/video",
        "Video best practices",
        "supported file types, thumbnail size and formats, stable URLs",
    ),
    _docs(
        "google-file-types",
        "crawling-indexing/indexable-file-types",
        "Indexable file types",
        "which content types can appear in results",
    ),
    _crawling(
        "google-robots",
        "robots-txt/robots-txt-spec",
        "How Google interprets robots.txt",
        "500 KiB limit, at least five redirects, most specific group, sitemap lines belong to no group",
    ),
    _crawling(
        "google-crawlers",
        "crawlers-fetchers/overview-google-crawlers",
        "Google's crawlers and fetchers",
        "tokens for robots.txt, 15 MB default fetch limit, HTTP caching headers",
    ),
    _crawling(
        "google-http",
        "troubleshooting/http-status-codes",
        "HTTP status codes and network errors",
        "what each status means to the crawler; up to 10 redirect hops",
    ),
    _blog("google-2006", "2006/03", "Sitemap index files (2006-03-15)", "an index must not list another index"),
    _blog(
        "google-2022",
        "2022/05/spring-cleaning-sitemap-extensions",
        "Some sitemap extension tags are going away (2022-05-06)",
        "image and video metadata tags have no effect after 2022-08-06",
    ),
    _blog(
        "google-2023",
        "2023/06/sitemaps-lastmod-ping",
        "Sitemaps ping endpoint is going away (2023-06-26)",
        "ping is gone; lastmod used when it can be verified; changefreq and priority not used",
    ),
    Citation(
        "gsc-report",
        "Search Console help, Sitemaps report",
        "https://support.google.com/webmasters/answer/7451001",
        "the errors the report can show, from parsing to URL not allowed",
        section="errors",
        how=Reading.SECONDARY,
    ),
    Citation(
        "gsc-api",
        "Search Console API, sitemaps and URL inspection",
        f"{_API}/v1/sitemaps",
        "list, get, submit, delete; contents.indexed is deprecated",
        how=Reading.MIRROR,
    ),
    Citation(
        "gsc-limits",
        "Search Console API, usage limits",
        f"{_API}/limits",
        "2,000 URL inspections a day and 600 a minute for each property",
        read_on="2026-08-13",
        how=Reading.MIRROR,
    ),
    Citation(
        "google-indexing-api",
        "Indexing API, quota and eligibility",
        "https://developers.google.com/search/apis/indexing-api/v3/quota-pricing",
        "only job postings and livestream videos; 200 publish calls a day by default",
        read_on="2026-10-20",
        how=Reading.MIRROR,
    ),
    Citation(
        "google-pse",
        "Programmable Search Engine help, PageMaps",
        "https://support.google.com/programmable-search/answer/1628213",
        "PageMap data in a sitemap serves the programmable search engine, not web search",
        how=Reading.MIRROR,
    ),
    Citation(
        "google-robotstxt-parser",
        "google/robotstxt, robots.cc",
        "https://github.com/google/robotstxt",
        "misspelt field names that are accepted; lines are cut at 2083 * 8 bytes",
        section="robots.cc",
    ),
)


# Sources other than search engines: the protocol, its schemas, W3C, IETF and ISO.


def _rfc(key: str, number: int, title: str, says: str, *, how: Reading = Reading.KNOWLEDGE) -> Citation:
    url = f"https://www.rfc-editor.org/rfc/rfc{number}"
    return Citation(key, f"RFC {number}, {title}", url, says, how=how)


def _schema(key: str, url: str, title: str, says: str) -> Citation:
    return Citation(key, title, url, says, how=Reading.MIRROR)


STANDARDS: tuple[Citation, ...] = (
    Citation(
        "sitemaps-protocol",
        "Sitemaps XML format, protocol 0.9",
        "https://www.sitemaps.org/protocol.html",
        "elements, escaping, limits, index files, other formats, location rule, robots.txt line",
        read_on="2026-09-06",
        how=Reading.MIRROR,
    ),
    Citation(
        "sitemaps-faq",
        "Sitemaps frequently asked questions",
        "https://www.sitemaps.org/faq.html",
        "gzip only, one version of each page, no session ids, order of entries does not matter",
        how=Reading.MIRROR,
    ),
    _schema(
        "xsd-urlset",
        "https://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd",
        "XML schema of sitemap files (2008-03-26)",
        "child order, loc of 12 to 2048 characters, lastmod as xsd:date or xsd:dateTime, priority 0.0 to 1.0",
    ),
    _schema(
        "xsd-siteindex",
        "https://www.sitemaps.org/schemas/sitemap/0.9/siteindex.xsd",
        "XML schema of sitemap index files (2009-04-08)",
        "each sitemap element holds loc, then at most one lastmod, then foreign elements",
    ),
    _schema(
        "xsd-image",
        "https://www.google.com/schemas/sitemap-image/1.1/sitemap-image.xsd",
        "XML schema of the image extension 1.1",
        "loc, then optional caption, geo_location, title, license",
    ),
    _schema(
        "xsd-video",
        "https://www.google.com/schemas/sitemap-video/1.1/sitemap-video.xsd",
        "XML schema of the video extension 1.1",
        "the order, lengths, ranges and vocabularies of all video elements, withdrawn ones included",
    ),
    _schema(
        "xsd-news",
        "https://www.google.com/schemas/sitemap-news/0.9/sitemap-news.xsd",
        "XML schema of the news extension 0.9",
        "publication with name and language, dates, and the old access, genres, keywords, stock_tickers",
    ),
    _schema(
        "xsd-mobile",
        "https://www.google.com/schemas/sitemap-mobile/1.0/sitemap-mobile.xsd",
        "XML schema of the mobile extension 1.0",
        "one empty element, mobile",
    ),
    _schema(
        "xsd-pagemap",
        "https://www.google.com/schemas/sitemap-pagemap/1.0/sitemap-pagemap.xsd",
        "XML schema of the PageMap extension 1.0",
        "PageMap holds an optional Template and DataObjects of named Attributes",
    ),
    Citation(
        "chrome-xslt",
        "Chrome for Developers, removing XSLT",
        "https://developer.chrome.com/docs/web-platform/deprecating-xslt",
        "Chrome removes XSLT in November 2026, Firefox and Safari plan to follow; CSS and scripts stay",
        how=Reading.SECONDARY,
    ),
    Citation(
        "xsd-tested",
        "The official schemas run through libxml2",
        "https://gitlab.gnome.org/GNOME/libxml2",
        "which values the schemas really accept and reject, whatever their comments say",
        how=Reading.TESTED,
    ),
    Citation(
        "w3c-datetime",
        "Date and Time Formats, W3C Note (1998-08-27)",
        "https://www.w3.org/TR/NOTE-datetime",
        "six forms from YYYY to fractional seconds; a time always carries Z or a +hh:mm or -hh:mm offset",
        section="Formats",
        how=Reading.MIRROR,
    ),
    Citation(
        "xml10",
        "Extensible Markup Language 1.0, fifth edition",
        "https://www.w3.org/TR/xml/",
        "well-formedness, legal characters, encodings, the five predefined entities, optional declaration",
        how=Reading.KNOWLEDGE,
    ),
    Citation(
        "xml-names",
        "Namespaces in XML 1.0, third edition",
        "https://www.w3.org/TR/xml-names/",
        "namespace names are compared character by character; every prefix must be declared",
        section="2.3",
        how=Reading.KNOWLEDGE,
    ),
    Citation(
        "xml-schema-datatypes",
        "XML Schema Part 2: Datatypes, second edition",
        "https://www.w3.org/TR/xmlschema-2/",
        "what xsd:date, xsd:dateTime, xsd:decimal and xsd:anyURI allow",
        section="3.2",
        how=Reading.KNOWLEDGE,
    ),
    _rfc("rfc1123", 1123, "Requirements for Internet Hosts", "host names: labels of letters, digits, hyphens"),
    _rfc("rfc1952", 1952, "GZIP file format 4.3", "magic bytes, members, CRC-32 and size trailer"),
    _rfc("rfc3986", 3986, "URI: Generic Syntax", "legal characters, percent-encoding, normalisation"),
    _rfc("rfc3987", 3987, "Internationalized Resource Identifiers", "non-ASCII characters map to UTF-8 escapes"),
    _rfc("rfc4287", 4287, "The Atom Syndication Format", "feed, entry, link, updated"),
    _rfc("rfc5646", 5646, "Tags for Identifying Languages", "language, script and region subtags; x- private use"),
    _rfc("rfc5890", 5890, "IDNA: Definitions", "A-labels and U-labels of internationalised host names"),
    _rfc("rfc2606", 2606, "Reserved Top Level DNS Names", "example.com, .net and .org are reserved for documentation"),
    _rfc("rfc6761", 6761, "Special-Use Domain Names", "localhost, test, invalid and example are never public sites"),
    _rfc("rfc9110", 9110, "HTTP Semantics", "status codes, Content-Encoding, Retry-After"),
    _rfc(
        "rfc9309",
        9309,
        "Robots Exclusion Protocol",
        "groups, longest match, unavailable against unreachable, at least 500 KiB parsed",
        how=Reading.MIRROR,
    ),
    Citation(
        "rss20",
        "RSS 2.0 specification",
        "https://www.rssboard.org/rss-specification",
        "channel, item, link, pubDate",
        how=Reading.KNOWLEDGE,
    ),
    Citation(
        "media-rss",
        "Media RSS specification 1.5.1",
        "https://www.rssboard.org/media-rss",
        "media:content, player, title, description, thumbnail, restriction, price",
        how=Reading.KNOWLEDGE,
    ),
    Citation(
        "atom03",
        "The Atom Syndication Format 0.3 (draft)",
        "https://www.mnot.net/drafts/draft-nottingham-atom-format-02.html",
        "the draft that Atom 1.0 replaced, with its own namespace",
        how=Reading.KNOWLEDGE,
    ),
    Citation(
        "json-feed",
        "JSON Feed 1.1",
        "https://www.jsonfeed.org/version/1.1/",
        "version, items; url, id, external_url, date_modified and date_published of an item",
        how=Reading.KNOWLEDGE,
    ),
    Citation(
        "iso-639",
        "ISO 639 language codes, parts 1 and 2",
        "https://www.loc.gov/standards/iso639-2/",
        "two-letter and three-letter codes, the withdrawn ones, bibliographic and terminology forms",
        how=Reading.SECONDARY,
    ),
    Citation(
        "iso-3166",
        "ISO 3166-1 country codes",
        "https://www.iso.org/iso-3166-country-codes.html",
        "249 officially assigned two-letter codes; others are reserved or left to users",
        how=Reading.SECONDARY,
    ),
    Citation(
        "iso-15924",
        "ISO 15924 script codes",
        "https://www.unicode.org/iso15924/",
        "four-letter script codes; Qaaa to Qabx are private",
        how=Reading.SECONDARY,
    ),
    Citation(
        "iso-4217",
        "ISO 4217 currency codes",
        "https://www.iso.org/iso-4217-currency-codes.html",
        "three upper-case letters",
        how=Reading.KNOWLEDGE,
    ),
    Citation(
        "un-m49",
        "UN M.49 area codes",
        "https://unstats.un.org/unsd/methodology/m49/",
        "three-digit areas such as 419; legal in language tags, not read by search engines in hreflang",
        how=Reading.KNOWLEDGE,
    ),
    Citation(
        "seen-in-the-wild",
        "Spellings found in public generators and sitemaps",
        "https://github.com/crawler-commons/crawler-commons",
        "wrong namespaces, old versions and near-miss vocabularies that published files carry",
        section="sitemaps/Namespace",
        how=Reading.SECONDARY,
    ),
    Citation(
        "own-policy",
        "The settings of the site itself",
        "",
        "what the owner of the site forbids and requires; no engine has a say in it",
        section="[tool.urlset.policy]",
        how=Reading.KNOWLEDGE,
    ),
    Citation(
        "general-knowledge",
        "Common engineering knowledge",
        "",
        "no document was found that says so; kept apart from what is written down",
        how=Reading.KNOWLEDGE,
    ),
)


__all__ = ["CITATIONS", "Citation", "Reading", "cited"]

CITATIONS: dict[str, Citation] = {citation.key: citation for citation in (*STANDARDS, *GOOGLE, *ENGINES)}


def cited(key: str) -> Citation:
    """The source behind a key; a rule that a package brings may cite a URL instead."""
    known = CITATIONS.get(key)
    return known or Citation(key, key, key if key.startswith("https://") else "", "", read_on="", how=Reading.SECONDARY)
