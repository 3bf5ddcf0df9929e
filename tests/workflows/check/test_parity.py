"""One check: the command, the library, `audit --check` and a build's own check say the same of the same sitemaps."""

from __future__ import annotations

import gzip
import io
import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import urlset
from tests.cli.commands import run
from tests.workflows.live_sites import WEB, index, pages, robots, xml
from urlset.checking import clock
from urlset.checking.context import Context
from urlset.checking.select import select
from urlset.execution import processes
from urlset.findings.verdict import Verdict
from urlset.reading.read import read
from urlset.reports.format import ReportOptions, reporter
from urlset.rules.catalogue import file_rules
from urlset.settings.words import in_library_words
from urlset.testing import Site
from urlset.workflows import check as service
from urlset.workflows.check_file import judge

CORPUS = sorted((Path(__file__).parents[2] / "corpus").glob("*/input.xml"))
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
BASE = "https://www.example.com/"
MISSPELT = b"<!-- urlset: ignore L999 --><url>"


@pytest.fixture(autouse=True)
def same_clock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOW)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with an index, one child of each kind, one that is missing, and robots.txt."""
    folder = tmp_path / "site"
    folder.mkdir()
    names = ("a.xml", "b.xml.gz", "c.txt", "feed.xml", "missing.xml")
    (folder / "sitemap.xml").write_bytes(index(*(f"{BASE}{name}" for name in names)))
    (folder / "a.xml").write_bytes(pages(f"{BASE}a b", f"{BASE}1").replace(b"<url>", MISSPELT, 1))
    (folder / "b.xml.gz").write_bytes(gzip.compress(pages(f"{BASE}1", f"{BASE}2#x"), mtime=0))
    (folder / "c.txt").write_text(f"{BASE}3\n{BASE}c d\n")
    (folder / "feed.xml").write_text(
        f'<rss version="2.0"><channel><title>t</title><item><link>{BASE}4?utm_source=x</link></item></channel></rss>'
    )
    (folder / "robots.txt").write_text(f"User-agent: *\nDisallow: /private\nSitemap: {BASE}sitemap.xml\nSitmap: /x\n")
    return folder


def by_command(*arguments: object, **how: Any) -> dict[str, Any]:
    """The JSON report of `urlset check`."""
    found: dict[str, Any] = json.loads(run("check", *arguments, "--format", "json", **how).text)
    for each in found["not_checked"]:
        each["reason"] = in_library_words(each["reason"])
    return found


check = partial(urlset.check, strict=False)


def as_json(verdict: Verdict) -> dict[str, Any]:
    found: dict[str, Any] = json.loads("".join(reporter("json")(verdict, ReportOptions(command="check"))))
    return found


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.parent.name)
def test_every_file_of_the_corpus(path: Path) -> None:
    report = by_command(path)
    assert as_json(check(path)) == report
    assert report["documents"]
    place = f"{BASE}sitemap.xml"
    assert as_json(check(path, at=place)) == by_command(path, "--at", place)
    packed = Path("packed.xml.gz")
    packed.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    assert as_json(check(packed)) == by_command(packed)


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.parent.name)
def test_every_file_of_the_corpus_in_memory(path: Path) -> None:
    data = path.read_bytes()
    piped = by_command("-", stdin=data)
    assert as_json(check(urlset.read(path, name="<stdin>"))) == piped
    for source in (data, bytearray(data), io.BytesIO(data)):
        report = as_json(check(source))
        assert report["counts"] == piped["counts"]
        assert [each["message"] for each in report["findings"]] == [each["message"] for each in piped["findings"]]


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.parent.name)
def test_a_build_judges_a_document_as_a_check_does(path: Path) -> None:
    alone = judge(read(path), select(file_rules(), Context().engines), Context(now=NOW))
    checked = urlset.check(path)
    assert alone.findings == checked.findings
    assert alone.severity_counts == checked.severity_counts


def test_the_corpus_as_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "public"
    folder.mkdir()
    for path in CORPUS:
        shutil.copy(path, folder / f"{path.parent.name}.xml")
    report = by_command(folder)
    assert len(report["documents"]) > len(CORPUS) / 2
    assert as_json(check(folder)) == report
    assert as_json(check(str(folder / "*.xml"))) == by_command(folder / "*.xml")
    several = [folder / "hints.xml", folder / "duplicates.xml"]
    assert as_json(check(several)) == by_command(*several)


def test_an_index_is_followed_on_disk(site: Path) -> None:
    """It was checked alone by the library."""
    report = by_command(site / "sitemap.xml")
    assert len(report["documents"]) == 5
    assert as_json(check(site / "sitemap.xml")) == report
    rooted = by_command(site / "sitemap.xml", "--root", site, "--base-url", BASE)
    assert rooted["counts"]["I010"] == 1
    assert as_json(check(site / "sitemap.xml", root=site, base_url=BASE)) == rooted


def test_an_index_in_memory_is_followed_below_the_root(site: Path) -> None:
    data = (site / "sitemap.xml").read_bytes()
    alone = urlset.check(data)
    assert len(alone.documents) == 1
    assert "I010" in {item.code for item in alone.not_checked}
    below = as_json(check(urlset.read(data, name="<stdin>"), root=site, base_url=BASE))
    assert below == by_command("-", "--root", site, "--base-url", BASE, stdin=data)
    assert len(below["documents"]) == 5


def test_a_folder_is_checked(site: Path) -> None:
    """The library raised IsADirectoryError."""
    report = by_command(site, "--root", site, "--base-url", BASE)
    assert as_json(check(site, root=site, base_url=BASE)) == report
    assert report["counts"]["T002"] == 1


def test_an_unknown_rule_in_a_comment_is_reported(site: Path) -> None:
    """The library did not report T002."""
    assert urlset.check(site / "a.xml").counts["T002"] == 1
    assert as_json(check(site / "a.xml")) == by_command(site / "a.xml")


@pytest.mark.parametrize("name", ["b.xml.gz", "c.txt", "feed.xml", "robots.txt"])
def test_other_kinds_of_documents(site: Path, name: str) -> None:
    report = by_command(site / name)
    assert report["findings"]
    assert as_json(check(site / name)) == report


def test_options_mean_the_same(site: Path) -> None:
    given = by_command(
        site / "sitemap.xml", "--root", site, "--base-url", BASE, "--robots", site / "robots.txt",
        "--engine", "google", "--ignore", "L013", "--select", "L,Q,I,R,A001",
    )  # fmt: skip
    how: dict[str, Any] = {"ignore": ["L013"], "select": ["L", "Q", "I", "R", "A001"], "engines": ["google"]}
    assert as_json(check(site / "sitemap.xml", root=site, base_url=BASE, robots=site / "robots.txt", **how)) == given
    (site.parent / "urlset.toml").write_text('[severity]\nspace-in-loc = "info"\n')
    milder = by_command(site / "a.xml")
    assert as_json(check(site / "a.xml", severity={"space-in-loc": "info"})) == milder


def test_what_is_not_there(site: Path) -> None:
    ran = run("check", site / "nothing.xml", "--format", "json")
    assert ran.code == 2
    assert json.loads(ran.text)["troubled"] == [f"{site / 'nothing.xml'}: no such file"]
    with pytest.raises(FileNotFoundError, match=r"nothing\.xml"):
        urlset.check(site / "nothing.xml")
    pattern = str(site / "*.nothing")
    assert as_json(check(pattern)) == by_command(pattern)
    empty = site / "empty"
    empty.mkdir()
    assert as_json(check(empty)) == by_command(empty)
    assert check(empty).empty == (f"{empty}: no sitemap in this folder",)


def test_what_the_command_refuses_raises(site: Path) -> None:
    refused: list[tuple[str, dict[str, Any]]] = [
        ("at: 'sitemap.xml' is not a URL", {"at": "sitemap.xml"}),
        ("base_url: 'example' is not a URL", {"base_url": "example"}),
        ("L999", {"select": ["L999"]}),
        ("fatal", {"severity": {"L007": "fatal"}}),
    ]
    for words, how in refused:
        with pytest.raises(ValueError, match=words):
            urlset.check(site / "a.xml", **how)
    with pytest.raises(NotADirectoryError):
        urlset.check(site / "a.xml", root=site / "a.xml")
    with pytest.raises(ValueError, match="sets the URL of one file"):
        urlset.check([site / "a.xml", site / "c.txt"], at=BASE)


def test_the_library_starts_worker_processes_only_when_asked(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "PARALLEL_FROM", 0)
    apart = urlset.check(site / "sitemap.xml", jobs=2)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a pool was started")

    monkeypatch.setattr(processes, "Processes", refuse)
    assert urlset.check(site / "sitemap.xml") == apart
    with pytest.raises(AssertionError, match="a pool was started"):
        urlset.check(site / "sitemap.xml", jobs=2)


@pytest.fixture
def served() -> Iterator[Site]:
    with Site({}) as live:
        home = live.url("/")
        live.routes.update({
            "/robots.txt": robots("User-agent: *", "Disallow: /p", f"Sitemap: {live.url('/sitemap.xml')}"),
            "/sitemap.xml": xml(index(*(live.url(f"/{name}") for name in ("a.xml", "b.xml.gz", "gone.xml")))),
            "/a.xml": xml(pages(f"{home}a b", f"{home}1").replace(b"<url>", MISSPELT, 1)),
            "/b.xml.gz": xml(gzip.compress(pages(f"{home}1", f"{home}p/x", "https://other.example/"), mtime=0)),
        })  # fmt: skip
        yield live


@pytest.mark.parametrize("path", ["/", "/sitemap.xml", "/a.xml", "/gone.xml"])
def test_a_live_site(served: Site, path: str) -> None:
    report = by_command(served.url(path), "--allow-private")
    assert report["findings"] or report["troubled"]
    assert as_json(check(served.url(path), web=WEB)) == report


def test_an_audit_checks_the_sitemaps_of_a_folder(site: Path) -> None:
    where = ("--root", site, "--base-url", BASE)
    checked = by_command(site, *where)
    audited = json.loads(run("audit", site, *where[2:], "--check", "--format", "json").text)
    alone = json.loads(run("audit", site, *where[2:], "--no-check", "--format", "json").text)
    assert [each for each in audited["findings"] if each not in alone["findings"]] == checked["findings"]
    with urlset.audit(site, base_url=BASE, check=True, strict=False) as report:
        assert as_json(report.verdict)["findings"] == audited["findings"]


def test_an_audit_checks_the_sitemaps_of_a_site(served: Site) -> None:
    with urlset.audit(served.url("/"), web=WEB, check=True, strict=False) as report:
        both = report.verdict
    with urlset.audit(served.url("/"), web=WEB, check=False, strict=False) as report:
        pages_only = report.verdict
    checked = check(served.url("/"), web=WEB)
    assert checked.findings
    assert [each for each in both.findings if each not in pages_only.findings] == list(checked.findings)
    assert set(checked.counts) | set(pages_only.counts) == set(both.counts)
