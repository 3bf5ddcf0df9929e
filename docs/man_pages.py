"""The commands and options themselves → the man pages in docs/man."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from docs.cli_reference import commands
from urlset.cli.command import Flag, SettingsCommand
from urlset.cli.exit_codes import MEANINGS
from urlset.cli.main import COMMANDS
from urlset.settings.sources import variable_name
from urlset.version import __version__


def man_pages() -> Iterator[tuple[str, str]]:
    """File name and text of each page."""
    for command, context in commands():
        name = context.command_path.replace(" ", "-")
        yield f"{name}.1", "\n".join(_page(command, context, name)) + "\n"


def _page(command: click.Command, context: click.Context, name: str) -> Iterator[str]:
    summary = (command.help or "").strip().partition("\n")[0].rstrip(".")
    yield f'.TH {name.upper().replace("-", chr(92) + "-")} 1 "" "urlset {__version__}" "urlset"'
    yield ".SH NAME"
    yield f"{_text(name)} \\- {_text(summary[:1].lower() + summary[1:])}"
    yield ".SH SYNOPSIS"
    yield f".B {_text(context.command_path)}"
    yield _text(" ".join(command.collect_usage_pieces(context)))
    yield ".SH DESCRIPTION"
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        yield ".PP"
        yield _text(" ".join(paragraph.split()))
    if isinstance(command, click.Group):
        yield ".SH COMMANDS"
        for child in command.list_commands(context):
            yield ".TP"
            yield f".BR {_text(f'{name}-{child}')} (1)"
            found = command.get_command(context, child)
            yield _text(COMMANDS.get(child) or (found.get_short_help_str(200) if found is not None else ""))
    yield from _options(command, context)
    if isinstance(command, SettingsCommand):
        yield from _environment(command)
    if command.epilog:
        yield ".SH EXAMPLES"
        yield ".nf"
        yield from (_text(line.strip()) for line in command.epilog.removeprefix("\b\n").splitlines()[1:])
        yield ".fi"
    yield ".SH EXIT STATUS"
    for code, meaning in MEANINGS.items():
        yield f".TP\n.B {code}\n{_text(meaning)}"


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    sections: dict[str, list[tuple[str, str]]] = {}
    for param in command.get_params(context):
        record = param.get_help_record(context)
        if isinstance(param, click.Option) and record is not None:
            heading = param.option.heading if isinstance(param, Flag) else "General"
            sections.setdefault(heading, []).append(record)
    yield ".SH OPTIONS"
    for heading, rows in sections.items():
        yield f'.SS "{_text(heading)}"'
        for spelled, words in rows:
            yield f".TP\n.B {_text(spelled)}\n{_text(words)}"


def _environment(command: SettingsCommand) -> Iterator[str]:
    yield ".SH ENVIRONMENT"
    for option in command.options():
        if option.has_variable:
            yield f".TP\n.B {_text(variable_name(command.table, option))}\n{_text(option.opt.help)}"
    yield ".SH FILES"
    yield _text(f"urlset.toml, or pyproject.toml with [tool.urlset]: table [{command.table}].")


def _text(text: str) -> str:
    """For roff: backslashes, leading dots and hyphens are special."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
