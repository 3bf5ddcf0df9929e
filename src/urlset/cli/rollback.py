"""`urlset rollback`: the set before the last one, put back."""

from __future__ import annotations

from pathlib import Path

import click

from urlset.cli.exit_codes import OK
from urlset.cli.terminal import printable


@click.command(short_help="Put the previous set of sitemaps back.", epilog="Example: urlset rollback public/")
@click.argument("out", type=click.Path(exists=True, file_okay=False), metavar="DIR")
@click.option("--state", type=click.Path(file_okay=False), metavar="DIR",
              help="State folder of this output [one per output in .urlset].")  # fmt: skip
def rollback(out: str, state: str | None) -> int:
    """Put the previous set of sitemaps back into DIR, whole; a second time undoes the first."""
    from urlset.building.manifest import ManifestError
    from urlset.building.publish import PublishError
    from urlset.building.publish import rollback as put_back
    from urlset.building.state_home import STATE_ROOT, Home, state_for

    home = Home(Path(state)) if state is not None else state_for(Path(out), Path(STATE_ROOT))
    try:
        outcome = put_back(home.state, Path(out))
    except (PublishError, ManifestError, OSError) as error:
        raise click.ClickException(str(error)) from error
    for note in (*([home.note] if home.note else []), *outcome.notes):
        click.echo(f"note: {printable(note)}")
    touched = outcome.changes.touched
    click.echo(f"{out}: the set before is back, {len(touched):,} file{'s' if len(touched) != 1 else ''} touched")
    return OK
