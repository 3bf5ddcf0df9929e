"""`pre-commit try-repo` on a site's repository → what its owner sees, with the hooks as this tree has them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.installed import committed, offline, once, source_copy
from urlset.checking.declare import wrap

BARE_AMPERSAND = wrap("<url><loc>https://www.example.com/lamps?color=red&size=2</loc></url>")


@once
@pytest.mark.slow
def test_the_hooks_check_and_fix_sitemaps(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "public").mkdir(parents=True)
    sitemap = site / "public" / "sitemap.xml"
    sitemap.write_text(BARE_AMPERSAND)
    (site / "feed.xml").write_text("<not-a-sitemap & never looked at>")
    committed(site)
    (tmp_path / "hooks").mkdir()
    hooks = source_copy(tmp_path / "hooks")
    command = [sys.executable, "-m", "pre_commit", "try-repo", str(hooks), "--all-files", "--color=never"]
    ran = subprocess.run(command, cwd=site, env=offline(), capture_output=True, text=True, check=False)
    check, _, fix = ran.stdout.partition("urlset fix.")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "hook id: urlset-check\n- exit code: 1" in check
    assert "public/sitemap.xml:3:" in check
    assert "X010" in check
    assert "feed.xml" not in ran.stdout
    assert "hook id: urlset-fix\n- files were modified by this hook" in fix
    assert sitemap.read_text() == BARE_AMPERSAND.replace("&size", "&amp;size")
