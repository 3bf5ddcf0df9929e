"""`urlset ls`: options, files and addresses → the URLs, streamed."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import BROKEN, FINDINGS, NOTHING, OK
from urlset.cli.output import opened
from urlset.cli.targets import live_for, recording_faults, urls_and_paths
from urlset.cli.terminal import complain, is_terminal, printable, visible
from urlset.reports.uri import is_address

if TYPE_CHECKING:
    from collections.abc import Sized

    from urlset.cli.listing import ListedText
    from urlset.reading.tree import Start
    from urlset.settings.ls import LsSettings
    from urlset.workflows.ls.batch import Batch
    from urlset.workflows.ls.fields import Field
    from urlset.workflows.ls.ls import ListFilter, Notice

P = TypeVar("P", bound="Sized")
_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet"}
_SHOWN_PER_INDEX = 3


@command(
    "ls",
    epilog="""Examples:
  urlset ls 'public/sitemap*.xml.gz' --match /shop/ --since 2024-06
  urlset ls www.example.com --fields loc,lastmod --output urls.csv""",
)
def ls(settings: LsSettings) -> int:
    """List the URLs of sitemaps, one per line.

    A folder means the sitemaps in it, - standard input, a URL a sitemap, an index or a site. Children of
    an index are fetched if the index was, otherwise read from disk. Broken entries are listed as far as they can be
    read. --since keeps URLs whose lastmod may be on or after DATE (2024, 2024-06 or 2024-06-01T12:00Z).

    Exit code 0: listed; 1: a target is not a sitemap; 2: something could not be read; 3: nothing to list.
    """
    from urlset.workflows.ls.ls import list_pages

    targets = urls_and_paths(settings.targets)
    wanted = _wanted(settings.match, settings.since, settings.limit)
    chosen = _fields(settings.fields)
    output = None if settings.output is None else str(settings.output)
    form = _format(settings.format, settings.fields, output)
    live = live_for(targets, settings, settings.max_files)
    root = None if settings.root is None else str(settings.root)
    with opened(output) as stream, recording_faults():
        if form == "parquet" and is_terminal(stream):
            raise click.UsageError("parquet is binary: add --output FILE or pipe it")
        tally = ListingNotes()
        if form == "parquet":
            _write_parquet(tally.watch(list_pages(_starts(targets), wanted, root, live)), stream, chosen)
        else:
            from functools import partial

            from urlset.cli.listing import text_of, writer_for
            from urlset.workflows.ls.spread import map_pages

            stream.write(writer_for(form, chosen).heading().encode())
            work = partial(text_of, form, [field.name for field in chosen])
            found = map_pages(_starts(targets), work, wanted, settings.workers, root, live)
            _write_text(tally.watch(found), stream)
    return tally.conclude()


class ListingNotes:
    """Prints the notices of the workflow, and remembers them for the exit code."""

    def __init__(self) -> None:
        self.pages = 0
        self.grave = False
        self.wrong = False
        self._describe: Counter[str] = Counter()

    def watch(self, items: Iterator[P | Notice]) -> Iterator[P]:
        from urlset.workflows.ls.ls import Notice

        for item in items:
            if isinstance(item, Notice):
                self._note(item)
            else:
                self.pages += len(item)
                yield item
            del item  # holds a whole document, and the next one is about to be read

    def _note(self, notice: Notice) -> None:
        self.grave |= notice.grave and not notice.not_a_sitemap
        self.wrong |= notice.not_a_sitemap
        if notice.parent:
            self._describe[notice.parent] += 1
            if self._describe[notice.parent] > _SHOWN_PER_INDEX:
                return
        complain(printable(f"{notice.source}: {notice.text}"))

    def conclude(self) -> int:
        for parent, count in self._describe.items():
            if count > _SHOWN_PER_INDEX:
                rest = count - _SHOWN_PER_INDEX
                hint = "" if is_address(parent) else "; set --root DIR to the site's folder"
                complain(printable(f"{parent}: {rest:,} more children not read{hint}"))
        if self.grave:
            return BROKEN
        if self.wrong:
            return FINDINGS
        if not self.pages:
            complain("nothing to list: no URLs found, or none matched")
            return NOTHING
        return OK


def _write_text(pages: Iterator[ListedText], stream: IO[bytes]) -> None:
    shown = visible if is_terminal(stream) else str
    for page in pages:
        for block in page:
            stream.write(shown(block).encode("utf-8", "replace"))
        stream.flush()
        del page, block


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
