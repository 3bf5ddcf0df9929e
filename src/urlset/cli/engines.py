"""`urlset engines`: what search engines report, as an audit."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from urlset.cli.command import command
from urlset.cli.engine_screens import index_lines, status_lines
from urlset.cli.exit_codes import BROKEN, FINDINGS, OK
from urlset.cli.login import login, logout
from urlset.cli.targets import need_url
from urlset.cli.terminal import printable

if TYPE_CHECKING:
    from urlset.findings.finding import Finding
    from urlset.findings.verdict import Verdict
    from urlset.settings.engines import IndexSettings, StatusSettings
    from urlset.workflows.engines_index import IndexReport


@click.group()
def engines() -> None:
    """Compare what search engines report with what the site serves.

    Credentials: GOOGLE_APPLICATION_CREDENTIALS or `urlset engines login`, URLSET_BING_KEY, URLSET_YANDEX_TOKEN.
    Engines without credentials are skipped.
    """


@command(
    "engines-status",
    usual="to property format timeout quiet",
    epilog="Example:\n  urlset engines status www.example.com --to google,bing",
)
def status(settings: StatusSettings) -> int:
    """Show each sitemap as Google, Bing and Yandex report it.

    Reports sitemaps that were never read, not read for a week, pending for weeks, with errors, with other counts
    than the site serves, gone, or not submitted.

    Exit code 0: no error-level finding; 1: such findings; 2: an engine could not be reached.
    """
    from urlset.workflows.engines_status import status as ask

    form = settings.format
    target = need_url(settings.target or "", "name a site or the URL of a sitemap")
    report = ask(replace(settings, target=target))
    rows = _built(report.sitemaps)
    if form == "json":
        body = {
            **_verdict_json(report.verdict, "engines status"),
            "sitemaps": rows,
            "unreachable": list(report.unreachable),
        }
        click.echo(json.dumps(body, ensure_ascii=False, indent=1))
    else:
        notes = [*report.notes, *report.unreachable]
        click.echo(_written(form, "engines status", "Sitemaps", report.verdict, rows, notes, status_lines(report)))
    if report.unreachable:
        return BROKEN
    return FINDINGS if report.verdict.severity_counts.get("error") else OK


@command(
    "engines-index",
    usual="sample export audit state property format quiet",
    epilog="Example:\n  urlset engines index www.example.com --sample 500",
)
def index(settings: IndexSettings) -> int:
    """Estimate how many listed URLs are indexed, per sitemap, with an interval.

    Inspects a stratified sample of the listed URLs with Google's URL Inspection API, at most 2,000 per day and
    property. Every response is kept: a run that reaches the quota continues the next day. An export of the Page
    indexing report, filtered to one sitemap, gives exact counts instead.

    Exit code 0: done, or to be continued tomorrow; 1: error-level findings; 2: Google could not be reached, or an
    export could not be used.
    """
    from urlset.workflows.engines_index import index as ask

    form, target = settings.format, settings.target or ""
    target = target if Path(target).exists() else need_url(target, "name a site, a sitemap or a file")
    report = ask(replace(settings, target=target))
    if form == "json":
        click.echo(_index_json(report))
    else:
        rows = [*_built(report.sections), *_built([report.total])]
        notes = [*report.notes, *(f"used: {line}" for line in report.used)]
        notes += [*(f"not used: {line}" for line in report.unused), *([report.stopped] if report.stopped else [])]
        click.echo(_written(form, "engines index", "Indexed share", report.verdict, rows, notes, index_lines(report)))
    if report.unused or (report.stopped and not report.inspected):
        return BROKEN
    return FINDINGS if report.verdict.severity_counts.get("error") else OK


engines.add_command(status)
engines.add_command(index)
engines.add_command(login)
engines.add_command(logout)


def _built(values: Any) -> list[Any]:
    import msgspec

    return [msgspec.to_builtins(each) for each in values]


def _written(
    form: str,
    command: str,
    title: str,
    verdict: Verdict,
    rows: list[dict[str, Any]],
    notes: list[str],
    lines: list[str],
) -> str:
    from urlset.checking.clock import now
    from urlset.reports.format import ReportOptions
    from urlset.reports.html import engines_page
    from urlset.reports.table import csv_lines, table_of

    if form == "csv":
        return "".join(csv_lines(table_of(title, rows))).rstrip("\n")
    if form == "html":
        options = ReportOptions(command=command, made=now())
        return "".join(engines_page(table_of(title, rows), notes, verdict, options)).rstrip("\n")
    return "\n".join([*lines, *(["", *map(_finding, verdict.findings)] if verdict.findings else [])])


def _verdict_json(verdict: Verdict, command: str) -> dict[str, Any]:
    from urlset.reports.format import ReportOptions, reporter

    written: dict[str, Any] = json.loads("".join(reporter("json")(verdict, ReportOptions(command=command))))
    return written


def _finding(each: Finding) -> str:
    return printable(f"{each.severity:7}  {each.code}  {each.subject or each.source}: {each.message}")


def _index_json(report: IndexReport) -> str:
    import msgspec

    from urlset.spec.index_reasons import reason_of

    verdict = _verdict_json(report.verdict, "engines index")
    body = {
        "schema": 1,
        "command": "engines index",
        "inspected": report.inspected,
        "left": report.left,
        "sections": _built(report.sections),
        "total": msgspec.to_builtins(report.total),
        "engines": _built(report.counts),
        "reasons": {
            name: [
                {
                    "label": label,
                    "reason": found.id if (found := reason_of(label)) else "other",
                    "urls": count,
                    "advice": found.advice.value if found else None,
                }
                for label, count in reasons.items()
            ]
            for name, reasons in report.reasons.items()
        },
        "stopped": report.stopped or None,
        "notes": list(report.notes),
        "unused": list(report.unused),
        "used": list(report.used),
        "findings": verdict["findings"],
        "counts": verdict["counts"],
    }
    return json.dumps(body, ensure_ascii=False, indent=1)
