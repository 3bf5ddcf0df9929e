"""`urlset diff`: two states of sitemaps → what changed between them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from urlset.cli.exit_codes import BROKEN, FINDINGS, NOTHING, OK
from urlset.cli.live_options import live_options, recording_faults, take_live
from urlset.cli.output import opened, readers_may_leave
from urlset.cli.terminal import Style, columns, complain, printable

if TYPE_CHECKING:
    from urlset.reports.diff_report import DiffReport
    from urlset.reports.format import ReportOptions
    from urlset.workflows.diff.options import DiffOptions

FORMATS = ("text", "full", "json", "csv", "html", "patch")


@click.command(
    short_help="Compare two states of sitemaps.",
    epilog="\b\nExamples:\n  urlset diff old.xml new.xml\n"
    "  urlset diff https://www.example.com/sitemap.xml public/ --require-all --ignore-host\n"
    "  urlset diff https://www.example.com/ --since yesterday --max-removed 1%",
)
@click.argument("targets", nargs=-1, type=click.Path(readable=False), metavar="OLD NEW | TARGET --since WHEN")
@click.option("--since", metavar="WHEN", help="Compare with the snapshot of WHEN: yesterday, 7d, 2026-11-01.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="Output format.")
@click.option("--output", "-o", metavar="FILE", help="Write to FILE.")
@click.option("--exit-code", is_flag=True, help="Exit with 1 if anything differs.")
@click.option("--max-removed", metavar="N|P%", help="Fail if more URLs are removed.")
@click.option("--max-added", metavar="N|P%", help="Fail if more URLs are added.")
@click.option("--max-changed", metavar="N|P%", help="Fail if more URLs are changed.")
@click.option("--require-all", is_flag=True, help="Fail unless every URL of OLD is in NEW.")
@click.option("--fields", metavar="NAMES", help="Compare only these fields, comma-separated.")
@click.option("--ignore-host", is_flag=True, help="Compare paths and queries, not hosts.")
@click.option("--no-renames", is_flag=True, help="Report renamed URLs as removed and added.")
@click.option("--redirects", metavar="FILE", help="Known redirects, as `OLD NEW` lines or CSV.")
@click.option("--state", default=".urlset", show_default=True, metavar="DIR", help="Folder of snapshots.")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False),
    metavar="DIR",
    help="Folder that holds the children of local indexes.",
)
@live_options
def diff(targets: tuple[str, ...], form: str, output: str | None, exit_code: bool, **given: Any) -> int:
    """Compare two states of sitemaps: files, folders, URLs or snapshots.

    OLD and NEW are sitemap files, patterns, folders, URLs of sitemaps or sites, or snapshots of them: TARGET@WHEN,
    such as https://www.example.com/@yesterday. The order of entries does not count. A removed URL and an added one
    are reported as renamed if a redirect, a canonical, the content or the path shows it; the evidence is named.

    Exit code 0: compared; 1: a limit is exceeded, or something differs and --exit-code is set; 2: wrong usage, or
    something could not be read; 3: neither side lists a URL.
    """
    from urlset.workflows.diff.diff import diff as compare
    from urlset.workflows.diff.options import DiffError

    options = _options(targets, given)
    try:
        with recording_faults(), compare(options) as report:
            with readers_may_leave(), opened(output) as stream:
                for piece in _pieces(report, form, _report_options(output, targets)):
                    stream.write(piece.encode("utf-8", "replace"))
            return _ending(report, form, exit_code=exit_code)
    except DiffError as error:
        raise click.ClickException(printable(str(error))) from error


def _options(targets: tuple[str, ...], given: dict[str, Any]) -> DiffOptions:
    from urlset.snapshots.block import FIELDS
    from urlset.workflows.diff.options import LIMITED, DiffOptions, Limit

    old, new = _sides(targets, given.pop("since"))
    limits = {}
    for kind in LIMITED:
        text = given.pop(f"max_{kind}")
        if text is not None:
            try:
                limits[kind] = Limit.parse(text)
            except ValueError as error:
                raise click.UsageError(f"--max-{kind}: {error}") from error
    named = given.pop("fields")
    fields = FIELDS if named is None else tuple(dict.fromkeys(each.strip() for each in named.split(",")))
    if unknown := [name for name in fields if name not in FIELDS]:
        raise click.UsageError(f"--fields: unknown field {unknown[0]!r}; known: {', '.join(FIELDS)}")
    redirects = given.pop("redirects")
    return DiffOptions(
        old=old,
        new=new,
        state=Path(given.pop("state")),
        fields=fields,
        ignore_host=given.pop("ignore_host"),
        renames=not given.pop("no_renames"),
        redirects=Path(redirects) if redirects else None,
        require_all=given.pop("require_all"),
        limits=limits,
        root=given.pop("root"),
        live=take_live([each for each in (old, new) if not _is_snapshot(each)], given),
    )


def _sides(targets: tuple[str, ...], since: str | None) -> tuple[str, str]:
    if since is not None:
        if len(targets) != 1:
            raise click.UsageError("--since takes one TARGET")
        from urlset.checking.clock import now
        from urlset.snapshots.moments import HELP, is_moment

        if not is_moment(since, now()):
            raise click.UsageError(f"--since: {since!r} is not a time; {HELP}")
        return f"{targets[0]}@{since}", targets[0]
    if len(targets) != 2:
        raise click.UsageError("give OLD and NEW, or one TARGET with --since")
    if targets == ("-", "-"):
        raise click.UsageError("only one of OLD and NEW can be standard input")
    return targets[0], targets[1]


def _is_snapshot(target: str) -> bool:
    from urlset.checking.clock import now
    from urlset.snapshots.moments import is_moment

    _, sign, when = target.rpartition("@")
    return bool(sign) and is_moment(when, now())


def _report_options(output: str | None, targets: tuple[str, ...]) -> ReportOptions:
    from urlset.checking.clock import now
    from urlset.reports.format import ReportOptions

    color = output in (None, "-") and Style.for_stream(sys.stdout).colour
    return ReportOptions(color=color, width=columns(100), command="diff", target=targets, made=now())


def _pieces(report: DiffReport, form: str, options: ReportOptions) -> Iterator[str]:
    from importlib import import_module

    if form in ("text", "full"):
        from urlset.reports import diff_text

        return diff_text.render(report, options, everything=form == "full")
    pieces: Iterator[str] = import_module(f"urlset.reports.diff_{form}").render(report, options)
    return pieces


def _ending(report: DiffReport, form: str, *, exit_code: bool) -> int:
    if form not in ("text", "full"):  # which say it themselves
        for line in (*report.troubled, *report.failures):
            complain(printable(line))
    if report.troubled:
        return BROKEN
    if not report.summary.old and not report.summary.new:
        complain("nothing to compare: neither side lists a URL")
        return NOTHING
    if report.failures or (exit_code and report.differs):
        return FINDINGS
    return OK
