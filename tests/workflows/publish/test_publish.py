"""A folder → a real S3 server and a folder store: what is uploaded, in which order, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from urlset.storage.guarded import LOCK, locked, probe
from urlset.storage.store import StorageError, Store
from urlset.workflows.publish.publish import PublishOptions, publish, rollback

pytest.importorskip("obstore")
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield "http://{}:{}".format(*server.get_host_and_port())
    server.stop()


@pytest.fixture
def options(
    endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> PublishOptions:
    import urllib.request

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "not-a-real-key-123")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    bucket = f"bucket-{abs(hash(request.node.name))}"
    urllib.request.urlopen(urllib.request.Request(f"{endpoint}/{bucket}", method="PUT")).close()
    write(tmp_path / "site", a=3, b=3)
    return PublishOptions(to=f"s3://{bucket}/site", folder=tmp_path / "site", endpoint=endpoint)


def write(folder: Path, **pages: int) -> None:
    folder.mkdir(exist_ok=True)
    for name, count in pages.items():
        urls = "".join(f"<url><loc>https://e.com/{name}/{n}</loc></url>" for n in range(count))
        (folder / f"{name}.xml").write_text(f"<urlset {NS}>{urls}</urlset>")
    children = "".join(f"<sitemap><loc>https://e.com/{name}.xml</loc></sitemap>" for name in pages)
    total = sum(pages.values())
    (folder / "sitemap.xml").write_text(f"<sitemapindex {NS}><!-- {total} -->{children}</sitemapindex>")


def test_only_changed_objects_are_uploaded(options: PublishOptions) -> None:
    assert set(publish(options).uploaded) == {"sitemap.xml", "a.xml", "b.xml"}
    assert publish(options).changed == ()
    assert options.folder is not None
    write(options.folder, a=4, b=3)
    assert set(publish(options).uploaded) == {"sitemap.xml", "a.xml"}


def test_a_generation_can_be_restored(options: PublishOptions) -> None:
    store = Store(options.to, endpoint=options.endpoint)
    publish(options)
    before = store.read("a.xml")
    assert options.folder is not None
    write(options.folder, a=9, b=3)
    publish(options)
    assert rollback(options, 1).uploaded == ()
    after = store.read("a.xml")
    assert before is not None
    assert after is not None
    assert after[0] == before[0]


def test_a_set_that_shrinks_is_refused(options: PublishOptions) -> None:
    publish(options)
    assert options.folder is not None
    write(options.folder, a=1, b=1)
    assert publish(options).refusals


def test_a_missing_child_is_refused(options: PublishOptions) -> None:
    assert options.folder is not None
    (options.folder / "b.xml").unlink()
    with pytest.raises(ValueError, match=r"b\.xml"):
        publish(options)


def test_a_lock_excludes_others_and_is_removed(options: PublishOptions) -> None:
    store = Store(options.to, endpoint=options.endpoint)
    found = probe(store)
    assert found.enforced
    with locked(store, found, 60), pytest.raises(StorageError, match="holds the lock"):
        publish(options)
    assert store.read(LOCK) is None


def test_a_folder_enforces_no_match_and_says_so(options: PublishOptions, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    to = PublishOptions(to=f"file://{tmp_path / 'out'}", folder=options.folder)
    assert "does not enforce" in publish(to).notes[0]
    assert publish(to).changed == ()
