"""Text → what a terminal may safely and calmly show: escapes, colours, complaints."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

import click

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


def amount(count: int, one: str, many: str | None = None) -> str:
    """1 URL, 2,000 URLs."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


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
