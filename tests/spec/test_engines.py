"""The engine table is complete, and says nothing without a source."""

from __future__ import annotations

import pytest

from urlset.spec.engines import DEFAULT_ENGINES, ENGINES, FORMATS, Engine, EngineSpec, Honour
from urlset.spec.protocol import MAX_BYTES

FEATURES = {
    *("lastmod", "changefreq", "priority", "hreflang", "image", "video", "news"),
    *("ping", "indexnow", "path_scope"),
}


def test_every_engine_has_a_row() -> None:
    assert set(ENGINES) == set(Engine)
    assert DEFAULT_ENGINES == ("protocol", "google", "bing")
    assert Engine("xsd-strict") is Engine.XSD_STRICT


@pytest.mark.parametrize("spec", ENGINES.values(), ids=ENGINES)
def test_row_is_complete(spec: EngineSpec) -> None:
    assert set(spec.features()) == FEATURES
    assert set(spec.formats) <= set(FORMATS)
    assert "urlset" in spec.formats
    assert spec.formats_cites
    assert spec.max_bytes_cites
    assert 0 < spec.max_bytes <= MAX_BYTES
    assert all(token == token.lower() for token in spec.meta_tokens)
    assert bool(spec.robots_tokens) == bool(spec.robots_cites)


@pytest.mark.parametrize("spec", ENGINES.values(), ids=ENGINES)
def test_only_the_unknown_goes_without_a_source(spec: EngineSpec) -> None:
    for feature, claim in spec.features().items():
        assert bool(claim.cites) == (claim.honour is not Honour.UNKNOWN), feature


@pytest.mark.parametrize(
    ("engine", "feature", "honour"),
    [
        ("google", "lastmod", Honour.USED),
        ("google", "changefreq", Honour.IGNORED),
        ("google", "priority", Honour.IGNORED),
        ("google", "ping", Honour.DEAD),
        ("google", "indexnow", Honour.IGNORED),
        ("bing", "priority", Honour.IGNORED),
        ("bing", "ping", Honour.DEAD),
        ("bing", "indexnow", Honour.USED),
        ("yandex", "priority", Honour.USED),
        ("yandex", "hreflang", Honour.UNKNOWN),
        ("seznam", "priority", Honour.USED),
        ("naver", "lastmod", Honour.UNKNOWN),
        ("protocol", "path_scope", Honour.USED),
    ],
)
def test_claims(engine: str, feature: str, honour: Honour) -> None:
    assert ENGINES[Engine(engine)].features()[feature].honour is honour


def test_where_engines_differ_in_numbers_and_formats() -> None:
    assert ENGINES[Engine.BAIDU].max_bytes == 10 * 1024 * 1024
    assert ENGINES[Engine.GOOGLE].robots_max_bytes == 500 * 1024
    assert "atom03" not in ENGINES[Engine.GOOGLE].formats
    assert "atom03" in ENGINES[Engine.BING].formats
    assert "rss" not in ENGINES[Engine.YANDEX].formats
