"""The options of commands that take files and addresses alike, and how addresses are fetched by them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from urlset.cli.settings_options import load_settings
from urlset.cli.terminal import complain, printable
from urlset.cli.web_options import take_web_options, web_options
from urlset.reports.uri import is_address

if TYPE_CHECKING:
    from urlset.settings.options import Settings
    from urlset.workflows.live.setup import Live

Command = TypeVar("Command", bound=Callable[..., Any])
TARGETS = "FILE|PATTERN|FOLDER|URL|-..."
LIVE_NAMES = (
    "user_agent", "concurrency", "delay", "timeout", "allow_private", "private_host", "insecure", "ca_file",
    "record", "replay", "max_files",
)  # fmt: skip
"""what the options below are called"""
_SETTABLE = ("user_agent", "concurrency", "delay", "timeout", "max_files")


def live_options(command: Command) -> Command:
    """Those of fetching, and a limit on how many files one run may fetch."""
    limit = click.option(
        "--max-files", type=click.IntRange(1), metavar="N", help="Fetch at most N sitemaps in one run [50001]."
    )
    return web_options(limit(command))


def take_live(targets: Sequence[str], given: dict[str, Any], settings: Settings | None = None) -> Live | None:
    """Takes its own values out of what a command was given; None where nothing is to be fetched.

    What no option says is taken from [web] in the settings, which are loaded if they were not yet.
    """
    if not any(map(is_address, targets)):
        take_web_options(given)
        given.pop("max_files")
        return None
    from urlset.reading.host_robots import origin_of

    for target in filter(is_address, targets):
        if origin_of(target) is None:
            raise click.UsageError(f"{printable(target)} is not an address that can be fetched")
        if "@" in target.partition("//")[2].partition("/")[0]:
            raise click.UsageError("an address with a user name or password in it is not fetched: leave it out")
    web = (settings or load_settings(None, None, {}).settings).web
    for name in _SETTABLE:
        if given[name] is None:
            given[name] = getattr(web, name)
    from urlset.workflows.live.setup import MAX_FILES, Live

    most = given.pop("max_files")
    return Live(take_web_options(given), most or MAX_FILES, lambda line: complain(printable(line)))


@contextmanager
def recording_faults() -> Iterator[None]:
    """A --record or --replay file that is none is a wrong usage."""
    try:
        yield
    except ValueError as error:
        from urlset.web.cassette import RecordingError

        if isinstance(error, RecordingError):
            raise click.UsageError(printable(str(error))) from error
        raise
