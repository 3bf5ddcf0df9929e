"""Does Google's view of a listed page match the sitemap and the current site?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from urlset.checking.declare import rule
from urlset.checking.engine_report import InspectedPage, moment_of
from urlset.checking.live_page import NOWHERE
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.address_key import key_of
from urlset.rules.quoting import quoted
from urlset.spec.engines import Engine

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


def _problem(page: InspectedPage, message: str, severity: Severity | None = None) -> Problem:
    return Problem(NOWHERE, message, subject=page.url, source=page.source or None, severity=severity)


@rule(
    "G035",
    "google-chose-another-canonical",
    severity=Severity.WARNING,
    engines=_GOOGLE,
    cites=("google-canonical", "gsc-api"),
    bad=(
        "page: https://example.com/a\nverdict: NEUTRAL\ncrawled: 2026-11-01\ngoogle canonical: https://example.com/b",
        "page: http://example.com/a\nverdict: NEUTRAL\ngoogle canonical: https://example.com/a",
    ),
    good=(
        "page: https://example.com/a\nverdict: PASS\ngoogle canonical: https://example.com/a",
        "page: https://example.com/a\nverdict: NEUTRAL",
    ),
)
def google_chose_another_canonical(page: InspectedPage) -> Iterator[Problem]:
    """Google indexes a different URL instead of the listed one.

    Google treats the two as duplicates and shows the other one in results. List only the canonical URL.
    """
    chosen = page.google_canonical
    if chosen and key_of(chosen) != key_of(page.url):
        yield _problem(page, f"Google chose {quoted(chosen)} as canonical; list it instead")


@rule(
    "G036",
    "google-saw-a-problem",
    severity=Severity.WARNING,
    engines=_GOOGLE,
    cites=("gsc-api",),
    bad=(
        "page: https://example.com/a\nverdict: FAIL\nfetch: NOT_FOUND\ncrawled: 2026-09-02\naudit: ok",
        "page: https://example.com/a\nverdict: NEUTRAL\nindexing: BLOCKED_BY_META_TAG\ncrawled: 2026-09-02",
        "page: https://example.com/a\nverdict: NEUTRAL\nrobots: DISALLOWED\naudit: ok",
    ),
    good=(
        "page: https://example.com/a\nverdict: PASS\nfetch: SUCCESSFUL\nrobots: ALLOWED",
        "page: https://example.com/a\nverdict: FAIL\nfetch: NOT_FOUND\naudit: gone",
    ),
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
        yield _problem(page, f"Google saw {seen}{when}; {fixed}", Severity.INFO)
    else:
        yield _problem(page, f"Google saw {seen}{when}")


@rule(
    "G037",
    "changed-since-google-crawled",
    severity=Severity.INFO,
    engines=_GOOGLE,
    cites=("gsc-api",),
    bad=("page: https://example.com/a\nlastmod: 2026-11-01\nverdict: PASS\ncrawled: 2026-06-01",),
    good=(
        "page: https://example.com/a\nlastmod: 2026-06-10\nverdict: PASS\ncrawled: 2026-06-01",
        "page: https://example.com/a\nlastmod: 2026-11-01\nverdict: NEUTRAL",
    ),
)
def changed_since_google_crawled(page: InspectedPage) -> Iterator[Problem]:
    """Google last crawled the page months before its lastmod.

    Either Google does not trust the dates in this sitemap, or it rarely crawls the page. Check the dates with
    `urlset audit`, and link to the page from pages that are crawled often.
    """
    changed, crawled = moment_of(page.lastmod), moment_of(page.last_crawl)
    if changed is not None and crawled is not None and changed - crawled > _MONTHS:
        gap = (changed - crawled).days
        yield _problem(page, f"lastmod {page.lastmod} is {gap:,} days after Google's last crawl ({crawled:%Y-%m-%d})")


@rule(
    "G038",
    "unknown-to-google",
    severity=Severity.WARNING,
    engines=_GOOGLE,
    cites=("gsc-api",),
    bad=("page: https://example.com/a\nverdict: NEUTRAL\nknown since: 2026-10-01",),
    good=(
        "page: https://example.com/a\nverdict: NEUTRAL\nknown since: 2026-11-10",
        "page: https://example.com/a\nverdict: NEUTRAL\ncrawled: 2026-11-01\nknown since: 2026-10-01",
    ),
)
def unknown_to_google(page: InspectedPage) -> Iterator[Problem]:
    """Google does not know a page that has been listed for weeks.

    Google read the sitemap but has not queued the page, or has not read the sitemap. Run `urlset engines status`.
    """
    since = moment_of(page.known_since)
    if page.unknown_to_google and since is not None and page.context.now - since > _UNKNOWN_AFTER:
        yield _problem(page, f"unknown to Google {(page.context.now - since).days:,} days after it was first listed")


@rule(
    "G039",
    "indexed-though-advised-against",
    severity=Severity.INFO,
    engines=_GOOGLE,
    cites=("gsc-api", "google-build"),
    bad=("page: https://example.com/a\nverdict: PASS\naudit: ok\nadvised against: A020",),
    good=(
        "page: https://example.com/a\nverdict: PASS\naudit: ok",
        "page: https://example.com/a\nverdict: NEUTRAL\nadvised against: A020",
    ),
)
def indexed_though_advised_against(page: InspectedPage) -> Iterator[Problem]:
    """A page that the audit recommends removing is indexed.

    It may get visits. Check its traffic before you remove it from the sitemap.
    """
    if page.indexed and page.advised_against:
        yield _problem(page, f"indexed, although the audit recommends removing it ({', '.join(page.advised_against)})")
