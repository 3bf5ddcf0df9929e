"""Are sitemaps stable from one snapshot to the next, and do their dates follow the pages?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import bad, good, google_info, info_rule, warning_rule
from urlset.checking.live_page import NOWHERE, DatedFile, SiteChange
from urlset.rules import Engine, Problem
from urlset.spec.page_facets import SAID, Facet

# Do the dates in a sitemap change with each fetch, or stay when pages change?

_FILE = "sitemap: https://example.com/sitemap.xml\n"
_MOSTLY = 0.9
_FEW = 5
"""with fewer pages, dates alone prove nothing"""
ENOUGH = 5
"""minimum number of cases to estimate a share"""


def _of_file(file: DatedFile, message: str, count: int) -> Problem:
    return Problem(NOWHERE, message, subject=file.source, source=file.source, count=count)


@warning_rule("D028", engines=(Engine.GOOGLE, Engine.BING), cites=("sitemaps-protocol", "google-2023", "bing-2023"))
@bad(
    f"{_FILE}look: 2026-11-14 dated=40 moved=40 stamped=40",
    f"{_FILE}look: 2026-11-13 dated=40 moved=39 stamped=38 known=10 unbacked=9\n"
    "look: 2026-11-14 dated=40 moved=40 stamped=40 known=10 unbacked=10",
    f"{_FILE}look: 2026-11-14 dated=2 moved=2 stamped=2 known=2 unbacked=2",
)
@good(
    f"{_FILE}look: 2026-11-14 dated=40 moved=12 stamped=12",
    f"{_FILE}look: 2026-11-13 dated=40 moved=40 stamped=40\nlook: 2026-11-14 dated=40",
    f"{_FILE}look: 2026-11-14 dated=40 moved=40",
    f"{_FILE}look: 2026-11-14 dated=40 moved=40 stamped=40 known=40 backed=40",
    f"{_FILE}look: 2026-11-14 dated=2 moved=2 stamped=2",
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
    message = f"lastmod was the time of each of {looks} fetches, on {dated:,} page{'' if dated == 1 else 's'}{known}"
    yield _of_file(file, message, moved)


@warning_rule("D029", engines=(Engine.GOOGLE, Engine.BING), cites=("google-build", "google-2023"))
@bad(
    f"{_FILE}look: 2026-11-14 dated=40 moved=1 known=40 backed=1 silent=12\n"
    "page: https://example.com/a 2026-01-01 2026-01-01 silent"
)
@good(
    f"{_FILE}look: 2026-11-14 dated=40 moved=12 known=40 backed=12 silent=2",
    f"{_FILE}look: 2026-11-14 dated=40 known=40 silent=4",
    f"{_FILE}look: 2026-11-14 dated=40 known=40 silent=40",
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
    message = (
        f"{silent:,} of {changes.of:,} content changes did not update lastmod{example};"
        f" {changes.low:.0%} to {changes.high:.0%} of changes move the date"
    )
    yield _of_file(file, message, silent)


_SITE = "site: https://example.com/\nbefore: 2026-11-01 urls=1000 files=a.xml,b.xml\n"
_SWING = 0.2
_WEEK = 7.0
_SOME = 10
"""with fewer URLs, a fifth is only a page or two"""


def _problem(change: SiteChange, message: str, count: int = 1) -> Problem:
    return Problem(NOWHERE, message, subject=change.target, source=change.target, count=count)


@google_info("Q008", cites=("google-troubleshoot",))
@bad(f"{_SITE}after: 2026-11-02 urls=1000 files=c.xml,d.xml common=990")
@good(
    f"{_SITE}after: 2026-11-02 urls=1000 files=a.xml,b.xml,c.xml common=990",
    f"{_SITE}after: 2026-11-02 urls=900 files=c.xml,d.xml common=100",
    f"{_SITE}after: 2026-11-02 urls=1000 files=c.xml,d.xml common=990 unread=1",
)
def sitemap_files_renamed(change: SiteChange) -> Iterator[Problem]:
    """Sitemap files were renamed, although they list the same URLs.

    Engines keep reports and schedules per file. Files that alternate, or that get a new name with each build, start
    over each time. Keep the names stable.
    """
    gone = change.files_before - change.files
    same = change.common >= 0.5 * max(change.urls_before, change.urls, 1)
    if not change.unread and len(gone) >= 2 and len(gone) >= 0.5 * len(change.files_before) and same:
        yield _problem(
            change,
            f"{len(gone):,} of {len(change.files_before):,} sitemaps were renamed since {change.before[:10]},"
            f" such as {min(gone)}, but list the same URLs; keep the names stable",
            len(gone),
        )


@warning_rule("Q015", cites=("general-knowledge",))
@bad(
    f"{_SITE}after: 2026-11-02 urls=700 files=a.xml,b.xml common=700",
    f"{_SITE}after: 2026-11-02 urls=1300 files=a.xml,b.xml common=1000",
)
@good(
    f"{_SITE}after: 2026-11-02 urls=1199 files=a.xml,b.xml common=1000",
    f"{_SITE}after: 2026-11-02 urls=500 files=a.xml common=500 unread=1",
    "site: https://example.com/\nbefore: 2026-11-01 urls=4\nafter: 2026-11-02 urls=5 common=4",
)
def url_count_swing(change: SiteChange) -> Iterator[Problem]:
    """The number of listed URLs changed by more than a fifth between two snapshots.

    Sites rarely grow or shrink so quickly. A broken query, a filter, or an empty section is the usual cause. Compare
    the two with `urlset diff`.
    """
    difference = change.urls - change.urls_before
    if change.unread or change.urls_before < _SOME or abs(difference) <= _SWING * change.urls_before:
        return
    yield _problem(
        change,
        f"{change.urls_before:,} URLs on {change.before[:10]}, {change.urls:,} on {change.at[:10]}"
        f" ({difference / change.urls_before:+.0%})",
        abs(difference),
    )


@info_rule("Q019", engines=(Engine.BING,), cites=("bing-2022",))
@bad(f"{_SITE}after: 2026-11-12 urls=1000 files=a.xml,b.xml common=1000 same-for-days=11 rewritten=9")
@good(
    f"{_SITE}after: 2026-11-12 urls=1000 files=a.xml,b.xml common=1000 same-for-days=11",
    f"{_SITE}after: 2026-11-03 urls=1000 files=a.xml,b.xml common=1000 same-for-days=2 rewritten=9",
)
def sitemap_not_refreshed(change: SiteChange) -> Iterator[Problem]:
    """No sitemap has changed for more than a week, although pages have.

    Bing recommends updating sitemaps about daily. Pages that change in the meantime are crawled later than necessary.
    """
    if change.same_for_days > _WEEK and change.rewritten:
        yield _problem(
            change,
            f"no sitemap changed for {change.same_for_days:.0f} days, but {change.rewritten:,} listed pages did; "
            "regenerate the sitemap",
        )


@warning_rule("Q020", engines=(Engine.GOOGLE, Engine.BING), cites=("google-build", "google-2023", "bing-2023"))
@bad(
    f"{_FILE}look: 2026-11-14 dated=40 moved=20 known=40 backed=2 unbacked=18\n"
    "page: https://example.com/a 2026-11-01 2026-11-14 unbacked",
    f"{_FILE}look: 2026-11-14 dated=2 moved=2 stamped=2 known=2 unbacked=2",
)
@good(
    f"{_FILE}look: 2026-11-14 dated=40 moved=20 known=40 backed=17 unbacked=3",
    f"{_FILE}look: 2026-11-14 dated=40 moved=2 known=40 unbacked=2",
    f"{_FILE}look: 2026-11-14 dated=40 moved=40",
)
def lastmod_without_change(file: DatedFile) -> Iterator[Problem]:
    """lastmod changes although the main content of the pages stays the same.

    Google compares lastmod with the page and ignores the dates of sites where they are mostly wrong. Only update
    lastmod for a significant change: main content, structured data, or links, not the footer. A new key image, price
    or availability backs a new date, a new rating does not; `--date-changes` sets the parts that count.
    """
    moves = file.honesty.moves_with_change
    unbacked = moves.of - moves.found
    every = moves.found == 0 and all(each.moves_all for each in file.honesty.transitions)
    if not unbacked or ((moves.high >= 0.5 or unbacked < ENOUGH) and not every):
        return
    shown = next((each for each in file.honesty.examples if each.what == "unbacked"), None)
    example = f", such as {shown.url} ({shown.old} to {shown.new})" if shown is not None else ""
    message = (
        f"{unbacked:,} of {moves.of:,} lastmod changes had no change of text, key images or structured data{example};"
        f" {moves.low:.0%} to {moves.high:.0%} of lastmod changes are backed by a change of the page"
    )
    yield _of_file(file, message, unbacked)
