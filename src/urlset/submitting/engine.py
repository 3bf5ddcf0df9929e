"""What all engines share: secrets, endpoints, answers that end a submission, and receipts."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from urlset.model.errors import EngineError
from urlset.spec.submission import CHANNELS, Channel

if TYPE_CHECKING:
    from urlset.web.api import ApiAnswer

_SECONDS = 30


class SecretError(EngineError):
    """A secret is missing or unusable; the message names where it was looked for, never its text."""


class Secret:
    """A text that prints as `***`."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__


def find_secret(variable: str, environment: Mapping[str, str] = os.environ) -> Secret | None:
    """Look up `NAME`, the file named by `NAME_FILE`, the output of `NAME_COMMAND`; None when none is set.

    Raises SecretError where one is set and gives nothing.
    """
    if text := environment.get(variable, "").strip():
        return Secret(text)
    if path := environment.get(f"{variable}_FILE", "").strip():
        try:
            text = Path(path).expanduser().read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not a text file"
            raise SecretError(f"{variable}_FILE: cannot read {path}: {reason}") from None
        return _present(text, f"{variable}_FILE: {path} is empty")
    if command := environment.get(f"{variable}_COMMAND", "").strip():
        return _present(_output(variable, command), f"{variable}_COMMAND printed nothing")
    return None


def need_secret(variable: str, what: str, environment: Mapping[str, str] = os.environ) -> Secret:
    found = find_secret(variable, environment)
    if found is None:
        raise SecretError(f"no {what}: set {variable}, {variable}_FILE or {variable}_COMMAND")
    return found


def _present(text: str, otherwise: str) -> Secret:
    if not text:
        raise SecretError(otherwise)
    return Secret(text)


def _output(variable: str, command: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - the user names the command, as for a keyring or password manager
            shlex.split(command), capture_output=True, timeout=_SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise SecretError(f"{variable}_COMMAND failed: {type(error).__name__}") from None
    if done.returncode:
        raise SecretError(f"{variable}_COMMAND failed with exit code {done.returncode}")
    return done.stdout.decode("utf-8", "replace").strip()


# What became of one submission.


class Status(StrEnum):
    ACCEPTED = "accepted"
    NOTHING = "nothing-to-do"
    REFUSED = "refused"
    POSTPONED = "postponed"
    """a quota or rate limit: the next run continues"""
    UNREACHABLE = "unreachable"
    NOT_LIVE = "not-live"
    """the site does not serve the set that was to be submitted"""
    DRY_RUN = "dry-run"


class Receipt(msgspec.Struct, frozen=True):
    """One line of a submission's result; `sent` and `accepted` count sitemaps or URLs."""

    engine: str
    target: str
    status: Status
    sent: int = 0
    accepted: int = 0
    message: str = ""


class Refused(EngineError):  # noqa: N818 - it names what happened
    """An engine's answer that ends a submission, already in plain words."""

    def __init__(self, status: Status, message: str) -> None:
        super().__init__(message)
        self.status = status


def endpoint_of(channel: Channel, environment: Mapping[str, str]) -> str:
    facts = CHANNELS[channel]
    return (environment.get(facts.endpoint_variable, "").strip() or facts.endpoint).rstrip("/")


def members(body: Any) -> dict[str, Any]:
    """The body of an answer, if it is a JSON object; an empty one otherwise."""
    return body if isinstance(body, dict) else {}


def rows_in(body: Any) -> list[dict[str, Any]]:
    """The objects in a list; empty where an engine leaves the list out."""
    return [row for row in body if isinstance(row, dict)] if isinstance(body, list) else []


def refusal_of(
    name: str, answer: ApiAnswer, said: str, rejected: str, *, throttled: bool = False, lasting: bool = False
) -> Refused:
    """What an error answer means. `rejected`: how a refusal is worded. `lasting`: also a server error is one."""
    if answer.failure is not None:
        return Refused(Status.UNREACHABLE, f"{name} could not be reached: {answer.failure}")
    if throttled:
        return Refused(Status.POSTPONED, f"{name} limits the rate: {said}")
    if answer.transient and not lasting:
        return Refused(Status.UNREACHABLE, f"{name} answered {answer.status}: {said}")
    return Refused(Status.REFUSED, f"{rejected}: {said}")


def exit_code(receipts: tuple[Receipt, ...]) -> int:
    """0 accepted or nothing to do, 1 refused, 2 not reached or postponed."""
    statuses = {receipt.status for receipt in receipts}
    if statuses & {Status.REFUSED, Status.NOT_LIVE}:
        return 1
    return 2 if statuses & {Status.UNREACHABLE, Status.POSTPONED} else 0
