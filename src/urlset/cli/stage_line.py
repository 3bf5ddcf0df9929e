"""Tasks on any executor → one line on stderr: how far, how fast, how long, and what each worker does."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from urlset.cli.progress import CLEAR, clock, fitting, progress_bar
from urlset.cli.terminal import can_redraw, printable

if TYPE_CHECKING:
    from urlset.execution.workers import StageProgress, Workers

_EVERY = 0.1
_WINDOW = 15.0
_SHORT = 0.5
"""seconds after which a rate means something"""


class StageLine:
    """Nothing without a terminal. A line that was drawn is cleared by the caller."""

    def __init__(self) -> None:
        self.wanted = can_redraw(sys.stderr)
        self._drawn = 0.0
        self._shown = False
        self._watched = False
        self._what = ""
        self._marks: list[tuple[float, int]] = []

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
        if time.monotonic() - self._drawn < _EVERY and stage.what == self._what:
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

    def clear(self) -> None:
        if self._shown:
            click.echo(CLEAR, err=True, nl=False)
            self._shown = False

    def _pace(self, what: str, done: int, known: int) -> list[str]:
        now = time.monotonic()
        if what != self._what:
            self._what, self._marks = what, []
        self._marks.append((now, done))
        while len(self._marks) > 2 and now - self._marks[0][0] > _WINDOW:
            self._marks.pop(0)
        (start, before), (end, after) = self._marks[0], self._marks[-1]
        rate = (after - before) / (end - start) if end - start > _SHORT else 0.0
        parts = [progress_bar(done, known, f"{done:,}/{known:,} {what}")]
        if rate > 0:
            parts += [f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"]
            parts += [f"{clock((known - done) / rate)} left"] if known > done else []
        return parts

    def _draw(self, parts: list[str]) -> None:
        now = time.monotonic()
        if not self.wanted or (self._shown and now - self._drawn < _EVERY):
            return
        self._drawn, self._shown = now, True
        click.echo(f"{CLEAR}{fitting(parts)}", err=True, nl=False)
