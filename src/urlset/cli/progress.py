"""Progress of an audit → one line on stderr that draws over itself; nothing where stderr is no terminal."""

from __future__ import annotations

import math
import sys
import time
from typing import TYPE_CHECKING

import click

from urlset.cli.terminal import Style, can_redraw, columns, printable

if TYPE_CHECKING:
    from urlset.auditing.session import Session

_EVERY = 0.1
_WINDOW = 15.0
_BAR = 20
_WORTH_SAYING = 2.0
"""seconds of waiting; shorter ones are the usual pace"""
_STANDING = 0.05
_CLEAR = "\r\x1b[K"


class Progress:
    """Told by the audit; draws at most ten times a second."""

    def __init__(self) -> None:
        self._wanted = can_redraw(sys.stderr)
        self._style = Style.for_stream(sys.stderr)
        self._drawn = 0.0
        self._shown = False
        self._marks: list[tuple[float, int]] = []

    def listing(self, sitemaps: int, pages: int) -> None:
        self._draw(f"reading sitemaps: {sitemaps:,} read, {pages:,} pages listed")

    def asking(self, session: Session) -> None:
        if not self._wanted:
            return
        now = time.monotonic()
        self._marks.append((now, session.done))
        while len(self._marks) > 2 and now - self._marks[0][0] > _WINDOW:
            self._marks.pop(0)
        self._draw(self._line(session))

    def judging(self) -> None:
        self._drawn = 0.0
        self._draw("judging …")

    def clear(self) -> None:
        if self._shown:
            click.echo(_CLEAR, err=True, nl=False)
            self._shown = False

    def _line(self, session: Session) -> str:
        done, total = session.done, max(session.total, 1)
        filled = min(_BAR, done * _BAR // total)
        bar = self._style.green("━" * filled) + self._style.dim("━" * (_BAR - filled))
        parts = [f"{bar} {done:,}/{session.total:,}"]
        parts += self._pace(session)
        palettes = {
            "ok": self._style.green,
            "gone": self._style.red,
            "error": self._style.red,
            "blocked": self._style.cyan,
        }
        for state, count in session.states.items():
            if count:
                parts.append(palettes.get(state, self._style.yellow)(f"{count:,} {state}"))
        return "  ".join(parts)

    def _pace(self, session: Session) -> list[str]:
        """How fast it goes and how long it will take, or why nothing moves at the moment."""
        again, pause = session.standing
        left = max(0, session.total - session.done) if again is None else again
        what = f"{left:,} page{'s' if left != 1 else ''}{' again' if again is not None else ''}"
        if pause is not None and pause.seconds >= _WORTH_SAYING and left:
            return [f"waiting {math.ceil(pause.seconds)} s for {printable(pause.host)}, then {what}"]
        if again:
            return [f"asking {what}"]
        rate = self._rate()
        if rate < _STANDING or not left:
            return []
        return [f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s", f"{_clock(left / rate)} left"]

    def _rate(self) -> float:
        (start, before), (end, after) = self._marks[0], self._marks[-1]
        return (after - before) / (end - start) if end - start > 0.5 else 0.0

    def _draw(self, line: str) -> None:
        now = time.monotonic()
        if not self._wanted or now - self._drawn < _EVERY:
            return
        self._drawn, self._shown = now, True
        click.echo(f"{_CLEAR}{_fitting(line)}", err=True, nl=False)


def _fitting(line: str) -> str:
    """Cut to the terminal, escapes not counted: a line that wraps cannot be drawn over."""
    room = columns(100) - 1
    shown, at, out = 0, 0, []
    while at < len(line) and shown < room:
        if line[at] == "\x1b":
            end = line.index("m", at) + 1
            out.append(line[at:end])
            at = end
        else:
            out.append(line[at])
            shown += 1
            at += 1
    return "".join(out) + ("\x1b[0m" if "\x1b" in line else "")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(math.ceil(seconds), 60)  # never 0:00 while something is left
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
