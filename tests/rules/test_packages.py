"""A package with rules of its own, installed with pip → its rules in every command, beside those of urlset."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.installed import offline
from tests.house.source_tree import ROOT
from urlset.checking.declare import wrap

SAMPLE = ROOT / "docs" / "samples" / "acme-sitemaps"
SITEMAP = wrap("<url><loc>https://shop.example.com/catalog/lamp</loc><lastmod>2026-11-01</lastmod></url>")


pytestmark = pytest.mark.slow  # a package is installed


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built and installed as any package is; a copy, because building writes beside the sources."""
    home = tmp_path_factory.mktemp("packages")
    shutil.copytree(SAMPLE, home / "source")
    target = home / "site-packages"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(target), str(home / "source")]
    done = subprocess.run(command, env=offline(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sitemap.xml").write_text(SITEMAP)
    return tmp_path


def urlset(packages: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(packages), str(ROOT / "src")])}
    command = [sys.executable, "-m", "urlset", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_its_rules_run_and_fix(installed: Path, site: Path) -> None:
    checked = urlset(installed, "check", "sitemap.xml", "--format", "json")
    assert checked.returncode == 1, checked.stderr
    [finding] = [each for each in json.loads(checked.stdout)["findings"] if each["code"].startswith("ACME")]
    assert (finding["code"], finding["name"], finding["line"]) == ("ACME001", "old-product-path", 3)
    assert urlset(installed, "check", "sitemap.xml", "--ignore", "ACME").returncode == 0
    fixed = urlset(installed, "fix", "sitemap.xml", "--only", "ACME001", "--unsafe")
    assert fixed.returncode == 0, fixed.stderr
    assert "https://shop.example.com/products/lamp" in (site / "sitemap.xml").read_text()


def test_a_family_of_urlset_does_not_take_them_in(installed: Path, site: Path) -> None:
    assert site.exists()
    only_live = urlset(installed, "explain", "rules", "--select", "A", "--format", "json")
    codes = {rule["code"] for rule in json.loads(only_live.stdout)["rules"]}
    assert "A001" in codes
    assert "ACME001" not in codes


def test_it_is_explained_with_its_source(installed: Path) -> None:
    reported = urlset(installed, "explain", "old-product-path")
    assert reported.returncode == 0
    assert "https://wiki.example.com/urls" in reported.stdout


def test_its_examples_are_a_test_of_one_line(installed: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(installed), str(ROOT / "src")])}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(SAMPLE), str(SAMPLE)]
    done = subprocess.run(command, env=environment, cwd=SAMPLE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


DIST_INFO = "[console_scripts]\nx = y:z\n\n[urlset.rules]\n{}\n\n[other]\na = b\n"


@pytest.mark.parametrize(
    ("line", "module", "complaint"),
    [
        ("A = broken_rules", "", "a prefix is 2 to 8 capital letters; single letters belong to urlset"),
        ("ZZ = broken_rules", "import nothing_like_that", "cannot import broken_rules: No module named"),
        ("ZZ = broken_rules", "", "module broken_rules has no rules; declare them with @rule"),
        ("OTHER = broken_rules", "from acme_sitemaps.rules import *", "code 'ACME001' must be OTHER and three digits"),
        ("ACME = broken_rules", "from acme_sitemaps.rules import *", "both use the prefix ACME"),
    ],
)
def test_a_broken_package_is_named(installed: Path, site: Path, line: str, module: str, complaint: str) -> None:
    packages = site / "more"
    info = packages / "broken_rules-0.1.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(DIST_INFO.format(line))
    (packages / "broken_rules.py").write_text(module)
    both = Path(f"{packages}{os.pathsep}{installed}")
    ran = urlset(both, "check", "sitemap.xml")
    assert ran.returncode == 2
    assert complaint in ran.stderr
    assert "broken_rules-0.1" in ran.stderr
