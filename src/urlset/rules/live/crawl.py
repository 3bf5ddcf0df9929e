"""The sitemap compared with a crawl of the site: unlisted pages and orphan pages."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.live_page import NOWHERE, Comparison
from urlset.rules import Bad, Good, Problem, Severity, rule
from urlset.rules.live.wording import EVERY_READER, shown

_START = "listed: https://example.com/\nfound: https://example.com/ start\n"
_A = "found: https://example.com/a on https://example.com/"


@rule(
    "A035",
    "unlisted-page",
    severity=Severity.WARNING,
    engines=EVERY_READER,
    cites=("general-knowledge",),
    bad=(Bad(f"{_START}{_A}\n"), Bad(f"crawl: 1 page failed\n{_START}{_A}\n", title="after an incomplete crawl")),
    good=(
        Good(f"{_START}listed: https://EXAMPLE.com/%61\n{_A}\n"),
        Good(f"{_START}{_A} noindex\n"),
        Good(f"{_START}{_A} canonical=https://example.com/\n"),
        Good(f"{_START}{_A} final=https://example.com/\n"),
    ),
)
def unlisted_page(comparison: Comparison) -> Iterator[Problem]:
    """A linked and indexable page is in no sitemap.

    The page returns 200, is its own canonical, and may be indexed. List it, or exclude it from the comparison if that
    is intended. Reported for every page the crawl saw, also if the crawl is incomplete.
    """
    for page in comparison.unlisted():
        where = f", linked from {shown(page.linked_from)}" if page.linked_from else ""
        url = page.final_url or page.url
        yield Problem(
            NOWHERE,
            f"{shown(url)} is in none of the audited sitemaps{where}; list it, or exclude it from the comparison",
            subject=url,
        )


@rule(
    "A036",
    "orphan-page",
    severity=Severity.WARNING,
    engines=EVERY_READER,
    cites=("general-knowledge",),
    bad=(
        Bad(
            f"crawl: 1 page failed\n{_START}listed: https://example.com/a\n", title="likely, after an incomplete crawl"
        ),
        Bad(f"{_START}listed: https://example.com/a\n"),
        Bad(f"{_START}listed: https://example.com/a\nfound: https://example.com/a\n"),
    ),
    good=(
        Good(f"{_START}listed: https://example.com/a\n{_A}\n"),
        Good(f"{_START}listed: https://example.com/b\n{_A} final=https://example.com/b\n"),
        Good(f"{_START}listed: https://example.com/b\n{_A} canonical=https://example.com/b\n"),
    ),
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
