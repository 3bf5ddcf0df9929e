"""The name of a module → something that imports it when it is first used.

For a library that most runs do not need: importing the URL parser was a tenth of the time of a short command.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class LazyModule:
    """A proxy for a module; a name that was used once is found without a detour."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self._name), name)
        setattr(self, name, found)
        return found
