"""`urlset history`: snapshots → counts, churn and honesty of dates over time, or the life of one URL."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click
import msgspec

from urlset.cli.command import command
from urlset.cli.exit_codes import BROKEN, FINDINGS, NOTHING, OK
from urlset.cli.output import destination, write_reports
from urlset.cli.progress import StageLine
from urlset.cli.targets import need_fetchable, notify, url_or_path
from urlset.cli.terminal import columns, complain, printable
from urlset.model.shown import amount

if TYPE_CHECKING:
    from urlset.settings.history import HistorySettings, SnapshotSettings
    from urlset.workflows.snapshot import SnapshotReport


@command(
    "history",
    epilog="""Examples:
  urlset history https://www.example.com/
  urlset history https://www.example.com/one-page""",
)
def history(settings: HistorySettings) -> int:
    """Show counts, churn, dates, findings and indexed share over time, or the life of one URL.

    TARGET is what `urlset snapshot` was given; without it, the only target, or a list of them. A URL that is no
    target is looked up in all snapshots. For every sitemap, lastmod is compared with the content that audits saw:
    the share of date moves with a change of the main content, of changes with a date move, and a score, each with a
    95 % interval.

    Exit code 0: no finding at or above --fail-on; 1: such findings; 2: wrong usage, or no snapshots.
    """
    from urlset.checking.clock import now
    from urlset.reports.format import ReportOptions, report_pieces
    from urlset.workflows.history import history as look

    target = None if settings.target is None else url_or_path(settings.target)
    report = look(replace(settings, target=target))
    options = ReportOptions(width=columns(100), command="history", target=(target,) if target else (), made=now())
    write_reports(
        [destination(settings)],
        options,
        lambda form, more: report_pieces("history", form, report, more),
        lambda: f"{amount(len(report.site.points), 'snapshot')} of {report.site.target}" if report.site else "",
    )
    failed = report.site is not None and report.site.verdict.at_or_above(settings.fail_on)
    return FINDINGS if failed else OK


@command(
    "snapshot",
    usual="state keep fresh root format allow-private jobs quiet",
    epilog="""Examples:
  urlset snapshot https://www.example.com/
  urlset snapshot public/ --keep '30 daily, 12 monthly'""",
)
def snapshot(settings: SnapshotSettings) -> int:
    """Keep the sitemaps of a site as they are now, to compare them later.

    The snapshot is one Parquet file with a row for each entry: its file, position and fields, and what the last
    `urlset audit` of the same target found out about the page. An interrupted snapshot is resumed by the same
    command. Older snapshots are removed according to --keep; the newest of each period stays. Needs the extra
    `history`.

    Exit code 0: taken; 2: wrong usage, or a sitemap could not be read (the rest was kept); 3: no URL is listed.
    """
    from urlset.snapshots.series import NothingListed
    from urlset.workflows.snapshot import snapshot as take

    assert settings.target is not None  # required
    target = url_or_path(settings.target)
    need_fetchable((target,))
    try:
        with StageLine() as line:
            workers = line.watching(settings.workers)
            report = take(replace(settings, target=target), notify=notify, workers=workers, progress=line.reading)
    except NothingListed as error:
        complain(printable(str(error)))
        return NOTHING
    if settings.format == "json":
        body = {"path": str(report.path), "bytes": report.bytes, "resumed": report.resumed}
        body |= {"pruned": list(map(str, report.pruned)), "snapshot": report.info, "notes": report.notes}
        click.echo(msgspec.json.encode({"schema": 1, "command": "snapshot", **body}).decode())
    else:
        click.echo("\n".join(_lines(report)))
    for trouble in report.info.missing:
        complain(printable(f"not read: {trouble}"))
    return BROKEN if report.info.missing else OK


def _lines(report: SnapshotReport) -> list[str]:
    info = report.info
    size = f"{report.bytes / 1_000_000:.1f} MB" if report.bytes >= 100_000 else f"{report.bytes / 1_000:.1f} kB"
    lines = [
        printable(str(report.path)),
        f"{info.listed:,} URLs in {amount(len(info.files), 'sitemap')}, {size}",
    ]
    if report.resumed:
        lines.append("resumed an interrupted snapshot")
    if info.states:
        lines.append(f"{sum(info.states.values()):,} pages known from the audit of {(info.audited or '')[:10]}")
    if report.pruned:
        lines.append(f"removed {amount(len(report.pruned), 'older snapshot')}")
    return lines + [printable(f"note: {note}") for note in report.notes]
