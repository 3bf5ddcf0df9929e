"""`urlset snapshot`: a site's sitemaps → one Parquet file in the state folder."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from urlset.cli.exit_codes import BROKEN, OK
from urlset.cli.live_options import live_options, recording_faults, take_live
from urlset.cli.terminal import can_redraw, complain, printable

if TYPE_CHECKING:
    from urlset.workflows.snapshot.snapshot import SnapshotReport

_EVERY = 0.2
_CLEAR = "\r\x1b[K"


@click.command(
    short_help="Keep the sitemaps of a site as they are now.",
    epilog="\b\nExamples:\n  urlset snapshot https://www.example.com/\n"
    "  urlset snapshot public/ --keep '30 daily, 12 monthly'",
)
@click.argument("target", type=click.Path(readable=False), metavar="URL|FILE|FOLDER")
@click.option("--state", default=".urlset", show_default=True, metavar="DIR", help="Folder for snapshots.")
@click.option("--keep", metavar="POLICY", help="Snapshots to keep [7 daily, 4 weekly, 12 monthly], or `all`.")
@click.option("--fresh", is_flag=True, help="Do not resume an interrupted snapshot.")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False),
    metavar="DIR",
    help="Folder that holds the children of local indexes.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Output format.")
@live_options
def snapshot(target: str, state: str, keep: str | None, fresh: bool, form: str, **given: Any) -> int:
    """Keep the sitemaps of a site as they are now, to compare them later.

    The snapshot is one Parquet file with a row for each entry: its file, position and fields, and what the last
    `urlset audit` of the same target found out about the page. An interrupted snapshot is resumed by the same
    command. Older snapshots are removed according to --keep; the newest of each period stays. Needs the extra
    `history`.

    Exit code 0: taken; 2: wrong usage, or a sitemap could not be read (the rest was kept).
    """
    from urlset.snapshots.info import SnapshotError
    from urlset.snapshots.retention import DEFAULT, Retention
    from urlset.workflows.snapshot.snapshot import SnapshotOptions
    from urlset.workflows.snapshot.snapshot import snapshot as take

    try:
        policy = Retention.parse(keep or DEFAULT)
    except ValueError as error:
        raise click.UsageError(f"--keep: {error}") from error
    line = ReadingLine()
    options = SnapshotOptions(
        target=target,
        state=Path(state),
        keep=policy,
        fresh=fresh,
        root=given.pop("root"),
        live=take_live((target,), given),
        watch=line.show,
    )
    try:
        with recording_faults():
            report = take(options)
    except SnapshotError as error:
        raise click.ClickException(printable(str(error))) from error
    finally:
        line.clear()
    click.echo(_json(report) if form == "json" else "\n".join(_lines(report)))
    for trouble in report.info.missing:
        complain(printable(f"not read: {trouble}"))
    return BROKEN if report.info.missing else OK


class ReadingLine:
    """How many sitemaps were read, on one line of a terminal; nothing elsewhere."""

    def __init__(self) -> None:
        self._wanted = can_redraw(sys.stderr)
        self._drawn = 0.0

    def show(self, files: int, urls: int) -> None:
        if self._wanted and time.monotonic() - self._drawn > _EVERY:
            self._drawn = time.monotonic()
            click.echo(f"{_CLEAR}reading: {files:,} sitemaps, {urls:,} URLs", err=True, nl=False)

    def clear(self) -> None:
        if self._drawn:
            self._drawn = 0.0
            click.echo(_CLEAR, err=True, nl=False)


def _lines(report: SnapshotReport) -> list[str]:
    info = report.info
    size = f"{report.bytes / 1_000_000:.1f} MB" if report.bytes >= 100_000 else f"{report.bytes / 1_000:.1f} kB"
    lines = [
        printable(f"{report.path}"),
        f"{info.entries:,} URLs in {len(info.files):,} sitemap{'' if len(info.files) == 1 else 's'}, {size}",
    ]
    if report.resumed:
        lines.append("resumed an interrupted snapshot")
    if info.states:
        lines.append(f"{sum(info.states.values()):,} pages known from the audit of {(info.audited or '')[:10]}")
    if report.pruned:
        lines.append(f"removed {len(report.pruned):,} older snapshot{'' if len(report.pruned) == 1 else 's'}")
    return lines + [printable(f"note: {note}") for note in report.notes]


def _json(report: SnapshotReport) -> str:
    import msgspec

    body = {
        "schema": 1,
        "command": "snapshot",
        "path": str(report.path),
        "bytes": report.bytes,
        "resumed": report.resumed,
        "pruned": [str(path) for path in report.pruned],
        "snapshot": msgspec.to_builtins(report.info),
        "notes": list(report.notes),
    }
    return msgspec.json.encode(body).decode()
