"""Calls between two processes of this machine ↔ frames on a stream: a length, a number, a sign, the data."""

from __future__ import annotations

import asyncio
from struct import Struct

_HEAD = Struct(">IQB")
CALL, RESULT, ERROR = 0, 1, 2


def write_frame(writer: asyncio.StreamWriter, number: int, sign: int, data: bytes) -> None:
    writer.write(_HEAD.pack(len(data), number, sign) + data)


async def read_frame(reader: asyncio.StreamReader) -> tuple[int, int, bytes] | None:
    """None at the end of the stream, also where it ends inside a frame."""
    try:
        length, number, sign = _HEAD.unpack(await reader.readexactly(_HEAD.size))
        return number, sign, await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
