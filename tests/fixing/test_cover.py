"""The latest range that covers a point, against looking at all of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from urlset.fixing.collected_fixes import Cover

ranges = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9)).map(lambda pair: (pair[0], sum(pair))), max_size=12)


@given(ranges)
def test_it_is_the_last_of_those_that_cover_it(made: list[tuple[int, int]]) -> None:
    cover = Cover([(start, end, number) for number, (start, end) in enumerate(made)])
    for point in range(-1, 42):
        covering = [number for number, (start, end) in enumerate(made) if start <= point <= end]
        assert cover.at(point) == (covering[-1] if covering else None)
