"""`urlset audit`: every listed page, fetched and checked."""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from urlset.cli.check import failed, print_statistics, write_baseline
from urlset.cli.command import command
from urlset.cli.exit_codes import BROKEN, INTERRUPTED, NOTHING, OK
from urlset.cli.output import destinations, report_options, write_pieces, write_reports
from urlset.cli.targets import url_or_path
from urlset.cli.terminal import complain, note, printable
from urlset.model.shown import amount

if TYPE_CHECKING:
    from urlset.reports.format import ReportOptions
    from urlset.settings.audit import AuditSettings
    from urlset.workflows.audit.audit import AuditRun

_ISSUES, _SUMMARY = "issues:", "summary:"
_ISSUE_FILE = re.compile(r"(?:\d{2,}-[a-z0-9-]+|other)\.csv")


@command(
    "audit",
    usual="sample max-pages crawl check fresh select engine fail-on format output quiet",
    epilog="""Examples:
  urlset audit https://www.example.com/ --output audit.json
  urlset audit www.example.com --sample 5% --crawl
  urlset audit www.example.com --output problems.csv --output summary:client.html
  urlset audit public/ --base-url https://www.example.com/""",
)
def audit(settings: AuditSettings) -> int:
    """Audit every listed page: is it reachable, indexable and canonical?

    TARGET is a site, a sitemap or an index on the web, a sitemap file (its pages are fetched), or a build folder with
    --base-url (nothing is fetched). Requests are rate-limited per host and obey robots.txt. Pages blocked by bot
    protection are reported separately from missing pages.

    State is saved on disk: after Ctrl-C or a crash, the same command resumes. After a finished audit, the next run
    requests every page again, with the validators of the last response; an unchanged page costs a 304 response if the
    server sends ETag or Last-Modified.

    Exit code 0: no findings at or above --fail-on; 1: such findings; 2: usage error, something could not be read, or
    no page could be judged; 3: no page is listed; 130: stopped with Ctrl-C.
    """
    if settings.baseline is not None and not Path(settings.baseline).is_file():
        raise click.UsageError(f"--baseline: no such file: {settings.baseline}")
    # outputs that only an audit has, such as `issues:DIR`
    extras = tuple(text for text in settings.outputs if text.startswith((_ISSUES, _SUMMARY)))
    for text in extras:
        if text in (_ISSUES, _SUMMARY):
            raise click.UsageError(f"--output {text} needs a name, as in --output issues:DIR or summary:client.html")
    settings = replace(settings, outputs=tuple(text for text in settings.outputs if text not in extras))
    destinations(settings)  # a wrong --output is reported before anything is fetched
    return _run(replace(settings, target=url_or_path(settings.target or "")), extras)


def _run(settings: AuditSettings, extras: tuple[str, ...]) -> int:
    from urlset.cli.progress import Progress
    from urlset.workflows.audit.audit import audited

    crawled = None
    with ExitStack() as stack:
        progress = stack.enter_context(Progress())
        if settings.crawl:
            from urlset.cli.crawl import ProgressLine
            from urlset.workflows.audit.crawled import comparing, crawl_for_audit
            from urlset.workflows.crawl import CrawlStopped

            line = stack.enter_context(ProgressLine())
            crawl = crawl_for_audit(settings)
            if crawl is None:
                raise click.UsageError("--crawl needs a site on the web: name its URL, not a folder")
            try:
                crawled = stack.enter_context(comparing(crawl, progress=line.show if line.wanted else None))
            except CrawlStopped as stopped:
                complain(
                    f"{stopped}, nothing was audited: run the same command to resume, or add --fresh to start over"
                )
                return INTERRUPTED
            line.clear()
        outcome = stack.enter_context(audited(settings, watch=progress, crawled=crawled))
        progress.clear()
        if settings.write_baseline:
            return write_baseline(outcome.report.verdict, settings)
        for text in extras:
            path = Path(text.partition(":")[2])
            if text.startswith(_ISSUES):
                _write_issues(outcome, path)
                continue
            from urlset.reports.audit_html import client_page

            # one page for a client
            form = "markdown" if path.suffix.lower() == ".md" else "html"
            write_pieces(client_page(outcome.report, _options(outcome, settings), form), str(path))
            note(printable(f"wrote {path} (summary)"))
        if not extras or settings.outputs or settings.format is not None:
            _report(outcome, settings)
        return _ending(outcome, settings)


def _report(outcome: AuditRun, settings: AuditSettings) -> None:
    from urlset.reports.format import report_pieces
    from urlset.reports.wording import sum_line

    wanted, report = destinations(settings), outcome.report
    write_reports(
        wanted,
        _options(outcome, settings),
        lambda form, options: report_pieces("audit", form, report, options),
        lambda: sum_line(report.verdict),
    )
    if settings.statistics:
        print_statistics(report.verdict, wanted)
    if not any(each.format in ("text", "full") for each in wanted):  # which print notices themselves
        for line in (*report.verdict.troubled, *report.notices):
            complain(printable(line))


def _options(outcome: AuditRun, settings: AuditSettings) -> ReportOptions:
    options = report_options(settings, "audit", (outcome.report.target,), 40)
    return msgspec.structs.replace(options, table=settings.table)


def _write_issues(outcome: AuditRun, folder: Path) -> None:
    """A CSV file for each cause; those of an earlier audit are removed."""
    from urlset.reports.audit_data import cause_tables
    from urlset.reports.table import csv_lines

    folder.mkdir(parents=True, exist_ok=True)
    written: set[str] = set()
    for name, table in cause_tables(outcome.report):
        write_pieces(csv_lines(table), str(folder / name))
        written.add(name)
    for path in folder.iterdir():
        if _ISSUE_FILE.fullmatch(path.name) and path.name not in written:
            path.unlink()
    note(printable(f"wrote {folder} ({amount(len(written), 'file')}, one per cause)"))


def _ending(outcome: AuditRun, settings: AuditSettings) -> int:
    """What is left to say on stderr, and the exit code."""
    from urlset.auditing.session import SessionEnd

    verdict, known = outcome.report.verdict, settings.known
    left = f"{amount(outcome.left, 'page')} left"
    if known and outcome.ended is not SessionEnd.FINISHED:
        note(f"urlset: the previous run is incomplete, {left}: run without --known to resume")
    elif outcome.ended is not SessionEnd.FINISHED:
        note(f"urlset: {outcome.ended.value}, {left}: run the same command to resume, or add --fresh to start over")
    if outcome.ended is SessionEnd.STOPPED and not known:
        return INTERRUPTED
    if outcome.unreadable:
        return BROKEN
    if outcome.not_sitemaps or verdict.at_or_above(settings.fail_on):
        return failed(settings)
    if not outcome.report.listed:
        return NOTHING
    if outcome.report.seen and not outcome.report.judged:
        complain("no page could be judged")
        return BROKEN
    return OK
