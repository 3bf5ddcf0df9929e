"""`urlset engines`: what search engines report, as an audit."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from urlset.cli.command import command
from urlset.cli.exit_codes import BROKEN, FINDINGS, OK
from urlset.cli.login import login, logout
from urlset.cli.targets import need_url
from urlset.cli.terminal import printable
from urlset.model.shown import amount

if TYPE_CHECKING:
    from urlset.findings.verdict import Verdict
    from urlset.settings.engines import IndexSettings, StatusSettings
    from urlset.workflows.engines_index import IndexedShare, IndexReport
    from urlset.workflows.engines_status import StatusReport


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
    rows = msgspec.to_builtins(report.sitemaps)
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
        rows = msgspec.to_builtins([*report.sections, report.total])
        notes = [*report.notes, *(f"used: {line}" for line in report.used)]
        notes += [*(f"not used: {line}" for line in report.unused), *([report.stopped] if report.stopped else [])]
        click.echo(_written(form, "engines index", "Indexed share", report.verdict, rows, notes, index_lines(report)))
    if report.unused or (report.stopped and not report.inspected):
        return BROKEN
    return FINDINGS if report.verdict.severity_counts.get("error") else OK


for each in (status, index, login, logout):
    engines.add_command(each)


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
    found = [
        printable(f"{it.severity:7}  {it.code}  {it.subject or it.source}: {it.message}") for it in verdict.findings
    ]
    return "\n".join([*lines, *(["", *found] if found else [])])


def _verdict_json(verdict: Verdict, command: str) -> dict[str, Any]:
    from urlset.reports.format import ReportOptions, reporter

    written: dict[str, Any] = json.loads("".join(reporter("json")(verdict, ReportOptions(command=command))))
    return written


def _index_json(report: IndexReport) -> str:
    from urlset.spec.index_reasons import reason_of

    said, verdict = msgspec.to_builtins(report), _verdict_json(report.verdict, "engines index")
    reasons = {
        name: [
            {
                "label": label,
                "reason": found.id if (found := reason_of(label)) else "other",
                "urls": count,
                "advice": found.advice.value if found else None,
            }
            for label, count in labels.items()
        ]
        for name, labels in report.reasons.items()
    }
    said |= {"schema": 1, "command": "engines index", "engines": said["counts"], "reasons": reasons}
    said |= {"stopped": report.stopped or None, "findings": verdict["findings"], "counts": verdict["counts"]}
    return json.dumps({name: said[name] for name in _INDEX_FIELDS}, ensure_ascii=False, indent=1)


_INDEX_FIELDS = (
    *("schema", "command", "inspected", "left", "sections", "total", "engines", "reasons", "stopped", "notes"),
    *("unused", "used", "findings", "counts"),
)


# What search engines report → lines of a terminal.


def status_lines(report: StatusReport) -> list[str]:
    lines = []
    for row in report.sitemaps:
        said = ["" if row.our_count is None else f"(the site lists {row.our_count:,})"]
        if row.known:
            said = [f"read {row.last_read[:10]}" if row.last_read else "never read", "pending" if row.pending else ""]
            said += [f"submitted {row.submitted[:10]}" if row.submitted else ""]
            said += [f"{row.errors} errors" if row.errors else "", f"{row.warnings} warnings" if row.warnings else ""]
            if row.their_count is not None or row.our_count is not None:
                said.append(f"counts {_count(row.their_count)}, the site lists {_count(row.our_count)}")
        else:
            said.insert(0, "not known")
        lines.append(printable(f"{row.engine:8}{row.url}  {'  '.join(filter(None, said))}"))
    lines += [printable(f"note: {note}") for note in report.notes]
    lines += [printable(f"not requested: {line}") for line in report.unreachable]
    return lines + _no_findings(report.verdict, amount(len(report.sitemaps), "sitemap"), len(report.sitemaps))


def _no_findings(verdict: Verdict, scope: str, looked: int) -> list[str]:
    """An all-clear only for what was looked at."""
    if verdict.findings:
        return []
    return [f"no findings on {scope}" if looked else f"nothing was compared: {scope}"]


def _count(value: int | None) -> str:
    return "?" if value is None else f"{value:,}"


def index_lines(report: IndexReport) -> list[str]:
    from urlset.spec.index_reasons import reason_of

    lines = [line for each in (*report.sections, report.total) for line in _section(each)]
    lines.append(f"inspected {report.inspected:,} of the sample, {report.left:,} left")
    if any(each.band for each in report.sections):
        lines.append("healthy, mixed and poor (90 % and 60 %) are a practitioners' rule of thumb, not Google's")
    for name, reasons in report.reasons.items():
        for label, count in reasons.items():
            advice = f": {found.advice.value}" if (found := reason_of(label)) is not None else ""
            lines.append(printable(f"  {name}: {count:,} {label}{advice}"))
    lines += [f"{each.engine}: {each.indexed:,} pages indexed ({each.source})" for each in report.counts]
    lines += [printable(f"note: {note}") for note in report.notes]
    lines += [printable(f"used: {line}") for line in report.used]
    lines += [printable(f"not used: {line}") for line in report.unused]
    lines += [printable(f"stopped: {report.stopped}")] if report.stopped else []
    return lines + _no_findings(report.verdict, amount(report.inspected, "inspected URL"), report.inspected)


def _section(each: IndexedShare) -> list[str]:
    share = f"{each.low:.1%} to {each.high:.1%}" if each.share is None else f"{each.share:.1%}"
    share = f"{share} indexed" if each.share is not None or each.source != "unknown" else "unknown"
    interval = f" ({each.low:.1%} to {each.high:.1%})" if each.low != each.high and each.share is not None else ""
    band = f"  {each.band}" if each.band else ""
    looked = f", {each.inspected:,} inspected" if each.inspected else ""
    line = f"{each.name}  {share}{interval}  of {amount(each.urls, 'URL')}{looked}{band}  [{each.source}]"
    return [printable(line), *([printable(f"  narrower: {each.needs}")] if each.needs else [])]
