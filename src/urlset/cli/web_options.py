"""The options of every command that fetches, and the WebOptions they mean."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from urlset.web.options import WebOptions

Command = TypeVar("Command", bound=Callable[..., Any])
SETTABLE = ("user_agent", "concurrency", "delay", "timeout")

_OPTIONS = (
    click.option("--user-agent", metavar="TEXT", help="Say this to servers instead of urlset/VERSION (+address)."),
    click.option("--concurrency", type=click.IntRange(1, 64), metavar="N", help="Requests at one host at a time [4]."),
    click.option(
        "--delay", type=click.FloatRange(0), metavar="SECONDS", help="Pause after each answer of a host; one at a time."
    ),
    click.option("--timeout", type=click.FloatRange(0.1), metavar="SECONDS", help="The most one answer may take [60]."),
    click.option("--allow-private", is_flag=True, help="Fetch from the hosts you name even if they are private."),
    click.option(
        "--private-host", multiple=True, metavar="HOST", help="Also fetch from this private host. Repeatable."
    ),
    click.option("--insecure", is_flag=True, help="Accept any TLS certificate."),
    click.option("--ca-file", metavar="FILE", help="Trust the certificates in FILE besides the system's."),
    click.option("--record", metavar="FILE", help="Keep every answer in FILE, to be replayed."),
    click.option("--replay", metavar="FILE", help="Take every answer from FILE; nothing is fetched."),
)


def web_options(command: Command) -> Command:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def fill_from_settings(given: dict[str, Any]) -> None:
    """What no option says about fetching is taken from [web] in the settings."""
    from urlset.cli.settings_options import load_settings

    web = load_settings(None, None, {}).settings.web
    for name in SETTABLE:
        if given[name] is None:
            given[name] = getattr(web, name)


def take_web_options(given: dict[str, Any]) -> WebOptions:
    """Takes its own values out of what a command was given."""
    from urlset.web.options import WebOptions

    timeout = given.pop("timeout")
    agent = given["user_agent"]
    if agent is not None and not (agent.isprintable() and agent.strip()):
        raise click.UsageError(f"--user-agent {agent!r} is no name: it is empty, or holds control characters")
    named = {
        "user_agent": given.pop("user_agent"),
        "concurrency": given.pop("concurrency"),
        "delay": given.pop("delay"),
        "total_timeout": timeout,
        "read_timeout": min(timeout, 20.0) if timeout else None,
        "connect_timeout": min(timeout, 10.0) if timeout else None,
        "allow_private": given.pop("allow_private"),
        "private_hosts": frozenset(given.pop("private_host")),
        "verify_tls": not given.pop("insecure"),
        **{name: Path(path) if (path := given.pop(name)) else None for name in ("ca_file", "record", "replay")},
    }
    if named["record"] and named["replay"]:
        raise click.UsageError("--record and --replay exclude each other")
    if named["replay"] and not named["replay"].is_file():
        raise click.UsageError(f"{named['replay']}: no such recording")
    if named["ca_file"] and not named["ca_file"].is_file():
        raise click.UsageError(f"--ca-file {named['ca_file']}: no such file")
    return WebOptions(**{name: value for name, value in named.items() if value is not None})
