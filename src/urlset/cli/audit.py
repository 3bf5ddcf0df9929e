"""`urlset audit`: every page that sitemaps list, looked at and judged."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from urlset.cli.check import FORMATS, write_baseline
from urlset.cli.exit_codes import BROKEN, FINDINGS, INTERRUPTED, NOTHING, OK
from urlset.cli.live_options import recording_faults
from urlset.cli.output import opened, readers_may_leave
from urlset.cli.settings_options import SEVERITIES, load_settings, rule_options
from urlset.cli.terminal import Style, columns, complain, printable
from urlset.cli.web_options import take_web_options, web_options

if TYPE_CHECKING:
    from urlset.reports.format import ReportOptions
    from urlset.settings.options import Settings
    from urlset.workflows.audit.audit import AuditRun
    from urlset.workflows.audit.options import AuditOptions
    from urlset.workflows.crawl.compare import CrawledSite
    from urlset.workflows.crawl.options import CrawlOptions

_SETTINGS = ("root", "base_url", "select", "ignore", "engines", "fail_on", "show", "baseline")
_SETTABLE = ("user_agent", "concurrency", "delay", "timeout")
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?", re.IGNORECASE)


@click.command(
    short_help="Look at every listed page, politely, and judge it.",
    epilog="Example: urlset audit https://www.example.com/ --format json --output audit.json",
)
@click.argument("target", type=click.Path(readable=False), metavar="URL|FILE|FOLDER")
@click.option(
    "--format",
    "forms",
    type=click.Choice(FORMATS),
    multiple=True,
    help="How to report; may be given several times, each with an --output of its own. Default: text.",
)
@click.option(
    "--output", "outputs", multiple=True, metavar="FILE", help="Write the report of the same position to FILE."
)
@click.option("--sample", metavar="N|P%", help="Look at so many pages only, spread over files and kinds of paths.")
@click.option("--max-pages", type=click.IntRange(1), metavar="N", help="Ask for N pages this time; run again to go on.")
@click.option("--max-time", metavar="TIME", help="Stop asking after TIME, such as 90s, 10m or 2h; run again to go on.")
@click.option("--fresh", is_flag=True, help="Forget what is known of this target and start over.")
@click.option("--resume", is_flag=True, help="Go on where the last run stopped, as is done anyway.")
@click.option("--known", is_flag=True, help="Ask nothing: report what the last run found out.")
@click.option("--state", metavar="DIR", help="Where the state of audits is kept [.urlset].")
@click.option("--media", is_flag=True, help="Ask for listed images and videos too.")
@click.option("--ignore-robots", is_flag=True, help="Fetch what robots.txt forbids urlset: for your own site.")
@click.option("--check", "with_check", is_flag=True, help="Check the sitemaps themselves too, as `urlset check` does.")
@click.option(
    "--crawl",
    "with_crawl",
    is_flag=True,
    help="Follow the site's links first: what is in no sitemap, linked by nobody?",
)
@click.option(
    "--exclude", multiple=True, metavar="PATTERN", help="With --crawl: leave out pages that match; glob, or re:REGEX."
)
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False),
    metavar="DIR",
    help="Look at the files in DIR instead of asking a server; needs --base-url.",
)
@click.option("--base-url", metavar="URL", help="The address that a folder is served at.")
@rule_options
@click.option("--fail-on", type=click.Choice(SEVERITIES), help="The least severity that makes the exit code 1.")
@click.option("--show", type=click.Choice(SEVERITIES), help="The least severity that text formats print.")
@click.option("--baseline", metavar="FILE", help="Do not report the findings that FILE knows.")
@click.option("--write-baseline", metavar="FILE", help="Write all present findings to FILE, to be known from now on.")
@click.option("--reason", default="", metavar="TEXT", help="With --write-baseline: why they are accepted.")
@click.option("--expires", metavar="DATE", help="With --write-baseline: the day after which they count again.")
@web_options
def audit(target: str, forms: tuple[str, ...], outputs: tuple[str, ...], **given: Any) -> int:
    """Look at every page that sitemaps list: is it there, may it be indexed, is it the one to list?

    Look at a site, a sitemap or an index on the web, a sitemap file (its pages are fetched), or a build folder
    with --base-url (nothing is fetched). Pages are asked politely: robots.txt is obeyed, each host is given its
    time. Blocked is not broken: a page that bot protection keeps from us is told apart from one that is gone.

    State is kept on disk: after ctrl-C, a crash or a power cut the same command goes on where it was. Once
    finished, it asks again, and servers are asked only for what changed.

    Exit code 0: nothing at or above --fail-on; 1: such findings; 2: wrong usage, or something could not be read,
    or not one page could be judged; 3: no page is listed; 130: stopped with ctrl-C.
    """
    forms = forms or ("text",)
    if len(outputs) > len(forms):
        raise click.UsageError(f"{len(outputs)} --output for {len(forms)} --format: give each its own")
    baseline = (given.pop("write_baseline"), given.pop("reason"), given.pop("expires"))
    profile, config_file = given.pop("profile"), given.pop("config_file")
    flags = {name.replace("_", "-"): given.pop(name) for name in _SETTINGS}
    settings = load_settings(profile, config_file, flags).settings
    with_crawl, exclude = given.pop("with_crawl"), given.pop("exclude")
    if exclude and not with_crawl:
        raise click.UsageError("--exclude says what --crawl leaves out: give both, or neither")
    options = _options(target, given, settings)
    crawl = _crawl_options(options, settings, exclude) if with_crawl else None
    return _run(options, settings, tuple(_paired(forms, outputs)), baseline, crawl)


def _paired(forms: tuple[str, ...], outputs: tuple[str, ...]) -> Iterator[tuple[str, str | None]]:
    for number, form in enumerate(forms):
        yield form, outputs[number] if number < len(outputs) else None


def _options(target: str, given: dict[str, Any], settings: Settings) -> AuditOptions:
    """What no option says about fetching is taken from [web] in the settings."""
    from urlset.auditing.sample import SampleSize
    from urlset.workflows.audit.options import STATE_FOLDER, AuditOptions

    for name in _SETTABLE:
        if given[name] is None:
            given[name] = getattr(settings.web, name)
    web = take_web_options(given)
    sample, fresh, known = given.pop("sample"), given.pop("fresh"), given.pop("known")
    if sample is not None:
        try:
            SampleSize.parse(sample)
        except ValueError as error:
            raise click.UsageError(f"--sample: {error}") from error
    if fresh and (known or given["resume"]):
        raise click.UsageError("--fresh forgets what --resume and --known would use: give one of them")
    return AuditOptions(
        target=target,
        state=Path(given.pop("state") or STATE_FOLDER),
        fresh=fresh,
        known=known,
        sample=sample,
        max_pages=given.pop("max_pages"),
        max_seconds=_seconds(given.pop("max_time")),
        obey_robots=not given.pop("ignore_robots"),
        media=given.pop("media"),
        check=given.pop("with_check"),
        web=web,
    )


def _crawl_options(options: AuditOptions, settings: Settings, exclude: tuple[str, ...]) -> CrawlOptions:
    """The whole site that the sitemap belongs to."""
    from urlset.reading.host_robots import origin_of
    from urlset.workflows.crawl.options import CrawlOptions

    origin = origin_of(options.target if options.is_url else settings.base_url or "")
    if origin is None or settings.root or Path(options.target).is_dir():
        raise click.UsageError("--crawl follows the links of a site on the web: name its address, not a folder")
    if options.known:
        raise click.UsageError("--known asks nothing, and --crawl has to: give one of them")
    robots = not options.obey_robots
    return CrawlOptions(
        url=f"{origin}/",
        state=options.state,
        exclude=exclude,
        fresh=options.fresh,
        ignore_robots=robots,
        web=options.web,
    )


@contextmanager
def _compared(crawl: CrawlOptions | None) -> Iterator[CrawledSite | None]:
    """What a crawl found, to be held against the sitemap."""
    if crawl is None:
        yield None
        return
    from urlset.cli.crawl import ProgressLine
    from urlset.workflows.crawl.compare import comparing

    line = ProgressLine()
    try:
        with comparing(crawl, progress=line.show if line.wanted else None) as compare:
            line.clear()
            yield compare
    finally:
        line.clear()


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    found = _DURATION.fullmatch(text.strip())
    if found is None or not any(found.groups()):
        raise click.UsageError(f"--max-time {text!r} is not a time like 90s, 10m or 1h30m")
    hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return hours * 3600 + minutes * 60 + seconds


def _run(
    options: AuditOptions,
    settings: Settings,
    reports: tuple[tuple[str, str | None], ...],
    baseline: tuple[str | None, str, str | None],
    crawl: CrawlOptions | None,
) -> int:
    from urlset.building.patterns import PatternError
    from urlset.checking.baseline import BaselineError
    from urlset.checking.select import UnknownSelectorError
    from urlset.cli.progress import Progress
    from urlset.workflows.audit.audit import AuditError, audited
    from urlset.workflows.crawl.options import CrawlError, CrawlStopped
    from urlset.writing.state_file import StateError

    if settings.baseline is not None and not Path(settings.baseline).is_file():
        raise click.UsageError(f"{settings.baseline}: no such baseline")
    progress = Progress()
    try:
        with (
            recording_faults(),
            _compared(crawl) as compare,
            audited(
                options, settings, watch=progress, compare=compare, met=compare.met if compare is not None else None
            ) as outcome,
        ):
            progress.clear()
            if baseline[0]:
                return write_baseline(outcome.report.verdict, baseline[0], baseline[1], baseline[2])
            for form, output in reports:
                _report(outcome, form, output, settings)
            return _ending(outcome, settings, tuple(form for form, _ in reports), known=options.known)
    except CrawlStopped as stopped:
        complain(f"{stopped}, nothing was audited: run the same command to go on, or with --fresh to start over")
        return INTERRUPTED
    except (CrawlError, AuditError, UnknownSelectorError, BaselineError, StateError, PatternError) as error:
        raise click.UsageError(str(error)) from error
    finally:
        progress.clear()


def _report(outcome: AuditRun, form: str, output: str | None, settings: Settings) -> None:
    from urlset.checking.clock import now
    from urlset.reports.format import ReportOptions

    colour = output in (None, "-") and Style.for_stream(sys.stdout).colour
    width = max(40, min(columns(100), 120))
    options = ReportOptions(
        color=colour,
        width=width,
        show=settings.show,
        fail_on=settings.fail_on,
        command="audit",
        target=(outcome.report.target,),
        engines=settings.engines,
        made=now(),
    )
    with readers_may_leave(), opened(output) as stream:
        for piece in _pieces(outcome, form, options):
            stream.write(piece.encode("utf-8", "replace"))


def _pieces(outcome: AuditRun, form: str, options: ReportOptions) -> Iterator[str]:
    from urlset.reports import audit_csv, audit_html, audit_json, audit_markdown, audit_text
    from urlset.reports.format import reporter

    report = outcome.report
    match form:
        case "text" | "full":
            return audit_text.render(report, options, everything=form == "full")
        case "json":
            return audit_json.render(report, options)
        case "csv":
            return audit_csv.render(report, options)
        case "markdown":
            return audit_markdown.render(report, options)
        case "html":
            return audit_html.render(report, options)
        case _:
            return reporter(form).render(report.verdict, options)


def _ending(outcome: AuditRun, settings: Settings, forms: tuple[str, ...], *, known: bool) -> int:
    """What is left to say on stderr, and the exit code."""
    from urlset.auditing.session import SessionEnd

    verdict = outcome.report.verdict
    if not set(forms) & {"text", "full"}:  # those two tell it themselves
        for line in (*verdict.troubled, *outcome.report.notices):
            complain(printable(line))
    left = f"{outcome.left:,} page{'' if outcome.left == 1 else 's'} left"
    if known and outcome.ended is not SessionEnd.FINISHED:
        complain(f"the last run did not come to its end, {left}: run the command without --known to go on")
    elif outcome.ended is not SessionEnd.FINISHED:
        complain(f"{outcome.ended.value}, {left}: run the same command to go on, or with --fresh to start over")
    if outcome.ended is SessionEnd.STOPPED and not known:
        return INTERRUPTED
    if verdict.troubled:
        return BROKEN
    if not outcome.report.listed:
        return NOTHING
    if verdict.at_or_above(settings.fail_on):
        return FINDINGS
    if outcome.report.seen and not outcome.report.judged:
        complain("no page could be judged, so nothing is said about them")
        return BROKEN
    return OK
