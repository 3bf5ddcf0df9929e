"""click and msgspec → imported without the modules that they seldom use, which took a tenth of a short command."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any


class _LaterModule(ModuleType):
    """What libraries get in place of a module that they import now; it is loaded when one of them uses it."""

    def __init__(self, name: str, **known: Callable[..., object]) -> None:
        super().__init__(name)
        vars(self).update(known)

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def import_click() -> None:
    """`inspect` is for signatures and for help texts of several lines, `platform` for a kind of UUIDs."""
    later = {"inspect": _LaterModule("inspect", cleandoc=_cleandoc)}
    if hasattr(os, "uname"):
        later["platform"] = _LaterModule("platform", system=lambda: os.uname().sysname)
    with _replaced(**later):
        import_module("click")


def import_msgspec() -> None:
    """`textwrap` is for schemas. What it takes from `typing_extensions` is in `typing` since Python 3.11."""
    with _replaced(textwrap=_LaterModule("textwrap"), typing_extensions=None):
        import_module("msgspec")


@contextmanager
def _replaced(**modules: ModuleType | None) -> Iterator[None]:
    """Modules that are not loaded yet; None for one that seems not to be installed."""
    known: dict[str, Any] = sys.modules
    mine = {name: module for name, module in modules.items() if name not in known}
    known.update(mine)
    try:
        yield
    finally:
        for name in [name for name, module in mine.items() if known.get(name, module) is module]:
            known.pop(name, None)


def _cleandoc(text: str) -> str:
    """`inspect.cleandoc`, which click calls for the help of each option."""
    if "\n" not in text and "\t" not in text:
        return text.lstrip()
    from inspect import cleandoc

    return cleandoc(text)
