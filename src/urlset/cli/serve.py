"""`urlset serve`: the dashboard on a port of this machine."""

from __future__ import annotations

import os
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import OK
from urlset.cli.terminal import note, printable

if TYPE_CHECKING:
    from urlset.settings.serve import ServeSettings


@command(
    "serve",
    usual="state open host port token set-password read-only public-url quiet",
    epilog="""Examples:
  urlset serve
  urlset serve --set-password
  urlset serve --host 0.0.0.0 --read-only""",
)
def serve(settings: ServeSettings) -> int:
    """Show snapshots, audits and engine reports in a browser.

    Serves the state folder of `snapshot`, `audit`, `watch` and `engines` on a port of this machine. Checks, audits
    and snapshots can be started from the page unless --read-only is set. Only this machine can reach it; to listen on
    another address, set a password or a token first. Needs the extra `seo`.

    Exit code 0: stopped with Ctrl-C; 2: wrong usage, or the port cannot be used.
    """
    need_dashboard()
    if settings.password_prompt:
        from urlset.dashboard.access import hash_password
        from urlset.writing.files import make_state_folder

        given = click.prompt("Password", hide_input=True, confirmation_prompt=True)
        if len(given) < _SHORTEST:
            raise click.ClickException(f"too short: use at least {_SHORTEST} characters")
        path = Path(settings.state) / _PASSWORD
        make_state_folder(path.parent)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
            file.write(hash_password(given) + "\n")
        path.chmod(0o600)
        click.echo(printable(f"saved the hash of the password in {path}"))
        return OK
    return listen(settings)


_PASSWORD = Path("dashboard") / "password"
_SHORTEST = 8


def need_dashboard() -> None:
    missing = [name for name in ("starlette", "uvicorn", "argon2", "duckdb", "pyarrow") if find_spec(name) is None]
    if missing:
        raise click.ClickException(f"the dashboard needs {', '.join(missing)}: pip install 'urlset[seo]'")


def listen(settings: ServeSettings) -> int:
    """Until Ctrl-C. What opens the dashboard is a token, a saved password, or both."""
    from urlset.dashboard.access import access_for
    from urlset.dashboard.server import serve as run

    saved, public = Path(settings.state) / _PASSWORD, settings.public_url
    try:
        password = saved.read_text(encoding="ascii").strip() or None
    except FileNotFoundError:
        password = None
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(printable(f"{saved}: cannot be read: {error}")) from error
    access = access_for(settings.host, settings.token, password, is_public=public is not None)

    def started(real: int) -> None:
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        address = public or f"http://{host}:{real}/"
        click.echo(printable(f"dashboard: {address}"))
        note("stop it with Ctrl-C" + ("; sign in with your token or password" if not access.is_open else ""))
        if settings.open:
            click.launch(f"{address}login?token={settings.token}" if settings.token else address)

    with suppress(KeyboardInterrupt):
        run(settings, access, started)
    return OK
