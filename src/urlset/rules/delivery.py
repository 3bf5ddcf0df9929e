"""Do the headers of a fetched sitemap match its content, and may crawlers fetch the children of an index?"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from urlset.checking.live_page import Delivery
from urlset.rules import Problem, Severity, rule
from urlset.rules.lastmod.faults import READERS
from urlset.rules.quoting import quoted
from urlset.rules.robots.fetched import kept_out, leads_to_a_sitemap, named_by_index

# Can crawlers fetch the children of a fetched index without redirects?

_NAMED = "named by: https://example.com/index.xml row=0\n"
_CHILD = "> GET https://example.com/a.xml\n"
_PAGES = (
    '< 200\n\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<url><loc>https://example.com/1</loc></url></urlset>\n"
)
_ROBOTS = "> GET https://example.com/robots.txt\n< 200\n\nUser-agent: *\n"


@rule(
    "I017",
    "child-redirects",
    severity=Severity.WARNING,
    engines=READERS,
    cites=("yandex-errors", "general-knowledge"),
    bad=(f"{_NAMED}{_CHILD}< 301\nLocation: /maps/a.xml\n\n> GET https://example.com/maps/a.xml\n{_PAGES}",),
    good=(
        f"{_NAMED}{_CHILD}{_PAGES}",
        f"{_NAMED}{_CHILD}< 302\nLocation: /\n\n> GET https://example.com/\n< 200\n\n<!doctype html><p>Welcome\n",
    ),
)
def child_redirects(delivery: Delivery) -> Iterator[Problem]:
    """A sitemap listed in the index redirects.

    Yandex treats any status other than 200 as an error. Other crawlers need an extra request each time. List the
    final URL.
    """
    answer = delivery.answer
    if named_by_index(delivery) and leads_to_a_sitemap(delivery):
        target = quoted(answer.final_url)
        yield delivery.at_parent(f"redirects with {answer.hops[0].status} to {target}; list the final URL")


@rule(
    "I018",
    "child-blocked-by-robots-txt",
    severity=Severity.ERROR,
    engines=READERS,
    cites=("google-robots", "yandex-errors"),
    bad=(f"{_NAMED}{_ROBOTS}Disallow: /a\n{_CHILD}{_PAGES}",),
    good=(f"{_NAMED}{_ROBOTS}Disallow: /b\n{_CHILD}{_PAGES}", f"{_NAMED}{_CHILD}{_PAGES}"),
)
def child_blocked_by_robots_txt(delivery: Delivery) -> Iterator[Problem]:
    """robots.txt blocks a sitemap listed in the index.

    Crawlers obey robots.txt, so they never see the URLs in the sitemap.
    """
    found = kept_out(delivery)
    if found is not None and named_by_index(delivery):
        severity = Severity.WARNING if found.mild else None
        yield delivery.at_parent(f"{found.summary} of robots.txt, so its URLs are not discovered", severity=severity)


_ASK = "> GET https://example.com/sitemap.xml{}\n< 200\n"
_BODY = (
    '\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<url><loc>https://example.com/</loc></url></urlset>\n"
)
_DELIVERY_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_FITTING = frozenset(
    {
        "application/xml",
        "application/gzip",
        "application/x-gzip",
        "application/x-gunzip",
        "application/octet-stream",
        "binary/octet-stream",
    }
)
_GZIP = frozenset({"gzip", "x-gzip"})


@rule(
    "X023",
    "content-type-not-a-sitemaps",
    severity=Severity.WARNING,
    cites=("general-knowledge",),
    bad=(
        f"{_ASK.format('')}Content-Type: text/html; charset=UTF-8\n{_BODY}",
        f"{_ASK.format('')}Content-Type: application/json\n{_BODY}",
    ),
    good=(
        f"{_ASK.format('')}Content-Type: application/xml; charset=UTF-8\n{_BODY}",
        f"{_ASK.format('')}Content-Type: Text/XML\n{_BODY}",
        f"{_ASK.format('')}Content-Type: application/rss+xml\n{_BODY}",
        f"{_ASK.format('')}Content-Type: application/octet-stream\n{_BODY}",
        f"{_ASK.format('')}Date: Sun, 15 Nov 2026 12:00:00 GMT\n{_BODY}",
        f"{_ASK.format('')}Content-Type: text/html\n\n<!doctype html><p>An error page: another rule's business\n",
    ),
)
def content_type_not_a_sitemaps(delivery: Delivery) -> Iterator[Problem]:
    """A sitemap has the wrong Content-Type.

    Crawlers that trust the header treat the sitemap as a web page. Set the type in the script that generates the
    sitemap, or in the server configuration for its file extension.
    """
    kind = delivery.answer.media_type
    document = delivery.document
    if kind is None or document is None or not document.kind.is_sitemap or delivery.is_robots:
        return
    if kind in _DELIVERY_PAGES:
        yield delivery.at_itself(f"Content-Type {quoted(kind)} is for web pages; serve the sitemap as application/xml")
    elif kind not in _FITTING and not kind.endswith("+xml") and not kind.startswith("text/"):
        yield delivery.at_itself(f"Content-Type {quoted(kind)} is not for sitemaps; serve it as application/xml")


@rule(
    "X024",
    "gz-file-encoded-again",
    severity=Severity.WARNING,
    cites=("general-knowledge", "rfc9110"),
    bad=(f"{_ASK.format('.gz')}Content-Type: application/xml\nContent-Encoding: gzip\n{_BODY}",),
    good=(
        f"{_ASK.format('.gz')}Content-Type: application/gzip\n{_BODY}",
        f"{_ASK.format('')}Content-Type: application/xml\nContent-Encoding: gzip\n{_BODY}",
    ),
)
def gz_file_encoded_again(delivery: Delivery) -> Iterator[Problem]:
    """A .gz sitemap is served with `Content-Encoding: gzip`.

    The header means that the transfer is compressed, the name means that the file is. Some crawlers then decompress
    once too often, others once too few. Serve a .gz file as application/gzip, without Content-Encoding.
    """
    answer = delivery.answer
    if not answer.ok or not _called_gz(answer.final_url or answer.url):
        return
    if _GZIP.isdisjoint(_encodings(answer.all("content-encoding"))):
        return
    packed = delivery.document is not None and delivery.document.envelope.compression == "gzip"
    message = (
        ".gz file compressed again with Content-Encoding: gzip, so crawlers decompress it once too few; "
        "serve it without Content-Encoding"
        if packed
        else ".gz file served with Content-Encoding: gzip, so crawlers receive uncompressed data; "
        "serve it without Content-Encoding"
    )
    yield delivery.at_itself(message)


def _called_gz(url: str) -> bool:
    try:
        return urlsplit(url).path.lower().endswith(".gz")
    except ValueError:
        return False


def _encodings(values: list[str]) -> set[str]:
    return {part.strip().lower() for value in values for part in value.split(",")}
