"""The state that each released version left behind → read by this one; the next build goes on from it."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

import urlset
from tests.state.record import BASE, DAYS
from tests.workflows.audit_sites import sitemap
from urlset.checking.baseline import Baseline
from urlset.crawling.frontier import CrawlFrontier
from urlset.submitting.store import EngineStore
from urlset.version import __version__
from urlset.watching.reader import WatchReader

ARCHIVES = sorted(Path(__file__).parent.glob("*.tar.gz"))


@pytest.fixture(params=ARCHIVES, ids=lambda path: path.name.removesuffix(".tar.gz"))
def left(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an earlier release."""
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path, filter="data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def target_of(left: Path) -> str:
    return (left / "target.txt").read_text(encoding="utf-8")


def test_this_version_is_recorded() -> None:
    """Before a release: `python -m tests.state.record`."""
    assert f"{__version__}.tar.gz" in {path.name for path in ARCHIVES}


def test_the_ledger_of_builds(left: Path) -> None:
    before = (left / "public" / "sitemap.xml").read_bytes()
    report = urlset.build([f"{BASE}{n}" for n in range(6)], "public", base_url=BASE, state="state", now=DAYS[1])
    assert (report.listed, report.added, report.removed) == (6, 1, 0)
    after = urlset.read(left / "public" / "sitemap.xml")
    assert {entry.loc for entry in urlset.read(before)} < {entry.loc for entry in after}
    with pytest.raises(urlset.BuildRefused, match="6 of 6 pages of the last set are missing"):
        urlset.build([BASE], "public", base_url=BASE, state="state", now=DAYS[1])


def test_audits(left: Path) -> None:
    with urlset.audit(target_of(left), state="state", known=True) as report:
        assert {state.value: count for state, count in report.states.items()} == {"ok": 2, "gone": 1}
        assert [page.url.rpartition("/")[2] for page in report.pages()] == ["", "a", "gone"]


def test_crawls(left: Path) -> None:
    (database,) = (left / "state" / "crawl").glob("*.db")
    with CrawlFrontier(database) as frontier:
        assert frontier.visited() == 2
        assert frontier.left() == 1


def test_snapshots(left: Path) -> None:
    target = target_of(left)
    site = urlset.history(target, state="state").site
    assert site is not None
    assert [point.urls for point in site.points] == [3, 3]
    with urlset.diff(f"{target}@2026-11-01", f"{target}@2026-11-08", state="state") as report:
        assert report.summary.unchanged == 3


def test_submissions(left: Path) -> None:
    with EngineStore(left / "state") as store:
        (receipt,) = store.receipts(10)
    assert (receipt.engine, receipt.target, receipt.accepted) == ("google", target_of(left), 1)


def test_watches(left: Path) -> None:
    with WatchReader(left / "state") as reader:
        (site,) = reader.sites()
        assert f"{site.site}sitemap.xml" == target_of(left)
        assert {run.kind for run in reader.runs()} >= {"check", "snapshot"}


def test_baselines(left: Path) -> None:
    (left / "bad.xml").write_text(sitemap([f"{BASE}a b"]), encoding="utf-8")
    verdict = urlset.check("bad.xml", select=["L007", "L031"])
    assert len(verdict.findings) == 2
    assert Baseline.load(left / "baseline.json").apply(verdict, DAYS[1]).findings == ()
