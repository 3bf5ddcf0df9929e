"""The engine table is complete, and says nothing without a source."""

from __future__ import annotations

import pytest

from urlset.spec.engines import DEFAULT_ENGINES, ENGINES, Engine, EngineSpec
from urlset.spec.protocol import MAX_BYTES


def test_every_engine_has_a_row() -> None:
    assert set(ENGINES) == set(Engine)
    assert DEFAULT_ENGINES == ("protocol", "google", "bing")
    assert Engine("xsd-strict") is Engine.XSD_STRICT


@pytest.mark.parametrize("spec", ENGINES.values(), ids=ENGINES)
def test_row_is_complete(spec: EngineSpec) -> None:
    assert spec.title
    assert spec.cites
    assert 0 < spec.max_bytes <= MAX_BYTES
    assert all(token == token.lower() for token in spec.meta_tokens)
    assert bool(spec.robots_tokens) >= bool(spec.meta_tokens)


def test_where_engines_differ_in_numbers() -> None:
    assert ENGINES[Engine.BAIDU].max_bytes == 10 * 1024 * 1024
