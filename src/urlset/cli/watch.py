"""`urlset watch`: sites on a schedule → alerts when something changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import BROKEN, FINDINGS, NOTHING, OK
from urlset.cli.targets import need_fetchable
from urlset.cli.terminal import complain, note, printable, visible
from urlset.model.shown import amount

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlset.settings.watch import WatchSettings
    from urlset.watching.schedule import SystemClock
    from urlset.watching.store import LookResult
    from urlset.watching.tracker import Alert
    from urlset.workflows.watch import Watch
    from urlset.workflows.watch_looks import JobKind, WatchedSite


@command(
    "watch",
    usual="once dry-run state check audit snapshot keep quiet-hours webhook slack mail",
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
    from urlset.workflows.watch import sites_of

    sites = sites_of(settings)
    if not sites:
        complain("no site to watch: name a URL, or add sites to [tool.urlset.watch]")
        return NOTHING
    need_fetchable([site.url for site in sites])
    return _show_plan(sites, settings) if settings.dry_run else _watch(settings)


def _watch(settings: WatchSettings) -> int:
    from urlset.watching.channels import as_json, as_text
    from urlset.watching.schedule import SystemClock
    from urlset.watching.store import WatchStore
    from urlset.workflows.watch import Watch, channels_of

    clock = SystemClock()

    def show(alert: Alert) -> None:
        click.echo(as_json(alert).decode() if settings.format == "json" else visible(as_text(alert)))

    channels = channels_of(settings, show)
    with WatchStore(Path(settings.state)) as store:
        watching = Watch(
            settings,
            store,
            clock=clock,
            channels=channels,
            complain=lambda line: complain(printable(line)),
            finished=_finished,
            stopped=lambda: clock.stopped,
        )
        if settings.once:
            undelivered = watching.once()
            from urlset.watching.tracker import Phase

            if undelivered or watching.failed:
                return BROKEN
            if any(alert.phase is Phase.PROBLEM for alert in watching.alerts):
                return FINDINGS
            return BROKEN if watching.blind else OK
        with _stopping(clock), _listening(watching, settings.listen):
            watching.forever()
    return OK


def _show_plan(sites: Sequence[WatchedSite], settings: WatchSettings) -> int:
    """Also while a watch with the same state is running."""
    from urlset.watching.reader import WatchReader
    from urlset.watching.schedule import SystemClock
    from urlset.workflows.watch import plan, zone_of

    known: dict[tuple[str, str], str | None] = {}
    state, zone = Path(settings.state), zone_of(settings)
    if WatchReader.exists(state):
        with WatchReader(state) as reader:
            known = {(job.site, job.kind): job.due for job in reader.jobs()}
    planned = plan(sites, zone, SystemClock().now(), lambda site, kind: known.get((site, kind)))
    rows = [(each.due, each.kind, each.site.url, each.site.schedules[each.kind].text) for each in planned]
    if settings.format == "json":
        import msgspec

        jobs = [{"due": due, "job": kind, "site": site, "schedule": text} for due, kind, site, text in rows]
        click.echo(msgspec.json.encode({"schema": 1, "command": "watch", "jobs": jobs}).decode())
        return OK
    for due, kind, site, text in rows:
        local = due.astimezone(zone)
        click.echo(printable(f"{local:%Y-%m-%d %H:%M:%S %Z}  {kind:<8}  {site}  ({text})"))
    return OK


@contextmanager
def _stopping(clock: SystemClock) -> Iterator[None]:
    """SIGTERM ends the watch after the current job, as a service manager expects; state is complete at any time."""
    import signal

    previous = signal.signal(signal.SIGTERM, lambda *_what: clock.stop())
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


def _finished(site: WatchedSite, kind: JobKind, outcome: LookResult, alerts: Sequence[Alert]) -> None:
    listed = ("entry", "entries") if kind == "check" else ("URL", None)  # an audit visits a URL once
    counted = [] if outcome.urls is None else [amount(outcome.urls, *listed)]
    counted += [amount(sum(outcome.findings.values()), "finding")] if outcome.findings else []
    counted += [amount(outcome.requests, "request"), amount(len(alerts), "alert") if alerts else "no change"]
    words = f": {outcome.message}" if outcome.message else ""
    note(printable(f"{kind} {site.url}: {outcome.result}{words} ({', '.join(counted)})"))
