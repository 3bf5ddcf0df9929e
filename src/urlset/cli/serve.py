"""`urlset serve`: the dashboard on a port of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import OK
from urlset.cli.terminal import note, printable

if TYPE_CHECKING:
    from urlset.dashboard.context import DashboardOptions
    from urlset.settings.serve import ServeSettings


@command(
    "serve",
    epilog="""Examples:
  urlset serve
  urlset serve --set-password
  urlset serve --host 0.0.0.0 --read-only""",
)
def serve(settings: ServeSettings) -> int:
    """Show snapshots, audits and engine reports in a browser.

    Serves the state folder of `snapshot`, `audit`, `watch` and `engines` on a port of this machine. Checks, audits
    and snapshots can be started from the page unless --read-only is set. Only this machine can reach it; to listen on
    another address, set a password or a token first. Needs the extra `dashboard`.

    Exit code 0: stopped with Ctrl-C; 2: wrong usage, or the port cannot be used.
    """
    from urlset.cli.dashboard_options import need_dashboard, options_of, save_password

    need_dashboard()
    if settings.password_prompt:
        return save_password(Path(settings.state))
    options = options_of(settings)
    return listen(options, settings.port, token=settings.token, browse=settings.open, public=settings.public_url)


def listen(
    options: DashboardOptions, port: int, *, token: str | None = None, browse: bool = False, public: str | None = None
) -> int:
    """Until Ctrl-C."""
    from urlset.dashboard.server import ServerError
    from urlset.dashboard.server import serve as run

    def started(real: int) -> None:
        host = f"[{options.host}]" if ":" in options.host else options.host
        address = public or f"http://{host}:{real}/"
        click.echo(printable(f"dashboard: {address}"))
        note("stop it with Ctrl-C" + ("; sign in with your token or password" if not options.access.is_open else ""))
        if browse:
            click.launch(f"{address}login?token={token}" if token else address)

    try:
        run(options, port, started)
    except ServerError as error:
        raise click.ClickException(printable(str(error))) from error
    except KeyboardInterrupt:
        pass
    return OK
