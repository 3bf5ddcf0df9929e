"""Objects with state that live in other processes or on other machines, are called, and come back when killed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class LostCall(Exception):  # noqa: N818 - the call may be innocent
    """The actor was killed, before or after it did what it was called for."""


class Actor(Protocol):
    async def handle(self, data: bytes) -> bytes: ...


class Caller(Protocol):
    """A way to one actor. May be sent to other actors."""

    async def call(self, data: bytes) -> bytes:
        """Raises ConnectionError where the actor is gone; another one takes its place."""
        ...


MakeActor = Callable[[bool], Actor]
"""called where the actor lives, with True where it takes the place of one that died; must be picklable"""


class Actors(Protocol):
    count: int
    """how many of them have a core each"""

    def start(self, make: MakeActor, *, near: bool = False) -> Caller:
        """`near`: on the machine of the command, whose files it needs."""
        ...
