"""Progress → one line on stderr that draws over itself; nothing without a terminal."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import click

from urlset.cli.terminal import Style, can_redraw, columns, printable
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from urlset.auditing.session import Session
    from urlset.execution.workers import StageProgress, Workers


_EVERY = 0.1
_WINDOW = 15.0
_BAR = 20
_ROOM_FOR_A_BAR = 60
_WORTH_SAYING = 2.0
"""seconds of waiting; shorter ones are the usual pace"""
_STANDING = 0.05
_SHORT = 0.5
"""seconds after which a rate means something"""
_ESCAPE = lazy_pattern(r"\x1b\[[0-9;]*m")
_CLEAR = "\r\x1b[K"


class RedrawnLine:
    """Draws at most ten times a second. A line that was drawn is cleared at the end of its block."""

    def __init__(self) -> None:
        self.wanted = can_redraw(sys.stderr)
        self._drawn = 0.0
        self._shown = False
        self._marks: list[tuple[float, int]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        if self._shown:
            click.echo(_CLEAR, err=True, nl=False)
            self._shown = False

    @property
    def _is_fresh(self) -> bool:
        return self._shown and time.monotonic() - self._drawn < _EVERY

    def _rate(self, done: int) -> float:
        """How many a second, of late."""
        self._marks.append((time.monotonic(), done))
        (start, before), (end, after) = self._marks[0], self._marks[-1]
        while len(self._marks) > 2 and end - start > _WINDOW:
            self._marks.pop(0)
            start, before = self._marks[0]
        return (after - before) / (end - start) if end - start > _SHORT else 0.0

    def _draw(self, parts: Sequence[str], between: str = "  ") -> None:
        if self.wanted and not self._is_fresh:
            self._drawn, self._shown = time.monotonic(), True
            click.echo(f"{_CLEAR}{fitting(parts, between)}", err=True, nl=False)


class Progress(RedrawnLine):
    """Told by the audit."""

    def __init__(self) -> None:
        super().__init__()
        self._style = Style.for_stream(sys.stderr)

    def listing(self, sitemaps: int, pages: int) -> None:
        self._draw([f"reading sitemaps: {sitemaps:,} read,", f"{pages:,} pages listed"], " ")

    def asking(self, session: Session) -> None:
        if self.wanted:
            self._draw(self._parts(session))

    def judging(self) -> None:
        self._drawn = 0.0
        self._draw(["checking …"])

    def _parts(self, session: Session) -> list[str]:
        done, total = session.done, max(session.total, 1)
        parts = [progress_bar(done, total, f"{done:,}/{session.total:,}")]
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
        return parts

    def _pace(self, session: Session) -> list[str]:
        """How fast it goes and how long it will take, or why nothing moves at the moment."""
        rate = self._rate(session.done)
        again, pause = session.standing
        left = max(0, session.total - session.done) if again is None else again
        what = f"{left:,} page{'s' if left != 1 else ''}{' again' if again is not None else ''}"
        if pause is not None and pause.seconds >= _WORTH_SAYING and left:
            return [f"waiting {math.ceil(pause.seconds)} s for {printable(pause.host)}, then {what}"]
        if again:
            return [f"retrying {what.removesuffix(' again')}"]
        if rate < _STANDING or not left:
            return []
        return [per_second(rate), f"{clock(left / rate)} left"]


def progress_bar(done: int, total: int, counted: str) -> str:
    """The bar and the numbers behind it; only these on a narrow terminal."""
    if columns(100) < _ROOM_FOR_A_BAR:
        return counted
    style = Style.for_stream(sys.stderr)
    filled = min(_BAR, done * _BAR // max(total, 1))
    return f"{style.green('━' * filled)}{style.dim('━' * (_BAR - filled))} {counted}"


def fitting(parts: Sequence[str], between: str = "  ") -> str:
    """As many whole parts as the terminal holds: a line that wraps cannot be redrawn, and half a number misleads."""
    room = columns(100) - 1
    line = ""
    for part in parts:
        longer = f"{line}{between}{part}" if line else part
        if len(_ESCAPE.sub("", longer)) > room:
            break
        line = longer
    if line:
        return line
    plain = _ESCAPE.sub("", parts[0])  # not even the first part fits: cut at a word, without colors
    return plain if len(plain) <= room else f"{plain[: max(room - 1, 0)].rpartition(' ')[0]}…"


def per_second(rate: float) -> str:
    return f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"


def clock(seconds: float) -> str:
    minutes, rest = divmod(math.ceil(seconds), 60)  # never 0:00 while something is left
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


# Tasks on any executor → one line on stderr: how far, how fast, how long, and what each worker does.


class StageLine(RedrawnLine):
    """Told by executors, and by what runs in this process."""

    def __init__(self) -> None:
        super().__init__()
        self._watched = False
        self._what = ""

    def watching(self, workers: Workers) -> Workers:
        """The same workers, shown here."""
        if not self.wanted:
            return workers
        import msgspec

        return msgspec.structs.replace(workers, watch=self.show)

    def count(self, done: int, known: int) -> None:
        """What is done in this process, as long as there are no workers to watch."""
        if not self._watched and known > 1:
            self._draw(self._pace("files", done, known))
        elif not known:
            self._draw(["looking for sitemaps"])

    def reading(self, files: int, urls: int) -> None:
        """The same where the number of files is unknown."""
        if not self._watched:
            self._draw([f"reading: {files:,} sitemaps,", f"{urls:,} URLs"])

    def show(self, stage: StageProgress) -> None:
        self._watched = True
        if self._is_fresh and stage.what == self._what:
            return
        parts = self._pace(stage.what, stage.done, stage.known)
        parts += [
            f"{count:,} {what}" for count, what in ((stage.retried, "retried"), (stage.set_aside, "set aside")) if count
        ]
        parts.append(f"{stage.workers:,} worker{'s' if stage.workers != 1 else ''}")
        if stage.dashboard:
            parts.append(stage.dashboard)
        parts += [f"{printable(each.task)} {each.seconds:.0f} s" for each in stage.busy if each.task]
        self._draw(parts)

    def _pace(self, what: str, done: int, known: int) -> list[str]:
        if what != self._what:
            self._what, self._marks = what, []
        rate = self._rate(done)
        parts = [progress_bar(done, known, f"{done:,}/{known:,} {what}")]
        if rate > 0:
            parts.append(per_second(rate))
            parts += [f"{clock((known - done) / rate)} left"] if known > done else []
        return parts
