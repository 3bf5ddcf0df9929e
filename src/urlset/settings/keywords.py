"""Keywords of a library function → the settings of the command of the same name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from urlset.settings.convert import SettingsError, convert, hint
from urlset.settings.declare import Option, Options, field_names, options_of

S = TypeVar("S", bound=Options)


def library_options(settings: type[Options]) -> tuple[Option, ...]:
    """What a Python program can say: everything but reports, exit codes and arguments."""
    return tuple(option for option in options_of(settings) if option.in_library)


def from_keywords(settings: type[S], given: Mapping[str, Any]) -> S:
    """Raises TypeError for an unknown keyword, ValueError for a value that cannot be used. None is the default."""
    options = {option.name: option for option in library_options(settings)}
    in_python = set(field_names(settings)) - {each.name for each in options_of(settings)}
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in options and name not in in_python:
            raise TypeError(f"unexpected keyword {name!r}{hint(name, [*options, *in_python])}")
        if value is not None:
            values[name] = _converted(options[name], value) if name in options else value
    return checked(settings(**values))


def checked(settings: S) -> S:
    """Raises ValueError for the first value that cannot be used."""
    for name, problem in settings.problems():
        raise ValueError(f"{name}: {problem}")
    return settings


def _converted(option: Option, value: Any) -> Any:
    if option.item is str and not option.is_list and isinstance(value, (int, float)) and not isinstance(value, bool):
        value = str(value)  # `sample=500`
    try:
        return convert(option, value)
    except SettingsError as error:
        raise ValueError(f"{option.name}: {error}") from error
