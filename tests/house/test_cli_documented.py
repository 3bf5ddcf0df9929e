"""The tree of commands and docs/cli.md → proof that no command or option goes without explanation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import click
import pytest

from tests.house.source_tree import ROOT
from urlset.cli.main import cli

HEADING = re.compile(r"(?P<marks>#+)\s+`?(?P<title>[^`]+?)`?\s*")


class Named(NamedTuple):
    path: str  # "urlset ls"
    command: click.Command


def walk(command: click.Command, path: str, parent: click.Context | None = None) -> Iterator[Named]:
    """The command and all below it; lazily loaded ones are loaded by asking the group for them."""
    yield Named(path, command)
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path, parent=parent)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None, f"{path} lists {name!r} but does not have it"
            yield from walk(child, f"{path} {name}", context)


def options(command: click.Command) -> list[click.Option]:
    names = cli.context_settings["help_option_names"]  # click keeps the option that it makes of them
    params = command.get_params(click.Context(command, help_option_names=names))
    return [param for param in params if isinstance(param, click.Option) and not param.hidden]


COMMANDS = list(walk(cli, "urlset"))
VISIBLE = [named for named in COMMANDS if not named.command.hidden]
every_command = pytest.mark.parametrize("named", VISIBLE, ids=[named.path for named in VISIBLE])


@cache
def sections() -> dict[str, str]:
    """docs/cli.md cut at the headings that name a command, keyed by the command's full path."""
    known = {named.path for named in COMMANDS}
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in (ROOT / "docs" / "cli.md").read_text(encoding="utf-8").splitlines():
        heading = HEADING.fullmatch(line)
        if heading and heading["title"] in known:
            current = found.setdefault(heading["title"], [])
        current.append(line)
    return {path: "\n".join(lines) for path, lines in found.items()}


def mentions(text: str, option: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text) is not None


def test_there_are_commands() -> None:
    assert {"urlset ls", "urlset info"} <= {named.path for named in VISIBLE}


@every_command
def test_command_has_help(named: Named) -> None:
    assert named.command.help


@every_command
def test_every_option_has_help(named: Named) -> None:
    assert [option.opts for option in options(named.command) if not option.help] == []


@every_command
def test_every_option_is_documented(named: Named) -> None:
    section = sections().get(named.path)
    assert section is not None, f"docs/cli.md has no section headed {named.path!r}"
    spelled = [name for option in options(named.command) for name in option.opts]  # of --no- forms the page has a rule
    assert [name for name in spelled if not mentions(section, name)] == []


def test_no_section_outlives_its_command() -> None:
    titles = [
        heading["title"]
        for line in (ROOT / "docs" / "cli.md").read_text(encoding="utf-8").splitlines()
        if (heading := HEADING.fullmatch(line))
    ]
    known = {named.path for named in COMMANDS}
    assert [title for title in titles if title.startswith("urlset ") and title not in known] == []
