"""docs/ci.md → proof that its settings load, its comments silence, and its commands end as it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.house.source_tree import ROOT
from urlset.checking.examples import wrap
from urlset.settings.load import load

PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
ENTRY = "<url><loc>https://www.example.com/{}</loc><lastmod>2026-11-01T10:00:00Z</lastmod></url>"


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1794744000")  # 2026-11-15
    public = tmp_path / "public"
    public.mkdir()
    (public / "sitemap.xml").write_text(wrap(ENTRY.format("a b")))
    return tmp_path


def test_the_settings_file_is_taken_as_it_stands(home: Path) -> None:
    (home / "urlset.toml").write_text(block("toml"))
    settings = load(environment={"URLSET_IGNORE": "F009,Q"}).settings
    assert (settings.root, settings.thresholds.stale_days, settings.web.timeout) == ("public", 90, 20)
    assert settings.ignore == ("F009", "Q")
    assert load(environment={}).settings.fail_on == "warning"
    assert load(profile="release", environment={}).settings.fail_on == "info"


def test_the_comments_silence() -> None:
    silenced, rest = block("xml").split("\n\n")
    Path("public/sitemap.xml").write_text(wrap(silenced + rest))
    ran = run("check", "public/", "--select", "L013,D019")
    assert "suppressed: 1 finding by a comment in the file (L013)" in ran.text
    assert (ran.code, ran.lines[-1]) == (0, "nothing found in 1 file with 1 entry")


def commands() -> list[list[str]]:
    folded = re.sub(r"\n +(?=--)", " ", PAGE)
    found = re.findall(r"(?:^    |run: |- )(urlset .+)", folded, re.MULTILINE)
    return [shlex.split(command, comments=True)[1:] for command in found]


def test_the_commands_run(home: Path) -> None:
    """One after the other; each finds the one fault, until it is known, or mended."""
    ran = [run(*(part for part in arguments if part not in (">", "sitemaps.patch"))).code for arguments in commands()]
    assert ran == [1, 1, 1, 0, 0, 1, 0]
    assert {"sitemaps.sarif", "sitemaps.json", "sitemaps-known.json"} <= {each.name for each in home.iterdir()}
