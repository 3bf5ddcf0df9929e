"""--format and --output → which report goes where: standard output, or files that appear once they are complete."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING

import click
import msgspec

from urlset.cli.terminal import Style, as_written, columns, complain, note, printable, silence_stdout
from urlset.storage.system import PLAIN, is_unicode, replace

if TYPE_CHECKING:
    from urlset.reports.format import Pieces, ReportOptions
    from urlset.settings.audit import AuditSettings
    from urlset.settings.check import CheckSettings
    from urlset.settings.groups import ReportSettings
    from urlset.settings.history import DiffSettings, HistorySettings
    from urlset.settings.ls import LogsSettings


def json_report(command: str, report: object = None, **more: object) -> str:
    """The versioned JSON of one run: the fields of `report`, and more."""
    from urlset.version import __version__

    fields = {} if report is None else msgspec.to_builtins(report)
    whole = {"schema": 1, "urlset": __version__, "command": command, **fields, **more}
    return msgspec.json.format(msgspec.json.encode(whole), indent=2).decode()


@contextmanager
def readers_may_leave() -> Iterator[None]:
    """The reader of standard output may stop, as in `| head`: the run continues, and its exit code is right."""
    try:
        yield
    except BrokenPipeError:
        silence_stdout()


def tell(text: str) -> None:
    """Print what a command has changed. That is done whether or not it can be printed, so the exit code stays."""
    try:
        with readers_may_leave():
            click.echo(text)
    except OSError as error:
        silence_stdout()
        complain(f"cannot write the report: {(error.strerror or str(error)).lower()}")


@contextmanager
def opened(path: str | None, *, raw: bool = False) -> Iterator[IO[bytes]]:
    """Standard output for None or `-`. A file takes its name when everything has been written.

    `raw`: not text, or meant for the runner of a CI job.
    """
    if path is None or path == "-":
        sys.stdout.flush()
        stream = as_written(sys.stdout.buffer) if raw else sys.stdout.buffer
        yield stream
        stream.flush()
        return
    target = Path(path)
    if target.exists() and not target.is_file():
        with target.open("wb") as device:  # a pipe or /dev/stdout cannot be replaced
            yield device
        return
    from urlset.writing.files import work_folder

    with ExitStack() as stack:
        try:
            unfinished = stack.enter_context(work_folder(target.parent)) / "unfinished"
            file = stack.enter_context(unfinished.open("wb"))
        except OSError as error:
            raise click.ClickException(f"{path}: cannot be written: {error.strerror}") from error
        yield file
        file.close()
        replace(unfinished, target)


# --format and --output → which report goes where.

_EXTENSIONS = {
    ".txt": ("text", "full", "concise"),
    ".json": ("json", "sarif", "gitlab"),
    ".xml": ("junit",),
    ".md": ("markdown",),
    ".htm": ("html",),
}
"""other formats that a file of this name may have; the first one, unless --format is another of them"""
ON_SCREEN = frozenset({"text", "full", "concise"})
"""formats that name unreadable targets themselves"""


class Destination(msgspec.Struct, frozen=True):
    format: str
    path: str | None
    """None is standard output"""

    @property
    def on_screen(self) -> bool:
        return self.path in {None, "-"}


def destinations(settings: ReportSettings) -> list[Destination]:
    """Every file with its format. A file of the requested format replaces standard output."""
    from urlset.reports.format import FORMATS

    files = [_destination(text, settings.format, FORMATS) for text in settings.outputs]
    if settings.format is not None and settings.format not in {each.format for each in files}:
        files.append(Destination(settings.format, None))
    wanted = files or [Destination(settings.format or "text", None)]
    for each in wanted:
        need_binary(each.format, each.path)
    return wanted


def destination(settings: DiffSettings | HistorySettings | LogsSettings) -> Destination:
    """For a command with one report. The extension names the format, where no option does."""
    from urlset.settings.declare import options_of

    path = None if settings.output is None else str(settings.output)
    suffix = PurePath(path or "").suffix.lower().removeprefix(".")
    (option,) = (each for each in options_of(type(settings)) if each.name == "format")
    form = settings.format or (suffix if suffix in option.choices else "text")
    need_binary(form, path)
    return Destination(form, path)


def need_binary(form: str, path: str | None) -> None:
    """A workbook needs its package, and a file: a terminal cannot show it."""
    from urlset.reports.format import BINARY

    if form not in BINARY:
        return
    from urlset.model.frames import NotInstalledError
    from urlset.reports.table import need_xlsx

    try:
        need_xlsx()
    except NotInstalledError as error:
        raise click.UsageError(f"--format {form}: {error}") from error
    if path in {None, "-"} and sys.stdout.isatty():
        raise click.UsageError(f"--format {form} is not text; write it to a file with --output report.{form}")


def _destination(text: str, wanted: str | None, known: Sequence[str] | dict[str, str]) -> Destination:
    name, colon, path = text.partition(":")
    if colon and path and name in known:
        return Destination(name, path)
    if text == "-":
        return Destination(wanted or "text", None)
    extension = PurePath(text).suffix.lower()
    fitting = _EXTENSIONS.get(extension, tuple(name for name in known if extension == f".{name}"))
    if wanted is not None and (wanted in fitting or not fitting):
        return Destination(wanted, text)
    if not fitting:
        raise click.UsageError(f"--output {text}: unknown extension; name the format, as in --output json:{text}")
    return Destination(fitting[0], text)


Render = Callable[[str, "ReportOptions"], "Pieces"]


def write_reports(
    wanted: Sequence[Destination], options: ReportOptions, render: Render, summary: Callable[[], str]
) -> None:
    """After files, the result in one line, unless a report on the screen has it, and where they are."""
    for each in wanted:
        color = each.on_screen and Style.for_stream(sys.stdout).colour
        write_report(each, msgspec.structs.replace(options, color=color), render)
    files = [each for each in wanted if not each.on_screen]
    if files and not any(each.on_screen and each.format in ON_SCREEN for each in wanted):
        note(printable(summary()))
    for each in files:
        wrote(each)


def wrote(file: Destination) -> None:
    note(printable(f"wrote {file.path} ({file.format})"))


def write_report(where: Destination, options: ReportOptions, render: Render) -> None:
    """Beside a page that has only a sample of the rows, a CSV file has all of them."""
    from urlset.reports.format import BINARY

    if where.format != "html" or where.on_screen:
        pieces = render(where.format, options)
        write_pieces(pieces, where.path, raw=where.format in {*BINARY, "github"}, shown=where.format in ON_SCREEN)
    else:
        from urlset.reports.html_page import Page

        # the file beside a report: audit.html has audit-all.csv
        path = Path(where.path or "")
        more = path.with_name(f"{path.stem}-all.csv")
        pieces = render("html", msgspec.structs.replace(options, beside=more.name))
        write_pieces(pieces, where.path)
        if isinstance(pieces, Page) and pieces.is_sample:
            write_pieces(render("csv", msgspec.structs.replace(options, table="pages")), str(more))
            note(printable(f"wrote {more} (csv)"))


def write_pieces(pieces: Pieces, path: str | None, *, raw: bool = False, shown: bool = False) -> None:
    """As UTF-8; what is for people in the encoding of standard output."""
    form = ("utf-8", "replace")
    if shown and path in {None, "-"} and not is_unicode(sys.stdout.encoding):
        form = (sys.stdout.encoding, PLAIN)
    with readers_may_leave(), opened(path, raw=raw) as stream:
        for piece in pieces:
            stream.write(piece if isinstance(piece, bytes) else piece.encode(*form))


def report_options(
    settings: CheckSettings | AuditSettings, command: str, target: tuple[str, ...], narrowest: int
) -> ReportOptions:
    from urlset.checking.clock import now
    from urlset.reports.format import ReportOptions

    return ReportOptions(
        width=max(narrowest, min(columns(100), 120)),
        show=settings.show,
        fail_on=settings.fail_on,
        command=command,
        target=target,
        engines=settings.engines,
        made=now(),
        results_only=settings.quiet,
        max_tokens=settings.max_tokens,
    )
