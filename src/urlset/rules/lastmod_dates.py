"""Is the date in lastmod plausible, for an entry, and for all entries of a file together?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial

from urlset.checking.context import Context
from urlset.checking.declare import bad, error_rule, good, info_rule, warning_rule, wrap
from urlset.findings.finding import delete, quoted
from urlset.fixing.markup import with_its_line
from urlset.model.moment import DateForm, Moment
from urlset.model.place import Place
from urlset.rules import READERS, Engine, Has, ListedPage, Problem, Safety, Severity, Signal, Sitemap
from urlset.rules.lastmod_form import misspelt, schema_is_content
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import OLDEST_PLAUSIBLE_YEAR

# Is lastmod a plausible modification date?


date_error = partial(error_rule, kinds=Has.URL_ELEMENTS)
date_warning = partial(warning_rule, kinds=Has.URL_ELEMENTS)


@date_warning(
    "D014", when=Signal.FUTURE_DATE | Signal.ODD_DATE, engines=READERS, cites=("sitemaps-protocol", "general-knowledge")
)
@bad("<lastmod>«2027-01-01»</lastmod>", "<lastmod>«2026-11-16T12:00:01Z»</lastmod>", "<lastmod>«2027»</lastmod>")
@good("<lastmod>2026-11-16T11:59:00Z</lastmod>", "<lastmod>2026-11-16</lastmod>", "<lastmod>2026-11-17</lastmod>")
@good("<lastmod>2027-01-01</lastmod>", now="2026-12-31T00:00:00+00:00")
def lastmod_in_future(listed: ListedPage) -> Iterator[Problem]:
    """lastmod is in the future.

    A page cannot have been modified in the future. Such a date is usually a publication or expiry date in the
    wrong field. Crawlers stop trusting the dates of a site with future dates. One day of tolerance is allowed
    for clocks and time zones.
    """
    moment = listed.moment
    if moment is not None and (message := ahead_of_the_clock(moment, listed.context)):
        yield Problem(listed.whole("lastmod"), message)


def ahead_of_the_clock(moment: Moment, context: Context) -> str | None:
    """The message for a date in the future, beyond the tolerance."""
    year = moment.text[:4]
    if year.isdigit() and moment.text[4:5] in ("-", "") and int(year) < context.now.year:
        return None
    found = moment.certain_interval()
    if found is None or (ahead := found[0] - context.now) <= timedelta(hours=context.thresholds.future_hours):
        return None
    days = f"{ahead.days} days" if ahead.days > 1 else f"{ahead.total_seconds() / 3600:.0f} hours"
    return f"{quoted(moment.text)} is at least {days} in the future, so crawlers distrust it; use the last change"


@date_warning("D015", when=Signal.ODD_DATE, cites=("general-knowledge",))
@bad(
    "<url><loc>https://example.com/</loc><lastmod>«1970-01-01T00:00:00Z»</lastmod></url>",
    fixed="<url><loc>https://example.com/</loc></url>",
)
@bad(
    "<url>\n  <loc>https://example.com/</loc>\n  <lastmod>«0001-01-01»</lastmod>\n</url>",
    fixed="<url>\n  <loc>https://example.com/</loc>\n</url>",
)
@bad("<lastmod>«1969-12-31T19:00:00-05:00»</lastmod>")
@good("<lastmod>1991-08-06</lastmod>", "<lastmod>1996-12-31T23:00:00Z</lastmod>")
def implausibly_old_lastmod(listed: ListedPage) -> Iterator[Problem]:
    """lastmod is older than the web.

    The first web page went online in 1991. Dates such as 1970-01-01 or 0001-01-01 come from empty fields
    printed as dates. Omit lastmod if the date is unknown.
    """
    moment = listed.moment
    if moment is None or schema_is_content(listed.context, moment):
        return
    if message := older_than_the_web(moment):
        fix = None
        for element in listed.fields("lastmod")[:1]:
            place = with_its_line(listed.document.data, element.place)
            fix = delete(place, "remove the date", Safety.REVIEW)
        strict = Engine.XSD_STRICT in listed.context.engines and not moment.xsd_valid  # the year 0000
        yield Problem(listed.whole("lastmod"), message, fix, severity=Severity.ERROR if strict else None)


def older_than_the_web(moment: Moment) -> str | None:
    """The message for a date before the first web page."""
    year = moment.text[:4]
    if year.isdigit() and moment.text[4:5] in ("-", "") and int(year) >= OLDEST_PLAUSIBLE_YEAR:
        return None
    reading = moment.reading
    if reading is None or reading.year >= OLDEST_PLAUSIBLE_YEAR:
        return None
    return f"{quoted(moment.text)} is older than the web, probably an empty field; remove it"


@date_error(
    "D003",
    when=Signal.DATE_ZONE,
    engines=dict.fromkeys(READERS, Severity.WARNING) | {Engine.PROTOCOL: Severity.ERROR},
    cites=("w3c-datetime", "xsd-tested"),
)
@bad("<lastmod>2026-11-15T«10:00:00»</lastmod>", fixed="<lastmod>2026-11-15T10:00:00Z</lastmod>")
@bad("<lastmod>2026-11-15T«10:00»</lastmod>", fixed="<lastmod>2026-11-15T10:00Z</lastmod>")
@good(
    "<lastmod>2026-11-15T10:00:00Z</lastmod>",
    "<lastmod>2026-11-15T10:00:00-05:00</lastmod>",
    "<lastmod>2026-11-15</lastmod>",
)
def lastmod_time_without_offset(listed: ListedPage) -> Iterator[Problem]:
    """lastmod has a time but no UTC offset.

    Without an offset, the same text is a different instant in each time zone. The official schema accepts
    it, but the W3C date format does not, so crawlers may ignore the date.
    """
    yield from misspelt("D003", listed)


@date_error("D004", when=Signal.DATE_ZONE, cites=("w3c-datetime", "xsd-tested"))
@bad("<lastmod>2026-11-15T10:00:00«+0000»</lastmod>", fixed="<lastmod>2026-11-15T10:00:00+00:00</lastmod>")
@bad("<lastmod>2026-11-15T10:00:00«+02»</lastmod>", fixed="<lastmod>2026-11-15T10:00:00+02:00</lastmod>")
@good("<lastmod>2026-11-15T10:00:00+00:00</lastmod>", "<lastmod>2026-11-15T10:00:00-03:30</lastmod>")
def lastmod_offset_form(listed: ListedPage) -> Iterator[Problem]:
    """The UTC offset in lastmod has no colon or no minutes.

    Several programming languages print offsets as +0000 by default. The W3C date format and the schema
    require +00:00. Strict parsers ignore the date.
    """
    yield from misspelt("D004", listed)


@date_error("D005", when=Signal.DATE_TIME, cites=("w3c-datetime", "xsd-tested"))
@bad("<lastmod>2026-11-15« »10:00:00+00:00</lastmod>", fixed="<lastmod>2026-11-15T10:00:00+00:00</lastmod>")
@good("<lastmod>2026-11-15T10:00:00+00:00</lastmod>", "<lastmod> 2026-11-15 </lastmod>")
def space_for_t_in_lastmod(listed: ListedPage) -> Iterator[Problem]:
    """lastmod has a space between date and time.

    Databases often print timestamps this way. The W3C date format requires the letter T between date and
    time. The schema and strict parsers reject a space.
    """
    yield from misspelt("D005", listed)


@date_error("D006", when=Signal.DATE_TIME, cites=("w3c-datetime", "xsd-tested"))
@bad("<lastmod>2026-11-15«t»10:00:00z</lastmod>", fixed="<lastmod>2026-11-15T10:00:00Z</lastmod>")
@bad("<lastmod>2026-11-15T10:00:00«z»</lastmod>", fixed="<lastmod>2026-11-15T10:00:00Z</lastmod>")
@good("<lastmod>2026-11-15T10:00:00Z</lastmod>")
def lower_case_in_lastmod(listed: ListedPage) -> Iterator[Problem]:
    """The T or Z in lastmod is lowercase.

    Some date standards allow lowercase letters, but the W3C date format and the official schema do not.
    """
    yield from misspelt("D006", listed)


@date_error("D007", when=Signal.DATE_TIME, cites=("w3c-datetime",))
@bad("<lastmod>2026-11-15T«10»Z</lastmod>", fixed="<lastmod>2026-11-15T10:00Z</lastmod>")
@good("<lastmod>2026-11-15T10:00Z</lastmod>")
def lastmod_hour_without_minutes(listed: ListedPage) -> Iterator[Problem]:
    """The time in lastmod has hours but no minutes.

    The shortest time the W3C date format allows is hours and minutes with an offset.
    """
    yield from misspelt("D007", listed)


@date_warning("D010", when=Signal.DATE_ZONE, engines=(Engine.PROTOCOL,), cites=("w3c-datetime", "xsd-tested"))
@bad("<lastmod>2026-11-15«Z»</lastmod>", fixed="<lastmod>2026-11-15</lastmod>")
@bad("<lastmod>2026-11-15«+02:00»</lastmod>", fixed="<lastmod>2026-11-15</lastmod>")
@good("<lastmod>2026-11-15</lastmod>", "<lastmod>2026-11-15T00:00Z</lastmod>")
def lastmod_date_with_offset(listed: ListedPage) -> Iterator[Problem]:
    """lastmod is a date without a time but has a UTC offset.

    The schema accepts a date with an offset, but the W3C date format does not. A plain date is precise
    enough for crawlers.
    """
    yield from misspelt("D010", listed)


@date_warning("D012", when=Signal.DATE_ZONE, fails_schema=True, cites=("xml-schema-datatypes", "general-knowledge"))
@bad("<lastmod>2026-11-15T10:00:00«+25:00»</lastmod>", "<lastmod>2026-11-15T10:00:00«-00:00»</lastmod>")
@good("<lastmod>2026-11-15T10:00:00+14:00</lastmod>", "<lastmod>2026-11-15T10:00:00+00:00</lastmod>")
def lastmod_offset_out_of_range(listed: ListedPage) -> Iterator[Problem]:
    """The UTC offset in lastmod is out of range.

    UTC offsets range from -14:00 to +14:00, and the schema rejects others. The offset -00:00 means that the
    offset is unknown, so the instant is unknown too.
    """
    yield from misspelt("D012", listed)


@date_warning("D013", when=Signal.DATE_CALENDAR, fails_schema=True, cites=("xsd-tested", "w3c-datetime"))
@bad("<lastmod>2026-11-15T«24»:00:00Z</lastmod>", fixed="<lastmod>2026-11-16T00:00:00Z</lastmod>")
@bad("<lastmod>2026-11-15T23:59:«60»Z</lastmod>", fixed="<lastmod>2026-11-16T00:00:00Z</lastmod>")
@good("<lastmod>2026-11-16T00:00:00Z</lastmod>", "<lastmod>2026-11-15T23:59:59Z</lastmod>")
def lastmod_hour_24_or_second_60(listed: ListedPage) -> Iterator[Problem]:
    """lastmod has hour 24 or second 60.

    Some parsers roll these values over, others reject them: the schema accepts 24:00:00 and rejects
    second 60. Write the start of the next day or minute instead.
    """
    yield from misspelt("D013", listed)


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


dates_info = partial(info_rule, kinds=Has.URL_ELEMENTS)
dates_warning = partial(warning_rule, kinds=Has.URL_ELEMENTS)


@dates_warning(
    "D018",
    engines={Engine.GOOGLE: Severity.INFO, Engine.BING: Severity.WARNING},
    cites=("bing-2023", "google-2023"),
    by_dates=True,
)
@bad(wrap(_undated(20, marked=True)), title="20 entries without any <lastmod>")
@bad(
    wrap(_undated(20, marked=True)).replace("<urlset", f"<urlset {_NEWS_DECLARED}"),
    title="20 entries without any <lastmod>, and a news namespace that is not used",
)
@good(wrap(_undated(19)), title="19 entries: few enough to be crawled without lastmod")
@good(
    wrap(_undated(20) + "<url><loc>https://example.com/</loc><lastmod>2026-11-15</lastmod></url>"),
    title="one entry of 21 has a <lastmod>",
)
@good(
    wrap(_undated(20)).replace("</url>", f"{_NEWS}</url>").replace("<urlset", f"<urlset {_NEWS_DECLARED}"),
    title="20 news articles, which have their own dates",
)
@good(
    "".join(f"https://example.com/page-{number}\n" for number in range(20)),
    title="a text sitemap, which cannot contain dates",
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


@dates_info("D019", engines=READERS, cites=("google-2023",))
@bad(f"{_DATED}«<url><loc>https://example.com/b</loc></url>»")
@good("<url><loc>https://example.com/a</loc></url><url><loc>https://example.com/b</loc></url>", _DATED)
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


@dates_info("D024", engines=(Engine.BING,), cites=("bing-2025",))
@bad("<lastmod>«2026-11-15»</lastmod>")
@good("<lastmod>2026-11-15T10:00:00+00:00</lastmod>", "<lastmod>2026-11-15T10:00Z</lastmod>")
def lastmod_without_time(sitemap: Sitemap) -> Iterator[Problem]:
    """lastmod dates have no time of day.

    A date alone is valid. Bing recommends date and time, which shows a second change on the same day.
    """
    if _DAY not in set(map(len, sitemap.dates)):
        return
    texts = {text: text.strip() for text in sitemap.lastmods if text}
    days = {
        raw for raw, text in texts.items() if len(text) == _DAY and text[4] == text[7] == "-" and text[:4].isdigit()
    }
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


def lists_news(sitemap: Sitemap) -> bool:
    """Whether most entries are news, which have their own dates, all from the last two days.

    A namespace that is declared but not used does not count: many generators declare all namespaces.
    """
    root = sitemap.document.root
    if root is None or namespaces.NEWS not in root.declared.values():
        return False
    from urlset.rules.media import texts  # only for files with news

    return 2 * len(texts(sitemap, namespaces.NEWS, "news")) >= len(sitemap.columns)


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


@dates_warning("D016", engines=(Engine.GOOGLE, Engine.BING), cites=("bing-2023", "sitemaps-protocol", "google-2023"))
@bad(
    wrap(_entries(["2026-11-15T09:30:00+00:00"] * 25, first_marked=True)),
    title="25 entries, all with <lastmod>2026-11-15T09:30:00+00:00</lastmod>",
)
@bad(
    wrap(_entries(["2024-03-02T09:30:17Z"] * 39 + ["2024-05-01"], first_marked=True)),
    title="39 of 40 entries with <lastmod>2024-03-02T09:30:17Z</lastmod>",
)
@bad(
    wrap(_entries(["2026-11-15"] * 25, first_marked=True)),
    title="25 entries, all with the date of the check as <lastmod>",
)
@bad(
    wrap(_entries(["2024-03-02"] * 1000, first_marked=True)),
    title="1,000 entries, all with <lastmod>2024-03-02</lastmod>",
)
@good(wrap(_entries(["2026-11-15"] * 19)), title="19 entries with one date: too few to judge")
@good(wrap(_entries(["2024-03-02"] * 25)), title="25 pages launched or imported on one day in the past")
@good(wrap(_entries(["2024-03-02T00:00:00Z"] * 25)), title="the same, with the day written as midnight")
@good(
    wrap(_entries(["2026-11-15"] * 25, path="/2026/11/15/story-")),
    title="25 articles of the day, with the date in their URLs",
)
@good(
    wrap(_entries(["2026-11-15"] * 25)),
    at="https://example.com/sitemap-2026-11-15.xml",
    title="a sitemap for one day's articles, named after the day",
)
@good(wrap(_entries(["2026-11-15"] * 20 + ["2026-11-14"] * 20)), title="40 entries from two days")
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


@dates_warning("D017", engines=(Engine.GOOGLE, Engine.BING), cites=("sitemaps-protocol", "bing-2025"))
@bad(
    wrap(_entries(_seconds(30), first_marked=True)),
    title="30 entries, dated one second after another on the day of the check",
)
@bad(wrap(_entries(_seconds(25, "2024-03-02"), first_marked=True)), title="25 entries, dated within one minute of 2024")
@good(wrap(_entries(_seconds(19))), title="19 entries: too few to judge")
@good(wrap(_entries(["2024-03-02"] * 25)), title="one day without a time: an import, not a build stamp")
@good(
    wrap(_entries([f"2026-11-15T{number % 24:02d}:{number:02d}:00Z" for number in range(48)])),
    title="a busy day with edits around the clock",
)
@good(
    wrap(_entries(_seconds(27) + [f"2026-{month:02d}-01T08:00:00Z" for month in range(1, 4)])),
    title="three of 30 entries have different dates",
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
    if sum(sorted(sitemap.date_summary.days.values())[-2:]) < needed or lists_news(sitemap):
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
