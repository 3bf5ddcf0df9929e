"""`urlset engines login` and `logout`: Search Console from nothing to the first report."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlset.cli.exit_codes import FINDINGS, OK
from urlset.cli.terminal import Style, is_terminal, printable
from urlset.version import HOME

if TYPE_CHECKING:
    from urlset.submitting.google import Property
    from urlset.workflows.engines_login import AccessCheck, SetupStep

_GUIDE = f"{HOME}/blob/main/docs/search-console.md"


@click.command()
@click.argument("engine", type=click.Choice(["google"]), default="google")
@click.option("--client", metavar="FILE", help="JSON file of your OAuth client (Desktop app)")
@click.option("--no-browser", is_flag=True, help="Print the URL instead of opening a browser")
@click.option("--dry-run", is_flag=True, help="Show every screen with simulated engines")
def login(engine: str, client: str | None, no_browser: bool, dry_run: bool) -> int:
    """Set up Search Console step by step, sign in, and check what works.

    Without credentials, a terminal shows each step in the Google Cloud console and checks its result; a pipe gets the
    list of steps. With credentials (GOOGLE_APPLICATION_CREDENTIALS, or an earlier login), each step is checked again.
    With --client, signs in at once. The token is kept in ~/.config/urlset/google.json, readable by you only. With
    --dry-run, nothing is sent to Google and nothing is kept.

    Exit code 0: everything works; 1: a step is missing.
    """
    from urlset.submitting.engine import SecretError
    from urlset.submitting.google import load_credentials

    del engine
    if dry_run:
        return _dry_run()
    if client is not None:
        _sign_in(Path(client), browse=not no_browser)
        return _checked(os.environ)
    try:
        load_credentials()
    except SecretError:
        if os.environ.get("GOOGLE_APPLICATION_CREDENTIALS", "").strip():
            raise
        return _walk(browse=not no_browser)
    return _checked(os.environ)


@click.command()
@click.argument("engine", type=click.Choice(["google"]), default="google")
def logout(engine: str) -> int:
    """Revoke the refresh token of `urlset engines login` and delete it."""
    from urlset.submitting.google import logout as sign_out
    from urlset.web.loop import run

    del engine
    click.echo(run(sign_out()))
    return OK


def _sign_in(client: Path, *, browse: bool) -> None:
    def show(address: str) -> None:
        click.echo(f"Open this URL to sign in:\n\n  {address}\n")
        if browse:
            click.launch(address)

    _granted(client, show, os.environ)


def _granted(
    client: Path,
    show: Callable[[str], None],
    environment: Mapping[str, str],
    shown: Callable[[str], str] = lambda text: text,
) -> None:
    from urlset.submitting.google import login as sign_in
    from urlset.web.loop import run

    path = run(sign_in(client, show, environment=environment))
    click.echo(printable(shown(f"Signed in. The token is saved in {path}.")))


def _checked(environment: Mapping[str, str], shown: Callable[[str], str] = lambda text: text) -> int:
    """Every step, with what to do about the one that fails; then the commands for the first report."""
    from urlset.web.api import Api
    from urlset.web.loop import run
    from urlset.workflows.engines_login import check_access

    async def ask() -> tuple[list[AccessCheck], list[Property]]:
        async with Api(tries=2) as api:
            return await check_access(api, environment)

    checks, properties = run(ask())
    style = Style.for_stream(sys.stdout)
    click.echo()
    for each in checks:
        mark = style.green("ok  ") if each.ok else style.red("fail")
        click.echo(f"  {mark}  {each.step}: {printable(shown(each.said))}")
        if each.advice:
            click.echo(f"        {printable(each.advice)}")
    click.echo()
    if not all(each.ok for each in checks):
        click.echo(f"Fix the last step, then run `urlset engines login` again. Every step is explained in\n  {_GUIDE}")
        return FINDINGS
    click.echo("Everything works. Your first report:")
    name = next((each.name for each in properties if each.verified), "https://www.example.com/")
    # that of a domain property has no scheme
    address = f"https://{name.partition(':')[2]}/" if name.startswith("sc-domain:") else name
    site = shlex.quote(printable(shown(address)))
    click.echo(f"  urlset engines status {site}")
    click.echo(f"  urlset engines index {site} --sample 200")
    return OK


# The walk: a step on the screen, then its check.


def _walk(*, browse: bool) -> int:
    from urlset.workflows.engines_login import BY_PERSON, BY_SERVICE

    talks = is_terminal(sys.stdin) and is_terminal(sys.stdout)
    click.echo("Search Console gives its reports to programs through a Google Cloud project of your own. It is free.")
    click.echo(f"Every step is explained in {_GUIDE}\n")
    if not talks:
        for title, steps in (("With your Google account", BY_PERSON), ("With a service account", BY_SERVICE)):
            click.echo(f"{title}:\n")
            for number, step in enumerate(steps, 1):
                _show(number, step)
        click.echo("Not signed in. Run `urlset engines login --client FILE` with the JSON of the OAuth client, or set")
        click.echo("GOOGLE_APPLICATION_CREDENTIALS to the key of the service account and run `urlset engines login`.")
        return FINDINGS
    click.echo("  1  your Google account: for your own machine")
    click.echo("  2  a service account: for servers and CI")
    by_person = click.prompt("Which one", type=click.Choice(["1", "2"]), default="1") == "1"
    click.echo()
    walked = BY_PERSON if by_person else BY_SERVICE[:-1]  # the last one needs the address in the key
    for number, step in enumerate(walked, 1):
        _show(number, step)
        if step is not walked[-1]:
            _pause()
    if by_person:
        _sign_in(_file("JSON file of the OAuth client", client=True), browse=browse)
        return _until_it_works(os.environ)
    path = _file("JSON file of the key", client=False)
    _show(len(BY_SERVICE), BY_SERVICE[-1])
    address = json.loads(path.read_text(encoding="utf-8"))["client_email"]
    click.echo(f"   The address to add: {printable(str(address))}\n")
    _pause()
    code = _until_it_works({**os.environ, "GOOGLE_APPLICATION_CREDENTIALS": str(path)})
    click.echo(f"\nKeep this in your shell or CI:\n  export GOOGLE_APPLICATION_CREDENTIALS={shlex.quote(str(path))}")
    return code


def _until_it_works(environment: Mapping[str, str]) -> int:
    while (code := _checked(environment)) != OK:
        if click.prompt("Enter to check again, q to stop", default="", show_default=False).strip().lower() == "q":
            break
    return code


def _file(what: str, *, client: bool) -> Path:
    from urlset.workflows.engines_login import file_problem

    while True:
        path = Path(click.prompt(what).strip().strip("'\"")).expanduser()
        problem = file_problem(path, client=client)
        if not problem:
            click.echo(printable(f"   ok  {path.name}\n"))
            return path
        click.echo(printable(f"   {problem}"))


def _pause() -> None:
    click.prompt("Enter when it is done", default="", show_default=False)
    click.echo()


def _show(number: int, step: SetupStep) -> None:
    style = Style.for_stream(sys.stdout)
    click.echo(style.bold(f"{number}. {step.title}"))
    click.echo(f"   {step.address}")
    for line in step.do:
        click.echo(f"   {line}")
    click.echo(f"   Then: {step.see}")
    click.echo(style.dim(f"   If not: {step.wrong}"))
    click.echo()


# The same screens with engines of this machine.


def _dry_run() -> int:
    from urlset.workflows.engines_login import BY_PERSON, SAMPLE, agreeing_browser, dry_run
    from urlset.writing.files import work_folder

    click.echo(f"Dry run: the engines are simulated, the site is {SAMPLE}/. Nothing is sent or kept.\n")
    for number, step in enumerate(BY_PERSON, 1):
        _show(number, step)
    with work_folder() as folder, dry_run(Path(folder)) as stage:

        def show(address: str) -> None:
            click.echo(f"Open this URL to sign in:\n\n  {address.partition('?')[0]}?client_id=…\n")

        _granted(stage.client, agreeing_browser(show), stage.environment, stage.shown)
        code = _checked(stage.environment, stage.shown)
        if code == OK:
            from urlset.cli.engines import index_lines, status_lines
            from urlset.settings.engines import IndexSettings, StatusSettings
            from urlset.workflows.engines_index import index
            from urlset.workflows.engines_status import status

            target, maps = f"{SAMPLE}/", (f"{SAMPLE}={stage.server}",)
            click.echo(f"\n  $ urlset engines status {target}")
            reported = status(StatusSettings(target=target, maps=maps), environment=stage.environment)
            click.echo("\n".join(status_lines(reported)))
            click.echo(f"\n  $ urlset engines index {target} --sample 30")
            settings = IndexSettings(target=target, maps=maps, sample=30, state=stage.state)
            click.echo("\n".join(index_lines(index(settings, environment=stage.environment))))
    return code
