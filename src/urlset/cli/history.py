"""`urlset history`: snapshots → counts, churn and honesty of dates over time, or the life of one URL."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import FINDINGS, OK
from urlset.cli.output import write_pieces
from urlset.cli.targets import url_or_path
from urlset.cli.terminal import Style, columns, printable

if TYPE_CHECKING:
    from urlset.reports.format import ReportOptions
    from urlset.settings.history import HistorySettings


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
    from urlset.reports.format import report_pieces
    from urlset.snapshots.series import SnapshotError
    from urlset.workflows.history import history as look

    target = None if settings.target is None else url_or_path(settings.target)
    try:
        report = look(replace(settings, target=target))
    except SnapshotError as error:
        raise click.ClickException(printable(str(error))) from error
    output = None if settings.output is None else str(settings.output)
    write_pieces(report_pieces("history", settings.format, report, _options(output, target)), output)
    failed = report.site is not None and report.site.verdict.at_or_above(settings.fail_on)
    return FINDINGS if failed else OK


def _options(output: str | None, target: str | None) -> ReportOptions:
    from urlset.checking.clock import now
    from urlset.reports.format import ReportOptions

    color = output in (None, "-") and Style.for_stream(sys.stdout).colour
    named = (target,) if target else ()
    return ReportOptions(color=color, width=columns(100), command="history", target=named, made=now())
