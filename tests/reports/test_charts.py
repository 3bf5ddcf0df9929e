"""Counts → charts: shares, lengths, and what is too small or too much to draw."""

from __future__ import annotations

from urlset.reports.charts import bars, line, stack


def test_bars_are_as_long_as_their_share_of_the_longest() -> None:
    chart = bars("Sections", [("/a/", 50), ("/b/", 25), ("/none/", 0)], filter="section", shapes={"/a/": "ok"})
    assert [(bar.label, bar.count, bar.share, bar.width, bar.shape, bar.value) for bar in chart.bars] == [
        ("/a/", 50, "66.7%", "100.00", "ok", "/a/"),
        ("/b/", 25, "33.3%", "50.00", "", "/b/"),
    ]


def test_the_rest_is_added_up_and_filters_nothing() -> None:
    chart = bars("Sections", [(f"/{at}/", 10) for at in range(15)], most=12, filter="section")
    assert (len(chart.bars), chart.bars[-1].label, chart.bars[-1].count, chart.bars[-1].value) == (
        13,
        "3 others",
        30,
        "",
    )
    assert chart.bars[-1].width == "100.00"


def test_one_of_a_million_is_seen() -> None:
    assert float(bars("x", [("a", 10**6), ("b", 1)]).bars[1].width) > 0.5
    assert float(stack([("a", 10**6, "ok"), ("b", 1, "gone")]).pieces[1].width) > 0.5


def test_a_stack_fills_its_bar_and_says_what_it_shows() -> None:
    drawn = stack([("ok", 90, "ok"), ("gone", 10, "gone"), ("none", 0, "x")])
    assert drawn.label == "90 ok, 10 gone"
    assert float(drawn.pieces[-1].x) + float(drawn.pieces[-1].width) > 99.5
    assert stack([]).pieces == ()


def test_a_line_goes_from_left_to_right_and_ends_at_its_largest() -> None:
    drawn = line([("2026-11-01", 10), ("2026-11-02", 20)], noun="URLs")
    assert drawn.label == "10 URLs on 2026-11-01, 20 on 2026-11-02"
    assert [(dot.x, dot.y) for dot in drawn.dots] == [("8.0", "80.0"), ("632.0", "8.0")]
    assert line([], noun="URLs").dots == ()
