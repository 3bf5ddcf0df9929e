"""A folder → the site in it: its generator, the folder it is built into, its URL, and the sitemaps that are there.

Nothing is run and nothing is fetched: names of files, and a few settings read from their text. A new generator is one
row of `GENERATORS`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Literal

import msgspec

from urlset.settings.sources import find_file
from urlset.writing.files import STATE_ROOT

Toolchain = Literal["node", "python", "ruby", "hugo", ""]


class SiteGenerator(msgspec.Struct, frozen=True):
    name: str
    toolchain: Toolchain
    files: tuple[str, ...]
    """settings of the generator, as patterns; one of them must be there"""
    output: tuple[str, ...] = ()
    """folders that it may write, the usual one first; `{config}` is the folder of the settings; none for a server"""
    package: str = ""
    """in package.json: a second sign, where the files alone are not enough"""
    needs_package: bool = False
    sign: str = ""
    """a pattern that the file must contain, where others have files of that name"""
    static: str = ""
    """a pattern that the file must contain, where the usual folder is written only on request"""
    output_key: str = ""
    """the setting that names another one"""
    url_key: str = ""
    """the setting with the URL of the site"""
    url_files: tuple[str, ...] = ()
    """other files that may have it"""
    path_key: str = ""
    """the setting with the path of the site, where the URL has none"""
    build: str = ""
    """the command that builds the site, with `{file}`, `{config}` and `{output}`; for Node.js the script `build`"""
    pip: str = ""
    """packages to install where there is no file of requirements"""


GENERATORS = (
    SiteGenerator(
        "Hugo",
        "hugo",
        ("hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config/_default/hugo.*", "config.*"),
        ("public",),
        sign=r"(?i)baseurl",
        output_key="publish[dD]ir",
        url_key="base[uU][rR][lL]",
        build="hugo",
    ),
    SiteGenerator(
        "Hexo",
        "node",
        ("_config.yml",),
        ("public",),
        package="hexo",
        needs_package=True,
        output_key="public_dir",
        url_key="url",
        build="npx hexo generate",
    ),
    SiteGenerator(
        "Jekyll",
        "ruby",
        ("_config.yml", "_config.yaml"),
        ("_site",),
        output_key="destination",
        url_key="url",
        path_key="baseurl",
        build="bundle exec jekyll build",
    ),
    SiteGenerator(
        "MkDocs",
        "python",
        ("mkdocs.yml", "mkdocs.yaml"),
        ("site",),
        output_key="site_dir",
        url_key="site_url",
        build="mkdocs build",
        pip="mkdocs",
    ),
    SiteGenerator(
        "Sphinx",
        "python",
        ("conf.py", "docs/conf.py", "doc/conf.py", "source/conf.py", "docs/source/conf.py"),
        ("{config}/_build/html", "_build/html", "docs/build/html", "build/html"),
        sign=r"(?m)^(?:extensions|project|html_theme)\s*=",
        url_key="html_baseurl",
        build="sphinx-build -b html {config} {output}",
        pip="sphinx",
    ),
    SiteGenerator("Docusaurus", "node", ("docusaurus.config.*",), ("build",), url_key="url", path_key="baseUrl"),
    SiteGenerator(
        "VitePress", "node", (".vitepress/config.*", "docs/.vitepress/config.*"), ("{config}/dist",), url_key="hostname"
    ),
    SiteGenerator(
        "Next.js",
        "node",
        ("next.config.*",),
        ("out", "public"),
        package="next",
        static=r"output\W+export",
        url_key="siteUrl",
        url_files=("next-sitemap.config.*",),
    ),
    SiteGenerator(
        "Nuxt",
        "node",
        ("nuxt.config.*",),
        (".output/public", "dist"),
        package="nuxt",
        url_key=r"site[\"']?\s*:\s*\{[^{}]*?\burl",
    ),
    SiteGenerator(
        "Astro",
        "node",
        ("astro.config.*",),
        ("dist",),
        package="astro",
        output_key="outDir",
        url_key="site",
        path_key="base",
    ),
    SiteGenerator("Gatsby", "node", ("gatsby-config.*",), ("public",), package="gatsby", url_key="siteUrl"),
    SiteGenerator(
        "Eleventy",
        "node",
        ("eleventy.config.*", ".eleventy.js"),
        ("_site",),
        package="@11ty/eleventy",
        output_key="output",
        url_key="url",
        url_files=("_data/metadata.*", "_data/site.*", "src/_data/metadata.*", "src/_data/site.*"),
    ),
    SiteGenerator(
        "SvelteKit",
        "node",
        ("svelte.config.*",),
        ("build",),
        package="@sveltejs/kit",
        needs_package=True,
        static="adapter-static",
    ),
    SiteGenerator(
        "Pelican",
        "python",
        ("publishconf.py", "pelicanconf.py"),
        ("output",),
        output_key="OUTPUT_PATH",
        url_key="SITEURL",
        build="pelican content -s {file}",
        pip="pelican[markdown]",
    ),
    SiteGenerator(
        "Zola",
        "",
        ("config.toml",),
        ("public",),
        sign=r"(?m)^base_url\s*=",
        output_key="output_dir",
        url_key="base_url",
    ),
    SiteGenerator("Django", "", ("manage.py",), sign="django"),
    SiteGenerator("WordPress", "", ("wp-config.php", "wp-load.php"), url_key="WP_HOME|WP_SITEURL"),
)
"""In the order in which they are looked for: the more specific before those with a file of the same name."""

_USUAL = ("public", "dist", "build", "_site", "site", "out", "output", "_build/html", "static", "www", "htdocs", "web")
_LONGEST = 200_000
_MOST_PAGES, _MOST_FOLDERS = 10_000, 2_000
_URL = r"(?P<value>https?://[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:/[\w.~/%-]*)?)"
_PATH = r"(?P<value>[\w./-]+)"
_LOC = re.compile(rf"<loc>\s*{_URL}|^\s*Sitemap:\s*{_URL.replace('value', 'stated')}", re.IGNORECASE | re.MULTILINE)
_COMMENT = re.compile(r"(?m)^\s*(?:#|//).*$")
_LOCAL = re.compile(r"https?://(?:localhost|127\.|0\.0\.0\.0|192\.168\.|10\.)")


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about the site in a folder. Paths are relative to it, with `/`; `.` is the folder itself."""

    folder: Path
    generator: SiteGenerator | None = None
    config: str = ""
    """the file that gave the generator away"""
    output: str = ""
    """the folder that the site is built into, whether or not it is there; empty if unknown"""
    base_url: str = ""
    url_from: str = ""
    """the file that states it"""
    sitemaps: int = 0
    """in the output"""
    pages: int = 0
    """HTML files in the output, of which there may be more"""
    settings: Path | None = None
    repository: Path | None = None
    """the folder above with the history of the project"""
    hosted: tuple[str, ...] = ()
    """`github`, `gitlab`: where the project seems to be kept"""
    has_state: bool = False

    @property
    def shown_output(self) -> str:
        return "./" if self.output == "." else f"{self.output}/"


def find_project(folder: Path) -> Project:
    """Never raises for what is in the folder; a file that cannot be read says nothing."""
    generator, config = _generator(folder)
    text = _text(folder / config) if config else ""
    output = _output(folder, generator, config, text)
    where = folder / output if output else folder
    url, stated_in = _base_url(folder, generator, config, output)
    repository = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)
    return Project(
        folder=folder,
        generator=generator,
        config=config,
        output=output,
        base_url=url,
        url_from=stated_in,
        sitemaps=_sitemaps(where) if output else 0,
        pages=sum(1 for _ in islice(_pages(where), _MOST_PAGES)) if output else 0,
        settings=find_file(folder),
        repository=repository,
        hosted=tuple(_hosted(repository or folder)),
        has_state=(folder / STATE_ROOT).is_dir(),
    )


def _generator(folder: Path) -> tuple[SiteGenerator | None, str]:
    described = _json(folder / "package.json")
    listed = (described.get(key) for key in ("dependencies", "devDependencies"))
    packages = frozenset(name for each in listed if isinstance(each, dict) for name in each)
    for generator in GENERATORS:
        if generator.needs_package and generator.package not in packages:
            continue
        for path in _matching(folder, generator.files):
            if not generator.sign or re.search(generator.sign, _text(path)):
                return generator, path.relative_to(folder).as_posix()
    named = (each for each in GENERATORS if each.package in packages)
    return next(((each, "package.json") for each in named), (None, ""))


def _output(folder: Path, generator: SiteGenerator | None, config: str, text: str) -> str:
    """What the settings say, else a folder that is there and has sitemaps or pages, else the usual one."""
    if generator is None:
        own: tuple[str, ...] = (".", *_USUAL)
    elif generator.output_key and (stated := _setting(text, generator.output_key, _PATH)):
        path = PurePosixPath(stated)
        own = () if path.is_absolute() or ".." in path.parts else (path.as_posix(),)
    else:
        home = PurePosixPath(config).parent.as_posix()
        own = tuple(PurePosixPath(each.format(config=home)).as_posix() for each in generator.output)
    for has in (_sitemaps, lambda path: (path / "index.html").is_file()):
        for name in own:
            if (folder / name).is_dir() and has(folder / name):
                return name
    is_written = generator is not None and (not generator.static or re.search(generator.static, text))
    return own[0] if own and is_written else ""


def _base_url(folder: Path, generator: SiteGenerator | None, config: str, output: str) -> tuple[str, str]:
    if generator is not None and generator.url_key:
        for path in (*_matching(folder, generator.url_files), *((folder / config,) if config else ())):
            text = _text(path)
            if (url := _setting(text, generator.url_key, _URL)) and not _LOCAL.match(url):
                below = _setting(text, generator.path_key, _PATH) if generator.path_key else ""
                return _with_path(url, below), path.relative_to(folder).as_posix()
    built = folder / output if output else folder
    for path in (*_matching(built, ("sitemap*.xml", "robots.txt")), *_matching(folder, ("public/robots.txt",))):
        found = _LOC.search(_text(path))
        url = (found["value"] or found["stated"]) if found else ""
        if url and not _LOCAL.match(url):
            return "/".join(url.split("/")[:3]) + "/", path.relative_to(folder).as_posix()
    for path in _matching(folder, ("CNAME", "static/CNAME", "public/CNAME", "docs/CNAME")):
        if re.fullmatch(r"[\w-]+(?:\.[\w-]+)+", host := _text(path).strip()):
            return f"https://{host}/", path.relative_to(folder).as_posix()
    home = _json(folder / "package.json").get("homepage")
    if isinstance(home, str) and re.fullmatch(_URL, home) and "github.com/" not in home:
        return _with_path(home, ""), "package.json"
    return "", ""


def _with_path(url: str, path: str) -> str:
    return f"{url.rstrip('/')}/{path.strip('/')}".rstrip("/") + "/"


def _setting(text: str, key: str, value: str) -> str:
    """The first value that fits, as TOML, YAML, JSON, JavaScript and Python write it."""
    marked = rf"(?<![\w.-])[\"']?(?:{key})(?![\w-])[\"']?\s*[:=,]?\s*[\"'`]?{value}"
    found = re.search(marked, _COMMENT.sub("", text))
    return found["value"] if found else ""


def _sitemaps(folder: Path) -> int:
    """As many as `urlset check FOLDER` reads."""
    from urlset.reading.disk import Missing, expand

    return sum(1 for found in expand(folder) if not isinstance(found, Missing))


def _pages(folder: Path) -> Iterator[Path]:
    """HTML files of a site, which has one for its home page."""
    folders = [folder] if (folder / "index.html").is_file() else []
    for _ in range(_MOST_FOLDERS):
        if not folders:
            return
        try:
            entries = sorted(folders.pop().iterdir())
        except OSError:
            continue
        for entry in entries:
            if entry.suffix in {".html", ".htm"}:
                yield entry
            elif not entry.name.startswith((".", "node_modules")) and entry.is_dir() and not entry.is_symlink():
                folders.append(entry)


def _hosted(root: Path) -> Iterator[str]:
    remote = _text(root / ".git" / "config")
    if (root / ".github").is_dir() or "github.com" in remote:
        yield "github"
    if (root / ".gitlab-ci.yml").is_file() or "gitlab" in remote:
        yield "gitlab"


def _matching(folder: Path, patterns: Iterable[str]) -> Iterator[Path]:
    for pattern in patterns:
        try:
            yield from sorted(path for path in folder.glob(pattern) if path.is_file())
        except OSError:
            continue


def _json(path: Path) -> dict[str, object]:
    try:
        found = json.loads(_text(path) or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _text(path: Path) -> str:
    """The beginning of a file; empty if there is none."""
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST).decode("utf-8", "replace")
    except OSError:
        return ""
