"""The line that draws over itself: only on a terminal, never wider than it, with rate and time left."""

from __future__ import annotations

import io
import re
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from urlset.cli.check import _progress
from urlset.cli.progress import Progress
from urlset.web.turns import Pause


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
    check_progress = _progress()
    assert (stream.getvalue(), check_progress) == ("", None)


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
