"""A folder → a real S3 server and a folder store: what is uploaded, in which order, and what is refused."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import urlset
from tests.workflows.publish.stores import Served
from urlset.cli.main import cli
from urlset.storage.guarded import LOCK, HeldLock, locked, probe
from urlset.storage.store import StorageError, Store
from urlset.workflows.publish import Generations, read_generations

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
SIGNED = "AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"


class Site:
    """A folder and its place in a store."""

    def __init__(self, folder: Path, served: Served) -> None:
        self.folder, (self.endpoint, self.to) = folder, served
        self.store = Store(self.to, endpoint=self.endpoint)

    def publish(self, **more: Any) -> urlset.PublishReport:
        return urlset.publish(self.folder, self.to, endpoint=self.endpoint, **more)

    def write(self, base: str = "https://e.com/", **pages: int) -> None:
        """`maps_b=3` is maps/b.xml with three pages."""
        names = {key.replace("_", "/"): count for key, count in pages.items()}
        for name, count in names.items():
            urls = "".join(f"<url><loc>https://e.com/{name}/{n}</loc></url>" for n in range(count))
            path = self.folder / f"{name}.xml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"<urlset {NS}>{urls}</urlset>")
        children = "".join(f"<sitemap><loc>{base}{name}.xml</loc></sitemap>" for name in names)
        total = sum(pages.values())
        (self.folder / "sitemap.xml").write_text(f"<sitemapindex {NS}><!-- {total} -->{children}</sitemapindex>")

    def text(self, name: str) -> str | None:
        found = self.store.read(name)
        return found[0].decode() if found else None


@pytest.fixture
def site(place: Served, tmp_path: Path) -> Site:
    made = Site(tmp_path / "site", place)
    made.write(a=3, maps_b=3)
    return made


def test_only_changed_objects_are_uploaded(site: Site) -> None:
    assert set(site.publish().uploaded) == {"sitemap.xml", "a.xml", "maps/b.xml"}
    again = asyncio.run(urlset.publish_async(site.folder, site.to, endpoint=site.endpoint))
    assert (again.changed, again.uploaded) == ((), ())
    site.write(a=4, maps_b=3)
    assert set(site.publish().uploaded) == {"sitemap.xml", "a.xml"}


def test_a_generation_can_be_restored(site: Site) -> None:
    site.publish()
    before = site.text("a.xml")
    site.write(a=9, maps_b=3)
    site.publish()
    assert site.publish(rollback=1).uploaded == ()
    assert site.text("a.xml") == before


def test_a_generation_without_its_index_does_not_count(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a kill between the generation and the index."""
    for count in (3, 4, 5):
        site.write(a=count, maps_b=3)
        if count == 5:
            monkeypatch.setattr("urlset.workflows.publish._Publish._write_index", lambda *_: None)
        site.publish()
    monkeypatch.undo()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "not-a-real-key-123")
    index = site.store.read("sitemap.xml")
    assert index is not None
    known = Generations(read_generations(site.store), index[0])
    assert (sorted(known.finished), sorted(known.unfinished)) == ([1, 2], [3])
    with pytest.raises(StorageError, match="3 was not finished"):
        site.publish(rollback=3)
    report = site.publish(rollback="previous")
    assert report.generation == 4
    assert "/a/2<" in (site.text("a.xml") or "")
    assert "/a/3<" not in (site.text("a.xml") or "")
    assert sorted(read_generations(site.store)) == [1, 2, 4]


def test_a_deleted_index_costs_no_generation(site: Site) -> None:
    for count in (3, 4):
        site.write(a=count, maps_b=3)
        site.publish()
    site.store.delete(["sitemap.xml"])
    report = site.publish()
    assert report.changed == ("sitemap.xml",)
    assert "deleted" in report.notes[0]
    assert sorted(read_generations(site.store)) == [1, 2, 3]


def test_refusals(site: Site) -> None:
    site.publish()
    site.write(a=1, maps_b=1)
    with pytest.raises(urlset.PublishRefused, match="shrink from 6 to 2 pages") as refused:
        site.publish()
    assert site.publish(strict=False).refusals == refused.value.report.refusals
    with pytest.raises(ValueError, match="no file"):
        site.publish(include=["*.md"])
    (site.folder / "maps" / "b.xml").unlink()
    with pytest.raises(ValueError, match=r"maps/b\.xml"):
        site.publish()
    with pytest.raises(TypeError):
        urlset.publish(None, site.to)


def test_the_folder_of_the_index_is_found_or_asked_for(site: Site) -> None:
    site.write(base="https://e.com/docs/", a=3, maps_b=3)
    assert site.publish(dry_run=True).changed
    (site.folder / "docs").mkdir()
    (site.folder / "docs" / "a.xml").write_text("another")
    site.write(base="https://e.com/docs/", a=3)
    with pytest.raises(ValueError, match="set `base_url`"):
        site.publish()
    assert set(site.publish(base_url="https://e.com/docs/").changed) == {"sitemap.xml", "a.xml"}


def test_extra_files_and_their_headers(site: Site) -> None:
    import gzip
    import urllib.request

    for name in ("sitemap.html", "sitemap.atom", "sitemap.rss", "llms.txt", "robots.txt", "other.txt"):
        (site.folder / name).write_text(name)
    (site.folder / "packed.xml.gz").write_bytes(gzip.compress(b"<urlset/>"))
    (site.folder / "packed.xml").write_bytes(gzip.compress(b"<urlset/>"))
    report = site.publish(include=["robots.txt", "packed.*"], cache_control="max-age=9")
    assert site.text("other.txt") is None
    assert "robots.txt" in report.uploaded
    expected = {
        "sitemap.xml": ("application/xml", None),
        "maps/b.xml": ("application/xml", None),
        "sitemap.html": ("text/html; charset=utf-8", None),
        "sitemap.atom": ("application/atom+xml", None),
        "sitemap.rss": ("application/rss+xml", None),
        "llms.txt": ("text/plain; charset=utf-8", None),
        "robots.txt": ("text/plain; charset=utf-8", None),
        "packed.xml.gz": ("application/gzip", None),
        "packed.xml": ("application/xml", "gzip"),
    }
    prefix = site.to.removeprefix("s3://")
    for name, (kind, encoding) in expected.items():
        request = urllib.request.Request(f"{site.endpoint}/{prefix}/{name}", headers={"Authorization": SIGNED})
        with urllib.request.urlopen(request) as answer:
            assert (answer.headers["Content-Type"], answer.headers["Content-Encoding"]) == (kind, encoding), name
            assert answer.headers["Cache-Control"] == "max-age=9"


def test_a_lock_excludes_others_is_renewed_and_is_removed(site: Site) -> None:
    found = probe(site.store)
    assert found.enforced
    with locked(site.store, found, 1.5) as held:
        first = site.text(LOCK)
        with pytest.raises(StorageError, match="holds the lock"):
            site.publish()
        time.sleep(0.7)
        held.check()
        assert json.loads(site.text(LOCK) or "")["renewed"] > json.loads(first or "")["renewed"]
    assert site.store.read(LOCK) is None


def test_a_lock_that_was_lost_stops_the_publish(site: Site) -> None:
    found = probe(site.store)
    with locked(site.store, found, 0.3) as held:
        site.store.write(LOCK, b'{"token": "another", "seconds": 60}', {})
        time.sleep(0.5)
        with pytest.raises(StorageError, match="lock was lost"):
            held.check()
    assert "another" in (site.text(LOCK) or "")


def test_a_lock_that_expired_is_taken_over_and_garbage_is_one(site: Site) -> None:
    for data, seconds in ((b'{"token": "dead", "seconds": 1}', 2.1), (b"garbage", 0.0)):
        site.store.write(LOCK, data, {})
        time.sleep(seconds)
        taking = HeldLock(site.store, probe(site.store), 60)
        if seconds:
            taking.take()
            taking.release()
        else:
            with pytest.raises(StorageError, match="holds the lock"):
                taking.take()


def test_changed_addresses_are_purged_and_again_where_that_failed(site: Site, tmp_path: Path) -> None:
    log = tmp_path / "purged"
    command = shlex.join([sys.executable, "-c", f"import sys; open({str(log)!r}, 'a').write(sys.stdin.read())"])
    assert site.publish(purge=shlex.join([sys.executable, "-c", "raise SystemExit(3)"]), strict=False).purge_failed
    assert site.publish(purge="no-such-command-here", strict=False).purge_failed
    assert site.publish(purge=command).purge_failed is None
    everything = {"https://e.com/sitemap.xml", "https://e.com/a.xml", "https://e.com/maps/b.xml"}
    assert set(log.read_text().split()) == everything
    assert site.publish(purge=command).purge_failed is None
    site.write(a=4, maps_b=3)
    site.publish(purge=command)
    assert log.read_text().split()[3:] == ["https://e.com/sitemap.xml", "https://e.com/a.xml"]


def test_a_folder_enforces_no_match_and_says_so(site: Site, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    to = f"file://{tmp_path / 'out'}"
    assert "does not enforce" in urlset.publish(site.folder, to).notes[0]
    assert urlset.publish(site.folder, to).changed == ()
    assert (tmp_path / "out" / "maps" / "b.xml").read_text() == (site.folder / "maps" / "b.xml").read_text()


def test_a_build_can_end_in_a_store(place: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("URLSET_PUBLISH_ENDPOINT", place[0])
    (tmp_path / "urls.txt").write_text("https://e.com/a\nhttps://e.com/b\n")
    given = ["build", "urls.txt", "--out", place[1], "--base-url", "https://e.com/", "--llms", "--format", "json"]
    bodies = []
    for _ in range(2):
        result = CliRunner().invoke(cli, given, standalone_mode=False)
        assert result.return_value == 0, (result.output, result.exception)
        bodies.append(json.loads(result.stdout)["storage"])
    assert set(bodies[0]["uploaded"]) == {"sitemap.xml", "llms.txt"}
    assert bodies[1]["changed"] == []
    assert not (tmp_path / "s3:").exists()
    bad = CliRunner().invoke(cli, [*given[:3], "ftp://x/y"], standalone_mode=False)
    assert "unknown storage URL" in str(bad.exception)


def test_mistakes_with_a_bucket_are_said_plainly(moto_store: Served, tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text(f"<urlset {NS}><url><loc>https://e.com/</loc></url></urlset>")
    endpoint = moto_store[0]
    with pytest.raises(StorageError, match=r"^s3://missing: no such bucket$"):
        urlset.publish(tmp_path, "s3://missing/site", endpoint=endpoint)
    for nameless in ("s3://", "gs:///site", "az://"):
        with pytest.raises(StorageError, match=r"names no bucket; write \w+://BUCKET/FOLDER"):
            urlset.publish(tmp_path, nameless)
    with pytest.raises(StorageError, match=r"^cannot connect to the storage of s3://bucket: check the network"):
        urlset.publish(tmp_path, "s3://bucket/site", endpoint="http://127.0.0.1:9")
