"""`urlset rollback`: the set before the last one, restored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import OK
from urlset.cli.output import tell
from urlset.cli.terminal import amount, note, printable

if TYPE_CHECKING:
    from urlset.settings.rollback import RollbackSettings


@command("rollback", epilog="Example:\n  urlset rollback public/")
def rollback(settings: RollbackSettings) -> int:
    """Restore the previous sitemaps in DIR. Run it again to undo."""
    from urlset.building.journal import PublishError
    from urlset.building.manifest import ManifestError
    from urlset.building.staging import rollback as put_back
    from urlset.building.state_home import Home, state_for
    from urlset.writing.files import STATE_ROOT

    out = Path(settings.out or "")
    home = Home(Path(settings.state)) if settings.state is not None else state_for(out, Path(STATE_ROOT))
    try:
        outcome = put_back(home.state, out)
    except (PublishError, ManifestError, OSError) as error:
        raise click.ClickException(str(error)) from error
    for line in (*([home.note] if home.note else []), *outcome.notes):
        note(f"note: {printable(line)}")
    tell(f"{settings.out}: previous sitemaps restored, {amount(len(outcome.changes.touched), 'file')} changed")
    return OK
