"""The options that several commands share, and how they become settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from urlset.settings.load import Loaded
    from urlset.settings.options import Settings

Command = TypeVar("Command", bound=Callable[..., Any])
SEVERITIES = ("error", "warning", "info")
ENGINES = ("protocol", "google", "bing", "yandex", "baidu", "seznam", "naver", "xsd-strict")


class CommaList(click.ParamType):  # type: ignore[type-arg]  # generic only in newer releases of click
    """`a,b` and repeated options alike."""

    name = "list"

    def __init__(self, choices: tuple[str, ...] = ()) -> None:
        self.choices = choices

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        parts = [part.strip() for part in str(value).split(",") if part.strip()]
        for part in parts:
            if self.choices and part not in self.choices:
                self.fail(f"{part!r} is not one of {', '.join(self.choices)}", param, ctx)
        return parts


def rule_options(command: Command) -> Command:
    """Which rules, for whom."""
    options = [
        click.option("--select", type=CommaList(), multiple=True, metavar="RULES",
                     help="Run only these: codes, family letters or names, as in L013,D,fragment-in-loc."),
        click.option("--ignore", type=CommaList(), multiple=True, metavar="RULES",
                     help="Do not run these; a code given to --select wins over its family here."),
        click.option("--engine", "engines", type=CommaList(ENGINES), multiple=True, metavar="ENGINES",
                     help=f"Whose rules count, the worst of them decides: {', '.join(ENGINES)}. "
                          "Default: protocol,google,bing."),
        click.option("--profile", metavar="NAME", help="A set of settings: strict, google, bing, yandex, everyone, or "
                                                       "one of your own under [profiles.NAME]."),
        click.option("--config", "config_file", type=click.Path(exists=True, dir_okay=False), metavar="FILE",
                     help="Read settings from FILE instead of the nearest urlset.toml or pyproject.toml."),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def site_options(command: Command) -> Command:
    """Where the files live on the web."""
    options = [
        click.option("--at", metavar="URL", callback=_web_address,
                     help="The address the sitemap lives at; rules about its location need it."),
        click.option("--root", type=click.Path(exists=True, file_okay=False), metavar="DIR",
                     help="The folder that holds the site: children of an index are found in it by their path."),
        click.option("--base-url", metavar="URL", help="The address that --root is served at."),
        click.option("--robots", type=click.Path(exists=True, dir_okay=False), metavar="FILE",
                     help="The site's robots.txt, for the rules that need it."),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def _web_address(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    """Rules that get no address of the web would all be silent, as if they had found nothing."""
    from urlset.model.address import Address

    if value is not None and not Address.parse(value).is_web:
        raise click.BadParameter(
            f"{value!r} is not an address like https://www.example.com/sitemap.xml", context, option
        )
    return value


def need_root(settings: Settings) -> None:
    """A root from a settings file or a variable is looked at only by the commands that open files in it."""
    if settings.root is not None and not Path(settings.root).is_dir():
        raise click.UsageError(f"root: no folder {settings.root!r}")


def load_settings(profile: str | None, config_file: str | None, given: dict[str, Any]) -> Loaded:
    """Settings from all layers; `given` holds the flags, None or empty where not given."""
    from urlset.settings.load import SettingsError, load

    flags = {key: _flat(value) for key, value in given.items() if value not in (None, ())}
    try:
        return load(flags, profile=profile, file=Path(config_file) if config_file else None)
    except SettingsError as error:
        raise click.UsageError(str(error)) from error


def _flat(value: Any) -> Any:
    return [part for each in value for part in each] if isinstance(value, tuple) else value
