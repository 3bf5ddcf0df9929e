"""A crawl → one HTML page: whether it is complete, states and depths, traps, and every URL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from urlset.auditing.sections import first_folder
from urlset.crawling.loop import Completeness
from urlset.findings.verdict import Verdict
from urlset.model.shown import amount
from urlset.model.visit import CrawlRow, State
from urlset.reports.charts import ABLE, SHAPES, PageNumbers, bars, stack, status_chart
from urlset.reports.format import ReportOptions
from urlset.reports.html import ExitSummary
from urlset.reports.html_page import KeyNumber, page
from urlset.reports.table import Kind, TableColumn, TableData
from urlset.reports.wording import percent

PLAIN_ROWS = 500
"""shown without scripts"""
_PROBLEMS = frozenset({State.GONE.value, State.ERROR.value, State.REDIRECTED.value})


class TrapRow(msgspec.Struct, frozen=True):
    """URLs that look endless."""

    kind: str
    place: str
    reason: str
    addresses: int
    example: str


class CrawlSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What the report says of the crawl as a whole."""

    home: str
    visited: int
    states: dict[str, int]
    depths: dict[int, int]
    not_asked: dict[str, int]
    only_in_sitemaps: int
    traps: tuple[TrapRow, ...]
    completeness: Completeness
    notices: tuple[str, ...]


class CrawlPages:
    """All rows, read once."""

    def __init__(self, rows: Iterable[CrawlRow]) -> None:
        numbers = PageNumbers(None)
        self.table = TableData(_columns(numbers), noun="URL")
        self.plain: list[CrawlRow] = []
        self.indexable = self.problems = 0
        for row in rows:
            problem = row.state in _PROBLEMS or row.soft_404 is not None
            self.indexable += row.indexable is True
            self.problems += problem
            if problem and len(self.plain) < PLAIN_ROWS:
                self.plain.append(row)
            self.table.add(row, matters=problem)
        self.statuses, self.sections = numbers.statuses, numbers.sections


def _columns(numbers: PageNumbers) -> tuple[TableColumn, ...]:
    able = {"yes": "ok", "no": "gone", "unknown": "unknown"}

    def choice(name: str, title: str, value: Callable[[CrawlRow], object] | None = None, **more: Any) -> TableColumn:
        return TableColumn(name, title, "choice", value, **{"filter": title, **more})

    def hidden(
        name: str, title: str, kind: Kind = "text", value: Callable[[CrawlRow], object] | None = None
    ) -> TableColumn:
        return TableColumn(name, title, kind, value, shown=False)

    return (
        TableColumn("url", "URL", "url"),
        choice("state", "State", shapes={state.value: SHAPES[state] for state in State}),
        choice(
            "status",
            "Status",
            lambda row: numbers.status(row.status) if row.was_asked else "not requested",
            filter="Status code",
        ),
        choice("indexable", "Indexable", lambda row: ABLE[row.indexable] if row.was_asked else "unknown", shapes=able),
        TableColumn("reason", "Reason"),
        choice(
            "depth", "Clicks", lambda row: row.depth if row.depth >= 0 else "unknown", filter="Clicks from the start"
        ),
        choice(
            "section",
            "Section",
            lambda row: numbers.section(row.url) if row.was_asked else first_folder(row.url),
            shown=False,
        ),
        TableColumn("found_on", "Found on", "url"),
        choice("via", "Found by", shown=False),
        TableColumn("title", "Title"),
        hidden("redirects_to", "Redirects to", "url"),
        hidden("canonical", "Canonical", "url"),
        hidden("robots", "Robots directives", value=lambda row: ", ".join(row.robots or ())),
        hidden("soft_404", "Soft 404"),
        hidden("thin", "Thin content"),
        choice("language", "Language", shown=False),
        hidden("media_type", "Media type", "choice"),
        hidden("bytes", "Bytes", "number", lambda row: row.size),
        hidden("seconds", "Seconds", "number"),
        hidden("last_modified", "Last-Modified"),
    )


def render(crawl: CrawlSummary, rows: Iterable[CrawlRow], options: ReportOptions) -> Iterator[str]:
    pages = CrawlPages(rows)
    states = [(state, count, SHAPES.get(State(state), "unknown")) for state, count in crawl.states.items()]
    summary = f"{amount(crawl.visited, 'page')} of {crawl.home}"
    outcome = "not complete: pages that were not found may still be linked"
    if crawl.completeness.complete:
        apart = "; ".join(crawl.completeness.apart)
        outcome = f"complete: every linked page was visited{f', except {apart}' if apart else ''}"
    return page(
        "crawl.html",
        Verdict(),
        options,
        title=f"urlset crawl: {summary}",
        summary=summary,
        outcome=ExitSummary(outcome),
        crawl=crawl,
        key_numbers=[
            KeyNumber(crawl.visited, "pages visited", f"{amount(pages.table.total, 'URL')} known"),
            KeyNumber(
                pages.indexable,
                "indexable pages",
                f"{percent(pages.indexable / max(1, crawl.visited))} of those visited",
                "ok",
            ),
            KeyNumber(pages.problems, "pages with problems", "missing, failing, redirected, or a soft 404", "error"),
        ],
        state_stack=stack(states),
        states=states,
        charts=[
            chart
            for chart in (
                status_chart(pages.statuses),
                bars(
                    "Clicks from the start page",
                    [(str(depth), count) for depth, count in sorted(crawl.depths.items())],
                    filter="depth",
                    head=("clicks", "pages"),
                ),
                bars("Sections", pages.sections.most_common(), most=10, filter="section", head=("section", "pages")),
                bars("Not requested", crawl.not_asked.items(), head=("reason", "URLs")),
            )
            if chart.bars
        ],
        table=pages.table,
        plain=pages.plain,
    )
