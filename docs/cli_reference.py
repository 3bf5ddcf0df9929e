"""The commands and options themselves → docs/cli.md."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from urlset.cli.command import Flag, SettingsCommand
from urlset.cli.exit_codes import MEANINGS
from urlset.cli.main import cli
from urlset.settings.declare import Option, OptionScope
from urlset.settings.sources import variable_name

_INTRODUCTION = """# Command line

<!-- Written by `make docs`; change the commands, not this file. -->

A FILE may be gzipped, whatever its name. A PATTERN (in quotes, to keep it from the shell) may contain `*`, `?`, `[…]`
and `**`. A FOLDER means the sitemaps directly in it. `-` is standard input. A URL is a site, a sitemap or an
index; a bare host such as `www.example.com` works too, unless a file has that name. Only URLs that you name are
fetched; `audit` also fetches the pages that a file lists. Targets that cannot be read are named on standard error in a
line that starts with `urlset:`, or in the report if it is text on the screen. The other targets are still processed.

## Settings, variables and flags

Every option can be set in four places. The first one that sets it wins:

1. the flag, such as `--fail-on warning`. A switch has a `--no-` form, such as `--no-gzip`.
2. the environment variable, such as `URLSET_CHECK_FAIL_ON=warning` for one command or `URLSET_FAIL_ON=warning` for all
   commands that have the option. Lists are separated by commas, patterns by line breaks.
3. the settings file: `urlset.toml`, or `pyproject.toml` with `[tool.urlset]`, the nearest one from the current folder
   upwards. Keys at the top level apply to all commands that have the option, keys in `[web]` to all that fetch, keys in
   `[check]`, `[build]` and so on to one command. Paths start at the folder of the file.
4. the default.

An unknown key or variable is an error that names its path and suggests the right one. Secrets are never read from a
settings file. `urlset config COMMAND` shows every value and where it came from. See [In CI](ci.md) for an example and
for profiles.

Options without a settings key are for one run, or are not accepted from files that others commit.

## Output

Color is used on a terminal. `NO_COLOR=1` turns it off, `FORCE_COLOR=1` turns it on everywhere. `--quiet` prints results
only, `--verbose` adds settings, steps and timing on standard error. With `URLSET_DEBUG=1` an internal error shows its
traceback. If the reader of a pipe stops early (`| head`), `check`, `audit` and `fix` still end with the exit code of
the whole run.

## Shell completion

Commands, options, choices, rule codes, profiles and files are completed in bash after
`eval "$(_URLSET_COMPLETE=bash_source urlset)"`; in zsh with `zsh_source`, in fish with
`_URLSET_COMPLETE=fish_source urlset | source`.
"""


_CHILDREN_NOT_ON_DISK = """\
An index file whose sitemaps are not on disk has no error by that alone: `check` reports rule I010 as skipped, and as an
error once `--root` says where the site's files are. `ls` and `audit` need those sitemaps and exit with 2."""


def reference() -> str:
    """The whole page."""
    return "\n".join([_INTRODUCTION, *_exit_codes(), *_sections()])


def _exit_codes() -> Iterator[str]:
    yield "## Exit codes\n"
    yield "| exit code | meaning |"
    yield "|---|---|"
    yield from (f"| {code} | {meaning} |" for code, meaning in MEANINGS.items())
    yield f"\n{_CHILDREN_NOT_ON_DISK}\n"


def commands() -> Iterator[tuple[click.Command, click.Context]]:
    """Every command with its context, the group first."""
    top = click.Context(cli, info_name="urlset", help_option_names=cli.context_settings["help_option_names"])
    yield cli, top
    for name in cli.list_commands(top):
        command = cli.get_command(top, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=top)
        yield command, context
        if isinstance(command, click.Group):
            for part, child in command.commands.items():
                yield child, click.Context(child, info_name=part, parent=context)


def _sections() -> Iterator[str]:
    for command, context in commands():
        yield from _section(command, context)
        if command.name == "ls":
            yield from _fields()


def _section(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## `{context.command_path}`\n"
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"    {usage}\n"
    yield inspect.cleandoc(command.help or "") + "\n"
    if command.epilog:
        label, _, examples = command.epilog.removeprefix("\b\n").partition(":")
        lines = "\n".join(f"    {line.strip()}" for line in examples.strip().splitlines())
        yield f"{label}:\n\n{lines}\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            path = f"{context.command_path} {name}"
            yield f"- [`{path}`](#{path.replace(' ', '-')}): {child.get_short_help_str(200)}"
        yield ""
    yield from _options(command, context)


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    if not isinstance(command, SettingsCommand):
        yield "| option | |"
        yield "|---|---|"
        for param in command.get_params(context):
            record = param.get_help_record(context)
            if isinstance(param, click.Option) and record is not None:
                yield f"| `{_cell(record[0])}` | {_cell(record[1])} |"
        yield ""
        return
    sample = next(option for option in command.options() if option.opt.scope is OptionScope.EVERYWHERE)
    prefix = variable_name(command.table, sample).removesuffix(sample.variable)
    yield f"Settings table: `[{command.table}]`. Variables: `{prefix}` and the key, such as"
    yield f"`{variable_name(command.table, sample)}`.\n"
    yield "| option | | settings key |"
    yield "|---|---|---|"
    for param in command.get_params(context):
        record = param.get_help_record(context)
        if isinstance(param, Flag):
            record = param.get_help_record(context)
            yield f"| `{_cell(record[0])}` | {_cell(record[1])} | {_key(param.option)} |"
        elif isinstance(param, click.Option) and record is not None:
            yield f"| `{_cell(record[0])}` | {_cell(record[1])} | |"
    for option in command.options():
        if not option.has_flag:
            yield f"| | {_cell(option.opt.help)} (settings file only) | {_key(option)} |"
        elif option.opt.positional:
            yield f"| `{_cell(option.metavar)}` | {_cell(option.opt.help)} | {_key(option)} |"
    yield ""


def _key(option: Option) -> str:
    return f"`{option.key}`" if option.has_key else ""


def _fields() -> Iterator[str]:
    from urlset.workflows.ls import FIELDS

    yield "The fields of `--fields`. Lists and records are JSON in csv and tsv cells, and nested columns in parquet.\n"
    yield "| field | |"
    yield "|---|---|"
    yield from (f"| `{field.name}` | {field.meaning} |" for field in FIELDS.values())
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
