"""Blocks of bytes → standard output, or a file that appears only once it is whole."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import click

from urlset.cli.terminal import complain, silence_stdout
from urlset.cli.workflow_commands import as_written


def json_report(command: str, report: object = None, **more: object) -> str:
    """The versioned JSON of one run: the fields of `report`, and more."""
    import msgspec

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
        unfinished.replace(target)
