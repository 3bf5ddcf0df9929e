"""The states of audited pages → a bar and a table of the same numbers."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.model.visit import State
from urlset.reports.audit_wording import percent
from urlset.reports.html_text import Html, joined, lines, tag
from urlset.reports.pages import AuditReport

_SHAPES = {
    State.OK: "ok",
    State.REDIRECTED: "redirected",
    State.GONE: "gone",
    State.ERROR: "failed",
    State.BLOCKED: "blocked",
    State.UNKNOWN: "unknown",
}
"""state → the CSS class with its color; `error` is the class of a severity"""
_MEANINGS = {
    State.OK: "returned a page at the listed URL",
    State.REDIRECTED: "returned a page at another URL",
    State.GONE: "does not exist",
    State.ERROR: "server error or network failure",
    State.BLOCKED: "blocked the audit; says nothing about the page",
    State.UNKNOWN: "not fetched, or the result is unclear",
}
_THINNEST = 0.8
"""percent of the bar, to keep a single page of a million visible"""


def states(report: AuditReport) -> Iterator[str]:
    """Empty if no page was fetched."""
    counts = {state: report.states.get(state, 0) for state in State if report.states.get(state, 0)}
    if not report.seen:
        return
    head = tag(
        "tr",
        tag("th", "state", scope="col"),
        tag("th", "pages", scope="col", class_="number"),
        tag("th", "share", scope="col", class_="number"),
        tag("th", "meaning", scope="col"),
    )
    rows = (
        tag(
            "tr",
            tag("th", _swatch(state), state, scope="row", class_="short"),
            tag("td", f"{count:,}", class_="number"),
            tag("td", percent(count / report.seen), class_="number"),
            tag("td", _MEANINGS[state], class_="muted"),
        )
        for state, count in counts.items()
    )
    table = tag("table", lines("", tag("thead", head), tag("tbody", lines("", *rows))))
    media = ", ".join(f"{count:,} {state}" for state, count in report.media.items())
    beside = tag("p", f"images and videos: {media}") if media else ""
    yield f"{tag('section', lines(tag('h2', 'Page states'), _bar(counts), table, beside))}\n"


def _bar(counts: dict[State, int]) -> Html:
    total = sum(counts.values())
    widths = {state: max(_THINNEST, 100 * count / total) for state, count in counts.items()}
    scale = 100 / sum(widths.values())
    pieces, left = [], 0.0
    for state, width in widths.items():
        gap = 0.2 if len(widths) > 1 else 0.0
        shape = {"x": f"{left:.2f}", "y": "0", "width": f"{width * scale - gap:.2f}", "height": "6"}
        pieces.append(tag("rect", class_=_SHAPES[state], **shape))
        left += width * scale
    message = ", ".join(f"{count:,} {state}" for state, count in counts.items())
    drawing = {"viewBox": "0 0 100 6", "preserveAspectRatio": "none", "role": "img"}
    return tag("svg", *pieces, class_="bar", aria_label=message, **drawing)


def _swatch(state: State) -> Html:
    square = tag("rect", class_=_SHAPES[state], width="10", height="10", rx="2")
    return joined(tag("svg", square, class_="swatch", viewBox="0 0 10 10", aria_hidden="true"))
