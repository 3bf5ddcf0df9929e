"""`urlset demo --dashboard`: a month of the sample shop, audited day by day, in the dashboard."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import click

from urlset.cli.dashboard_options import need_dashboard
from urlset.cli.serve import listen
from urlset.cli.terminal import can_redraw


def show_month(folder: Path | None, now: datetime, port: int) -> int:
    """Until Ctrl-C. The shop stays on the air, so runs can be started from the page."""
    need_dashboard()
    from urlset.dashboard.context import DashboardOptions
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
            return 130
        click.echo("Thirty days of a sample shop: see what happened on days 9, 16, 18 and 22.")
        return listen(DashboardOptions(state=home, web=month.web), port)


def _show_day(day: int) -> None:
    from urlset.workflows.demo.sample.month import DAYS

    if can_redraw(sys.stderr):
        end = "\r\x1b[K" if day == DAYS else ""
        click.echo(f"\r\x1b[Kauditing day {day} of {DAYS}{end}", err=True, nl=False)
