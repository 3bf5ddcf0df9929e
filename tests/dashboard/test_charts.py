"""Charts stay inside their frame, whatever the numbers, and say in words what they draw."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from urlset.dashboard.charts import HEIGHT, WIDTH, Chart, ChartDay, TrendLine, churn_chart, line_chart, spark

values = st.one_of(st.none(), st.integers(0, 10**9).map(float))
rows = st.lists(values, min_size=1, max_size=40)


def moments(count: int) -> list[ChartDay]:
    return [ChartDay(f"2026-10-{number % 30 + 1:02}", f"/diff?{number}") for number in range(count)]


def inside(chart: Chart) -> None:
    numbers = [float(each) for line in chart.lines for each in re.findall(r"-?[\d.]+", f"{line.path} {line.area}")]
    assert all(0 <= each <= WIDTH for each in numbers)
    for x, y, width, height, _ in chart.bars:
        assert 0 <= x <= x + width <= WIDTH
        assert height >= 0
        assert 0 <= y <= y + height <= HEIGHT
    assert all(0 <= y <= HEIGHT for y, _ in chart.grid)
    assert len(chart.grid) <= 12


@given(rows)
def test_lines(found: list[float | None]) -> None:
    chart = line_chart("URLs", moments(len(found)), [TrendLine("URLs", found, area=True)])
    inside(chart)
    known = [value for value in found if value is not None]
    assert len(chart.lines[0].path.split()) == 2 * len(known)
    assert chart.lines[0].last or not known


@given(st.lists(st.tuples(st.integers(0, 10**7), st.integers(0, 10**7)), min_size=1, max_size=40))
def test_bars(found: list[tuple[int, int]]) -> None:
    up, down = (TrendLine(name, [each[at] for each in found]) for at, name in enumerate(("added", "removed")))
    inside(churn_chart("Churn", moments(len(found)), up, down))


@given(st.lists(st.integers(0, 10**9).map(float), max_size=40), st.booleans())
def test_sparks(found: list[float], flat: bool) -> None:
    for point in spark(found, flat=flat).split():
        x, y = map(float, point.split(","))
        assert 0 <= x <= 120
        assert 0 <= y <= 28


def test_a_chart_in_words() -> None:
    chart = line_chart("Indexed", moments(3), [TrendLine("indexed", [None, 0.5, 0.75])], share=True)
    assert chart.label == "Indexed: indexed from 50% on 2026-10-02 to 75% on 2026-10-03"
    assert [mark.text for mark in chart.marks] == [
        "2026-10-01: unknown",
        "2026-10-02: indexed 50%",
        "2026-10-03: indexed 75%",
    ]
    assert [mark.link for mark in chart.marks] == ["/diff?0", "/diff?1", "/diff?2"]
