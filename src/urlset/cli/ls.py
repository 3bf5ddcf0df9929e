"""`urlset ls`: options, files and addresses → the URLs, streamed."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from urlset.cli.command import command
from urlset.cli.exit_codes import BROKEN, FINDINGS, NOTHING, OK
from urlset.cli.output import Destination, opened, wrote
from urlset.cli.progress import StageLine
from urlset.cli.targets import live_for, notify, urls_and_paths
from urlset.cli.terminal import complain, is_terminal, note, printable, visible
from urlset.model.frames import arrow_array, arrow_type, library
from urlset.model.shown import amount
from urlset.storage.paths import is_address
from urlset.workflows.ls import (
    DEFAULT,
    Batch,
    Field,
    ListFilter,
    Notice,
    Order,
    SortedRows,
    UnknownFieldError,
    choose,
    in_order,
    list_pages,
)
from urlset.writing.escaping import guarded

if TYPE_CHECKING:
    from collections.abc import Callable, Sized

    from urlset.model.moment import Moment
    from urlset.reading.tree import Start
    from urlset.settings.ls import LsSettings


P = TypeVar("P", bound="Sized")
_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet"}
_SHOWN_PER_INDEX = 3


@command(
    "ls",
    usual="format fields match exclude since sort count limit output root quiet",
    epilog="""Examples:
  urlset ls 'public/sitemap*.xml.gz' --match /shop/ --since 2024-06
  urlset ls public/ --sort -lastmod --limit 10 --fields loc,lastmod
  urlset ls public/ --changed-since https://www.example.com/sitemap.xml --count
  urlset ls www.example.com --fields loc,lastmod --output urls.csv""",
)
def ls(settings: LsSettings) -> int:
    """List the URLs of sitemaps, one per line.

    A folder means the sitemaps in it, - standard input, a URL a sitemap, an index or a site. Children of
    an index are fetched if the index was, otherwise read from disk. Broken entries are listed as far as they can be
    read. --since and --until keep URLs whose lastmod may be in that time (2024, 2024-06 or 2024-06-01T12:00Z).
    --changed-since keeps URLs that are new or whose entry differs from OLD: a file, folder or URL, or a time
    (yesterday, 2024-06-01) at which a snapshot of the target was taken. --sort keeps the listed fields in memory.

    Exit code 0: listed; 1: a target is not a sitemap; 2: something could not be read; 3: nothing to list.
    """
    targets = urls_and_paths(settings.targets)
    starts: list[Start] = [sys.stdin.buffer if name == "-" else name for name in targets]
    chosen = _fields(settings.fields)
    try:
        order = None if settings.sort is None else Order.parse(settings.sort)
    except UnknownFieldError as error:
        raise click.UsageError(f"--sort: {error}") from error
    output = None if settings.output is None else str(settings.output)
    usual = "url" if settings.fields is None else "tsv"
    form = settings.format or _SUFFIXES.get(Path(output or "").suffix.lower(), usual)
    live = live_for(targets, settings)
    root = None if settings.root is None else str(settings.root)
    wanted = _wanted(settings, targets)
    with opened(output, raw=form == "parquet") as stream:
        if form == "parquet" and is_terminal(stream):
            raise click.UsageError("parquet is binary: add --output FILE or pipe it")
        tally = ListingNotes()
        if settings.count:
            pages = tally.watch(list_pages(starts, wanted, root, live))
            stream.write(b"%d\n" % sum(map(len, pages)))
        elif order is not None or form == "parquet":
            pages = tally.watch(list_pages(starts, wanted, root, live))
            listed: Iterator[Batch | SortedRows] = pages
            if order is not None:
                listed = iter([in_order(pages, order, chosen, settings.limit)])
            if form == "parquet":
                write_parquet(listed, stream, chosen)
            else:
                _write_text(map(_as_text(form, chosen, stream), listed), stream)
        else:
            from urlset.workflows.spread_pages import map_pages

            with StageLine() as line:
                # rows on a terminal show the progress themselves
                workers = settings.workers if is_terminal(stream) else line.watching(settings.workers)
                found = map_pages(starts, _as_text(form, chosen, stream), wanted, workers, root, live)
                _write_text(tally.watch(found), stream)
    if output not in {None, "-"}:
        listed_pages = tally.pages if settings.limit is None else min(tally.pages, settings.limit)
        note(amount(listed_pages, "URL"))
        wrote(Destination("count" if settings.count else form, output))
    return tally.conclude()


class ListingNotes:
    """Prints the notices of the workflow, and remembers them for the exit code."""

    def __init__(self) -> None:
        self.pages = 0
        self.grave = False
        self.wrong = False
        self._describe: Counter[str] = Counter()

    def watch(self, items: Iterator[P | Notice]) -> Iterator[P]:
        for item in items:
            if isinstance(item, Notice):
                self.grave |= item.grave and not item.not_a_sitemap
                self.wrong |= item.not_a_sitemap
                self._describe[item.parent] += bool(item.parent)
                if self._describe[item.parent] <= _SHOWN_PER_INDEX:
                    complain(printable(f"{item.source}: {item.text}"))
            else:
                self.pages += len(item)
                yield item
            del item  # holds a whole document, and the next one is about to be read

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


def _as_text(form: str, chosen: Sequence[Field], stream: IO[bytes]) -> Callable[[Batch | SortedRows], ListedText]:
    """Writes the heading; returns what makes the text of a batch, in a worker if need be."""
    from functools import partial

    if form in _BETWEEN:
        stream.write(f"{_BETWEEN[form].join(field.name for field in chosen)}\n".encode())
    return partial(text_of, form, [field.name for field in chosen])


def _write_text(pages: Iterator[ListedText], stream: IO[bytes]) -> None:
    shown = visible if is_terminal(stream) else str
    for page in pages:
        for block in page:
            stream.write(shown(block).encode("utf-8", "replace"))
        stream.flush()
        del page, block


def _fields(text: str | None) -> Sequence[Field]:
    try:
        fields = choose(DEFAULT if text is None else text)
    except UnknownFieldError as error:
        raise click.UsageError(f"--fields: {error}") from error
    if not fields:
        raise click.UsageError(f"--fields names no field; try --fields {DEFAULT}")
    return fields


def _wanted(settings: LsSettings, targets: Sequence[str]) -> ListFilter:
    return ListFilter(
        match=None if settings.match is None else re.compile(settings.match),
        since=_moment("--since", settings.since),
        limit=settings.limit if settings.sort is None else None,
        exclude=tuple(map(re.compile, settings.exclude)),
        until=_moment("--until", settings.until),
        known=None if settings.changed_since is None else _known(settings, targets[0]),
    )


def _moment(option: str, text: str | None) -> Moment | None:
    from urlset.model.moment import Moment

    if text is None:
        return None
    moment = Moment.parse(text.strip())
    if moment.interval() is None:
        raise click.UsageError(
            f"{option}: {text!r} is not a date; write 2024, 2024-06, 2024-06-01 or 2024-06-01T12:00Z"
        )
    return moment


def _known(settings: LsSettings, target: str) -> dict[str, int]:
    """The entries of the earlier state: what is named, or the snapshot of the target at a time."""
    from urlset.checking import clock
    from urlset.snapshots.expressions import is_moment
    from urlset.workflows.diff import DiffError, StateReader, known_entries

    old = settings.changed_since or ""
    if is_moment(old, clock.now()) and not Path(old).exists():
        old = f"{target}@{old}"
    try:
        return known_entries(old, StateReader(settings, clock.now(), notify=notify))
    except DiffError as error:
        raise click.ClickException(printable(f"--changed-since: {error}")) from error


PORTION = 8192
"""Rows that are turned into text at once."""

_encode = msgspec.json.Encoder().encode
_NEEDS_QUOTES = re.compile('[",\r\n]|^ | $')
_TSV_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def as_urls(batch: Batch | SortedRows) -> str:
    """One address on each line."""
    urls = batch.locs
    text = "\n".join(urls)
    if text.count("\n") != len(urls) - 1 or "\r" in text:
        text = "\n".join(url.replace("\n", "%0A").replace("\r", "%0D") for url in urls)
    return text + "\n"


def as_json_lines(batch: Batch | SortedRows, fields: Sequence[Field]) -> str:
    """One JSON object on each line, with every chosen field in it."""
    names = [field.name for field in fields]
    rows = zip(*batch.values(fields), strict=True)
    lines = [_encode(dict(zip(names, row, strict=True))) for row in rows]
    return b"\n".join([*lines, b""]).decode()


def as_csv(batch: Batch | SortedRows, fields: Sequence[Field]) -> str:
    """RFC 4180, except that lines end in a line feed alone; no cell is run as a formula."""

    def cell(value: Any) -> str:
        text = guarded(_text(value))
        return '"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text

    return "".join(",".join(map(cell, row)) + "\n" for row in zip(*batch.values(fields), strict=True))


def as_tsv(batch: Batch | SortedRows, fields: Sequence[Field]) -> str:
    """Tab, line feed, carriage return and backslash as \\t, \\n, \\r and \\\\; no formulas."""
    rows = zip(*batch.values(fields), strict=True)
    return "".join("\t".join(guarded(_text(cell)).translate(_TSV_ESCAPES) for cell in row) + "\n" for row in rows)


_IN_COLUMNS = {"jsonl": as_json_lines, "csv": as_csv, "tsv": as_tsv}
_BETWEEN = {"csv": ",", "tsv": "\t"}


class ListedText:
    """The rows of one file as text, in portions; the length is the number of rows.

    From a worker it travels as a whole; here each portion is made when it is written.
    """

    def __init__(self, rows: int, blocks: Iterable[str]) -> None:
        self._rows, self._blocks = rows, blocks

    def __len__(self) -> int:
        return self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._blocks)

    def __reduce__(self) -> tuple[type[ListedText], tuple[int, list[str]]]:
        return ListedText, (len(self), list(self))


def text_of(form: str, names: Sequence[str], batch: Batch | SortedRows) -> ListedText:
    """Runs in a worker where files are read by several."""
    fields, write = choose(",".join(names)), _IN_COLUMNS.get(form)
    portions = batch.slices(PORTION)
    return ListedText(len(batch), (as_urls(each) if write is None else write(each, fields) for each in portions))


def _text(value: Any) -> str:
    """The text of one cell: nothing for nothing, JSON for lists and records."""
    if isinstance(value, str):
        return value
    return "" if value is None or value in ([], ()) else _encode(value).decode()


# Batches of pages → a Parquet file, a row group for each.

ROW_GROUP = 100_000
"""Twice the legal size of a sitemap; only an oversized one is cut."""


def write_parquet(batches: Iterable[Batch | SortedRows], stream: IO[bytes], fields: Sequence[Field]) -> None:
    arrow = library("pyarrow", "data", "--format parquet")
    parquet = library("pyarrow.parquet", "data", "--format parquet")
    schema = arrow.schema([(field.name, arrow_type(field.shape)) for field in fields])

    def groups(batch: Batch | SortedRows) -> Iterator[Any]:
        for portion in batch.slices(ROW_GROUP):
            values = zip(portion.values(fields), fields, strict=True)
            yield arrow.table([arrow_array(column, field.shape) for column, field in values], schema=schema)

    # closing writes the footer, without which the file is worth nothing
    with parquet.ParquetWriter(stream, schema, compression="zstd") as file:
        for batch in batches:
            for table in groups(batch):
                file.write_table(table)
            del batch
