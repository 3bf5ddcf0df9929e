"""`urlset logs`: sitemaps and access logs → what a crawler never requests, and what it requests unlisted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING

from urlset.cli.command import command
from urlset.cli.exit_codes import OK
from urlset.cli.output import destination, json_report, opened, wrote
from urlset.cli.targets import need_fetchable, notify, url_or_path
from urlset.cli.terminal import complain, note, printable, share
from urlset.model.shown import amount

if TYPE_CHECKING:
    from urlset.settings.ls import LogsSettings
    from urlset.workflows.logs import CrawledRow, LogReport

_SHOWN = 10


@command(
    "logs",
    usual="bot ranges format output root max-files quiet",
    epilog="""Examples:
  urlset logs https://www.example.com/ /var/log/nginx/access.log*
  urlset logs public/sitemap.xml access.log --ranges googlebot.json --format csv -o crawled.csv""",
)
def logs(settings: LogsSettings) -> int:
    """Compare sitemaps with access logs: which listed pages Googlebot never requests, and which it requests unlisted.

    Logs are in the Common, Combined or JSON format, compressed with gzip or not. A User-Agent can be spoofed: with
    --ranges and the JSON file of IP ranges that Google (googlebot.json) or Bing (bingbot.json) publishes, requests from
    other addresses are not counted.

    Exit code 0: compared; 2: something could not be read.
    """
    from urlset.workflows.logs import compare_logs

    target = url_or_path(settings.targets[0])
    files: list[str] = []
    for name in settings.targets[1:]:
        # a pattern as typed
        files += sorted(glob(name)) if has_magic(name) and not Path(name).exists() else [name]  # noqa: PTH207
    settings = replace(settings, targets=(target, *files))
    need_fetchable([target])
    report = compare_logs(settings, notify=notify)
    where = destination(settings)
    pieces = {"json": lambda it: (json_report("logs", it), "\n"), "csv": _csv}.get(where.format, _text)
    with opened(where.path) as stream:
        for piece in pieces(report):
            stream.write(piece.encode("utf-8", "replace"))
    for each in report.notes:
        complain(printable(each))
    if not where.on_screen:
        note(_compared(report))
        wrote(where)
    return OK


def _text(report: LogReport) -> Iterator[str]:
    span = "" if report.first is None or report.last is None else f", {report.first:%Y-%m-%d} to {report.last:%Y-%m-%d}"
    checked = f", {report.spoofed:,} spoofed" if report.verified else ""
    yield f"{amount(report.requests, 'request')} of {printable(report.bot)} in {report.lines:,} lines{span}{checked}\n"
    yield f"{_compared(report)}\n"
    yield from _part("listed, never requested", report.never_crawled, counted=False)
    yield from _part("requested, not listed", report.not_listed)
    yield from _part("listed, last response was not 200", report.failing, status=True)


def _compared(report: LogReport) -> str:
    part = share(report.crawled, report.listed)
    return f"{amount(report.listed, 'listed page')}, {report.crawled:,} requested ({part})"


def _part(title: str, rows: Sequence[CrawledRow], *, counted: bool = True, status: bool = False) -> Iterator[str]:
    if not rows:
        return
    yield f"\n{title}: {len(rows):,}\n"
    for row in rows[:_SHOWN]:
        number = f"{row.status}  " if status else f"{row.requests:>6,}  " if counted else ""
        yield f"  {number}{printable(row.url)}\n"
    if len(rows) > _SHOWN:
        yield f"  and {len(rows) - _SHOWN:,} more; --format csv lists all\n"


def _csv(report: LogReport) -> Iterator[str]:
    from urlset.reports.table import ReportTable, csv_lines, tuple_columns

    parts = {"never-crawled": report.never_crawled, "not-listed": report.not_listed, "crawled": report.pages}
    rows = (
        (name, row.url, row.requests, None if row.last is None else row.last.isoformat(), row.status, row.sitemap)
        for name, each in parts.items()
        for row in each
    )
    return csv_lines(
        ReportTable("Pages", tuple_columns("comparison", "url", "requests", "last", "status", "sitemap"), rows)
    )
