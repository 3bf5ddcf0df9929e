"""Are sitemaps stable from one snapshot to the next, and do their dates follow the pages?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.live_page import NOWHERE
from urlset.checking.over_time import DatedFile, SiteChange
from urlset.rules import Engine, Problem, Severity, rule
from urlset.rules.lastmod.over_time import ENOUGH

_SITE = "site: https://example.com/\nbefore: 2026-11-01 urls=1000 files=a.xml,b.xml\n"
_FILE = "sitemap: https://example.com/sitemap.xml\n"
_SWING = 0.2
_WEEK = 7.0
_SOME = 10
"""with fewer URLs, a fifth is only a page or two"""


def _problem(change: SiteChange, message: str, count: int = 1) -> Problem:
    return Problem(NOWHERE, message, subject=change.target, source=change.target, count=count)


@rule(
    "Q008",
    "sitemap-files-renamed",
    severity=Severity.INFO,
    engines=(Engine.GOOGLE,),
    cites=("google-troubleshoot",),
    bad=(f"{_SITE}after: 2026-11-02 urls=1000 files=c.xml,d.xml common=990",),
    good=(
        f"{_SITE}after: 2026-11-02 urls=1000 files=a.xml,b.xml,c.xml common=990",
        f"{_SITE}after: 2026-11-02 urls=900 files=c.xml,d.xml common=100",
        f"{_SITE}after: 2026-11-02 urls=1000 files=c.xml,d.xml common=990 unread=1",
    ),
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


@rule(
    "Q015",
    "url-count-swing",
    severity=Severity.WARNING,
    cites=("general-knowledge",),
    bad=(
        f"{_SITE}after: 2026-11-02 urls=700 files=a.xml,b.xml common=700",
        f"{_SITE}after: 2026-11-02 urls=1300 files=a.xml,b.xml common=1000",
    ),
    good=(
        f"{_SITE}after: 2026-11-02 urls=1199 files=a.xml,b.xml common=1000",
        f"{_SITE}after: 2026-11-02 urls=500 files=a.xml common=500 unread=1",
        "site: https://example.com/\nbefore: 2026-11-01 urls=4\nafter: 2026-11-02 urls=5 common=4",
    ),
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


@rule(
    "Q019",
    "sitemap-not-refreshed",
    severity=Severity.INFO,
    engines=(Engine.BING,),
    cites=("bing-2022",),
    bad=(f"{_SITE}after: 2026-11-12 urls=1000 files=a.xml,b.xml common=1000 same-for-days=11 rewritten=9",),
    good=(
        f"{_SITE}after: 2026-11-12 urls=1000 files=a.xml,b.xml common=1000 same-for-days=11",
        f"{_SITE}after: 2026-11-03 urls=1000 files=a.xml,b.xml common=1000 same-for-days=2 rewritten=9",
    ),
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


@rule(
    "Q020",
    "lastmod-without-change",
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE, Engine.BING),
    cites=("google-build", "google-2023", "bing-2023"),
    bad=(
        (
            f"{_FILE}look: 2026-11-14 dated=40 moved=20 known=40 backed=2 unbacked=18\n"
            "page: https://example.com/a 2026-11-01 2026-11-14 unbacked"
        ),
        f"{_FILE}look: 2026-11-14 dated=2 moved=2 stamped=2 known=2 unbacked=2",
    ),
    good=(
        f"{_FILE}look: 2026-11-14 dated=40 moved=20 known=40 backed=17 unbacked=3",
        f"{_FILE}look: 2026-11-14 dated=40 moved=2 known=40 unbacked=2",
        f"{_FILE}look: 2026-11-14 dated=40 moved=40",
    ),
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
    yield Problem(
        NOWHERE,
        f"{unbacked:,} of {moves.of:,} lastmod changes had no change of text, key images or structured data{example};"
        f" {moves.low:.0%} to {moves.high:.0%} of lastmod changes are backed by a change of the page",
        subject=file.source,
        source=file.source,
        count=unbacked,
    )
