"""Do all entries have a date, and do the dates look like page changes instead of build timestamps?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial

from urlset.checking.examples import wrap
from urlset.model.moment import DateForm, Moment
from urlset.model.place import Place
from urlset.rules import Bad, Engine, Good, Has, Problem, Severity, Sitemap, rule
from urlset.rules.lastmod.faults import READERS
from urlset.rules.media_tags import tags
from urlset.rules.quoting import quoted
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import OLDEST_PLAUSIBLE_YEAR

# How many URLs in a file have a lastmod, and how precise is it?

# Crawlers visit all pages of a very small site anyway.
_FEW = 20
_DAY = len("2026-11-15")
_DATED = "<url><loc>https://example.com/a</loc><lastmod>2026-11-15T10:00:00Z</lastmod></url>"


_NEWS_DECLARED = f'xmlns:news="{namespaces.NEWS}"'
_NEWS = (
    "<news:news><news:publication><news:name>The Example Times</news:name><news:language>en</news:language>"
    "</news:publication><news:publication_date>2026-11-15</news:publication_date>"
    "<news:title>Storm reaches the coast</news:title></news:news>"
)


def _undated(count: int, *, marked: bool = False) -> str:
    entries = [f"<url><loc>https://example.com/page-{number}</loc></url>" for number in range(count)]
    if marked:
        entries[0] = f"«{entries[0]}»"
    return "\n".join(entries)


dates_rule = partial(rule, kinds=Has.URL_ELEMENTS)


@dates_rule(
    "D018",
    "lastmod-missing-everywhere",
    severity=Severity.WARNING,
    engines={Engine.GOOGLE: Severity.INFO, Engine.BING: Severity.WARNING},
    cites=("bing-2023", "google-2023"),
    bad=(
        Bad(wrap(_undated(20, marked=True)), title="20 entries without any <lastmod>"),
        Bad(
            wrap(_undated(20, marked=True)).replace("<urlset", f"<urlset {_NEWS_DECLARED}"),
            title="20 entries without any <lastmod>, and a news namespace that is not used",
        ),
    ),
    good=(
        Good(wrap(_undated(19)), title="19 entries: few enough to be crawled without lastmod"),
        Good(
            wrap(_undated(20) + "<url><loc>https://example.com/</loc><lastmod>2026-11-15</lastmod></url>"),
            title="one entry of 21 has a <lastmod>",
        ),
        Good(
            wrap(_undated(20)).replace("</url>", f"{_NEWS}</url>").replace("<urlset", f"<urlset {_NEWS_DECLARED}"),
            title="20 news articles, which have their own dates",
        ),
        Good(
            "".join(f"https://example.com/page-{number}\n" for number in range(20)),
            title="a text sitemap, which cannot contain dates",
        ),
    ),
)
def lastmod_missing_everywhere(sitemap: Sitemap) -> Iterator[Problem]:
    """No URL in the file has a lastmod.

    lastmod is the field that engines use most: Bing calls it the most important tag, and Google schedules
    crawls by it if it is accurate. Files with fewer than 20 URLs and news sitemaps, which have their own
    dates, are not reported.
    """
    count = len(sitemap.columns)
    if count >= _FEW and sitemap.lastmods[None] == count and not lists_news(sitemap):
        yield Problem(
            sitemap.document.place(0),
            f"none of {count:,} entries has a lastmod, so crawlers must guess which pages changed; add lastmod",
            count=count,
            rows=range(count),
        )


@dates_rule(
    "D019",
    "lastmod-on-some-pages",
    severity=Severity.INFO,
    engines=READERS,
    cites=("google-2023",),
    bad=(f"{_DATED}«<url><loc>https://example.com/b</loc></url>»",),
    good=(
        "<url><loc>https://example.com/a</loc></url><url><loc>https://example.com/b</loc></url>",
        _DATED,
    ),
)
def lastmod_on_some_pages(sitemap: Sitemap) -> Iterator[Problem]:
    """Some URLs in the file have a lastmod and others do not.

    This is legitimate: Google recommends lastmod only for pages with a known date. It is reported because a
    template or a content type may have been forgotten.
    """
    count, missing = len(sitemap.columns), sitemap.lastmods[None]
    if 0 < missing < count:
        yield Problem(
            sitemap.document.place(sitemap.columns.lastmods.index(None)),
            f"{missing:,} of {count:,} entries {'has' if missing == 1 else 'have'} no lastmod",
            count=missing,
            rows=lambda: (row for row, text in enumerate(sitemap.columns.lastmods) if text is None),
        )


@dates_rule(
    "D024",
    "lastmod-without-time",
    severity=Severity.INFO,
    engines=(Engine.BING,),
    cites=("bing-2025",),
    bad=("<lastmod>«2026-11-15»</lastmod>",),
    good=(
        "<lastmod>2026-11-15T10:00:00+00:00</lastmod>",
        "<lastmod>2026-11-15T10:00Z</lastmod>",
    ),
)
def lastmod_without_time(sitemap: Sitemap) -> Iterator[Problem]:
    """lastmod dates have no time of day.

    A date alone is valid. Bing recommends date and time, which shows a second change on the same day.
    """
    if _DAY not in set(map(len, sitemap.dates)):
        return
    days = {text for text in sitemap.lastmods if text and _is_day(text.strip())}
    rows = [row for row, text in enumerate(sitemap.columns.lastmods) if text in days] if days else []
    if rows:
        have = "has" if len(rows) == 1 else "have"
        some = "the only entry" if len(sitemap.columns) == 1 else f"{len(rows):,} of {len(sitemap.columns):,} entries"
        yield Problem(
            sitemap.listed(rows[0]).whole("lastmod"),
            f"{some} {have} a date without a time; Bing recommends a time",
            count=len(rows),
            rows=rows,
        )


def _is_day(text: str) -> bool:
    return len(text) == _DAY and text[4] == text[7] == "-" and text[:4].isdigit()


def lists_news(sitemap: Sitemap) -> bool:
    """Whether most entries are news, which have their own dates, all from the last two days.

    A namespace that is declared but not used does not count: many generators declare all namespaces.
    """
    root = sitemap.document.root
    declared = root is not None and namespaces.NEWS in root.declared.values()
    return declared and 2 * len(tags(sitemap, namespaces.NEWS, "news")) >= len(sitemap.columns)


# A timestamp that each build renews is at most this old at the time of a check.
_FRESH = timedelta(days=7)
# Below this many pages per day, equal dates are plausible: a launch, an import, an edition.
_MORE_THAN_A_DAY_OF_WORK = 1000
# How programs print a date without a time.
_MIDNIGHT = lazy_pattern(r"T00:00(?::00(?:\.0+)?)?(?:Z|[+-]|$)")


def _entries(dates: list[str], *, first_marked: bool = False, path: str = "/page-") -> str:
    entries = [
        f"<url><loc>https://example.com{path}{number}</loc><lastmod>{date}</lastmod></url>"
        for number, date in enumerate(dates)
    ]
    if first_marked:
        entries[0] = entries[0].replace(dates[0], f"«{dates[0]}»")
    return "\n".join(entries)


def _seconds(count: int, day: str = "2026-11-15") -> list[str]:
    return [f"{day}T10:{number // 60:02d}:{number % 60:02d}+00:00" for number in range(count)]


@dates_rule(
    "D016",
    "identical-lastmod",
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE, Engine.BING),
    cites=("bing-2023", "sitemaps-protocol", "google-2023"),
    bad=(
        Bad(
            wrap(_entries(["2026-11-15T09:30:00+00:00"] * 25, first_marked=True)),
            title="25 entries, all with <lastmod>2026-11-15T09:30:00+00:00</lastmod>",
        ),
        Bad(
            wrap(_entries(["2024-03-02T09:30:17Z"] * 39 + ["2024-05-01"], first_marked=True)),
            title="39 of 40 entries with <lastmod>2024-03-02T09:30:17Z</lastmod>",
        ),
        Bad(
            wrap(_entries(["2026-11-15"] * 25, first_marked=True)),
            title="25 entries, all with the date of the check as <lastmod>",
        ),
        Bad(
            wrap(_entries(["2024-03-02"] * 1000, first_marked=True)),
            title="1,000 entries, all with <lastmod>2024-03-02</lastmod>",
        ),
    ),
    good=(
        Good(wrap(_entries(["2026-11-15"] * 19)), title="19 entries with one date: too few to judge"),
        Good(wrap(_entries(["2024-03-02"] * 25)), title="25 pages launched or imported on one day in the past"),
        Good(wrap(_entries(["2024-03-02T00:00:00Z"] * 25)), title="the same, with the day written as midnight"),
        Good(
            wrap(_entries(["2026-11-15"] * 25, path="/2026/11/15/story-")),
            title="25 articles of the day, with the date in their URLs",
        ),
        Good(
            wrap(_entries(["2026-11-15"] * 25)),
            at="https://example.com/sitemap-2026-11-15.xml",
            title="a sitemap for one day's articles, named after the day",
        ),
        Good(wrap(_entries(["2026-11-15"] * 20 + ["2026-11-14"] * 20)), title="40 entries from two days"),
    ),
)
def identical_lastmod(sitemap: Sitemap) -> Iterator[Problem]:
    """Nearly all URLs in the file have the same lastmod.

    Pages do not all change at the same moment, so the date comes from a build or an import and carries no
    information. Bing calls this the most common sitemap mistake. Google and Bing stop using the dates of such
    sites. Files with few dates, single-day editions, and small imports in the past are not reported.
    """
    limits = sitemap.context.thresholds
    dates = sitemap.dates
    total = dates.total()
    needed = max(total * limits.identical_lastmod_share, 1)
    if total < limits.identical_lastmod_entries or len(dates) > total - needed + 1:
        return  # too few dates, or too many different ones for any to reach the share
    text, count = dates.most_common(1)[0]
    if count < needed or lists_news(sitemap):
        return
    moment = Moment.parse(text)
    found = moment.interval()
    if found is None or found[0].year < OLDEST_PLAUSIBLE_YEAR:
        return
    is_day = moment.precision in (DateForm.YEAR, DateForm.MONTH, DateForm.DAY) or _MIDNIGHT.match(text, 10) is not None
    is_fresh = abs(sitemap.context.now - found[0]) < _FRESH
    if is_day and not is_fresh and count < _MORE_THAN_A_DAY_OF_WORK:
        return
    if is_day and _names_the_day(sitemap, text[:10], count):
        return
    yield Problem(
        _first(sitemap, text),
        f"{_of(count, total)} dated entries have lastmod {quoted(text)}; use the date of each page's last change",
        count=count,
        rows=[row for row, each in enumerate(sitemap.columns.lastmods) if each and each.strip() == text],
        severity=Severity.INFO if is_day and not is_fresh else None,
    )


@dates_rule(
    "D017",
    "build-stamped-lastmod",
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE, Engine.BING),
    cites=("sitemaps-protocol", "bing-2025"),
    bad=(
        Bad(
            wrap(_entries(_seconds(30), first_marked=True)),
            title="30 entries, dated one second after another on the day of the check",
        ),
        Bad(
            wrap(_entries(_seconds(25, "2024-03-02"), first_marked=True)),
            title="25 entries, dated within one minute of 2024",
        ),
    ),
    good=(
        Good(wrap(_entries(_seconds(19))), title="19 entries: too few to judge"),
        Good(wrap(_entries(["2024-03-02"] * 25)), title="one day without a time: an import, not a build stamp"),
        Good(
            wrap(_entries([f"2026-11-15T{number % 24:02d}:{number:02d}:00Z" for number in range(48)])),
            title="a busy day with edits around the clock",
        ),
        Good(
            wrap(_entries(_seconds(27) + [f"2026-{month:02d}-01T08:00:00Z" for month in range(1, 4)])),
            title="three of 30 entries have different dates",
        ),
    ),
)
def build_stamped_lastmod(sitemap: Sitemap) -> Iterator[Problem]:
    """All lastmod dates in the file are within minutes of each other.

    This happens when the generator writes the current time into each entry. lastmod is the time at which the
    page changed. A date that changes with each build sends crawlers to unchanged pages until they ignore it.
    """
    limits = sitemap.context.thresholds
    dates = sitemap.dates
    total = dates.total()
    needed = max(total * limits.build_stamp_share, 1)
    if total < limits.build_stamp_entries:
        return
    days: dict[str, int] = {}
    for text, times in dates.items():
        days[text[:10]] = days.get(text[:10], 0) + times
    if len(days) > total - needed + 2:
        return
    if sum(sorted(days.values())[-2:]) < needed or lists_news(sitemap):
        return
    if dates.most_common(1)[0][1] >= total * limits.identical_lastmod_share:
        return
    window, count = _busiest(_minutes(dates), timedelta(seconds=limits.build_stamp_window_seconds))
    if not window or count < needed:
        return
    text = next(text for text in dates if text.startswith(window[0][0]))
    age = abs(sitemap.context.now - (Moment.parse(text).interval() or (sitemap.context.now,))[0])
    span = limits.build_stamp_window_seconds // 60
    yield Problem(
        _first(sitemap, text),
        f"{_of(count, total)} dated entries are within {span} minutes of {quoted(text)}, probably the build time; "
        "use the date of each page's last change",
        count=count,
        severity=None if age < _FRESH else Severity.INFO,
        rows=lambda: _rows_within(sitemap, set(window)),
    )


def _rows_within(sitemap: Sitemap, window: set[tuple[str, str]]) -> Iterator[int]:
    for row, date in enumerate(sitemap.columns.lastmods):
        if date and _minute(date.strip()) in window:
            yield row


def _names_the_day(sitemap: Sitemap, day: str, count: int) -> bool:
    """Whether the file name or most URLs contain the date, which makes it the publication date."""
    spellings = (day, day.replace("-", "/"), day.replace("-", ""))
    own = f"{sitemap.document.url or ''} {sitemap.document.name}"
    if any(spelling in own for spelling in spellings):
        return True
    locs = sitemap.columns.locs
    return any(sum(spelling in loc for loc in locs if loc) >= count / 2 for spelling in spellings)


def _minutes(dates: Counter[str]) -> Counter[tuple[str, str]]:
    """(text to the minute, offset) → how many; only for dates with a time."""
    minutes: Counter[tuple[str, str]] = Counter()
    for text, count in dates.items():
        minute = _minute(text)
        if minute is not None:
            minutes[minute] += count
    return minutes


def _minute(text: str) -> tuple[str, str] | None:
    if len(text) <= 16 or text[10] != "T":
        return None
    return text[:16], "Z" if text[-1] == "Z" else text[-6:]


def _busiest(minutes: Counter[tuple[str, str]], window: timedelta) -> tuple[list[tuple[str, str]], int]:
    """The minutes of the window with the most dates, in order, and their number."""
    starts: list[tuple[datetime, tuple[str, str], int]] = []
    for minute, count in minutes.items():
        found = Moment.parse("".join(minute)).interval()
        if found is not None:
            starts.append((found[0], minute, count))
    starts.sort()
    first = last = most = 0
    held = left = 0
    for at, (instant, _, count) in enumerate(starts):
        held += count
        while instant - starts[left][0] > window:
            held -= starts[left][2]
            left += 1
        if held > most:
            first, last, most = left, at, held
    return [minute for _, minute, _ in starts[first : last + 1]] if most else [], most


def _first(sitemap: Sitemap, text: str) -> Place:
    row = next(row for row, date in enumerate(sitemap.columns.lastmods) if date and date.strip() == text)
    return sitemap.listed(row).locate_whole("lastmod")


def _of(count: int, total: int) -> str:
    return f"all {total:,}" if count == total else f"{count:,} of {total:,}"
