"""Each guard refuses with the numbers, and each can be overridden by its name."""

from __future__ import annotations

import pytest

from urlset.building.guard import Guard, named, refusals
from urlset.building.manifest import FileRole, Manifest, PublishedFile


def published(base_url: str = "https://example.com/", **sections: int) -> Manifest:
    shards = [PublishedFile(f"sitemap-{name}-1.xml", "", 1, count, name) for name, count in sections.items()]
    return Manifest.of(base_url, (*shards, PublishedFile("sitemap.xml", "", 1, len(shards), role=FileRole.INDEX)))


LAST = published(a=1000, b=234)


@pytest.mark.parametrize(
    ("proposed", "last", "errors", "expected"),
    [
        (LAST, LAST, 0, []),
        (LAST, None, 0, []),
        (published(a=990, b=1), LAST, 0, []),  # 19.7 %
        (
            published(a=980, b=7),
            LAST,
            0,
            ["the set would shrink from 1,234 to 987 pages (20.0 %); at most 20 % is allowed"],
        ),
        (published(), None, 0, ["the new set is empty"]),
        (published(), LAST, 0, ["the new set is empty; the last set lists 1,234 pages"]),
        (published(a=0, b=0), LAST, 0, ["the new set is empty; the last set lists 1,234 pages"]),
        (published(a=1300), LAST, 0, ["section 'b', with 234 pages in the last set, would disappear"]),
        (published(a=1300, b=0), LAST, 0, ["section 'b', with 234 pages in the last set, would disappear"]),
        (
            published("https://www.example.com/", a=1000, b=234),
            LAST,
            0,
            ["the host changed from 'example.com' to 'www.example.com'"],
        ),
        (published("http://EXAMPLE.com:80/", a=1000, b=234), LAST, 0, []),
        (LAST, LAST, 1, ["the check found 1 error in the new set"]),
        (LAST, None, 12_345, ["the check found 12,345 errors in the new set"]),
        (published(a=5, b=5), published(), 0, []),
    ],
)
def test_refusals(proposed: Manifest, last: Manifest | None, errors: int, expected: list[str]) -> None:
    assert [refusal.text for refusal in refusals(proposed, last, errors=errors)] == expected


def test_each_is_overridden_by_its_name_alone() -> None:
    proposed = published("https://other.example/", a=10)
    found = refusals(proposed, LAST, errors=3)
    assert [refusal.name for refusal in found] == ["errors", "host", "shrink", "section"]
    for guard in found:
        assert guard not in refusals(proposed, LAST, errors=3, force=[guard.name])
        assert len(refusals(proposed, LAST, errors=3, force=[guard.name])) == 3
    assert refusals(proposed, LAST, errors=3, force=["errors", "host", "shrink", "section"]) == []
    assert refusals(published(), LAST, force=["empty"]) == []


def test_the_allowed_fall_is_a_setting() -> None:
    assert refusals(published(a=400, b=100), LAST, shrink_percent=60) == []
    assert [refusal.name for refusal in refusals(published(a=990, b=234), LAST, shrink_percent=0)] == ["shrink"]


def test_a_set_that_gets_sections_has_not_lost_one() -> None:
    last = Manifest.of("https://example.com/", (PublishedFile("sitemap.xml", "", 1, 10),))
    assert refusals(published(a=10), last) == []


def test_an_unknown_name_is_a_mistake() -> None:
    assert named(["empty"]) == [Guard.EMPTY]
    with pytest.raises(
        ValueError, match="unknown safety check 'emtpy'; choose from empty, shrink, section, host, errors"
    ):
        refusals(LAST, None, force=["emtpy"])
