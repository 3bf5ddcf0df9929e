"""`urlset init`: what is in a folder → settings and a CI job; `urlset` alone → the commands that fit."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import FINDINGS, OK
from urlset.cli.terminal import Style, is_terminal, printable
from urlset.model.shown import amount

if TYPE_CHECKING:
    from urlset.settings.explain import InitSettings
    from urlset.workflows.init import Kind, NewFile
    from urlset.workflows.project import Project


@command(
    "init",
    epilog="Examples:\n  urlset init\n  urlset init --ci github --pre-commit\n  urlset init site/ --dry-run\n"
    "  urlset init --dates netlify",
)
def init(settings: InitSettings) -> int:
    """Write a commented urlset.toml for the site in this folder.

    Detects the generator, the folder it builds and the URL of the site from the files of the project. Runs and fetches
    nothing. --ci adds a job for GitHub or GitLab that builds the site and checks its sitemaps, --pre-commit the hooks
    for sitemaps kept in the repository; --dates prints the lines that run `urlset dates` after each build. In a
    terminal, init asks for what no option says. Existing files are never changed: the lines to add to them are printed.

    Exit code 0: everything is in place; 1: lines are left to add by hand.
    """
    from urlset.workflows.init import dates_recipe, new_file
    from urlset.workflows.project import find_project

    found = find_project(Path(settings.folder).resolve())
    asks = is_terminal(sys.stdin) and is_terminal(sys.stdout) and not settings.dry_run
    for line in described(found):
        click.echo(line)
    project = _completed(found, settings, asks=asks)
    kinds = [*_kinds(project, settings, asks=asks)]
    if not (project.output or project.base_url) and {"github", "gitlab"} & {*kinds}:
        raise click.UsageError("--ci: no site found here; name its folder with --output, or its URL with --base-url")
    codes = [OK]
    for file in [new_file(kind, project) for kind in kinds]:
        if settings.dry_run:
            click.echo(f"\n# {_shown(file.path)}\n{printable_lines(file.text)}", nl=False)
        else:
            codes.append(_write(file))
    if settings.dates is not None:
        lines = dates_recipe(settings.dates, project)
        start = "\n" if settings.dry_run else ""
        click.echo(f"{start}for honest dates, add to {lines.file}:\n\n{printable_lines(lines.text)}")
        codes.append(FINDINGS)
    if settings.dry_run:
        return OK
    if not project.output:
        check = f"urlset check {project.base_url}" if project.base_url else "set root and base-url in urlset.toml"
    elif not (project.folder / project.output).is_dir():
        check = "build the site, then urlset check"
    else:
        check = "urlset build" if project.pages and not project.sitemaps else "urlset check"
    click.echo(f"next: {printable(check)}")
    return max(codes)


def _completed(found: Project, settings: InitSettings, *, asks: bool) -> Project:
    """With what the options and the user say."""
    import msgspec

    output, url = settings.output or found.output, settings.base_url or found.base_url
    if asks and settings.output is None and found.settings is None:
        output = click.prompt("Folder the site is built into", default=output or "public")
    if asks and settings.base_url is None and found.settings is None:
        url = click.prompt("URL of that folder", default=url or "", show_default=bool(url))
    if url and "://" not in url:
        url = f"https://{url}"
    relative = Path(output).as_posix().rstrip("/") if output else ""
    return msgspec.structs.replace(found, output=relative, base_url=url and url.rstrip("/") + "/")


def _kinds(project: Project, settings: InitSettings, *, asks: bool) -> Iterator[Kind]:
    yield "settings"
    ci = settings.ci
    if ci is None and asks:
        usual = project.hosted[0] if project.hosted else "none"
        ci = click.prompt("CI job", type=click.Choice(["github", "gitlab", "none"]), default=usual)
    if ci == "github" or ci == "gitlab":  # noqa: PLR1714 - the type checker sees two values only so
        yield ci
    hooks = settings.pre_commit
    if hooks is None and asks:
        kept = project.folder / ".pre-commit-config.yaml"
        hooks = click.confirm("pre-commit hooks, for sitemaps in the repository", default=kept.is_file())
    if hooks:
        yield "pre-commit"


def _write(file: NewFile) -> int:
    shown = _shown(file.path)
    try:
        file.write()
    except FileExistsError:
        if file.is_done or file.path.name == "urlset.toml":
            click.echo(f"{shown} exists: unchanged")
            return OK
        click.echo(f"{shown} exists: unchanged. Add these lines:\n\n{printable_lines(file.addition)}")
        return FINDINGS
    except OSError as error:
        raise click.ClickException(f"{shown}: cannot be written: {error.strerror}") from error
    click.echo(f"wrote {shown}")
    return OK


def printable_lines(text: str) -> str:
    return "".join(f"{printable(line)}\n" for line in text.splitlines())


def _shown(path: Path) -> str:
    here = Path.cwd()
    return printable(str(path.relative_to(here) if path.is_relative_to(here) else path))


# `urlset` alone.


def look_around(summaries: Mapping[str, str]) -> None:
    """What is in this folder, and the one or two commands that fit, with what they do."""
    from urlset.workflows.project import find_project

    project = find_project(Path.cwd())
    style = Style.for_stream(sys.stdout)
    for line in described(project):
        click.echo(line)
    lines = [*_fitting(project)]
    width = max(map(len, lines))
    click.echo()
    for line in lines:
        does = summaries[line.split()[1]]
        click.echo(f"  {style.bold(line)}{' ' * (width - len(line))}  {style.dim(does)}")
    click.echo("\nAll commands: urlset --help")


def described(project: Project) -> Iterator[str]:
    """One fact a line; everything from files is made printable."""
    at = f" at {printable(project.base_url)}" if project.base_url else ""
    if project.generator is not None:
        yield f"{project.generator.name} site ({printable(project.config)}){at}"
    elif at:
        yield f"Site{at} ({printable(project.url_from)})"
    where = printable(project.shown_output)
    if project.sitemaps:
        yield f"{amount(project.sitemaps, 'sitemap')} in {where}"
    elif project.pages:
        yield f"no sitemap in {where}, {amount(project.pages, 'page')}"
    elif project.generator is not None and project.output:
        yield f"{where} is not there yet: build the site first"
    elif project.generator is None:
        yield "no sitemap and no site in this folder"
    if project.settings is not None:
        yield f"settings: {_shown(project.settings)}"


def _fitting(project: Project) -> Iterator[str]:
    where = printable(project.shown_output)
    where = f"'{where}'" if " " in where else where
    if project.sitemaps:
        yield f"urlset check {where}"
    elif project.pages:
        yield f"urlset build {where} --base-url {printable(project.base_url) or 'https://www.example.com/'}"
    elif project.base_url:
        yield f"urlset check {printable(project.base_url)}"
    else:
        yield "urlset check https://www.example.com/"
    known = project.generator is not None or project.sitemaps or project.pages
    if known and project.settings is None:
        yield "urlset init"
    elif not known:
        yield "urlset demo"
