"""Arguments of the command line → an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from urlset.cli.exit_codes import BROKEN, INTERRUPTED, OK
from urlset.cli.terminal import (
    color_is_forced,
    complain,
    is_terminal,
    neutralize_commands,
    printable,
    set_volume,
    silence_stdout,
)
from urlset.version import __version__

SECTIONS: dict[str, dict[str, str]] = {
    "Check and fix": {
        "check": "Check sitemaps, on disk or live",
        "fix": "Fix sitemap files (--diff previews the changes)",
        "audit": "Audit every listed page",
        "crawl": "Crawl a site",
        "logs": "Compare sitemaps with access logs",
    },
    "Read": {
        "ls": "List the URLs of sitemaps",
        "info": "Describe sitemaps and what is broken in them",
    },
    "Build": {
        "build": "Build and publish sitemaps",
        "dates": "Write honest dates into the sitemaps of a built site",
        "plan": "Plan a set: files, CPU, memory and disk",
        "publish": "Publish sitemaps to an object store, or restore the last",
    },
    "Over time": {
        "snapshot": "Keep the sitemaps of a site as they are now",
        "diff": "Compare two states of sitemaps",
        "history": "Show counts, churn and dates over time",
        "watch": "Watch sites and send alerts when something changes",
        "serve": "Open a dashboard of all sites",
    },
    "Search engines": {
        "submit": "Submit sitemaps and changed URLs",
        "engines": "Read the reports of search engines",
        "doctor": "Diagnose why a sitemap cannot be fetched",
    },
    "Agents": {
        "mcp": "Serve the tools to agents (MCP)",
    },
    "Help": {
        "init": "Write settings and a CI job for the site in this folder",
        "explain": "Explain a rule, list the rules, or say why a URL is listed",
        "config": "Show the settings and where they come from",
        "demo": "Try every command on a sample site",
    },
}
"""Name and summary of each command, in the order of the help. A command is the module of the same name."""
_IN_ANOTHER = {"snapshot": "history"}
"""commands in the module of another command"""
COMMANDS = {name: summary for commands in SECTIONS.values() for name, summary in commands.items()}
_OTHER_NAMES = {
    "validate": "check", "lint": "check", "test": "check", "verify": "check",
    "repair": "fix", "format": "fix",
    "generate": "build", "create": "build", "make": "build", "write": "build",
    "compare": "diff", "changes": "diff", "monitor": "watch", "alert": "watch",
    "dashboard": "serve", "ui": "serve",
    "ping": "submit", "notify": "submit", "indexnow": "submit",
    "list": "ls", "urls": "ls", "cat": "ls", "show": "info", "spider": "crawl",
    "rule": "explain", "why": "explain", "settings": "config", "undo": "publish rollback",
    "rollback": "publish rollback", "rules": "explain rules", "login": "engines login", "logout": "engines logout",
}  # fmt: skip
"""What people type → the command they mean, if there is one"""


class LazyGroup(click.Group):
    """Loads the module of a command when the command is used: help needs none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(f"urlset.cli.{_IN_ANOTHER.get(cmd_name, cmd_name)}"), cmd_name)
        assert isinstance(command, click.Command)
        command.short_help = COMMANDS[cmd_name]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        for heading, commands in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl(list(commands.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] == "help":
            args = [*args[1:], "--help"]
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(_not_a_command(args[0]), ctx)
        if args == ["--help"]:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().resolve_command(ctx, args)


def _not_a_command(word: str) -> str:
    if os.path.exists(word):  # noqa: PTH110 - any text, not yet a path
        return f"{word!r} is a file, not a command: try `urlset check {word}` or `urlset info {word}`"
    if word.lower().startswith(("http://", "https://")):
        return f"{word} is a URL, not a command: try `urlset check {word}`"
    if word.lower().endswith((".xml", ".gz", ".txt")):
        return f"{word!r} is not a command, and there is no such file"
    meant = _OTHER_NAMES.get(word.lower(), word.lower())
    if " " in meant:
        return f"unknown command {word!r}: use `urlset {meant}`"
    if meant in COMMANDS:
        return f"unknown command {word!r}: use `urlset {meant}` ({COMMANDS[meant][:1].lower()}{COMMANDS[meant][1:]})"
    from difflib import get_close_matches

    close = get_close_matches(word.lower(), [*COMMANDS, *_OTHER_NAMES], n=1)
    meant = _OTHER_NAMES.get(close[0], close[0]) if close else ""
    hint = f"; did you mean {meant!r}?" if meant.partition(" ")[0] in COMMANDS else ""
    return f"unknown command {word!r}{hint} (commands: urlset --help)"


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help", "--help-all"], "max_content_width": 100},
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda context, _option, wanted: _show_version(context) if wanted else None,
    help="Show the version and the scanner in use",
)
@click.pass_context
def cli(context: click.Context) -> None:
    """Read, check, fix, build and audit XML sitemaps.

    Reads sitemaps, sitemap indexes, text lists, RSS and Atom, gzipped or not, from files or live sites. Broken files
    are read as far as possible. Only URLs you name are fetched; `audit` also fetches the pages that a file lists.
    """
    if color_is_forced():
        context.color = True
    elif os.environ.get("NO_COLOR"):
        context.color = False
    if context.invoked_subcommand is None:
        if is_terminal(sys.stdout):
            from urlset.cli.init import look_around

            look_around(COMMANDS)
        else:
            click.echo(context.get_help())
    elif os.environ.get("URLSET_SCANNER"):
        _scanner()


def _show_version(context: click.Context) -> None:
    click.echo(f"urlset {__version__} ({_scanner()} scanner)")
    context.exit()


def _scanner() -> str:
    from urlset.reading.limits import scanner

    return scanner()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Every failure is one line on stderr, unless URLSET_DEBUG asks for the traceback."""
    set_volume(quiet=False, verbose=False)
    neutralize_commands()
    try:
        given = list(sys.argv[1:] if arguments is None else arguments)
        result = cli.main(given, prog_name="urlset", standalone_mode=False)
        sys.stdout.flush()
    except click.UsageError as error:
        complain(_usage(error))
    except click.ClickException as error:
        complain(error.format_message())
    except (BrokenPipeError, SystemExit):
        # the reader of the output stopped, as in `| head`; click turns that into SystemExit
        silence_stdout()
        return OK
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except Exception as error:
        from urlset.model.errors import UrlsetError

        is_ours = isinstance(error, UrlsetError)  # raised on purpose: the message says what to do
        if os.environ.get("URLSET_DEBUG") and not is_ours:
            raise
        if isinstance(error, OSError):
            place = f"{error.filename}: " if error.filename else ""
            message = f"{place}{error.strerror or error}"
        else:
            kind = type(error).__name__
            message = str(error) if is_ours else f"internal error: {kind}: {error} (set URLSET_DEBUG=1 for a traceback)"
        complain(printable(message))
    else:
        return result if isinstance(result, int) else OK
    return BROKEN


def _usage(error: click.UsageError) -> str:
    message = printable(error.format_message()).rstrip(".")
    if type(error) is click.UsageError or error.ctx is None:
        return message  # one of ours, which says what to do
    message = message[:1].lower() + message[1:]
    return f"{message} (options: {error.ctx.command_path} --help)"
