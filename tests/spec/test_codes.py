"""Language, region and script tables have the right size and do not contradict each other."""

from __future__ import annotations

import pytest

from urlset.spec.languages import (
    LANGUAGES,
    REGION_FOR_LANGUAGE,
    REGIONS,
    RESERVED,
    SCRIPTS,
    THREE_LETTER,
    WITHDRAWN,
)


def test_table_sizes() -> None:
    assert len(LANGUAGES) == 183
    assert len(THREE_LETTER) == 486 + 20
    assert len(REGIONS) == 249
    assert len(SCRIPTS) == 224


def test_shapes() -> None:
    assert all(len(code) == 2 and code.islower() and name for code, name in LANGUAGES.items())
    assert all(len(code) == 3 and code.islower() for code in THREE_LETTER)
    assert all(len(code) == 2 and code.isupper() and name for code, name in REGIONS.items())
    assert all(len(code) == 4 and code == code.capitalize() for code in SCRIPTS)
    assert all(";" not in name for name in (*LANGUAGES.values(), *REGIONS.values()))


def test_every_two_letter_language_has_three_letter_codes_and_none_is_invented() -> None:
    assert {two for two in THREE_LETTER.values() if two} == set(LANGUAGES)
    assert THREE_LETTER["ger"] == THREE_LETTER["deu"] == "de"


@pytest.mark.parametrize(
    ("code", "two"),
    [("ger", "de"), ("deu", "de"), ("eng", "en"), ("fil", None), ("chi", "zh"), ("bih", None)],
)
def test_three_letter_codes(code: str, two: str | None) -> None:
    assert THREE_LETTER[code] == two


def test_withdrawn_languages_are_gone_and_their_replacements_are_not() -> None:
    assert set(WITHDRAWN) >= {"iw", "in", "ji", "jw", "mo", "sh"}
    assert not set(WITHDRAWN) & set(LANGUAGES)
    assert {entry.replacement for entry in WITHDRAWN.values() if entry.replacement} <= set(LANGUAGES)
    assert WITHDRAWN["iw"].replacement == "he"


def test_regions_taken_for_languages_are_regions_and_not_languages() -> None:
    assert {code.upper() for code in REGION_FOR_LANGUAGE} <= set(REGIONS)
    assert not set(REGION_FOR_LANGUAGE) & (set(LANGUAGES) | set(WITHDRAWN))
    assert set(REGION_FOR_LANGUAGE.values()) <= set(LANGUAGES)


def test_reserved_regions_are_not_assigned_and_point_to_assigned_ones() -> None:
    assert set(RESERVED) >= {"UK", "EU", "UN"}
    assert not set(RESERVED) & set(REGIONS)
    assert {code for region in RESERVED.values() for code in region.instead} <= set(REGIONS)
    assert RESERVED["UK"].instead == ("GB",)
    assert RESERVED["EU"].instead == ()


@pytest.mark.parametrize("code", ["Latn", "Cyrl", "Hans", "Hant", "Arab", "Jpan", "Zyyy", "Zzzz"])
def test_scripts(code: str) -> None:
    assert code in SCRIPTS
