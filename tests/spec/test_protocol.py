"""The protocol's numbers agree with each other and all carry a source."""

from __future__ import annotations

import pytest

from tests.spec.cites import cites_of
from urlset.spec import protocol

CONSTANTS = [name for name in dir(protocol) if name.isupper()]


@pytest.mark.parametrize("name", CONSTANTS)
def test_every_constant_carries_a_source(name: str) -> None:
    assert cites_of(protocol, name)


def test_core_numbers() -> None:
    assert protocol.MAX_URLS == protocol.MAX_INDEX_ENTRIES == 50_000
    assert protocol.MAX_BYTES == 50 * 1024 * 1024
    assert protocol.LOC_MIN_LENGTH_XSD == 12
    assert protocol.LOC_MAX_LENGTH_XSD == protocol.LOC_LENGTH_BELOW == 2048
    assert protocol.ROBOTS_MIN_PARSED_BYTES == 512_000
    assert protocol.ROBOTS_MAX_LINE_BYTES_GOOGLE == 16_664
    assert protocol.PRIORITY_MIN < protocol.PRIORITY_DEFAULT < protocol.PRIORITY_MAX


def test_changefreq_has_the_seven_values() -> None:
    assert protocol.CHANGEFREQ == ("always", "hourly", "daily", "weekly", "monthly", "yearly", "never")


@pytest.mark.parametrize("table", [protocol.CHANGEFREQ_SYNONYMS, protocol.CHANGEFREQ_NEAREST])
def test_changefreq_synonyms_lead_from_illegal_to_legal(table: dict[str, str]) -> None:
    assert set(table.values()) <= set(protocol.CHANGEFREQ)
    assert not set(table) & set(protocol.CHANGEFREQ)
    assert all(word == word.strip().lower() for word in table)


def test_a_synonym_is_never_also_an_approximation() -> None:
    assert not set(protocol.CHANGEFREQ_SYNONYMS) & set(protocol.CHANGEFREQ_NEAREST)


def test_date_forms_of_extensions_are_forms_of_the_note() -> None:
    assert set(protocol.LASTMOD_FORMS_VIDEO) < set(protocol.LASTMOD_FORMS)
    assert protocol.LASTMOD_FORMS_NEWS[0] == "YYYY-MM-DD"
    assert len(protocol.LASTMOD_FORMS) == 6


@pytest.mark.parametrize(
    "values",
    [protocol.VIDEO_FILE_TYPES, protocol.THUMBNAIL_FILE_TYPES],
)
def test_lists_have_no_duplicates(values: tuple[str, ...]) -> None:
    assert len(set(values)) == len(values)
