"""A problem in a date → its code, its message, and the edits that fix it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from urlset.checking.context import Context
from urlset.findings.finding import replace
from urlset.model.moment import Fault, FaultAt, Moment
from urlset.model.moment_notations import read_offset
from urlset.rules import Child, Engine, Fix, ListedPage, Problem, Safety, Severity
from urlset.rules.quoting import quoted
from urlset.spec.lazy_pattern import lazy_pattern

READERS: tuple[Engine, ...] = tuple(engine for engine in Engine if engine is not Engine.XSD_STRICT)
"""all engines except the schema: for problems the schema accepts or cannot detect"""

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
