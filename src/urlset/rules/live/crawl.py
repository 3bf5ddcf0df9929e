"""The sitemap compared with a crawl of the site: unlisted pages and orphan pages."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import Bad, Good, rule
from urlset.checking.live_page import NOWHERE, Comparison
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.rules.live.wording import EVERY_READER, shown

_START = "listed: https://example.com/\nfound: https://example.com/ start\n"
_A = "found: https://example.com/a on https://example.com/"


@rule(
    "A035",
    "unlisted-page",
    on=Comparison,
    severity=Severity.INFO,
    engines=EVERY_READER,
    cites=("general-knowledge",),
    bad=(Bad(f"{_START}{_A}\n"),),
    good=(
        Good(f"{_START}listed: https://EXAMPLE.com/%61\n{_A}\n"),
        Good(f"{_START}{_A} noindex\n"),
        Good(f"{_START}{_A} canonical=https://example.com/\n"),
        Good(f"{_START}{_A} final=https://example.com/\n"),
    ),
)
def unlisted_page(comparison: Comparison) -> Iterator[Problem]:
    """A linked and indexable page is in no sitemap.

    This may be intended; a page that should be found quickly should be listed. Only reported after a complete crawl.
    """
    for page in comparison.unlisted():
        where = f", linked from {shown(page.linked_from)}" if page.linked_from else ""
        url = page.final_url or page.url
        yield Problem(
            NOWHERE, f"{shown(url)} is in no sitemap{where}; list it, or exclude it from the comparison", subject=url
        )


@rule(
    "A036",
    "orphan-page",
    on=Comparison,
    severity=Severity.INFO,
    engines=EVERY_READER,
    cites=("general-knowledge",),
    bad=(
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

    Search engines find the page through the sitemap but treat it as unimportant. Only reported after a complete crawl;
    links created by scripts are not seen.
    """
    for listing in comparison.unlinked():
        message = "orphan page: no page of the site links to it; add a link, or remove it if it is obsolete"
        yield Problem(NOWHERE, message, subject=listing.loc, source=listing.source, row=listing.row)
