"""`urlset rollback`: the set before the last one, put back."""

from __future__ import annotations

from pathlib import Path

import click

from urlset.cli.exit_codes import OK


@click.command(short_help="Put the previous set of sitemaps back.", epilog="Example: urlset rollback public/")
@click.argument("out", type=click.Path(exists=True, file_okay=False), metavar="DIR")
@click.option("--state", type=click.Path(file_okay=False), default=".urlset", show_default=True, metavar="DIR",
              help="Where `urlset build` keeps the previous set.")  # fmt: skip
def rollback(out: str, state: str) -> int:
    """Put the previous set of sitemaps back into DIR, whole; a second time undoes the first."""
    from urlset.building.publish import PublishError
    from urlset.building.publish import rollback as put_back

    try:
        outcome = put_back(Path(state), Path(out))
    except (PublishError, OSError) as error:
        raise click.ClickException(str(error)) from error
    touched = outcome.changes.touched
    click.echo(f"{out}: the set before is back, {len(touched):,} file{'s' if len(touched) != 1 else ''} touched")
    return OK
