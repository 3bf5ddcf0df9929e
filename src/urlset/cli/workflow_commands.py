"""Output in a CI job → the same output, in which no text of a site is a command for the job's runner.

GitHub Actions, Azure Pipelines and TeamCity read commands from the output of a step: `::add-mask::` hides a word from
the log, `##vso[task.setvariable]` sets a variable. A URL, a title or a file name may spell one. So where such a runner
may be listening, which is on everything but a regular file, the last character of a command's start is written as JSON
spells it: `:\\u003aadd-mask::`. Valid JSON stays valid, with the same values. The report `--format github` and binary
formats bypass it.
"""

from __future__ import annotations

import io
import os
import re
import sys
from stat import S_ISREG
from typing import IO, Any, TextIO

_RUNNERS = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")
_SPACE = rb"(?:[ \t\v\f]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)"
"""whitespace in UTF-8: runners skip it before `::`"""
_COMMAND = re.compile(rb"(?:^|(?<=[\r\n]))" + _SPACE + rb"*+:(?=:)|##(?:vso|teamcity)?(?=\[)")
_BLANK = re.compile(_SPACE + rb"*+:?")
_LONGEST = 12
"""bytes of the start of a command that has no blanks before it"""


def neutralize_commands() -> None:
    """For the rest of this process."""
    if any(map(os.environ.get, _RUNNERS)):
        sys.stdout, sys.stderr = _neutral(sys.stdout), _neutral(sys.stderr)


def as_written(stream: IO[bytes]) -> IO[bytes]:
    """The stream without the filter: for a report that consists of commands, and for what is not text."""
    return stream.target if isinstance(stream, _Filter) else stream


def _neutral(stream: TextIO) -> TextIO:
    try:
        if isinstance(stream.buffer, _Filter) or S_ISREG(os.fstat(stream.fileno()).st_mode):
            return stream
    except (AttributeError, OSError, ValueError):  # closed, or not a file
        return stream
    filtered: Any = _Filter(stream.buffer)  # as much of a stream as a TextIOWrapper needs
    return io.TextIOWrapper(
        filtered,
        encoding=stream.encoding,
        errors=stream.errors,
        newline="\n",
        line_buffering=getattr(stream, "line_buffering", False),
        write_through=True,
    )


class _Filter(io.BufferedIOBase):
    def __init__(self, target: IO[bytes]) -> None:
        self.target = target
        self._line = b""
        """the end of what was written, as far as a command may begin in it; starts a line, or with another byte"""

    def write(self, data: Any) -> int:
        fresh, before = bytes(data), self._line
        text = before + fresh
        pieces, at = [], len(before)
        for found in _COMMAND.finditer(text):
            last = found.end()  # the byte that makes it a command
            if last < at:  # written before
                continue
            pieces += [text[at:last], b"\\u%04x" % text[last]]
            at = last + 1
        self.target.write(b"".join([*pieces, text[at:]]))
        self._line = _end_of(text)
        return len(fresh)

    def flush(self) -> None:
        self.target.flush()

    def close(self) -> None:
        self.flush()

    def fileno(self) -> int:
        return self.target.fileno()

    def isatty(self) -> bool:
        return self.target.isatty()

    def writable(self) -> bool:
        return True


def _end_of(text: bytes) -> bytes:
    """The last line; blanks count as one, and a long line as its end."""
    line = text[max(text.rfind(b"\n"), text.rfind(b"\r")) + 1 :]
    if _BLANK.fullmatch(line):
        return b":" if line.endswith(b":") else b""
    return line if len(line) <= _LONGEST else b"x" + line[-_LONGEST:]
