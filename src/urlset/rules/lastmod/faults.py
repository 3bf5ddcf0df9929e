"""A fault of a date → the code it is reported under, what is said of it, and the edits that mend it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from urlset.checking.context import Context
from urlset.checking.subjects import Child, ListedPage
from urlset.findings.finding import Problem
from urlset.findings.fix import Fix, Safety, replace
from urlset.findings.severity import Severity
from urlset.model.moment import Fault, FaultAt, Moment
from urlset.model.moment_diagnosis import read_offset
from urlset.rules.quoting import quoted
from urlset.spec.engines import Engine

READERS: tuple[Engine, ...] = tuple(engine for engine in Engine if engine is not Engine.XSD_STRICT)
"""everyone but the schema: for what the schema accepts or cannot know"""

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

# The whole text must be written anew, so whatever else is wrong with it is not worth a finding of its own.
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
"""what is added behind the fault: more than the author said, so never unseen"""
_REPLACED = {Fault.SPACE_FOR_T: "T", Fault.COMMA_FRACTION: ".", Fault.DATE_WITH_TIMEZONE: ""}

_WORDS: dict[Fault, str] = {
    Fault.EMPTY: "lastmod is empty, which is no date at all",
    Fault.WHITESPACE: "white space inside {text}: a W3C date has none, so the date is not read",
    Fault.ZONE_NAME: "{part} in {text} is no UTC offset: a W3C date knows only Z and ±hh:mm, so the date is not read",
    Fault.COMMA_FRACTION: "a comma before the fraction in {text}: only a point is read there",
    Fault.MISSING_ZERO: "{part} in {text} lacks its leading zero, so the date is not read",
    Fault.SLASHES: "slashes in {text}: a W3C date is joined by hyphens, so the date is not read",
    Fault.DOTS: "dots in {text}: a W3C date is joined by hyphens, so the date is not read",
    Fault.YEAR_LAST: "{text} puts the year last: a W3C date starts with it, so the date is not read",
    Fault.OTHER: "{text} is not a date in any notation, so it is dropped",
    Fault.IMPOSSIBLE_DATE: "{part} is not in the calendar, so the date is dropped",
    Fault.IMPOSSIBLE_TIME: "{part} is no time of day, so the date is dropped",
    Fault.NO_TIMEZONE: "the time {part} has no UTC offset: it could be any of 26 hours, and the W3C form requires one",
    Fault.OFFSET_WITHOUT_COLON: "the offset {part} has no colon, so the date is not read",
    Fault.OFFSET_HOUR_ONLY: "the offset {part} is not hours and minutes, so the date is not read",
    Fault.SPACE_FOR_T: "a space stands between date and time in {text} where a T belongs, so the date is not read",
    Fault.LOWER_CASE: "{part} is lower case in {text}: a W3C date has a capital T and Z",
    Fault.HOUR_ONLY: "{part} is an hour without minutes, which no W3C form has",
    Fault.DATE_WITH_TIMEZONE: "{part} follows a bare date: an offset belongs to a time, and the W3C form has none here",
    Fault.OFFSET_RANGE: "the offset {part} is beyond ±14:00, where no clock on earth is",
    Fault.HOUR_24: "hour {part} in {text} belongs to the next day, and many readers refuse it",
    Fault.SECOND_60: "second {part} in {text} belongs to the next minute, and most readers refuse it",
    Fault.RFC822: "{text} is a date as mail and RSS write it; a sitemap reader does not read it",
    Fault.UNIX_TIMESTAMP: "{text} is a number of seconds or milliseconds; a sitemap reader does not read it",
    Fault.BASIC_ISO: "{text} is ISO 8601 without its hyphens and colons; a sitemap reader does not read it",
    Fault.WEEK_DATE: "{text} counts weeks; a sitemap reader does not read it",
    Fault.ORDINAL_DATE: "{text} counts the days of the year; a sitemap reader does not read it",
    Fault.LOCALE_WORDS: "{text} is written in words, or is no date; a sitemap reader does not read it",
    Fault.TWO_DIGIT_YEAR: "{text} has a year of two digits, so century and order are anyone's guess",
    Fault.DAY_MONTH_AMBIGUOUS: "{text} is one day in Europe and another in America; a sitemap reader reads neither",
    Fault.YEAR_RANGE: "the year {part} is not four digits, so the date is not read",
}
_UNKNOWN_OFFSET = "the offset '-00:00' in {text} says that the offset is not known; write Z for UTC"

_MILD = frozenset({"D010", "D012", "D013"})
_TITLES: dict[str, str] = {
    "D001": "respell the date",
    "D003": "take the time for UTC and append Z",
    "D004": "write the offset as ±hh:mm",
    "D005": "write a T",
    "D006": "write capitals",
    "D007": "add the minutes :00",
    "D010": "drop the offset",
}


def severity_of(code: str, engines: Sequence[Engine], moment: Moment | None = None) -> Severity:
    """How bad a misspelt date is; the same on a page's date and on a child sitemap's."""
    if moment is not None and Engine.XSD_STRICT in engines and not moment.xsd_valid:
        return Severity.ERROR
    if code in _MILD or (code == "D003" and Engine.PROTOCOL not in engines):
        return Severity.WARNING
    return Severity.ERROR


def minded(code: str, engines: Sequence[Engine]) -> bool:
    """Whether any of the engines objects to a date with such a fault."""
    return code != "D010" or Engine.PROTOCOL in engines


def judged(moment: Moment) -> tuple[FaultAt, ...]:
    """The faults worth telling apart: all of them, or just the notation when that is wrong as a whole."""
    foreign = next((each for each in moment.faults if each.fault in _REWRITTEN), None)
    return moment.faults if foreign is None else (foreign,)


def schema_is_content(context: Context, moment: Moment) -> bool:
    """Only the schema is asked, and it accepts the text."""
    return context.engines == (Engine.XSD_STRICT,) and moment.xsd_valid


def _codes_of(moment: Moment) -> frozenset[str]:
    """Kept with the moment, because a dozen rules ask."""
    known: frozenset[str] | None = vars(moment).get("_codes")
    if known is None:
        known = vars(moment)["_codes"] = frozenset(CODE_OF[each.fault] for each in judged(moment))
    return known


def misspelt(code: str, row: ListedPage | Child) -> Iterator[Problem]:
    """The one problem that a date has under a code, at its first place, with a fix for all of them."""
    moment = row.moment
    if moment is None or not moment.faults or code not in _codes_of(moment) or schema_is_content(row.context, moment):
        return
    mine = [each for each in judged(moment) if CODE_OF[each.fault] == code]
    if mine:
        place = row.part(mine[0].start, mine[0].end, "lastmod")
        mild = Severity.WARNING if code in _MILD and moment.xsd_valid else None
        yield Problem(place, words(mine[0], moment), _fix(code, row, moment, mine), severity=mild)


def words(each: FaultAt, moment: Moment) -> str:
    """What is written and what that causes."""
    part = moment.raw[each.start : each.end]
    text = quoted(moment.text)
    if part == "-00:00":
        return _UNKNOWN_OFFSET.format(text=text)
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
        return Fix(f"append {zone}, as given", edits)
    safety = Safety.REVIEW if any(each.fault in _APPENDED for each in faults) else Safety.SAFE
    return Fix(_TITLES[code], edits, safety)


def rewriting(row: ListedPage | Child, moment: Moment) -> Fix | None:
    """The whole date in its right spelling; to be reviewed where the offset is not told."""
    place = row.whole("lastmod")
    if moment.suggestion is not None:
        safety = Safety.REVIEW if moment.has(Fault.HOUR_ONLY) else Safety.SAFE
        return replace(place, moment.suggestion, f"write {moment.suggestion}", safety)
    zone = row.context.timezone
    if moment.has(Fault.NO_TIMEZONE) and zone is not None and (known := moment.with_timezone(zone)) is not None:
        return replace(place, known, f"write {known}")
    if moment.has(Fault.NO_TIMEZONE) and (in_utc := moment.with_timezone("Z")) is not None:
        return replace(place, in_utc, f"take it for UTC and write {in_utc}", Safety.REVIEW)
    return None


def _changes(each: FaultAt, moment: Moment, zone: str | None) -> list[tuple[int, int, str]] | None:
    """What to write in place of which characters; None when only the author can know."""
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
