"""The options of the commands that help: explain, rules, config, init."""

from __future__ import annotations

from typing import Literal

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


class InitSettings(RunSettings, in_library=False):
    folder: StrPath = argument(".", "Folder of the project", "[FOLDER]", scope=ONE_RUN, exists="folder")
    ci: Literal["github", "gitlab", "none"] | None = opt(
        None, "Write a CI job that checks the sitemaps", scope=ONE_RUN, default="ask in a terminal"
    )
    pre_commit: bool | None = opt(None, "Write the pre-commit hooks", scope=ONE_RUN, default="ask in a terminal")
    dates: Literal["package.json", "netlify", "vercel", "github", "gitlab"] | None = opt(
        None, "Print the lines that run `urlset dates` after a build", scope=ONE_RUN
    )
    output: str | None = opt(None, "Folder the site is built into", "DIR", scope=ONE_RUN, default="detected")
    base_url: str | None = opt(None, "URL of that folder", "URL", is_url=True, scope=ONE_RUN, default="detected")
    dry_run: bool = opt(False, "Print the files, write nothing", scope=ONE_RUN)
