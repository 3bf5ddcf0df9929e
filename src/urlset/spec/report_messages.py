"""Messages of the sitemap reports of Search Console, Bing and Yandex → what they mean, how to confirm, how to fix.

The wording is display text and changes with the language and over the years; it is compared folded, as in
`index_reasons`. Google's list is known from copies of its help page, Yandex's from its error dictionary. Bing documents
no list: its statuses, and the names that its API has for crawl issues, are here.
"""

from __future__ import annotations

import re
from functools import cache, partial

import msgspec

from urlset.spec.engines import Engine
from urlset.spec.index_reasons import REASONS, folded

_FILE = "urlset check https://www.example.com/sitemap.xml"
_SITE = "urlset check https://www.example.com/"
_FIX = "urlset fix sitemap.xml --diff"
_AUDIT = "urlset audit https://www.example.com/"
_DOCTOR = "urlset doctor https://www.example.com/"


class ReportMessage(msgspec.Struct, frozen=True):
    """One message of one report."""

    engine: Engine
    labels: tuple[str, ...]
    """the wording, then other wordings of the same message"""
    means: str
    rules: tuple[str, ...]
    """codes that find the cause"""
    topics: tuple[str, ...] = ()
    """elements of the reference"""
    confirm: str = _FILE
    repair: str = ""
    """a command, where one repairs it"""
    cites: tuple[str, ...] = ("gsc-report",)
    advice: str = ""
    """what to do, where no command does it"""


_FETCH = ("R005", "R021", "R023", "R007", "X021", "G026")
_XML = ("X001", "X010", "X011", "X012", "X009", "X029")
_DATE = ("D001", "D002", "D003", "D004", "D005", "D021")
_URL = ("L001", "L002", "L003", "L007", "L008", "L012", "L033")


_google = partial(ReportMessage, Engine.GOOGLE, cites=("gsc-report",))
_yandex = partial(ReportMessage, Engine.YANDEX, cites=("yandex-errors",))
_bing = partial(ReportMessage, Engine.BING, cites=("bing-help",))

GOOGLE_MESSAGES: tuple[ReportMessage, ...] = (
    _google(
        ("Success", "Processed successfully"),
        "Google read the file without errors. This says nothing about "
        "indexing: listed pages are candidates, not results.",
        ("G036", "G038"),
        confirm=_AUDIT,
        advice="run `urlset engines index URL` to see which listed pages are indexed",
    ),
    _google(
        ("Couldn't fetch", "Could not fetch", "Sitemap could not be read", "Fetch error", "Fetch failed"),
        "Google could not download the file, or has not tried yet: new files show this too. Causes: "
        "robots.txt, a login or bot protection, a redirect, a status other than 200, a wrong URL, a slow server.",
        _FETCH,
        ("robots-sitemap",),
        confirm=_DOCTOR,
        advice="let Googlebot fetch the URL with status 200, then wait a few days",
    ),
    _google(
        ("Has errors", "Has issues"),
        "The file was read, and some entries were refused; the report lists them.",
        ("G030", "G031"),
        repair=_FIX,
    ),
    _google(
        ("Pending", "Unknown"),
        "The file is queued and was not read yet.",
        ("G026", "G028"),
        confirm=_DOCTOR,
        advice="wait; if it is not read for weeks, check that Googlebot can fetch it",
    ),
    _google(
        ("Sitemap is HTML", "Your Sitemap appears to be an HTML page"),
        "The server sends an HTML page, not the sitemap: an error page, a login, or the home page.",
        ("X021", "R021", "X023"),
        ("urlset",),
    ),
    _google(
        ("URLs not accessible", "URL not accessible"),
        "Google could not fetch pages that the sitemap lists.",
        ("A001", "A002", "A022", "A023"),
        ("loc",),
        confirm=_AUDIT,
    ),
    _google(
        ("URLs not followed", "URL not followed"),
        "Listed pages redirect too often, or are relative URLs.",
        ("A003", "A004", "A005", "L002"),
        ("loc",),
        confirm=_AUDIT,
        repair="urlset fix sitemap.xml --using audit.json --unsafe",
    ),
    _google(
        ("URL not allowed", "URLs not allowed", "URL restricted"),
        "Listed URLs are on another host or scheme, or outside the folder of the sitemap.",
        ("L015", "L016", "L017", "L018", "L019", "L002"),
        ("loc",),
        advice="list only URLs of its host and folder, or name the sitemap in robots.txt of the other host",
    ),
    _google(
        ("Compression error",),
        "The gzip data is damaged, or not gzip.",
        ("X016", "X017", "X018", "X024"),
        advice="compress the file again; do not compress what is compressed",
    ),
    _google(("Empty sitemap", "Empty Sitemap"), "The file lists no URL.", ("S009", "I001", "X022"), ("urlset",)),
    _google(
        (
            "Sitemap file size error",
            "File size error",
            "Your sitemap exceeds the maximum file size limit",
            "Sitemap exceeds maximum size",
        ),
        "The file is larger than 50 MiB uncompressed.",
        ("S008", "I003"),
        ("urlset", "sitemapindex"),
        repair="urlset fix sitemap.xml --at https://www.example.com/sitemap.xml --diff",
    ),
    _google(
        ("Invalid attribute value",),
        "An attribute has a value that the extension does not allow.",
        ("H003", "H006", "H010", "V013", "V015"),
        ("xhtml:link", "video:restriction"),
        repair=_FIX,
    ),
    _google(("Invalid date",), "A date is not in W3C format, or does not exist.", _DATE, ("lastmod",), repair=_FIX),
    _google(
        ("Invalid tag value", "Invalid XML tag value"),
        "An element has a value that is not allowed there.",
        ("F001", "F004", "V007", "V012", "N009"),
        ("changefreq", "priority", "video:duration"),
        repair=_FIX,
    ),
    _google(
        ("Invalid URL", "Invalid URLs"),
        "A URL has a space, an illegal character, no scheme or no host.",
        _URL,
        ("loc",),
        repair=_FIX,
    ),
    _google(
        ("Invalid URL in sitemap index file: incomplete URL", "Incomplete URL", "Invalid URL in Sitemap index file"),
        "An index lists a relative URL.",
        ("I016",),
        ("sitemap",),
        repair=_FIX,
    ),
    _google(
        ("Invalid XML: too many tags", "Too many tags"),
        "An element is repeated that an entry may have only once.",
        ("S011", "S012", "I004", "V026"),
        ("url", "loc"),
        repair=_FIX,
    ),
    _google(
        ("Missing XML attribute",),
        "A required attribute is missing.",
        ("H004", "V013", "V015"),
        ("xhtml:link", "video:restriction", "video:platform"),
    ),
    _google(
        ("Missing XML tag",),
        "An entry lacks a required element.",
        ("S010", "V001", "V002", "V003", "N003", "N008"),
        ("url", "loc", "video:video", "news:news"),
    ),
    _google(("Missing thumbnail URL",), "A video has no thumbnail.", ("V001",), ("video:thumbnail_loc",)),
    _google(("Missing video title",), "A video has no title.", ("V002",), ("video:title",)),
    _google(
        ("Incorrect sitemap index format: Nested sitemap indexes", "Nested sitemap indexes", "Nested indexing"),
        "An index lists another index. An index may list sitemaps only.",
        ("I005",),
        ("sitemapindex",),
        confirm=_SITE,
        repair="urlset fix sitemap_index.xml --unsafe --diff",
    ),
    _google(
        ("Parsing error", "Sitemap could be read, but has errors", "XML parsing error"),
        "The XML is malformed. Readers stop at the first fault, so all entries after it are lost.",
        _XML,
        ("urlset",),
        repair=_FIX,
    ),
    _google(
        ("Temporary error", "System error"),
        "Google had an internal problem and reads the file again later.",
        (),
        advice="wait; if it stays, check the file and the server",
    ),
    _google(
        ("Too many sitemaps", "Too many Sitemaps in Sitemap index file", "Too many sitemaps in the index"),
        "An index lists more than 50,000 sitemaps.",
        ("I002",),
        ("sitemapindex",),
    ),
    _google(
        ("Too many URLs", "Too many URLs in sitemap"),
        "The file lists more than 50,000 URLs.",
        ("S007", "S031"),
        ("urlset",),
        repair="urlset fix sitemap.xml --at https://www.example.com/sitemap.xml --diff",
    ),
    _google(
        ("Unsupported format", "Unsupported file format", "Unknown sitemap format"),
        "The file is in no format that Google reads, or its root element has another name.",
        ("S001", "S038", "X021", "X031"),
        ("urlset", "sitemapindex"),
    ),
    _google(
        ("Thumbnail too large", "Thumbnail too small"),
        "The thumbnail of a video has a size that Google cannot use.",
        ("V033",),
        ("video:thumbnail_loc",),
        confirm="urlset audit https://www.example.com/ --media",
    ),
    _google(
        (
            "Path mismatch: Missing www",
            "Path mismatch: missing 'www'",
            "Path mismatch: Includes www",
            "Path mismatch: includes 'www'",
        ),
        "The sitemap and the URLs in it differ in www.",
        ("L019", "L015"),
        ("loc",),
    ),
    _google(
        ("Incorrect namespace",),
        "The root element has the wrong namespace, or none, or the prefix of an extension is not declared.",
        ("S002", "S003", "S004", "S005", "S021", "X025", "H001"),
        ("urlset",),
        repair=_FIX,
    ),
    _google(
        ("Leading whitespace",), "There is a blank line or text before `<?xml`.", ("X005",), ("urlset",), repair=_FIX
    ),
    _google(
        (
            "HTTP error",
            "General HTTP error",
            "HTTP error [specific code]",
            "HTTP error 404",
            "HTTP error 403",
            "HTTP error 500",
        ),
        "The server answered with an error instead of the file.",
        ("R004", "R007", "R021", "R029"),
        ("robots-sitemap",),
        confirm=_DOCTOR,
    ),
    _google(
        ("Network unreachable", "Unknown host", "DNS error: Google couldn't resolve the host"),
        "Google could not reach the server.",
        ("R004",),
        confirm=_DOCTOR,
    ),
    _google(
        ("Video location and play page location are the same",),
        "video:content_loc or video:player_loc is the URL of the page.",
        ("V022", "V023"),
        ("video:content_loc", "video:player_loc"),
    ),
    _google(
        ("Video location URL appears to be a play page URL",),
        "video:content_loc is a web page, not a video file.",
        ("V027", "V022"),
        ("video:content_loc",),
    ),
    _google(
        ("Too many News URLs", "Too many news URLs in Sitemap"),
        "A news sitemap lists more than 1,000 articles.",
        ("N014",),
        ("news:news",),
    ),
    _google(
        ("Missing <publication> tag", "Missing publication tag"),
        "An article has no news:publication.",
        ("N003",),
        ("news:publication",),
    ),
    _google(
        (
            "Sitemap contains URLs which are blocked by robots.txt",
            "Url blocked by robots.txt",
            "URL restricted by robots.txt",
            "Sitemap blocked by robots.txt",
        ),
        "robots.txt blocks listed pages, or the sitemap itself.",
        ("A011", "R005", "I018"),
        ("robots-sitemap",),
        confirm=_AUDIT,
    ),
)


YANDEX_MESSAGES: tuple[ReportMessage, ...] = (
    _yandex(
        ("Not indexed",),
        "Yandex could not download the file: another status than 200, or blocked by robots.txt.",
        _FETCH,
        ("robots-sitemap",),
        confirm=_DOCTOR,
    ),
    _yandex(("Redirect",), "The URL of the sitemap redirects.", ("R023", "I017"), advice="name the final URL"),
    _yandex(
        ("Maximum file size exceeded",),
        "The file is larger than 50 MB.",
        ("S008", "I003"),
        ("urlset",),
        repair="urlset fix sitemap.xml --at https://www.example.com/sitemap.xml --diff",
    ),
    _yandex(
        ("HTTP error",), "The server answered with another status than 200.", ("R004", "R007", "R021"), confirm=_DOCTOR
    ),
    _yandex(("Invalid URL",), "The URL of the sitemap itself is not valid.", ("R002", "I016"), ("robots-sitemap",)),
    _yandex(
        ("Connection lost", "DNS error", "Connection failed", "Incorrect HTTP response"),
        "Yandex could not download the file from the server.",
        ("R004", "R007"),
        confirm=_DOCTOR,
    ),
    _yandex(
        ("The URL is forbidden in robots.txt",),
        "robots.txt blocks the sitemap.",
        ("R005", "I018"),
        ("robots-sitemap",),
        confirm=_SITE,
    ),
    _yandex(("Response contains no data",), "The server sent an empty file.", ("X022",)),
    _yandex(("Extraction error",), "The gzip data is damaged.", ("X016", "X018", "X024")),
    _yandex(
        ("Tag found more than once",),
        "An element is repeated that may occur only once.",
        ("S011", "S012", "I004"),
        ("url",),
        repair=_FIX,
    ),
    _yandex(
        ("Unknown tag",), "An element does not belong there.", ("S014", "S015", "I013", "S019"), ("url",), repair=_FIX
    ),
    _yandex(("Tag not found",), "A required element is missing.", ("S010", "I004"), ("url", "loc")),
    _yandex(("Incorrect page address",), "A listed URL is not a valid URL.", _URL, ("loc",), repair=_FIX),
    _yandex(
        ("Incorrect URL (doesn't match the Sitemap file location)", "Incorrect URL"),
        "A listed URL is on another host, or outside the folder of the sitemap.",
        ("L015", "L018"),
        ("loc",),
    ),
    _yandex(("URL too long",), "A URL has more than 1,024 characters.", ("L004",), ("loc",)),
    _yandex(
        ("Tag cannot be empty",), "An element has no value.", ("L001", "D020", "F006"), ("loc", "lastmod"), repair=_FIX
    ),
    _yandex(
        ("Tag cannot contain other tags",), "An element contains other elements.", ("S014", "X001", "X011"), ("loc",)
    ),
    _yandex(
        ("Data limit exceeded",),
        "lastmod, changefreq or priority has more than 100 bytes.",
        ("D001", "F001", "F004"),
        ("lastmod", "changefreq", "priority"),
    ),
)


BING_MESSAGES: tuple[ReportMessage, ...] = (
    _bing(("Success",), "Bing read the file.", ("G029",), confirm="urlset engines status https://www.example.com/"),
    _bing(
        ("Error", "Failed"),
        "Bing could not read the file, or refused it. The details page has the reason.",
        (*_FETCH[:4], *_XML[:3]),
        ("urlset",),
        confirm=_DOCTOR,
    ),
    _bing(("Warning",), "Bing read the file and skipped a part of it.", ("G031",)),
    _bing(
        ("Pending", "Processing"),
        "The file is queued. Bing reads known sitemaps about once a day.",
        ("G028",),
        confirm=_DOCTOR,
    ),
    _bing(
        ("Code301", "Code302", "301 redirect", "302 redirect"),
        "Listed pages redirect.",
        ("A003", "A004"),
        ("loc",),
        confirm=_AUDIT,
    ),
    _bing(
        ("Code4xx", "400-499 errors", "Code5xx", "500-599 errors"),
        "Listed pages return an error.",
        ("A001", "A002"),
        ("loc",),
        confirm=_AUDIT,
    ),
    _bing(
        ("BlockedByRobotsTxt", "Blocked by robots.txt", "ImportantUrlBlockedByRobotsTxt"),
        "robots.txt blocks Bingbot.",
        ("A011", "R005"),
        ("robots-sitemap",),
        confirm=_AUDIT,
    ),
    _bing(
        ("DnsErrors", "DNS failures", "TimeOutErrors", "Connection timeout"),
        "Bing could not reach the server.",
        ("A023", "R004"),
        confirm=_AUDIT,
    ),
)

MESSAGES = (*GOOGLE_MESSAGES, *YANDEX_MESSAGES, *BING_MESSAGES)


def find_messages(text: str) -> tuple[ReportMessage, ...]:
    """The messages with this wording, of any engine; numbers such as a status count as the message without them."""
    known = _by_label()
    plain = plain_label(text)
    return known.get(plain) or known.get(re.sub(r"[\s:]*\b\d{3}\b$", "", plain), ())


def plain_label(text: str) -> str:
    return folded(text).strip(" .!")


@cache
def _by_label() -> dict[str, tuple[ReportMessage, ...]]:
    found: dict[str, tuple[ReportMessage, ...]] = {}
    # the reasons of Search Console's page indexing report, which people meet next to the sitemap report
    of_pages = (
        ReportMessage(
            Engine.GOOGLE,
            reason.labels,
            "A reason of the page indexing report, for pages that may or may not be listed.",
            tuple(code for word, code in _RULES_OF_REASONS if word in reason.id)[:1],
            ("loc",),
            confirm=_AUDIT,
            cites=("gsc-api",),
            advice=f"for listed pages: {reason.advice}",
        )
        for reason in REASONS
    )
    for message in (*MESSAGES, *of_pages):
        for label in message.labels:
            key = plain_label(label)
            if message not in found.get(key, ()):
                found[key] = (*found.get(key, ()), message)
    return found


_RULES_OF_REASONS = (
    ("soft", "A019"),
    ("robots", "A011"),
    ("noindex", "A006"),
    ("redirect", "A003"),
    ("canonical", "A012"),
    ("duplicate", "A012"),
    ("server", "A002"),
    ("404", "A001"),
    ("not-found", "A001"),
    ("4", "A022"),
    ("unauthorized", "A022"),
    ("forbidden", "A022"),
    ("unknown", "G038"),
)
"""a word in the name of a reason → the rule that finds such pages; the first one counts"""
