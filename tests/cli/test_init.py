"""`urlset` alone and `urlset init` → what they find in typical folders, and the files they write."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import run
from urlset.settings.sources import SettingsFile
from urlset.workflows.project import GENERATORS, find_project

SITEMAP = """\
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://www.shop.com/a</loc></url>
</urlset>
"""


def put(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


SITES: dict[str, tuple[dict[str, str], str, str]] = {
    "Hugo": ({"hugo.toml": "baseURL = 'https://www.shop.com/'"}, "public", "https://www.shop.com/"),
    "Hugo, older": ({"config.yaml": "baseURL: https://www.shop.com\npublishDir: out"}, "out", "https://www.shop.com/"),
    "Hexo": (
        {"_config.yml": "url: https://www.shop.com", "package.json": '{"dependencies": {"hexo": "7"}}'},
        "public",
        "https://www.shop.com/",
    ),
    "Jekyll": ({"_config.yml": 'url: "https://www.shop.com"\nbaseurl: /blog'}, "_site", "https://www.shop.com/blog/"),
    "MkDocs": ({"mkdocs.yml": "site_url: https://www.shop.com/docs/\n"}, "site", "https://www.shop.com/docs/"),
    "Sphinx": (
        {"docs/conf.py": 'project = "x"\nhtml_baseurl = "https://docs.shop.com/"'},
        "docs/_build/html",
        "https://docs.shop.com/",
    ),
    "Docusaurus": (
        {"docusaurus.config.ts": "const c = {\n  url: 'https://www.shop.com',\n  baseUrl: '/docs/',\n}"},
        "build",
        "https://www.shop.com/docs/",
    ),
    "VitePress": (
        {"docs/.vitepress/config.mts": "sitemap: { hostname: 'https://www.shop.com' }"},
        "docs/.vitepress/dist",
        "https://www.shop.com/",
    ),
    "Next.js": (
        {
            "next.config.mjs": "export default { output: 'export' }",
            "next-sitemap.config.js": "module.exports = { siteUrl: 'https://www.shop.com' }",
        },
        "out",
        "https://www.shop.com/",
    ),
    "Next.js, a server": ({"next.config.js": "module.exports = {}"}, "", ""),
    "Nuxt": (
        {"nuxt.config.ts": "export default defineNuxtConfig({ site: { url: 'https://www.shop.com', name: 'x' } })"},
        ".output/public",
        "https://www.shop.com/",
    ),
    "Astro": ({"astro.config.mjs": "defineConfig({ site: 'https://www.shop.com' })"}, "dist", "https://www.shop.com/"),
    "Gatsby": ({"gatsby-config.js": "siteUrl: `https://www.shop.com`,"}, "public", "https://www.shop.com/"),
    "Eleventy": (
        {"eleventy.config.js": "", "_data/metadata.json": '{"url": "https://www.shop.com/"}'},
        "_site",
        "https://www.shop.com/",
    ),
    "SvelteKit": (
        {
            "svelte.config.js": "import adapter from '@sveltejs/adapter-static'",
            "package.json": '{"devDependencies": {"@sveltejs/kit": "2"}, "homepage": "https://www.shop.com"}',
        },
        "build",
        "https://www.shop.com/",
    ),
    "Pelican": (
        {"pelicanconf.py": "SITEURL = ''", "publishconf.py": "SITEURL = 'https://www.shop.com'"},
        "output",
        "https://www.shop.com/",
    ),
    "Zola": ({"config.toml": 'base_url = "https://www.shop.com"'}, "public", "https://www.shop.com/"),
    "Django": ({"manage.py": "import django"}, "", ""),
    "WordPress": ({"wp-config.php": "define('WP_HOME', 'https://www.shop.com');"}, "", "https://www.shop.com/"),
}


@pytest.mark.parametrize("name", SITES)
def test_a_generator_is_known_by_its_files(name: str, tmp_path: Path) -> None:
    files, output, url = SITES[name]
    project = find_project(put(tmp_path, files))
    assert project.generator is not None
    assert (project.generator.name, project.output, project.base_url) == (name.partition(",")[0], output, url)


def test_every_generator_has_a_case() -> None:
    assert {name.partition(",")[0] for name in SITES} == {each.name for each in GENERATORS}


@pytest.mark.parametrize(
    ("files", "url"),
    [
        ({"public/sitemap.xml": SITEMAP}, "https://www.shop.com/"),
        (
            {"public/index.html": "", "public/robots.txt": "Sitemap: https://www.shop.com/s.xml"},
            "https://www.shop.com/",
        ),
        ({"CNAME": "www.shop.com\n"}, "https://www.shop.com/"),
        ({"hugo.toml": "baseURL = 'http://localhost:1313/'"}, ""),
        (
            {"hugo.toml": "# baseURL = 'https://old.shop.com/'\nbaseURL = 'https://www.shop.com/'"},
            "https://www.shop.com/",
        ),
    ],
)
def test_the_url_is_what_the_files_state(files: dict[str, str], url: str, tmp_path: Path) -> None:
    assert find_project(put(tmp_path, files)).base_url == url


@pytest.mark.parametrize(
    ("files", "lines"),
    [
        (
            {"hugo.toml": "baseURL = 'https://www.shop.com/'", "public/sitemap.xml": SITEMAP, "public/b.xml": SITEMAP},
            ["Hugo site (hugo.toml) at https://www.shop.com/", "2 sitemaps in public/", "  urlset check public/"],
        ),
        (
            {"astro.config.mjs": "site: 'https://www.shop.com'"},
            ["dist/ is not there yet: build the site first", "  urlset check https://www.shop.com/", "  urlset init"],
        ),
        ({"index.html": "", "a/index.html": ""}, ["no sitemap in ./, 2 pages", "  urlset build ./ --base-url "]),
        ({"sitemap.xml": SITEMAP}, ["1 sitemap in ./", "  urlset check ./"]),
        ({}, ["no sitemap and no site in this folder", "  urlset check https://", "  urlset demo"]),
        ({"public/sitemap.xml": SITEMAP, "urlset.toml": ""}, ["settings: urlset.toml", "  urlset check public/"]),
    ],
)
def test_alone_in_a_terminal_it_looks_around(
    files: dict[str, str], lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(put(tmp_path, files))
    monkeypatch.setenv("NO_COLOR", "1")
    ran = run(terminal=True)
    assert (ran.code, ran.err) == (0, "")
    assert [line for line in lines if not any(each.startswith(line) for each in ran.lines)] == []
    suggested = [line.split()[1] for line in ran.lines if line.startswith("  urlset ")]
    assert 1 <= len(suggested) <= 2
    assert ("init" in suggested) == (bool(files) and "urlset.toml" not in files)


def test_in_a_pipe_it_is_the_help(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(put(tmp_path, {"sitemap.xml": SITEMAP}))
    assert run().text == run("--help").text


def test_names_of_files_cannot_drive_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(
        put(tmp_path, {"hugo.toml": "baseURL = 'https://www.shop.com/\x1b]0;x\x07'\npublishDir = 'a\x1b[2J'"})
    )
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run(terminal=True).text


def test_the_settings_hold_with_and_without_their_comments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(put(tmp_path, {"hugo.toml": "baseURL = 'https://www.shop.com/'", "public/sitemap.xml": SITEMAP}))
    ran = run("init")
    assert (ran.code, ran.lines[-2:]) == (0, ["wrote urlset.toml", "next: urlset check"])
    path = tmp_path / "urlset.toml"
    read = SettingsFile(path).tables
    assert read[""] == {"root": "public", "base-url": "https://www.shop.com/"}
    assert read["check"] == {"targets": ["public"]}
    assert run("check", "--select", "X").code == 0
    path.write_text(re.sub(r"(?m)^# (?=[\w-]+ = )", "", path.read_text()))
    everything = SettingsFile(path).tables
    assert everything[""].keys() >= {"fail-on", "ignore", "engines"}
    assert everything["build"] == {"sources": ["public"], "out": "public", "base-url": "https://www.shop.com/"}
    assert run("config", "check").code == 0


def test_a_folder_of_pages_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = "<!doctype html><title>A lamp</title><h1>A lamp</h1>"
    monkeypatch.chdir(put(tmp_path, {"www/index.html": page, "www/a.html": page}))
    assert run("init", "--base-url", "www.shop.com").lines[-1] == "next: urlset build"
    assert run("build").code == 0
    assert "https://www.shop.com/a.html" in (tmp_path / "www" / "sitemap.xml").read_text()


def test_existing_files_stay_and_the_lines_are_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {
        "urlset.toml": "fail-on = 'info'\n",
        ".gitlab-ci.yml": "stages: [test]\n",
        ".pre-commit-config.yaml": "repos: []\n",
    }
    monkeypatch.chdir(put(tmp_path, {"public/sitemap.xml": SITEMAP, **kept}))
    ran = run("init", "--ci", "gitlab", "--pre-commit")
    assert ran.code == 1
    assert "urlset.toml exists: unchanged\n" in ran.text
    assert ran.text.count("exists: unchanged. Add these lines:") == 2
    assert "    SITEMAP_TARGETS: public/" in ran.lines
    assert "      - id: urlset-check" in ran.lines
    assert {name: (tmp_path / name).read_text() for name in kept} == kept


def test_a_second_run_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(put(tmp_path, {"public/sitemap.xml": SITEMAP}))
    written = [run("init", "--ci", "github").code, run("init", "--ci", "github").code]
    assert written == [0, 0]


def test_a_dry_run_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(put(tmp_path, {"mkdocs.yml": "site_url: https://www.shop.com/"}))
    ran = run("init", "--ci", "github", "--dry-run")
    assert (ran.code, [path.name for path in tmp_path.iterdir()]) == (0, ["mkdocs.yml"])
    assert "      - run: mkdocs build" in ran.lines


def test_a_job_needs_something_to_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("init", "--ci", "github")
    assert (ran.code, [*tmp_path.iterdir()]) == (2, [])
    assert "name its folder with --output" in ran.err


@pytest.mark.parametrize("name", [*SITES, "below the top of a repository"])
@pytest.mark.parametrize(("kind", "file"), [("github", ".github/workflows/sitemaps.yml"), ("gitlab", ".gitlab-ci.yml")])
def test_the_job_obeys_its_schema(
    name: str, kind: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    check_jsonschema = pytest.importorskip("check_jsonschema")
    files, *_ = SITES.get(name, SITES["Astro"])
    home = tmp_path / "site" if name not in SITES else tmp_path
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(put(home, files) if files else home)
    assert run("init", "--ci", kind, "--base-url", "https://www.shop.com/").code == 0
    with pytest.raises(SystemExit) as ended:
        check_jsonschema.main(
            ["--builtin-schema", f"vendor.{kind}-{'workflows' if kind == 'github' else 'ci'}", str(tmp_path / file)]
        )
    assert ended.value.code == 0, capsys.readouterr().out
    job = pytest.importorskip("ruamel.yaml").YAML(typ="safe").load(tmp_path / file)
    if kind == "github":
        step = job["jobs"]["sitemaps"]["steps"][-1]
        assert step["uses"].startswith("urlset/urlset@")
        assert step["with"]["targets"].endswith("/")
        assert ("--config site/urlset.toml" in step["with"].get("args", "")) == (name not in SITES)
    else:
        assert job["urlset"]["variables"]["SITEMAP_TARGETS"].endswith("/")


def test_the_hooks_are_read_by_pre_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pre_commit")
    monkeypatch.chdir(put(tmp_path, {"public/sitemap.xml": SITEMAP}))
    assert run("init", "--pre-commit").code == 0
    command = [sys.executable, "-m", "pre_commit", "validate-config", ".pre-commit-config.yaml"]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0


@pytest.mark.posix
def test_in_a_terminal_it_asks_for_what_no_option_says(tmp_path: Path) -> None:
    import pty

    put(tmp_path, {"public/sitemap.xml": SITEMAP, ".github/x": ""})
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "urlset", "init"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        os.write(ours, b"\nwww.other.com\n\ny\n")  # the folder found, another URL, the CI found, hooks
        assert process.wait(timeout=60) == 0
    said = os.read(ours, 10_000).decode()
    os.close(ours)
    assert "Folder the site is built into [public]" in said
    assert "CI job (github, gitlab, none) [github]" in said
    assert SettingsFile(tmp_path / "urlset.toml").tables[""]["base-url"] == "https://www.other.com/"
    assert (tmp_path / ".github" / "workflows" / "sitemaps.yml").is_file()
    assert (tmp_path / ".pre-commit-config.yaml").is_file()


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("package.json", '"scripts": { "postbuild": "urlset dates dist/" }'),
        ("netlify", "&& urlset dates dist/"),
        ("vercel", "&& urlset dates dist/"),
        ("github", "- run: npm run build"),
        ("gitlab", "  - npm run build"),
    ],
)
def test_the_lines_for_dates_are_those_of_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, line: str
) -> None:
    (tmp_path / "astro.config.mjs").write_text('export default { site: "https://astro.example/" }\n')
    (tmp_path / "package.json").write_text('{"dependencies": {"astro": "5"}, "scripts": {"build": "astro build"}}')
    monkeypatch.chdir(tmp_path)
    dry = run("init", "--dates", place, "--dry-run")
    assert (dry.code, line in dry.text, (tmp_path / "urlset.toml").exists()) == (0, True, False)
    ran = run("init", "--dates", place)
    assert ran.code == 1, "lines are left to add"
    assert line in ran.text
    assert (tmp_path / "package.json").read_text().startswith('{"dependencies"'), "a file that is there stays"
