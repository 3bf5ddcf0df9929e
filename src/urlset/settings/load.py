"""Defaults < settings file < environment < flags → the settings of one command, and where each value came from.

The file's own values override a profile that the file names. A profile from --profile or URLSET_PROFILE overrides the
file, or `[profiles.release]` could not change a value of the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from urlset.model.errors import ArgumentTypeError, ArgumentValueError
from urlset.settings.convert import MissingArgument, SettingsError, convert, hint, pairs
from urlset.settings.declare import Option, Options, field_names, options_of
from urlset.settings.tables import SHARED, TABLES, WEB

S = TypeVar("S", bound=Options)
PROFILES: dict[str, dict[str, object]] = {
    "strict": {"engines": ["protocol", "google", "bing", "xsd-strict"], "fail-on": "warning", "show": "info"},
    "google": {"engines": ["protocol", "google"]},
    "bing": {"engines": ["protocol", "bing"]},
    "yandex": {"engines": ["protocol", "yandex"]},
    "everyone": {"engines": ["protocol", "google", "bing", "yandex", "baidu", "seznam", "naver"]},
}
"""Built-in values of --profile; a file may add its own under [profiles.NAME]."""


class Loaded(Generic[S]):
    """The settings in force, and the origin of every value that is not a default."""

    def __init__(self, settings: S, origins: dict[str, str], file: Path | None) -> None:
        self.settings, self.origins, self.file = settings, origins, file

    def origin(self, key: str) -> str:
        return self.origins.get(key, "default")


class _Given(msgspec.Struct, frozen=True):
    """One value of one layer."""

    origin: str
    """for people who ask where it came from"""
    place: str
    """for a message about it"""
    value: Any
    folder: Path | None = None


def load(
    settings: type[S],
    flags: Mapping[str, Any] | None = None,
    *,
    profile: str | None = None,
    file: Path | None = None,
    start: Path | None = None,
    environment: Mapping[str, str] | None = None,
    need_arguments: bool = True,
) -> Loaded[S]:
    """Put the layers together. `flags` holds what was given on the command line, by field name."""
    environment = os.environ if environment is None else environment
    found = file or _nearest(start or Path.cwd())
    # the tables that a command reads, the nearer one last
    home = f"{settings.__module__}:{settings.__name__}"
    own = [name for name, place in TABLES.items() if place == home and name not in {SHARED, WEB}]
    tables = (SHARED, WEB, *own)
    options = {option.name: option for option in options_of(settings)}
    by_key = {option.key: option for option in options.values()}
    layers: dict[str, list[_Given]] = {}
    for key, given in _from_file(found, tables, profile or environment.get("URLSET_PROFILE")):
        if key in by_key:
            layers.setdefault(by_key[key].name, []).append(given)
    for name, given in _from_environment(environment, tables, options):
        layers.setdefault(name, []).append(given)
    for name, value in (flags or {}).items():
        option, given = options[name], value
        if option.opt.unique and not isinstance(value, str):
            if len(value) > 1:
                raise SettingsError(f"{option.flag}: given more than once; {option.opt.unique}")
            given = value[0]
        place = option.metavar if option.opt.positional else option.flag
        layers.setdefault(name, []).append(_Given("command line", place, given))
    values = {name: _value(options[name], given) for name, given in layers.items()}
    for name, option in options.items():
        if need_arguments and option.opt.required and not values.get(name, option.default):
            raise MissingArgument(f"missing argument: {option.opt.required}")
    made = settings(**values)
    for name, problem in made.problems():
        place = layers[name][-1].place if name in layers else options[name].flag
        raise SettingsError(f"{place}: {problem}")
    origins: dict[str, str] = {}
    for name, several in layers.items():
        option = options[name]
        origins[option.key] = several[-1].origin
        for each in several if option.is_map else ():
            origins |= {f"{option.key}.{inner}": each.origin for inner in pairs(option, each.value)}
    return Loaded(made, origins, found)


def _nearest(start: Path) -> Path | None:
    for folder in (start, *start.parents):
        if (folder / "urlset.toml").exists() or (folder / "pyproject.toml").exists():
            from urlset.settings.sources import find_file  # only now: most folders have neither

            return find_file(folder)
    return None


def _from_file(found: Path | None, tables: tuple[str, ...], wanted: str | None) -> Iterator[tuple[str, _Given]]:
    """Every value of the file and of profiles, from the weakest to the strongest."""
    if found is None and wanted is None:
        return
    from urlset.settings.sources import SettingsFile, Tables, split

    file = SettingsFile(found) if found is not None else None
    profiles = {name: split(values, f"profile {name}: ", None) for name, values in PROFILES.items()}
    profiles |= file.profiles if file is not None else {}
    layers: list[tuple[str, Tables]] = []
    if file is not None:
        if file.profile is not None and wanted is None:
            layers.append((f"profile {file.profile}", _profile(file.profile, profiles)))
        layers.append((str(found), file.tables))
    if wanted is not None:
        layers.append((f"profile {wanted}", _profile(wanted, profiles)))
    for origin, layer in layers:
        for table in tables:
            for key, value in layer.get(table, {}).items():
                yield key, _Given(origin, layer.place(table, key), value, layer.folder)


def _profile(name: str, profiles: Mapping[str, Any]) -> Any:
    if name not in profiles:
        raise SettingsError(f"unknown profile {name!r}{hint(name, profiles)}")
    return profiles[name]


def _from_environment(
    environment: Mapping[str, str], tables: tuple[str, ...], options: Mapping[str, Option]
) -> Iterator[tuple[str, _Given]]:
    if not any(name.startswith("URLSET_") for name in environment):
        return
    from urlset.settings.sources import variables

    found = [each for each in variables(environment) if each[1] in tables and each[2].name in options]
    for name, _, option, value in sorted(found, key=lambda each: tables.index(each[1])):
        yield option.name, _Given("environment", name, value)


def _value(option: Option, layers: list[_Given]) -> Any:
    """The strongest one; of tables, every key of every layer."""
    merged: dict[str, Any] = {}
    value: Any = None
    for given in layers:
        try:
            if option.is_map:
                merged |= pairs(option, given.value)
                value = convert(option, merged)
            else:
                value = convert(option, given.value, folder=given.folder)
        except SettingsError as error:
            raise SettingsError(f"{given.place}: {error}") from error
    return value


# Keywords of a library function → the settings of the command of the same name.


def library_options(settings: type[Options]) -> tuple[Option, ...]:
    """What a Python program can say: everything but reports, exit codes and arguments."""
    return tuple(option for option in options_of(settings) if option.in_library)


def from_keywords(settings: type[S], given: Mapping[str, Any], **arguments: Any) -> S:
    """`arguments` are those of the function that are not keywords, such as its target; they are taken as they are.

    Raises TypeError for an unknown keyword, ValueError for a value that cannot be used. None is the default.
    """
    options = {option.name: option for option in library_options(settings)}
    in_python = set(field_names(settings)) - {each.name for each in options_of(settings)}
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in options and name not in in_python:
            raise ArgumentTypeError(f"unexpected keyword {name!r}{hint(name, [*options, *in_python])}")
        if value is not None:
            values[name] = value
        if value is None or name not in options:
            continue
        option = options[name]
        if option.item is str and not option.is_list and type(value) in (int, float):
            value = str(value)  # noqa: PLW2901 - `sample=500`
        try:
            values[name] = convert(option, value)
        except SettingsError as error:
            raise ArgumentValueError(f"{name}: {error}") from error
    made = settings(**values, **arguments)
    for name, problem in made.problems():
        raise ArgumentValueError(f"{name}: {problem}")
    return made
