"""The indexed share: sampled within the quota, resumed, joined with an audit, with an interval that holds the truth."""

from __future__ import annotations

import json
import random
import resource
import zipfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.workflows.submit.engine_sites import Stage, sitemap
from urlset.cli.main import cli
from urlset.settings.engines import IndexSettings
from urlset.submitting.exports import ExportError
from urlset.submitting.sampling import SampleUrl, draw, estimate
from urlset.testing.exchange import PageAnswer
from urlset.workflows.engines_index import IndexReport, InspectionPace, index

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
INDEXED = {"verdict": "PASS", "coverageState": "Submitted and indexed", "lastCrawlTime": "2026-11-01T00:00:00Z"}


def serve_sections(stage: Stage, sizes: dict[str, int]) -> dict[str, list[str]]:
    """An index with one sitemap a section."""
    pages = {}
    for name, size in sizes.items():
        pages[name] = [f"{stage.site.origin}/{name}/{number}" for number in range(size)]
        stage.site.routes[f"/{name}.xml"] = sitemap((url, "2026-01-01") for url in pages[name])
    children = "".join(f"<sitemap><loc>{stage.site.url(f'/{name}.xml')}</loc></sitemap>" for name in sizes)
    stage.site.routes["/sitemap.xml"] = (
        f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{children}</sitemapindex>'
    )
    for name in ("URLSET_BING_KEY", "URLSET_YANDEX_TOKEN"):
        stage.environment[name] = ""
    return pages


def run(stage: Stage, *, now: datetime = NOW, **more: Any) -> IndexReport:
    pace = InspectionPace(**{name: more.pop(name) for name in InspectionPace.__struct_fields__ if name in more})
    settings = IndexSettings(target=stage.sitemap, state=stage.state, **more)
    return index(settings, environment=stage.environment, now=lambda: now, pace=pace)


def test_every_section_has_its_share_and_interval(stage: Stage) -> None:
    pages = serve_sections(stage, {"good": 40, "bad": 30})
    stage.engines.google.pages = dict.fromkeys(pages["good"], INDEXED)
    report = run(stage)
    good, bad = sorted(report.sections, key=lambda each: each.name, reverse=True)
    assert (good.urls, good.inspected, good.indexed, good.share, good.low, good.high) == (40, 40, 40, 1.0, 1.0, 1.0)
    assert (bad.urls, bad.indexed, bad.share, bad.low, bad.high) == (30, 0, 0.0, 0.0, 0.0)
    assert (good.band, bad.band) == ("healthy", "poor")
    assert report.total.share == pytest.approx(40 / 70)
    assert report.reasons[bad.name] == {"URL is unknown to Google": 30}


def test_the_quota_ends_a_run_and_the_next_day_goes_on(stage: Stage) -> None:
    pages = serve_sections(stage, {"a": 60})
    name = f"{stage.site.origin}/"
    for day in range(3):
        stage.engines.google.inspections_left = {name: 25}
        report = run(stage, now=NOW + timedelta(days=day), refresh_days=1000)
        assert report.left == max(0, 60 - 25 * (day + 1))
        assert bool(report.stopped) == (day < 2)
        again = run(stage, now=NOW + timedelta(days=day, minutes=1), refresh_days=1000)
        assert again.inspected == report.inspected, "the same day asks nothing more"
    assert Counter(stage.engines.google.inspected) == Counter(pages["a"])


def test_two_thousand_inspections_over_three_days(stage: Stage) -> None:
    pages = serve_sections(stage, {"a": 1_400, "b": 1_000})
    google = stage.engines.google
    google.properties = {f"{stage.site.origin}/a/": "siteOwner", f"{stage.site.origin}/": "siteOwner"}
    inspected = []
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for day in range(3):
        google.inspections_left = dict.fromkeys(google.properties, 400)
        report = run(stage, now=NOW + timedelta(days=day), sample=2_000, refresh_days=1000)
        inspected.append(report.inspected)
    assert inspected[0] == 800
    assert inspected[2] == 2_000
    assert report.left == 0
    times = Counter(google.inspected)
    assert max(times.values()) == 1
    assert len(times) == 2_000
    assert set(times) <= {url for urls in pages.values() for url in urls}
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


def test_a_server_that_fails_ends_the_run_without_losing_answers(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlset.web.api.Api._wait", lambda *_arguments: None)
    serve_sections(stage, {"a": 200})
    run(stage, per_day=50, at_once=1)
    stage.engines.plant("inspect", *[PageAnswer(500, "")] * 5)
    report = run(stage, per_day=200, at_once=1)
    assert (report.inspected, bool(report.stopped)) == (50, True)
    report = run(stage, now=NOW + timedelta(days=1), refresh_days=1000)
    assert report.left == 0


def test_findings_join_google_with_the_audit(stage: Stage, tmp_path: Path) -> None:
    pages = serve_sections(stage, {"a": 6})["a"]
    stage.engines.google.pages = {
        pages[0]: {**INDEXED, "googleCanonical": pages[1]},
        pages[1]: {"verdict": "FAIL", "pageFetchState": "NOT_FOUND", "lastCrawlTime": "2026-09-02T00:00:00Z"},
        pages[2]: {"verdict": "FAIL", "pageFetchState": "NOT_FOUND", "lastCrawlTime": "2026-09-02T00:00:00Z"},
        pages[3]: {**INDEXED, "lastCrawlTime": "2025-01-01T00:00:00Z"},
        pages[4]: INDEXED,
    }
    drop = {"action": "drop", "code": "A019", "why": "", "to": None}
    audit = {
        "pages": [
            {"url": pages[1], "state": "ok", "indexable": True, "codes": [], "remedy": None},
            {"url": pages[2], "state": "gone", "indexable": False, "codes": ["A001"], "remedy": None},
            {"url": pages[4], "state": "ok", "indexable": True, "codes": ["A019"], "remedy": drop},
        ]
    }
    (tmp_path / "audit.json").write_text(json.dumps(audit), encoding="utf-8")
    run(stage)
    report = run(stage, now=NOW + timedelta(days=20), audit=tmp_path / "audit.json", refresh_days=1000)
    found = {(finding.code, finding.subject): finding.message for finding in report.verdict.findings}
    assert set(found) == {
        ("G035", pages[0]),
        ("G036", pages[1]),
        ("G037", pages[3]),
        ("G038", pages[5]),
        ("G039", pages[4]),
    }
    assert "fixed since Google's crawl on 2026-09-02" in found["G036", pages[1]]


def test_impressions_are_a_lower_bound(stage: Stage) -> None:
    pages = serve_sections(stage, {"a": 100})["a"]
    stage.engines.google.inspections_left = {f"{stage.site.origin}/": 0}
    stage.engines.google.impressions = pages[:70]
    report = run(stage, impressions=True)
    assert (report.total.share, report.total.low, report.total.high) == (None, 0.7, 1.0)
    assert "lower bound" in report.total.source


def test_the_command_prints_the_contract(stage: Stage) -> None:
    pages = serve_sections(stage, {"a": 3, "b": 2})
    stage.engines.google.pages = dict.fromkeys(pages["a"], INDEXED)
    given = ["engines", "index", stage.sitemap, "--state", str(stage.state), "--format", "json"]
    result = CliRunner().invoke(cli, given, env=stage.environment, standalone_mode=False)
    assert (result.exception, result.return_value) == (None, 0)
    body = json.loads(result.stdout)
    keys = {"name", "urls", "inspected", "indexed", "share", "low", "high", "source", "needs"}
    assert (body["schema"], body["command"], body["inspected"], body["left"]) == (1, "engines index", 5, 0)
    assert [set(each) for each in (*body["sections"], body["total"])] == [keys] * 3


def simulated(generator: random.Random, number: int) -> tuple[float, float, float]:
    """The true share and the stated interval of one site, its quota cut off midway in half of the cases."""
    pages, indexed = [], set()
    for section in range(generator.randint(1, 10)):
        size = int(10 ** generator.uniform(1, 3.5))
        share = generator.choice([0, 1, generator.random(), generator.random() ** 4, 1 - generator.random() ** 4])
        for page in range(size):
            url = f"https://example.com/{number}/{section}/{page}"
            pages.append(SampleUrl(url, f"{section}"))
            if generator.random() < share:
                indexed.add(url)
    sample = draw(pages, generator.choice([100, 500, 2_000]), f"{number}")
    cut = generator.choice([1.0, generator.uniform(0.1, 1)])
    asked = sample.order[: max(1, int(len(sample.order) * cut))]
    counts = Counter(each.stratum for each in asked)
    found = Counter(each.stratum for each in asked if each.url in indexed)
    stated = estimate(sample.sizes, dict(counts), dict(found))
    return len(indexed) / len(pages), stated.low, stated.high


def test_the_interval_covers_the_truth_in_95_of_100_sites() -> None:
    generator = random.Random(20261115)
    results = [simulated(generator, number) for number in range(300)]
    covered = sum(low - 1e-12 <= truth <= high + 1e-12 for truth, low, high in results)
    assert covered >= 285
    assert sum(high - low for _, low, high in results) / len(results) < 0.2, "an interval that says something"


def test_a_file_that_is_no_audit_report_is_refused(stage: Stage, tmp_path: Path) -> None:
    serve_sections(stage, {"a": 2})
    for content in (None, "not json", "[]"):
        path = tmp_path / "audit.json"
        if content is not None:
            path.write_text(content, encoding="utf-8")
        with pytest.raises(ExportError, match="not a JSON report"):
            run(stage, audit=path)


CHART = "Date,Not indexed,Indexed,Impressions\n2026-10-01,10,90,5\n"
QUERIES = "Top queries,Clicks,Impressions,CTR,Position\nshoes,1,2,50%,3.1\n"
PAGES = "Top pages,Clicks,Impressions,CTR,Position\nSITE/good/0,1,20,5%,3.1\nSITE/never-listed,9,20,45%,1.1\n"
DAILY = "Date,Clicks,Impressions,CTR,Position\n2026-10-01,10,90,11%,5.2\n"
DRILLDOWN = "URL,Last crawled\nSITE/bad/0,2026-09-01\nSITE/bad/1,\nSITE/elsewhere,\n"


def exported(path: Path, **tables: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in tables.items():
            archive.writestr(f"{name}.csv", text)
    return path


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"Chart": CHART}, "its Metadata names no filter"),
        ({"Chart": CHART, "Metadata": "Eigenschaft,Wert\nSitemap,Alle Seiten\n"}, "'Alle Seiten' is not understood"),
        ({"Chart": CHART, "Metadata": "A,B,C\nSitemap,https://e.com/a.xml,1\n"}, "its Metadata names no filter"),
        ({"Chart": CHART, "Metadata": "Property,Value\nSitemap,https://e.com/a.xml\n"}, "does not list"),
        ({"Table": "URL,Last crawled\nhttps://e.com/a,2026-09-01\n"}, "not whether they are indexed"),
        ({"Queries": QUERIES}, "a performance export without pages"),
        ({"Pages": PAGES.replace("SITE", "https://e.com")}, "none of its 2 pages is listed"),
        ({"Chart": "nothing,here\n"}, "not a Search Console export"),
    ],
)
def test_an_export_that_says_nothing_about_the_sitemaps_is_refused(
    stage: Stage, tmp_path: Path, tables: dict[str, str], said: str
) -> None:
    serve_sections(stage, {"good": 4, "bad": 3})
    stage.environment["GOOGLE_APPLICATION_CREDENTIALS"] = ""
    path = exported(tmp_path / "export.zip", **tables)
    given = ["engines", "index", stage.sitemap, "--state", str(stage.state), "--export", str(path)]
    result = CliRunner().invoke(cli, given, env=stage.environment, standalone_mode=False)
    assert (result.exception, result.return_value) == (None, 2)
    assert "not used: export.zip: " in result.output
    assert said in result.output


@pytest.mark.parametrize("name", ["/good.xml", "/sitemap.xml"])
def test_an_export_of_a_listed_sitemap_or_of_the_index_is_used(stage: Stage, tmp_path: Path, name: str) -> None:
    serve_sections(stage, {"good": 4, "bad": 3})
    metadata = f"Property,Value\nSitemap,{stage.site.url(name)}\n"
    report = run(stage, exports=(exported(tmp_path / "export.zip", Chart=CHART, Metadata=metadata),))
    assert report.unused == ()
    shares = {each.name: each.share for each in (*report.sections, report.total) if each.source.startswith("export")}
    assert shares == {"total" if name == "/sitemap.xml" else stage.site.url(name): 0.9}


def test_an_export_of_the_only_sitemap_is_the_total(stage: Stage, tmp_path: Path) -> None:
    stage.serve(range(4))
    metadata = f"Property,Value\nSitemap,{stage.sitemap}\n"
    report = run(stage, exports=(exported(tmp_path / "export.zip", Chart=CHART, Metadata=metadata),))
    assert (report.total.share, report.unused) == (0.9, ())


def test_every_export_is_used_for_what_it_says(stage: Stage, tmp_path: Path) -> None:
    """The chart of a performance export was read as counts of indexed pages, and its pages as crawled."""
    serve_sections(stage, {"good": 4, "bad": 4})
    stage.environment["GOOGLE_APPLICATION_CREDENTIALS"] = ""
    origin = stage.site.origin

    def named(name: str, **tables: str) -> Path:
        return exported(tmp_path / f"{name}.zip", **{key: text.replace("SITE", origin) for key, text in tables.items()})

    exports = (
        named("search", Pages=PAGES, Queries=QUERIES, Chart=DAILY),
        named(
            "reason",
            Table=DRILLDOWN,
            Metadata="Property,Value\nIssue,Not found (404)\nSitemap,All known pages\n",
            Chart="Date,Affected pages\n2026-10-01,3\n",
        ),
        named("known", Chart="Date,Not indexed,Indexed\n2026-10-01,90,5\n", Metadata="A,B\nSitemap,All known pages\n"),
        named("elsewhere", Chart=CHART, Metadata="A,B\nSitemap,https://e.com/a.xml\n"),
    )
    report = run(stage, exports=exports)
    shares = {each.name.rpartition("/")[2]: (each.low, each.high) for each in (*report.sections, report.total)}
    assert shares == {"good.xml": (0.25, 1.0), "bad.xml": (0.0, 0.5), "total": (0.125, 0.625)}
    used = {line.partition(":")[0]: line for line in report.used}
    assert set(used) == {"search.zip", "reason.zip", "known.zip"}
    assert "1 of its 2 pages are listed: seen in search, so indexed (lower bound)" in used["search.zip"]
    assert "2 of its 3 pages are listed: not indexed, 'Not found (404)' (upper bound)" in used["reason.zip"]
    assert "5 of 95 pages indexed on 2026-10-01, listed or not" in used["known.zip"]
    assert [line.partition(":")[0] for line in report.unused] == ["elsewhere.zip"]
    assert list(report.reasons.values()) == [{"Not found (404)": 2}]


def test_all_submitted_pages_are_the_whole(stage: Stage, tmp_path: Path) -> None:
    serve_sections(stage, {"good": 4, "bad": 4})
    stage.environment["GOOGLE_APPLICATION_CREDENTIALS"] = ""
    metadata = "Property,Value\nSitemap,All submitted pages\n"
    report = run(stage, exports=(exported(tmp_path / "export.zip", Chart=CHART, Metadata=metadata),))
    assert (report.total.share, report.total.source) == (0.9, "export of 2026-10-01, all submitted pages")
    assert [each.share for each in report.sections] == [None, None]
    assert report.used == ("export.zip: exact counts of the whole: 100 pages",)


def test_a_section_says_what_it_needs_for_a_narrower_interval(stage: Stage) -> None:
    serve_sections(stage, {"good": 300, "bad": 100})
    report = run(stage, sample=80)
    needs = {each.name.rpartition("/")[2]: each.needs for each in report.sections}
    export = ", or an export filtered to this sitemap for exact counts"
    assert needs == {
        "good.xml": f"35 more inspections for ±5 points (--sample 127){export}",
        "bad.xml": f"39 more inspections for ±5 points (--sample 236){export}",
    }
    exact = run(stage, sample=400)
    assert {each.needs for each in (*exact.sections, exact.total)} == {""}
