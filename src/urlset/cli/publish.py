"""`urlset publish`: a folder of sitemaps → an object store."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import BROKEN, FINDINGS, OK
from urlset.cli.terminal import complain, note, printable

if TYPE_CHECKING:
    from urlset.settings.publish import PublishSettings
    from urlset.workflows.publish.publish import PublishReport


@command(
    "publish",
    epilog="""Examples:
  urlset publish public/ s3://bucket/site
  urlset publish - s3://bucket/site --rollback 3""",
)
def publish(settings: PublishSettings) -> int:
    """Publish the sitemaps of FOLDER to an object store: changed objects only, the index last.

    Exit code 0: published, or nothing changed; 1: a safety check refused; 2: the store or the folder could not be
    used, or the purge command failed.
    """
    from urlset.storage.store import StorageError
    from urlset.workflows.publish.publish import PublishOptions, rollback
    from urlset.workflows.publish.publish import publish as run

    if settings.folder is None or settings.to is None:
        raise click.UsageError("give FOLDER and the storage URL")
    options = PublishOptions(
        to=settings.to,
        folder=Path(settings.folder),
        endpoint=settings.endpoint,
        index=settings.index,
        cache_control=settings.cache_control,
        keep=settings.keep,
        lock_seconds=settings.lock_seconds,
        force=tuple(settings.force),
        shrink_percent=settings.shrink_percent,
        dry_run=settings.dry_run,
        purge=tuple(shlex.split(settings.purge or "")),
    )
    try:
        report = run(options) if settings.rollback is None else rollback(options, settings.rollback)
    except (StorageError, ValueError, OSError) as error:
        raise click.ClickException(printable(str(error))) from error
    return _print(report, settings.format)


def _print(report: PublishReport, form: str) -> int:
    from urlset.reports.wording import amount

    if form == "json":
        import msgspec

        whole = {"schema": 1, "command": "publish", **msgspec.to_builtins(report)}
        click.echo(msgspec.json.format(msgspec.json.encode(whole), indent=2).decode())
    else:
        for refusal in report.refusals:
            click.echo(f"refused: {refusal}")
        if not report.refusals:
            verb = "would change" if report.dry_run else "changed"
            what = f"{amount(len(report.changed), 'object')} {verb}" if report.changed else "nothing changed"
            click.echo(f"{report.to}: {what}, generation {report.generation}")
    for line in report.notes:
        note(f"note: {line}")
    if report.purge_failed:
        complain(printable(report.purge_failed))
        return BROKEN
    return FINDINGS if report.refusals else OK
