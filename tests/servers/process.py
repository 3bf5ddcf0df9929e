"""A factory of routes → a test server in its own process, which outlives clients that are killed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from urlset.testing.exchange import Logged, Request

PATIENCE = 10.0


class SiteProcess(Logged):
    """`with SiteProcess("tests.web.sites:many", count=5000) as site:` serves `many(count=5000)`.

    The factory is named as MODULE:NAME or FILE.py:NAME and returns routes as Site takes them. The server ends with
    the block, and also when the process that started it is gone. Its log holds requests that have ended.
    """

    def __init__(
        self,
        factory: str,
        *,
        log_file: Path | None = None,
        port: int = 0,
        addresses: tuple[str, ...] = ("127.0.0.1",),
        **arguments: Any,
    ) -> None:
        self.factory = factory
        self.port, self._addresses = port, addresses
        self._arguments: Mapping[str, Any] = arguments
        self._log_file = log_file
        self._kept: tempfile.TemporaryDirectory[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._read: list[Request] = []
        self.origin = ""

    @property
    def log(self) -> list[Request]:  # type: ignore[override]
        if self._log_file is None or not self._log_file.exists():
            return self._read
        # the last line may be under way
        whole = self._log_file.read_bytes().rpartition(b"\n")[0]
        return [msgspec.json.decode(line, type=Request) for line in whole.splitlines()]

    def url(self, path: str = "/") -> str:
        return self.origin + path

    def start(self) -> Self:
        if self._log_file is None:
            self._kept = tempfile.TemporaryDirectory(prefix="urlset-site-")
            self._log_file = Path(self._kept.name) / "requests.jsonl"
        self._log_file.touch()
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.servers", self.factory, "--while-input-is-open"),
                *("--port", str(self.port), "--log", str(self._log_file), "--addresses", *self._addresses),
                *("--arguments", msgspec.json.encode(self._arguments).decode()),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(each or str(Path.cwd()) for each in sys.path)},
        )
        assert self._process.stdout is not None
        self.origin = self._process.stdout.readline().decode().strip()
        if not self.origin:
            self.stop()
            raise RuntimeError(f"the server of {self.factory} did not start; its words are above")
        self.port = int(self.origin.rpartition(":")[2])
        return self

    def stop(self) -> None:
        """End the server; the log can still be read."""
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.close()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()
        if self._kept is not None:
            self._read = self.log
            self._kept.cleanup()
            self._kept = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
