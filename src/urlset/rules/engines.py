"""What engines report: is the sitemap read without errors, and are its pages indexed?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from urlset.checking.declare import bad, error_rule, good, google_info, google_warning, info_rule, warning_rule
from urlset.checking.live_page import NOWHERE, InspectedPage, SubmittedSitemap, moment_of
from urlset.findings.finding import quoted
from urlset.model.address import key_of
from urlset.rules import Engine, Problem, Severity

# Does Google's view of a listed page match the sitemap and the current site?

_GOOGLE = (Engine.GOOGLE,)
_MONTHS = timedelta(days=60)
_UNKNOWN_AFTER = timedelta(days=14)

_SEEN = {
    "not_found": "404",
    "access_denied": "401",
    "access_forbidden": "403",
    "server_error": "a server error",
    "redirect_error": "a redirect error",
    "soft_404": "a soft 404",
    "blocked_4xx": "a 4xx error",
    "internal_crawl_error": "a crawl error",
    "invalid_url": "an invalid URL",
    "blocked_robots_txt": "blocked by robots.txt",
}
_NOINDEX = {"blocked_by_meta_tag": "noindex in a meta tag", "blocked_by_http_header": "noindex in a header"}


def _page_problem(page: InspectedPage, message: str, severity: Severity | None = None) -> Problem:
    return Problem(NOWHERE, message, subject=page.url, source=page.source or None, severity=severity)


@google_warning("G035", cites=("google-canonical", "gsc-api"))
@bad(
    "page: https://example.com/a\nverdict: NEUTRAL\ncrawled: 2026-11-01\ngoogle canonical: https://example.com/b",
    "page: http://example.com/a\nverdict: NEUTRAL\ngoogle canonical: https://example.com/a",
)
@good(
    "page: https://example.com/a\nverdict: PASS\ngoogle canonical: https://example.com/a",
    "page: https://example.com/a\nverdict: NEUTRAL",
)
def google_chose_another_canonical(page: InspectedPage) -> Iterator[Problem]:
    """Google indexes a different URL instead of the listed one.

    Google treats the two as duplicates and shows the other one in results. List only the canonical URL.
    """
    chosen = page.google_canonical
    if chosen and key_of(chosen) != key_of(page.url):
        yield _page_problem(page, f"Google chose {quoted(chosen)} as canonical; list it instead")


@google_warning("G036", cites=("gsc-api",))
@bad(
    "page: https://example.com/a\nverdict: FAIL\nfetch: NOT_FOUND\ncrawled: 2026-09-02\naudit: ok",
    "page: https://example.com/a\nverdict: NEUTRAL\nindexing: BLOCKED_BY_META_TAG\ncrawled: 2026-09-02",
    "page: https://example.com/a\nverdict: NEUTRAL\nrobots: DISALLOWED\naudit: ok",
)
@good(
    "page: https://example.com/a\nverdict: PASS\nfetch: SUCCESSFUL\nrobots: ALLOWED",
    "page: https://example.com/a\nverdict: FAIL\nfetch: NOT_FOUND\naudit: gone",
)
def google_saw_a_problem(page: InspectedPage) -> Iterator[Problem]:
    """Google found a listed page missing, blocked, or excluded from the index.

    If the audit finds no problem, the page was fixed after Google's last crawl, and Google will see that on the next
    crawl. If the audit finds the same problem, its own finding covers it.
    """
    seen = _SEEN.get(page.fetch.lower()) or _NOINDEX.get(page.indexing.lower())
    if seen is None and page.robots.lower() == "disallowed":
        seen = "blocked by robots.txt"
    if seen is None or (page.state is not None and page.state != "ok"):
        return
    when = f" on {page.last_crawl[:10]}" if page.last_crawl else ""
    if page.state == "ok":
        fixed = f"fixed since Google's crawl on {page.last_crawl[:10]}" if page.last_crawl else "fixed since"
        yield _page_problem(page, f"Google saw {seen}{when}; {fixed}", Severity.INFO)
    else:
        yield _page_problem(page, f"Google saw {seen}{when}")


@google_info("G037", cites=("gsc-api",))
@bad("page: https://example.com/a\nlastmod: 2026-11-01\nverdict: PASS\ncrawled: 2026-06-01")
@good(
    "page: https://example.com/a\nlastmod: 2026-06-10\nverdict: PASS\ncrawled: 2026-06-01",
    "page: https://example.com/a\nlastmod: 2026-11-01\nverdict: NEUTRAL",
)
def changed_since_google_crawled(page: InspectedPage) -> Iterator[Problem]:
    """Google last crawled the page months before its lastmod.

    Either Google does not trust the dates in this sitemap, or it rarely crawls the page. Check the dates with
    `urlset audit`, and link to the page from pages that are crawled often.
    """
    changed, crawled = moment_of(page.lastmod), moment_of(page.last_crawl)
    if changed is not None and crawled is not None and changed - crawled > _MONTHS:
        gap = (changed - crawled).days
        yield _page_problem(
            page, f"lastmod {page.lastmod} is {gap:,} days after Google's last crawl ({crawled:%Y-%m-%d})"
        )


@google_warning("G038", cites=("gsc-api",))
@bad("page: https://example.com/a\nverdict: NEUTRAL\nknown since: 2026-10-01")
@good(
    "page: https://example.com/a\nverdict: NEUTRAL\nknown since: 2026-11-10",
    "page: https://example.com/a\nverdict: NEUTRAL\ncrawled: 2026-11-01\nknown since: 2026-10-01",
)
def unknown_to_google(page: InspectedPage) -> Iterator[Problem]:
    """Google does not know a page that has been listed for weeks.

    Google read the sitemap but has not queued the page, or has not read the sitemap. Run `urlset engines status`.
    """
    since = moment_of(page.known_since)
    if page.unknown_to_google and since is not None and page.context.now - since > _UNKNOWN_AFTER:
        yield _page_problem(
            page, f"unknown to Google {(page.context.now - since).days:,} days after it was first listed"
        )


@google_info("G039", cites=("gsc-api", "google-build"))
@bad("page: https://example.com/a\nverdict: PASS\naudit: ok\nadvised against: A020")
@good(
    "page: https://example.com/a\nverdict: PASS\naudit: ok",
    "page: https://example.com/a\nverdict: NEUTRAL\nadvised against: A020",
)
def indexed_though_advised_against(page: InspectedPage) -> Iterator[Problem]:
    """A page that the audit recommends removing is indexed.

    It may get visits. Check its traffic before you remove it from the sitemap.
    """
    if page.indexed and page.advised_against:
        yield _page_problem(
            page, f"indexed, although the audit recommends removing it ({', '.join(page.advised_against)})"
        )


_REPORTING = (Engine.GOOGLE, Engine.BING, Engine.YANDEX)
_GRACE = timedelta(days=3)
"""engines take days to read a new sitemap"""
_LATELY = timedelta(days=7)
_WEEKS = timedelta(days=14)


def _sitemap_problem(sitemap: SubmittedSitemap, message: str, severity: Severity | None = None) -> Problem:
    return Problem(NOWHERE, message, subject=sitemap.url, source=sitemap.url, severity=severity)


def _days(age: timedelta) -> str:
    return f"{age.days:,} day{'s' if age.days != 1 else ''}"


@warning_rule("G026", engines=_REPORTING, cites=("gsc-report", "gsc-api"))
@bad("engine: google\nsitemap: https://example.com/sitemap.xml\nsubmitted: 2026-11-01")
@good(
    "engine: google\nsitemap: https://example.com/sitemap.xml\nsubmitted: 2026-11-14",
    "engine: google\nsitemap: https://example.com/sitemap.xml\nsubmitted: 2026-09-01\npending: yes",
    "engine: google\nsitemap: https://example.com/sitemap.xml\nsubmitted: 2026-11-01\nlast read: 2026-11-14",
)
def sitemap_never_read(sitemap: SubmittedSitemap) -> Iterator[Problem]:
    """A submitted sitemap was never read.

    The engine has the URL but has not fetched it. Until it does, the sitemap has no effect. Run
    `urlset doctor` on the sitemap to look for the cause.
    """
    age = sitemap.age(sitemap.submitted)
    if sitemap.known and not sitemap.last_read and not sitemap.pending and age is not None and age > _GRACE:
        yield _sitemap_problem(sitemap, f"{sitemap.title} has not read it in the {_days(age)} since it was submitted")


@warning_rule("G027", engines=_REPORTING, cites=("gsc-report", "bing-2022"))
@bad("engine: bing\nsitemap: https://example.com/sitemap.xml\nlast read: 2026-10-01")
@good("engine: bing\nsitemap: https://example.com/sitemap.xml\nlast read: 2026-11-10")
def sitemap_not_read_lately(sitemap: SubmittedSitemap) -> Iterator[Problem]:
    """The engine has not read the sitemap for more than a week.

    Sitemaps in use are usually fetched every day or two. A long gap means that the engine stopped fetching it or has
    problems fetching it.
    """
    age = sitemap.age(sitemap.last_read)
    if sitemap.known and age is not None and age > _LATELY:
        yield _sitemap_problem(sitemap, f"{sitemap.title} last read it {_days(age)} ago")


@warning_rule("G028", engines=_REPORTING, cites=("gsc-api",))
@bad("engine: google\nsitemap: https://example.com/sitemap.xml\nsubmitted: 2026-09-27\npending: yes")
@good("engine: google\nsitemap: https://example.com/sitemap.xml\nsubmitted: 2026-11-10\npending: yes")
def sitemap_pending_for_weeks(sitemap: SubmittedSitemap) -> Iterator[Problem]:
    """A submitted sitemap has been pending for weeks.

    Pending means that it is queued. Search Console may show "Couldn't fetch" meanwhile. If `urlset doctor` finds
    nothing, remove the sitemap and submit it again.
    """
    age = sitemap.age(sitemap.submitted)
    if sitemap.known and sitemap.pending and age is not None and age > _WEEKS:
        yield _sitemap_problem(sitemap, f"pending at {sitemap.title} for {_days(age)}")


@warning_rule("G029", engines=_REPORTING, cites=("gsc-report",))
@bad(
    "engine: google\nsitemap: https://example.com/sitemap.xml\nlast read: 2026-11-14\nnewest: 2026-11-01\n"
    "their count: 899\nour count: 900",
    "engine: yandex\nsitemap: https://example.com/sitemap.xml\nlast read: 2026-11-14\nnewest: 2026-11-15\n"
    "their count: 850\nour count: 900",
)
@good(
    "engine: google\nsitemap: https://example.com/sitemap.xml\nlast read: 2026-11-14\ntheir count: 900\nour count: 900",
    "engine: google\nsitemap: https://example.com/sitemap.xml\nlast read: 2026-11-14\nour count: 900",
)
def engine_count_differs(sitemap: SubmittedSitemap) -> Iterator[Problem]:
    """The engine counts a different number of URLs than the sitemap has.

    Fewer URLs at the engine mean that it dropped entries, read only part of the file, or read an older version. The
    difference is only a hint if the sitemap changed after the engine read it.
    """
    theirs, ours = sitemap.their_count, sitemap.our_count
    if theirs is None or ours is None or theirs == ours:
        return
    read, newest = moment_of(sitemap.last_read), moment_of(sitemap.newest)
    since = read is not None and newest is not None and newest > read
    hint = "; it changed after it was read" if since else ""
    yield _sitemap_problem(
        sitemap,
        f"{sitemap.title} counts {theirs:,} URLs, but the sitemap has {ours:,}{hint}",
        Severity.INFO if since else None,
    )


@error_rule("G030", engines=_REPORTING, cites=("gsc-report", "gsc-api"))
@bad("engine: google\nsitemap: https://example.com/sitemap.xml\nerrors: 2")
@good("engine: google\nsitemap: https://example.com/sitemap.xml\nerrors: 0")
def engine_reports_errors(sitemap: SubmittedSitemap) -> Iterator[Problem]:
    """The engine reports errors in the sitemap.

    The engine could not use all or part of the file. Run `urlset check` on the same sitemap to find problems in
    the file itself.
    """
    if sitemap.errors:
        yield _sitemap_problem(
            sitemap, f"{sitemap.title} reports {sitemap.errors:,} error{'s' if sitemap.errors != 1 else ''}"
        )


@warning_rule("G031", engines=_REPORTING, cites=("gsc-report", "gsc-api"))
@bad("engine: google\nsitemap: https://example.com/sitemap.xml\nwarnings: 1")
@good("engine: google\nsitemap: https://example.com/sitemap.xml\nwarnings: 0")
def engine_reports_warnings(sitemap: SubmittedSitemap) -> Iterator[Problem]:
    """The engine reports warnings about the sitemap.

    Warnings usually concern single URLs, such as pages blocked by robots.txt.
    """
    count = sitemap.warnings
    if count:
        yield _sitemap_problem(sitemap, f"{sitemap.title} reports {count:,} warning{'s' if count != 1 else ''}")


@warning_rule("G032", engines=_REPORTING, cites=("gsc-api",))
@bad(
    "engine: google\nsitemap: https://www.example.com/sitemap.xml\nknown: no\n"
    "known as: http://www.example.com/sitemap.xml"
)
@good(
    "engine: google\nsitemap: https://www.example.com/sitemap.xml\nknown as: http://www.example.com/sitemap.xml",
    "engine: google\nsitemap: https://www.example.com/sitemap.xml\nknown: no",
)
def sitemap_known_elsewhere_only(sitemap: SubmittedSitemap) -> Iterator[Problem]:
    """The engine only knows the sitemap under another scheme or host.

    A sitemap submitted with http or without www keeps the engine on the old URL. Submit the current URL and delete the
    old one.
    """
    if not sitemap.known and sitemap.other_spelling is not None:
        yield _sitemap_problem(
            sitemap, f"{sitemap.title} knows it only as {sitemap.other_spelling}; submit the current URL"
        )


@error_rule("G033", engines=_REPORTING, cites=("gsc-report",))
@bad("engine: google\nsitemap: https://example.com/old.xml\nanswers: 404")
@good("engine: google\nsitemap: https://example.com/sitemap.xml\nour count: 3")
def submitted_sitemap_gone(sitemap: SubmittedSitemap) -> Iterator[Problem]:
    """The engine has a sitemap that the site no longer serves.

    The engine keeps fetching it and reports an error each time. Delete it at the engine, or serve it again.
    """
    if sitemap.known and sitemap.gone is not None:
        yield _sitemap_problem(
            sitemap, f"{sitemap.title} lists it, but the site returns {sitemap.gone}; delete it or serve it"
        )


@info_rule("G034", engines=_REPORTING, cites=("google-build", "gsc-report"))
@bad("engine: bing\nsitemap: https://example.com/sitemap.xml\nknown: no")
@good(
    "engine: bing\nsitemap: https://example.com/sitemap.xml",
    "engine: bing\nsitemap: https://example.com/sitemap-1.xml\nknown: through its index",
    "engine: bing\nsitemap: https://example.com/sitemap.xml\nknown: no\nknown as: http://example.com/sitemap.xml",
)
def sitemap_not_submitted(sitemap: SubmittedSitemap) -> Iterator[Problem]:
    """A sitemap of the site is not submitted to the engine.

    Engines also find sitemaps through robots.txt, but only submitted ones have a report.
    """
    if not sitemap.known and not sitemap.below_index and sitemap.other_spelling is None:
        yield _sitemap_problem(sitemap, f"not submitted to {sitemap.title}; run `urlset submit --to {sitemap.engine}`")
