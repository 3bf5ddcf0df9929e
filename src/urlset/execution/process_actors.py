"""Actors in processes of this machine, each behind a Unix socket; a killed one is replaced under the same name."""

from __future__ import annotations

import asyncio
import signal
from contextlib import ExitStack
from functools import partial
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from urlset.execution.actor import Actor, MakeActor
from urlset.execution.backend import ExecutionError, described
from urlset.execution.frames import CALL, ERROR, RESULT, read_frame, write_frame
from urlset.execution.processes import end_with_parent
from urlset.execution.workers import Workers
from urlset.web.loop import run
from urlset.writing.files import work_folder

_FAILED_STARTS = 3


class ProcessActors:
    def __init__(self, workers: Workers) -> None:
        self.count = workers.count
        self._children: list[_Child] = []
        self._held = ExitStack()

    async def __aenter__(self) -> Self:
        if not hasattr(asyncio, "start_unix_server"):
            raise ExecutionError("--executor process is not available here: use --executor local")
        self._folder = self._held.enter_context(work_folder())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for child in self._children:
            child.close()
        self._held.close()

    def start(self, make: MakeActor, *, near: bool = False) -> SocketCaller:
        del near  # all of them are
        child = _Child(self._folder / str(len(self._children)), make)
        self._children.append(child)
        return SocketCaller(child.path, child)


class _Child:
    """One process after another for the same actor."""

    def __init__(self, path: Path, make: MakeActor) -> None:
        self.path, self._make = path, make
        self.failed_starts = 0
        self._start(restarted=False)

    def _start(self, *, restarted: bool) -> None:
        # no fork: it would copy the event loop with everything in it
        process = self._process = get_context("spawn").Process(
            target=_serve, args=(self.path, self._make, restarted), daemon=True
        )
        process.start()
        self._sentinel = process.sentinel
        asyncio.get_running_loop().add_reader(self._sentinel, self._died)

    def _died(self) -> None:
        self._forget()
        served = self.path.exists()
        self.path.unlink(missing_ok=True)
        self.failed_starts = 0 if served else self.failed_starts + 1
        if self.failed_starts < _FAILED_STARTS:
            self._start(restarted=True)

    @property
    def is_hopeless(self) -> bool:
        return self.failed_starts >= _FAILED_STARTS

    def close(self) -> None:
        if not self.is_hopeless:
            self._process.kill()
            self._forget()

    def _forget(self) -> None:
        asyncio.get_running_loop().remove_reader(self._sentinel)
        self._process.join()
        self._process.close()


class SocketCaller:
    """Connects when it is used; any number of calls are under way at once."""

    def __init__(self, path: Path, child: _Child | None = None) -> None:
        self._path, self._child = path, child
        self._numbers = count()
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._writer: asyncio.StreamWriter | None = None
        self._connecting = asyncio.Lock()
        self._reading: asyncio.Task[None] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return SocketCaller, (self._path,)

    async def call(self, data: bytes) -> bytes:
        if self._child is not None and self._child.is_hopeless:
            raise ExecutionError(f"a worker process ended {_FAILED_STARTS} times before it could start")
        writer = self._writer or await self._connect()
        number = next(self._numbers)
        result: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting[number] = result
        try:
            write_frame(writer, number, CALL, data)
            await writer.drain()
            return await result
        finally:
            self._waiting.pop(number, None)

    async def _connect(self) -> asyncio.StreamWriter:
        async with self._connecting:
            if self._writer is None:
                try:
                    reader, self._writer = await asyncio.open_unix_connection(self._path)
                except OSError as error:  # not there yet, or gone
                    raise ConnectionError(described(error)) from error
                self._reading = asyncio.create_task(self._read(reader, self._writer))
            return self._writer

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (frame := await read_frame(reader)) is not None:
            number, sign, data = frame
            result = self._waiting.get(number)
            if result is None or result.done():
                continue
            if sign == RESULT:
                result.set_result(data)
            else:
                result.set_exception(ExecutionError(data.decode()))
        self._writer = None
        writer.close()
        for result in self._waiting.values():
            if not result.done():
                result.set_exception(ConnectionError("the process has ended"))


# in the other process


def _serve(path: Path, make: MakeActor, restarted: bool) -> None:
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl-C is for the command, which ends the others in its time
    run(_served(path, make(restarted)))


async def _served(path: Path, actor: Actor) -> None:
    server = await asyncio.start_unix_server(partial(_answer_all, actor), path)
    async with server:
        await server.serve_forever()


async def _answer_all(actor: Actor, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    tasks: set[asyncio.Task[None]] = set()
    while (frame := await read_frame(reader)) is not None:
        number, _, data = frame
        task = asyncio.create_task(_answer(actor, writer, number, data))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    for task in tasks:  # the caller is gone
        task.cancel()
    writer.close()


async def _answer(actor: Actor, writer: asyncio.StreamWriter, number: int, data: bytes) -> None:
    try:
        sign, reply = RESULT, await actor.handle(data)
    except Exception as error:  # noqa: BLE001 - told to the caller
        sign, reply = ERROR, described(error).encode()
    if not writer.is_closing():
        write_frame(writer, number, sign, reply)
