"""One declaration per command → the same options as flags, settings keys, variables, keywords, documentation."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any, get_type_hints

import click
import pytest

import urlset
from docs.cli_reference import commands, reference
from docs.man_pages import man_pages
from urlset.cli.command import Flag, SettingsCommand
from urlset.cli.main import COMMANDS
from urlset.settings.convert import SettingsError
from urlset.settings.declare import Option, OptionScope, options_of
from urlset.settings.load import from_keywords, library_options, load
from urlset.settings.sources import variable_name
from urlset.settings.tables import SHARED, TABLES, WEB, settings_class
from urlset.workflows.library import keywords

DECLARED = {
    command.table: (command, context) for command, context in commands() if isinstance(command, SettingsCommand)
}
UNDECLARED = {"demo", "engines"}
"""a group, and a command that reads no settings"""
IN_PYTHON = {"now", "web"}
every_table = pytest.mark.parametrize("table", sorted(DECLARED))


def test_every_command_is_declared() -> None:
    assert set(TABLES) - {SHARED, WEB} == set(DECLARED)
    assert {name for name in COMMANDS if not any(table.startswith(name) for table in DECLARED)} | {
        "engines"
    } == UNDECLARED


@every_table
def test_flags_are_the_declared_options(table: str) -> None:
    command, context = DECLARED[table]
    params = command.get_params(context)
    flags = [param.option for param in params if isinstance(param, Flag)]
    arguments = [param.name for param in params if isinstance(param, click.Argument)]
    declared = options_of(settings_class(table))
    assert flags == [option for option in declared if option.has_flag and not option.opt.positional]
    assert arguments == [option.name for option in declared if option.opt.positional]
    spelled = [name for param in params for name in (*param.opts, *param.secondary_opts)]
    assert len(spelled) == len(set(spelled)), "a flag is declared twice"


@every_table
def test_short_help_is_short(table: str) -> None:
    """--help shows at most fifteen options, of those that there are; --help-all shows all."""
    command, context = DECLARED[table]
    flags = {option.flag[2:] for option in command.options() if option.has_flag and not option.opt.positional}
    assert command.usual <= flags
    assert len(command.usual or flags) <= 11, "and four that every command has"
    short = re.findall(r"^  (?:-\w, )?--([\w-]+)", command.get_help(context), re.MULTILINE)
    assert {*command.usual} - {*short} == set()
    context.meta["urlset.all_options"] = True
    every = re.findall(r"^  (?:-\w, )?--([\w-]+)", command.get_help(context), re.MULTILINE)
    assert flags - {*every} == set()


@every_table
def test_the_documentation_names_each_flag_and_key(table: str) -> None:
    command, context = DECLARED[table]
    page = reference().partition(f"## `{context.command_path}`\n")[2].partition("\n## `")[0]
    rows = [line.replace("\\|", "¦").split("|")[1:-1] for line in page.splitlines() if line.startswith("| `")]
    keys = {cells[0].strip(" `"): cells[2].strip(" `") for cells in rows if len(cells) > 2}
    manual = dict(man_pages())[f"{context.command_path.replace(' ', '-')}.1"]
    for option in command.options():
        short = f"{option.opt.short}, " if option.opt.short else ""
        name = option.metavar if option.opt.positional else f"{short}{option.flag} {option.metavar}".strip()
        if not option.has_flag:
            assert f"| `{option.key}` |" in page
            continue
        assert keys[name.replace("|", "¦")] == (option.key if option.has_key else "")
        assert option.opt.positional or option.flag.replace("-", "\\-") in manual


def sample(option: Option) -> tuple[Any, str]:
    """A value that is not the default, as a file and as a variable say it."""
    if option.is_switch:
        return not option.default, str(not option.default).lower()
    if option.name == "thresholds":
        return {"stale-days": 3}, "stale-days=3"
    text = str(option.choices[0]) if option.choices else {int: "7", float: "7.5"}.get(option.item, "")
    text = text or ("https://www.example.com/x" if option.opt.is_url else "/x")
    if option.is_map:
        return {"L013": text}, f"L013={text}"
    value = {int: int, float: float}.get(option.item, str)(text)
    return ([value] if option.is_list else value), text


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {toml(each)}" for name, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


@pytest.mark.posix
@pytest.mark.parametrize("table", sorted(TABLES))
def test_files_and_variables_take_what_flags_take(table: str, tmp_path: Path) -> None:
    """The same value from each source, or a refusal that names the place."""
    settings, in_file, empty = settings_class(table), tmp_path / "urlset.toml", tmp_path / "empty.toml"
    empty.touch()
    for option in options_of(settings):
        value, text = sample(option)
        place = option.key if table == SHARED else f"{table}.{option.key}"
        in_file.write_text(f"{place} = {toml(value)}\n")
        variable = variable_name(table, option)

        def found(name: str = option.name, **more: Any) -> Any:
            try:
                return getattr(load(settings, start=tmp_path, need_arguments=False, **more).settings, name)
            except SettingsError as error:
                return str(error)

        from_file, from_variable = found(environment={}), found(file=empty, environment={variable: text})
        if option.opt.scope is not OptionScope.EVERYWHERE:
            assert f"{place}: " in from_file, "a refusal names the place"
        if option.opt.scope is OptionScope.ONE_RUN:
            assert "unknown variable" in str(from_variable)
        elif option.opt.scope is OptionScope.EVERYWHERE:
            assert place in str(from_file) or variable in str(from_variable) or from_file == from_variable


@pytest.mark.parametrize("table", sorted(TABLES))
def test_help_is_short(table: str) -> None:
    for option in options_of(settings_class(table)):
        assert 0 < len(option.opt.help) < 60
        assert not option.opt.help.endswith(".")
        assert option.opt.secret <= (option.opt.scope is not OptionScope.EVERYWHERE), (
            "a secret is never read from a file"
        )


@pytest.mark.parametrize("verb", ["audit", "build", "check", "crawl", "fix"])
def test_the_library_takes_the_same_options(verb: str) -> None:
    declared = {option.name for option in library_options(settings_class(verb))}
    named = set(get_type_hints(getattr(keywords, f"{verb.title()}Keywords")))
    assert named - IN_PYTHON == declared
    assert "options" in inspect.signature(getattr(urlset, verb)).parameters or verb == "audit"


@pytest.mark.parametrize("verb", ["audit", "build", "check", "crawl", "fix"])
def test_an_unknown_keyword_is_explained(verb: str) -> None:
    with pytest.raises(
        TypeError, match=r"unexpected keyword 'timezon'|unexpected keyword 'delai'; did you mean 'delay'"
    ):
        from_keywords(settings_class(verb), {"timezon" if verb == "fix" else "delai": 1})
    with pytest.raises(ValueError, match=r"^exclude: |^select: "):
        from_keywords(settings_class(verb), {"select" if verb in {"check", "fix"} else "exclude": 1})
