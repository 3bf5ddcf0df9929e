"""`urlset engines`: what search engines report, as an audit; and signing in, from nothing to the first report."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from urlset.cli.command import command
from urlset.cli.exit_codes import BROKEN, FINDINGS, OK
from urlset.cli.targets import need_url
from urlset.cli.terminal import Style, is_terminal, printable
from urlset.model.shown import amount
from urlset.version import HOME

if TYPE_CHECKING:
    from urlset.findings.verdict import Verdict
    from urlset.settings.engines import IndexSettings, StatusSettings
    from urlset.submitting.google import Property
    from urlset.workflows.engines_index import IndexedShare, IndexReport
    from urlset.workflows.engines_login import AccessCheck, SetupStep
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


# Signing in: Search Console from nothing to the first report.

_GUIDE = f"{HOME}/blob/main/docs/search-console.md"


@click.command()
@click.argument("engine", type=click.Choice(["google"]), default="google")
@click.option("--client", metavar="FILE", help="JSON file of your OAuth client (Desktop app)")
@click.option("--no-browser", is_flag=True, help="Print the URL instead of opening a browser")
@click.option("--dry-run", is_flag=True, help="Show every screen with simulated engines")
def login(engine: str, client: str | None, no_browser: bool, dry_run: bool) -> int:
    """Set up Search Console step by step, sign in, and check what works.

    Without credentials, a terminal shows each step in the Google Cloud console and checks its result; a pipe gets the
    list of steps. With credentials (GOOGLE_APPLICATION_CREDENTIALS, or an earlier login), each step is checked again.
    With --client, signs in at once. The token is kept in ~/.config/urlset/google.json, readable by you only. With
    --dry-run, nothing is sent to Google and nothing is kept.

    Exit code 0: everything works; 1: a step is missing.
    """
    from urlset.submitting.engine import SecretError
    from urlset.submitting.google import load_credentials

    del engine
    if dry_run:
        return _dry_run()
    if client is not None:
        _sign_in(Path(client), browse=not no_browser)
        return _checked(os.environ)
    try:
        load_credentials()
    except SecretError:
        if os.environ.get("GOOGLE_APPLICATION_CREDENTIALS", "").strip():
            raise
        return _walk(browse=not no_browser)
    return _checked(os.environ)


@click.command()
@click.argument("engine", type=click.Choice(["google"]), default="google")
def logout(engine: str) -> int:
    """Revoke the refresh token of `urlset engines login` and delete it."""
    from urlset.submitting.google import logout as sign_out
    from urlset.web.loop import run

    del engine
    click.echo(run(sign_out()))
    return OK


def _sign_in(client: Path, *, browse: bool) -> None:
    def show(address: str) -> None:
        click.echo(f"Open this URL to sign in:\n\n  {address}\n")
        if browse:
            click.launch(address)

    _granted(client, show, os.environ)


def _granted(
    client: Path,
    show: Callable[[str], None],
    environment: Mapping[str, str],
    shown: Callable[[str], str] = lambda text: text,
) -> None:
    from urlset.submitting.google import login as sign_in
    from urlset.web.loop import run

    path = run(sign_in(client, show, environment=environment))
    click.echo(printable(shown(f"Signed in. The token is saved in {path}.")))


def _checked(environment: Mapping[str, str], shown: Callable[[str], str] = lambda text: text) -> int:
    """Every step, with what to do about the one that fails; then the commands for the first report."""
    from urlset.web.api import Api
    from urlset.web.loop import run
    from urlset.workflows.engines_login import check_access

    async def ask() -> tuple[list[AccessCheck], list[Property]]:
        async with Api(tries=2) as api:
            return await check_access(api, environment)

    checks, properties = run(ask())
    style = Style.for_stream(sys.stdout)
    click.echo()
    for each in checks:
        mark = style.green("ok  ") if each.ok else style.red("fail")
        click.echo(f"  {mark}  {each.step}: {printable(shown(each.said))}")
        if each.advice:
            click.echo(f"        {printable(each.advice)}")
    click.echo()
    if not all(each.ok for each in checks):
        click.echo(f"Fix the last step, then run `urlset engines login` again. Every step is explained in\n  {_GUIDE}")
        return FINDINGS
    click.echo("Everything works. Your first report:")
    name = next((each.name for each in properties if each.verified), "https://www.example.com/")
    # that of a domain property has no scheme
    address = f"https://{name.partition(':')[2]}/" if name.startswith("sc-domain:") else name
    site = shlex.quote(printable(shown(address)))
    click.echo(f"  urlset engines status {site}")
    click.echo(f"  urlset engines index {site} --sample 200")
    return OK


# The walk: a step on the screen, then its check.


def _walk(*, browse: bool) -> int:
    from urlset.workflows.engines_login import BY_PERSON, BY_SERVICE

    talks = is_terminal(sys.stdin) and is_terminal(sys.stdout)
    click.echo("Search Console gives its reports to programs through a Google Cloud project of your own. It is free.")
    click.echo(f"Every step is explained in {_GUIDE}\n")
    if not talks:
        for title, steps in (("With your Google account", BY_PERSON), ("With a service account", BY_SERVICE)):
            click.echo(f"{title}:\n")
            for number, step in enumerate(steps, 1):
                _show(number, step)
        click.echo("Not signed in. Run `urlset engines login --client FILE` with the JSON of the OAuth client, or set")
        click.echo("GOOGLE_APPLICATION_CREDENTIALS to the key of the service account and run `urlset engines login`.")
        return FINDINGS
    click.echo("  1  your Google account: for your own machine")
    click.echo("  2  a service account: for servers and CI")
    by_person = click.prompt("Which one", type=click.Choice(["1", "2"]), default="1") == "1"
    click.echo()
    walked = BY_PERSON if by_person else BY_SERVICE[:-1]  # the last one needs the address in the key
    for number, step in enumerate(walked, 1):
        _show(number, step)
        if step is not walked[-1]:
            _pause()
    if by_person:
        _sign_in(_file("JSON file of the OAuth client", client=True), browse=browse)
        return _until_it_works(os.environ)
    path = _file("JSON file of the key", client=False)
    _show(len(BY_SERVICE), BY_SERVICE[-1])
    address = json.loads(path.read_text(encoding="utf-8"))["client_email"]
    click.echo(f"   The address to add: {printable(str(address))}\n")
    _pause()
    code = _until_it_works({**os.environ, "GOOGLE_APPLICATION_CREDENTIALS": str(path)})
    click.echo(f"\nKeep this in your shell or CI:\n  export GOOGLE_APPLICATION_CREDENTIALS={shlex.quote(str(path))}")
    return code


def _until_it_works(environment: Mapping[str, str]) -> int:
    while (code := _checked(environment)) != OK:
        if click.prompt("Enter to check again, q to stop", default="", show_default=False).strip().lower() == "q":
            break
    return code


def _file(what: str, *, client: bool) -> Path:
    from urlset.workflows.engines_login import file_problem

    while True:
        path = Path(click.prompt(what).strip().strip("'\"")).expanduser()
        problem = file_problem(path, client=client)
        if not problem:
            click.echo(printable(f"   ok  {path.name}\n"))
            return path
        click.echo(printable(f"   {problem}"))


def _pause() -> None:
    click.prompt("Enter when it is done", default="", show_default=False)
    click.echo()


def _show(number: int, step: SetupStep) -> None:
    style = Style.for_stream(sys.stdout)
    click.echo(style.bold(f"{number}. {step.title}"))
    click.echo(f"   {step.address}")
    for line in step.do:
        click.echo(f"   {line}")
    click.echo(f"   Then: {step.see}")
    click.echo(style.dim(f"   If not: {step.wrong}"))
    click.echo()


# The same screens with engines of this machine.


def _dry_run() -> int:
    from urlset.workflows.engines_login import BY_PERSON, SAMPLE, agreeing_browser, dry_run
    from urlset.writing.files import work_folder

    click.echo(f"Dry run: the engines are simulated, the site is {SAMPLE}/. Nothing is sent or kept.\n")
    for number, step in enumerate(BY_PERSON, 1):
        _show(number, step)
    with work_folder() as folder, dry_run(Path(folder)) as stage:

        def show(address: str) -> None:
            click.echo(f"Open this URL to sign in:\n\n  {address.partition('?')[0]}?client_id=…\n")

        _granted(stage.client, agreeing_browser(show), stage.environment, stage.shown)
        code = _checked(stage.environment, stage.shown)
        if code == OK:
            from urlset.settings.engines import IndexSettings, StatusSettings
            from urlset.workflows.engines_index import index
            from urlset.workflows.engines_status import status

            target, maps = f"{SAMPLE}/", (f"{SAMPLE}={stage.server}",)
            click.echo(f"\n  $ urlset engines status {target}")
            reported = status(StatusSettings(target=target, maps=maps), environment=stage.environment)
            click.echo("\n".join(status_lines(reported)))
            click.echo(f"\n  $ urlset engines index {target} --sample 30")
            settings = IndexSettings(target=target, maps=maps, sample=30, state=stage.state)
            click.echo("\n".join(index_lines(index(settings, environment=stage.environment))))
    return code


for each in (status, index, login, logout):
    engines.add_command(each)
