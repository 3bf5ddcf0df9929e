"""The numbers and vocabularies of the sitemap protocol and its neighbours, each with its citation keys.

The strings after the type in every `Annotated` are keys of `urlset.spec.citations`.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

# -- files ---------------------------------------------------------------------------------------------------

MAX_URLS: Annotated[int, "sitemaps-protocol", "google-build", "yandex-errors", "bing-2025"] = 50_000
MAX_INDEX_ENTRIES: Annotated[int, "sitemaps-protocol", "google-large", "bing-2025"] = 50_000
MAX_BYTES: Annotated[int, "sitemaps-protocol", "google-build", "yandex-errors"] = 52_428_800
MAX_TEXT_LINES: Annotated[int, "sitemaps-protocol"] = 50_000
MAX_INDEX_FILES_PER_PROPERTY: Annotated[int, "google-large"] = 500
ENCODING: Annotated[str, "sitemaps-protocol"] = "UTF-8"
XML_VERSION: Annotated[str, "xml10"] = "1.0"
GZIP_MAGIC: Annotated[bytes, "rfc1952"] = b"\x1f\x8b"
TEXT_SUFFIX: Annotated[str, "google-build"] = ".txt"

# -- element names -------------------------------------------------------------------------------------------

URL_CHILDREN: Annotated[tuple[str, ...], "sitemaps-protocol", "xsd-urlset"] = (
    "loc",
    "lastmod",
    "changefreq",
    "priority",
)
SITEMAP_CHILDREN: Annotated[tuple[str, ...], "sitemaps-protocol", "xsd-siteindex"] = ("loc", "lastmod")
XML_ENTITIES: Annotated[dict[str, str], "xml10", "sitemaps-protocol"] = {
    "amp": "&",
    "lt": "<",
    "gt": ">",
    "quot": '"',
    "apos": "'",
}

# -- loc -----------------------------------------------------------------------------------------------------

# The prose says "less than 2,048 characters"; the schema counts 2,048 itself as legal.
LOC_LENGTH_BELOW: Annotated[int, "sitemaps-protocol"] = 2048
LOC_MIN_LENGTH_XSD: Annotated[int, "xsd-urlset", "xsd-tested"] = 12
LOC_MAX_LENGTH_XSD: Annotated[int, "xsd-urlset", "xsd-tested"] = 2048
LOC_MAX_BYTES_BAIDU: Annotated[int, "baidu-sitemap"] = 256
LOC_SCHEMES: Annotated[tuple[str, ...], "sitemaps-protocol", "xsd-tested"] = ("http", "https")
DEFAULT_PORTS: Annotated[dict[str, int], "rfc3986"] = {"http": 80, "https": 443}

# -- lastmod, changefreq, priority ---------------------------------------------------------------------------

LASTMOD_FORMS: Annotated[tuple[str, ...], "w3c-datetime"] = (
    "YYYY",
    "YYYY-MM",
    "YYYY-MM-DD",
    "YYYY-MM-DDThh:mmTZD",
    "YYYY-MM-DDThh:mm:ssTZD",
    "YYYY-MM-DDThh:mm:ss.sTZD",
)
LASTMOD_FORMS_VIDEO: Annotated[tuple[str, ...], "google-video"] = ("YYYY-MM-DD", "YYYY-MM-DDThh:mm:ssTZD")
LASTMOD_FORMS_NEWS: Annotated[tuple[str, ...], "google-news"] = LASTMOD_FORMS[2:]
HINT_MAX_BYTES_YANDEX: Annotated[int, "yandex-sitemap"] = 100
# The first web page was served in 1991; an older date is a default value that leaked.
OLDEST_PLAUSIBLE_YEAR: Annotated[int, "general-knowledge"] = 1991

CHANGEFREQ: Annotated[tuple[str, ...], "sitemaps-protocol", "xsd-urlset"] = (
    "always",
    "hourly",
    "daily",
    "weekly",
    "monthly",
    "yearly",
    "never",
)
# Keys are trimmed and in lowercase. Same meaning, other word or a slip of the pen.
CHANGEFREQ_SYNONYMS: Annotated[dict[str, str], "seen-in-the-wild"] = {
    "constantly": "always",
    "continuously": "always",
    "realtime": "always",
    "real-time": "always",
    "allways": "always",
    "hour": "hourly",
    "every-hour": "hourly",
    "every hour": "hourly",
    "houry": "hourly",
    "day": "daily",
    "dayly": "daily",
    "dailly": "daily",
    "daliy": "daily",
    "everyday": "daily",
    "every-day": "daily",
    "every day": "daily",
    "week": "weekly",
    "weekely": "weekly",
    "weekley": "weekly",
    "wekly": "weekly",
    "every-week": "weekly",
    "every week": "weekly",
    "month": "monthly",
    "montly": "monthly",
    "monthy": "monthly",
    "mothly": "monthly",
    "every-month": "monthly",
    "every month": "monthly",
    "year": "yearly",
    "yealy": "yearly",
    "annual": "yearly",
    "annually": "yearly",
    "every-year": "yearly",
    "every year": "yearly",
}
# Between two legal values: the nearest one, which changes what is said, so never a silent repair.
CHANGEFREQ_NEAREST: Annotated[dict[str, str], "seen-in-the-wild"] = {
    "biweekly": "weekly",
    "bi-weekly": "weekly",
    "fortnightly": "weekly",
    "bimonthly": "monthly",
    "bi-monthly": "monthly",
    "quarterly": "monthly",
    "biannually": "yearly",
    "semiannually": "yearly",
}
PRIORITY_MIN: Annotated[Decimal, "sitemaps-protocol", "xsd-urlset"] = Decimal("0.0")
PRIORITY_MAX: Annotated[Decimal, "sitemaps-protocol", "xsd-urlset"] = Decimal("1.0")
PRIORITY_DEFAULT: Annotated[Decimal, "sitemaps-protocol"] = Decimal("0.5")

# -- extensions ----------------------------------------------------------------------------------------------

MAX_IMAGES_PER_URL: Annotated[int, "google-image", "xsd-image"] = 1000
MAX_NEWS_PER_SITEMAP: Annotated[int, "google-news"] = 1000
NEWS_MAX_AGE_DAYS: Annotated[int, "google-news"] = 2
NEWS_MAX_TICKERS: Annotated[int, "xsd-news"] = 5
MAX_VIDEO_TAGS: Annotated[int, "google-video", "xsd-video"] = 32
MEDIA_RSS_FIELDS: Annotated[dict[str, int | None], "google-video", "media-rss"] = {
    "title": 100,
    "description": 2048,
    "thumbnail": None,
}
"""what a video of Media RSS must have, and the most characters"""
VIDEO_FILE_TYPES: Annotated[tuple[str, ...], "google-video-best"] = (
    *("3gp", "3g2", "asf", "avi", "divx", "m2v", "m3u", "m3u8", "m4v", "mkv", "mov"),
    *("mp4", "mpeg", "ogv", "qvt", "ram", "rm", "vob", "webm", "wmv", "xap"),
)
THUMBNAIL_FILE_TYPES: Annotated[tuple[str, ...], "google-video-best"] = (
    *("bmp", "gif", "jpeg", "png", "webp", "svg", "avif"),
)
THUMBNAIL_MIN_SIZE: Annotated[tuple[int, int], "google-video-best"] = (60, 30)

# -- discovery, robots.txt, fetching -------------------------------------------------------------------------

ROBOTS_PLACE: Annotated[str, "rfc9309"] = "/robots.txt"
ROBOTS_MIN_PARSED_BYTES: Annotated[int, "rfc9309", "google-robots"] = 500 * 1024
ROBOTS_MIN_REDIRECTS: Annotated[int, "rfc9309", "google-robots"] = 5
ROBOTS_CACHE_HOURS: Annotated[int, "rfc9309", "google-robots"] = 24
ROBOTS_MAX_LINE_BYTES_GOOGLE: Annotated[int, "google-robotstxt-parser"] = 2083 * 8
ROBOTS_MAX_RULES_YANDEX: Annotated[int, "yandex-robots"] = 2048
ROBOTS_MAX_RULE_CHARS_YANDEX: Annotated[int, "yandex-robots"] = 1024
MAX_REDIRECTS_GOOGLE: Annotated[int, "google-http", "google-site-move"] = 10
HTML_BYTES_GOOGLE: Annotated[int, "google-googlebot"] = 2 * 1024 * 1024
PDF_BYTES_GOOGLE: Annotated[int, "google-googlebot"] = 64 * 1024 * 1024

# -- submission ----------------------------------------------------------------------------------------------

INDEXNOW_MAX_URLS: Annotated[int, "indexnow"] = 10_000
INDEXNOW_KEY_LENGTH: Annotated[tuple[int, int], "indexnow"] = (8, 128)
INDEXNOW_KEY_CHARACTERS: Annotated[str, "indexnow", "indexnow-faq"] = r"[A-Za-z0-9-]"
GSC_INSPECTIONS_PER_DAY: Annotated[int, "gsc-limits"] = 2000
GSC_INSPECTIONS_PER_MINUTE: Annotated[int, "gsc-limits"] = 600


# Media types → what a search engine makes of a page that is served as one.

XSLT_TYPES: Annotated[frozenset[str], "chrome-xslt"] = frozenset({
    "text/xsl", "text/xslt", "application/xslt+xml", "application/xsl",
})  # fmt: skip
"""of stylesheets that browsers run as XSLT"""
INDEXED_TYPES: Annotated[frozenset[str], "google-file-types"] = frozenset({
    "text/html", "application/xhtml+xml", "application/pdf", "application/postscript", "application/epub+zip",
    "application/vnd.google-earth.kml+xml", "application/vnd.google-earth.kmz", "application/gpx+xml",
    "application/x-hwp", "application/haansofthwp", "application/vnd.hancom.hwp",
    "application/vnd.ms-excel", "application/vnd.ms-powerpoint", "application/msword",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.oasis.opendocument.presentation", "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.text", "application/rtf", "text/rtf", "text/csv",
    "application/x-tex", "application/x-latex", "text/x-tex", "text/plain", "text/vnd.wap.wml",
    "application/xml", "text/xml", "application/rss+xml", "application/atom+xml",
})  # fmt: skip
"""the usual labels of the file types that Google lists, and images, videos and source code"""
INDEXED_PREFIXES: Annotated[tuple[str, ...], "google-file-types"] = ("image/", "video/", "text/x-")
UNINDEXED_TYPES: Annotated[frozenset[str], "google-file-types", "general-knowledge"] = frozenset({
    "application/zip", "application/x-zip-compressed", "application/gzip", "application/x-gzip", "application/x-tar",
    "application/x-7z-compressed", "application/vnd.rar", "application/x-rar-compressed", "application/x-bzip2",
    "application/x-xz", "application/zstd", "application/octet-stream", "application/x-msdownload",
    "application/x-apple-diskimage", "application/vnd.android.package-archive", "application/java-archive",
    "application/wasm", "text/css", "text/javascript", "application/javascript", "application/x-javascript",
    "application/font-woff", "application/vnd.ms-fontobject",
})  # fmt: skip
"""packed, compiled, or only of use to other pages: nothing in them can be shown as a result"""
UNINDEXED_PREFIXES: Annotated[tuple[str, ...], "google-file-types", "general-knowledge"] = ("font/",)
HTML_TYPES: Annotated[frozenset[str], "google-file-types"] = frozenset({"text/html", "application/xhtml+xml"})
PDF_TYPE: Annotated[str, "google-file-types"] = "application/pdf"
