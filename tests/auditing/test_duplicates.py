"""Pages with the same or nearly the same content: found in linear time, grouped, with the one to keep."""

from __future__ import annotations

import random
import time

import pytest

from urlset.auditing.duplicates import ContentTwin, Duplicates, PageSketch
from urlset.reading.fingerprint import SKETCH, hash_of, own_sketch, sketch_of

SITE = "https://example.com/"


def words(seed: int, count: int = 300) -> list[str]:
    chance = random.Random(seed)
    return [f"word{chance.randrange(5_000)}" for _ in range(count)]


def sketch(path: str, text: list[str], **more: object) -> PageSketch:
    own, whole = own_sketch(sketch_of([" ".join(text)], [len(text)]), ())
    return PageSketch(f"{SITE}{path}", hash_of(" ".join(text)), own, whole, **more)  # type: ignore[arg-type]


def twins(*pages: PageSketch, share: float = 0.9) -> dict[str, ContentTwin]:
    duplicates = Duplicates(share)
    for page in pages:
        duplicates.add(page)
    return {url.removeprefix(SITE): twin for url, twin in duplicates.found().items()}


def test_equal_pages_are_one_group_and_the_plainest_url_stays() -> None:
    same = words(1)
    found = twins(sketch("b?x=1", same), sketch("long-name", same), sketch("a", same), sketch("other", words(2)))
    assert set(found) == {"b?x=1", "long-name"}
    assert {twin.keep for twin in found.values()} == {f"{SITE}a"}
    assert {(twin.alike, twin.pages) for twin in found.values()} == {(1.0, 3)}


@pytest.mark.parametrize(("changed", "is_found"), [(1, True), (5, True), (60, False), (150, False)])
def test_near_means_nine_of_ten_sequences(changed: int, is_found: bool) -> None:
    one = words(3)
    other = [*one[: 300 - changed], *words(4, changed)]
    found = twins(sketch("a", one), sketch("bb", other))
    assert ("bb" in found) is is_found
    if is_found:
        assert 0.9 <= found["bb"].alike < 1


def test_another_threshold() -> None:
    one = words(3)
    assert "bb" in twins(sketch("a", one), sketch("bb", [*one[:240], *words(4, 60)]), share=0.5)


def test_language_versions_may_be_alike() -> None:
    same = words(5)
    related = frozenset({hash_of(f"{SITE}gb")})
    assert twins(sketch("gb", same), sketch("uss", same, others=related)) == {}
    near = [*same[:299], "colour"]
    assert twins(sketch("gb", same), sketch("uss", near, others=related)) == {}


def test_what_the_site_repeats_does_not_count() -> None:
    frame, one, other = words(6, 400), words(7, 100), words(8, 100)
    packed = [sketch_of([" ".join(frame), " ".join(own)], [400, 100]) for own in (one, other)]
    whole = [own_sketch(each, ()) for each in packed]
    without = [own_sketch(each, {0}) for each in packed]
    shared = [len(set(first[0]) & set(second[0])) for first, second in (whole, without)]
    assert len(whole[0][0]) == SKETCH
    assert shared[0] > SKETCH / 2
    assert shared[1] <= 2


def test_a_template_shared_by_all_pages_costs_no_square() -> None:
    template = words(9, 200)

    def seconds(count: int) -> float:
        duplicates = Duplicates(0.9)
        for number in range(count):
            duplicates.add(sketch(str(number), [*template, *words(number + 100, 100)]))
        start = time.process_time()
        assert duplicates.found() == {}
        return time.process_time() - start

    few = max(seconds(300), 0.02)
    assert seconds(1_200) < 12 * few
