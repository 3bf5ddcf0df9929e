"""The lines that run `urlset dates` after a build: the same in the documentation, and of the form their files have."""

from __future__ import annotations

import json
import tomllib

from tests.house.source_tree import ROOT
from urlset.workflows.init import recipe

PAGE = (ROOT / "docs" / "dates.md").read_text(encoding="utf-8")


def test_the_documentation_has_the_same_lines() -> None:
    assert recipe("package.json", "out/").text.strip() in PAGE
    assert recipe("vercel", "out/").text.strip() in PAGE
    assert recipe("netlify", "dist/").text.splitlines()[1].strip() in PAGE
    for line in recipe("github", "out/").text.splitlines():
        assert f"    {line}\n" in PAGE


def test_the_lines_can_be_read() -> None:
    assert json.loads(f"{{{recipe('package.json', 'out/').text}}}")["scripts"] == {"postbuild": "urlset dates out/"}
    assert json.loads(recipe("vercel", "out/").text)["buildCommand"].endswith("urlset dates out/")
    assert tomllib.loads(recipe("netlify", "dist/", "hugo").text)["build"]["publish"] == "dist"
    assert recipe("gitlab", "public/", "hugo").text.splitlines()[1] == "  - hugo"
