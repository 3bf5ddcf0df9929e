"""`urlset check`: files and addresses → findings, in any format."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from urlset.cli.exit_codes import BROKEN, FINDINGS, NOTHING, OK
from urlset.cli.live_options import LIVE_NAMES, TARGETS, live_options, recording_faults, take_live
from urlset.cli.output import opened, readers_may_leave
from urlset.cli.settings_options import SEVERITIES, load_settings, need_root, rule_options, site_options
from urlset.cli.terminal import Style, can_redraw, columns, complain, printable
from urlset.reports.uri import is_address

if TYPE_CHECKING:
    from datetime import datetime

    from urlset.findings.verdict import Verdict
    from urlset.settings.options import Settings
    from urlset.workflows.check.check import Target
    from urlset.workflows.check.options import CheckOptions
    from urlset.workflows.live.setup import Live

FORMATS = ("text", "full", "concise", "json", "sarif", "github", "gitlab", "junit", "csv", "markdown", "html")


@click.command(
    short_help="Check sitemaps, on disk or live, with exact places.",
    epilog="\b\nExamples:\n  urlset check https://www.example.com/\n"
    "  urlset check public/ --root public --base-url https://www.example.com/",
)
@click.argument("files", nargs=-1, required=True, type=click.Path(readable=False), metavar=TARGETS)
@click.option(
    "--format",
    "forms",
    type=click.Choice(FORMATS),
    multiple=True,
    help="How to report; may be given several times, each with an --output of its own. Default: text.",
)
@click.option(
    "--output",
    "outputs",
    type=click.Path(readable=False),
    multiple=True,
    metavar="FILE",
    help="Write the report of the same position to FILE.",
)
@rule_options
@site_options
@click.option("--fail-on", type=click.Choice(SEVERITIES), help="The least severity that makes the exit code 1.")
@click.option("--show", type=click.Choice(SEVERITIES), help="The least severity that text formats print.")
@click.option(
    "--baseline", type=click.Path(readable=False), metavar="FILE", help="Do not report the findings that FILE knows."
)
@click.option(
    "--write-baseline",
    type=click.Path(readable=False),
    metavar="FILE",
    help="Write all present findings to FILE, to be known from now on.",
)
@click.option("--reason", default="", metavar="TEXT", help="With --write-baseline: why they are accepted.")
@click.option("--expires", metavar="DATE", help="With --write-baseline: the day after which they count again.")
@click.option("--fix", "mend", is_flag=True, help="First mend in place what is safe to mend, as `urlset fix` does.")
@click.option("--jobs", type=click.IntRange(0), metavar="N", help="Worker processes; 0 means one for each core.")
@live_options
def check(
    files: tuple[str, ...], forms: tuple[str, ...], outputs: tuple[str, ...], at: str | None, **given: Any
) -> int:
    """Check sitemaps against the protocol and what search engines ask for.

    A URL is a sitemap, an index or a whole site: the sitemaps that its robots.txt names are checked, or those at
    the usual places, and robots.txt itself. How they are served is judged too: status, redirects, headers, what
    robots.txt forbids. The indexes of files are followed on disk: into the folder given with --root, otherwise next
    to the index. Text lists, RSS and Atom feeds are checked as well. Every finding has a code (`urlset explain
    CODE`), the exact place, and the fix where there is one.

    Exit code 0: nothing at or above --fail-on; 1: such findings; 2: wrong usage, or something could not be read;
    3: nothing to check.
    """
    forms = forms or ("text",)
    if len(outputs) > len(forms):
        raise click.UsageError(f"{len(outputs)} --output for {len(forms)} --format: give each its own")
    baseline_to, reason, expires = given.pop("write_baseline"), given.pop("reason"), given.pop("expires")
    profile, config_file = given.pop("profile"), given.pop("config_file")
    fix_document = given.pop("mend")
    fetching = {name: given.pop(name) for name in LIVE_NAMES}
    flags = {name.replace("_", "-"): value for name, value in given.items()}
    settings = load_settings(profile, config_file, flags).settings
    if not all(map(is_address, files)):
        need_root(settings)
    live = take_live(files, fetching, settings)
    fixed = _repair(files, settings, at) if fix_document else OK
    verdict = _verdict(files, settings, at, live)
    for line in verdict.empty:
        complain(printable(line))
    if baseline_to or not _shown_on_screen(forms, outputs):
        for line in verdict.troubled:
            complain(printable(line))
    if baseline_to:
        return write_baseline(verdict, baseline_to, reason, expires)
    for number, form in enumerate(forms):
        _report(verdict, form, outputs[number] if number < len(outputs) else None, settings, files)
    return BROKEN if fixed == BROKEN else _exit_code(verdict, settings)


def _shown_on_screen(forms: tuple[str, ...], outputs: tuple[str, ...]) -> bool:
    """Whether a report for people goes to standard output: it names itself what could not be read."""
    places = (*outputs, *["-"] * (len(forms) - len(outputs)))
    return any(form in {"text", "full", "concise"} and place == "-" for form, place in zip(forms, places, strict=True))


def _repair(files: tuple[str, ...], settings: Settings, at: str | None) -> int:
    """One line on stderr; what is left is what the check finds afterwards."""
    from urlset.cli.fix import Work
    from urlset.fixing.choose import FixOptions

    if "-" in files or any(map(is_address, files)):
        raise click.UsageError("--fix mends files; standard input and addresses cannot be written back")
    return Work(form="brief", diff=False, backup=False, folder=None).run(files, settings, FixOptions(), at)


def _verdict(files: tuple[str, ...], settings: Settings, at: str | None, live: Live | None) -> Verdict:
    from urlset.checking.select import UnknownSelectorError
    from urlset.workflows.check.check import check as check_targets

    if at is not None and len(files) > 1:
        raise click.UsageError("--at is the address of one file; for several, give --root and --base-url")
    if settings.baseline is not None and not os.path.isfile(settings.baseline):  # noqa: PTH113 - any text
        raise click.UsageError(f"{settings.baseline}: no such baseline")
    if at is not None and live is not None:
        raise click.UsageError("--at is the address of a file; an address has its own")
    try:
        with recording_faults():
            options = _options(settings, at, live)
            verdict = check_targets(_targets(files), options)
        if settings.baseline is not None:
            verdict = _without_known(verdict, Path(settings.baseline), options.now)
    except UnknownSelectorError as error:
        raise click.UsageError(str(error)) from error
    finally:
        if can_redraw(sys.stderr):
            click.echo("\r\x1b[K", err=True, nl=False)
    return verdict


def _without_known(verdict: Verdict, baseline: Path, now: datetime) -> Verdict:
    from urlset.checking.baseline import Baseline, BaselineError

    try:
        return Baseline.load(baseline).apply(verdict, now)
    except BaselineError as error:
        raise click.UsageError(str(error)) from error


def _options(settings: Settings, at: str | None, live: Live | None) -> CheckOptions:
    from urlset.workflows.check.options import CheckOptions
    from urlset.workflows.live.setup import Live

    return CheckOptions.of(settings, at=at, live=live or Live(), progress=_progress())


def _targets(files: tuple[str, ...]) -> list[Target]:
    """Standard input becomes a document here: it can be read only once, and only the command knows its name."""
    from urlset.reading.read import read

    targets: list[Target] = [file for file in files if file != "-"]
    if "-" in files:
        before = files[: files.index("-")]
        targets.insert(len(before), read(sys.stdin.buffer, name="<stdin>"))
    return targets


def _progress() -> Any:
    """A line on stderr, only on a terminal, only when there is more than one file, or sitemaps are looked for."""
    if not can_redraw(sys.stderr):
        return None

    def show(done: int, known: int) -> None:
        if not known:
            click.echo("\r\x1b[Klooking for sitemaps", err=True, nl=False)
        elif known > 1:
            click.echo(f"\r\x1b[Kchecking {done:,} of {known:,} files", err=True, nl=False)

    return show


def _report(verdict: Verdict, form: str, output: str | None, settings: Settings, files: tuple[str, ...]) -> None:
    from urlset.checking.clock import now
    from urlset.reports.format import ReportOptions, reporter

    colour = output in (None, "-") and Style.for_stream(sys.stdout).colour
    width = max(60, min(columns(100), 120))
    options = ReportOptions(
        color=colour,
        width=width,
        show=settings.show,
        fail_on=settings.fail_on,
        command="check",
        target=files,
        engines=settings.engines,
        made=now(),
    )
    with readers_may_leave(), opened(output) as stream:
        for piece in reporter(form).render(verdict, options):
            stream.write(piece.encode("utf-8", "replace"))


def write_baseline(verdict: Verdict, path: str, reason: str, expires: str | None) -> int:
    from datetime import date

    from urlset.checking.baseline import Baseline

    if expires is not None:
        try:
            date.fromisoformat(expires)
        except ValueError as error:
            raise click.UsageError(f"--expires {expires!r} is not a date like 2027-01-31") from error
    baseline = Baseline.of(verdict, reason=reason, expires=expires)
    try:
        baseline.save(Path(path))
    except OSError as error:
        raise click.ClickException(f"{path}: cannot be written: {error.strerror}") from error
    click.echo(f"{path}: {len(baseline.findings):,} findings are known from now on; use it with --baseline {path}")
    return BROKEN if verdict.troubled else OK


def _exit_code(verdict: Verdict, settings: Settings) -> int:
    if verdict.troubled:
        return BROKEN
    if verdict.at_or_above(settings.fail_on):
        return FINDINGS
    sitemaps = [document for document in verdict.documents if not verdict.empty or document.kind != "robots"]
    return OK if sitemaps else NOTHING
