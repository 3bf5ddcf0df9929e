"""One request and what came back, or how it failed."""

from __future__ import annotations

import msgspec

from urlset.model.answer import Failure

Headers = tuple[tuple[str, str], ...]


class Exchange(msgspec.Struct, frozen=True):
    status: int | None = None
    headers: Headers = ()
    body: bytes = b""
    truncated: bool = False
    failure: Failure | None = None
    lasting: bool = False
    """the failure will be the same the next time"""
    wire_bytes: int = 0
    seconds: float = 0.0
    first_byte: float = 0.0
    started: float = 0.0
    """on the monotonic clock"""
    tries: int = 1

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name), None)
