"""Defaults < file < profile < environment < flags, and where each value came from.

A profile that the file itself names stands below the file's own values: it is what they build on. One that is asked
for stands above them, or `[profiles.release]` could change nothing that the file says.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from urlset.checking.context import Thresholds
from urlset.findings.severity import Severity
from urlset.settings.options import PROFILES, Settings
from urlset.spec.engines import Engine

PREFIX = "URLSET_"
_OTHER_VARIABLES = frozenset({"URLSET_DEBUG", "URLSET_PROFILE", "URLSET_SCANNER", "URLSET_UPDATE_GOLDEN"})
_LISTS = frozenset({"engines", "select", "ignore"})
_PATHS = frozenset({"root", "robots", "baseline"})


class SettingsError(ValueError):
    """A setting that cannot be used; the text says which, where, and what was probably meant."""


class Loaded(msgspec.Struct, frozen=True):
    """The settings in force, and the origin of every value that is not a default."""

    settings: Settings
    origins: dict[str, str]
    file: str | None = None

    def origin(self, key: str) -> str:
        return self.origins.get(key, "default")


def load(
    flags: Mapping[str, Any] | None = None,
    *,
    profile: str | None = None,
    file: Path | None = None,
    start: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Loaded:
    """Put the layers together. `flags` holds only what was given on the command line, by kebab-case key."""
    environment = os.environ if environment is None else environment
    found = file or find_file(start or Path.cwd())
    table = read_file(found) if found is not None else {}
    profiles = {**PROFILES, **table.pop("profiles", {})}
    usual = table.pop("profile", None)
    wanted = profile or environment.get("URLSET_PROFILE")
    layers: list[tuple[str, dict[str, Any]]] = []
    if usual is not None and wanted is None:
        layers.append((f"profile {usual}", _profile(usual, profiles)))
    if found is not None:
        layers.append((str(found), table))
    if wanted is not None:
        layers.append((f"profile {wanted}", _profile(wanted, profiles)))
    layers.append(("environment", _from_environment(environment)))
    layers.append(("command line", dict(flags or {})))
    loaded = _merge(layers, None if found is None else str(found))
    _reject_unusable(loaded)
    return loaded


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


def read_file(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not valid TOML: {error}") from error
    if path.name == "pyproject.toml":
        table = _table(table.get("tool", {}).get("urlset", {}), f"{path}: tool.urlset")
    if not isinstance(table.get("profile", ""), str):
        raise SettingsError(f"{path}: profile: the name of a profile belongs here, not {table['profile']!r}")
    profiles = _table(table.get("profiles", {}), f"{path}: profiles")
    found = _beside(path, table)
    if profiles:
        named = {name: _table(inner, f"{path}: profiles.{name}") for name, inner in profiles.items()}
        found["profiles"] = {name: _beside(path, inner) for name, inner in named.items()}
    return found


def _table(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SettingsError(f"{where}: a table belongs here, not {value!r}")
    return value


def _beside(file: Path, table: dict[str, Any]) -> dict[str, Any]:
    """Paths in a file start at its folder, whatever folder the command runs in; here they start where we are."""
    return {
        key: _from_here(file.parent / value) if key in _PATHS and isinstance(value, str) else value
        for key, value in table.items()
    }


def _from_here(path: Path) -> str:
    try:
        return os.path.relpath(path)
    except ValueError:  # on another drive
        return str(path)


def _profile(name: str, profiles: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    if name not in profiles:
        raise SettingsError(f"no profile is called {name!r}{_hint(name, list(profiles))}")
    return dict(profiles[name])


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, text in environment.items():
        if not name.startswith(PREFIX) or name in _OTHER_VARIABLES:
            continue
        key = name.removeprefix(PREFIX).lower().replace("_", "-")
        values[key] = [part.strip() for part in text.split(",") if part.strip()] if key in _LISTS else text
    return values


def _merge(layers: list[tuple[str, dict[str, Any]]], file: str | None) -> Loaded:
    merged: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, layer in layers:
        if not layer:  # as usual: what is known is found out only to be compared with something
            continue
        _reject_unknown(layer, origin)
        for key, value in layer.items():
            if isinstance(value, dict) and isinstance(merged.get(key), dict):
                merged[key] = {**merged[key], **value}
            else:
                merged[key] = value
            origins[key] = origin
            if isinstance(value, dict):
                origins.update({f"{key}.{inner}": origin for inner in value})
            _convert(merged, f"{origin}: {key}")
    return Loaded(_convert(merged, "settings") if merged else Settings(), origins, file)


def _convert(values: dict[str, Any], where: str) -> Settings:
    try:
        return msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{where}: {_said(error)}") from error


def _said(error: msgspec.ValidationError) -> str:
    text = str(error)
    choice = re.fullmatch(r"Invalid enum value (.+) - at `\$\.(engines)?.*`", text, re.DOTALL)
    if choice is not None:
        return f"{choice[1]} is not one of {', '.join(Engine if choice[2] else Severity)}"
    return text[:1].lower() + text[1:].replace("`$.", "`")


def _reject_unknown(layer: Mapping[str, Any], origin: str) -> None:
    known = msgspec.structs.fields(Settings)
    names = [field.encode_name for field in known]
    for key, value in layer.items():
        if key not in names:
            raise SettingsError(f"{origin}: no setting is called {key!r}{_hint(key, names)}")
        if key == "thresholds" and isinstance(value, dict):
            inner = [field.encode_name for field in msgspec.structs.fields(Thresholds)]
            for name in value:
                if name not in inner:
                    raise SettingsError(f"{origin}: no threshold is called {name!r}{_hint(name, inner)}")


def _reject_unusable(loaded: Loaded) -> None:
    """What has the right type and still says nothing: better told here than passed over."""
    settings = loaded.settings
    if settings.base_url is not None:
        from urlset.model.address import Address

        if not Address.parse(settings.base_url).is_web:
            said = f"{settings.base_url!r} is not an address like https://www.example.com/"
            raise SettingsError(f"{loaded.origin('base-url')}: base-url: {said}")
    if settings.policies:
        from urlset.building.patterns import PatternError, compile_pattern

        for policy in settings.policies:
            try:
                for pattern in (*policy.forbid, *policy.require, *policy.only):
                    compile_pattern(pattern)
            except PatternError as error:
                raise SettingsError(f"{loaded.origin('policy')}: policy: {error}") from error
    if settings.severity:
        from urlset.checking.select import UnknownSelectorError, select
        from urlset.rules.catalogue import all_rules

        for selector in settings.severity:
            try:
                select(all_rules(), settings.engines, chosen=(selector,))
            except UnknownSelectorError as error:
                raise SettingsError(f"{loaded.origin(f'severity.{selector}')}: severity: {error}") from error


def _hint(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name.lower().replace("_", "-"), known, n=1) or get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; known are {', '.join(sorted(known))}"
