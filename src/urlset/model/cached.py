"""Attributes and values that are computed on first use and stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

Value = TypeVar("Value")
_NOT_YET = object()

if TYPE_CHECKING:
    from functools import cached_property

    cached_property_unlocked = cached_property
else:

    class cached_property_unlocked:  # noqa: N801 - used like cached_property
        """`functools.cached_property` without its lock, which costs more than most values here."""

        def __init__(self, work_out: Any) -> None:
            self._work_out = work_out
            self._name = work_out.__name__
            self.__doc__ = work_out.__doc__

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            found = instance.__dict__[self._name] = self._work_out(instance)
            return found


class cached_call(Generic[Value]):  # noqa: N801 - used like a function
    """A call without arguments that is made at most once."""

    __slots__ = ("_found", "_work_out")

    def __init__(self, work_out: Callable[[], Value]) -> None:
        self._work_out = work_out
        self._found: object = _NOT_YET

    def __call__(self) -> Value:
        if self._found is _NOT_YET:
            self._found = self._work_out()
        return cast("Value", self._found)
