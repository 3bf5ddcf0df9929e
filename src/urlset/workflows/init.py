"""A project → the files that make urlset part of it: settings, a CI job, hooks. A file that is there stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple

import msgspec

from urlset.version import HOME
from urlset.workflows.project import Project

Kind = Literal["settings", "github", "gitlab", "pre-commit"]
Place = Literal["package.json", "netlify", "vercel", "github", "gitlab"]
SITE = "https://urlset.github.io/urlset"
REPOSITORY = "https://github.com/urlset/urlset"
TEMPLATE = "https://raw.githubusercontent.com/urlset/urlset/main/templates/gitlab.yml"
_NODE, _PYTHON, _RUBY = "22", "3.13", "3.4"
_IMAGES = {
    "node": f"node:{_NODE}",
    "python": f"python:{_PYTHON}",
    "ruby": f"ruby:{_RUBY}",
    "hugo": "debian:stable-slim",
}


class NewFile(msgspec.Struct, frozen=True):
    """What is written if there is no file of that name, or what to add to the one that is there."""

    path: Path
    text: str
    addition: str
    """the part that a file which is there lacks"""

    def write(self) -> None:
        """Raises FileExistsError, and OSError for anything else."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(self.text)

    @property
    def is_done(self) -> bool:
        """Whether a file that is there mentions urlset already."""
        try:
            return "urlset" in self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return False


def new_file(kind: Kind, project: Project) -> NewFile:
    """CI and hooks belong to the top of the repository, settings to the project."""
    top = project.repository or project.folder
    if kind == "settings":
        text = _settings(project)
        return NewFile(project.folder / "urlset.toml", text, text)
    if kind == "github":
        steps = "\n".join(_github_steps(project, top))
        return NewFile(top / ".github" / "workflows" / "sitemaps.yml", f"{_WORKFLOW}{steps}\n", f"{steps}\n")
    if kind == "gitlab":
        text = "\n".join(_gitlab(project, top)) + "\n"
        return NewFile(top / ".gitlab-ci.yml", f"# Sitemaps: {SITE}/ci/#gitlab\n{text}", text)
    return NewFile(top / ".pre-commit-config.yaml", f"repos:\n{_HOOKS}", _HOOKS)


def _settings(project: Project) -> str:
    folder = project.output or "public"
    known = "" if project.output else "# "
    found = f" ({project.generator.name}: {project.config})" if project.generator else ""
    stated = f" ({project.url_from})" if project.url_from else ""
    url = project.base_url or "https://www.example.com/"
    mark = "" if project.base_url else "# "
    builds = "" if project.pages and not project.sitemaps and project.generator is None else "# "
    return f"""\
# Settings of urlset. All keys: `urlset config`. Documentation: {SITE}/ci/#settings

# The folder that holds the built site{found}, and its URL{stated}.
{known}root = {_quoted(folder)}
{mark}base-url = {_quoted(url)}

# Minimum severity that fails a run: error, warning or info.
# fail-on = "error"

# Rules to skip: codes, families or names. List: `urlset explain rules`.
# ignore = ["fragment-in-loc"]

# Search engines to check for.
# engines = ["protocol", "google", "bing"]

[check]
# `urlset check` without arguments checks these.
{known}targets = [{_quoted(folder)}]

[build]
# `urlset build` without arguments lists the pages of this folder and writes the sitemaps into it.
{builds}sources = [{_quoted(folder)}]
{builds}out = {_quoted(folder)}
{builds or mark}base-url = {_quoted(url)}
"""


def _quoted(text: str) -> str:
    return msgspec.json.encode(text).decode()


_WORKFLOW = f"""\
# Checks the sitemaps of every push and pull request: {SITE}/ci/
name: Sitemaps

on:
  push:
    branches: [main]
  pull_request:

permissions:
  contents: read

jobs:
  sitemaps:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    steps:
"""


def _github_steps(project: Project, top: Path) -> Iterator[str]:
    home = _below(project.folder, top)
    yield "      - uses: actions/checkout@v5"
    yield "        with: {persist-credentials: false}"
    yield "      - uses: actions/setup-python@v6"
    yield f'        with: {{python-version: "{_PYTHON}"}}'
    toolchain = project.generator.toolchain if project.generator else ""
    if toolchain == "node":
        yield "      - uses: actions/setup-node@v5"
        yield f"        with: {{node-version: {_NODE}}}"
    elif toolchain == "ruby":
        yield "      - uses: ruby/setup-ruby@v1"
        inside = f", working-directory: {home}" if home else ""
        yield f'        with: {{ruby-version: "{_RUBY}", bundler-cache: true{inside}}}'
    elif toolchain == "hugo":
        yield "      - run: sudo snap install hugo"
    for command in build_commands(project):
        yield f"      - run: {command}"
        if home:
            yield f"        working-directory: {home}"
    yield "      - uses: urlset/urlset@main # pin a tag or a commit"
    yield "        with:"
    yield f"          targets: {_target(project, home)}"
    if home:
        yield f"          args: --config {home}/urlset.toml"


def _gitlab(project: Project, top: Path) -> Iterator[str]:
    home = _below(project.folder, top)
    yield "include:"
    yield f"  - remote: {TEMPLATE}"
    yield ""
    commands = [*build_commands(project)]
    if commands:
        assert project.generator is not None
        toolchain = project.generator.toolchain
        first = {"hugo": ["apt-get update && apt-get install -y hugo"], "ruby": ["bundle install"]}.get(toolchain, [])
        yield "site: # the job that builds the site, if there is none yet"
        yield "  stage: build"
        yield f"  image: {_IMAGES[toolchain]}"
        yield "  script:"
        yield from (f"    - {command}" for command in [*([f"cd {home}"] if home else []), *first, *commands])
        yield "  artifacts:"
        yield f"    paths: [{_target(project, home)}]"
        yield ""
    yield "urlset:"
    yield "  variables:"
    yield f"    SITEMAP_TARGETS: {_target(project, home)}"
    if home:
        yield f"    SITEMAP_ARGS: --config {home}/urlset.toml"


_HOOKS = f"""\
  - repo: {REPOSITORY}
    rev: main # pin a tag
    hooks:
      - id: urlset-fix
      - id: urlset-check
"""


# A place where sites are built → the lines that run `urlset dates` there after each build.


class Recipe(NamedTuple):
    file: str
    text: str


def recipe(place: Place, folder: str, build: str = "npm run build") -> Recipe:
    """`folder` is what the generator writes, `build` the command that runs it."""
    install, dates = f"pip install git+{HOME}", f"urlset dates {folder}"
    match place:
        case "package.json":
            return Recipe("package.json", f'"scripts": {{ "postbuild": "{dates}" }}\n')
        case "netlify":
            command = f"{build} && {install} && {dates}"
            return Recipe("netlify.toml", f'[build]\n  command = "{command}"\n  publish = "{folder.rstrip("/")}"\n')
        case "vercel":
            return Recipe("vercel.json", f'{{ "buildCommand": "{build} && pip3 install git+{HOME} && {dates}" }}\n')
        case "github":
            text = f"- run: {build}\n- run: {install} && {dates}\n"
            return Recipe(".github/workflows/deploy.yml", f"{text}- run: {_UNCHANGED} # or commit it here\n")
        case "gitlab":
            return Recipe(".gitlab-ci.yml", f"script:\n  - {build}\n  - {install} && {dates}\n  - {_UNCHANGED}\n")


_UNCHANGED = "git diff --exit-code sitemap.lock"


def dates_recipe(place: Place, project: Project) -> Recipe:
    """The lines for the dates of this project: its own folder and the last of its commands."""
    build = [*build_commands(project)]
    return recipe(place, f"{project.output or 'public'}/", build[-1] if build else "npm run build")


def build_commands(project: Project) -> Iterator[str]:
    """The commands that make the folder which is checked; none where a site is not built, or only served."""
    generator = project.generator
    if generator is None or not project.output:
        return
    folder = project.folder
    if generator.toolchain == "node":
        if (folder / "pnpm-lock.yaml").is_file():
            yield "corepack enable && pnpm install --frozen-lockfile"
        elif (folder / "yarn.lock").is_file():
            yield "corepack enable && yarn install --frozen-lockfile"
        else:
            yield "npm ci" if (folder / "package-lock.json").is_file() else "npm install"
        yield generator.build or "npm run build"
        return
    if generator.toolchain == "python":
        lists = (name for name in ("requirements.txt", "docs/requirements.txt") if (folder / name).is_file())
        listed = next(lists, None)
        yield f"python -m pip install {f'-r {listed}' if listed else generator.pip}"
    if generator.build:
        config = PurePosixPath(project.config)
        yield generator.build.format(file=config.name, config=config.parent.as_posix(), output=project.output)


def _target(project: Project, home: str) -> str:
    """A site that is only served is checked where it is served."""
    if not project.output:
        return project.base_url
    return f"{PurePosixPath(home or '.', project.output).as_posix()}/"


def _below(folder: Path, top: Path) -> str:
    below = folder.relative_to(top).as_posix()
    return "" if below == "." else below
