"""Family D: every fault of a date has one code, and the rules agree with the schema and with the W3C note."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from urlset.checking.context import Context, Thresholds
from urlset.checking.declare import AnyRule, Rule, wrap
from urlset.checking.engine import check
from urlset.checking.subjects import Sitemap
from urlset.findings.card import Severity
from urlset.findings.finding import Finding
from urlset.model.moment import Fault, Moment
from urlset.reading.read import read
from urlset.rules import index_entries, lastmod_dates, lastmod_form
from urlset.rules.lastmod_form import CODE_OF, minded, severity_of
from urlset.spec.engines import Engine

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
SCHEMA = (Engine.XSD_STRICT,)
PROTOCOL = (Engine.PROTOCOL,)
DEFAULT = (Engine.PROTOCOL, Engine.GOOGLE, Engine.BING)


def rules_of(*modules: object) -> list[AnyRule]:
    return [value for module in modules for value in vars(module).values() if isinstance(value, Rule)]


ENTRY_RULES = [rule for rule in rules_of(lastmod_dates, lastmod_form) if rule.on is not Sitemap]
FILE_RULES = [rule for rule in rules_of(lastmod_dates, lastmod_form) if rule.on is Sitemap]
CHILD_RULES = [rule for rule in rules_of(index_entries) if rule.code == "I014"]


def findings(
    entries: str,
    engines: tuple[Engine, ...] = DEFAULT,
    rules: list[AnyRule] = ENTRY_RULES,
    *,
    root: str = "urlset",
    url: str | None = None,
    thresholds: Thresholds = Thresholds(),  # noqa: B008 - frozen
) -> list[Finding]:
    document = read(wrap(entries, root).encode(), name="sitemap.xml", url=url)
    context = Context(now=NOW, engines=engines, thresholds=thresholds)
    chosen = [rule for rule in rules if rule.card.severity_for(engines) is not None]
    found = check(document, chosen, context).findings
    assert "T001" not in {finding.code for finding in found}, found
    return list(found)


def of_date(text: str, engines: tuple[Engine, ...] = DEFAULT) -> dict[str, Severity]:
    entry = f"<url><loc>https://example.com/</loc><lastmod>{text}</lastmod></url>"
    return {finding.code: finding.severity for finding in findings(entry, engines)}


def of_child_date(text: str, engines: tuple[Engine, ...] = DEFAULT) -> list[Severity]:
    entry = f"<sitemap><loc>https://example.com/a.xml</loc><lastmod>{text}</lastmod></sitemap>"
    return [finding.severity for finding in findings(entry, engines, CHILD_RULES, root="sitemapindex")]


def dated(texts: list[str], path: str = "/page-{}") -> str:
    return "\n".join(
        f"<url><loc>https://example.com{path.format(number)}</loc><lastmod>{text}</lastmod></url>"
        for number, text in enumerate(texts)
    )


# -- faults and codes ----------------------------------------------------------------------------------------


def test_every_fault_has_one_code_and_every_code_a_rule() -> None:
    assert set(CODE_OF) == set(Fault)
    assert set(CODE_OF.values()) <= {rule.code for rule in ENTRY_RULES}


@pytest.mark.parametrize("code", sorted(set(CODE_OF.values())))
@pytest.mark.parametrize("engine", [Engine.PROTOCOL, Engine.GOOGLE, Engine.YANDEX])
def test_a_child_is_judged_as_severely_as_a_page(code: str, engine: Engine) -> None:
    card = next(rule.card for rule in ENTRY_RULES if rule.code == code)
    assert card.severity_for((engine,)) == (severity_of(code, (engine,)) if minded(code, (engine,)) else None)


ONE_FAULT = {
    Fault.EMPTY: "",
    Fault.WHITESPACE: "2026-11-15T10:00:00 +01:00",
    Fault.NO_TIMEZONE: "2026-11-15T10:00:00",
    Fault.OFFSET_WITHOUT_COLON: "2026-11-15T10:00:00+0100",
    Fault.OFFSET_HOUR_ONLY: "2026-11-15T10:00:00+01",
    Fault.OFFSET_RANGE: "2026-11-15T10:00:00+15:00",
    Fault.ZONE_NAME: "2026-11-15T10:00:00CET",
    Fault.SPACE_FOR_T: "2026-11-15 10:00:00Z",
    Fault.LOWER_CASE: "2026-11-15T10:00:00z",
    Fault.HOUR_ONLY: "2026-11-15T10Z",
    Fault.COMMA_FRACTION: "2026-11-15T10:00:00,5Z",
    Fault.MISSING_ZERO: "2026-11-5",
    Fault.DATE_WITH_TIMEZONE: "2026-11-15Z",
    Fault.IMPOSSIBLE_DATE: "2026-02-30",
    Fault.IMPOSSIBLE_TIME: "2026-11-15T10:61:00Z",
    Fault.HOUR_24: "2026-11-14T24:00:00Z",
    Fault.SECOND_60: "2026-11-14T10:00:60Z",
    Fault.YEAR_RANGE: "12026-11-15",
    Fault.SLASHES: "2026/11/15",
    Fault.DOTS: "2026.11.15",
    Fault.DAY_MONTH_AMBIGUOUS: "03/04/2026",
    Fault.YEAR_LAST: "15/11/2026",
    Fault.TWO_DIGIT_YEAR: "15/11/26",
    Fault.RFC822: "Sun, 15 Nov 2026 10:00:00 GMT",
    Fault.UNIX_TIMESTAMP: "1763200800",
    Fault.BASIC_ISO: "20261115",
    Fault.WEEK_DATE: "2026-W46-7",
    Fault.ORDINAL_DATE: "2026-319",
    Fault.LOCALE_WORDS: "15 novembre 2026",
    Fault.OTHER: "2026-11-",
}


def test_the_table_of_faults_is_complete() -> None:
    assert set(ONE_FAULT) == set(Fault)
    assert {fault: Moment.parse(text).fault for fault, text in ONE_FAULT.items()} == {each: each for each in Fault}


@pytest.mark.parametrize(("fault", "text"), ONE_FAULT.items())
def test_one_fault_is_one_finding(fault: Fault, text: str) -> None:
    assert list(of_date(text)) == [CODE_OF[fault]]
    assert list(of_date(text).values()) == of_child_date(text)


def test_several_faults_of_one_date_are_told_apart() -> None:
    assert set(of_date("2026-11-15 10:00:00")) == {"D003", "D005"}
    assert set(of_date("2026-11-15t10:00+0100")) == {"D004", "D006"}


def test_a_foreign_notation_is_one_finding_whatever_else_is_wrong_with_it() -> None:
    assert set(of_date("31 Feb 26 25:00:00")) == {"D021"}
    assert set(of_date("20261315T100000")) == {"D021"}


@pytest.mark.parametrize(
    ("text", "code"),
    [("2026", "D009"), ("15/11/2026", "D001"), ("03/04/2026", "D022"), (" ", "D020"), ("1970-01-01", "D015")],
)
def test_a_near_miss_of_one_rule_is_the_finding_of_another_alone(text: str, code: str) -> None:
    assert set(of_date(text)) == {code}


# -- agreement with the schema and the note ------------------------------------------------------------------

_digits = st.text("0123456789", min_size=1, max_size=5)
_offsets = st.sampled_from(
    ["", "Z", "z", "+00:00", "-00:00", "+14:00", "+14:01", "-15:00", "+0100", "+01", " UTC", "[x]"]
)
_years = st.sampled_from(["2026", "2024", "0000", "0001", "1969", "12026", "-0001", "+2026", "02026", "99999", "26"])
_numbers = st.sampled_from(["00", "01", "02", "7", "11", "12", "13", "24", "28", "29", "30", "31", "59", "60", "61"])


@st.composite
def date_like(draw: st.DrawFn) -> str:
    dash = draw(st.sampled_from(["-", "-", "-", "/", ".", ""]))
    text = dash.join([draw(_years), *draw(st.lists(_numbers, max_size=2))])
    if draw(st.booleans()):
        clock_text = ":".join(draw(st.lists(_numbers, min_size=1, max_size=3)))
        fraction = draw(st.sampled_from(["", "", ".5", ".123456789", ",5"]))
        text += draw(st.sampled_from(["T", "T", "t", " ", ""])) + clock_text + fraction
    return text + draw(_offsets)


ANY_DATE = date_like() | st.text("0123456789-:TZtz+./ ,W", max_size=30)


@given(ANY_DATE)
@example("2026")
@example("2026-11-15T10:00")
@example("0000-01-01")
@example("2026-11-15T24:00:00Z")
@example("2026-11-15+0200")
@example("+12026-01-01")
@example("02026-01-01")
def test_the_schema_alone_finds_what_the_schema_rejects_and_nothing_else(text: str) -> None:
    valid = Moment.parse(text.strip()).xsd_valid
    assert valid == (not of_date(text, SCHEMA)), of_date(text, SCHEMA)
    assert valid == (not of_child_date(text, SCHEMA))


@given(ANY_DATE)
def test_what_the_note_forbids_is_found_and_what_it_allows_is_no_error(text: str) -> None:
    moment = Moment.parse(text.strip())
    worst = set(of_date(text, PROTOCOL).values())
    if moment.w3c_valid:
        assert Severity.ERROR not in worst
    else:
        assert worst & {Severity.ERROR, Severity.WARNING}


@given(ANY_DATE)
def test_a_child_has_a_finding_exactly_when_a_page_would_have_one(text: str) -> None:
    assert bool(of_date(text)) == bool(of_child_date(text))


# -- behaviours ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("digits", ["4", "45", "123", "123456", "123456789", "0" * 40])
def test_fractions_of_a_second_are_no_fault(digits: str) -> None:
    text = f"2026-11-15T10:00:00.{digits}+01:00"
    assert of_date(text, tuple(Engine)) == {}
    assert of_child_date(text, tuple(Engine)) == []


def test_a_date_covers_its_whole_day() -> None:
    """Midnight UTC is never put in for a missing time: the day has not passed before it has ended everywhere."""
    day, midnight = "2026-11-17", "2026-11-17T00:00:00Z"
    assert of_date(day) == {}
    context = Thresholds(future_hours=0)
    entry = "<url><loc>https://example.com/</loc><lastmod>{}</lastmod></url>"
    assert findings(entry.format(day.replace("17", "16")), thresholds=context) == []
    assert [found.code for found in findings(entry.format(midnight), thresholds=context)] == ["D014"]
    assert not Moment.parse(midnight).newer_than(Moment.parse(day))


@pytest.mark.parametrize(
    ("ahead", "expected"), [(timedelta(hours=-1), []), (timedelta(hours=24), []), (timedelta(hours=25), ["D014"])]
)
def test_the_grace_of_the_future_is_a_threshold(ahead: timedelta, expected: list[str]) -> None:
    text = (NOW + ahead).isoformat()
    assert list(of_date(text)) == expected
    loc = f"<url><loc>https://example.com/</loc><lastmod>{text}</lastmod></url>"
    assert findings(loc, thresholds=Thresholds(future_hours=48)) == []


def test_a_no_break_space_around_a_date_is_an_error() -> None:
    assert of_date("2026-11-15 ") == {"D026": Severity.INFO}
    assert of_date("2026-11-15&#160;") == {"D026": Severity.ERROR}
    assert of_date("2026-11-15 ", SCHEMA) == {}
    assert of_date("2026-11-15&#160;", SCHEMA) == {"D026": Severity.ERROR}


# -- one date for all ----------------------------------------------------------------------------------------


def stamped(texts: list[str], url: str | None = None, path: str = "/page-{}") -> dict[str, Severity]:
    found = findings(dated(texts, path), (Engine.GOOGLE,), FILE_RULES, url=url)
    return {finding.code: finding.severity for finding in found}


SPREAD = [f"2026-11-15T10:{minute:02d}:{second:02d}Z" for minute in range(5) for second in range(0, 60, 3)]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        pytest.param(["2026-11-15T10:00:00Z"] * 20, {"D016": Severity.WARNING}, id="stamp-of-now"),
        pytest.param(["2020-11-15T10:00:00Z"] * 20, {"D016": Severity.WARNING}, id="stamp-of-old"),
        pytest.param(["2026-11-15T10:00:00Z"] * 19, {}, id="too-few"),
        pytest.param(["2026-11-15T10:00:00Z"] * 18 + ["2025-01-01"] * 2, {}, id="below-the-share"),
        pytest.param(["2026-11-14"] * 20, {"D016": Severity.WARNING}, id="day-of-the-last-build"),
        pytest.param(["2026-03-14"] * 999, {}, id="import-of-long-ago"),
        pytest.param(["2026-03-14"] * 1000, {"D016": Severity.INFO}, id="more-than-a-day-of-work"),
        pytest.param(["2026-03-14T00:00:00+01:00"] * 999, {}, id="midnight-is-a-day"),
        pytest.param(["2026-03-14T00:00Z"] * 999, {}, id="midnight-without-seconds-is-a-day"),
        pytest.param(["rubbish"] * 30, {}, id="no-dates"),
        pytest.param(["1970-01-01T00:00:00Z"] * 30, {}, id="implausible-and-reported-as-such"),
        pytest.param(SPREAD, {"D017": Severity.WARNING}, id="written-while-building"),
        pytest.param(
            [text.replace("2026", "2024") for text in SPREAD], {"D017": Severity.INFO}, id="built-or-imported"
        ),
        pytest.param(SPREAD[:19], {}, id="too-few-to-be-a-build"),
        pytest.param(
            [f"2026-11-15T10:00:{n % 60:02d}.{n:06d}+01:00" for n in range(90)], {"D017": Severity.WARNING}, id="micros"
        ),
        pytest.param(
            ["2026-11-14T23:58:00Z", "2026-11-15T00:03:00Z"] * 20, {"D017": Severity.WARNING}, id="over-midnight"
        ),
        pytest.param(
            ["2026-11-15T10:58:00+01:00", "2026-11-15T10:03:00Z"] * 20, {"D017": Severity.WARNING}, id="two-offsets"
        ),
        pytest.param([f"2026-11-15T{n % 24:02d}:00:{n % 60:02d}Z" for n in range(90)], {}, id="round-the-clock"),
        pytest.param([f"2026-{n % 12 + 1:02d}-{n % 28 + 1:02d}" for n in range(90)], {}, id="honest-days"),
    ],
)
def test_one_stamp_for_all(texts: list[str], expected: dict[str, Severity]) -> None:
    assert stamped(texts) == expected


def test_the_articles_of_one_day_are_honest() -> None:
    day = ["2026-11-15"] * 60
    assert stamped(day, path="/2026/11/15/story-{}") == {}
    assert stamped(day, path="/story-20261115-{}") == {}
    assert stamped(day, url="https://example.com/sitemap-2026-11-15.xml") == {}
    news = (
        "<url><loc>https://example.com/{n}</loc><lastmod>2026-11-15T06:00:00Z</lastmod>"
        "<news:news><news:title>t</news:title></news:news></url>"
    )
    assert findings("".join(news.replace("{n}", str(n)) for n in range(60)), (Engine.GOOGLE,), FILE_RULES) == []


def test_thresholds_of_the_stamps_can_be_set() -> None:
    thresholds = Thresholds(identical_lastmod_entries=3, build_stamp_entries=3, build_stamp_window_seconds=3600)
    same, apart = dated(["2026-11-15T10:00:00Z"] * 3), dated([f"2026-11-15T10:{n}:00Z" for n in (10, 30, 55)])
    assert [f.code for f in findings(same, (Engine.BING,), FILE_RULES, thresholds=thresholds)] == ["D016"]
    assert [f.code for f in findings(apart, (Engine.BING,), FILE_RULES, thresholds=thresholds)] == ["D017"]
    strict = msgspec.structs.replace(thresholds, build_stamp_window_seconds=60)
    assert findings(apart, (Engine.BING,), FILE_RULES, thresholds=strict) == []


def test_a_fact_about_the_file_is_one_finding_with_a_count() -> None:
    [found] = findings(dated(["2026-11-15T10:00:00Z"] * 40), (Engine.BING,), FILE_RULES)
    assert (found.count, found.line) == (40, 3)
    bare = "<url><loc>https://example.com/a</loc></url>\n" * 30
    [found] = findings(bare, DEFAULT, FILE_RULES)
    assert (found.code, found.severity, found.count) == ("D018", Severity.WARNING, 30)
    [found] = findings(bare, (Engine.GOOGLE,), FILE_RULES)
    assert found.severity is Severity.INFO
    found_by_code = {f.code: f.count for f in findings(bare + dated(["2026-11-15"]), DEFAULT, FILE_RULES)}
    assert found_by_code == {"D019": 30, "D024": 1}


def test_one_and_many_are_told_in_good_grammar() -> None:
    bare = "<url><loc>https://example.com/{}</loc></url>\n"
    one = findings(bare.format("a") + dated(["2026-11-15", "2026-11-15T10:00:00Z"]), DEFAULT, FILE_RULES)
    assert [found.message for found in one] == [
        "1 of 3 entries has no lastmod",
        "1 of 3 entries has a date without a time; Bing recommends a time",
    ]
    two = findings(bare.format("a") + bare.format("b") + dated(["2026-11-14", "2026-11-15"]), DEFAULT, FILE_RULES)
    assert [found.message for found in two] == [
        "2 of 4 entries have no lastmod",
        "2 of 4 entries have a date without a time; Bing recommends a time",
    ]


def test_an_empty_lastmod_counts_as_one() -> None:
    entries = dated(["2026-11-15T10:00:00Z", ""])
    assert findings(entries, DEFAULT, FILE_RULES) == []
    assert findings(dated([""] * 30), DEFAULT, FILE_RULES) == []


def test_a_news_sitemap_needs_no_lastmod() -> None:
    news = "<url><loc>https://example.com/a</loc><news:news><news:title>t</news:title></news:news></url>\n"
    assert findings(news * 30, DEFAULT, FILE_RULES) == []
