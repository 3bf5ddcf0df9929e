"""`urlset ls`: options, files and addresses → the URLs, streamed."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from urlset.cli.exit_codes import BROKEN, NOTHING, OK
from urlset.cli.live_options import TARGETS, live_options, recording_faults, take_live
from urlset.cli.terminal import complain, is_terminal, printable, visible
from urlset.reports.uri import is_address

if TYPE_CHECKING:
    from urlset.reading.tree import Start
    from urlset.workflows.ls.batch import Batch
    from urlset.workflows.ls.fields import Field
    from urlset.workflows.ls.ls import ListFilter, Notice

FORMATS = ("url", "jsonl", "csv", "tsv", "parquet")
_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet"}
_SHOWN_PER_INDEX = 3


def _fields_help() -> str:
    from urlset.workflows.ls.fields import DEFAULT, FIELDS

    return (
        f"What to show of each URL, separated by commas; without --format, as tsv. Default: {DEFAULT}. "
        f"Known: {', '.join(FIELDS)}."
    )


class _LateHelpOption(click.Option):
    """An option whose help names things that are loaded only when help is asked for."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        self.help = _fields_help()
        return super().get_help_record(ctx)


@click.command(epilog="Example: urlset ls 'public/sitemap*.xml.gz' --match /shop/ --since 2024-06")
@click.argument("files", nargs=-1, required=True, type=click.Path(readable=False), metavar=TARGETS)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="How to print: addresses alone (url, the default), or fields of each. Guessed from the name of --output.",
)
@click.option("--fields", cls=_LateHelpOption, metavar="NAMES", help="What to show of each URL.")
@click.option("--match", metavar="REGEX", help="Only URLs in which this regular expression is found.")
@click.option(
    "--since",
    metavar="DATE",
    help="Only URLs whose lastmod could be at or after DATE, such as 2024, 2024-06 or 2024-06-01T12:00Z. "
    "URLs without a lastmod, or with one that cannot be understood, are left out.",
)
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="Stop after N URLs.")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False),
    metavar="DIR",
    help="The folder that holds the site: https://example.com/a/b.xml in an index is DIR/a/b.xml. "
    "Without it, the children of an index are looked for next to it.",
)
@click.option("--output", "-o", metavar="FILE", help="Write to FILE, which is replaced only when all is done.")
@live_options
def ls(files: tuple[str, ...], form: str | None, root: str | None, output: str | None, **given: Any) -> int:
    """List every URL of sitemaps, one per line.

    A FOLDER stands for the sitemaps in it, - for standard input, a URL for a sitemap, an index or a whole site,
    whose sitemaps are found through robots.txt or at the usual places. The children of a sitemap index are fetched
    if the index was, otherwise they are read from disk. Broken entries are listed if they can be read at all. In
    `url` format a line break inside an address is written %0A; on a terminal, control characters are shown as
    \\u001b and the like.
    """
    from urlset.cli.output import opened
    from urlset.workflows.ls.ls import list_pages

    fields = given.pop("fields")
    form = _format(form, fields, output)
    chosen = _fields(fields)
    wanted = _wanted(given.pop("match"), given.pop("since"), given.pop("limit"))
    starts = _starts(files)
    live = take_live(files, given)
    with opened(output) as stream, recording_faults():
        if form == "parquet" and is_terminal(stream):
            raise click.UsageError("parquet is binary: give --output FILE or send it to a pipe")
        tally = ListingNotes()
        pages = tally.watch(list_pages(starts, wanted, root, live))
        if form == "parquet":
            _write_parquet(pages, stream, chosen)
        else:
            _write_text(pages, stream, form, chosen)
    return tally.conclude()


class ListingNotes:
    """Prints what the workflow has to say besides pages, and remembers it for the exit code."""

    def __init__(self) -> None:
        self.pages = 0
        self.grave = False
        self._describe: Counter[str] = Counter()

    def watch(self, items: Iterator[Batch | Notice]) -> Iterator[Batch]:
        from urlset.workflows.ls.batch import Batch

        for item in items:
            if isinstance(item, Batch):
                self.pages += len(item)
                yield item
            else:
                self._note(item)
            del item  # holds a whole document, and the next one is about to be read

    def _note(self, notice: Notice) -> None:
        self.grave |= notice.grave
        if notice.parent:
            self._describe[notice.parent] += 1
            if self._describe[notice.parent] > _SHOWN_PER_INDEX:
                return
        complain(printable(f"{notice.source}: {notice.text}"))

    def conclude(self) -> int:
        for parent, count in self._describe.items():
            if count > _SHOWN_PER_INDEX:
                rest = count - _SHOWN_PER_INDEX
                hint = "" if is_address(parent) else "; --root DIR says where the site lies"
                complain(printable(f"{parent}: {rest:,} more of its children not read{hint}"))
        if self.grave:
            return BROKEN
        if not self.pages:
            complain("nothing to list: no URL was found, or none matched")
            return NOTHING
        return OK


def _write_text(pages: Iterator[Batch], stream: IO[bytes], form: str, fields: Sequence[Field]) -> None:
    from urlset.cli.listing import PORTION, writer_for

    writer = writer_for(form, fields)
    shown = visible if is_terminal(stream) else str
    stream.write(writer.heading().encode())
    for batch in pages:
        for portion in batch.slices(PORTION):
            stream.write(shown(writer.block(portion)).encode("utf-8", "replace"))
        stream.flush()
        del batch, portion


def _write_parquet(pages: Iterator[Batch], stream: IO[bytes], fields: Sequence[Field]) -> None:
    from urlset.cli.parquet import ParquetFile
    from urlset.model.frames import NotInstalledError

    try:
        table = ParquetFile(stream, fields)
    except NotInstalledError as error:
        raise click.ClickException(str(error)) from error
    with table:
        for batch in pages:
            table.write(batch)
            del batch


def _format(form: str | None, fields: str | None, output: str | None) -> str:
    if form == "url" and fields is not None:
        raise click.UsageError("--fields needs --format jsonl, csv, tsv or parquet: url prints addresses alone")
    if form is not None:
        return form
    guessed = _SUFFIXES.get(Path(output or "").suffix.lower())
    return guessed or ("url" if fields is None else "tsv")


def _fields(text: str | None) -> Sequence[Field]:
    from urlset.workflows.ls.fields import DEFAULT, UnknownFieldError, choose

    try:
        fields = choose(DEFAULT if text is None else text)
    except UnknownFieldError as error:
        raise click.UsageError(f"--fields: {error}") from error
    if not fields:
        raise click.UsageError(f"--fields names no field; try --fields {DEFAULT}")
    return fields


def _wanted(match: str | None, since: str | None, limit: int | None) -> ListFilter:
    from urlset.model.moment import Moment
    from urlset.workflows.ls.ls import ListFilter

    pattern = moment = None
    if match is not None:
        try:
            pattern = re.compile(match)
        except re.error as error:
            raise click.UsageError(f"--match: {match!r} is not a regular expression: {error}") from error
    if since is not None:
        moment = Moment.parse(since.strip())
        if moment.interval() is None:
            raise click.UsageError(
                f"--since: {since!r} is not a date; write 2024, 2024-06, 2024-06-01 or 2024-06-01T12:00Z"
            )
    return ListFilter(pattern, moment, limit)


def _starts(files: Sequence[str]) -> list[Start]:
    return [sys.stdin.buffer if name == "-" else name for name in files]
