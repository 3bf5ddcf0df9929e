"""Field tables are consistent in themselves and with the schemas' sequences."""

from __future__ import annotations

from datetime import date

import pytest

from urlset.spec.extensions import IMAGE, NEWS, PUBLICATION, TVSHOW, VIDEO, ElementSpec, FieldKind
from urlset.spec.namespaces import BY_NAME

ELEMENTS = (IMAGE, VIDEO, TVSHOW, NEWS, PUBLICATION)
NAMES = [f"{spec.namespace}:{spec.name}" for spec in ELEMENTS]

SEQUENCES = {
    ("image", "image"): "loc caption geo_location title license",
    ("video", "video"): (
        "thumbnail_loc title description content_loc player_loc duration expiration_date rating "
        "content_segment_loc view_count publication_date tag category family_friendly restriction "
        "gallery_loc price requires_subscription uploader tvshow platform live id"
    ),
    ("video", "tvshow"): "show_title video_type episode_title season_number episode_number premier_date",
    ("news", "news"): "publication access genres publication_date title keywords stock_tickers",
    ("news", "publication"): "name language",
}


def element(namespace: str, name: str) -> ElementSpec | None:
    return next((spec for spec in ELEMENTS if spec.namespace == namespace and spec.name == name), None)


@pytest.mark.parametrize(("key", "names"), SEQUENCES.items(), ids=[":".join(key) for key in SEQUENCES])
def test_schema_order(key: tuple[str, str], names: str) -> None:
    spec = element(*key)
    assert spec is not None
    assert spec.xsd_sequence == tuple(names.split())


@pytest.mark.parametrize("spec", ELEMENTS, ids=NAMES)
def test_schema_positions_are_one_to_n(spec: ElementSpec) -> None:
    positions = [field.xsd_order for field in spec.fields if field.xsd_order is not None]
    assert positions == list(range(1, len(positions) + 1))


@pytest.mark.parametrize("spec", ELEMENTS, ids=NAMES)
def test_table_is_consistent(spec: ElementSpec) -> None:
    names = [field.name for field in spec.fields]
    assert len(set(names)) == len(names)
    assert spec.namespace in BY_NAME
    assert spec.cites
    assert set(spec.one_of) <= set(names)
    for field in spec.fields:
        assert field.cites, field.name
        assert spec.field(field.name) is field
        assert bool(field.values) == (field.kind in (FieldKind.CHOICE, FieldKind.CHOICES)), field.name
        assert field.max_count is None or field.repeatable, field.name
        if field.minimum is not None and field.maximum is not None:
            assert field.minimum < field.maximum
        if field.withdrawn:
            date.fromisoformat(field.withdrawn)
            assert not field.required or spec.withdrawn, field.name
        assert len({attribute.name for attribute in field.attributes}) == len(field.attributes)


def test_no_element_twice() -> None:
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize(
    ("key", "required"),
    [
        (("image", "image"), {"loc"}),
        (("video", "video"), {"thumbnail_loc", "title", "description"}),
        (("news", "news"), {"publication", "publication_date", "title"}),
        (("news", "publication"), {"name", "language"}),
    ],
)
def test_required_fields(key: tuple[str, str], required: set[str]) -> None:
    spec = element(*key)
    assert spec is not None
    assert {field.name for field in spec.fields if field.required} == required


def test_withdrawn_fields_are_those_of_the_2022_announcement() -> None:
    video, image = element("video", "video"), element("image", "image")
    assert video is not None
    assert image is not None
    assert {f.name for f in video.fields if f.withdrawn} == {"category", "gallery_loc", "price", "tvshow"}
    assert {f.name for f in image.fields if f.withdrawn} == {"caption", "geo_location", "title", "license"}
    player = video.field("player_loc")
    assert player is not None
    assert {attribute.name for attribute in player.attributes if attribute.withdrawn} == {
        "allow_embed",
        "autoplay",
    }


def test_groups_have_a_table_of_their_own() -> None:
    groups = {
        (spec.namespace, field.name) for spec in ELEMENTS for field in spec.fields if field.kind is FieldKind.GROUP
    }
    assert {key for key in groups if element(*key) is None} == set()


def test_unknown_names() -> None:
    video = element("video", "video")
    assert video is not None
    assert video.field("colour") is None
