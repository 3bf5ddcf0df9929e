"""A crawl of a site that scripts make: with a browser it is read like any other."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.commands import run
from urlset.testing import PageAnswer, Site
from urlset.testing.exchange import Routes

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("chromium") is None and not os.environ.get("REQUIRE_CHROMIUM"), reason="no chromium"
    ),
]
WORDS = " ".join(f"word {number} of this page alone" for number in range(30))
SHELL = "<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>"
APP = f"""
const links = {{"/": ["/a", "/b"], "/a": ["/c"], "/b": []}}[location.pathname] || [];
document.title = "Page " + location.pathname;
if (location.pathname === "/b") document.head.insertAdjacentHTML("beforeend", "<meta name=robots content=noindex>");
root.innerHTML = "<h1>" + location.pathname + "</h1><p>" + "{WORDS} ".repeat(2).replaceAll("word", location.pathname)
  + "</p>" + links.map(each => '<a href="' + each + '">' + each + "</a>").join(" ");
"""
ROUTES: Routes = {
    **dict.fromkeys(("/", "/a", "/b", "/c"), SHELL),
    "/app.js": PageAnswer(body=APP, type="text/javascript"),
}
FAST = ("--allow-private", "--timeout", "20")


def test_a_build_lists_what_scripts_link_to(tmp_path: Path) -> None:
    with Site(ROUTES) as site:
        command = ("build", site.url("/"), *FAST, "--state", tmp_path / "state", "--out")
        run(*command, tmp_path / "raw")
        assert site.counts()["/a"] == 0
        ran = run(*command, tmp_path / "rendered", "--render", "auto")
        assert ran.code == 0, ran.err
        listed = (tmp_path / "rendered" / "sitemap.xml").read_text()
    found = {path for path in ("/", "/a", "/b", "/c") if f"<loc>{site.url(path)}</loc>" in listed}
    assert found == {"/", "/a", "/c"}, "a script adds noindex to /b"


def test_a_missing_extra_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    ran = run("crawl", "https://www.example.com/", "--render", "always")
    assert ran.code == 2
    assert "no Chromium, Chrome or Edge was found" in ran.err
