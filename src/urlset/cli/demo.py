"""`urlset demo`: a sample site full of faults, served by this program, and the whole loop on it."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlset.cli.exit_codes import FINDINGS, INTERRUPTED, OK
from urlset.cli.serve import listen, need_dashboard
from urlset.cli.terminal import Style, can_redraw, is_terminal

if TYPE_CHECKING:
    from urlset.cli.progress import Progress
    from urlset.workflows.demo.demo import Demo
    from urlset.workflows.demo.sample.site import SampleServer


_TITLE = "A sample shop with known faults, from the first check to new sitemaps"


@click.command(epilog="\b\nExamples:\n  urlset demo\n  urlset demo --dashboard\n  urlset demo --serve --port 8000")
@click.option("--into", type=click.Path(file_okay=False), metavar="DIR", help="Keep the files in DIR")
@click.option("--serve", is_flag=True, help="Only serve the sample site, until Ctrl-C")
@click.option("--dashboard", is_flag=True, help="Show thirty simulated days in the dashboard, until Ctrl-C")
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Port to serve on [default: any]")
def demo(into: str | None, serve: bool, dashboard: bool, port: int) -> int:
    """Serve a sample site on loopback and run every command on it.

    Discovers, checks, audits, crawls, fixes, builds and compares a site with about 380 URLs and known faults. At the
    end, the demo reports whether it found exactly these faults. Nothing else is fetched.

    With --dashboard, the shop lives through thirty days with a broken deploy, a stray noindex and a renamed section.
    Every day is audited and kept, and `urlset serve` shows the month.

    Exit code 0: all faults found and nothing else; 1: a fault was missed, or a false one reported.
    """
    from urlset.checking import clock
    from urlset.cli.crawl import ProgressLine
    from urlset.cli.progress import Progress
    from urlset.workflows.demo.demo import Demo, Watchers
    from urlset.workflows.demo.sample.site import SampleServer

    now = clock.now()
    if dashboard:
        return _show_month(None if into is None else _folder(into), now, port)
    with ExitStack() as stack:
        folder = _folder(into) if into and not serve else None
        try:
            server = stack.enter_context(SampleServer(now, port=port))
        except OSError as error:
            reason = os.strerror(error.errno).lower() if error.errno else str(error)
            raise click.ClickException(f"cannot serve on port {port}: {reason}; set another --port") from error
        if serve:
            try:
                click.echo(f"{server.origin}/ is the sample site; stop it with Ctrl-C. In another terminal, try:")
                for command in ("check", "audit", "crawl"):
                    click.echo(f"  urlset {command} {server.origin}/ --allow-private")
                threading.Event().wait()
            except KeyboardInterrupt:
                click.echo()
            return OK
        from urlset.writing.files import work_folder

        folder = folder or stack.enter_context(work_folder())
        progress, line = Progress(), ProgressLine()
        watchers = Watchers(audit=progress, crawl=line.show if line.wanted else None)
        return _tell(Demo(server, folder, now, watchers), server, progress, into)


def _folder(into: str) -> Path:
    """An empty folder, to overwrite nothing, with the small files that the docs use."""
    from urlset.workflows.demo.sample.draft import write_samples

    folder = Path(into)
    if folder.exists() and any(folder.iterdir()):
        raise click.ClickException(f"{into} is not empty; choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    write_samples(folder)
    return folder.resolve()


def _tell(demo: Demo, server: SampleServer, progress: Progress, into: str | None) -> int:
    from urlset.workflows.demo.demo import NAME, Tone

    style = Style.for_stream(sys.stdout)
    palettes = {Tone.GOOD: style.green, Tone.BAD: style.red, Tone.DOUBTFUL: style.yellow, Tone.QUIET: style.dim}
    really = f"on {server.origin}" if is_terminal(sys.stdout) else "on a free port of 127.0.0.1"
    click.echo(style.bold(_TITLE))
    click.echo(style.dim(f"Served by this program {really}; shown below as {NAME}."))
    for chapter in demo.chapters():
        progress.clear()
        if can_redraw(sys.stderr):
            click.echo("\r\x1b[K", err=True, nl=False)
        click.echo(f"\n{style.bold(f'{chapter.number}. {chapter.title}')}")
        for part in chapter.parts:
            first, *rest = part.command.splitlines()
            click.echo(f"   {style.green('$')} {style.cyan(first)}")
            for continued in rest:
                click.echo(f"     {style.cyan(continued)}")
            for line in part.lines:
                click.echo(f"     {palettes.get(line.tone, str)(line.text)}")
        click.echo(style.dim(f"   {chapter.moral}"))
    outcome = demo.outcome
    click.echo()
    if outcome.exact:
        click.echo(style.green(f"Found all {outcome.planted} planted faults, and no others."))
    for word, faults in (("missed", outcome.missed), ("not planted", outcome.extra)):
        for code, at in faults:
            click.echo(style.red(f"{word}: {code} {at}"))
    kept = f"All files are in {into}." if into else "Keep the files with --into DIR;"
    click.echo(style.dim(f"{kept} run `urlset demo --serve` to try commands on the site."))
    return OK if outcome.exact else FINDINGS


# `urlset demo --dashboard`: a month of the sample shop, audited day by day, in the dashboard.


def _show_month(folder: Path | None, now: datetime, port: int) -> int:
    """Until Ctrl-C. The shop stays on the air, so runs can be started from the page."""
    need_dashboard()
    from urlset.settings.serve import ServeSettings
    from urlset.testing.site import Site
    from urlset.workflows.demo.month import simulate
    from urlset.writing.files import work_folder

    with ExitStack() as stack:
        home = folder or stack.enter_context(work_folder())
        site = stack.enter_context(Site({}))
        try:
            month = simulate(site, home, now, watch=_show_day)
        except KeyboardInterrupt:
            click.echo(err=True)
            return INTERRUPTED
        click.echo("Thirty days of a sample shop: see what happened on days 9, 16, 18 and 22.")
        return listen(ServeSettings(state=home, web=month.web, port=port, keep="all"))


def _show_day(day: int) -> None:
    from urlset.workflows.demo.month import DAYS

    if can_redraw(sys.stderr):
        end = "\r\x1b[K" if day == DAYS else ""
        click.echo(f"\r\x1b[Kauditing day {day} of {DAYS}{end}", err=True, nl=False)
