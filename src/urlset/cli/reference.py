"""The commands and options themselves → docs/cli.md: `python -m urlset.cli.reference > docs/cli.md`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator

import click

from urlset.cli.exit_codes import MEANINGS
from urlset.cli.main import cli

_INTRODUCTION = """# Command line

<!-- Written by `python -m urlset.cli.reference > docs/cli.md`; change the commands, not this file. -->

A FILE may be packed with gzip, whatever its name; a PATTERN (quoted, so that the shell leaves it alone) may contain
`*`, `?`, `[…]` and `**`; a FOLDER stands for the sitemaps directly in it; `-` is standard input; a URL, which starts
with `http://` or `https://`, is the address of a site, a sitemap or an index. Only what is given as a
URL is fetched; `audit` also fetches the pages that files list. What cannot be read is named on standard error, in one
line that starts with `urlset:`, or in the report where that is a text on the screen; the rest is read all the same.

Colour is used on a terminal only, and never if `NO_COLOR` is set. With `URLSET_DEBUG=1` an error in urlset itself
shows its traceback. A command whose reader leaves early (`| head`) says nothing about it; `check`, `audit` and `fix`
still end with the exit code that they would have ended with.

Bash completes commands, options and files after `eval "$(_URLSET_COMPLETE=bash_source urlset)"`; for zsh the word is
`zsh_source`, for fish `_URLSET_COMPLETE=fish_source urlset | source`.

Settings for every run stand in a file: see [In CI](ci.md).
"""


def reference() -> str:
    """The whole page."""
    return "\n".join([_INTRODUCTION, *_exit_codes(), *_sections()])


def _exit_codes() -> Iterator[str]:
    yield "| exit code | meaning |"
    yield "|---|---|"
    yield from (f"| {code} | {meaning} |" for code, meaning in MEANINGS.items())
    yield ""


def _sections() -> Iterator[str]:
    top = click.Context(cli, info_name="urlset", help_option_names=["-h", "--help"])
    yield from _section(cli, top)
    for name in cli.list_commands(top):
        command = cli.get_command(top, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=top)
        yield from _section(command, context)
        if isinstance(command, click.Group):
            for part, child in command.commands.items():
                yield from _section(child, click.Context(child, info_name=part, parent=context))
        if name == "ls":
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
    yield "| option | |"
    yield "|---|---|"
    for option in command.get_params(context):
        record = option.get_help_record(context)
        if isinstance(option, click.Option) and record is not None:
            spelled, meaning = record
            yield f"| `{_cell(spelled)}` | {_cell(meaning)} |"
    yield ""


def _fields() -> Iterator[str]:
    from urlset.workflows.ls.fields import FIELDS

    yield "The fields of `--fields`. Lists and records are JSON in csv and tsv cells, and nested columns in parquet.\n"
    yield "| field | |"
    yield "|---|---|"
    yield from (f"| `{field.name}` | {field.meaning} |" for field in FIELDS.values())
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(reference())
