"""`urlset login`: a person's access to Search Console."""

from __future__ import annotations

from pathlib import Path

import click

from urlset.cli.exit_codes import OK
from urlset.cli.terminal import printable


@click.command()
@click.argument("engine", type=click.Choice(["google"]))
@click.option("--client", required=True, metavar="FILE", help="JSON file of your OAuth client (Desktop app)")
@click.option("--no-browser", is_flag=True, help="Print the URL instead of opening a browser")
def login(engine: str, client: str, no_browser: bool) -> int:
    """Sign in with a Google account and keep its refresh token.

    Create an OAuth client of type "Desktop app" in the Google Cloud console and download its JSON file. The token is
    kept in ~/.config/urlset/google.json, readable by you only. For servers and CI use a service account instead.
    """
    from urlset.submitting.google import login as sign_in
    from urlset.submitting.secrets import SecretError
    from urlset.web.loop import run

    del engine

    def show(address: str) -> None:
        click.echo(f"Open this URL to sign in:\n\n  {address}\n")
        if not no_browser:
            click.launch(address)

    try:
        path = run(sign_in(Path(client), show))
    except SecretError as error:
        raise click.ClickException(str(error)) from error
    click.echo(printable(f"signed in; token saved in {path}"))
    return OK


# `urlset logout`: the end of a person's access to Search Console.


@click.command()
@click.argument("engine", type=click.Choice(["google"]))
def logout(engine: str) -> int:
    """Revoke the refresh token of `urlset login` and delete it."""
    from urlset.submitting.google import logout as sign_out
    from urlset.web.loop import run

    del engine
    click.echo(run(sign_out()))
    return OK
