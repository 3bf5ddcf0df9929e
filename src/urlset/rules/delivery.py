"""Can crawlers fetch robots.txt and the sitemaps that it or an index lists? Do the headers match the content?"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from urlset.checking.declare import bad, good, info_rule, reader_error, reader_info, reader_warning, warning_rule
from urlset.checking.live_page import Delivery
from urlset.findings.finding import quoted
from urlset.model.answer import FailureKind
from urlset.model.document import RobotsLine
from urlset.reading.host_robots import Access, path_of
from urlset.rules import Engine, Has, Kind, Problem, Severity
from urlset.rules.fetch_state import FetchState, challenged, led_to_login, outcome_of, said
from urlset.spec.engines import ENGINES

# One delivery → the crawlers that robots.txt blocks, and the line that blocks them.

ROBOTS_TXT = "/robots.txt"
ANY = "*"


class KeptOut(msgspec.Struct, frozen=True):
    """The crawlers that may not fetch it."""

    crawlers: tuple[str, ...]
    """product tokens; * for crawlers without their own group in robots.txt"""
    everyone: bool
    line: RobotsLine

    @property
    def mild(self) -> bool:
        """All crawlers of the selected engines may fetch it."""
        return self.crawlers == (ANY,)

    @property
    def summary(self) -> str:
        named = [crawler for crawler in self.crawlers if crawler != ANY]
        if self.everyone:
            who = "all crawlers are"
        elif not named:
            who = "crawlers without their own group in robots.txt are"
        else:
            who = f"{' and '.join(named)} {'is' if len(named) == 1 else 'are'}"
        return f"{who} blocked by {quoted(f'{self.line.written}: {self.line.value}')} on line {self.line.number}"


def kept_out(delivery: Delivery) -> KeptOut | None:
    """None if nothing is blocked, or if robots.txt could not be read, which has its own rule."""
    robots = delivery.robots
    if robots is None or robots.access is not Access.RULES or delivery.is_robots:
        return None
    tokens = [token for engine in delivery.context.engines for token in ENGINES[engine].robots_tokens[:1]]
    matches = {token: robots.match(token, delivery.url) for token in tokens}
    refused = {token: match.line for token, match in matches.items() if not match.allowed and match.line is not None}
    if not refused:
        return None
    first = min(refused.values(), key=lambda line: line.number)
    return KeptOut(tuple(refused), len(refused) == len(matches) and ANY in refused, first)


def leads_to_a_sitemap(delivery: Delivery) -> bool:
    """The redirects do not end at a web page, so the final URL can be used instead."""
    document = delivery.document
    page = document is not None and bool(document.kind.has & (Has.WEB_PAGE | Has.NOTHING))
    return bool(delivery.answer.hops) and delivery.answer.ok and not page


def named_by_robots(delivery: Delivery) -> bool:
    """Listed in a Sitemap line."""
    return delivery.parent is not None and path_of(delivery.parent).partition("?")[0] == ROBOTS_TXT


def named_by_index(delivery: Delivery) -> bool:
    return delivery.parent is not None and not named_by_robots(delivery)


def _told(delivery: Delivery, message: str, severity: Severity | None = None) -> Problem:
    """At the line or entry that names it, if there is one."""
    told = delivery.at_parent if delivery.parent is not None else delivery.at_itself
    return told(message, severity=severity)


# How does the server answer a request for robots.txt?

_GET_ROBOTS = "> GET https://example.com/robots.txt\n"
_GOOD_ROBOTS = f"{_GET_ROBOTS}< 200\nContent-Type: text/plain\n\nUser-agent: *\nDisallow:\n"
_FOLLOWED = 5
"""the minimum number of redirects that RFC 9309 requires crawlers to follow"""
_TOO_MANY_REQUESTS = 429


def _hops(count: int) -> str:
    return "".join(
        f"> GET https://example.com/robots.txt{f'?{n}' if n else ''}\n< 301\nLocation: /robots.txt?{n + 1}\n\n"
        for n in range(count)
    ) + _GOOD_ROBOTS.replace("robots.txt", f"robots.txt?{count}", 1)


@reader_error("R007", cites=("rfc9309", "google-robots"))
@bad(f"{_GET_ROBOTS}< 503\n\n", f"{_GET_ROBOTS}< 500\n\nInternal error\n")
@good(_GOOD_ROBOTS, f"{_GET_ROBOTS}< 404\n\n", f"{_GET_ROBOTS}< 429\n\n")
def robots_txt_server_error(delivery: Delivery) -> Iterator[Problem]:
    """robots.txt returns a server error.

    Crawlers then treat the whole site as blocked. Google stops crawling for hours, then uses its last copy for up to 30
    days.
    """
    status = delivery.answer.status
    if delivery.is_robots and status is not None and status >= 500 and challenged(delivery.answer) is None:
        yield delivery.at_itself(
            f"{said(delivery.answer)}: crawlers treat the whole site as blocked; fix the server error"
        )


@reader_info("R008", cites=("rfc9309", "google-robots"))
@bad(f"{_GET_ROBOTS}< 404\n\n", f"{_GET_ROBOTS}< 403\n\n")
@good(_GOOD_ROBOTS, f"{_GET_ROBOTS}< 429\n\n", f"{_GET_ROBOTS}< 503\n\n")
def robots_txt_missing(delivery: Delivery) -> Iterator[Problem]:
    """There is no robots.txt.

    Nothing is blocked, which may be intended. But there is also no Sitemap line, through which engines find a sitemap
    that was not submitted.
    """
    status = delivery.answer.status
    if delivery.is_robots and status is not None and 400 <= status < 500 and status != _TOO_MANY_REQUESTS:
        yield delivery.at_itself(f"{said(delivery.answer)}: nothing is blocked, and no sitemap is listed")


@reader_warning("R009", cites=("rfc9309", "google-robots"))
@bad(_hops(_FOLLOWED + 1), f"{_GET_ROBOTS}! redirect_loop\n")
@good(_GOOD_ROBOTS, _hops(1), _hops(_FOLLOWED))
def robots_txt_redirect_chain(delivery: Delivery) -> Iterator[Problem]:
    """robots.txt redirects more than five times.

    Crawlers follow at least five redirects. Google stops there and continues as if there were no robots.txt.
    """
    answer = delivery.answer
    if not delivery.is_robots:
        return
    failed = answer.failure.kind if answer.failure is not None else None
    if failed is FailureKind.REDIRECT_LOOP:
        yield delivery.at_itself("redirect loop, so crawlers find no robots.txt; fix the redirects")
    elif failed is FailureKind.TOO_MANY_REDIRECTS or len(answer.hops) > _FOLLOWED:
        last = answer.hops[-1].url if answer.hops else answer.url
        yield delivery.at_itself(
            f"redirects {len(answer.hops)} times, last from {quoted(last)}; crawlers may stop after {_FOLLOWED}"
        )


# The same for sitemaps that an index lists.

_NAMED = "named by: https://example.com/robots.txt row=0\n"
_ROBOTS = f"{_NAMED}> GET https://example.com/robots.txt\n< 200\n\nSitemap: https://example.com/sitemap.xml\n"
_GET_SITEMAP = "> GET https://example.com/sitemap.xml\n"
_BODY = (
    '\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<url><loc>https://example.com/</loc></url></urlset>\n"
)
_TAG = 'ETag: "1"\n'
_GOOD_SITEMAP = f"{_ROBOTS}{_GET_SITEMAP}< 200\n{_TAG}{_BODY}"


@reader_error("R004", cites=("yandex-errors", "gsc-report"))
@bad(f"{_ROBOTS}{_GET_SITEMAP}< 404\n\nNot Found\n", f"{_ROBOTS}{_GET_SITEMAP}< 503\n\n")
@good(_GOOD_SITEMAP, f"{_ROBOTS}{_GET_SITEMAP}< 403\n\n", f"{_GET_SITEMAP}< 404\n\nAsked for by hand\n")
def named_sitemap_missing(delivery: Delivery) -> Iterator[Problem]:
    """A sitemap listed in robots.txt cannot be fetched.

    Crawlers request it repeatedly without success. Restore the sitemap, or remove the line.
    """
    if named_by_robots(delivery) and outcome_of(delivery.answer) is FetchState.MISSING:
        yield delivery.at_parent(f"could not fetch {quoted(delivery.url)}: {said(delivery.answer)}")


@reader_error("R005", cites=("google-robots", "yandex-errors", "gsc-report"))
@bad(
    f"{_ROBOTS}User-agent: *\nDisallow: /sitemap\n{_GET_SITEMAP}< 200\n{_TAG}{_BODY}",
    f"{_ROBOTS}User-agent: Googlebot\nDisallow: /*.xml$\n{_GET_SITEMAP}< 200\n{_TAG}{_BODY}",
)
@good(
    f"{_ROBOTS}User-agent: *\nDisallow: /sitemaps\n{_GET_SITEMAP}< 200\n{_TAG}{_BODY}",
    f"{_ROBOTS}User-agent: *\nDisallow: /\nAllow: /sitemap.xml\n{_GET_SITEMAP}< 200\n{_TAG}{_BODY}",
)
def sitemap_disallowed(delivery: Delivery) -> Iterator[Problem]:
    """robots.txt blocks the sitemap.

    Crawlers that obey robots.txt never fetch the sitemap, even if a Sitemap line in the same file lists it.
    """
    found = kept_out(delivery)
    if found is None or named_by_index(delivery) or delivery.robots is None:
        return
    yield Problem(
        found.line.place,
        f"{found.summary}; allow {quoted(delivery.url)}",
        subject=delivery.url,
        severity=Severity.WARNING if found.mild else None,
        source=delivery.robots.origin + ROBOTS_TXT,
    )


@reader_error("R021", cites=("gsc-report",))
@bad(
    f"{_GET_SITEMAP}< 401\nWWW-Authenticate: Basic\n\n",
    f"{_ROBOTS}{_GET_SITEMAP}< 403\n\nForbidden\n",
    f"{_GET_SITEMAP}< 503\nCF-Mitigated: challenge\n\n",
    f"{_GET_SITEMAP}< 200\n\n<!doctype html><script>window._cf_chl_opt = {{}}</script>\n",
    f"{_GET_SITEMAP}< 302\nLocation: /login\n\n> GET https://example.com/login\n< 200\n\n<!doctype html>\n",
)
@good(
    _GOOD_SITEMAP,
    f"{_GET_SITEMAP}< 404\n\n",
    f"{_GET_SITEMAP}< 429\n\n",
    f"{_GET_SITEMAP}< 503\n\n",
    f"{_GET_SITEMAP}< 200\nX-DataDome: protected\n{_TAG}{_BODY}",
)
def sitemap_behind_login(delivery: Delivery) -> Iterator[Problem]:
    """A sitemap is behind a login or bot protection.

    Crawlers have no password. Bot protection may treat search engines differently from other clients, so a blocked
    sitemap may be accessible to them. Check with the tools of the search engines.
    """
    if delivery.is_robots:
        return
    answer = delivery.answer
    outcome = outcome_of(answer)
    if outcome is FetchState.LOCKED:
        message = f"{said(answer)}: the sitemap requires a login, so crawlers cannot fetch it; make it public"
        yield _told(delivery, message)
    elif outcome is FetchState.BLOCKED:
        message = f"blocked: {said(answer)}; check with the engines' own tools whether crawlers can fetch it"
        yield _told(delivery, message, Severity.WARNING)
    elif led_to_login(answer) and delivery.document is not None and delivery.document.kind is Kind.HTML:
        message = f"redirects to the login {quoted(answer.final_url)}, so crawlers cannot fetch it; make it public"
        yield _told(delivery, message)


@reader_warning("R029", cites=("google-http", "rfc9110"))
@bad(f"{_GET_SITEMAP}< 429\nRetry-After: 120\n\n", f"{_ROBOTS}{_GET_SITEMAP}< 429\n\n")
@good(_GOOD_SITEMAP, f"{_GET_SITEMAP}< 403\n\n", f"{_GET_SITEMAP}< 503\n\n")
def sitemap_rate_limited(delivery: Delivery) -> Iterator[Problem]:
    """The server refused a sitemap because of too many requests.

    429 says nothing about the sitemap itself. Crawlers that get it slow down and try again later. Whether they are
    limited too depends on the server configuration.
    """
    if not delivery.is_robots and outcome_of(delivery.answer) is FetchState.LIMITED:
        words = "so the sitemap was not checked; check that crawlers are not limited, or try again later"
        yield _told(delivery, f"{said(delivery.answer)}, {words}")


@warning_rule("R022", engines=(Engine.YANDEX,), cites=("yandex-tool",))
@bad(f"{_GET_SITEMAP}< 200 after 15 s\n{_TAG}{_BODY}")
@good(_GOOD_SITEMAP)
def slow_sitemap(delivery: Delivery) -> Iterator[Problem]:
    """A sitemap takes more than ten seconds to load.

    Yandex times out after ten seconds. Generate the file when pages change, not on request.
    """
    limit = delivery.context.thresholds.slow_sitemap_seconds
    if delivery.answer.ok and not delivery.is_robots and delivery.answer.seconds > limit:
        seconds = delivery.answer.seconds
        yield delivery.at_itself(f"took {seconds:.1f} s to load; Yandex times out after {limit:g} s")


@reader_warning("R023", cites=("yandex-errors", "general-knowledge"))
@bad(f"{_ROBOTS}{_GET_SITEMAP}< 301\nLocation: /new.xml\n\n> GET https://example.com/new.xml\n< 200\n{_TAG}{_BODY}")
@good(
    _GOOD_SITEMAP,
    f"{_ROBOTS}{_GET_SITEMAP}< 302\nLocation: /\n\n> GET https://example.com/\n< 200\n\n<!doctype html><p>Hello\n",
)
def sitemap_redirects(delivery: Delivery) -> Iterator[Problem]:
    """The URL of a sitemap redirects.

    Yandex treats any status other than 200 as an error. Other crawlers need an extra request each time. Use the final
    URL.
    """
    answer = delivery.answer
    if not leads_to_a_sitemap(delivery) or delivery.is_robots or named_by_index(delivery):
        return
    several = f" after {len(answer.hops)} redirects" if len(answer.hops) > 1 else ""
    message = f"redirects with {answer.hops[0].status} to {quoted(answer.final_url)}{several}; use the final URL"
    yield _told(delivery, message)


@info_rule("R027", engines=(Engine.GOOGLE, Engine.BING), cites=("google-crawlers", "bing-help"))
@bad(f"{_GET_SITEMAP}< 200\nContent-Type: application/xml\n{_BODY}")
@good(_GOOD_SITEMAP, f"{_GET_SITEMAP}< 200\nLast-Modified: Sun, 15 Nov 2026 08:00:00 GMT\n{_BODY}")
def sitemap_without_validators(delivery: Delivery) -> Iterator[Problem]:
    """A sitemap has no ETag and no Last-Modified header.

    With one of them, crawlers can send a conditional request and get a short 304 response instead of the whole file.
    """
    answer = delivery.answer
    if delivery.is_robots or not answer.ok or delivery.document is None or delivery.document.kind is Kind.HTML:
        return
    if answer.header("etag") is None and answer.header("last-modified") is None:
        yield delivery.at_itself(
            "no ETag or Last-Modified, so crawlers fetch the whole file each time; send one of them"
        )


# Can crawlers fetch the children of a fetched index without redirects?

_IN_INDEX = "named by: https://example.com/index.xml row=0\n"
_CHILD = "> GET https://example.com/a.xml\n"
_PAGES = (
    '< 200\n\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<url><loc>https://example.com/1</loc></url></urlset>\n"
)
_ROBOTS_OF_CHILD = "> GET https://example.com/robots.txt\n< 200\n\nUser-agent: *\n"


@reader_warning("I017", cites=("yandex-errors", "general-knowledge"))
@bad(f"{_IN_INDEX}{_CHILD}< 301\nLocation: /maps/a.xml\n\n> GET https://example.com/maps/a.xml\n{_PAGES}")
@good(
    f"{_IN_INDEX}{_CHILD}{_PAGES}",
    f"{_IN_INDEX}{_CHILD}< 302\nLocation: /\n\n> GET https://example.com/\n< 200\n\n<!doctype html><p>Welcome\n",
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


@reader_error("I018", cites=("google-robots", "yandex-errors"))
@bad(f"{_IN_INDEX}{_ROBOTS_OF_CHILD}Disallow: /a\n{_CHILD}{_PAGES}")
@good(f"{_IN_INDEX}{_ROBOTS_OF_CHILD}Disallow: /b\n{_CHILD}{_PAGES}", f"{_IN_INDEX}{_CHILD}{_PAGES}")
def child_blocked_by_robots_txt(delivery: Delivery) -> Iterator[Problem]:
    """robots.txt blocks a sitemap listed in the index.

    Crawlers obey robots.txt, so they never see the URLs in the sitemap.
    """
    found = kept_out(delivery)
    if found is not None and named_by_index(delivery):
        severity = Severity.WARNING if found.mild else None
        yield delivery.at_parent(f"{found.summary} of robots.txt, so its URLs are not discovered", severity=severity)


_ASK = "> GET https://example.com/sitemap.xml{}\n< 200\n"
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


@warning_rule("X023", cites=("general-knowledge",))
@bad(
    f"{_ASK.format('')}Content-Type: text/html; charset=UTF-8\n{_BODY}",
    f"{_ASK.format('')}Content-Type: application/json\n{_BODY}",
)
@good(
    f"{_ASK.format('')}Content-Type: application/xml; charset=UTF-8\n{_BODY}",
    f"{_ASK.format('')}Content-Type: Text/XML\n{_BODY}",
    f"{_ASK.format('')}Content-Type: application/rss+xml\n{_BODY}",
    f"{_ASK.format('')}Content-Type: application/octet-stream\n{_BODY}",
    f"{_ASK.format('')}Date: Sun, 15 Nov 2026 12:00:00 GMT\n{_BODY}",
    f"{_ASK.format('')}Content-Type: text/html\n\n<!doctype html><p>An error page: another rule's business\n",
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


@warning_rule("X024", cites=("general-knowledge", "rfc9110"))
@bad(f"{_ASK.format('.gz')}Content-Type: application/xml\nContent-Encoding: gzip\n{_BODY}")
@good(
    f"{_ASK.format('.gz')}Content-Type: application/gzip\n{_BODY}",
    f"{_ASK.format('')}Content-Type: application/xml\nContent-Encoding: gzip\n{_BODY}",
)
def gz_file_encoded_again(delivery: Delivery) -> Iterator[Problem]:
    """A .gz sitemap is served with `Content-Encoding: gzip`.

    The header means that the transfer is compressed, the name means that the file is. Some crawlers then decompress
    once too often, others once too few. Serve a .gz file as application/gzip, without Content-Encoding.
    """
    answer = delivery.answer
    if not answer.ok or not path_of(answer.final_url or answer.url).partition("?")[0].lower().endswith(".gz"):
        return
    if _GZIP.isdisjoint(part.strip().lower() for each in answer.all("content-encoding") for part in each.split(",")):
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
