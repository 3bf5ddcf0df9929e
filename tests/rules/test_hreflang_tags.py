"""hreflang values → the faults found in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.rules.hreflang.codes import judge_tag, judge_tags
from urlset.spec.languages import LANGUAGES, REGIONS, SCRIPTS


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("de", []),
        ("x-default", []),
        ("en-US", []),
        ("zh-Hant-TW", []),
        ("", []),
        ("xx", ["H006 xx"]),
        ("deutsch", ["H006 deutsch"]),
        ("de,at", ["H006 de,at"]),
        ("日本", ["H006 日本"]),
        ("-US", ["H006 -US"]),
        ("x", ["H006 x"]),
        ("xx-YY", ["H006 xx", "H007 YY"]),
        ("en-XX", ["H007 XX"]),
        ("de-en", ["H007 en"]),
        ("en-gbr", ["H007 gbr"]),
        ("en-UK", ["H008 UK"]),
        ("en-eu", ["H008 eu"]),
        ("sq-XK", ["H008 XK"]),
        ("us", ["H009 us"]),
        ("un", ["H009 un"]),
        ("en_US", ["H010 _"]),
        ("en__US", ["H010 __"]),
        ("en - US", ["H010  - "]),
        ("en-", ["H010 -"]),
        ("x_default", ["H010 _"]),
        ("en_UK", ["H010 _", "H008 UK"]),
        ("US-en", ["H011 US-en"]),
        ("IN-en", ["H011 IN-en"]),
        ("in-ID", ["H027 in"]),
        ("in", ["H027 in"]),
        ("zh-TW-Hant", ["H011 Hant"]),
        ("en-US-GB", ["H011 GB"]),
        ("zh-Hanz", ["H012 Hanz"]),
        ("zh-Qaaa", ["H012 Qaaa"]),
        ("es-419", ["H013 419"]),
        ("de-DE-1996", ["H013 1996"]),
        ("sl-nedis", ["H013 nedis"]),
        ("eng", ["H014 eng"]),
        ("usa", ["H014 usa"]),
        ("iw", ["H027 iw"]),
    ],
)
def test_one_value(value: str, expected: list[str]) -> None:
    assert [f"{problem.fault.value} {value[problem.start : problem.end]}" for problem in judge_tag(value)] == expected


@given(st.text(max_size=20))
def test_any_value_is_judged_within_itself(value: str) -> None:
    for problem in judge_tag(value):
        assert 0 <= problem.start < problem.end <= len(value.strip())
        assert problem.message
        assert not problem.message.endswith(".")


@given(
    st.sampled_from(sorted(LANGUAGES)),
    st.sampled_from(["", *sorted(SCRIPTS)]),
    st.sampled_from(["", *sorted(REGIONS)]),
    st.sampled_from([str.lower, str.upper, str.title, str]),
)
def test_right_values_have_no_fault_in_any_case(language: str, script: str, region: str, case: type[str]) -> None:
    assert judge_tag(case("-".join(filter(None, (language, script, region))))) == ()


@pytest.mark.parametrize(
    ("values", "doubted"),
    [
        (("be", "nl", "fr"), []),
        (("be", "nl-be", "us"), ["be"]),
        (("ca", "es"), []),
        (("ca", "gb"), ["ca"]),
        (("de", "fr", "us"), []),
        (("ch", "de"), ["ch"]),
    ],
)
def test_country_codes_that_are_languages_are_doubted_in_company(values: tuple[str, ...], doubted: list[str]) -> None:
    found = [
        value
        for value, problems in zip(values, judge_tags(values), strict=True)
        if any(not p.certain for p in problems)
    ]
    assert found == doubted
