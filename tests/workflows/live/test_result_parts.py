"""The rows of audits and crawls as Parquet parts: on disk and in a bucket, whole, and resumed without a request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.commands import Ran, run
from tests.storage.conftest import bucket, moto_store
from tests.workflows.audit_sites import page, sitemap
from urlset.execution.parts import write_part
from urlset.storage.paths import file_at
from urlset.testing import Site
from urlset.workflows.live import result_parts

if TYPE_CHECKING:
    from urlset.storage.paths import FilePath

__all__ = ["bucket", "moto_store"]
pytestmark = pytest.mark.network
PAGES = 12


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(result_parts, "ROWS", 5)
    with Site({}) as site:
        paths = [f"/p{number}" for number in range(PAGES)]
        site.routes["/"] = "".join(f'<a href="{path}">{path}</a>' for path in paths)
        site.routes.update({path: page(path) for path in paths})
        site.routes["/sitemap.xml"] = sitemap(map(site.url, paths))
        yield site


def audit(site: Site, state: Path, parts: object, *more: str) -> Ran:
    given = ("--allow-private", "--state", state, "--parts", parts, *more)
    return run("audit", site.url("/sitemap.xml"), *given)


def crawl(site: Site, state: Path, parts: object, *more: str) -> Ran:
    return run("crawl", site.url("/"), "--allow-private", "--state", state, "--parts", parts, *more)


def urls(folder: FilePath) -> list[str]:
    from pyarrow.parquet import read_table

    files = [folder / "parts" / f"part-{number:05}.parquet" for number in (1, 2, 3)]
    return [url for file in files for url in read_table(BytesIO(file.read_bytes()))["url"].to_pylist()]


@pytest.mark.parametrize(("work", "place"), [(audit, "bucket"), (crawl, "disk")])
def test_parts_are_resumed_without_a_request(
    site: Site,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    work: object,
    place: str,
) -> None:
    folder = tmp_path / "run" if place == "disk" else file_at(str(request.getfixturevalue("bucket")))
    real, written = write_part, list[str]()

    def killed(path: FilePath, chunks: object) -> None:
        if len(written) == 1:
            raise KeyboardInterrupt
        written.append(path.name)
        real(path, chunks)  # type: ignore[arg-type]

    monkeypatch.setattr(result_parts, "write_part", killed)
    assert work(site, tmp_path / "state", folder).code == 130  # type: ignore[operator]
    assert not (folder / "finished").exists()
    written.append("killed")
    assert work(site, tmp_path / "state", folder).code in (0, 1)  # type: ignore[operator]
    assert written == ["part-00001.parquet", "killed", "part-00002.parquet", "part-00003.parquet"]
    assert (folder / "finished").exists()
    assert {site.url(f"/p{number}") for number in range(PAGES)} <= set(urls(folder))
    counts = Counter(each.path for each in site.log if each.path.startswith("/p"))
    assert set(counts.values()) == {1}


def test_the_next_audit_replaces_the_parts(site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    audit(site, tmp_path / "state", folder)
    site.routes["/sitemap.xml"] = sitemap([site.url("/p3")])
    audit(site, tmp_path / "state", folder)
    assert [path.name for path in (folder / "parts").iterdir()] == ["part-00001.parquet"]


@pytest.mark.usefixtures("bucket")
def test_a_bucket_that_cannot_be_used_is_said_before_anything_is_fetched(site: Site, tmp_path: Path) -> None:
    said = {
        "s3://no-bucket/run": "s3://no-bucket: no such bucket",
        "s3://a:hidden@b/run": "credentials in a storage URL",
    }
    for work in (audit, crawl):
        for folder, why in said.items():
            ran = work(site, tmp_path / "state", folder)
            assert ran.code == 2
            assert why in ran.err
            assert "hidden" not in ran.err
    assert not site.log
