"""Sitemaps and tables in a bucket: every command that reads files reads them, with the same result as from disk."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import pytest

import urlset
from tests.cli.commands import run
from tests.storage.conftest import BASE, FILES
from tests.workflows.publish.stores import KEY
from urlset.storage.files import StoredFile

pytestmark = pytest.mark.network


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return tmp_path / "site"


@pytest.mark.parametrize("root", [False, True])
def test_a_check_finds_the_same_as_on_disk(site: StoredFile, folder: Path, root: bool) -> None:
    def found(home: StoredFile | Path) -> str:
        more = ["--root", home, "--base-url", BASE] if root else []
        result = run("check", home / "sitemap.xml", "--format", "json", *more)
        assert result.code == 1, result.err
        return result.text.replace(str(home), "HOME").replace("file://", "")

    stored = json.loads(found(site))
    assert stored == json.loads(found(folder))
    counts = {code: sum(each["code"] == code for each in stored["findings"]) for code in ("L021", "H016")}
    assert counts == {"L021": 10, "H016": 1}


def test_lists_descriptions_and_differences(site: StoredFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (site / "sitemap.xml").write([FILES["sitemap.xml"].replace(b"gone", b"a")])
    listed = run("ls", site / "sitemap.xml").lines
    assert (len(listed), listed[0]) == (102, f"{BASE}a0")
    assert run("ls", f"{site}/maps/").lines == listed
    assert run("ls", f"{site}/maps/[ab].xml*", "--count").text == "100\n"
    assert f"{site}/maps/b.xml.gz\n" in run("info", site / "sitemap.xml", "--follow").text
    assert run("snapshot", site / "sitemap.xml").code == 0
    (site / "maps/c.xml").write([FILES["maps/d.xml"]])
    changed = run("diff", f"{site}/sitemap.xml@latest", site / "sitemap.xml")
    assert "1 removed" in changed.text


def test_tables_are_built(site: StoredFile, tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for number in range(3):
        urls = [f"{BASE}p{number}-{row}" for row in range(2000)]
        path = tmp_path / "table.parquet"
        pq.write_table(pa.table({"loc": urls}), path, row_group_size=300)
        (site / f"export/day={number}/part.parquet").write([path.read_bytes()])
    (site / "export/_SUCCESS").touch()
    (site / "urls.csv").write([b"loc,lastmod\n" + f"{BASE}c1,2024-01-01\n".encode()])
    (site / "urls.jsonl.gz").write([gzip.compress(f'{{"loc": "{BASE}j1"}}\n'.encode())])
    sources = [f"{site}/export/", f"{site}/urls.csv", f"{site}/urls.json*", f"{site}/sitemap.xml"]
    result = run("build", *sources, "--out", tmp_path / "out", "--state", tmp_path / "state", "--format", "json")
    assert json.loads(result.out)["listed"] == 6000 + 2 + 92, result.err
    assert f"{BASE}p2-1999" in (tmp_path / "out" / "sitemap.xml").read_text()


@pytest.mark.usefixtures("bucket")
@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("s3://no-bucket/sitemap.xml", "s3://no-bucket: no such bucket"),
        ("s3://bucket/none.xml", "no such object or folder"),
        ("s3://bucket/none*.xml", "no object matches the pattern"),
        ("s3://key:hidden@bucket/a.xml", "set the variables of the provider"),
        ("s3://bucket/a.xml?X-Amz-Signature=hidden", "set the variables of the provider"),
    ],
)
def test_what_cannot_be_read_is_said_with_the_next_step(target: str, said: str) -> None:
    for command in (["check"], ["ls"], ["build", "--out", "unused"]):
        result = run(*command, target)
        assert result.code == 2
        assert said in " ".join((result.text + result.err).split())
        assert "hidden" not in result.text + result.err


@pytest.mark.usefixtures("bucket")
def test_the_extra_is_named_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    assert "pip install 'urlset[scale]'" in " ".join(run("check", "s3://bucket/a.xml").text.split())


def test_objects_are_not_fixed_in_place(site: StoredFile) -> None:
    for arguments in (["fix", f"{site}/sitemap.xml"], ["check", "--fix", f"{site}/sitemap.xml"]):
        assert run(*arguments).code == 2
    assert (site / "sitemap.xml").read_bytes() == FILES["sitemap.xml"]


def test_the_library_takes_the_same_urls(site: StoredFile) -> None:
    document = urlset.read(f"{site}/maps/a.xml")
    assert (document.name, len(document)) == (f"{site}/maps/a.xml", 60)
    verdict = urlset.check(f"{site}/sitemap.xml")
    assert len(verdict.documents) == 5
    refused = urlset.check("s3://key:hidden@bucket/a.xml", strict=False)
    assert "credentials" in refused.troubled[0]
    assert "hidden" not in refused.troubled[0]
    assert KEY not in repr(verdict)


def test_an_object_with_the_same_tag_is_not_read_again(bucket: StoredFile, tmp_path: Path) -> None:
    table = bucket / "rows.jsonl"
    build = [
        "build",
        table,
        "--base-url",
        BASE,
        "--out",
        tmp_path / "out",
        "--state",
        tmp_path / "state",
        "--format",
        "json",
    ]
    memory = tmp_path / "state" / "rows.bin"

    def listed() -> tuple[int, bool]:
        """How many pages, and whether rows were read: only then they are remembered anew."""
        memory.unlink(missing_ok=True)
        result = run(*build)
        assert result.code == 0, result.err
        return json.loads(result.text)["listed"], memory.exists()

    table.write([b'{"loc": "/a"}\n'])
    assert [listed(), listed()] == [(1, True), (1, False)]
    table.write([b'{"loc": "/a"}\n{"loc": "/b"}\n'])
    assert [listed(), listed()] == [(2, True), (2, False)]
    (bucket / "more.jsonl").write([b'{"loc": "/c"}\n'])
    build[1] = f"{bucket}/*.jsonl"
    assert [listed(), listed()] == [(3, True), (3, False)]
