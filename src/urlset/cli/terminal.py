"""Text → what a terminal may safely and calmly show: escapes, colours, complaints."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from stat import S_ISREG
from typing import IO, Any, TextIO

import click

from urlset.model.shown import amount
from urlset.spec.lazy_pattern import lazy_pattern

_UNSAFE = lazy_pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
"""Controls, among them the escape that starts a terminal command, and marks that reorder a line."""


def visible(text: str) -> str:
    """Control characters as \\u001b and the like, which is also how JSON spells them; line ends and tabs stay."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def printable(text: str) -> str:
    """The same for a text that must stay on one line."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


class _Volume:
    quiet = False
    verbose = False


def set_volume(*, quiet: bool, verbose: bool) -> None:
    """--quiet and --verbose, for the whole run."""
    _Volume.quiet, _Volume.verbose = quiet, verbose


def complain(text: str) -> None:
    """One line on stderr, for what went wrong."""
    _say(f"urlset: {text}")


def note(text: str) -> None:
    """One line on stderr that --quiet leaves out."""
    if not _Volume.quiet:
        _say(text)


def detail(text: str) -> None:
    """One line on stderr that only --verbose prints."""
    if _Volume.verbose:
        _say(f"urlset: {printable(text)}")


def _say(line: str) -> None:
    with suppress(OSError):  # stderr on a full disk must not stop the run
        click.echo(line, err=True)


def silence_stdout() -> None:
    """The reader of stdout is gone: keep the interpreter from failing when it flushes at exit."""
    try:
        hole = os.open(os.devnull, os.O_WRONLY)
        os.dup2(hole, sys.stdout.fileno())
        os.close(hole)
    except (OSError, ValueError):
        pass


def is_terminal(stream: IO[Any]) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def can_redraw(stream: IO[Any]) -> bool:
    """Whether a line can be drawn over; a dumb terminal, such as that of an editor, would show the escapes."""
    return is_terminal(stream) and os.environ.get("TERM") != "dumb" and not _Volume.quiet


def color_is_forced() -> bool:
    return os.environ.get("FORCE_COLOR", "0").lower() not in {"", "0", "false"} and not os.environ.get("NO_COLOR")


def columns(usual: int) -> int:
    """How wide the terminal is, or COLUMNS says it is; `shutil` knows too, and loads three packers for it."""
    with suppress(KeyError, ValueError):
        if (reported := int(os.environ["COLUMNS"])) > 0:
            return reported
    try:
        return os.get_terminal_size((sys.__stdout__ or sys.stdout).fileno()).columns or usual
    except (AttributeError, ValueError, OSError):  # no stdout, a closed one, none of a terminal
        return usual


def wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Lines with these indents, broken at spaces only: a URL stays on one line."""
    from textwrap import wrap

    return wrap(
        text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )


class Style:
    """A handful of ANSI styles that do nothing when colour is off."""

    def __init__(self, *, colour: bool) -> None:
        self.colour = colour
        self.bold = self._ink("1")
        self.dim = self._ink("2")
        self.red = self._ink("31")
        self.green = self._ink("32")
        self.yellow = self._ink("33")
        self.cyan = self._ink("36")

    @classmethod
    def for_stream(cls, stream: IO[Any]) -> Style:
        """Color on a terminal that is not dumb, or anywhere with FORCE_COLOR; never with NO_COLOR."""
        if os.environ.get("NO_COLOR"):
            return cls(colour=False)
        return cls(colour=color_is_forced() or (is_terminal(stream) and os.environ.get("TERM") != "dumb"))

    def _ink(self, code: str) -> Callable[[str], str]:
        if not self.colour:
            return str
        return lambda text: f"\x1b[{code}m{text}\x1b[0m" if text else text


# Numbers → the way people write them.

_EIGHTHS = " ▏▎▍▌▋▊▉"


def size(count: int) -> str:
    """Bytes at three digits: 812 bytes, 9.8 KiB, 1.5 MiB."""
    if count < 1024:
        return amount(count, "byte")
    value = float(count)
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        value /= 1024
        if value < 999.5 or unit == "TiB":
            break
    return f"{value:.1f} {unit}" if value < 99.95 else f"{value:.0f} {unit}"


def share(part: int, whole: int) -> str:
    """A percentage that says 0 or 100 only where it is exactly that."""
    if not whole:
        return "0 %"
    percent = round(100 * part / whole)
    if part and not percent:
        return "under 1 %"
    if part != whole and percent == 100:
        return "over 99 %"
    return f"{percent} %"


def bar(count: int, largest: int, width: int) -> str:
    """A horizontal bar in eighths of a character, visible for every count above zero."""
    if not count or not largest:
        return ""
    eighths = max(1, round(count * width * 8 / largest))
    full, rest = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[rest] if rest else "")


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
