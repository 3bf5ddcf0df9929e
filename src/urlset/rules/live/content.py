"""Is the response a real page of an indexable type, found by links, with the date that the sitemap states?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import lru_cache

import msgspec

from urlset.checking.declare import bad, good, google_warning, reader_warning, warning_rule
from urlset.checking.live_page import NOWHERE, SURE_ENOUGH, Comparison
from urlset.findings.finding import quoted
from urlset.model.moment import Moment
from urlset.model.page import DateOrigin
from urlset.model.visit import Likelihood, State
from urlset.rules import Engine, LivePage, PageSignal, Problem, Severity
from urlset.rules.live import of_target, readable, shown
from urlset.spec import protocol

# The sitemap compared with a crawl of the site: unlisted pages and orphan pages.

_START = "listed: https://example.com/\nfound: https://example.com/ start\n"
_A = "found: https://example.com/a on https://example.com/"


SEEN_IN_SEARCH = ", but seen in search"


@reader_warning("A035", cites=("general-knowledge",))
@bad(f"{_START}{_A}\n")
@bad(f"crawl: 1 page failed\n{_START}{_A}\n", title="after an incomplete crawl")
@good(
    f"{_START}listed: https://EXAMPLE.com/%61\n{_A}\n",
    f"{_START}{_A} noindex\n",
    f"{_START}{_A} canonical=https://example.com/\n",
    f"{_START}{_A} final=https://example.com/\n",
)
def unlisted_page(comparison: Comparison) -> Iterator[Problem]:
    """A linked and indexable page is in no sitemap.

    The page returns 200, is its own canonical, and may be indexed. List it, or exclude it from the comparison if that
    is intended. Reported for every page the crawl saw, also if the crawl is incomplete.
    """
    for page in comparison.unlisted():
        where = f", linked from {shown(page.linked_from)}" if page.linked_from else ""
        where = SEEN_IN_SEARCH if page.in_search else where
        url = page.final_url or page.url
        yield Problem(
            NOWHERE,
            f"{shown(url)} is in none of the audited sitemaps{where}; list it, or exclude it from the comparison",
            subject=url,
        )


@reader_warning("A036", cites=("general-knowledge",))
@bad(f"crawl: 1 page failed\n{_START}listed: https://example.com/a\n", title="likely, after an incomplete crawl")
@bad(
    f"{_START}listed: https://example.com/a\n", f"{_START}listed: https://example.com/a\nfound: https://example.com/a\n"
)
@good(
    f"{_START}listed: https://example.com/a\n{_A}\n",
    f"{_START}listed: https://example.com/b\n{_A} final=https://example.com/b\n",
    f"{_START}listed: https://example.com/b\n{_A} canonical=https://example.com/b\n",
    f"{_START}listed: https://example.com/a?PHPSESSID=0123456789abcdef0123456789abcdef\n{_A}\n",
)
def orphan_page(comparison: Comparison) -> Iterator[Problem]:
    """No page of the site links to a listed page.

    Search engines find the page through the sitemap but treat it as unimportant. Certain after a complete crawl. If
    some pages could not be crawled, one of them may link to it: the finding then says "likely" and gives the reason.
    Skipped if no page was read, or more pages could not be crawled than were read. Links created by scripts are not
    seen.
    """
    if comparison.no_orphans is not None:
        return
    message = "orphan page: no page of the site links to it; add a link, or remove it if it is obsolete"
    if comparison.export is not None:
        by = f"no page in {comparison.export.name}"
        message = f"likely an {message.replace('no page of the site', by)} (likely, an export may not cover the site)"
    elif not comparison.complete:
        count = comparison.unread
        pages = (
            f"{count:,} page{'s' if count != 1 else ''} could not be crawled" if count else "the crawl is incomplete"
        )
        why = "; ".join(comparison.reasons) or "it was not finished"
        message = f"likely an {message.replace('no page', 'no crawled page')} (likely, {pages}: {why})"
    for listing in comparison.unlinked():
        yield Problem(NOWHERE, message, subject=listing.loc, source=listing.source, row=listing.row)


# Does lastmod match the page, its headers, and the build ledger?

_GET = "> GET https://example.com/a\n"
_LISTED = "listed: https://example.com/a lastmod={}\n"
_SAYS = _GET + '< 200\nContent-Type: text/html\n\n<meta property="article:modified_time" content="{}"><p>Words.\n'
_HEADER = _GET + "< 200\nLast-Modified: {}\nContent-Type: text/html\n\n<p>Words.\n"
_PLAIN = _GET + "< 200\nContent-Type: text/html\n\n<p>Words.\n"

SLACK = timedelta(days=7)
"""caches, time zones, and late rebuilds explain smaller differences"""
_NOW = timedelta(days=1)
"""a modification date this close to the request was generated for the request"""
_OWN = frozenset(
    {DateOrigin.JSON_LD_MODIFIED, DateOrigin.ARTICLE_MODIFIED, DateOrigin.OG_UPDATED, DateOrigin.ITEMPROP_MODIFIED}
)


class _Evidence(msgspec.Struct, frozen=True):
    """The modification date of the page from one source."""

    who: str
    raw: str
    start: datetime
    end: datetime
    is_strong: bool
    """the date of a content change; a header may only be the date of a file copy"""


@warning_rule(
    "A025",
    when=PageSignal.DATES,
    engines=(Engine.GOOGLE, Engine.BING),
    cites=("google-build", "google-2023", "bing-2023"),
)
@bad(
    _LISTED.format("2026-10-01") + _SAYS.format("2019-03-02T10:00:00Z"),
    _LISTED.format("2026-10-01") + _HEADER.format("Sat, 02 Mar 2019 10:00:00 GMT"),
    _LISTED.format("2020-01-01") + _SAYS.format("2026-10-01T10:00:00Z"),
    f"{_LISTED.format('2026-10-01')}ledger: 2024-05-05\n{_PLAIN}",
)
@good(
    _LISTED.format("2026-10-01") + _SAYS.format("2026-09-30T10:00:00Z"),
    _LISTED.format("2020-01-01") + _HEADER.format("Sun, 15 Nov 2026 11:59:58 GMT"),
    _LISTED.format("2020-01-01") + _HEADER.format("Thu, 01 Oct 2026 10:00:00 GMT"),
    _LISTED.format("2026-10-01")
    + _SAYS.format("2019-03-02").replace("< 200\n", "< 200\nLast-Modified: Thu, 01 Oct 2026 09:00:00 GMT\n"),
    _LISTED.format("2026-10-01") + _SAYS.format("2019-03-02").replace("modified", "published"),
    _LISTED.format("2026-10-01") + _SAYS.format("last week"),
    _PLAIN,
)
def lastmod_contradicted(page: LivePage) -> Iterator[Problem]:
    """The lastmod of a page differs from all other evidence of its last change.

    Search engines trust the dates in a sitemap only if they are accurate. Evidence is the modification date on the
    page, the Last-Modified header, and the build ledger. A date generated at the time of the request does not count,
    nor does a header newer than lastmod, because copying a file renews it. Differences of less than a week are
    ignored.
    """
    listed = _meant((page.listing.lastmod or "").strip())
    if page.visit.state is not State.OK or listed is None or listed[0] > page.context.now:
        return
    evidence = list(_evidence(page))
    strong = [each for each in evidence if each.is_strong]
    if evidence and max(each.end for each in evidence) + SLACK < listed[0]:
        newest = max(evidence, key=lambda each: each.end)
        yield page.problem(
            f"lastmod {_said(page)} is later than the last known change ({newest.who} {quoted(newest.raw)}); "
            "use the date of the last change"
        )
    elif strong and min(each.start for each in strong) - SLACK > listed[1]:
        oldest = min(strong, key=lambda each: each.start)
        yield page.problem(f"lastmod {_said(page)} is out of date ({oldest.who} {quoted(oldest.raw)}); update it")


@lru_cache(maxsize=4096)
def _meant(text: str) -> tuple[datetime, datetime] | None:
    """Cached because pages share few dates."""
    return Moment.parse(text).certain_interval()


def _said(page: LivePage) -> str:
    return (page.listing.lastmod or "").strip()


def _evidence(page: LivePage) -> Iterator[_Evidence]:
    now = page.context.now
    asked = _http_or_iso(page.visit.moment) or now
    for date in page.visit.dates:
        found = _meant(date.raw.strip()) if date.origin in _OWN else None
        if found is not None and found[0] <= now and not _just_now(found, asked):
            yield _Evidence(f"{date.origin.value}:", date.raw.strip(), *found, is_strong=True)
    header = _http_or_iso(page.visit.last_modified or "")
    if header is not None and header <= now and not _just_now((header, header), asked):
        yield _Evidence("Last-Modified:", page.visit.last_modified or "", header, header, is_strong=False)
    seen = _meant((page.seen_changed or "").strip())
    if seen is not None:
        yield _Evidence("build ledger:", page.seen_changed or "", *seen, is_strong=True)


def _just_now(found: tuple[datetime, datetime], asked: datetime) -> bool:
    return found[1] > asked - _NOW


def _http_or_iso(text: str) -> datetime | None:
    from email.utils import parsedate_to_datetime

    try:
        found = parsedate_to_datetime(text) if "," in text else datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else None


_PAGE = f"{_GET}< 200\nContent-Type: text/html\n\n<title>A</title><p>Words.\n"
_ERROR_PAGE = f"{_GET}< 200\nContent-Type: text/html\n\n<title>Page not found</title><p>Sorry.\n"


@reader_warning("A019", when=PageSignal.NOT_A_PAGE, cites=("google-troubleshoot", "google-http", "general-knowledge"))
@bad(
    f'soft 404: 0.95 its title says "Page not found"; it equals the answer to a made-up address\n{_ERROR_PAGE}',
    f"thin: 0.8 three words in addition to the template\n{_PAGE}",
    f"{_GET}< 200\nContent-Type: text/html\n\n<title>A</title><div id=app></div><script src=a.js></script>\n",
)
@good(
    _PAGE,
    f'soft 404: 0.2 its text says "not found"\n{_PAGE}',
    f"{_GET}< 404\nContent-Type: text/html\n\n<title>Page not found</title>\n",
)
def soft_404(page: LivePage) -> Iterator[Problem]:
    """A listed page returns a success status but looks like an error page.

    Search engines treat such pages as missing. This is a heuristic: the message states the confidence and the
    evidence. A page with almost no content, or with HTML that is empty until scripts run in the browser, is info.
    """
    visit = page.visit
    if not readable(page) or visit.size == 0 or (visit.marks is not None and visit.marks.blank):  # see A020
        return
    if visit.soft_404 is not None and visit.soft_404.certainty >= SURE_ENOUGH:
        yield page.problem(f"looks like an error page, but returns {visit.status or 200}{_grounds(visit.soft_404)}")
    elif visit.thin is not None and visit.thin.certainty >= SURE_ENOUGH:
        said = f"has almost no unique content{of_target(page)}{_grounds(visit.thin)}"
        yield page.problem(said, severity=Severity.INFO)
    elif visit.marks is not None and visit.marks.only_scripts:
        said = f"is empty until a browser runs its scripts{of_target(page)}; send the content in the HTML"
        yield page.problem(said, severity=Severity.INFO)


def _grounds(likelihood: Likelihood) -> str:
    signs = f", because {'; '.join(dict.fromkeys(likelihood.signs))}" if likelihood.signs else ""
    return f" (confidence {likelihood.certainty:.0%}{signs})"


@google_warning("A026", when=PageSignal.SIZE, cites=("google-googlebot", "google-crawlers"))
@bad(f"{_PAGE}[2,097,152 more bytes]\n")
@good(f"{_PAGE}[2,000,000 more bytes]\n", _PAGE)
def page_too_large(page: LivePage) -> Iterator[Problem]:
    """A page is larger than Google reads.

    Googlebot reads the first 2 MB of a page, uncompressed, and 64 MB of a PDF. The rest is not indexed, and its links
    are not followed.
    """
    visit = page.visit
    is_pdf = visit.media_type == protocol.PDF_TYPE
    if not readable(page) or not (is_pdf or visit.media_type is None or visit.media_type in protocol.HTML_TYPES):
        return
    limit = protocol.PDF_BYTES_GOOGLE if is_pdf else protocol.HTML_BYTES_GOOGLE
    if visit.size > limit:
        size = f"{'at least ' if visit.truncated else ''}{visit.size:,} bytes"
        yield page.problem(f"{size}{of_target(page)} exceed the {limit:,} that Google reads; make the page smaller")


def _typed(media_type: str) -> str:
    return f"{_GET}< 200\nContent-Type: {media_type}\n\nbytes\n"


@google_warning("A034", when=PageSignal.TYPE, cites=("google-file-types",))
@bad(_typed("application/zip"), _typed("font/woff2"), _typed("application/json"))
@good(
    _PAGE,
    _typed("application/pdf"),
    _typed("Text/HTML; charset=utf-8"),
    _typed("image/webp"),
    f"{_GET}< 200\n\n<title>A</title><p>Words.\n",
    f"{_GET}< 404\nContent-Type: application/json\n\n" + '{"error": "not found"}\n',
)
def content_type_not_indexed(page: LivePage) -> Iterator[Problem]:
    """A listed page has a content type that cannot be a search result.

    Google indexes pages, documents, images, and videos of the types it lists. Archives, programs, styles, scripts,
    and fonts are a warning; other types that are not listed are info. A page without a content type is not reported,
    because engines detect the type from the content.
    """
    media_type = page.visit.media_type
    if media_type is None or not readable(page) or page.visit.size == 0:
        return
    if media_type in protocol.INDEXED_TYPES or media_type.startswith(protocol.INDEXED_PREFIXES):
        return
    served = f"served as {quoted(media_type)}{of_target(page)}"
    if media_type in protocol.UNINDEXED_TYPES or media_type.startswith(protocol.UNINDEXED_PREFIXES):
        yield page.problem(f"{served}, which cannot be indexed; remove it or correct the Content-Type")
    else:
        yield page.problem(f"{served}, which is not a type that Google indexes", severity=Severity.INFO)
