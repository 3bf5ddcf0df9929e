"""Settings files and variables such as URLSET_FAIL_ON → raw values by table and key, every key known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from urlset.settings.convert import SettingsError, from_text, hint
from urlset.settings.declare import Option, OptionScope, options_of
from urlset.settings.tables import SHARED, TABLES, settings_class
from urlset.spec.lazy_pattern import lazy_pattern

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
        known = {option.key: option for option in options_of(settings_class(name))} if values else {}
        for key in values:
            place, option = tables.place(name, key), known.get(key)
            if option is None:
                raise _unknown(place, key, [each.key for each in known.values() if each.has_key])
            if option.opt.scope is OptionScope.ONE_RUN:
                raise SettingsError(f"{place}: not read from a settings file; use the argument or flag {option.flag}")
            if not option.has_key:
                kind = "secrets are" if option.opt.secret else "this option is"
                instead = f"set {variable_name(name, option)} or use {option.flag}"
                raise SettingsError(f"{place}: {kind} not read from settings files; {instead}")
    return tables


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


PREFIX = "URLSET_"
_OTHERS = ("COMPLETE", "CONFIG_HOME", "DEBUG", "KILLS", "PROFILE", "PURE", "SCANNER", "UPDATE_GOLDEN")
_CREDENTIAL = lazy_pattern(r".+_(?:KEY|TOKEN|PASSWORD|SECRET)(?:_FILE|_COMMAND)?|.+_ENDPOINT")
"""credentials or where they come from, and endpoints of engines: read where they are needed"""


def variables(environment: Mapping[str, str]) -> Iterator[tuple[str, str, Option, Any]]:
    """Name, table, option and value; raises SettingsError for a variable of ours that nothing reads."""
    for name, text in environment.items():
        if name.startswith(PREFIX) and name.removeprefix(PREFIX) not in _OTHERS:
            found = _find(name)
            if found is not None:
                yield name, *found, from_text(found[1], text)


def variable_name(table: str, option: Option) -> str:
    """The variable that sets the option for one command, or for all of them."""
    return f"{PREFIX}{_start(table)}{option.variable}"


def _start(table: str) -> str:
    return "" if table == SHARED else f"{table.upper().replace('-', '_')}_"


def _find(name: str) -> tuple[str, Option] | None:
    rest = name.removeprefix(PREFIX)
    known: list[str] = []
    for table in sorted(TABLES, key=len, reverse=True):
        start = _start(table)
        if not rest.startswith(start):
            continue
        options = {option.variable: option for option in options_of(settings_class(table))}
        found = options.get(rest.removeprefix(start))
        if found is not None and found.has_variable:
            return table, found
        known += [f"{PREFIX}{start}{key}" for key, each in options.items() if each.has_variable]
    if _CREDENTIAL.fullmatch(rest) is not None:
        return None
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    tip = f"did you mean {close[0]!r}?" if close else "`urlset config` lists the settings"
    raise SettingsError(f"{name}: unknown variable; {tip}")
