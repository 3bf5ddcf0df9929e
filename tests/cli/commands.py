"""A command line → its exit code, output and complaints, run in this process."""

from __future__ import annotations

import io
import sys
from typing import NamedTuple

import pytest

from urlset.cli.main import main


class Ran(NamedTuple):
    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()


class Stream(io.BytesIO):
    """Standard output that may claim to be a terminal, and remembers what it was given."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


def run(*arguments: object, stdin: bytes = b"", terminal: bool = False) -> Ran:
    out, err = Stream(terminal=terminal), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        patch.setattr(sys, "stdout", io.TextIOWrapper(out, encoding="utf-8", newline="\n", write_through=True))
        patch.setattr(sys, "stderr", err)
        code = main([str(argument) for argument in arguments])
        sys.stdout.flush()
        return Ran(code, out.getvalue(), err.getvalue())
