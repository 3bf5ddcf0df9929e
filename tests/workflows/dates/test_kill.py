"""`urlset dates`, killed before any of its changes to the disk → the next run ends where an undisturbed one does."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

import urlset
from tests.workflows.dates.built_site import BuiltSite, page
from tests.workflows.kill_points import child

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="no fork")]


def killed(folder: Path, fuse: int) -> bool:
    """Whether it was killed before it came to its end."""
    process = os.fork()
    if process == 0:
        try:
            os.chdir(folder)
            child(folder, ["dates", "public", "--quiet"], fuse)
        finally:
            os._exit(9)
    return os.WIFSIGNALED(os.waitpid(process, 0)[1])


def outcome(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in ("sitemap.lock", "public/sitemap.xml")}


def test_every_moment(tmp_path: Path) -> None:
    original = tmp_path / "original"
    site = BuiltSite(original)
    assert not killed(original, 1 << 30)
    site.write()
    (site.public / "a" / "index.html").write_text(page("a", "The whole text is new."), encoding="utf-8")
    whole = tmp_path / "whole"
    shutil.copytree(original, whole)
    assert not killed(whole, 1 << 30)
    kills = 0
    for fuse in range(200):
        folder = tmp_path / "work"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(original, folder)
        if not killed(folder, fuse):
            break
        kills += 1
        left = outcome(folder)
        for name, data in left.items():
            assert data in (outcome(original)[name], outcome(whole)[name]), (fuse, name)
        assert len(urlset.read(folder / "public" / "sitemap.xml")) == 5
        assert not killed(folder, 1 << 30)
        assert outcome(folder) == outcome(whole), fuse
        assert [path.name for path in (folder / "public").iterdir() if path.name.startswith(".")] == []
    assert kills > 5
    assert outcome(folder) == outcome(whole)
