"""`urlset config`: every setting, its value, and where it came from."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from urlset.cli.exit_codes import OK
from urlset.cli.settings_options import load_settings, rule_options
from urlset.cli.terminal import Style

if TYPE_CHECKING:
    from urlset.settings.load import Loaded


@click.command(epilog="Example: urlset config --profile strict")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="How to print.")  # fmt: skip
@rule_options
def config(form: str, **given: Any) -> int:
    """Show every setting in force and where it came from.

    Later sources win: defaults, urlset.toml or [tool.urlset] in pyproject.toml (the nearest one, from this folder
    upwards), a profile that is asked for, variables such as URLSET_FAIL_ON, options. A profile that the file
    names (profile = "strict") comes before the file's own values.
    """
    profile, config_file = given.pop("profile"), given.pop("config_file")
    loaded = load_settings(profile, config_file, given)
    rows = list(_rows(loaded))
    if form == "json":
        click.echo(_json(rows, loaded.file))
        return OK
    style = Style.for_stream(sys.stdout)
    key_width = max(len(key) for key, _, _, _ in rows)
    value_width = max(len(value) for _, value, _, _ in rows)
    origin_width = max(len(origin) for _, _, origin, _ in rows)
    for key, value, origin, meaning in rows:
        palette = style.dim if origin == "default" else style.green
        shown = palette(f"{origin:{origin_width}}")
        click.echo(f"{key:{key_width}}  {value:{value_width}}  {shown}  {style.dim(meaning)}".rstrip())
    return OK


def _rows(loaded: Loaded) -> Iterator[tuple[str, str, str, str]]:
    """(key, value as TOML would write it, origin, meaning)."""
    import msgspec

    for field in msgspec.structs.fields(loaded.settings):
        key, value = field.encode_name, getattr(loaded.settings, field.name)
        if isinstance(value, msgspec.Struct):
            for inner in msgspec.structs.fields(value):
                name = f"{key}.{inner.encode_name}"
                yield name, _toml(getattr(value, inner.name)), loaded.origin(name), _meaning(inner.type)
            continue
        yield key, _toml(value), loaded.origin(key), _meaning(field.type)


def _meaning(annotated: Any) -> str:
    for meta in getattr(annotated, "__metadata__", ()):
        return str(meta.description)
    return ""


def _toml(value: Any) -> str:
    import msgspec

    if value is None:
        return "unset"
    text = msgspec.json.encode(value).decode()
    return text.replace(",", ", ") if isinstance(value, tuple) else text


def _json(rows: list[tuple[str, str, str, str]], file: str | None) -> str:
    import msgspec

    from urlset.version import __version__

    settings = [
        {"key": key, "value": value, "origin": origin, "meaning": meaning} for key, value, origin, meaning in rows
    ]
    report = {"schema": 1, "urlset": __version__, "command": "config", "file": file, "settings": settings}
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode()
