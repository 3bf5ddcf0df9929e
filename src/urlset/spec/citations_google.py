"""Sources published by Google about sitemaps, crawling, Search Console and its parser."""

from __future__ import annotations

from urlset.spec.citation import Citation, Reading

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
    _docs(
        "google-redirects",
        "crawling-indexing/301-redirects",
        "Redirects",
        "which redirects move the canonical",
    ),
    _docs(
        "google-troubleshoot",
        "crawling-indexing/troubleshoot-crawling-errors",
        "Troubleshoot crawling",
        "soft 404s, no resubmission of unchanged sitemaps, no rotating of sitemaps",
    ),
    _docs(
        "google-googlebot",
        "crawling-indexing/googlebot",
        "Googlebot",
        "reads the first 2 MB of a file, 64 MB of a PDF",
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
    _blog(
        "google-2006",
        "2006/03",
        "Sitemap index files (2006-03-15)",
        "an index must not list another index",
    ),
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
