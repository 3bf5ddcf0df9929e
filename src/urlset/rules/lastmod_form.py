"""Is lastmod a W3C date of the needed precision? What each problem is called, and the edits that fix it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from urlset.checking.context import Context
from urlset.checking.declare import bad, error_rule, good, info_rule, warning_rule
from urlset.findings.finding import delete, quoted, replace
from urlset.fixing.markup import with_its_line
from urlset.model.columns import Edit
from urlset.model.entry import Value
from urlset.model.moment import DateForm, Fault, FaultAt, Moment, read_offset
from urlset.model.place import Place
from urlset.rules import Child, Engine, Fix, Has, Kind, ListedPage, Problem, Safety, Severity, Signal
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import HINT_MAX_BYTES_YANDEX

# Is lastmod in one of the six W3C date forms, and does the day exist?

_FEED = (
    '<rss version="2.0"><channel><item><link>https://example.com/</link><pubDate>{}</pubDate></item></channel></rss>'
)


date_error = partial(error_rule, kinds=Has.URL_ELEMENTS)
date_info = partial(info_rule, kinds=Has.URL_ELEMENTS)
date_warning = partial(warning_rule, kinds=Has.URL_ELEMENTS)


@date_error(
    "D001", when=Signal.DATE_NOTATION, cites=("sitemaps-protocol", "w3c-datetime", "google-large", "gsc-report")
)
@bad("<lastmod>«2026/11/15»</lastmod>", fixed="<lastmod>2026-11-15</lastmod>")
@bad("<lastmod>2026-«7»-4</lastmod>", fixed="<lastmod>2026-07-04</lastmod>")
@bad("<lastmod>2026-11-15T10:00:00« »UTC</lastmod>", fixed="<lastmod>2026-11-15T10:00:00Z</lastmod>")
@bad(
    "<lastmod>2026-11-15T10:00:00+01:00«[Europe/Berlin]»</lastmod>",
    fixed="<lastmod>2026-11-15T10:00:00+01:00</lastmod>",
)
@bad("<lastmod>2026-11-15T10:00:00«,»5Z</lastmod>", fixed="<lastmod>2026-11-15T10:00:00.5Z</lastmod>")
@bad("<lastmod>«15/11/2026»</lastmod>", "<lastmod>2026-11-15T10:00:00«CET»</lastmod>", "<lastmod>«2026-11-»</lastmod>")
@good(
    "<lastmod>2026-11-15</lastmod>",
    "<lastmod>2026-11-15T10:00Z</lastmod>",
    "<lastmod>2026-11-15T10:00:00.123456+05:30</lastmod>",
    "<lastmod>\n      2026-11-15\n    </lastmod>",
    "<lastmod><![CDATA[2026-11-15]]></lastmod>",
)
def lastmod_not_w3c_date(listed: ListedPage) -> Iterator[Problem]:
    """lastmod is not in W3C date format.

    The protocol uses the W3C date format: year, month, and day in this order, joined by hyphens, optionally
    followed by T, a time, and its UTC offset. Search engines report other dates as invalid and treat the URL
    as if it had no lastmod.
    """
    yield from misspelt("D001", listed)


@date_error("D002", when=Signal.DATE_CALENDAR, cites=("w3c-datetime", "xsd-tested"))
@bad(
    "<lastmod>«2026-02-30»</lastmod>",
    "<lastmod>«0000-00-00»</lastmod>",
    "<lastmod>2026-11-15T«25:00:00»Z</lastmod>",
    "<lastmod>«2025-02-29»T10:00:00Z</lastmod>",
)
@good("<lastmod>2024-02-29</lastmod>", "<lastmod>2026-11-15T23:59:59Z</lastmod>")
def impossible_lastmod(listed: ListedPage) -> Iterator[Problem]:
    """lastmod is a day or a time that does not exist.

    Month 13, February 30, and hour 25 are typos or empty database fields. Only the author knows the intended
    date, so crawlers ignore it.
    """
    yield from misspelt("D002", listed)


@date_error(
    "D021",
    when=Signal.DATE_NOTATION | Signal.DATE_ZONE | Signal.DATE_TIME | Signal.DATE_CALENDAR,
    kinds=Has.URL_ELEMENTS | Has.RSS_ITEMS,
    cites=("w3c-datetime", "xsd-tested"),
)
@bad("<lastmod>«Sun, 15 Nov 2026 10:00:00 GMT»</lastmod>", fixed="<lastmod>2026-11-15T10:00:00Z</lastmod>")
@bad("<lastmod>«1763200800»</lastmod>", fixed="<lastmod>2025-11-15T10:00:00Z</lastmod>")
@bad("<lastmod>«20261115»</lastmod>", fixed="<lastmod>2026-11-15</lastmod>")
@bad("<lastmod>«2026-W46-7»</lastmod>", fixed="<lastmod>2026-11-15</lastmod>")
@bad("<lastmod>«20261115T100000»</lastmod>", fixed="<lastmod>2026-11-15T10:00:00Z</lastmod>")
@bad("<lastmod>«2026-W46»</lastmod>", "<lastmod>«15-11-26»</lastmod>")
@bad("<lastmod>«November 15, 2026»</lastmod>", fixed="<lastmod>2026-11-15</lastmod>")
@bad("<lastmod>«15. Nov 2026»</lastmod>", fixed="<lastmod>2026-11-15</lastmod>")
@bad(
    "<lastmod>«15. Dezember 2026»</lastmod>",
    "<lastmod>«Mon, 15 Nov 2026 10:00:00 GMT»</lastmod>",
    "<lastmod>«yesterday»</lastmod>",
    _FEED.format("«Sun, 15 Nov 26 10:00:00 GMT»"),
    _FEED.format("«2026-11-15 10:00:00»"),
    _FEED.format("«Mon, 15 Nov 2026 10:00:00 GMT»"),
)
@good(
    "<lastmod>2026-11-15</lastmod>", _FEED.format("2026-11-15T10:00:00Z"), _FEED.format("Sun, 15 Nov 2026 10:00:00 GMT")
)
def lastmod_in_foreign_notation(listed: ListedPage) -> Iterator[Problem]:
    """lastmod is a timestamp, an email date, or contains words.

    The date is in a notation that sitemap parsers do not support: Unix timestamps, email and RSS dates,
    ISO 8601 without punctuation, week dates, ordinal dates, and month names. In feeds, email dates are
    correct. Two-digit years are also legal there, but parsers disagree about the century.
    """
    if listed.document.kind is Kind.RSS:
        yield from _in_feed(listed)
    else:
        yield from misspelt("D021", listed)


def _in_feed(listed: ListedPage) -> Iterator[Problem]:
    moment = listed.moment
    if moment is None or not moment.text or moment.w3c_valid:
        return
    weekday = wrong_weekday(moment)
    if weekday is not None:
        words = f"only the weekday in {quoted(moment.text)} is wrong: that day is a {weekday}; write {weekday[:3]}"
        yield Problem(listed.whole("lastmod"), words, severity=Severity.WARNING)
    elif not moment.has(Fault.RFC822) or moment.reading is None:
        words = f"{quoted(moment.text)} is not a valid RSS date; write it as 'Sun, 15 Nov 2026 10:00:00 GMT'"
        yield Problem(listed.whole("lastmod"), words, severity=Severity.WARNING)
    elif moment.has(Fault.TWO_DIGIT_YEAR):
        words = f"{quoted(moment.text)} has a two-digit year; write four digits, as RSS recommends"
        yield Problem(listed.whole("lastmod"), words, severity=Severity.INFO)


@date_error("D022", when=Signal.DATE_NOTATION, cites=("w3c-datetime", "general-knowledge"))
@bad("<lastmod>«03/04/2026»</lastmod>", "<lastmod>«3.4.2026»</lastmod>")
@good("<lastmod>2026-04-03</lastmod>")
def ambiguous_lastmod(listed: ListedPage) -> Iterator[Problem]:
    """Day and month in lastmod are ambiguous.

    If day and month are both below 13 and the year comes last, the order depends on the country. This is
    never fixed automatically.
    """
    yield from misspelt("D022", listed)


@date_error("D025", when=Signal.DATE_NOTATION, cites=("w3c-datetime", "xsd-tested"))
@bad("<lastmod>«12026»-01-01</lastmod>", "<lastmod>«-0001»-01-01</lastmod>", "<lastmod>«+2026»-01-01</lastmod>")
@good("<lastmod>2026-01-01</lastmod>", "<lastmod>0001-01-01</lastmod>")
def lastmod_year_not_four_digits(listed: ListedPage) -> Iterator[Problem]:
    """The year in lastmod does not have exactly four digits.

    The W3C date format allows years from 0000 to 9999 without a sign. The official schema allows more, so a
    schema check does not find this.
    """
    yield from misspelt("D025", listed)


XML_SPACE = " \t\r\n"
_SECONDS_ALONE_MISSING = frozenset({Fault.NO_TIMEZONE, Fault.OFFSET_RANGE})


@date_info(
    "D008",
    when=Signal.NO_SECONDS | Signal.ODD_DATE,
    fails_schema=True,
    engines=(Engine.XSD_STRICT,),
    cites=("w3c-datetime", "google-news", "xsd-tested"),
)
@bad("<lastmod>2026-11-15T«10:00»Z</lastmod>", fixed="<lastmod>2026-11-15T10:00:00Z</lastmod>")
@good("<lastmod>2026-11-15T10:00:00Z</lastmod>", "<lastmod>2026-11-15T10:00:00.5Z</lastmod>")
def lastmod_without_seconds(listed: ListedPage) -> Iterator[Problem]:
    """The time in lastmod has no seconds, which the schema requires.

    Hours and minutes with an offset are a valid W3C date, and Google documents this form. Only validation
    against the official schema fails.
    """
    moment = listed.moment
    if moment is not None and lacks_seconds(moment):
        yield Problem(
            listed.part(11, 16, "lastmod"),
            f"{quoted(moment.text)} has no seconds, which the schema requires; add them",
            Fix("add the seconds :00", listed.edits([(16, 16, ":00")], "lastmod")),
        )


def lacks_seconds(moment: Moment) -> bool:
    """Hours and minutes without seconds, and no other problem for the schema."""
    return moment.precision is DateForm.MINUTE and {each.fault for each in moment.faults} <= _SECONDS_ALONE_MISSING


@date_warning("D009", when=Signal.DATE_COARSE, fails_schema=True, cites=("w3c-datetime", "xsd-tested"))
@bad("<lastmod>«2026-11»</lastmod>", "<lastmod>«2026»</lastmod>")
@good("<lastmod>2026-11-15</lastmod>")
def lastmod_without_day(listed: ListedPage) -> Iterator[Problem]:
    """lastmod has only a year or a month.

    The W3C date format allows it, but the official schema does not. It is also too coarse: a crawler cannot
    tell whether the page changed after the last crawl.
    """
    moment = listed.moment
    if moment is not None and moment.form in (DateForm.YEAR, DateForm.MONTH):
        span = "year" if moment.form is DateForm.YEAR else "month"
        yield Problem(
            listed.whole("lastmod"),
            f"{quoted(moment.text)} covers a whole {span}, which the schema rejects; write the day, as in YYYY-MM-DD",
        )


@date_error("D020", when=Signal.DATE_BLANK, cites=("xsd-urlset", "xsd-tested"))
@bad("<url><loc>https://example.com/</loc>«<lastmod/>»</url>", fixed="<url><loc>https://example.com/</loc></url>")
@bad(
    "<url>\n  <loc>https://example.com/</loc>\n  «<lastmod> </lastmod>»\n</url>",
    fixed="<url>\n  <loc>https://example.com/</loc>\n</url>",
)
@good("<url><loc>https://example.com/</loc></url>")
def empty_lastmod(listed: ListedPage) -> Iterator[Problem]:
    """lastmod is empty.

    An empty element is not a date. The schema and Search Console report it. Omit lastmod if the date is
    unknown.
    """
    if listed.raw_lastmod is not None and not listed.raw_lastmod.strip():
        for element in listed.fields("lastmod")[:1]:
            yield Problem(
                element.place,
                "lastmod is empty; set a date or remove it",
                delete(with_its_line(listed.document.data, element.place), "remove the empty element"),
            )


@date_info("D023", when=Signal.LONG_HINT, engines=(Engine.YANDEX,), cites=("yandex-sitemap",))
@bad(f"<lastmod>«2026-11-15T10:00:00.{'0' * 100}Z»</lastmod>", f"<priority>«0.{'5' * 100}»</priority>")
@good(f"<lastmod>2026-11-15T10:00:00.{'0' * 79}Z</lastmod>")
def hint_too_long_for_yandex(listed: ListedPage) -> Iterator[Problem]:
    """lastmod, changefreq, or priority is longer than 100 bytes.

    Yandex documents this limit for all three elements.
    """
    for name, raw in (
        ("lastmod", listed.raw_lastmod),
        ("changefreq", listed.raw_changefreq),
        ("priority", listed.raw_priority),
    ):
        size = len(raw.strip().encode("utf-8", "surrogatepass")) if raw else 0
        if size > HINT_MAX_BYTES_YANDEX:
            message = f"{name} has {size} bytes; Yandex reads at most {HINT_MAX_BYTES_YANDEX}"
            yield Problem(listed.whole(name), message)


@date_info("D026", when=Signal.DATE_BLANK, may_be_worse=True, cites=("xsd-tested",))
@bad("<lastmod>« »2026-11-15 </lastmod>", fixed="<lastmod>2026-11-15</lastmod>")
@bad("<lastmod>2026-11-15«\n  »</lastmod>", fixed="<lastmod>2026-11-15</lastmod>")
@bad("<lastmod>2026-11-15«&#160;»</lastmod>", fixed="<lastmod>2026-11-15</lastmod>")
@good("<lastmod>2026-11-15T10:00:00Z</lastmod>", "https://example.com/a\n")
def white_space_around_lastmod(listed: ListedPage) -> Iterator[Problem]:
    """lastmod has leading or trailing whitespace.

    Schema validators trim spaces and line breaks. A crawler that passes the text directly to a date parser
    does not, so it finds no date. Other whitespace, such as a no-break space, is never trimmed.
    """
    raw = listed.raw_lastmod
    if raw is None or not raw.strip() or raw == raw.strip():
        return
    is_trimmed = raw.strip(XML_SPACE) == raw.strip()
    if is_trimmed and set(listed.context.engines) == {Engine.XSD_STRICT}:
        return
    padding = padding_of(listed.value("lastmod"))
    if padding:
        yield Problem(
            padding[0],
            f"whitespace around {quoted(raw.strip())}{'' if is_trimmed else ' that parsers do not trim'}; remove it",
            Fix("remove the whitespace", tuple(Edit(place, b"") for place in padding)),
            severity=None if is_trimmed else Severity.ERROR,
        )


def padding_of(value: Value) -> list[Place]:
    """The places of leading and trailing whitespace, if any."""
    lead = len(value.text) - len(value.text.lstrip())
    trail = len(value.text) - len(value.text.rstrip())
    places = [value.locate(0, lead), value.locate(len(value.text) - trail, trail)]
    return [place for place, length in zip(places, (lead, trail), strict=True) if length]


# A problem in a date → its code, its message, and the edits that fix it.

CODE_OF: dict[Fault, str] = {
    Fault.EMPTY: "D020",
    Fault.WHITESPACE: "D001",
    Fault.ZONE_NAME: "D001",
    Fault.COMMA_FRACTION: "D001",
    Fault.MISSING_ZERO: "D001",
    Fault.SLASHES: "D001",
    Fault.DOTS: "D001",
    Fault.YEAR_LAST: "D001",
    Fault.OTHER: "D001",
    Fault.IMPOSSIBLE_DATE: "D002",
    Fault.IMPOSSIBLE_TIME: "D002",
    Fault.NO_TIMEZONE: "D003",
    Fault.OFFSET_WITHOUT_COLON: "D004",
    Fault.OFFSET_HOUR_ONLY: "D004",
    Fault.SPACE_FOR_T: "D005",
    Fault.LOWER_CASE: "D006",
    Fault.HOUR_ONLY: "D007",
    Fault.DATE_WITH_TIMEZONE: "D010",
    Fault.OFFSET_RANGE: "D012",
    Fault.HOUR_24: "D013",
    Fault.SECOND_60: "D013",
    Fault.RFC822: "D021",
    Fault.UNIX_TIMESTAMP: "D021",
    Fault.BASIC_ISO: "D021",
    Fault.WEEK_DATE: "D021",
    Fault.ORDINAL_DATE: "D021",
    Fault.LOCALE_WORDS: "D021",
    Fault.TWO_DIGIT_YEAR: "D021",
    Fault.DAY_MONTH_AMBIGUOUS: "D022",
    Fault.YEAR_RANGE: "D025",
}

# The whole text has to be rewritten, so its other problems are not reported separately.
_REWRITTEN = frozenset(
    {
        Fault.EMPTY,
        Fault.OTHER,
        Fault.YEAR_LAST,
        Fault.DAY_MONTH_AMBIGUOUS,
        *(fault for fault, code in CODE_OF.items() if code == "D021"),
    }
)
_ROLLED_OVER = frozenset({Fault.HOUR_24, Fault.SECOND_60})
_APPENDED = {Fault.NO_TIMEZONE: "Z", Fault.HOUR_ONLY: ":00"}
"""text added after the problem: an assumption, so the fix needs review"""
_REPLACED = {Fault.SPACE_FOR_T: "T", Fault.COMMA_FRACTION: ".", Fault.DATE_WITH_TIMEZONE: ""}

_WORDS: dict[Fault, str] = {
    Fault.EMPTY: "lastmod is empty; set a date or remove it",
    Fault.WHITESPACE: "whitespace inside {text}, so the date is ignored; remove it",
    Fault.ZONE_NAME: "{part} in {text} is not a UTC offset, so the date is ignored; use Z or ±hh:mm",
    Fault.COMMA_FRACTION: "comma before the fractional seconds in {text}; use a period",
    Fault.MISSING_ZERO: "{part} in {text} has no leading zero, so the date is ignored; use two digits",
    Fault.SLASHES: "slashes in {text}, so the date is ignored; use hyphens",
    Fault.DOTS: "periods in {text}, so the date is ignored; use hyphens",
    Fault.YEAR_LAST: "{text} has the year last, so the date is ignored; write YYYY-MM-DD",
    Fault.OTHER: "{text} is not a valid date, so it is ignored; write YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ",
    Fault.IMPOSSIBLE_DATE: "{part} does not exist in the calendar, so the date is ignored; correct it",
    Fault.IMPOSSIBLE_TIME: "{part} is not a valid time of day, so the date is ignored; correct it",
    Fault.NO_TIMEZONE: "the time {part} has no UTC offset, so the instant is ambiguous; add Z or ±hh:mm",
    Fault.OFFSET_WITHOUT_COLON: "the UTC offset {part} has no colon, so the date is ignored; write ±hh:mm",
    Fault.OFFSET_HOUR_ONLY: "the UTC offset {part} is not hours and minutes, so the date is ignored; write ±hh:mm",
    Fault.SPACE_FOR_T: "space between date and time in {text}, so the date is ignored; use T",
    Fault.LOWER_CASE: "lowercase {part} in {text}; use uppercase T and Z",
    Fault.HOUR_ONLY: "{part} is an hour without minutes, so the date is ignored; write hh:mm",
    Fault.DATE_WITH_TIMEZONE: "UTC offset {part} after a date without a time; remove the offset or add a time",
    Fault.OFFSET_RANGE: "the UTC offset {part} is out of range; the maximum is ±14:00",
    Fault.HOUR_24: "hour {part} in {text} is rejected by many parsers; write 00:00 of the next day",
    Fault.SECOND_60: "second {part} in {text} is rejected by most parsers; write the start of the next minute",
    Fault.RFC822: "{text} is an email or RSS date, so it is ignored; write YYYY-MM-DD",
    Fault.UNIX_TIMESTAMP: "{text} is a Unix timestamp, so it is ignored; write YYYY-MM-DD",
    Fault.BASIC_ISO: "{text} has no hyphens or colons, so it is ignored; write YYYY-MM-DD",
    Fault.WEEK_DATE: "{text} is a week date, so it is ignored; write YYYY-MM-DD",
    Fault.ORDINAL_DATE: "{text} is an ordinal date, so it is ignored; write YYYY-MM-DD",
    Fault.LOCALE_WORDS: "{text} contains words, so it is ignored; write YYYY-MM-DD",
    Fault.TWO_DIGIT_YEAR: "{text} has a two-digit year, so it is ignored; write YYYY-MM-DD",
    Fault.DAY_MONTH_AMBIGUOUS: "day and month in {text} are ambiguous, so it is ignored; write YYYY-MM-DD",
    Fault.YEAR_RANGE: "the year {part} does not have four digits, so the date is ignored; write YYYY",
}
_UNKNOWN_OFFSET = "the offset '-00:00' in {text} means that the offset is unknown; write Z for UTC"

_MILD = frozenset({"D010", "D012", "D013"})
_TITLES: dict[str, str] = {
    "D001": "rewrite the date",
    "D003": "assume UTC and append Z",
    "D004": "write the offset as ±hh:mm",
    "D005": "replace the space with T",
    "D006": "convert to uppercase",
    "D007": "add the minutes :00",
    "D010": "remove the offset",
}


def severity_of(code: str, engines: Sequence[Engine], moment: Moment | None = None) -> Severity:
    """Severity of a malformed date; the same for pages and child sitemaps."""
    if moment is not None and Engine.XSD_STRICT in engines and not moment.xsd_valid:
        return Severity.ERROR
    if code in _MILD or (code == "D003" and Engine.PROTOCOL not in engines):
        return Severity.WARNING
    return Severity.ERROR


def minded(code: str, engines: Sequence[Engine]) -> bool:
    """Whether any of the engines rejects a date with this problem."""
    return code != "D010" or Engine.PROTOCOL in engines


def judged(moment: Moment) -> tuple[FaultAt, ...]:
    """The problems to report: all of them, or only the notation if the whole notation is wrong."""
    foreign = next((each for each in moment.faults if each.fault in _REWRITTEN), None)
    return moment.faults if foreign is None else (foreign,)


def schema_is_content(context: Context, moment: Moment) -> bool:
    """Only the schema is selected, and it accepts the text."""
    return context.engines == (Engine.XSD_STRICT,) and moment.xsd_valid


def _codes_of(moment: Moment) -> frozenset[str]:
    """Cached on the moment because a dozen rules need it."""
    known: frozenset[str] | None = vars(moment).get("_codes")
    if known is None:
        known = vars(moment)["_codes"] = frozenset(CODE_OF[each.fault] for each in judged(moment))
    return known


def misspelt(code: str, row: ListedPage | Child) -> Iterator[Problem]:
    """The single problem a date has under a code, at its first place, with a fix for all occurrences."""
    moment = row.moment
    if moment is None or not moment.faults or code not in _codes_of(moment) or schema_is_content(row.context, moment):
        return
    mine = [each for each in judged(moment) if CODE_OF[each.fault] == code]
    if mine:
        place = row.part(mine[0].start, mine[0].end, "lastmod")
        mild = Severity.WARNING if code in _MILD and moment.xsd_valid else None
        yield Problem(place, words(mine[0], moment), _fix(code, row, moment, mine), severity=mild)


_WEEKDAY = lazy_pattern(r"\s*[A-Za-z]{3,9},?\s+(?=\d)")


def wrong_weekday(moment: Moment) -> str | None:
    """The weekday of an email date that is only wrong in its weekday; None for any other date."""
    if moment.reading is not None or not moment.has(Fault.RFC822):
        return None
    dated = Moment.parse(_WEEKDAY.sub("", moment.text, count=1)).interval()
    return None if dated is None else _WEEKDAYS[dated[0].weekday()]


_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def words(each: FaultAt, moment: Moment) -> str:
    """The message for one problem."""
    part = moment.raw[each.start : each.end]
    text = quoted(moment.text)
    if part == "-00:00":
        return _UNKNOWN_OFFSET.format(text=text)
    weekday = wrong_weekday(moment) if each.fault is Fault.RFC822 else None
    if weekday is not None:
        return f"{text} is an email or RSS date with a wrong weekday (that day is a {weekday}); write YYYY-MM-DD"
    return _WORDS[each.fault].format(part=quoted(part), text=text)


def _fix(code: str, row: ListedPage | Child, moment: Moment, faults: Sequence[FaultAt]) -> Fix | None:
    if faults[0].fault in _REWRITTEN or faults[0].fault in _ROLLED_OVER:
        alone = {CODE_OF[each.fault] for each in judged(moment)} == {code}
        return rewriting(row, moment) if alone else None
    wanted: list[tuple[int, int, str]] = []
    zone = row.context.timezone
    for each in faults:
        changes = _changes(each, moment, zone)
        if changes is None:
            return None
        wanted += changes
    edits = row.edits(wanted, "lastmod")
    if code == "D003" and zone is not None:
        return Fix(f"append {zone}, the configured time zone", edits)
    safety = Safety.REVIEW if any(each.fault in _APPENDED for each in faults) else Safety.SAFE
    return Fix(_TITLES[code], edits, safety)


def rewriting(row: ListedPage | Child, moment: Moment) -> Fix | None:
    """The whole date, rewritten; needs review if the offset is unknown."""
    place = row.whole("lastmod")
    if moment.suggestion is not None:
        safety = Safety.REVIEW if moment.has(Fault.HOUR_ONLY) else Safety.SAFE
        return replace(place, moment.suggestion, f"write {moment.suggestion}", safety)
    zone = row.context.timezone
    if moment.has(Fault.NO_TIMEZONE) and zone is not None and (known := moment.with_timezone(zone)) is not None:
        return replace(place, known, f"write {known}")
    if moment.has(Fault.NO_TIMEZONE) and (in_utc := moment.with_timezone("Z")) is not None:
        return replace(place, in_utc, f"assume UTC and write {in_utc}", Safety.REVIEW)
    return None


def _changes(each: FaultAt, moment: Moment, zone: str | None) -> list[tuple[int, int, str]] | None:
    """Character ranges and their replacements; None if only the author can know."""
    start, end = each.start, each.end
    part = moment.raw[start:end]
    if each.fault is Fault.NO_TIMEZONE and zone is not None:
        return [(end, end, zone)]
    if each.fault in _APPENDED:
        return [(end, end, _APPENDED[each.fault])]
    if each.fault in _REPLACED:
        return [(start, end, _REPLACED[each.fault])]
    match each.fault:
        case Fault.WHITESPACE:
            return [(start, end, "T" if "t" in part.lower() else "")]
        case Fault.LOWER_CASE:
            return [(start, end, part.upper())]
        case Fault.SLASHES | Fault.DOTS:
            return [(at, at + 1, "-") for at in range(start, end) if moment.raw[at] in "/."]
        case Fault.MISSING_ZERO if part.isdigit():
            return [(start, start, "0")]
        case Fault.ZONE_NAME if part.startswith("["):
            return [(start, end, "")] if moment.timezone_known else None
        case Fault.ZONE_NAME | Fault.MISSING_ZERO | Fault.OFFSET_WITHOUT_COLON | Fault.OFFSET_HOUR_ONLY:
            offset = read_offset(part)[1]
            return None if offset is None else [(start, end, offset)]
    return None
