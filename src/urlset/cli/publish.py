"""`urlset publish`: a folder of sitemaps → an object store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import BROKEN, FINDINGS, OK
from urlset.cli.output import json_report, tell
from urlset.cli.terminal import complain, note, printable

if TYPE_CHECKING:
    from urlset.settings.publish import PublishSettings
    from urlset.workflows.publish import PublishReport


@command(
    "publish",
    epilog="""Examples:
  urlset publish public/ s3://bucket/site
  urlset publish public/ gs://bucket --include robots.txt
  urlset publish - s3://bucket/site --rollback previous""",
)
def publish(settings: PublishSettings) -> int:
    """Publish the sitemaps of FOLDER to an object store: changed objects only, the index last.

    Exit code 0: published, or nothing changed; 1: a safety check refused; 2: the store or the folder could not be
    used, or the purge command failed.
    """
    if settings.folder is None or settings.to is None:
        raise click.UsageError("give FOLDER and the storage URL")
    report = published(settings)
    _print(report, settings.format)
    return outcome(report)


def published(settings: PublishSettings) -> PublishReport:
    """Raises ClickException."""
    from urlset.storage.store import StorageError
    from urlset.workflows.publish import publish as run

    try:
        return run(settings)
    except (StorageError, ValueError, OSError) as error:
        raise click.ClickException(printable(str(error))) from error


def outcome(report: PublishReport) -> int:
    for line in report.notes:
        note(f"note: {line}")
    if report.purge_failed:
        complain(printable(report.purge_failed))
        return BROKEN
    return FINDINGS if report.refusals else OK


def lines_of(report: PublishReport) -> list[str]:
    from urlset.reports.wording import amount

    if report.refusals:
        return [f"refused: {printable(refusal)}" for refusal in report.refusals]
    verb = "would change" if report.dry_run else "changed"
    what = f"{amount(len(report.changed), 'object')} {verb}" if report.changed else "nothing changed"
    return [f"{report.to}: {what}, generation {report.generation}"]


def _print(report: PublishReport, form: str) -> None:
    if form == "json":
        tell(json_report("publish", report))
    else:
        tell("\n".join(lines_of(report)))
