"""Answers → a recording, and the recording → the same answers again, with no network at all.

A recording is JSON lines; where its name ends in .gz every line is a separate gzip member. Each answer is appended
as soon as it is there, so a killed run loses none, and what a kill tore in the middle is skipped. A line that
only names a session starts each run: for one address the newest session that requested it counts, and answers within
a session come in the order they came in then, the last one again and again.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from urlset.model.answer import Answer, Failure, FailureKind
from urlset.model.errors import ArgumentValueError
from urlset.web.address import quoted
from urlset.writing.gzip import compress

VERSION = 1
_LEVEL = 3
_CHUNK = 1 << 16
_LONGEST = 1 << 29
"""bytes of one line: more than any answer that is read makes"""
_STATUSES = range(100, 1000)


class RecordingError(ArgumentValueError):
    """A file that is not a recording, or one of a later urlset; the message says which."""


class _Line(msgspec.Struct, omit_defaults=True):
    v: int
    session: str | None = None
    url: str | None = None
    conditional: bool = False
    """a conditional request: its 304 answers no other request"""
    answer: dict[str, Any] | None = None


class Recorder:
    """Appends to the file, which may be there from an earlier session."""

    def __init__(self, path: Path) -> None:
        """Raises OSError where it cannot be written, RecordingError where something else is in it."""
        self._packed = path.name.endswith(".gz")
        whole = _whole(path) if path.exists() and path.stat().st_size else 0
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.ftruncate(self._file, whole)  # what a kill tore off would swallow the next line
        self._write(_Line(VERSION, session=datetime.now(UTC).isoformat(timespec="seconds")))

    def add(self, answer: Answer, *, conditional: bool = False, spool: Path | None = None) -> None:
        if spool is not None and spool.exists():
            answer = msgspec.structs.replace(answer, body=spool.read_bytes())
        url = _encodable(answer.url)
        if url != answer.url:
            answer = _renamed(answer, url)
        written = msgspec.to_builtins(answer)
        if answer.failure is not None:
            written["failure"]["kind"] = answer.failure.kind.name  # the wording may change, the name stays
        self._write(_Line(VERSION, url=url, conditional=conditional, answer=written))

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _write(self, line: _Line) -> None:
        data = msgspec.json.encode(line) + b"\n"
        if self._packed:
            data = b"".join(compress([data], _LEVEL))
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]


class Player:
    """Knows the position of the answers to each address, and reads them on request."""

    def __init__(self, path: Path) -> None:
        """Raises OSError where it cannot be read, RecordingError where it is not a recording."""
        self._packed = path.name.endswith(".gz")
        self._shown = path
        self._places: dict[tuple[str, bool], list[int]] = {}
        self._played: dict[tuple[str, bool], int] = {}
        session = 0
        heard: dict[tuple[str, bool], int] = {}
        for start, line in _lines(path):
            if line.session is not None:
                session += 1
            if line.url is None:
                continue
            key = (line.url, line.conditional)
            if heard.get(key) != session:
                heard[key] = session
                self._places[key] = []
            self._places[key].append(start)
        self._file = path.open("rb")

    def close(self) -> None:
        self._file.close()

    def play(self, url: str, *, conditional: bool = False, cap: int, spool: Path | None = None) -> Answer:
        """A conditional request may be answered by what was recorded without condition, as a server may."""
        name = _encodable(url)
        found = (name, True) if conditional and (name, True) in self._places else (name, False)
        places = self._places.get(found)
        if places is None:
            failure = Failure(FailureKind.NOT_RECORDED, f"{quoted(url)} is not in {self._shown}")
            return Answer(url, final_url=url, failure=failure)
        turn = self._played.get(found, 0)
        self._played[found] = turn + 1
        start = places[min(turn, len(places) - 1)]
        answer = self._read(start, name)
        if answer is None:
            damage = f"the recording of {quoted(url)} in {self._shown} is damaged at byte {start:,}"
            return Answer(url, final_url=url, failure=Failure(FailureKind.NOT_RECORDED, damage))
        if name != url:
            answer = _renamed(answer, url)
        if len(answer.body) > cap:
            answer = msgspec.structs.replace(answer, body=answer.body[:cap], truncated=True)
        if spool is not None:
            spool.write_bytes(answer.body)
            answer = msgspec.structs.replace(answer, body=b"")
        return answer

    def _read(self, start: int, url: str) -> Answer | None:
        """None if the file was edited into something no recorder writes."""
        self._file.seek(start)
        data = next(_members(self._file, start), (0, b"", 0))[1] if self._packed else self._file.readline()
        try:
            written = msgspec.json.decode(data, type=_Line).answer or {}
            if failure := written.get("failure"):
                failure["kind"] = FailureKind[failure["kind"]].value
            answer = msgspec.convert(written, Answer)
        except (msgspec.MsgspecError, UnicodeDecodeError, LookupError, TypeError, RecursionError):
            return None
        sound = answer.url == url and (answer.status is None or answer.status in _STATUSES)
        return answer if sound else None


def _encodable(url: str) -> str:
    """Without lone surrogates, which broken files hold and JSON cannot."""
    return url.encode("utf-8", "replace").decode()


def _renamed(answer: Answer, url: str) -> Answer:
    """The same under another spelling of the requested address."""
    old = answer.url
    hops = tuple(msgspec.structs.replace(hop, url=url) if hop.url == old else hop for hop in answer.hops)
    final_url = url if answer.final_url == old else answer.final_url
    return msgspec.structs.replace(answer, url=url, final_url=final_url, hops=hops)


def _lines(path: Path) -> Iterator[tuple[int, _Line]]:
    """Every whole line with the offset it starts at; raises RecordingError where the file is something else."""
    with path.open("rb") as file:
        sound = False
        for start, data, _ in _members(file, 0) if path.name.endswith(".gz") else _plain(file):
            try:
                line = msgspec.json.decode(data, type=_Line)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                if not sound:
                    raise RecordingError(f"{path} is not a urlset recording") from None
                continue
            if line.v > VERSION:
                raise RecordingError(
                    f"{path} was recorded by a newer urlset (format {line.v}; this one reads {VERSION})"
                )
            sound = True
            yield start, line


def _plain(file: BinaryIO) -> Iterator[tuple[int, bytes, int]]:
    """Offset, content and end of every whole line."""
    start = 0
    for data in file:
        end = start + len(data)
        if data.endswith(b"\n"):
            yield start, data, end
        start = end


def _members(file: BinaryIO, start: int) -> Iterator[tuple[int, bytes, int]]:
    """Offset, content and end of every whole gzip member; what is torn or damaged ends it."""
    rest = b""
    while True:
        engine = zlib.decompressobj(31)
        pieces: list[bytes] = []
        taken = unpacked = 0
        while not engine.eof:
            chunk = rest or file.read(_CHUNK)
            rest = b""
            if not chunk:
                return
            try:
                pieces.append(engine.decompress(chunk))
            except zlib.error:
                return
            taken += len(chunk)
            unpacked += len(pieces[-1])
            if unpacked > _LONGEST:
                return
        rest = engine.unused_data
        end = start + taken - len(rest)
        yield start, b"".join(pieces), end
        start = end


def _whole(path: Path) -> int:
    """How much of the file is whole lines; raises RecordingError where overwriting would destroy something else."""
    if not any(True for _ in _lines(path)):
        raise RecordingError(f"{path} exists and is not a urlset recording")
    with path.open("rb") as file:
        pieces = _members(file, 0) if path.name.endswith(".gz") else _plain(file)
        return max((end for _, _, end in pieces), default=0)
