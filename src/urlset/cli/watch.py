"""`urlset watch`: sites on a schedule → alerts when something changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import BROKEN, FINDINGS, NOTHING, OK
from urlset.cli.targets import live_for
from urlset.cli.terminal import amount, complain, note, printable, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlset.settings.watch import WatchSettings
    from urlset.watching.signals import Alert
    from urlset.watching.store import LookResult
    from urlset.workflows.watch.site import JobKind, WatchedSite
    from urlset.workflows.watch.watch import Watch, WatchOptions


@command(
    "watch",
    epilog="""Examples:
  urlset watch https://www.example.com/ --slack https://hooks.slack.com/…
  urlset watch https://www.example.com/ --once --webhook https://ops.example.com/hook
  urlset watch --dry-run""",
)
def watch(settings: WatchSettings) -> int:
    """Watch sites and send alerts when something changes.

    Checks, audits, snapshots and engine reports run on schedules: `every 15m`, `daily`, a cron expression (extra
    `watch`), or `off`. Sites come from the command line or from [tool.urlset.watch]. The first look at a site is the
    baseline; later, alerts are sent on changes: a missing sitemap, fewer entries, new errors, noindex, wrong dates, a
    sitemap not read by Google for a week, the certificate, robots.txt. A site that blocks urlset is unknown, not
    broken.

    Each alert is sent once on every channel, and again with the same id if a delivery fails. Webhooks are signed
    with URLSET_WEBHOOK_SECRET, or else with the key in DIR/webhook.key. The password of the mail server is
    URLSET_SMTP_PASSWORD.

    Exit code of --once 0: no new problem; 1: new problems; 2: wrong usage, a site could not be looked at, or an alert
    was not delivered (it is kept); 3: no site to watch.
    """
    from urlset.submitting.secrets import SecretError
    from urlset.writing.sqlite_store import StateError

    try:
        options = _options(settings)
        if not options.sites:
            complain("no site to watch: name a URL, or add sites to [tool.urlset.watch]")
            return NOTHING
        live_for([site.url for site in options.sites], settings, settings.max_files)  # reports URLs of no use
        return _watch(options, settings)
    except (SecretError, StateError) as error:
        raise click.ClickException(printable(str(error))) from error


def _options(settings: WatchSettings) -> WatchOptions:
    from urlset.watching.schedule import QuietHours, SystemClock
    from urlset.workflows.watch.setup import channels_of, rules_of, sites_of, zone_of
    from urlset.workflows.watch.watch import WatchOptions

    clock = SystemClock()
    return WatchOptions(
        sites=sites_of(settings),
        state=Path(settings.state),
        clock=clock,
        zone=zone_of(settings),
        channels=() if settings.dry_run else channels_of(settings, _show_json if settings.format == "json" else _show),
        rules=rules_of(settings),
        quiet=QuietHours.parse(settings.quiet_hours) if settings.quiet_hours else None,
        muted=frozenset(settings.mute),
        complain=lambda line: complain(printable(line)),
        finished=_finished,
        stop=clock.stop,
        stopped=lambda: clock.stopped,
    )


def _watch(options: WatchOptions, settings: WatchSettings) -> int:
    from urlset.watching.store import WatchStore
    from urlset.workflows.watch.watch import Watch

    if settings.dry_run:
        return _show_plan(options, settings)
    with WatchStore(options.state) as store:
        watching = Watch(options, store)
        if settings.once:
            return _exit_code(watching, watching.once())
        with _stopping(options), _listening(watching, settings.listen):
            watching.forever()
    return OK


def _show_plan(options: WatchOptions, settings: WatchSettings) -> int:
    """Also while a watch with the same state is running."""
    from urlset.watching.reader import WatchReader
    from urlset.workflows.watch.watch import plan

    known: dict[tuple[str, str], str | None] = {}
    if WatchReader.exists(options.state):
        with WatchReader(options.state) as reader:
            known = {(job.site, job.kind): job.due for job in reader.jobs()}
    planned = plan(options, options.clock.now(), lambda site, kind: known.get((site, kind)))
    rows = [(each.due, each.kind, each.site.url, each.site.schedules[each.kind].text) for each in planned]
    if settings.format == "json":
        import msgspec

        jobs = [{"due": due, "job": kind, "site": site, "schedule": text} for due, kind, site, text in rows]
        click.echo(msgspec.json.encode({"schema": 1, "command": "watch", "jobs": jobs}).decode())
        return OK
    for due, kind, site, text in rows:
        local = due.astimezone(options.zone)
        click.echo(printable(f"{local:%Y-%m-%d %H:%M:%S %Z}  {kind:<8}  {site}  ({text})"))
    return OK


@contextmanager
def _stopping(options: WatchOptions) -> Iterator[None]:
    """SIGTERM ends the watch after the current job, as a service manager expects; state is complete at any time."""
    import signal

    previous = signal.signal(signal.SIGTERM, lambda *_what: options.stop())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


@contextmanager
def _listening(watching: Watch, address: str | None) -> Iterator[None]:
    if address is None:
        yield
        return
    host, _, port = address.rpartition(":")
    try:
        server = watching.status_server(host.strip("[]") or "127.0.0.1", int(port))
    except (ValueError, OverflowError, OSError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise click.UsageError(printable(f"--listen {address}: {reason}")) from error
    with server:
        note(f"serving /healthz and /metrics on port {server.port}")
        yield


def _exit_code(watching: Watch, undelivered: int) -> int:
    from urlset.watching.signals import Phase

    if undelivered or watching.failed:
        return BROKEN
    if any(alert.phase is Phase.PROBLEM for alert in watching.alerts):
        return FINDINGS
    return BROKEN if watching.blind else OK


def _finished(site: WatchedSite, kind: JobKind, outcome: LookResult, alerts: Sequence[Alert]) -> None:
    listed = ("entry", "entries") if kind == "check" else ("URL", None)  # an audit visits a URL once
    counted = [] if outcome.urls is None else [amount(outcome.urls, *listed)]
    counted += [amount(sum(outcome.findings.values()), "finding")] if outcome.findings else []
    counted += [amount(outcome.requests, "request"), amount(len(alerts), "alert") if alerts else "no change"]
    words = f": {outcome.message}" if outcome.message else ""
    note(printable(f"{kind} {site.url}: {outcome.result}{words} ({', '.join(counted)})"))


def _show(alert: Alert) -> None:
    from urlset.watching.channels import as_text

    click.echo(visible(as_text(alert)))


def _show_json(alert: Alert) -> None:
    from urlset.watching.channels import as_json

    click.echo(as_json(alert).decode())
