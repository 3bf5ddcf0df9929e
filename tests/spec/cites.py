"""A constant annotated with citation keys → those keys."""

from __future__ import annotations

from types import ModuleType
from typing import get_type_hints


def cites_of(module: ModuleType, name: str) -> tuple[str, ...]:
    return tuple(get_type_hints(module, include_extras=True)[name].__metadata__)
