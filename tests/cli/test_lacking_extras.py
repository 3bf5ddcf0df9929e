"""Every command without the packages of the extras → a message that names exactly one extra, which has them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

from tests.house.source_tree import ROOT

EXTRAS: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
FOR_PEOPLE = {"seo", "browser", "data", "scale", "mcp"}
OPTIONAL = (
    *("pyarrow", "pyarrow.parquet", "duckdb", "xlsxwriter", "python_calamine", "starlette", "uvicorn", "argon2"),
    *("cronsim", "google.auth", "playwright", "playwright.async_api", "polars", "pandas", "obstore", "ray"),
    *("sqlalchemy", "mcp", "mcp.server", "uvloop", "zlib_ng"),
)
WITHOUT = f"""
import sys
sys.modules.update(dict.fromkeys({OPTIONAL!r}))
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name in {OPTIONAL!r}:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Nothing())
import contextlib, io, json
from urlset.cli.main import main
found = []
for command in json.load(sys.stdin):
    text = io.TextIOWrapper(io.BytesIO(), write_through=True)
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        code = main(command)
    found.append((code, text.buffer.getvalue().decode()))
print(json.dumps(found))
"""
SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.com/</loc></url></urlset>'
BASE = "https://www.example.com/"
CASES = [
    ("seo", ["snapshot", "sitemap.xml"]),
    ("seo", ["serve", "--state", "."]),
    ("seo", ["demo", "--dashboard"]),
    ("seo", ["check", "sitemap.xml", "-o", "report.xlsx"]),
    ("seo", ["audit", "public", "--base-url", BASE, "-o", "report.xlsx"]),
    ("seo", ["diff", "sitemap.xml", "sitemap.xml", "-o", "report.xlsx"]),
    ("seo", ["crawl", "https://a.example/", "--out", "crawl.xlsx"]),
    ("seo", ["build", "table.xlsx", "--base-url", BASE, "--out", "out"]),
    ("seo", ["engines", "status", BASE, "--to", "google"]),
    ("seo", ["watch", "https://a.example/", "--check", "0 3 * * *", "--once"]),
    ("data", ["ls", "sitemap.xml", "-o", "urls.parquet"]),
    ("data", ["crawl", "https://a.example/", "--out", "crawl.parquet"]),
    ("data", ["build", "table.parquet", "--base-url", BASE, "--out", "out"]),
    ("scale", ["check", "s3://bucket/sitemap.xml"]),
    ("scale", ["ls", "sitemap.xml", "--executor", "ray"]),
    ("scale", ["check", "sitemap.xml", "--executor", "ray"]),
    ("scale", ["publish", "public", "s3://bucket/site"]),
    ("scale", ["build", "--db", "postgresql://localhost/x", "--sql", "select 1", "--base-url", BASE, "--out", "out"]),
    ("browser", ["audit", "https://a.example/", "--render", "auto"]),
    ("browser", ["crawl", "https://a.example/", "--render", "always"]),
    ("mcp", ["mcp"]),
]


def test_a_command_names_one_extra(tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text(SITEMAP)
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "index.html").write_text("<title>A</title>")
    (tmp_path / "public" / "sitemap.xml").write_text(SITEMAP)
    with ZipFile(tmp_path / "table.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "")
    (tmp_path / "table.parquet").write_bytes(b"PAR1")
    key = tmp_path / "key.json"
    key.write_text(
        json.dumps({"type": "service_account", "client_email": "a@b.c", "private_key": "x", "token_uri": "y"})
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "GOOGLE_APPLICATION_CREDENTIALS": str(key)}
    commands = json.dumps([arguments for _, arguments in CASES])
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        input=commands,
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    for (extra, arguments), (code, text) in zip(CASES, json.loads(ran.stdout), strict=True):
        said = " ".join(text.split())
        assert code == 2, (arguments, said)
        assert set(re.findall(r"urlset\[(\w+)\]", said)) == {extra}, (arguments, said)
        assert "internal error" not in said


def test_every_extra_that_is_named_has_the_package() -> None:
    named = {
        (found[1], found[2])
        for path in (ROOT / "src" / "urlset").rglob("*.py")
        for found in re.finditer(r'library\("([\w.]+)", "(\w+)"', path.read_text(encoding="utf-8"))
    }
    assert len(named) > 4
    assert [(module, extra) for module, extra in named if extra not in FOR_PEOPLE] == []
    packages = {extra: " ".join(EXTRAS[extra]) for extra in FOR_PEOPLE}
    assert [(module, extra) for module, extra in named if module.partition(".")[0] not in packages[extra]] == []


def test_messages_name_extras_that_exist() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "src" / "urlset").rglob("*.py")]
    texts += [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")]
    named = {name for text in texts for name in re.findall(r"urlset\[(\w+)\]", text)}
    assert named <= EXTRAS.keys()
    assert named >= FOR_PEOPLE
