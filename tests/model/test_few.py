"""Long lists in one line always say how many more there are."""

from __future__ import annotations

import pytest

from urlset.model.shown import few


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, ""), (1, "0"), (3, "0, 1, 2"), (4, "0, 1, 2 and 1 more"), (2003, "0, 1, 2 and 2,000 more")],
)
def test_the_rest_is_counted(count: int, said: str) -> None:
    assert few([str(number) for number in range(count)], 3) == said
    assert few({str(number): None for number in range(count)}, 3) == said
