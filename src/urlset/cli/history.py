"""`urlset history`: snapshots → counts, churn and honesty of dates over time, or the life of one URL."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlset.cli.exit_codes import FINDINGS, OK
from urlset.cli.output import opened, readers_may_leave
from urlset.cli.settings_options import SEVERITIES
from urlset.cli.terminal import Style, columns, printable

if TYPE_CHECKING:
    from urlset.reports.format import ReportOptions
    from urlset.reports.history_report import HistoryReport

FORMATS = ("text", "json", "csv", "html")


@click.command(
    short_help="Show a site's sitemaps over time.",
    epilog="\b\nExamples:\n  urlset history https://www.example.com/\n"
    "  urlset history https://www.example.com/one-page",
)
@click.argument("target", required=False, type=click.Path(readable=False), metavar="[TARGET|URL]")
@click.option("--state", default=".urlset", show_default=True, metavar="DIR", help="Folder of snapshots.")
@click.option("--since", metavar="WHEN", help="Start at the snapshot of WHEN: 30d, 2026-11-01.")
@click.option("--last", type=click.IntRange(1), metavar="N", help="Show the newest N snapshots.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="Output format.")
@click.option("--output", "-o", metavar="FILE", help="Write to FILE.")
@click.option(
    "--fail-on",
    type=click.Choice(SEVERITIES),
    default="error",
    show_default=True,
    help="Minimum severity that fails the run.",
)
def history(
    target: str | None, state: str, since: str | None, last: int | None, form: str, output: str | None, fail_on: str
) -> int:
    """Show counts, churn, dates, findings and indexed share over time, or the life of one URL.

    TARGET is what `urlset snapshot` was given; without it, the only target, or a list of them. A URL that is no
    target is looked up in all snapshots. For every sitemap, lastmod is compared with the content that audits saw:
    the share of date moves with a change of the main content, of changes with a date move, and a score, each with a
    95 % interval.

    Exit code 0: no finding at or above --fail-on; 1: such findings; 2: wrong usage, or no snapshots.
    """
    from urlset.findings.severity import Severity
    from urlset.snapshots.info import SnapshotError
    from urlset.workflows.history.history import HistoryOptions
    from urlset.workflows.history.history import history as look

    try:
        report = look(HistoryOptions(target=target, state=Path(state), since=since, last=last))
    except SnapshotError as error:
        raise click.ClickException(printable(str(error))) from error
    with readers_may_leave(), opened(output) as stream:
        for piece in _pieces(report, form, _options(output, target)):
            stream.write(piece.encode("utf-8", "replace"))
    failed = report.site is not None and report.site.verdict.at_or_above(Severity(fail_on))
    return FINDINGS if failed else OK


def _pieces(report: HistoryReport, form: str, options: ReportOptions) -> list[str]:
    from importlib import import_module

    return list(import_module(f"urlset.reports.history_{form}").render(report, options))


def _options(output: str | None, target: str | None) -> ReportOptions:
    from urlset.checking.clock import now
    from urlset.reports.format import ReportOptions

    color = output in (None, "-") and Style.for_stream(sys.stdout).colour
    named = (target,) if target else ()
    return ReportOptions(color=color, width=columns(100), command="history", target=named, made=now())
