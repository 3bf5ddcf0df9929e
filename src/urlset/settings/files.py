"""urlset.toml or pyproject.toml → tables of raw values, every key known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from urlset.settings.convert import SettingsError, hint
from urlset.settings.declare import Option, OptionScope, options_of
from urlset.settings.environment import variable_name
from urlset.settings.tables import SHARED, TABLES, settings_class

_SECRET = re.compile(r"(?:^|[-_])(?:key|token|secret|password|credentials?)$")


class Tables(dict[str, dict[str, Any]]):
    """Table name → raw values; `prefix` is how messages name the place, such as `pyproject.toml: tool.urlset.`."""

    def __init__(self, tables: Mapping[str, dict[str, Any]], prefix: str, folder: Path | None) -> None:
        super().__init__(tables)
        self.prefix, self.folder = prefix, folder

    def place(self, table: str, key: str) -> str:
        return f"{self.prefix}{table}.{key}" if table else f"{self.prefix}{key}"


class SettingsFile:
    """One file: its own tables, its profiles, and the profile it builds on."""

    def __init__(self, path: Path) -> None:
        self.path = path
        table, dotted = _read(path)
        self.profile = table.pop("profile", None)
        if self.profile is not None and not isinstance(self.profile, str):
            raise SettingsError(f"{path}: {dotted}profile: expected the name of a profile, got {self.profile!r}")
        profiles = _table(table.pop("profiles", {}), f"{path}: {dotted}profiles")
        self.tables = split(table, f"{path}: {dotted}", path.parent)
        self.profiles = {
            name: split(
                _table(inner, f"{path}: {dotted}profiles.{name}"), f"{path}: {dotted}profiles.{name}.", path.parent
            )
            for name, inner in profiles.items()
        }


def find_file(start: Path) -> Path | None:
    """The nearest urlset.toml, or pyproject.toml with [tool.urlset], from `start` upwards."""
    for folder in (start, *start.parents):
        own = folder / "urlset.toml"
        if own.is_file():
            return own
        project = folder / "pyproject.toml"
        if project.is_file() and b"[tool.urlset" in project.read_bytes():
            return project
    return None


def split(table: Mapping[str, Any], prefix: str, folder: Path | None) -> Tables:
    """The top level and one table per command; raises SettingsError for a key that no command has."""
    found: dict[str, dict[str, Any]] = {SHARED: {}}
    shared = [option.key for option in options_of(settings_class(SHARED))]
    for key, value in table.items():
        if key in TABLES and key != SHARED:
            found[key] = _table(value, f"{prefix}{key}")
        elif key in shared:
            found[SHARED][key] = value
        else:
            raise _unknown(f"{prefix}{key}", key, [*shared, *filter(None, TABLES), "profile", "profiles"])
    tables = Tables(found, prefix, folder)
    for name, values in found.items():
        _reject_unknown(tables, name, values)
    return tables


def _reject_unknown(tables: Tables, table: str, values: Mapping[str, Any]) -> None:
    if not values:
        return
    known = {option.key: option for option in options_of(settings_class(table))}
    settable = [key for key, option in known.items() if option.has_key]
    for key in values:
        if key not in known:
            raise _unknown(tables.place(table, key), key, settable)
        if key not in settable:
            option = known[key]
            raise SettingsError(f"{tables.place(table, key)}: {_why_not(table, option)}")


def _why_not(table: str, option: Option) -> str:
    if option.opt.scope is OptionScope.ONE_RUN:
        return f"not read from a settings file; use the argument or flag {option.flag}"
    kind = "secrets are" if option.opt.secret else "this option is"
    return f"{kind} not read from settings files; set {variable_name(table, option)} or use {option.flag}"


def _unknown(place: str, key: str, known: list[str]) -> SettingsError:
    if _SECRET.search(key):
        return SettingsError(f"{place}: secrets are not read from settings files; use an environment variable")
    return SettingsError(f"{place}: unknown key{hint(key, known)}")


def _read(path: Path) -> tuple[dict[str, Any], str]:
    """The file's own table, and the dotted name it has in the file."""
    import tomllib

    try:
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not valid TOML: {error}") from error
    if path.name != "pyproject.toml":
        return table, ""
    return dict(_table(table.get("tool", {}).get("urlset", {}), f"{path}: tool.urlset")), "tool.urlset."


def _table(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SettingsError(f"{place}: expected a table, got {value!r}")
    return value
