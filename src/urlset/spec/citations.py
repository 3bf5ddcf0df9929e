"""Citation key → the document behind it, for every source a rule or table names."""

from __future__ import annotations

import re
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


_HEAD = re.compile(
    r"(?P<key>\S+): (?P<document>.+?)(?: \[(?P<how>[a-z]+)(?: (?P<read_on>[\d-]{10}))?(?:, (?P<section>.+))?\])?"
)


def _sources(text: str) -> tuple[Citation, ...]:
    """`key: document [how it was read, on which day, section]`, the URL or a dash, and what it says."""
    lines = [line.strip() for line in text.strip().splitlines()]
    found = []
    for head, url, says in zip(lines[::3], lines[1::3], lines[2::3], strict=True):
        match = _HEAD.fullmatch(head)
        assert match is not None, head
        given = {name: value for name, value in match.groupdict().items() if value is not None}
        found.append(msgspec.convert({**given, "url": url.removeprefix("-"), "says": says}, Citation))
    return tuple(found)


# Sources other than search engines: the protocol, its schemas, W3C, IETF and ISO.
STANDARDS = _sources("""
sitemaps-protocol: Sitemaps XML format, protocol 0.9 [mirror 2026-09-06]
    https://www.sitemaps.org/protocol.html
    elements, escaping, limits, index files, other formats, location rule, robots.txt line
sitemaps-faq: Sitemaps frequently asked questions [mirror]
    https://www.sitemaps.org/faq.html
    gzip only, one version of each page, no session ids, order of entries does not matter
xsd-urlset: XML schema of sitemap files (2008-03-26) [mirror]
    https://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd
    child order, loc of 12 to 2048 characters, lastmod as xsd:date or xsd:dateTime, priority 0.0 to 1.0
xsd-siteindex: XML schema of sitemap index files (2009-04-08) [mirror]
    https://www.sitemaps.org/schemas/sitemap/0.9/siteindex.xsd
    each sitemap element holds loc, then at most one lastmod, then foreign elements
xsd-image: XML schema of the image extension 1.1 [mirror]
    https://www.google.com/schemas/sitemap-image/1.1/sitemap-image.xsd
    loc, then optional caption, geo_location, title, license
xsd-video: XML schema of the video extension 1.1 [mirror]
    https://www.google.com/schemas/sitemap-video/1.1/sitemap-video.xsd
    the order, lengths, ranges and vocabularies of all video elements, withdrawn ones included
xsd-news: XML schema of the news extension 0.9 [mirror]
    https://www.google.com/schemas/sitemap-news/0.9/sitemap-news.xsd
    publication with name and language, dates, and the old access, genres, keywords, stock_tickers
xsd-mobile: XML schema of the mobile extension 1.0 [mirror]
    https://www.google.com/schemas/sitemap-mobile/1.0/sitemap-mobile.xsd
    one empty element, mobile
xsd-pagemap: XML schema of the PageMap extension 1.0 [mirror]
    https://www.google.com/schemas/sitemap-pagemap/1.0/sitemap-pagemap.xsd
    PageMap holds an optional Template and DataObjects of named Attributes
chrome-xslt: Chrome for Developers, removing XSLT [secondary]
    https://developer.chrome.com/docs/web-platform/deprecating-xslt
    Chrome removes XSLT in November 2026, Firefox and Safari plan to follow; CSS and scripts stay
xsd-tested: The official schemas run through libxml2 [tested]
    https://gitlab.gnome.org/GNOME/libxml2
    which values the schemas really accept and reject, whatever their comments say
w3c-datetime: Date and Time Formats, W3C Note (1998-08-27) [mirror, Formats]
    https://www.w3.org/TR/NOTE-datetime
    six forms from YYYY to fractional seconds; a time always carries Z or a +hh:mm or -hh:mm offset
xml10: Extensible Markup Language 1.0, fifth edition [knowledge]
    https://www.w3.org/TR/xml/
    well-formedness, legal characters, encodings, the five predefined entities, optional declaration
xml-names: Namespaces in XML 1.0, third edition [knowledge, 2.3]
    https://www.w3.org/TR/xml-names/
    namespace names are compared character by character; every prefix must be declared
xml-schema-datatypes: XML Schema Part 2: Datatypes, second edition [knowledge, 3.2]
    https://www.w3.org/TR/xmlschema-2/
    what xsd:date, xsd:dateTime, xsd:decimal and xsd:anyURI allow
rfc1123: RFC 1123, Requirements for Internet Hosts [knowledge]
    https://www.rfc-editor.org/rfc/rfc1123
    host names: labels of letters, digits, hyphens
rfc1952: RFC 1952, GZIP file format 4.3 [knowledge]
    https://www.rfc-editor.org/rfc/rfc1952
    magic bytes, members, CRC-32 and size trailer
rfc3986: RFC 3986, URI: Generic Syntax [knowledge]
    https://www.rfc-editor.org/rfc/rfc3986
    legal characters, percent-encoding, normalisation
rfc3987: RFC 3987, Internationalized Resource Identifiers [knowledge]
    https://www.rfc-editor.org/rfc/rfc3987
    non-ASCII characters map to UTF-8 escapes
rfc4287: RFC 4287, The Atom Syndication Format [knowledge]
    https://www.rfc-editor.org/rfc/rfc4287
    feed, entry, link, updated
rfc5646: RFC 5646, Tags for Identifying Languages [knowledge]
    https://www.rfc-editor.org/rfc/rfc5646
    language, script and region subtags; x- private use
rfc5890: RFC 5890, IDNA: Definitions [knowledge]
    https://www.rfc-editor.org/rfc/rfc5890
    A-labels and U-labels of internationalised host names
rfc2606: RFC 2606, Reserved Top Level DNS Names [knowledge]
    https://www.rfc-editor.org/rfc/rfc2606
    example.com, .net and .org are reserved for documentation
rfc6761: RFC 6761, Special-Use Domain Names [knowledge]
    https://www.rfc-editor.org/rfc/rfc6761
    localhost, test, invalid and example are never public sites
rfc9110: RFC 9110, HTTP Semantics [knowledge]
    https://www.rfc-editor.org/rfc/rfc9110
    status codes, Content-Encoding, Retry-After
rfc9309: RFC 9309, Robots Exclusion Protocol [mirror]
    https://www.rfc-editor.org/rfc/rfc9309
    groups, longest match, unavailable against unreachable, at least 500 KiB parsed
rss20: RSS 2.0 specification [knowledge]
    https://www.rssboard.org/rss-specification
    channel, item, link, pubDate
media-rss: Media RSS specification 1.5.1 [knowledge]
    https://www.rssboard.org/media-rss
    media:content, player, title, description, thumbnail, restriction, price
atom03: The Atom Syndication Format 0.3 (draft) [knowledge]
    https://www.mnot.net/drafts/draft-nottingham-atom-format-02.html
    the draft that Atom 1.0 replaced, with its own namespace
json-feed: JSON Feed 1.1 [knowledge]
    https://www.jsonfeed.org/version/1.1/
    version, items; url, id, external_url, date_modified and date_published of an item
iso-639: ISO 639 language codes, parts 1 and 2 [secondary]
    https://www.loc.gov/standards/iso639-2/
    two-letter and three-letter codes, the withdrawn ones, bibliographic and terminology forms
iso-3166: ISO 3166-1 country codes [secondary]
    https://www.iso.org/iso-3166-country-codes.html
    249 officially assigned two-letter codes; others are reserved or left to users
iso-15924: ISO 15924 script codes [secondary]
    https://www.unicode.org/iso15924/
    four-letter script codes; Qaaa to Qabx are private
iso-4217: ISO 4217 currency codes [knowledge]
    https://www.iso.org/iso-4217-currency-codes.html
    three upper-case letters
un-m49: UN M.49 area codes [knowledge]
    https://unstats.un.org/unsd/methodology/m49/
    three-digit areas such as 419; legal in language tags, not read by search engines in hreflang
seen-in-the-wild: Spellings found in public generators and sitemaps [secondary, sitemaps/Namespace]
    https://github.com/crawler-commons/crawler-commons
    wrong namespaces, old versions and near-miss vocabularies that published files carry
own-policy: The settings of the site itself [knowledge, [tool.urlset.policy]]
    -
    what the owner of the site forbids and requires; no engine has a say in it
general-knowledge: Common engineering knowledge [knowledge]
    -
    no document was found that says so; kept apart from what is written down
""")

# Sources published by Google about sitemaps, crawling, Search Console and its parser.
GOOGLE = _sources("""
google-overview: Google Search Central, What is a sitemap [mirror 2026-07-08]
    https://developers.google.com/search/docs/crawling-indexing/sitemaps/overview
    small, well linked sites may do without one
google-build: Google Search Central, Build and submit a sitemap [mirror 2026-07-08]
    https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap
    formats, absolute URLs, 50,000 and 50 MB; changefreq and priority ignored, lastmod used if accurate
google-large: Google Search Central, Manage large sitemaps [mirror 2026-07-08]
    https://developers.google.com/search/docs/crawling-indexing/sitemaps/large-sitemaps
    index rules: same site, same directory or lower, 500 index files per property
google-image: Google Search Central, Image sitemaps [mirror 2026-07-08]
    https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps
    image:loc required, 1,000 images per page, other domains allowed, metadata tags removed
google-video: Google Search Central, Video sitemaps and alternatives [mirror 2026-07-08]
    https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps
    required and optional video tags with their ranges; the mRSS tags read instead
google-news: Google Search Central, News sitemaps [mirror 2026-07-08]
    https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap
    articles of the last two days, 1,000 per file, publication, date, title; language codes
google-combine: Google Search Central, Combine sitemap extensions [mirror 2026-07-08]
    https://developers.google.com/search/docs/crawling-indexing/sitemaps/combine-sitemap-extensions
    the namespace of each supported extension; order after loc does not matter
google-hreflang: Google Search Central, Localized versions of your page [mirror 2026-07-08]
    https://developers.google.com/search/docs/specialty/international/localized-versions
    xhtml:link, language-script-region codes, self and return links, x-default
google-canonical: Google Search Central, Canonical URLs [mirror 2026-07-08]
    https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
    sitemaps are a weak canonical signal and must not contradict rel=canonical
google-javascript: Google Search Central, JavaScript SEO basics [mirror 2026-07-08]
    https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics
    pages are indexed as rendered; scripts must not change the canonical; not all bots run scripts
google-robots-meta: Google Search Central, Robots meta tag and X-Robots-Tag [mirror 2026-07-08]
    https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
    noindex, none, unavailable_after; bot-specific names; restrictions add up
google-noindex: Google Search Central, Block indexing [mirror 2026-07-08]
    https://developers.google.com/search/docs/crawling-indexing/block-indexing
    a page that robots.txt blocks never shows its noindex
google-url-structure: Google Search Central, URL structure [mirror 2026-07-08]
    https://developers.google.com/search/docs/crawling-indexing/url-structure
    percent-encode reserved characters; fragments are not used to tell pages apart
google-redirects: Google Search Central, Redirects [mirror 2026-07-08]
    https://developers.google.com/search/docs/crawling-indexing/301-redirects
    which redirects move the canonical
google-troubleshoot: Google Search Central, Troubleshoot crawling [mirror 2026-07-08]
    https://developers.google.com/search/docs/crawling-indexing/troubleshoot-crawling-errors
    soft 404s, no resubmission of unchanged sitemaps, no rotating of sitemaps
google-googlebot: Google Search Central, Googlebot [mirror 2026-07-08]
    https://developers.google.com/search/docs/crawling-indexing/googlebot
    reads the first 2 MB of a file, 64 MB of a PDF
google-site-move: Google Search Central, Site moves [mirror 2026-07-08]
    https://developers.google.com/search/docs/crawling-indexing/site-move-with-url-changes
    keep redirect chains short, at most 10 hops are followed
google-video-best: Google Search Central, Video best practices [mirror 2026-07-08]
    https://developers.google.com/search/docs/appearance/video
    supported file types, thumbnail size and formats, stable URLs
google-file-types: Google Search Central, Indexable file types [mirror 2026-07-08]
    https://developers.google.com/search/docs/crawling-indexing/indexable-file-types
    which content types can appear in results
google-robots: Google crawling, How Google interprets robots.txt [mirror 2026-07-08]
    https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec
    500 KiB limit, at least five redirects, most specific group, sitemap lines belong to no group
google-crawlers: Google crawling, Google's crawlers and fetchers [mirror 2026-07-08]
    https://developers.google.com/crawling/docs/crawlers-fetchers/overview-google-crawlers
    tokens for robots.txt, 15 MB default fetch limit, HTTP caching headers
google-http: Google crawling, HTTP status codes and network errors [mirror 2026-07-08]
    https://developers.google.com/crawling/docs/troubleshooting/http-status-codes
    what each status means to the crawler; up to 10 redirect hops
google-2006: Google Search Central blog, Sitemap index files (2006-03-15) [mirror]
    https://developers.google.com/search/blog/2006/03
    an index must not list another index
google-2022: Google Search Central blog, Some sitemap extension tags are going away (2022-05-06) [mirror]
    https://developers.google.com/search/blog/2022/05/spring-cleaning-sitemap-extensions
    image and video metadata tags have no effect after 2022-08-06
google-2023: Google Search Central blog, Sitemaps ping endpoint is going away (2023-06-26) [mirror]
    https://developers.google.com/search/blog/2023/06/sitemaps-lastmod-ping
    ping is gone; lastmod used when it can be verified; changefreq and priority not used
gsc-report: Search Console help, Sitemaps report [secondary, errors]
    https://support.google.com/webmasters/answer/7451001
    the errors the report can show, from parsing to URL not allowed
gsc-api: Search Console API, sitemaps and URL inspection [mirror]
    https://developers.google.com/webmaster-tools/v1/sitemaps
    list, get, submit, delete; contents.indexed is deprecated
gsc-limits: Search Console API, usage limits [mirror 2026-08-13]
    https://developers.google.com/webmaster-tools/limits
    2,000 URL inspections a day and 600 a minute for each property
google-indexing-api: Indexing API, quota and eligibility [mirror 2026-10-20]
    https://developers.google.com/search/apis/indexing-api/v3/quota-pricing
    only job postings and livestream videos; 200 publish calls a day by default
google-pse: Programmable Search Engine help, PageMaps [mirror]
    https://support.google.com/programmable-search/answer/1628213
    PageMap data in a sitemap serves the programmable search engine, not web search
google-robotstxt-parser: google/robotstxt, robots.cc [primary, robots.cc]
    https://github.com/google/robotstxt
    misspelt field names that are accepted; lines are cut at 2083 * 8 bytes
""")

# Sources published by or about Bing, Yandex, Baidu, Seznam, Naver and IndexNow.
ENGINES = _sources("""
bing-2022: Bing Webmaster blog, anonymous sitemap submission removed (May 2022)
    https://blogs.bing.com/webmaster/may-2022/Spring-cleaning-Removed-Bing-anonymous-sitemap-submission
    ping is gone; name sitemaps in robots.txt or Webmaster Tools; fetched about daily
bing-2023: Bing Webmaster blog on lastmod (February 2023) [secondary]
    https://blogs.bing.com/webmaster/february-2023/The-Importance-of-Setting-the-lastmod-Tag-in-Your-Sitemap
    lastmod is the tag that matters most; many files carry the generation time in it
bing-2025: Bing Webmaster blog, sitemaps in AI powered search (July 2025) [secondary]
    https://blogs.bing.com/webmaster/July-2025/Keeping-Content-Discoverable-with-Sitemaps-in-AI-Powered-Search
    lastmod with date and time is a key signal; changefreq and priority are not used
bing-help: Bing Webmaster Tools help, Sitemaps
    https://www.bing.com/webmasters/help/sitemaps-3b5cf6ed
    XML, RSS 2.0, Atom 0.3 and 1.0, text
bing-api: Bing Webmaster API, IWebmasterApi
    https://learn.microsoft.com/dotnet/api/microsoft.bing.webmaster.api.interfaces.iwebmasterapi
    SubmitUrl, SubmitUrlBatch, GetUrlSubmissionQuota
bing-hreflang: Reports on how Bing treats hreflang [secondary]
    https://www.bing.com/webmasters/help
    content-language is preferred and hreflang is a weak signal at most
yandex-canonical: Yandex Webmaster, Canonical URLs
    https://yandex.com/support/webmaster/en/robot-workings/canonical.html
    rel=canonical in a link element or a Link header; a recommendation
yandex-sitemap: Yandex Webmaster, Using a Sitemap file
    https://yandex.com/support/webmaster/en/controlling-robot/sitemap.html
    XML and text only, own domain only; lastmod, changefreq and priority documented, 100 bytes each
yandex-errors: Yandex Webmaster, Sitemap error dictionary
    https://yandex.com/support/webmaster/en/error-dictionary/sitemap.html
    unknown, missing and repeated tags, size above 50 MB, anything but status 200
yandex-robots: Yandex Webmaster, robots.txt error dictionary
    https://yandex.com/support/webmaster/en/error-dictionary/robots-txt.html
    at most 2,048 rules of at most 1,024 characters; sitemap lines need a full address
yandex-tool: Yandex Webmaster, Sitemap file analysis
    https://yandex.com/support/webmaster/en/indexing-options/tool-sitemap.html
    a file that takes longer than 10 seconds is not loaded
yandex-api: Yandex Webmaster API v4, sitemaps
    https://yandex.com/dev/webmaster/doc/en/
    lists the sitemaps of a host and the ones a user added
baidu-sitemap: Baidu search resource platform, sitemap help (copies of 2014 to 2018) [secondary]
    https://ziyuan.baidu.com/
    10 MB, 50,000 URLs, loc of at most 256 bytes, XML, text and index, mobile annotations
seznam-2007: Seznam blog on sitemaps (2007-11-07)
    https://blog.seznam.cz/
    XML sitemaps read from robots.txt or /sitemap.xml; priority compares pages within the site
indexnow: IndexNow documentation [mirror]
    https://www.indexnow.org/documentation
    key of 8 to 128 characters, key file, 10,000 URLs per POST, response codes
indexnow-faq: IndexNow frequently asked questions and participants [secondary 2026-09-01]
    https://www.indexnow.org/faq
    submit changes only, wait between submissions; Bing, Yandex, Naver, Seznam and others share them
crawler-tokens: Names by which crawlers obey robots.txt and robots meta tags [knowledge]
    -
    bingbot, Yandex, Baiduspider, SeznamBot, Yeti
""")


CITATIONS: dict[str, Citation] = {citation.key: citation for citation in (*STANDARDS, *GOOGLE, *ENGINES)}


def cited(key: str) -> Citation:
    """The source behind a key; a rule that a package brings may cite a URL instead."""
    known = CITATIONS.get(key)
    return known or Citation(key, key, key if key.startswith("https://") else "", "", read_on="", how=Reading.SECONDARY)
