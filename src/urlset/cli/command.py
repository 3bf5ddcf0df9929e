"""A settings class and a function → a command: its options, help by section, completion, and one typed value."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from urlset.cli import terminal

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from urlset.settings.declare import Option, Options
    from urlset.settings.load import Loaded


S = TypeVar("S", bound="Options")
_GENERAL = "General"
_ALL_OPTIONS = "urlset.all_options"
"""whether --help-all was given, in the data of the context"""
_RARE = frozenset({"_profile", "_config"})
"""options of every command that only --help-all shows, where there is more than --help shows"""
_UNBROKEN = "\u2011"
"""replaces hyphens while help is wrapped, to keep `not-canonical` on one line"""


def command(
    table: str, *, epilog: str = "", name: str | None = None, usual: str = ""
) -> Callable[[Callable[[S], int]], SettingsCommand]:
    """`@command("check")` on a function that takes a CheckSettings and returns an exit code.

    `usual`: the options that --help shows; --help-all shows the others too.
    """

    def wrap(work: Callable[[S], int]) -> SettingsCommand:
        return SettingsCommand(work, table, name=name or work.__name__, epilog=epilog, usual=usual)

    return wrap


def group(table: str, *, epilog: str = "", usual: str = "") -> Callable[[Callable[[S], int]], SettingsGroup]:
    """The same for a command that does something itself and has sub-commands too: `@plan.command(…)`."""

    def wrap(work: Callable[[S], int]) -> SettingsGroup:
        return SettingsGroup(work, table, name=work.__name__, epilog=epilog, usual=usual)

    return wrap


class SettingsCommand(click.Command):
    """Its options come from the class in `TABLES`, which is loaded when the command is used."""

    def __init__(self, work: Callable[[Any], int], table: str, *, name: str, epilog: str, usual: str) -> None:
        super().__init__(name, help=work.__doc__, epilog=f"\b\n{epilog}" if epilog else None)
        self.work, self.table, self.usual = work, table, frozenset(usual.split())
        self._made: list[click.Parameter] = []

    def options(self) -> tuple[Option, ...]:
        from urlset.settings.declare import options_of
        from urlset.settings.tables import settings_class

        return options_of(settings_class(self.table))

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        if not self._made:  # click asks twice
            arguments = [_Argument(option) for option in self.options() if option.opt.positional]
            flags = [Flag(option) for option in self.options() if option.has_flag and not option.opt.positional]
            of_files = [
                click.Option(["--profile", "_profile"], type=_Profile(), metavar="NAME", help="Named set of settings"),
                click.Option(["--config", "_config"], type=click.Path(), metavar="FILE", help="Settings file to use"),
            ]
            own = [*arguments, *flags, *of_files, _help_all(), self.get_help_option(ctx)]
            self._made = [each for each in own if each is not None]
        return self._made

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One section per mixin, in the order of the class."""
        sections: dict[str, list[tuple[str, str]]] = {}
        everything = not self.usual or ctx.meta.get(_ALL_OPTIONS)
        for param in self.get_params(ctx):
            is_usual = param.option.flag[2:] in self.usual if isinstance(param, Flag) else param.name not in _RARE
            if not (everything or is_usual):
                continue
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                heading = param.option.heading if isinstance(param, Flag) else _GENERAL
                sections.setdefault(heading, []).append((record[0], record[1].replace("-", _UNBROKEN)))
        sections[_GENERAL] = sections.pop(_GENERAL)  # last
        for heading, rows in sections.items():
            with formatter.section(heading):
                formatter.write_dl(rows, col_max=32)

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """Without --help-all, which commands that show everything at once have as another name."""
        return [name for name in super().get_help_option_names(ctx) if name != "--help-all"]

    def get_help(self, ctx: click.Context) -> str:
        return super().get_help(ctx).replace(_UNBROKEN, "-")

    def invoke(self, ctx: click.Context) -> int:
        began = time.monotonic()
        loaded = self.load(ctx)
        settings: Any = loaded.settings
        terminal.set_volume(quiet=settings.quiet, verbose=settings.verbose)
        terminal.detail(f"settings file: {loaded.file or 'none'}")
        secrets = {option.key for option in self.options() if option.opt.secret}
        for key, origin in loaded.origins.items():
            if "." not in key:  # else it is a part of one that is listed
                value = "(hidden)" if key in secrets else getattr(settings, key.replace("-", "_"))
                terminal.detail(f"{key} = {value!s} ({origin})")
        try:
            return self.work(settings)
        finally:
            terminal.detail(f"finished in {time.monotonic() - began:.2f} s")

    def load(self, ctx: click.Context) -> Loaded[Any]:
        """The settings of this run, from all layers."""
        from pathlib import Path

        from urlset.settings.convert import MissingArgument
        from urlset.settings.load import load
        from urlset.settings.tables import settings_class

        given = {name: value for name, value in ctx.params.items() if value not in (None, ())}
        profile, file = given.pop("_profile", None), given.pop("_config", None)
        if file is not None and not Path(file).is_file():
            raise click.UsageError(f"--config: no such file: {file}", ctx)
        try:
            return load(settings_class(self.table), given, profile=profile, file=Path(file) if file else None)
        except MissingArgument as error:
            raise click.UsageError(f"{error} (usage: {ctx.command_path} --help)", ctx) from error


class SettingsGroup(SettingsCommand, click.Group):
    """A command that can be followed by the name of a sub-command."""

    allow_interspersed_args = True

    def __init__(self, work: Callable[[Any], int], table: str, *, name: str, epilog: str, usual: str) -> None:
        super().__init__(work, table, name=name, epilog=epilog, usual=usual)
        self.invoke_without_command, self.no_args_is_help = True, False
        self.subcommand_metavar = "[COMMAND]"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The first word decides: it is a sub-command, or one of the arguments of the command itself."""
        if args and args[0] in self.commands:
            ctx._protected_args, ctx.args = args[:1], args[1:]  # noqa: SLF001 - as click.Group leaves them
            return ctx.args
        return click.Command.parse_args(self, ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        if ctx._protected_args:  # noqa: SLF001 - the name of the sub-command; click has no public name for it
            return click.Group.invoke(self, ctx)
        return super().invoke(ctx)


class Flag(click.Option):
    """One declared option. Values are converted like those of files and variables."""

    def __init__(self, option: Option) -> None:
        spelled = f"{option.flag}/--no-{option.flag[2:]}" if option.is_switch else option.flag
        super().__init__(
            [*([option.opt.short] if option.opt.short else []), spelled, option.name],
            type=bool if option.is_switch else OptionValue(option),
            multiple=option.is_list or bool(option.opt.unique),
            default=None,
            help=option.opt.help,
            metavar=option.metavar or None,
        )
        self.option = option

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        del ctx
        option = self.option
        short = f"{option.opt.short}, " if option.opt.short else ""
        spelled = f"{short}{option.flag}" + (f" {option.metavar}" if option.metavar else "")
        words = option.opt.help
        if option.choices and f"[{'|'.join(option.choices)}]" != option.metavar:
            words += f": {', '.join(option.choices)}"
        return spelled, words + (f" [default: {option.default_text}]" if option.default_text else "")


class OptionValue(click.ParamType):  # type: ignore[type-arg]  # generic only in newer releases of click
    """A text that stays one, with what a shell can complete it to."""

    name = "text"

    def __init__(self, option: Option) -> None:
        self.option = option

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The last one of `a,b` is completed where a comma separates values."""
        del ctx, param
        option = self.option
        before, comma, word = incomplete.rpartition(",") if option.opt.split else ("", "", incomplete)
        if option.opt.complete == "rules":
            from urlset.rules.catalogue import all_rules

            names = ((name, rule.card.summary) for rule in all_rules() for name in (rule.code, rule.name))
            return _starting(names, word, before + comma)
        if option.choices:
            return _starting(((choice, "") for choice in option.choices), word, before + comma)
        if option.is_path or option.opt.positional or option.metavar.endswith("FILE"):
            from click.shell_completion import CompletionItem

            return [CompletionItem(incomplete, type="dir" if option.metavar == "DIR" else "file")]
        return []


class _Profile(click.ParamType):  # type: ignore[type-arg]  # generic only in newer releases of click
    name = "text"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Built-in ones and those of the nearest settings file."""
        from pathlib import Path

        from urlset.settings.convert import SettingsError
        from urlset.settings.load import PROFILES
        from urlset.settings.sources import SettingsFile, find_file

        del ctx, param
        names = dict.fromkeys(PROFILES)
        try:
            found = find_file(Path.cwd())
            names |= dict.fromkeys(SettingsFile(found).profiles if found is not None else ())
        except SettingsError:
            pass  # a broken file is reported by the command, not by the shell
        return _starting(((name, "") for name in names), incomplete, "")


def _starting(found: Iterable[tuple[str, str]], word: str, before: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [
        CompletionItem(before + name, help=help_text or None)
        for name, help_text in found
        if name.lower().startswith(word.lower())
    ]


class _Argument(click.Argument):
    def __init__(self, option: Option) -> None:
        count, kind = -1 if option.is_list else 1, OptionValue(option)
        super().__init__([option.name], nargs=count, required=False, type=kind, metavar=option.metavar)

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Of its own command only: click puts those of a group in front of the names of its sub-commands."""
        own = isinstance(ctx.command, SettingsCommand) and self in ctx.command.get_params(ctx)
        return super().get_usage_pieces(ctx) if own else []


def _help_all() -> click.Option:
    def show(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
        if wanted:
            ctx.meta[_ALL_OPTIONS] = True
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()

    help_text = "Show this message with all options and exit"
    return click.Option(["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=show, help=help_text)
