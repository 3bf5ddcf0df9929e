"""`urlset config`: every setting of a command, its value, and where it came from."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import OK
from urlset.cli.output import json_report
from urlset.cli.terminal import Style, note

if TYPE_CHECKING:
    from urlset.settings.explain import ConfigSettings
    from urlset.settings.load import Loaded


@command("config", epilog="Examples:\n  urlset config\n  urlset config build --format json")
def config(settings: ConfigSettings) -> int:
    """Show every setting of a command, its value and where it came from.

    Without a command: the keys that all commands share, and those of [web]. Flags override environment variables,
    variables override the settings file (urlset.toml, or [tool.urlset] in pyproject.toml, the nearest one from this
    folder upwards), and the file overrides the defaults. A profile named by --profile overrides the file; one that the
    file names (profile = "strict") does not.
    """
    from pathlib import Path

    from urlset.settings.load import load
    from urlset.settings.tables import SHARED, WEB, settings_class

    tables = [settings.command] if settings.command else [SHARED, WEB]
    given = click.get_current_context().params
    file = None if given["_config"] is None else Path(given["_config"])
    loaded = {
        table: load(settings_class(table), profile=given["_profile"], file=file, need_arguments=False)
        for table in tables
    }
    rows = [row for table, each in loaded.items() for row in _rows(table, each)]
    found = next(iter(loaded.values())).file
    if settings.format == "json":
        where = None if found is None else str(found)
        click.echo(json_report("config", file=where, settings=rows))
        return OK
    style = Style.for_stream(sys.stdout)
    widths = {name: max(len(row[name]) for row in rows) for name in ("key", "value", "origin")}
    for row in rows:
        key, value, origin = (row[name].ljust(width) for name, width in widths.items())
        palette = style.dim if row["origin"] == "default" else style.green
        click.echo(f"{key}  {value}  {palette(origin)}  {style.dim(row['meaning'])}".rstrip())
    note(f"\nsettings file: {found or 'none'}")
    return OK


def _rows(table: str, loaded: Loaded[Any]) -> Iterator[dict[str, str]]:
    import msgspec

    from urlset.settings.declare import OptionScope, options_of
    from urlset.settings.sources import variable_name

    for option in options_of(type(loaded.settings)):
        if option.opt.scope is OptionScope.ONE_RUN:
            continue
        value = getattr(loaded.settings, option.name)
        key = f"{table}.{option.key}" if table else option.key
        variable = variable_name(table, option) if option.has_variable else ""
        if isinstance(value, msgspec.Struct):
            for inner in msgspec.structs.fields(value):
                name = f"{option.key}.{inner.encode_name}"
                yield _row(name, _toml(getattr(value, inner.name)), loaded.origin(name), "", variable)
            continue
        shown = "(hidden)" if option.opt.secret and value is not None else _toml(value)
        yield _row(key, shown, loaded.origin(option.key), option.opt.help, variable)


def _row(*texts: str) -> dict[str, str]:
    return dict(zip(("key", "value", "origin", "meaning", "variable"), texts, strict=True))


def _toml(value: Any) -> str:
    import msgspec

    if value is None:
        return "unset"
    text = msgspec.json.encode(value, enc_hook=str).decode()
    return text.replace(",", ", ") if isinstance(value, tuple) else text
