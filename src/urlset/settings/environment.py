"""Variables such as URLSET_FAIL_ON and URLSET_CHECK_FAIL_ON → raw values, by table and key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from urlset.settings.convert import SettingsError, from_text
from urlset.settings.declare import Option, options_of
from urlset.settings.tables import SHARED, TABLES, settings_class
from urlset.spec.lazy_pattern import lazy_pattern

PREFIX = "URLSET_"
_OTHERS = ("COMPLETE", "CONFIG_HOME", "DEBUG", "KILLS", "PROFILE", "SCANNER", "UPDATE_GOLDEN")
_CREDENTIAL = lazy_pattern(r".+_(?:KEY|TOKEN|PASSWORD|SECRET)(?:_FILE|_COMMAND)?|.+_ENDPOINT")
"""credentials or where they come from, and endpoints of engines: read where they are needed"""


class Variable(NamedTuple):
    name: str
    table: str
    option: Option
    value: Any


def variables(environment: Mapping[str, str]) -> Iterator[Variable]:
    """Raises SettingsError for a variable of ours that nothing reads."""
    for name, text in environment.items():
        if name.startswith(PREFIX) and name.removeprefix(PREFIX) not in _OTHERS:
            found = _find(name)
            if found is not None:
                yield Variable(name, *found, from_text(found[1], text))


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
    raise SettingsError(f"{name}: unknown variable{_hint(name, known)}")


def _hint(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else "; `urlset config` lists the settings"
