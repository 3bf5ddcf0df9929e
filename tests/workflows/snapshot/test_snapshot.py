"""Sites and folders → snapshots: complete, atomic, resumable, pruned, with what an audit knows."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import run
from tests.house.source_tree import ROOT
from tests.workflows.audit_sites import page, sitemap
from urlset.checking.declare import wrap
from urlset.snapshots.series import SnapshotError, read_info, series_of
from urlset.testing import PageAnswer, Request, Site
from urlset.testing.exchange import Reply
from urlset.web.options import WebOptions
from urlset.workflows.library.history import diff, history, snapshot

parquet = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("duckdb")
START = datetime(2026, 11, 1, 3, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(*paths: str, date: str = "2026-10-01") -> None:
    Path("site").mkdir(exist_ok=True)
    entries = (f"<url><loc>https://e.com{path}</loc><lastmod>{date}</lastmod></url>" for path in paths)
    Path("site/sitemap.xml").write_text(wrap("".join(entries)))


def test_a_row_for_every_entry_with_all_its_fields() -> None:
    image = "<image:image><image:loc>https://e.com/i.png</image:loc></image:image>"
    Path("s.xml").write_text(
        wrap(
            f"<url><loc>https://e.com/a</loc><lastmod>2026-10-01</lastmod><changefreq>daily</changefreq>"
            f"<priority>0.8</priority>{image}</url><url><loc> https://e.com/b </loc></url>"
        )
    )
    report = snapshot("s.xml", now=START)
    first, second = parquet.read_table(report.path).to_pylist()
    assert (first["file"], first["position"], first["loc"]) == ("s.xml", 0, "https://e.com/a")
    assert (first["lastmod"], first["changefreq"], first["priority"]) == ("2026-10-01", "daily", "0.8")
    assert first["images"] == '[{"loc":"https://e.com/i.png"}]'
    assert (second["position"], second["loc"], second["lastmod"], second["state"]) == (1, "https://e.com/b", None, None)
    assert first["loc_hash"] != second["loc_hash"]
    assert (report.info.entries, report.info.files[0].dated, report.info.files[0].newest) == (
        2,
        1,
        "2026-10-01T00:00:00+00:00",
    )


def test_the_series_is_pruned_and_found_by_time() -> None:
    for day in range(20):
        write("/a", *(f"/{number}" for number in range(day)))
        snapshot("site", now=START + timedelta(days=day), keep="3 daily")
    found = series_of(Path(".urlset"), "site").snapshots()
    assert [each.taken.day for each in found] == [18, 19, 20]
    now = START + timedelta(days=19, hours=2)
    with diff("site", since="yesterday", now=now) as report:
        assert (report.old.taken, report.summary.added) == ("2026-11-19T03:00:00+00:00", 1)
    with diff("site@previous", "site@latest", now=now) as report:
        assert (report.summary.added, report.summary.unchanged) == (1, 19)
    with diff("site@2026-10-01", "site", now=now) as report:
        assert any("no snapshot is as old as 2026-10-01" in note for note in report.notes)


def test_a_snapshot_and_a_file_can_be_compared_by_path() -> None:
    write("/a", "/b")
    path = snapshot("site", now=START).path
    write("/b", "/c")
    ran = run("diff", path, "site", "--format", "json", "--no-renames")
    assert json.loads(ran.text)["summary"] == {
        "added": 1, "removed": 1, "changed": 0, "moved": 0, "renamed": 0, "unchanged": 1
    }  # fmt: skip


def test_what_is_no_snapshot_is_refused() -> None:
    write("/a")
    Path("x.parquet").write_bytes(b"PAR1 but no more")
    assert run("diff", "x.parquet", "site").code == 2
    assert "there is no snapshot of it yet" in run("diff", "site", "--since", "yesterday").err
    assert "is not a time" in run("diff", "site", "--since", "whenever").err
    Path("empty.xml").write_text(wrap(""))
    with pytest.raises(SnapshotError, match="no URL is listed"):
        snapshot("empty.xml")
    assert not list(Path(".urlset/snapshots").glob("*/unfinished"))


class Shop:
    """An index of twelve sitemaps that answer slowly."""

    def __init__(self, pause: float) -> None:
        self.pause = pause
        self.asked: list[str] = []
        self.broken: set[str] = set()

    def __call__(self, request: Request) -> Reply | None:
        if request.path == "/index.xml":
            rows = "".join(f"<sitemap><loc>{request.origin}/s{n}.xml</loc></sitemap>" for n in range(12))
            return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</sitemapindex>'
        if request.path.startswith("/s"):
            self.asked.append(request.path)
            if request.path in self.broken:
                return None
            return PageAnswer(200, sitemap(f"{request.origin}{request.path}/{n}" for n in range(50)), pause=self.pause)
        return None


def command(site: Site) -> list[str]:
    target = site.url("/index.xml")
    return [sys.executable, "-m", "urlset", "snapshot", target, "--allow-private", "--format", "json"]


def test_a_killed_snapshot_is_resumed_where_it_stopped(home: Path) -> None:
    shop = Shop(0.15)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with Site(shop) as site:
        process = subprocess.Popen(command(site), cwd=home, env=environment, stdout=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while time.monotonic() < until and len(list(home.glob(".urlset/snapshots/*/unfinished/*.part"))) < 3:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        done = len(list(home.glob(".urlset/snapshots/*/unfinished/*.part")))
        assert 3 <= done < 12
        assert not list(home.glob(".urlset/snapshots/*/*.parquet")), "nothing half done has the name of a snapshot"
        shop.asked.clear()
        shop.pause = 0.0
        ran = run("snapshot", site.url("/index.xml"), "--allow-private", "--format", "json")
        body: dict[str, Any] = json.loads(ran.text)
    assert (ran.code, body["resumed"], body["snapshot"]["entries"], len(body["snapshot"]["files"])) == (
        0,
        True,
        600,
        12,
    )
    assert len(shop.asked) == 12 - done
    assert parquet.read_metadata(body["path"]).num_rows == 600
    assert not list(home.glob(".urlset/snapshots/*/unfinished"))


def test_unreadable_sitemaps_are_named_and_the_rest_is_kept() -> None:
    shop = Shop(0.0)
    shop.broken = {"/s3.xml"}
    with Site(shop) as site:
        ran = run("snapshot", site.url("/index.xml"), "--allow-private")
    assert ran.code == 2
    assert "/s3.xml: listed in" in ran.err
    (path,) = Path(".urlset/snapshots").glob("*/*.parquet")
    info = read_info(path)
    assert (info.entries, len(info.missing)) == (550, 1)


def test_two_do_not_run_together() -> None:
    write("/a")
    with series_of(Path(".urlset"), "site").locked(), pytest.raises(SnapshotError, match="another process"):
        snapshot("site")


def test_what_an_audit_knows_is_kept_and_renames_use_it() -> None:
    listed = ["/one", "/two", "/three"]

    def answer(request: Request) -> Reply | None:
        if request.path == "/sitemap.xml":
            return sitemap(f"{request.origin}{path}" for path in listed)
        return page("the same") if request.path in ("/two", "/zwei") else page(request.path.strip("/"))

    with Site(answer) as site:
        target = site.url("/sitemap.xml")
        for day, paths in enumerate((listed, ["/one", "/zwei", "/three"])):
            listed = paths
            assert run("audit", target, "--allow-private", "--format", "json").code in (0, 1)
            report = snapshot(target, now=START + timedelta(days=day), web=WebOptions(allow_private=True))
        assert report.info.states == {"ok": 3}
        with diff(f"{target}@previous", f"{target}@latest") as found:
            assert [(each.old, each.new, each.evidence) for each in found.renamed] == [
                (site.url("/two"), site.url("/zwei"), "content")
            ]
        life = history(site.url("/three")).urls[0].sightings
        assert [(each.listed, each.state, each.content) for each in life] == [(True, "ok", "new"), (True, "ok", "same")]


def test_a_site_without_a_sitemap_is_nothing_to_do_and_the_reason_is_named() -> None:
    with Site({"/": "<!doctype html><title>Home</title><p>Welcome"}) as site:
        ran = run("snapshot", site.url("/"), "--allow-private")
    assert ran.code == 3
    assert "no sitemap found" in ran.err


def test_every_unread_sitemap_counts_where_none_could_be_read() -> None:
    shop = Shop(0.0)
    shop.broken = {f"/s{number}.xml" for number in range(12)}
    with Site(shop) as site:
        ran = run("snapshot", site.url("/index.xml"), "--allow-private")
    assert ran.code == 2
    assert "more could not be read" in ran.err
