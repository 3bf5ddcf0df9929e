"""The name of a secret → its text, from the environment, a file or a command; its text never appears in a repr."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

_SECONDS = 30


class SecretError(Exception):
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
