"""The options of the commands that explain: explain, rules, config."""

from __future__ import annotations

from urlset.building.lock import LOCK_NAME
from urlset.findings.card import Severity
from urlset.settings.declare import ONE_RUN, StrPath, argument, opt
from urlset.settings.groups import RuleSettings, RunSettings, TextOrJson
from urlset.settings.tables import TABLES
from urlset.writing.files import STATE_ROOT


class ExplainSettings(RunSettings):
    names: tuple[str, ...] = argument(
        (),
        "Rules, elements, messages of engines, or URLs",
        "[CODE|NAME|ELEMENT|MESSAGE|URL]...",
        complete="rules",
        scope=ONE_RUN,
    )
    state: StrPath = opt(STATE_ROOT, "For a URL: state folder of one output or of all", "DIR")
    lock: StrPath = opt(LOCK_NAME, "For a URL: lock file with its date", "FILE")


class RulesSettings(TextOrJson, RuleSettings, RunSettings):
    words: tuple[str, ...] = argument((), "Only rules that mention every WORD", "[WORD]...", scope=ONE_RUN)
    level: Severity | None = opt(None, "Only rules of this severity")
    fixable: bool = opt(False, "Only rules with a fix")


def tables() -> tuple[str, ...]:
    return tuple(filter(None, TABLES))


class ConfigSettings(TextOrJson, RunSettings):
    command: str | None = argument(None, "Command or table to show", "[COMMAND]", choices=tables, scope=ONE_RUN)
