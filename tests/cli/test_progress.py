"""The line that draws over itself: only on a terminal, never wider than it, with rate and time left."""

from __future__ import annotations

import io
import re
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from urlset.cli.progress import Progress, StageLine
from urlset.execution.executor import executor_on
from urlset.execution.workers import BusyWorker, StageProgress, Where, Workers
from urlset.web.pace import Pause


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def session(done: int, total: int = 1_000, again: int | None = None, pause: Pause | None = None) -> Any:
    states = {"ok": done, "gone": 2, "blocked": 0}
    return SimpleNamespace(done=done, total=total, states=states, standing=(again, pause))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr("urlset.cli.progress.time.monotonic", lambda: now[0])
    return now


def test_nothing_on_a_terminal_that_cannot_draw_over_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "dumb")
    bar = Progress()
    bar.listing(1, 10)
    bar.clear()
    line = StageLine()
    line.count(1, 10)
    assert (stream.getvalue(), line.watching(Workers()).watch) == ("", None)


def test_nothing_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    bar = Progress()
    bar.listing(1, 10)
    bar.asking(session(5))
    bar.judging()
    bar.clear()
    assert stream.getvalue() == ""


def test_rate_time_left_and_states(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("NO_COLOR", "1")
    bar = Progress()
    bar.asking(session(100))
    clock[0] += 2
    bar.asking(session(200))
    line = stream.getvalue().rpartition("\r")[2]
    assert "200/1,000  50/s  0:16 left  200 ok  2 gone" in line
    assert "blocked" not in line
    bar.clear()
    assert stream.getvalue().endswith("\r\x1b[K")


@pytest.mark.parametrize(
    ("sitting", "said"),
    [
        (session(988, pause=Pause(27.2, "b.example")), "988/1,000  waiting 28 s for b.example, then 12 pages  "),
        (session(1_000, again=1, pause=Pause(9.9, "a.example")), "  waiting 10 s for a.example, then 1 page again  "),
        (session(1_000, again=12), "1,000/1,000  retrying 12 pages  "),
        (session(1_000, again=12, pause=Pause(1.5, "a.example")), "1,000/1,000  retrying 12 pages  "),
        (session(999), "999/1,000  400/s  0:01 left  "),
        (session(1_000), "1,000/1,000  1,000 ok"),
        (session(1_000, again=0, pause=Pause(20.0, "a.example")), "1,000/1,000  1,000 ok"),
    ],
)
def test_it_says_why_nothing_moves(
    sitting: Any, said: str, monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    """At 100 % the bar stood for half a minute, and before that it promised 0:00."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    bar = Progress()
    bar.asking(session(200))
    clock[0] += 2
    bar.asking(sitting)
    assert said in stream.getvalue().rpartition("\r")[2]


def test_not_more_often_than_eyes_can_follow(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    bar = Progress()
    for pages in range(1, 100):
        bar.listing(1, pages)
        clock[0] += 0.001
    assert stream.getvalue().count("\r") == 1


def test_the_line_fits_the_terminal(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    del clock
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    Progress().asking(session(123_456, 1_000_000_000))
    line = stream.getvalue().removeprefix("\r\x1b[K")
    plain = re.sub(r"\x1b\[\d*m", "", line)
    assert plain.startswith("123,456/1,000,000,000")
    assert len(plain) < 40
    assert all(re.fullmatch(r"[\d,/]+|[\d,]+ [a-z]+", part) for part in plain.split("  ")), "no part is cut"


def test_a_stage_shows_rate_time_left_and_what_each_worker_does(
    monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "170")
    line = StageLine()
    busy = (BusyWorker("sitemap-7.xml.gz", 4.2), BusyWorker("sitemap-9.xml.gz", 0.0))
    for done in (0, 100):
        line.show(StageProgress("files", done, 500, busy, 2, 3, 0, "http://10.0.0.1:8265"))
        line.count(1, 2)  # of this process: the workers are shown instead
        clock[0] += 10
    drawn = stream.getvalue().rpartition("\x1b[K")[2]
    assert drawn.endswith(
        "100/500 files  10/s  0:40 left  3 retried  2 workers  http://10.0.0.1:8265  "
        "sitemap-7.xml.gz 4 s  sitemap-9.xml.gz 0 s"
    )
    line.clear()
    assert stream.getvalue().endswith("\r\x1b[K")


class _Task:
    def __init__(self, name: str) -> None:
        self.name = name


@pytest.mark.slow
@pytest.mark.parametrize("where", [Where.LOCAL, Where.PROCESS])
def test_every_executor_reports_its_tasks(where: Where) -> None:
    seen: list[StageProgress] = []
    workers = Workers(where, 2, watch=seen.append)
    with executor_on(workers, _name_of, failed=lambda _task, reason: reason, what="names") as executor:
        for number in range(6):
            executor.submit(_Task(f"folder/{number}.xml"))
        assert len(list(executor.finished())) == 6
    assert (seen[-1].what, seen[-1].done, seen[-1].known, seen[-1].busy) == ("names", 6, 6, ())
    assert [each.done for each in seen] == sorted(each.done for each in seen)
    assert seen[-1].workers == workers.count


def _name_of(task: _Task) -> str:
    return task.name
