"""`urlset diff`: two states of sitemaps → what changed between them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import BROKEN, FINDINGS, NOTHING, OK
from urlset.cli.output import destination, write_reports
from urlset.cli.progress import StageLine
from urlset.cli.targets import need_fetchable, notify, url_or_path
from urlset.cli.terminal import columns, complain, printable

if TYPE_CHECKING:
    from urlset.reports.diff_report import DiffReport
    from urlset.settings.history import DiffSettings


@command(
    "diff",
    usual="since format output fields ignore-host redirects max-removed max-added exit-code root quiet",
    epilog="""Examples:
  urlset diff old.xml new.xml
  urlset diff https://www.example.com/sitemap.xml public/ --require-all --ignore-host
  urlset diff https://www.example.com/ --since yesterday --max-removed 1%""",
)
def diff(settings: DiffSettings) -> int:
    """Compare two states of sitemaps: files, folders, URLs or snapshots.

    OLD and NEW are sitemap files, patterns, folders, URLs of sitemaps or sites, or snapshots of them: TARGET@WHEN,
    such as https://www.example.com/@yesterday. The order of entries does not count. A removed URL and an added one
    are reported as renamed if a redirect, a canonical, the content or the path shows it; the evidence is named.

    Exit code 0: compared; 1: a limit is exceeded, or something differs and --exit-code is set; 2: wrong usage, or
    something could not be read; 3: neither side lists a URL.
    """
    from urlset.checking.clock import now
    from urlset.reports.diff import total_changes
    from urlset.reports.format import ReportOptions, report_pieces
    from urlset.workflows.diff import diff as compare

    targets = tuple(map(_completed, settings.targets))
    if settings.since is not None and len(targets) != 1:
        raise click.UsageError("--since takes one TARGET")
    if settings.since is None and len(targets) != 2:
        raise click.UsageError("give OLD and NEW, or one TARGET with --since")
    if targets == ("-", "-"):
        raise click.UsageError("only one of OLD and NEW can be standard input")
    settings, where = replace(settings, targets=targets), destination(settings)
    need_fetchable([each for each in targets if settings.since is not None or _when(each) is None])
    with StageLine() as line, compare(settings, notify=notify, workers=line.watching(settings.workers)) as report:
        line.clear()
        options = ReportOptions(
            width=columns(100),
            command="diff",
            target=targets,
            made=now(),
            max_tokens=settings.max_tokens,
        )
        write_reports(
            [where],
            options,
            lambda form, more: report_pieces("diff", form, report, more),
            lambda: total_changes(report),
        )
        return _ending(report, settings, where.format)


def _completed(target: str) -> str:
    """A bare host is a URL; what follows the last @ may be the time of a snapshot."""
    when = _when(target)
    return url_or_path(target) if when is None else f"{url_or_path(target.removesuffix(f'@{when}'))}@{when}"


def _when(target: str) -> str | None:
    from urlset.checking.clock import now
    from urlset.snapshots.expressions import is_moment

    _, sign, when = target.rpartition("@")
    return when if sign and is_moment(when, now()) else None


def _ending(report: DiffReport, settings: DiffSettings, form: str) -> int:
    if form not in ("text", "full"):  # which say it themselves
        for line in (*report.troubled, *report.failures):
            complain(printable(line))
    if report.troubled:
        return BROKEN
    if not report.summary.old and not report.summary.new:
        complain("nothing to compare: neither side lists a URL")
        return NOTHING
    if report.failures or (settings.exit_code and report.differs):
        return FINDINGS
    return OK
