"""The sitemap against a crawl of the site: what is missing from it, and what nothing links to."""

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
    """A page that the site links to and that may be indexed is in no sitemap.

    It may be meant so; a page that should be found soon is better listed. Claimed only where the crawl was complete.
    """
    for page in comparison.unlisted():
        where = f", linked from {shown(page.linked_from)}" if page.linked_from else ""
        url = page.final_url or page.url
        yield Problem(
            NOWHERE, f"{shown(url)} is in no sitemap{where}; list it, or tell that it is not to be", subject=url
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

    Search engines find the page through the sitemap, but take it for unimportant. Claimed only where the crawl was
    complete; links that only a script makes are not seen.
    """
    for listing in comparison.unlinked():
        message = "no page of the site links to it; link to it, or take it out if it is not wanted any more"
        yield Problem(NOWHERE, message, subject=listing.loc, source=listing.source, row=listing.row)
