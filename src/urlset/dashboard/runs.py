"""Checks, audits and snapshots started from a page → separate processes, their progress, and their reports."""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path
from shutil import rmtree

import msgspec

from urlset.checking import clock
from urlset.model.errors import UrlsetError
from urlset.settings.serve import ServeSettings
from urlset.web.options import WebOptions
from urlset.writing.files import make_state_folder, write_atomically

KINDS = {
    "check": "Check the sitemaps",
    "audit": "Audit every page, then take a snapshot",
    "snapshot": "Take a snapshot",
}
FORMATS = ("html", "json", "csv")
HOME = "dashboard"
_ID = re.compile(r"[0-9]{8}T[0-9]{6}-[0-9a-f]{8}")
_AT_ONCE = 4
_KEPT = 50
_LINE = 1 << 20


class RunError(UrlsetError):
    """The run cannot be started; the message says why."""


class RunOrder(msgspec.Struct, frozen=True):
    """The standard input of the process."""

    kind: str
    target: str
    state: Path
    folder: Path
    keep: str
    web: WebOptions = WebOptions()

    def encode(self) -> bytes:
        return msgspec.json.encode(self, enc_hook=str)

    @classmethod
    def decode(cls, data: bytes) -> RunOrder:
        return msgspec.json.decode(data, type=cls, dec_hook=lambda kind, text: kind(text))


class RunProgress(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line on the standard output of the process."""

    stage: str
    done: int = 0
    of: int = 0
    states: dict[str, int] = {}
    summary: str = ""
    """what came of it, in the last line"""
    problem: str = ""


class DashboardRun(msgspec.Struct):
    id: str
    kind: str
    target: str
    started: str
    ended: str | None = None
    progress: RunProgress = RunProgress("starting")

    @property
    def is_running(self) -> bool:
        return self.ended is None

    @property
    def title(self) -> str:
        return KINDS[self.kind]


class Runs:
    """Runs of this server, and those that it finds in the folder from earlier ones."""

    def __init__(self, settings: ServeSettings) -> None:
        self._settings, self._state = settings, Path(settings.state)
        self._home = self._state / HOME / "runs"
        self._known: dict[str, DashboardRun] = {}
        self._processes: dict[str, Process] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        for path in sorted(self._home.glob("*/run.json")):
            with contextlib.suppress(OSError, msgspec.MsgspecError):
                run = msgspec.json.decode(path.read_bytes(), type=DashboardRun)
                if run.id == path.parent.name and run.kind in KINDS:
                    run.ended = run.ended or run.started
                    self._known[run.id] = run

    def all(self, target: str | None = None) -> list[DashboardRun]:
        """The newest first."""
        found = [run for run in self._known.values() if target in (None, run.target)]
        return sorted(found, key=lambda run: run.id, reverse=True)

    def find(self, name: str) -> DashboardRun | None:
        return self._known.get(name)

    def report(self, run: DashboardRun, form: str) -> Path | None:
        """The report of a finished run; `form` is one of FORMATS."""
        if form not in FORMATS or not _ID.fullmatch(run.id):
            return None
        path = self._home / run.id / f"report.{form}"
        return path if path.is_file() else None

    async def start(self, kind: str, target: str) -> DashboardRun:
        """Raises RunError. A run of the same kind and target that is under way is not started twice."""
        running = [run for run in self._known.values() if run.is_running]
        same = next((run for run in running if (run.kind, run.target) == (kind, target)), None)
        if same is not None:
            return same
        if any(run.target == target for run in running):
            raise RunError("another run of this site is in progress; wait until it ends")
        if len(running) >= _AT_ONCE:
            raise RunError(f"{len(running)} runs are in progress; wait until one ends")
        now = clock.now()
        run = DashboardRun(
            f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(4)}", kind, target, now.isoformat(timespec="seconds")
        )
        folder = self._home / run.id
        try:
            make_state_folder(folder)
        except OSError as error:
            raise RunError(f"cannot write to the state folder: {error.strerror}") from error
        self._known[run.id] = run
        self._save(run)
        order = RunOrder(kind, target, self._state, folder, self._settings.keep, self._settings.fetching).encode()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "urlset.dashboard.work"), stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=_LINE
        )
        self._processes[run.id] = process
        task = asyncio.create_task(self._follow(run, process, order))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return run

    async def _follow(self, run: DashboardRun, process: Process, order: bytes) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(order)
            process.stdin.close()
            async for line in process.stdout:
                with contextlib.suppress(msgspec.MsgspecError):
                    run.progress = msgspec.json.decode(line, type=RunProgress)
            code = await process.wait()
        except asyncio.CancelledError:
            process.kill()
            await process.wait()
            code = -1
        if code and not run.progress.problem:
            stopped = code in (-2, -9, -15, -1, 1 if sys.platform == "win32" else -1)  # SIGINT, SIGKILL, SIGTERM
            said = "stopped; the next run resumes it" if stopped else f"ended unexpectedly with code {code}"
            run.progress = RunProgress("failed", problem=said)
        run.ended = clock.now().isoformat(timespec="seconds")
        self._processes.pop(run.id, None)
        with contextlib.suppress(OSError):
            self._save(run)
            for old in [each for each in self.all() if not each.is_running][_KEPT:]:
                self._known.pop(old.id)
                rmtree(self._home / old.id, ignore_errors=True)

    def stop(self, run: DashboardRun) -> None:
        """What was found out so far is kept; an audit that is started again resumes."""
        process = self._processes.get(run.id)
        if process is not None and process.returncode is None:
            if sys.platform == "win32":
                process.terminate()  # there is no signal that reaches one process alone
            else:
                process.send_signal(signal.SIGINT)

    async def close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _save(self, run: DashboardRun) -> None:
        write_atomically(self._home / run.id / "run.json", [msgspec.json.encode(run)], private=True)
