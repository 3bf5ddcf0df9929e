"""What a user names as a source → the source that reads it, decided by what is there and not by how it is called."""

from __future__ import annotations

import io
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeVar

from urlset.building.sources.columns import WEB, is_table
from urlset.building.sources.lists import SEPARATOR, from_csv, from_json_lines, from_text, from_tsv, unpacked
from urlset.building.sources.parquet import MAGIC, from_parquet
from urlset.building.sources.source import Block, SourceError, SourceOptions, in_blocks
from urlset.model.document import Has
from urlset.model.visit import REQUIRED
from urlset.reading.decode import decode
from urlset.reading.read import read, sniff
from urlset.reading.tree import read_tree
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.storage.paths import is_stored

if TYPE_CHECKING:
    from urlset.storage.paths import FilePath

STANDARD_INPUT = "-"
ZIP = b"PK\x03\x04"

_HEAD = 1 << 16
_AnyPath = TypeVar("_AnyPath", bound="FilePath")
_DATABASE = lazy_pattern(r"(?!https?:|s3:|gs:|az:)[a-z][a-z0-9]*(?:\+[a-z0-9_]+)?://", re.IGNORECASE)
_JSON = lazy_pattern(r"\s*(?:\{|\"[^\"]*\"\s*\Z)")
_JSON_ARRAY = lazy_pattern(r"\s*\[\s*(?:[\[{\"].*)?\Z")


class SourceHandle(NamedTuple):
    """What was named, opened far enough to decide what it is."""

    spec: str
    path: FilePath | None
    """None for standard input and databases"""
    file: io.BufferedReader | None
    """standard input"""
    head: bytes
    """the beginning, unpacked"""

    @property
    def name(self) -> str:
        return "stdin" if self.path is None else self.path.name

    @property
    def lines(self) -> list[str]:
        """The first two that are not empty, and not Excel's note of the separator."""
        text = decode(self.head).data.decode("utf-8", "replace")
        return list(islice((line for line in text.splitlines() if line.strip() and not SEPARATOR.fullmatch(line)), 2))

    @property
    def first_line(self) -> str:
        return next(iter(self.lines), "")


class OpenedSource(NamedTuple):
    name: str
    recognises: Callable[[SourceHandle], bool]
    open: Callable[[SourceHandle, SourceOptions], Iterator[Block]]
    is_self_contained: bool = True
    """a file of this kind holds all that it offers"""


Read = Callable[[BinaryIO, str, SourceOptions], Iterator[Block]]


def _list(read: Read) -> Callable[[SourceHandle, SourceOptions], Iterator[Block]]:
    def rows(given: SourceHandle, options: SourceOptions) -> Iterator[Block]:
        if given.path is not None and given.path.is_dir():
            raise SourceError(f"{given.spec} is a folder")
        _refuse_unreadable_lines(given)
        if given.path is None:
            return read(_file(given), given.name, options)
        return _read_and_close(read, given.path, options)

    return rows


def _refuse_unreadable_lines(given: SourceHandle) -> None:
    """Formats that look like a list and are none: read line by line, they give no URL, or one that is none."""
    text = decode(given.head).data
    if b"\r" in text.rstrip() and b"\n" not in text:
        raise SourceError(f"{given.name}: lines end with CR alone; convert them, for example with tr '\\r' '\\n'")
    if _JSON_ARRAY.match(given.first_line):
        raise SourceError(f"{given.name} is a JSON array; write one object per line, for example with jq -c '.[]'")


def _read_and_close(read: Read, path: FilePath, options: SourceOptions) -> Iterator[Block]:
    with path.open("rb") as file:
        yield from read(file, path.name, options)


def _open_sitemaps(given: SourceHandle, options: SourceOptions) -> Iterator[Block]:
    from urlset.building.sources.sitemaps import from_sitemaps

    return from_sitemaps(given.path or _file(given), options)


def _open_parquet(given: SourceHandle, options: SourceOptions) -> Iterator[Block]:
    if given.path is None:
        raise SourceError("cannot read Parquet from standard input; give a file")
    return from_parquet(given.path, options)


def _open_archive(given: SourceHandle, options: SourceOptions) -> Iterator[Block]:
    from urlset.building.sources.archive import from_archive

    if given.path is None:
        raise SourceError("cannot read a spreadsheet or zip archive from standard input; give a file")
    return from_archive(given.path, options)


def _open_folder(given: SourceHandle, options: SourceOptions) -> Iterator[Block]:
    from urlset.building.sources.folder import from_folder  # reads HTML, which no list needs

    return in_blocks(from_folder(Path(given.spec), options))


def _open_crawl(given: SourceHandle, options: SourceOptions) -> Iterator[Block]:
    from urlset.building.sources.crawled import from_crawl

    return _list(lambda file, name, reported: in_blocks(from_crawl(file, name, reported)))(given, options)


def _open_sql(given: SourceHandle, options: SourceOptions) -> Iterator[Block]:
    from urlset.building.sources.sql import from_sql

    return from_sql(given.spec, options)


def _file(given: SourceHandle) -> BinaryIO:
    if given.file is None:
        raise SourceError(f"{given.spec} is a database; add --sql")
    return given.file


def _is_crawl(given: SourceHandle) -> bool:
    line = given.first_line
    if not all(name in line for name in REQUIRED):
        return False
    from urlset.building.sources.crawled import columns_of

    return columns_of(line) >= REQUIRED


def _is_sitemap(given: SourceHandle) -> bool:
    """Any format with a reader, but a text list: that may be a table."""
    kind = sniff(decode(given.head).data).kind
    return kind.reader is not None and not kind.has & Has.LINES


def _is_tsv(given: SourceHandle) -> bool:
    return "\t" in given.first_line and is_table(given.lines, "\t", is_named_so=True)


def _is_csv(given: SourceHandle) -> bool:
    return is_table(given.lines, ",;|", is_named_so=".csv" in Path(given.name).suffixes)  # may be packed


# Asked in this order; a new source is one file and one line here.
SOURCES: tuple[OpenedSource, ...] = (
    OpenedSource("sql", lambda given: is_database(given.spec), _open_sql, is_self_contained=False),
    OpenedSource(
        "folder", lambda given: given.path is not None and given.path.is_dir(), _open_folder, is_self_contained=False
    ),
    OpenedSource("parquet", lambda given: given.head.startswith(MAGIC), _open_parquet),
    OpenedSource("archive", lambda given: given.head.startswith(ZIP), _open_archive),
    OpenedSource("sitemap", _is_sitemap, _open_sitemaps),
    OpenedSource("crawl", _is_crawl, _open_crawl, is_self_contained=False),
    OpenedSource("jsonl", lambda given: bool(_JSON.match(given.first_line)), _list(from_json_lines)),
    OpenedSource("tsv", _is_tsv, _list(from_tsv)),
    OpenedSource("csv", _is_csv, _list(from_csv)),
    OpenedSource("text", lambda given: bool(given.head.strip()), _list(from_text)),
)
NAMES = tuple(source.name for source in SOURCES)


def files_of(path: _AnyPath, kind: str | None = None) -> list[_AnyPath | Path]:
    """The files whose bytes decide about every row of a source; none where these are not all that decides."""
    if not path.is_file():
        return []
    given = _begun(str(path), path)
    found = next((each for each in SOURCES if (each.name == kind if kind else each.recognises(given))), None)
    if found is None or not found.is_self_contained:
        return []
    if found.name != "sitemap" or b"sitemapindex" not in decode(given.head).data:
        return [path]
    if not isinstance(path, Path):
        return []
    children = list(read_tree(path).found(read(path)))
    # an index in an index, and a child that is missing, may be found elsewhere the next time
    local = [each for each in children if isinstance(each, Path) and files_of(each, "sitemap") == [each]]
    return [path, *local] if len(local) == len(children) else []


def open_source(spec: str, options: SourceOptions | None = None, *, stdin: BinaryIO | None = None) -> Iterator[Block]:
    """A folder, a file of any kind read here, a database address, or `-` for standard input.

    In a bucket, a pattern or a folder means the files in it, in the order of their names.

    Raises SourceError before the first row for what cannot be opened or told, SourceBroken between rows when the
    source breaks off; what is wrong with a row is yielded as a RowTrouble.
    """
    options = options or SourceOptions()
    if options.kind is not None and options.kind not in NAMES:
        raise SourceError(f"unknown source {options.kind!r}; choose from {', '.join(NAMES)}")
    if WEB.match(spec):
        raise SourceError(f"{spec} is a URL to crawl and must be the only source")
    if is_stored(spec):
        return _open_stored(spec, options)
    return _open(_look(spec, stdin), options)


def _open(given: SourceHandle, options: SourceOptions) -> Iterator[Block]:
    for source in SOURCES:
        if source.name == options.kind or (options.kind is None and source.recognises(given)):
            return source.open(given, options)
    raise SourceError(f"{given.spec} is empty")


def _open_stored(spec: str, options: SourceOptions) -> Iterator[Block]:
    """The first at once, so a mistake is known before anything is read; each of the others in its turn."""
    from urlset.storage.files import files_at

    try:
        files = files_at(spec)
    except OSError as error:
        raise SourceError(str(error)) from error
    first = _open(_begun(str(files[0]), files[0]), options)
    # each of the others is opened when its turn comes
    rest = (_open(_begun(str(file), file), options) for file in files[1:])
    return chain(first, chain.from_iterable(rest))


def _look(spec: str, stdin: BinaryIO | None) -> SourceHandle:
    if is_database(spec):
        return SourceHandle(spec, None, None, b"")
    if spec == STANDARD_INPUT:
        file = unpacked(stdin or sys.stdin.buffer)
        return SourceHandle(spec, None, file, _peek(file))
    path = Path(spec)
    if path.is_dir():
        return SourceHandle(spec, path, None, b"")
    if is_pipe(path):
        raise SourceError(f"{spec} can be read only once; use {STANDARD_INPUT}, or write it to a file")
    return _begun(spec, path)


def _begun(spec: str, path: FilePath) -> SourceHandle:
    try:
        with path.open("rb", buffering=_HEAD) as opened:
            return SourceHandle(spec, path, None, _peek(unpacked(opened)))
    except (OSError, EOFError, zlib.error) as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else getattr(error, "strerror", None) or error
        raise SourceError(f"{spec}: {reason}") from error


def is_database(spec: str) -> bool:
    return _DATABASE.match(spec) is not None


def is_pipe(path: Path) -> bool:
    """Whether what was looked at is gone when it is read."""
    return path.is_fifo() or path.is_char_device() or path.is_socket()


def _peek(file: io.BufferedReader) -> bytes:
    return file.peek(_HEAD)[:_HEAD]
