"""Defaults < profile < file < environment < flags, and where each value came from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from urlset.checking.context import Thresholds
from urlset.settings.options import PROFILES, Settings

PREFIX = "URLSET_"
_OTHER_VARIABLES = frozenset({"URLSET_DEBUG", "URLSET_PROFILE", "URLSET_SCANNER", "URLSET_UPDATE_GOLDEN"})
_LISTS = frozenset({"engines", "select", "ignore"})


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
    profile = profile or environment.get("URLSET_PROFILE") or table.pop("profile", None)
    table.pop("profile", None)
    layers: list[tuple[str, dict[str, Any]]] = []
    if profile is not None:
        layers.append((f"profile {profile}", _profile(profile, profiles)))
    if found is not None:
        layers.append((str(found), table))
    layers.append(("environment", _from_environment(environment)))
    layers.append(("command line", dict(flags or {})))
    return _merge(layers, None if found is None else str(found))


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
        tool: dict[str, Any] = table.get("tool", {}).get("urlset", {})
        return tool
    return table


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
    return Loaded(_convert(merged, "settings"), origins, file)


def _convert(values: dict[str, Any], where: str) -> Settings:
    try:
        return msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{where}: {_said(error)}") from error


def _said(error: msgspec.ValidationError) -> str:
    text = str(error)
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


def _hint(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name.lower().replace("_", "-"), known, n=1) or get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; known are {', '.join(sorted(known))}"
