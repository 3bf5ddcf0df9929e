"""Do the dates in a sitemap change with each fetch, or stay when pages change?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.live_page import NOWHERE
from urlset.checking.over_time import DatedFile
from urlset.rules import Engine, Problem, Severity, rule
from urlset.spec.page_facets import SAID, Facet

_FILE = "sitemap: https://example.com/sitemap.xml\n"
_MOSTLY = 0.9
_FEW = 5
"""with fewer pages, dates alone prove nothing"""
ENOUGH = 5
"""minimum number of cases to estimate a share"""


@rule(
    "D028",
    "lastmod-moves-with-every-fetch",
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE, Engine.BING),
    cites=("sitemaps-protocol", "google-2023", "bing-2023"),
    bad=(
        f"{_FILE}look: 2026-11-14 dated=40 moved=40 stamped=40",
        (
            f"{_FILE}look: 2026-11-13 dated=40 moved=39 stamped=38 known=10 unbacked=9\n"
            "look: 2026-11-14 dated=40 moved=40 stamped=40 known=10 unbacked=10"
        ),
        f"{_FILE}look: 2026-11-14 dated=2 moved=2 stamped=2 known=2 unbacked=2",
    ),
    good=(
        f"{_FILE}look: 2026-11-14 dated=40 moved=12 stamped=12",
        f"{_FILE}look: 2026-11-13 dated=40 moved=40 stamped=40\nlook: 2026-11-14 dated=40",
        f"{_FILE}look: 2026-11-14 dated=40 moved=40",
        f"{_FILE}look: 2026-11-14 dated=40 moved=40 stamped=40 known=40 backed=40",
        f"{_FILE}look: 2026-11-14 dated=2 moved=2 stamped=2",
    ),
)
def lastmod_moves_with_every_fetch(file: DatedFile) -> Iterator[Problem]:
    """lastmod is the time of the fetch.

    The program that serves the sitemap writes the current time into each entry. Such dates carry no information, and
    search engines stop using the dates of the site. Write the date of the last change of the page, or omit lastmod.
    """
    honesty = file.honesty
    if not honesty.follows_every_look or honesty.stamped_share < _MOSTLY:
        return
    moves = honesty.moves_with_change
    if moves.share is not None and moves.share >= 0.5:
        return
    dated = max(each.dated for each in honesty.transitions)
    if dated < _FEW and moves.of < dated:
        return
    looks = len(honesty.transitions) + 1
    moved = sum(each.moved for each in honesty.transitions)
    unbacked = moves.of - moves.found
    known = f"; {unbacked:,} of {moves.of:,} compared pages had not changed" if moves.of else ""
    yield Problem(
        NOWHERE,
        f"lastmod was the time of each of {looks} fetches, on {dated:,} page{'' if dated == 1 else 's'}{known}",
        subject=file.source,
        source=file.source,
        count=moved,
    )


@rule(
    "D029",
    "change-without-lastmod",
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE, Engine.BING),
    cites=("google-build", "google-2023"),
    bad=(
        (
            f"{_FILE}look: 2026-11-14 dated=40 moved=1 known=40 backed=1 silent=12\n"
            "page: https://example.com/a 2026-01-01 2026-01-01 silent"
        ),
    ),
    good=(
        f"{_FILE}look: 2026-11-14 dated=40 moved=12 known=40 backed=12 silent=2",
        f"{_FILE}look: 2026-11-14 dated=40 known=40 silent=4",
        f"{_FILE}look: 2026-11-14 dated=40 known=40 silent=40",
    ),
)
def change_without_lastmod(file: DatedFile) -> Iterator[Problem]:
    """Pages change, but their lastmod stays the same.

    Crawlers that trust the date do not come back for such changes. Text, key images and structured data count unless
    `--date-changes` says otherwise; prices, availability and ratings do not. A simultaneous change of nearly all
    pages is treated as a template change and does not count.
    """
    changes = file.honesty.changes_with_move
    silent = changes.of - changes.found
    if silent < ENOUGH or changes.high >= 0.5:
        return
    shown = next((each for each in file.honesty.examples if each.what == "silent"), None)
    parts = " and ".join(SAID[Facet(each)] for each in shown.changed) if shown is not None else ""
    example = f", such as {shown.url}{f' ({parts} changed)' if parts else ''}" if shown is not None else ""
    yield Problem(
        NOWHERE,
        f"{silent:,} of {changes.of:,} content changes did not update lastmod{example};"
        f" {changes.low:.0%} to {changes.high:.0%} of changes move the date",
        subject=file.source,
        source=file.source,
        count=silent,
    )
