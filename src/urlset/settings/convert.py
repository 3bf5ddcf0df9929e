"""One raw value of a file, a variable, a flag or a keyword → the declared type, or why it cannot be used."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from math import isnan
from pathlib import Path
from typing import Any

import msgspec

from urlset.model.errors import ArgumentValueError
from urlset.settings.declare import Option
from urlset.spec.lazy_pattern import lazy_pattern

_YES, _NO = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off", ""})
_REST = r"(?::\d{1,5})?(?:[/?].*)?"
_HOST = lazy_pattern(rf"(?i)(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]{_REST}")
_OWN_MACHINE = lazy_pattern(rf"(?i)(?:localhost|127(?:\.\d{{1,3}}){{3}}|\[::1\]){_REST}")
_SIGNED_IN = lazy_pattern(r"(?i)(?:(https?)|s3|gs|az)://[^/?#]*@")
_FILES = (".xml", ".gz", ".txt", ".csv", ".tsv", ".json", ".jsonl", ".parquet", ".rss", ".atom", ".db", ".sqlite",
          ".html", ".xlsx", ".ndjson", ".sqlite3", ".toml", ".log")  # fmt: skip
_STORAGE = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]*://")
_KINDS = {int: "a whole number", float: "a number", str: "a text"}


class SettingsError(ArgumentValueError):
    """A setting that cannot be used. The message names the place, the value and what to write instead."""


class MissingArgument(SettingsError):  # noqa: N818 - it names what is wrong
    """Nothing says what the command is about."""


def from_text(option: Option, text: str) -> Any:
    """A variable → what a file would hold: lists are separated by commas, or by line breaks where commas may occur."""
    if option.is_switch:
        word = text.strip().lower()
        return True if word in _YES else False if word in _NO else text
    if option.is_list:
        parts = text.split(",") if option.opt.split or option.is_map else text.splitlines()
        return [part.strip() for part in parts if part.strip()]
    return text


def convert(option: Option, value: Any, *, folder: Path | None = None) -> Any:
    """Raises SettingsError without a place. Relative paths start at `folder`."""
    if option.is_map:
        given = pairs(option, value)
        if _is_struct(option.type):
            known = [each.encode_name for each in msgspec.structs.fields(option.type)]
            for name in given:
                if name not in known:
                    raise SettingsError(f"unknown key {name!r}{hint(name, known)}")
            try:
                return msgspec.convert(given, option.type, strict=False)
            except msgspec.ValidationError as error:
                raise SettingsError(_plain(error)) from error
        return {name: _item(option, each, None) for name, each in given.items()}
    if option.is_list:
        return tuple(_item(option, each, folder) for each in _parts(option, value))
    return _item(option, value, folder)


def pairs(option: Option, value: Any) -> dict[str, Any]:
    """A table, or texts of the form NAME=VALUE → a dict."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, msgspec.Struct):
        return {each.encode_name: getattr(value, each.name) for each in msgspec.structs.fields(type(value))}
    found: dict[str, Any] = {}
    for part in _parts(option, value):
        name, equals, text = str(part).partition("=")
        if not (name.strip() and equals):
            raise SettingsError(f"{part!r} is not of the form NAME=VALUE")
        found[name.strip()] = text.strip()
    return found


def _parts(option: Option, value: Any) -> Iterable[Any]:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()] if option.opt.split else [value]
    if isinstance(value, Mapping | msgspec.Struct) and _is_struct(option.item):
        return [value]  # one table, where a list of tables would do
    if not isinstance(value, Iterable) or isinstance(value, (bytes, Mapping)):
        raise SettingsError(f"expected a list, got {value!r}")
    if option.opt.split:
        return [piece for each in value for piece in (_parts(option, each) if isinstance(each, str) else [each])]
    return value


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _item(option: Option, value: Any, folder: Path | None) -> Any:
    kind = option.item
    if option.choices and value not in option.choices:
        raise SettingsError(f"{value!r} is not one of {', '.join(option.choices)}")
    if option.is_switch:
        if not isinstance(value, bool):
            raise SettingsError(f"expected true or false, got {value!r}")
        return value
    if option.is_path:
        return _path(option, value, folder)
    if kind in (int, float):
        return _number(option, value)
    if kind is str:
        if not isinstance(value, str):
            raise SettingsError(f"expected a text, got {value!r}")
        signed = _SIGNED_IN.match(value) if option.opt.positional or option.opt.is_url else None
        if signed is not None:
            instead = "use --auth" if signed[1] else "set the variables of the provider"
            raise SettingsError(f"the URL contains a user name or password; remove it and {instead}")
        if option.opt.is_url:
            from urlset.model.address import Address

            url = with_scheme(value)
            if not Address.parse(url).is_web:
                raise SettingsError(f"{value!r} is not a URL like https://www.example.com/")
            return url
        is_path = option.opt.positional and folder is not None and "://" not in value and value != "-"
        return str(_path(option, value, folder)) if is_path else value
    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        raise SettingsError(_plain(error)) from error


def with_scheme(text: str) -> str:
    """`www.example.com/a` → https://www.example.com/a; anything but a bare host stays as it is, `sitemap.xml` too."""
    if text.lower().endswith(_FILES) and "/" not in text:
        return text
    if _OWN_MACHINE.fullmatch(text) is not None:
        return f"http://{text}"
    return f"https://{text}" if _HOST.fullmatch(text) is not None else text


def _number(option: Option, value: Any) -> int | float:
    kind = option.item
    try:
        if isinstance(value, bool) or (isinstance(value, float) and kind is int):
            raise ValueError  # noqa: TRY301 - one message for everything but numbers
        number: int | float = kind(value)
    except (TypeError, ValueError):
        raise SettingsError(f"expected {_KINDS[kind]}, got {value!r}") from None
    least, most = option.opt.least, option.opt.most
    if isnan(number) or (least is not None and number < least) or (most is not None and number > most):
        limits = f"between {least:g} and {most:g}" if None not in (least, most) else f"at least {least:g}"
        raise SettingsError(f"{value} is out of range: expected {limits}")
    return number


def _path(option: Option, value: Any, folder: Path | None) -> Path | str:
    if not isinstance(value, (str, os.PathLike)):
        raise SettingsError(f"expected a path, got {value!r}")
    if option.opt.or_storage and isinstance(value, str) and _STORAGE.match(value):
        return value
    path = Path(value)
    if folder is None:
        # paths of a settings file are looked at by the command that opens them: not every run needs them
        if option.opt.exists == "folder" and not path.is_dir():
            raise SettingsError(f"no such folder: {path}")
        if option.opt.exists == "file" and not path.is_file():
            raise SettingsError(f"no such file: {path}")
        return path
    if path.is_absolute():
        return path
    try:
        return Path(os.path.relpath(folder / path))
    except ValueError:  # on another drive
        return folder / path


def _plain(error: msgspec.ValidationError) -> str:
    text = str(error).replace("`$.", "`")
    return text[:1].lower() + text[1:]


def hint(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'fail-on'?`, or all there is."""
    from difflib import get_close_matches

    names = list(known)
    close = get_close_matches(name.lower().replace("_", "-"), names, n=1) or get_close_matches(name, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(sorted(names))}"
