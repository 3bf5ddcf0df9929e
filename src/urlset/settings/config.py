"""The options of `urlset config`."""

from __future__ import annotations

from typing import Annotated

from urlset.settings.declare import Opt, OptionScope
from urlset.settings.groups import RunSettings, TextOrJson
from urlset.settings.tables import TABLES


def tables() -> tuple[str, ...]:
    return tuple(filter(None, TABLES))


class ConfigSettings(TextOrJson, RunSettings):
    command: Annotated[
        str | None,
        Opt("Command or table to show", "[COMMAND]", positional=True, choices=tables, scope=OptionScope.ONE_RUN),
    ] = None
