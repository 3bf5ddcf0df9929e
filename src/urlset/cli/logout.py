"""`urlset logout`: the end of a person's access to Search Console."""

from __future__ import annotations

import click

from urlset.cli.exit_codes import OK


@click.command()
@click.argument("engine", type=click.Choice(["google"]))
def logout(engine: str) -> int:
    """Revoke the refresh token of `urlset login` and delete it."""
    from urlset.submitting.google import logout as sign_out
    from urlset.web.loop import run

    del engine
    click.echo(run(sign_out()))
    return OK
