"""The options of the commands that explain: explain, rules, config."""

from __future__ import annotations

from typing import Annotated

from urlset.building.lock import LOCK_NAME
from urlset.findings.card import Severity
from urlset.settings.declare import ONE_RUN, Opt, StrPath
from urlset.settings.groups import RuleSettings, RunSettings, TextOrJson
from urlset.settings.tables import TABLES
from urlset.writing.files import STATE_ROOT


class ExplainSettings(RunSettings):
    names: Annotated[
        tuple[str, ...],
        Opt(
            "Rules, elements, messages of engines, or URLs",
            "[CODE|NAME|ELEMENT|MESSAGE|URL]...",
            positional=True,
            complete="rules",
            scope=ONE_RUN,
        ),
    ] = ()
    state: Annotated[StrPath, Opt("For a URL: state folder of one output or of all", "DIR")] = STATE_ROOT
    lock: Annotated[StrPath, Opt("For a URL: lock file with its date", "FILE")] = LOCK_NAME


class RulesSettings(TextOrJson, RuleSettings, RunSettings):
    words: Annotated[
        tuple[str, ...], Opt("Only rules that mention every WORD", "[WORD]...", positional=True, scope=ONE_RUN)
    ] = ()
    level: Annotated[Severity | None, Opt("Only rules of this severity")] = None
    fixable: Annotated[bool, Opt("Only rules with a fix")] = False


def tables() -> tuple[str, ...]:
    return tuple(filter(None, TABLES))


class ConfigSettings(TextOrJson, RunSettings):
    command: Annotated[
        str | None, Opt("Command or table to show", "[COMMAND]", positional=True, choices=tables, scope=ONE_RUN)
    ] = None
