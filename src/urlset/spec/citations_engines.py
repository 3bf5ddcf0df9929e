"""Sources published by or about Bing, Yandex, Baidu, Seznam, Naver and IndexNow."""

from __future__ import annotations

from urlset.spec.citation import Citation, Reading

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
