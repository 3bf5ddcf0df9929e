"""`urlset publish`: a folder of sitemaps → an object store; or the set before the last one, restored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command, group
from urlset.cli.exit_codes import BROKEN, FINDINGS, OK
from urlset.cli.output import json_report, tell
from urlset.cli.terminal import complain, note, printable
from urlset.model.shown import amount

if TYPE_CHECKING:
    from urlset.settings.publish import PublishSettings, RollbackSettings
    from urlset.workflows.publish import PublishReport


@group(
    "publish",
    usual="base-url include endpoint keep rollback purge dry-run force format quiet",
    epilog="""Examples:
  urlset publish public/ s3://bucket/site
  urlset publish public/ gs://bucket --include robots.txt
  urlset publish - s3://bucket/site --rollback previous
  urlset publish rollback public/""",
)
def publish(settings: PublishSettings) -> int:
    """Publish the sitemaps of FOLDER to an object store: changed objects only, the index last.

    Exit code 0: published, or nothing changed; 1: a safety check refused; 2: the store or the folder could not be
    used, or the purge command failed.
    """
    if settings.folder is None or settings.to is None:
        raise click.UsageError("give FOLDER and the storage URL")
    report = published(settings)
    if settings.format == "json":
        tell(json_report("publish", report))
    else:
        tell("\n".join(lines_of(report)))
    return outcome(report)


def published(settings: PublishSettings) -> PublishReport:
    from urlset.workflows.publish import publish as run

    try:
        return run(settings)
    except (ValueError, OSError) as error:
        raise click.ClickException(printable(str(error))) from error


def outcome(report: PublishReport) -> int:
    for line in report.notes:
        note(f"note: {line}")
    if report.purge_failed:
        complain(printable(report.purge_failed))
        return BROKEN
    return FINDINGS if report.refusals else OK


def lines_of(report: PublishReport) -> list[str]:
    from urlset.model.shown import amount

    if report.refusals:
        return [f"refused: {printable(refusal)}" for refusal in report.refusals]
    verb = "would change" if report.dry_run else "changed"
    what = f"{amount(len(report.changed), 'object')} {verb}" if report.changed else "nothing changed"
    return [f"{report.to}: {what}, generation {report.generation}"]


@command("publish-rollback", epilog="Example:\n  urlset publish rollback public/")
def rollback(settings: RollbackSettings) -> int:
    """Restore the previous sitemaps in DIR. Run it again to undo."""
    from urlset.building.staging import rollback as put_back
    from urlset.building.state_home import Home, state_for
    from urlset.writing.files import STATE_ROOT

    out = Path(settings.out or "")
    home = Home(Path(settings.state)) if settings.state is not None else state_for(out, Path(STATE_ROOT))
    try:
        outcome = put_back(home.state, out)
    except OSError as error:
        raise click.ClickException(str(error)) from error
    for line in (*([home.note] if home.note else []), *outcome.notes):
        note(f"note: {printable(line)}")
    tell(f"{settings.out}: previous sitemaps restored, {amount(len(outcome.changes.touched), 'file')} changed")
    return OK


publish.add_command(rollback)
