"""Arguments of the command line → an exit code."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module

import click

from urlset.cli.exit_codes import BROKEN, INTERRUPTED, OK
from urlset.cli.terminal import complain, printable, silence_stdout
from urlset.version import __version__

COMMANDS = (
    "audit",
    "build",
    "check",
    "config",
    "crawl",
    "demo",
    "doctor",
    "engines",
    "explain",
    "fix",
    "info",
    "login",
    "logout",
    "ls",
    "rollback",
    "rules",
    "submit",
)
"""One module of the same name each."""
_MADE_BETWEEN_COLLECTIONS = 50_000


class LazyGroup(click.Group):
    """Loads the module of a command when the command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(f"urlset.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and os.path.exists(args[0]):  # noqa: PTH110 - any text, not yet a path
            raise click.UsageError(
                f"{args[0]!r} is a file, not a command: try `urlset check {args[0]}` or `urlset info {args[0]}`", ctx
            )
        if args and args[0].lower().startswith(("http://", "https://")):
            raise click.UsageError(f"{args[0]} is an address, not a command: try `urlset check {args[0]}`", ctx)
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"no such command {args[0]!r}{_meant(args[0])} (options: urlset --help)", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda context, _option, wanted: _show_version(context) if wanted else None,
    help="Show the version and the scanner in use, and exit.",
)
@click.pass_context
def cli(context: click.Context) -> None:
    """Read, check, fix, build and audit XML sitemaps.

    Sitemap indexes, plain text lists, RSS and Atom feeds are read too, packed with gzip or not, from files or
    live sites. Broken files are read as far as they can be. Nothing is fetched unless you name an address, or
    audit a file: then its pages are.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
    elif os.environ.get("URLSET_SCANNER"):
        _scanner()


def _show_version(context: click.Context) -> None:
    click.echo(f"urlset {__version__} ({_scanner()} scanner)")
    context.exit()


def _scanner() -> str:
    from urlset.reading.scanner import ScannerError, scanner

    try:
        return scanner()
    except ScannerError as error:
        raise click.UsageError(str(error)) from error


@contextmanager
def _seldom_collecting() -> Iterator[None]:
    """What is loaded stays, so that looking for garbage among it is in vain: it took an eighth of a short run."""
    usual = gc.get_threshold()
    gc.set_threshold(_MADE_BETWEEN_COLLECTIONS, *usual[1:])
    gc.enable()
    atexit.register(gc.freeze)  # the last collections, when everything goes anyway, are the longest
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@_seldom_collecting()
def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Every failure is one line on stderr, unless URLSET_DEBUG asks for the traceback."""
    try:
        given = list(sys.argv[1:] if arguments is None else arguments)
        result = cli.main(given, prog_name="urlset", standalone_mode=False)
        sys.stdout.flush()
    except click.UsageError as error:
        complain(_usage(error))
    except click.ClickException as error:
        complain(error.format_message())
    except (BrokenPipeError, SystemExit):
        # whoever read the output has seen enough, as in `| head`; click turns that into SystemExit
        silence_stdout()
        return OK
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("URLSET_DEBUG"):
            raise
        complain(_unexpected(error))
    else:
        return result if isinstance(result, int) else OK
    return BROKEN


def _meant(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name.lower(), COMMANDS, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _usage(error: click.UsageError) -> str:
    message = printable(error.format_message()).rstrip(".")
    message = message[:1].lower() + message[1:]
    if type(error) is click.UsageError or error.ctx is None:
        return message  # one of ours, which says what to do
    return f"{message} (options: {error.ctx.command_path} --help)"


def _unexpected(error: Exception) -> str:
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return printable(f"{place}{error.strerror or error}")
    from urlset.rules.packages import RulePackageError

    if isinstance(error, RulePackageError):
        return printable(str(error))
    kind = type(error).__name__
    return printable(f"stopped by an error in urlset itself: {kind}: {error}; URLSET_DEBUG=1 shows where")
