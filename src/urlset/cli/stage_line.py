"""Tasks on any executor → one line on stderr: how far, how fast, how long, and what each worker does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlset.cli.progress import RedrawnLine, clock, per_second, progress_bar
from urlset.cli.terminal import printable

if TYPE_CHECKING:
    from urlset.execution.workers import StageProgress, Workers


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
