"""Files, folders and trees on disk → one verdict, whoever does the work."""

from __future__ import annotations

import gzip
import io
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.workflows import mortal_work
from urlset.checking.declare import wrap
from urlset.checking.select import UnknownSelectorError
from urlset.findings.card import Severity
from urlset.findings.verdict import Verdict
from urlset.reading.read import read
from urlset.reports.format import ReportOptions, reporter
from urlset.settings.check import CheckSettings
from urlset.workflows import check as workflow
from urlset.workflows.check import check

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
BASE = "https://www.example.com/"


def pages(*locs: str) -> bytes:
    return wrap("\n".join(f"<url><loc>{loc}</loc></url>" for loc in locs)).encode()


def index(*names: str) -> bytes:
    return wrap("\n".join(f"<sitemap><loc>{BASE}{name}</loc></sitemap>" for name in names), "sitemapindex").encode()


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """An index, four children (one packed, one a list), one child missing."""
    (tmp_path / "sitemap.xml").write_bytes(index("a.xml", "b.xml.gz", "c.txt", "lost.xml", "d.xml"))
    (tmp_path / "a.xml").write_bytes(pages(f"{BASE}1", f"{BASE}2#top"))
    (tmp_path / "b.xml.gz").write_bytes(gzip.compress(pages(f"{BASE}3", f"{BASE}1"), mtime=0))
    (tmp_path / "c.txt").write_bytes(f"{BASE}4\n{BASE}5 6\n".encode())
    (tmp_path / "d.xml").write_bytes(pages())
    return tmp_path


def run(targets: list[str | Path], **settings: Any) -> Verdict:
    return check(
        [str(target) for target in targets],
        CheckSettings(**{"now": NOW, "jobs": 1, **settings}),
    )


def on_site(site: Path, **settings: Any) -> Verdict:
    return run([site / "sitemap.xml"], root=str(site), base_url=BASE, **settings)


def reported(verdict: Verdict) -> list[tuple[str, str, int | None]]:
    return [
        (Path(each.source).name, each.code, each.line)
        for each in verdict.findings
        if each.severity.at_least(Severity.WARNING)
    ]


def test_a_tree_on_disk(site: Path) -> None:
    verdict = on_site(site)
    assert [Path(document.source).name for document in verdict.documents] == [
        "sitemap.xml",
        "a.xml",
        "b.xml.gz",
        "c.txt",
        "d.xml",
    ]
    assert [document.url for document in verdict.documents][1:3] == [f"{BASE}a.xml", f"{BASE}b.xml.gz"]
    assert reported(verdict) == [
        ("a.xml", "L013", 4),
        ("c.txt", "L007", 2),
        ("d.xml", "S009", 2),
        ("sitemap.xml", "I010", 6),
        ("sitemap.xml", "I012", 7),
        ("b.xml.gz", "L021", 4),
    ]
    assert verdict.counts["L021"] == 1
    assert verdict.troubled == ()


def test_without_a_folder_for_the_site_a_missing_child_is_no_fault(site: Path) -> None:
    verdict = run([site / "sitemap.xml"])
    assert "I010" not in verdict.counts
    assert len(verdict.documents) == 5


def missing_children(verdict: Verdict) -> list[tuple[str, str | None]]:
    return [(item.reason, item.source) for item in verdict.not_checked if item.code == "I010"]


def test_children_that_nobody_looked_at_are_told_as_not_checked(site: Path) -> None:
    told_as = "1 listed sitemap was not found on disk (set --root DIR)"
    verdict = run([site / "sitemap.xml"])
    assert missing_children(verdict) == [(told_as, str(site / "sitemap.xml"))]
    for form in ("text", "concise", "json", "sarif", "github", "junit", "markdown"):
        report = " ".join("".join(reporter(form)(verdict, ReportOptions())).split())
        assert told_as in report.replace("\\", ""), form  # Markdown escapes parentheses
    (site / "other.xml").write_bytes(index("e.xml", "f.xml"))
    ((reason, source),) = missing_children(run([site / "sitemap.xml", site / "other.xml"]))
    assert reason.startswith("3 listed sitemaps were not found")
    assert source is None


def test_children_that_are_judged_are_not_told_as_not_checked(site: Path) -> None:
    assert missing_children(on_site(site)) == []
    assert missing_children(run([site / "sitemap.xml"], ignore=("I010",))) == []
    (site / "lost.xml").write_bytes(pages(f"{BASE}9"))
    assert missing_children(run([site / "sitemap.xml"])) == []


def test_an_index_from_standard_input_is_followed_below_the_root_and_nowhere_else(site: Path) -> None:
    def piped(**settings: Any) -> Verdict:
        document = read((site / "sitemap.xml").read_bytes(), name="<stdin>")
        return check(
            [document],
            CheckSettings(**{"now": NOW, "jobs": 1, **settings}),
        )

    ((reason, source),) = missing_children(piped())
    assert (reason[:27], source) == ("5 listed sitemaps were not ", "<stdin>")
    below = piped(root=str(site), base_url=BASE)
    assert missing_children(below) == []
    assert [Path(document.source).name for document in below.documents] == [
        "<stdin>", "a.xml", "b.xml.gz", "c.txt", "d.xml",
    ]  # fmt: skip
    assert below.counts["I010"] == 1


def test_an_address_in_a_stream_and_in_a_file_is_a_duplicate(tmp_path: Path) -> None:
    """Standard input was left out when files were compared."""
    (tmp_path / "a.xml").write_bytes(pages(f"{BASE}1"))
    verdict = check([io.BytesIO(pages(f"{BASE}1")), tmp_path / "a.xml"], CheckSettings(now=NOW))
    assert verdict.counts["L021"] == 1


def test_line_numbers_in_messages_are_written_as_in_places(tmp_path: Path) -> None:
    locs = [*(f"{BASE}{number}" for number in range(1200)), f"{BASE}1100", f"{BASE}1100/", "http" + BASE[5:] + "1101"]
    (tmp_path / "a.xml").write_bytes(pages(*locs))
    verdict = run([tmp_path / "a.xml"], select=("L020", "L022", "L023", "L024"))
    said = {finding.code: finding.message for finding in verdict.findings}
    assert len(said) > 1
    assert all(re.search(r"line 110\d\b", message) for message in said.values())


def test_the_robots_txt_of_the_folder_is_found(site: Path) -> None:
    (site / "robots.txt").write_text(f"Sitemap: {BASE}sitemap.xml\nSitemap: {BASE}a.xml\n")
    assert on_site(site).counts["I024"] == 1
    assert run([site / "sitemap.xml"], root=str(site)).counts["I024"] == 1
    (site / "other.txt").write_text(f"Sitemap: {BASE}sitemap.xml\n")
    given = on_site(site, robots=str(site / "other.txt"))
    assert "I024" not in given.counts
    assert "I024" not in {item.code for item in given.not_checked}


def test_a_robots_txt_that_is_a_pipe_is_not_read(site: Path) -> None:
    os.mkfifo(site / "robots.txt")
    assert "I024" not in on_site(site).counts


def test_a_robots_txt_that_is_not_that_of_the_host_is_not_taken(site: Path) -> None:
    (site / "robots.txt").write_text(f"Sitemap: {BASE}a.xml\n")
    part = run([site / "sitemap.xml"], root=str(site), base_url=f"{BASE}shop/")
    alone = run([site / "sitemap.xml"])
    (site / "robots.txt").unlink()
    for verdict in (part, alone, on_site(site)):
        assert "I024" not in verdict.counts
        assert "I024" in {item.code for item in verdict.not_checked}


def test_a_folder_stands_for_its_sitemaps_and_nothing_is_read_twice(site: Path) -> None:
    verdict = run([site, site / "a.xml"], root=str(site), base_url=BASE)
    assert sorted(Path(document.source).name for document in verdict.documents) == [
        "a.xml", "b.xml.gz", "c.txt", "d.xml", "sitemap.xml",
    ]  # fmt: skip
    assert verdict.counts["L021"] == 1


def test_what_cannot_be_judged_is_told_once(site: Path) -> None:
    known = on_site(site)
    unknown = run([site / "a.xml", site / "d.xml"])
    assert "L015" not in {item.code for item in known.not_checked}
    reasons = [item for item in unknown.not_checked if item.code == "L015"]
    assert len(reasons) == 1
    assert "--at" in reasons[0].reason


def test_the_address_of_a_file_comes_from_the_site(site: Path) -> None:
    (site / "deep").mkdir()
    (site / "deep" / "s.xml").write_bytes(pages(f"{BASE}outside"))
    verdict = run([site / "deep" / "s.xml"], root=str(site), base_url=BASE)
    assert verdict.documents[0].url == f"{BASE}deep/s.xml"
    assert "L018" in verdict.counts


@pytest.mark.parametrize(("named", "severities"), [("maps/index.xml", {"info": 1}), ("other.xml", {"error": 1})])
def test_robots_txt_vouches_for_what_the_index_it_names_leads_to(
    site: Path, named: str, severities: dict[str, int]
) -> None:
    (site / "maps").mkdir()
    children = f"<sitemap><loc>{BASE}maps/s.xml</loc></sitemap>"
    (site / "maps" / "index.xml").write_text(f"<sitemapindex>{children}</sitemapindex>")
    (site / "maps" / "s.xml").write_bytes(pages(f"{BASE}outside"))
    (site / "robots.txt").write_text(f"Sitemap: {BASE}{named}\n")
    verdict = run([site / "maps" / "index.xml"], root=str(site), base_url=BASE, select=("L018",))
    assert verdict.severity_counts == severities


def test_an_address_given(site: Path) -> None:
    verdict = check([site / "a.xml"], CheckSettings(at="http://www.example.com/a.xml", now=NOW))
    assert "L016" in verdict.counts


def test_a_stream() -> None:
    verdict = check([io.BytesIO(pages(f"{BASE}a b"))], CheckSettings(at=f"{BASE}s.xml", now=NOW))
    assert [document.url for document in verdict.documents] == [f"{BASE}s.xml"]
    assert reported(verdict) == [("", "L007", 3)]


def test_what_is_not_there_is_trouble(site: Path) -> None:
    verdict = run([site / "nothing.xml", site / "*.nothing", site / "a.xml"])
    assert len(verdict.documents) == 1
    assert [re.sub(r".*/", "", line) for line in verdict.troubled] == [
        "nothing.xml: no such file",
        "*.nothing: no file matches the pattern",
    ]


def test_a_link_in_circles_is_trouble(tmp_path: Path) -> None:
    (tmp_path / "loop.xml").symlink_to(tmp_path / "loop.xml")
    assert len(run([tmp_path / "loop.xml"]).troubled) == 1


def test_indexes_that_list_each_other_end(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(index("b.xml", "a.xml"))
    (tmp_path / "b.xml").write_bytes(index("a.xml"))
    verdict = run([tmp_path / "a.xml"], root=str(tmp_path), base_url=BASE)
    assert len(verdict.documents) == 2
    assert {"I005", "I009"} <= set(verdict.counts)


def test_rules_are_chosen_and_judged_by_settings(site: Path) -> None:
    assert set(on_site(site, select=("L",)).counts) == {"L007", "L013", "L021"}
    assert "L013" not in on_site(site, ignore=("L013",)).counts
    milder = on_site(site, severity={"L": Severity.INFO, "space-in-loc": Severity.WARNING})
    assert {each.severity for each in milder.findings if each.code in ("L013", "L021")} == {Severity.INFO}
    assert {each.severity for each in milder.findings if each.code == "L007"} == {Severity.WARNING}
    with pytest.raises(UnknownSelectorError):
        on_site(site, select=("L0l3",))


def test_a_comment_that_silences_an_unknown_rule_is_told_and_fails_nothing(site: Path) -> None:
    comment = b"<!-- urlset: ignore L999, H001, A001 --><url>"
    (site / "a.xml").write_bytes(pages(f"{BASE}1").replace(b"<url>", comment))
    verdict = run([site / "a.xml"], select=("L", "T002"), base_url=BASE)
    assert [(each.code, each.message.partition(";")[0]) for each in verdict.findings] == [
        ("T002", "unknown rule 'L999'")
    ]
    assert (verdict.severity_counts, verdict.troubled) == ({"warning": 1}, ())
    piped = check([(site / "a.xml").read_bytes()], CheckSettings(now=NOW))
    assert piped.counts["T002"] == 1


def test_progress_is_told(site: Path) -> None:
    seen: list[tuple[int, int]] = []
    settings = CheckSettings(root=str(site), base_url=BASE, now=NOW)
    check([site / "sitemap.xml"], settings, progress=lambda done, known: seen.append((done, known)))
    assert seen == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]


def as_json(verdict: Verdict) -> bytes:
    assert verdict.troubled == ()
    return "".join(reporter("json")(verdict, ReportOptions())).encode()


@pytest.fixture
def always_parallel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workflow, "PARALLEL_FROM", 0)


@pytest.mark.usefixtures("always_parallel")
def test_many_workers_say_what_one_says(site: Path) -> None:
    for number in range(12):
        (site / f"more-{number:02}.xml").write_bytes(pages(*(f"{BASE}{number}/{n}#x" for n in range(number * 30))))
    (site / "second.xml").write_bytes(index(*(f"more-{number:02}.xml" for number in reversed(range(12)))))
    targets: list[str | Path] = [site / "sitemap.xml", site / "second.xml"]
    alone = as_json(run(targets, root=str(site), base_url=BASE, jobs=1))
    assert as_json(run(targets, root=str(site), base_url=BASE, jobs=2)) == alone
    assert alone.count(b'"L013"') > 1000


@pytest.mark.usefixtures("always_parallel")
def test_a_worker_that_dies_once_changes_nothing(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (site / "d-once.xml").write_bytes(pages(f"{BASE}7#x"))
    (site / "sitemap.xml").write_bytes(index("a.xml", "d-once.xml", "b.xml.gz", "c.txt"))
    wanted = as_json(on_site(site, jobs=1))
    monkeypatch.setattr(workflow, "check_file", mortal_work.work)
    (site / "sitemap-start.txt").unlink(missing_ok=True)
    assert as_json(on_site(site, jobs=2)) == wanted
    assert (site / "d-once.seen").exists()


@pytest.mark.usefixtures("always_parallel")
def test_a_file_that_always_kills_is_trouble(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (site / "d-always.xml").write_bytes(pages(f"{BASE}7#x"))
    (site / "sitemap.xml").write_bytes(index("a.xml", "d-always.xml"))
    monkeypatch.setattr(workflow, "check_file", mortal_work.work)
    verdict = on_site(site, jobs=2)
    assert f"{site / 'd-always.xml'}: cannot be read: the worker process crashed on every attempt" in verdict.troubled


def test_a_language_version_may_be_in_another_file(tmp_path: Path) -> None:
    def page(language: str, number: int) -> str:
        links = "".join(
            f'<xhtml:link rel="alternate" hreflang="{each}" href="{BASE}{each}/{number}"/>' for each in ("en", "de")
        )
        return f"<url><loc>{BASE}{language}/{number}</loc>{links}</url>"

    def write(name: str, listed: list[tuple[str, int]]) -> Path:
        (tmp_path / name).write_bytes(wrap("\n".join(page(*each) for each in listed)).encode())
        return tmp_path / name

    listed = [(language, number) for number in range(8) for language in ("en", "de")]
    first, rest = write("first.xml", listed[:7]), write("rest.xml", listed[7:])
    assert [found.subject for found in run([first], select=("H021",)).findings] == [f"{BASE}de/3"]
    assert run([first, rest], select=("H021",)).findings == ()
    write("rest.xml", listed[7:-1])
    found = run([first, rest], select=("H021",)).findings
    assert [(Path(each.source).name, each.subject, each.line) for each in found] == [("rest.xml", f"{BASE}de/7", 10)]
