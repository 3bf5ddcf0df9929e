"""`urlset check`: files and URLs → findings, in any format."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import BROKEN, FINDINGS, NOTHING, OK
from urlset.cli.output import ON_SCREEN, Destination, destinations, report_options, write_reports
from urlset.cli.progress import StageLine
from urlset.cli.targets import need_fetchable, need_root, notify, urls_and_paths
from urlset.cli.terminal import complain, printable
from urlset.model.shown import amount
from urlset.storage.paths import is_address, is_stored

if TYPE_CHECKING:
    from urlset.findings.verdict import Verdict
    from urlset.settings.check import CheckSettings
    from urlset.settings.groups import BaselineSettings, ExitSettings
    from urlset.workflows.check import Target


@command(
    "check",
    usual="at fix select ignore engine root base-url fail-on format output quiet",
    epilog="""Examples:
  urlset check https://www.example.com/
  urlset check public/ --root public --base-url https://www.example.com/
  urlset check sitemap.xml --select L,D --statistics
  urlset check public/ --format github --output sarif:sitemaps.sarif""",
)
def check(settings: CheckSettings) -> int:
    """Check sitemaps against the protocol and the requirements of search engines.

    A URL is a sitemap, an index or a site. For a site, the sitemaps in its robots.txt are checked, or those at common
    locations, and robots.txt itself. Status, redirects, headers and robots.txt rules are checked too. Indexes on disk
    are followed in the folder given with --root, or next to the index. Run `urlset explain CODE` for details on a
    finding.

    Exit code 0: no findings at or above --fail-on; 1: such findings; 2: usage error, or something could not be read;
    3: nothing to check.
    """
    from urlset.workflows.check import check as check_targets

    targets = urls_and_paths(settings.targets)
    wanted = destinations(settings)
    if not all(map(is_address, targets)):
        need_root(settings.root)
    need_fetchable(targets)
    fixed = _fix(targets, settings) if settings.fix else OK
    if settings.at is not None and len(targets) > 1:
        raise click.UsageError("--at is the URL of one file; for several files, set --root and --base-url")
    if settings.baseline is not None and not os.path.isfile(settings.baseline):  # noqa: PTH113 - any text
        raise click.UsageError(f"--baseline: no such file: {settings.baseline}")
    if settings.at is not None and any(map(is_address, targets)):
        raise click.UsageError("--at is for a file; a URL needs none")
    with StageLine() as line:
        verdict = check_targets(
            _documents(targets),
            settings,
            workers=line.watching(settings.workers),
            notify=notify,
            progress=line.count if line.wanted else None,
        )
    if settings.baseline is not None:
        from urlset.checking import clock
        from urlset.checking.baseline import Baseline

        verdict = Baseline.load(Path(settings.baseline)).apply(verdict, clock.now())
    for text in verdict.empty:
        complain(printable(text))
    if settings.write_baseline or not any(each.on_screen and each.format in ON_SCREEN for each in wanted):
        for text in verdict.troubled:
            complain(printable(text))
    if settings.write_baseline:
        return write_baseline(verdict, settings)
    _report(verdict, wanted, settings, targets)
    return BROKEN if fixed == BROKEN else _exit_code(verdict, settings)


def _fix(targets: tuple[str, ...], settings: CheckSettings) -> int:
    """One line on stderr; what is left is what the check finds afterwards."""
    from urlset.cli.fix import Work
    from urlset.settings.fix import FixSettings
    from urlset.settings.groups import JudgeSettings

    if "-" in targets or any(is_address(target) or is_stored(target) for target in targets):
        raise click.UsageError("--fix writes files: standard input and URLs cannot be fixed in place")
    fixing = FixSettings(**settings.values(JudgeSettings), targets=targets, at=settings.at)
    return Work(fixing, "brief").run()


def _documents(files: tuple[str, ...]) -> list[Target]:
    """Standard input becomes a document here: it can be read only once, and only the command knows its name."""
    from urlset.reading.read import read

    at = files.index("-") if "-" in files else len(files)
    rest = [file for file in files[at:] if file != "-"]
    return [*files[:at], *([read(sys.stdin.buffer, name="<stdin>")] if at < len(files) else []), *rest]


def _report(verdict: Verdict, wanted: list[Destination], settings: CheckSettings, targets: tuple[str, ...]) -> None:
    from urlset.findings.card import Severity
    from urlset.reports.format import rendered
    from urlset.reports.wording import sum_line

    least = settings.show or (Severity.WARNING if settings.fail_on is Severity.ERROR else settings.fail_on)
    if settings.quiet and not verdict.at_or_above(least) and not verdict.troubled:
        wanted = [each for each in wanted if not (each.on_screen and each.format in ON_SCREEN)]
    options = report_options(settings, "check", targets, 60)
    write_reports(wanted, options, lambda form, more: rendered(form, verdict, more), lambda: sum_line(verdict))
    if settings.statistics:
        print_statistics(verdict, wanted)


def print_statistics(verdict: Verdict, reports: list[Destination]) -> None:
    """The number of findings per rule; on stderr if a report for programs is on stdout."""
    err = any(each.on_screen and each.format not in ON_SCREEN for each in reports)
    from urlset.rules.catalogue import find

    width = max((len(f"{count:,}") for count in verdict.counts.values()), default=0)
    for code, count in sorted(verdict.counts.items(), key=lambda item: (-item[1], item[0])):
        rule = find(code)
        click.echo(f"{count:>{width},}  {code}  {rule.name if rule is not None else ''}".rstrip(), err=err)


def write_baseline(verdict: Verdict, settings: BaselineSettings) -> int:
    from urlset.checking.baseline import Baseline

    path = settings.write_baseline
    assert path is not None
    baseline = Baseline.of(verdict, reason=settings.reason, expires=settings.expires)
    try:
        baseline.save(Path(path))
    except OSError as error:
        raise click.ClickException(f"{path}: cannot be written: {error.strerror}") from error
    click.echo(f"{path}: recorded {amount(len(baseline.findings), 'finding')}; use it with --baseline {path}")
    return BROKEN if verdict.troubled else OK


def _exit_code(verdict: Verdict, settings: CheckSettings) -> int:
    if verdict.troubled:
        return BROKEN
    if verdict.at_or_above(settings.fail_on):
        return failed(settings)
    sitemaps = [document for document in verdict.documents if not verdict.empty or document.kind != "robots"]
    return OK if sitemaps else NOTHING


def failed(settings: ExitSettings) -> int:
    """The exit code of a run with findings."""
    return OK if settings.exit_zero else FINDINGS
