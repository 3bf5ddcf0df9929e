"""An audit → one row per page; spreadsheets open it without executing it."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.reports.csv import row_of
from urlset.reports.format import ReportOptions
from urlset.reports.pages import AuditReport, PageRow

COLUMNS = (
    *("url", "state", "status", "final_url", "hops", "canonical", "indexable", "not_indexable", "reasons", "codes"),
    *("remedy", "remedy_to", "reason", "lastmod", "title", "media_type", "bytes", "seconds", "soft_404", "thin"),
    *("source", "entry", "final_status"),
)


def render(report: AuditReport, options: ReportOptions) -> Iterator[str]:
    del options
    yield row_of(COLUMNS)
    for row in report.pages():
        yield row_of(values_of(row))


def values_of(row: PageRow) -> tuple[object, ...]:
    return (
        *(row.url, row.state.value, row.status, row.final_url, len(row.hops), row.canonical),
        " ".join(engine for engine, able in row.indexable.items() if able),
        " ".join(engine for engine, able in row.indexable.items() if able is False),
        *("; ".join(row.reasons), " ".join(row.codes)),
        *((row.remedy.action, row.remedy.to) if row.remedy else (None, None)),
        *(row.reason, row.lastmod, row.title, row.media_type, row.bytes, row.seconds, row.soft_404, row.thin),
        *(row.source, row.entry, row.final_status),
    )
