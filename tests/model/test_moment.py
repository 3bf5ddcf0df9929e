"""A date's form, its legality under the W3C note and the schema, its faults and its right spelling."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.model.moment import DateForm, DateReading, Fault, FaultAt, Moment, diagnose

# A row: the text, whether the schema takes it, and its form under the note.
BEHAVIOUR = [
    ("2026", False, DateForm.YEAR),
    ("2026-11", False, DateForm.MONTH),
    ("2026-11-15", True, DateForm.DAY),
    ("2026-11-15T10:00Z", False, DateForm.MINUTE),
    ("2026-11-15T10:00+02:00", False, DateForm.MINUTE),
    ("2026-11-15T10:00:00Z", True, DateForm.SECOND),
    ("2026-11-15T10:00:00+00:00", True, DateForm.SECOND),
    ("2026-11-15T10:00:00.45+01:00", True, DateForm.FRACTION),
    ("2026-11-15T10:00:00", True, DateForm.ILLEGAL),
    ("2026-11-15Z", True, DateForm.ILLEGAL),
    ("2026-11-15+02:00", True, DateForm.ILLEGAL),
    ("12026-01-01", True, DateForm.ILLEGAL),
    ("12026-01-01T00:00:00Z", True, DateForm.ILLEGAL),
    ("-0001-01-01", True, DateForm.ILLEGAL),
    ("2026-11-15T24:00:00Z", True, DateForm.ILLEGAL),
    ("2026-11-15T24:00:00.000", True, DateForm.ILLEGAL),
    ("2026-11-15T24:00:01Z", False, DateForm.ILLEGAL),
    ("2026-11-15T23:59:60Z", False, DateForm.ILLEGAL),
    ("2026-11-15T10:00:00+0000", False, DateForm.ILLEGAL),
    ("2026-11-15 10:00:00+00:00", False, DateForm.ILLEGAL),
    ("2026-11-15t10:00:00Z", False, DateForm.ILLEGAL),
    ("2026-11-15T10:00:00z", False, DateForm.ILLEGAL),
    ("20261115", False, DateForm.ILLEGAL),
    ("2026-02-29", False, DateForm.ILLEGAL),
    ("2024-02-29", True, DateForm.DAY),
    ("1900-02-29", False, DateForm.ILLEGAL),
    ("12000-02-29", True, DateForm.ILLEGAL),
    ("9" * 5000 + "-02-28", True, DateForm.ILLEGAL),
    ("012026-01-01", False, DateForm.ILLEGAL),
    ("2026-04-31", False, DateForm.ILLEGAL),
    ("0000", False, DateForm.YEAR),
    ("0000-01-01", False, DateForm.DAY),
    ("2026-11-15T10:00:00+14:00", True, DateForm.SECOND),
    ("2026-11-15T10:00:00+14:01", False, DateForm.SECOND),
    ("2026-11-15T10:00:00+25:00", False, DateForm.SECOND),
    ("2026-11-15T10:00:00-00:00", True, DateForm.SECOND),
    ("2026-11-15T10:00:00+02:60", False, DateForm.ILLEGAL),
    (" 2026-11-15\n", True, DateForm.DAY),
    ("２０２６-11-15", False, DateForm.ILLEGAL),
    ("2026-11-15\x00", False, DateForm.ILLEGAL),
]


@pytest.mark.parametrize(("raw", "xsd_valid", "form"), BEHAVIOUR)
def test_note_and_schema(raw: str, xsd_valid: bool, form: DateForm) -> None:
    moment = Moment.parse(raw)
    assert moment.xsd_valid is xsd_valid
    assert moment.form is form
    assert moment.w3c_valid is (form is not DateForm.ILLEGAL)


# A row: the text with the first fault between « and », its name, and the right spelling if there is one.
FAULTS = [
    ("«»", Fault.EMPTY, None),
    ("2026-11-15T«10:00:00»", Fault.NO_TIMEZONE, None),
    ("2026-11-15T10:00:00«+0000»", Fault.OFFSET_WITHOUT_COLON, "2026-11-15T10:00:00+00:00"),
    ("2026-11-15T10:00:00«+02»", Fault.OFFSET_HOUR_ONLY, "2026-11-15T10:00:00+02:00"),
    ("2026-11-15T10:00:00«+2»", Fault.OFFSET_HOUR_ONLY, "2026-11-15T10:00:00+02:00"),
    ("2026-11-15T10:00:00«+2:00»", Fault.MISSING_ZERO, "2026-11-15T10:00:00+02:00"),
    ("2026-11-15« »10:00:00+00:00", Fault.SPACE_FOR_T, "2026-11-15T10:00:00+00:00"),
    ("2026-11-15« »10:00:00+0000", Fault.SPACE_FOR_T, "2026-11-15T10:00:00+00:00"),
    ("2026-11-15« »10:00:00 +0000", Fault.SPACE_FOR_T, "2026-11-15T10:00:00+00:00"),
    ("2026-11-15« »10:00:00 UTC", Fault.SPACE_FOR_T, "2026-11-15T10:00:00Z"),
    ("2026-11-15« »10:00:00", Fault.SPACE_FOR_T, None),
    ("2026-11-15T10:00:00« »Z", Fault.WHITESPACE, "2026-11-15T10:00:00Z"),
    ("2026-11-15« T »10:00:00Z", Fault.WHITESPACE, "2026-11-15T10:00:00Z"),
    ("2026-11-15«t»10:00:00z", Fault.LOWER_CASE, "2026-11-15T10:00:00Z"),
    ("2026-11-15T10:00:00«z»", Fault.LOWER_CASE, "2026-11-15T10:00:00Z"),
    ("2026-11-15T«10»Z", Fault.HOUR_ONLY, "2026-11-15T10:00Z"),
    ("2026-11-15T«10»+0200", Fault.HOUR_ONLY, "2026-11-15T10:00+02:00"),
    ("2026-11-15T10:00:00«,»5Z", Fault.COMMA_FRACTION, "2026-11-15T10:00:00.5Z"),
    ("2026-11-15«Z»", Fault.DATE_WITH_TIMEZONE, "2026-11-15"),
    ("2026-11-15«+02:00»", Fault.DATE_WITH_TIMEZONE, "2026-11-15"),
    ("2026-11-15«-02:00»", Fault.DATE_WITH_TIMEZONE, "2026-11-15"),
    ("2026-11-15T10:00:00«EST»", Fault.ZONE_NAME, None),
    ("2026-11-15T10:00:00+01:00«[Europe/Berlin]»", Fault.ZONE_NAME, "2026-11-15T10:00:00+01:00"),
    ("2026-11-15T10:00:00«[Europe/Berlin]»", Fault.ZONE_NAME, None),
    ("«2026-02-30»", Fault.IMPOSSIBLE_DATE, None),
    ("«2026-13-01»", Fault.IMPOSSIBLE_DATE, None),
    ("«2026-00»", Fault.IMPOSSIBLE_DATE, None),
    ("«0000-00-00» 00:00:00", Fault.IMPOSSIBLE_DATE, None),
    ("2026-11-15T«25:00:00»Z", Fault.IMPOSSIBLE_TIME, None),
    ("2026-11-15T«10:60:00»Z", Fault.IMPOSSIBLE_TIME, None),
    ("2026-11-15T«10:00:61»Z", Fault.IMPOSSIBLE_TIME, None),
    ("2026-11-15T«24:30:00»Z", Fault.IMPOSSIBLE_TIME, None),
    ("2026-11-15T«24»:00:00Z", Fault.HOUR_24, "2026-11-16T00:00:00Z"),
    ("2026-12-31T«24»:00+01:00", Fault.HOUR_24, "2027-01-01T00:00+01:00"),
    ("9999-12-31T«24»:00:00Z", Fault.HOUR_24, None),
    ("2016-12-31T23:59:«60»Z", Fault.SECOND_60, "2017-01-01T00:00:00Z"),
    ("2016-12-31T23:59:«60».5Z", Fault.SECOND_60, "2017-01-01T00:00:00.5Z"),
    ("2026-11-15T10:00:00«+25:00»", Fault.OFFSET_RANGE, None),
    ("2026-11-15T10:00:00«-00:00»", Fault.OFFSET_RANGE, None),
    ("2026-11-15« »10:00:00-0000", Fault.SPACE_FOR_T, None),
    ("2026-11-15T10:00:00«+02:75»", Fault.OFFSET_RANGE, None),
    ("«12026»-01-01", Fault.YEAR_RANGE, None),
    ("«-0001»-01-01", Fault.YEAR_RANGE, None),
    ("«+2026»-01-01", Fault.YEAR_RANGE, None),
    ("2026-«1»-15", Fault.MISSING_ZERO, "2026-01-15"),
    ("2026-11-15T«9»:00:00Z", Fault.MISSING_ZERO, "2026-11-15T09:00:00Z"),
    ("«2026/11/15»", Fault.SLASHES, "2026-11-15"),
    ("«2026/11/15» 10:00:00 +0000", Fault.SLASHES, "2026-11-15T10:00:00+00:00"),
    ("«2026.11.15»", Fault.DOTS, "2026-11-15"),
    ("«03/04/2026»", Fault.DAY_MONTH_AMBIGUOUS, None),
    ("«03.04.2026» 10:00", Fault.DAY_MONTH_AMBIGUOUS, None),
    ("«15/11/2026»", Fault.YEAR_LAST, None),
    ("«11-15-2026»", Fault.YEAR_LAST, None),
    ("«15/11/26»", Fault.TWO_DIGIT_YEAR, None),
    ("«26-11-15»", Fault.TWO_DIGIT_YEAR, None),
    ("«Sun, 15 Nov 2026 10:00:00 GMT»", Fault.RFC822, "2026-11-15T10:00:00Z"),
    ("«Sun, 15 Nov 2026 10:00:00 +0200»", Fault.RFC822, "2026-11-15T10:00:00+02:00"),
    ("«15 Nov 2026 10:00 -0000»", Fault.RFC822, "2026-11-15T10:00Z"),
    ("«15 nov 2026 10:00 EST»", Fault.RFC822, "2026-11-15T10:00-05:00"),
    ("«Sun, 15 Nov 2026 10:00:00»", Fault.RFC822, None),
    ("«Sun, 15 Nov 2026 10:00:00 A»", Fault.RFC822, None),
    ("«Mon, 15 Nov 2026 10:00:00 GMT»", Fault.RFC822, None),
    ("«Sun, 15 Nov 26 10:00:00 GMT»", Fault.RFC822, "2026-11-15T10:00:00Z"),
    ("«Mon, 15 Nov 26 10:00:00 GMT»", Fault.RFC822, None),
    ("«Sat, 15 Nov 75 10:00:00 GMT»", Fault.RFC822, "1975-11-15T10:00:00Z"),
    ("«31 Nov 2026 10:00:00 GMT»", Fault.RFC822, None),
    ("«15 Nov 2026 25:00:00 GMT»", Fault.RFC822, None),
    ("«15 Nov 2026 10:00:00 +2500»", Fault.RFC822, None),
    ("«1794736800»", Fault.UNIX_TIMESTAMP, "2026-11-15T10:00:00Z"),
    ("«1794736800000»", Fault.UNIX_TIMESTAMP, "2026-11-15T10:00:00Z"),
    ("«1794736800123»", Fault.UNIX_TIMESTAMP, "2026-11-15T10:00:00.123Z"),
    ("«1794736800.25»", Fault.UNIX_TIMESTAMP, "2026-11-15T10:00:00.25Z"),
    ("«0»", Fault.UNIX_TIMESTAMP, None),
    ("«99999999999»", Fault.UNIX_TIMESTAMP, None),
    ("«20261115»", Fault.BASIC_ISO, "2026-11-15"),
    ("«20261115T100000Z»", Fault.BASIC_ISO, "2026-11-15T10:00:00Z"),
    ("«20261115T100000.5+0200»", Fault.BASIC_ISO, "2026-11-15T10:00:00.5+02:00"),
    ("«20261115T1000+02»", Fault.BASIC_ISO, "2026-11-15T10:00+02:00"),
    ("«20261115100000»", Fault.BASIC_ISO, None),
    ("«202611151000»", Fault.BASIC_ISO, None),
    ("«20261332»", Fault.BASIC_ISO, None),
    ("«20261115T100000+0275»", Fault.BASIC_ISO, None),
    ("«2026-W46-7»", Fault.WEEK_DATE, "2026-11-15"),
    ("«2026W467»", Fault.WEEK_DATE, "2026-11-15"),
    ("«2026-W46»", Fault.WEEK_DATE, None),
    ("«2026-W54-1»", Fault.WEEK_DATE, None),
    ("«2026-319»", Fault.ORDINAL_DATE, "2026-11-15"),
    ("«2024366»", Fault.ORDINAL_DATE, "2024-12-31"),
    ("«2026-366»", Fault.ORDINAL_DATE, None),
    ("«15 ноября 2026»", Fault.LOCALE_WORDS, None),
    ("«November 15, 2026»", Fault.LOCALE_WORDS, "2026-11-15"),
    ("«Jul 08 2026»", Fault.LOCALE_WORDS, "2026-07-08"),
    ("«Sunday, 15th Nov 2026»", Fault.LOCALE_WORDS, "2026-11-15"),
    ("«Monday, November 15, 2026»", Fault.LOCALE_WORDS, None),
    ("«Feb 30, 2026»", Fault.LOCALE_WORDS, None),
    ("«Marsh 15, 2026»", Fault.LOCALE_WORDS, None),
    ("«2026-11-15 9:00 AM»", Fault.LOCALE_WORDS, None),
    ("«2026-11-15 Sun»", Fault.LOCALE_WORDS, None),
    ("«today»", Fault.LOCALE_WORDS, None),
    ("«2026-11-15T»", Fault.OTHER, None),
    ("«2026-11-15-02»", Fault.OTHER, None),
    ("«2026/11»", Fault.OTHER, None),
    ("«2026-11T10:00Z»", Fault.OTHER, None),
    ("«202611»", Fault.OTHER, None),
    ("«20261115T1000.5Z»", Fault.OTHER, None),
    ("«-»", Fault.OTHER, None),
]


@pytest.mark.parametrize(("marked", "fault", "suggestion"), FAULTS)
def test_first_fault_and_right_spelling(marked: str, fault: Fault, suggestion: str | None) -> None:
    raw = marked.replace("«", "").replace("»", "")
    span = (marked.index("«"), marked.index("»") - 1)
    moment = Moment.parse(raw)
    assert moment.fault is fault
    assert (moment.faults[0].start, moment.faults[0].end) == span
    assert moment.suggestion == suggestion


def test_every_fault_has_a_row() -> None:
    assert {fault for _, fault, _ in FAULTS} == set(Fault)


def test_all_faults_in_the_order_of_the_text() -> None:
    moment = Moment.parse("\n2026-11-15 10:00:00 +0000")
    assert moment.faults == (
        FaultAt(Fault.SPACE_FOR_T, 11, 12),
        FaultAt(Fault.WHITESPACE, 20, 21),
        FaultAt(Fault.OFFSET_WITHOUT_COLON, 21, 26),
    )
    assert moment.has(Fault.OFFSET_WITHOUT_COLON) == FaultAt(Fault.OFFSET_WITHOUT_COLON, 21, 26)
    assert moment.has(Fault.EMPTY) is None


def test_padding_is_a_fact_and_no_fault() -> None:
    moment = Moment.parse(" 2026-11-15T10:00:00Z\n")
    assert moment.padded
    assert moment.text == "2026-11-15T10:00:00Z"
    assert moment.w3c_valid
    assert moment.fault is None
    assert not Moment.parse("2026").padded
    assert Moment.parse(" \n").fault is Fault.EMPTY


@pytest.mark.parametrize(
    ("raw", "offset"),
    [
        ("2026-11-15T10:00Z", 0),
        ("2026-11-15T10:00:00+05:30", 330),
        ("2026-11-15T10:00:00.1-09:30", -570),
        ("2026-11-15 10:00:00-0800", -480),
        ("2026-11-15T10:00:00+25:00", 1500),
        ("2026-11-15T10:00:00-00:00", 0),
        ("2026-11-15T10:00:00", None),
        ("2026-11-15", None),
        ("2026-11-15Z", None),
        ("nonsense", None),
    ],
)
def test_offset(raw: str, offset: int | None) -> None:
    moment = Moment.parse(raw)
    assert moment.offset_minutes == offset
    assert moment.timezone_known is (offset is not None)


@pytest.mark.parametrize(
    ("raw", "offset", "expected"),
    [
        ("2026-11-15T10:00:00", "+02:00", "2026-11-15T10:00:00+02:00"),
        ("2026-11-15 10:00", "Z", "2026-11-15T10:00Z"),
        ("2026-11-15T10:00:00 CET", "+01:00", "2026-11-15T10:00:00+01:00"),
        ("20261115100000", "-14:00", "2026-11-15T10:00:00-14:00"),
        ("2026-11-15T24:00:00", "Z", "2026-11-16T00:00:00Z"),
        ("2026-11-15T10:00:00Z", "+02:00", None),
        ("2026-11-15", "+02:00", None),
        ("2026-02-30T10:00:00", "+02:00", None),
        ("2026-11-15T10:00:00+02:75", "+02:00", None),
    ],
)
def test_with_timezone(raw: str, offset: str, expected: str | None) -> None:
    assert Moment.parse(raw).with_timezone(offset) == expected


@pytest.mark.parametrize("offset", ["", "z", "+2", "+0200", "+15:00", "+14:30", "-00:00", "UTC"])
def test_with_timezone_wants_a_legal_offset(offset: str) -> None:
    with pytest.raises(ValueError, match="is not a UTC offset"):
        Moment.parse("2026-11-15T10:00:00").with_timezone(offset)


def test_value_semantics() -> None:
    moment = Moment.parse("2026-11-15 10:00")
    assert moment.reading == DateReading(2026, 11, 15, 10, 0)
    assert moment == Moment.parse("2026-11-15 10:00")
    assert len({moment, Moment.parse("2026-11-15 10:00")}) == 1
    assert pickle.loads(pickle.dumps(moment)) == moment
    assert str(moment) == "2026-11-15 10:00"


DATES = st.dates()
ZONES = st.just("Z") | st.builds(
    "{}{:02d}:{:02d}".format, st.sampled_from("+-"), st.integers(0, 13), st.integers(1, 59)
)


@st.composite
def readings(draw: st.DrawFn) -> DateReading:
    """Every legal value, in each of the six forms."""
    day = draw(DATES)
    precision = draw(st.sampled_from(DateForm))
    if precision is DateForm.YEAR:
        return DateReading(day.year)
    if precision is DateForm.MONTH:
        return DateReading(day.year, day.month)
    if precision is DateForm.DAY:
        return DateReading(day.year, day.month, day.day)
    clock = draw(st.times())
    second = draw(st.none() | st.just(clock.second))
    fraction = None if second is None else draw(st.none() | st.from_regex(r"[0-9]{1,12}", fullmatch=True))
    zone = draw(ZONES)
    return DateReading(day.year, day.month, day.day, clock.hour, clock.minute, second, fraction, zone)


@given(readings())
def test_what_is_spelled_is_read_back(reading: DateReading) -> None:
    moment = Moment.parse(reading.spell())
    assert moment.reading == reading
    assert moment.form is reading.form
    assert moment.precision is reading.form
    assert moment.faults == ()
    assert moment.suggestion is None
    assert moment.reading.spell() == moment.raw


# Texts dense in what dates are made of, so that many of them nearly are dates.
PIECES = st.sampled_from(
    [
        *(
            "2026",
            "12026",
            "26",
            "11",
            "15",
            "31",
            "00",
            "1",
            "9",
            "-",
            "-",
            ":",
            ":",
            "/",
            ".",
            ",",
            " ",
            "T",
            "t",
        ),
        *(
            "Z",
            "z",
            "+",
            "+00:00",
            "+0200",
            "-00:00",
            "+25:00",
            "UTC",
            "EST",
            "AM",
            "Sun",
            "Nov",
            "W46",
            "319",
        ),
        *(
            "10:00:00",
            "24:00:00",
            "23:59:60",
            "2026-11-15",
            "20261115",
            "1794736800",
            "\n",
            "\u00a0",
            "ноя",
            "²",
            "٣",
        ),
    ]
)
ROUGH = st.lists(PIECES, max_size=8).map("".join)
TEXTS = ROUGH | ROUGH.map("2026-11-15".__add__) | ROUGH.map("2026-11-15T10:00:00".__add__) | st.text()


@given(TEXTS)
def test_any_text_is_read_and_every_suggestion_is_right(raw: str) -> None:
    moment = Moment.parse(raw)
    assert moment.w3c_valid or moment.faults
    assert isinstance(moment.xsd_valid, bool)
    for each in moment.faults:
        assert 0 <= each.start <= each.end <= len(raw)
    if moment.suggestion is not None:
        fixed = Moment.parse(moment.suggestion)
        assert fixed.w3c_valid
        assert fixed.fault is None
        assert fixed.interval() == moment.interval()
    completed = moment.with_timezone("+02:00")
    assert completed is None or Moment.parse(completed).faults == ()
    assert (moment.interval() is None) == (moment.certain_interval() is None)


@given(TEXTS)
def test_the_short_way_agrees_with_the_long_way(raw: str) -> None:
    moment = Moment.parse(raw)
    assert moment == Moment._parse_slowly(raw)
    assert len(moment.faults) == len(diagnose(moment.text).faults)


@pytest.mark.parametrize("piece", ["9", " ", "2026-", "T", "0:", "[", "a ", "."])
def test_long_texts_are_refused_in_linear_time(piece: str) -> None:
    for text in (
        piece * 200_000,
        "2026-11-15" + piece * 200_000,
        "2026-11-15T10:00:00." + piece * 200_000 + "x",
    ):
        assert Moment.parse(text).form in {DateForm.ILLEGAL, DateForm.DAY}
