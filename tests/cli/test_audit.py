"""`urlset audit` on the command line: formats, exit codes, complaints, and what `urlset fix --using` makes of it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Ran, run
from tests.house.source_tree import PACKAGE
from tests.workflows.audit_sites import every_state, many, page, sitemap
from urlset.reports.format import TEXT
from urlset.testing import Site

SCHEMA = PACKAGE / "reports" / "schema" / "audit-1.json"
FAST = ("--allow-private", "--timeout", "5")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site({}) as site:
        site.routes.update(every_state(site.origin))
        del site.routes["/error"], site.routes["/blocked"]  # their second tries take their time
        listed = site.routes["/sitemap.xml"]
        assert isinstance(listed, str)
        lines = [line for line in listed.splitlines(keepends=True) if "/error" not in line and "/blocked" not in line]
        site.routes["/sitemap.xml"] = "".join(lines)
        yield site


@pytest.fixture(scope="module")
def state(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site audited once, to be reported with --known in every way."""
    folder = tmp_path_factory.mktemp("state")
    ran = run("audit", site.url("/sitemap.xml"), *FAST, "--state", folder, "--format", "concise")
    assert ran.code == 1
    return folder


def known(site: Site, state: Path, *arguments: object, terminal: bool = False) -> Ran:
    return run("audit", site.url("/sitemap.xml"), "--known", "--state", state, *arguments, terminal=terminal)


def test_text_starts_with_the_causes_and_ends_with_what_to_do(site: Site, state: Path) -> None:
    ran = known(site, state)
    lines = ran.lines
    assert lines[:2] == [site.url("/sitemap.xml"), "9 pages listed in 1 sitemap, 8 checked"]
    assert lines[3] == "root causes, by damage"
    assert "cannot be indexed (error" in lines[5]
    ok = next(at for at, line in enumerate(lines) if line.split()[:2] == ["ok", "5"])
    assert lines[ok + 1].split()[:2] == ["redirected", "2"]
    assert "error[A001] page-gone" in ran.text
    assert lines[-3] == "next: 2 entries to remove, 3 to replace; preview with"
    assert lines[-1] == "  urlset fix --using audit.json SITEMAP.xml --unsafe --diff"
    assert "\x1b" not in ran.text
    assert "\x1b[32m█" in known(site, state, terminal=True).text
    assert ran.err == ""


@pytest.mark.parametrize("form", TEXT)
def test_every_format_says_something(site: Site, state: Path, form: str) -> None:
    ran = known(site, state, "--format", form)
    assert ran.code == 1
    assert "A001" in ran.text
    assert ran.text.endswith("\n")


def test_json_is_what_its_schema_says(site: Site, state: Path) -> None:
    report: dict[str, Any] = json.loads(known(site, state, "--format", "json").out)
    from jsonschema import Draft202012Validator

    Draft202012Validator(json.loads(SCHEMA.read_bytes())).validate(report)
    assert (report["command"], report["finished"], report["listed"]) == ("audit", True, 9)
    pages = {each["url"].removeprefix(site.origin): each for each in report["pages"]}
    assert pages["/moved"]["hops"] == [{"url": site.url("/moved"), "status": 301, "location": "/moved/"}]
    assert pages["/moved"]["remedy"]["to"] == site.url("/moved/")
    assert pages["/noindex"]["indexable"] == {"google": False, "bing": False}
    assert pages["/private/page"]["state"] == "unknown"


def test_an_unfinished_sample_is_valid_json_too(tmp_path: Path) -> None:
    with Site(many(60)) as site:
        ran = run("audit", site.url("/sitemap.xml"), *FAST, "--state", tmp_path, "--sample", "30", "--max-pages", "20",
                  "--format", "json")  # fmt: skip
    report = json.loads(ran.out)
    from jsonschema import Draft202012Validator

    Draft202012Validator(json.loads(SCHEMA.read_bytes())).validate(report)
    assert report["finished"] is False
    assert [each["count"] for each in report["not_asked"]] == [30, 10]
    assert report["estimates"]
    assert ran.err == (
        "urlset: out of pages, 10 pages left: run the same command to resume, or add --fresh to start over\n"
    )


def test_what_is_known_of_an_unfinished_run_is_judged_like_any_other(tmp_path: Path) -> None:
    with Site(many(60)) as site:
        target = site.url("/sitemap.xml")
        run("audit", target, *FAST, "--state", tmp_path, "--max-pages", "20")
        ran = run("audit", target, *FAST, "--state", tmp_path, "--known")
    assert ran.code == 1
    assert ran.err == ("urlset: the previous run is incomplete, 40 pages left: run without --known to resume\n")


def test_csv_has_a_row_for_each_page(site: Site, state: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(known(site, state, "--format", "csv", "--table", "pages").text)))
    assert len(rows) == 9
    moved = next(row for row in rows if row["url"] == site.url("/moved"))
    assert (moved["state"], moved["status"], moved["remedy"]) == ("redirected", "301", "replace")


PROBLEM_COLUMNS = "url,code,name,severity,cause,evidence,status,final_url,listed_in,linked_from,action"


def test_csv_has_a_row_for_each_problem_and_url(site: Site, state: Path) -> None:
    text = known(site, state, "--format", "csv").text
    assert text.splitlines()[0] == PROBLEM_COLUMNS
    rows = list(csv.DictReader(io.StringIO(text)))
    found = {(row["url"].removeprefix(site.origin), row["code"]): row for row in rows}
    assert len(found) == len(rows)
    moved = found["/moved", "A003"]
    assert (moved["name"], moved["severity"], moved["status"]) == ("redirected-page", "warning", "301")
    assert (moved["final_url"], moved["listed_in"]) == (site.url("/moved/"), site.url("/sitemap.xml"))
    assert moved["action"] == f"list {site.url('/moved/')} instead"
    assert found["/gone", "A001"]["action"] == "remove the entries, or restore the pages"
    assert found["/noindex", "A006"]["status"] == "200"
    written = json.loads(known(site, state, "--format", "json").text)
    assert {(row["url"].removeprefix(site.origin), row["code"]) for row in written["problems"]} == set(found)


def test_one_file_for_each_cause(site: Site, state: Path, tmp_path: Path) -> None:
    folder = tmp_path / "issues"
    ran = known(site, state, "--output", f"issues:{folder}")
    assert f"wrote {folder}" in ran.err
    files = sorted(folder.iterdir())
    assert [path.suffix for path in files] == [".csv"] * len(files)
    rows = [row for path in files for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())]
    whole = list(csv.DictReader(io.StringIO(known(site, state, "--format", "csv").text)))
    assert sorted(map(str, rows)) == sorted(map(str, whole))
    for path in files:
        of_file = {row["cause"] for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())}
        assert len(of_file) == 1, path


def test_one_page_for_a_client(site: Site, state: Path, tmp_path: Path) -> None:
    html, text = tmp_path / "client.html", tmp_path / "client.md"
    ran = known(site, state, "--output", f"summary:{html}", "--output", f"summary:{text}")
    assert ran.text == ""
    assert f"wrote {html} (summary)" in ran.err
    page = html.read_text(encoding="utf-8")
    assert ("What to fix first" in page, "first audit" in page) == (True, True)
    lines = text.read_text(encoding="utf-8").splitlines()
    assert lines[2].startswith("9 pages listed in 1 sitemap, 8 checked. 2 deserve it")
    assert sum(line[:2] in {"1.", "2.", "3."} for line in lines) == 3
    run("audit", site.url("/sitemap.xml"), *FAST, "--state", tmp_path / "state", "--format", "concise")
    again = ("--state", tmp_path / "state", "--output", f"summary:{text}")
    run("audit", site.url("/sitemap.xml"), *FAST, *again)
    assert "| listed pages | 9 | 9 | no change |" in text.read_text(encoding="utf-8")


def test_several_formats_at_once_each_into_its_file(site: Site, state: Path, tmp_path: Path) -> None:
    ran = known(site, state, "--format", "text", "--output", f"json:{tmp_path / 'a.json'}")
    assert ran.text.startswith(site.origin)
    assert json.loads((tmp_path / "a.json").read_bytes())["command"] == "audit"


def test_exit_codes(site: Site, state: Path, tmp_path: Path) -> None:
    assert known(site, state, "--select", "A003").code == 0
    assert known(site, state, "--select", "A003", "--fail-on", "warning").code == 1
    site.routes["/empty.xml"] = sitemap([])
    empty = run("audit", site.url("/empty.xml"), *FAST, "--state", tmp_path)
    assert empty.code == 3
    missing = run("audit", site.url("/nothing.xml"), *FAST, "--state", tmp_path, "--format", "json")
    assert missing.code == 2
    assert "/nothing.xml: 404" in missing.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.xml"], "missing.xml: no such file or folder"),
        (["https://example.com/", "--sample", "some"], "--sample: "),
        (["https://example.com/", "--max-time", "soon"], "--max-time: 'soon' is not a time like 90s, 10m or 1h30m"),
        (["https://example.com/", "--fresh", "--known"], "--fresh: cannot be combined with --resume or --known"),
        (["https://example.com/", "--select", "Z999"], "unknown rule 'Z999'"),
        (["https://example.com/", "--known"], "no earlier audit of https://example.com/"),
        (["."], "set its URL with --base-url"),
        (
            ["https://example.com/", "--output", "a", "--output", "b"],
            "unknown extension; name the format, as in --output json:a",
        ),
    ],
)
def test_wrong_usage_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("audit", *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_a_private_address_is_not_asked_without_leave(site: Site, tmp_path: Path) -> None:
    file = tmp_path / "sitemap.xml"
    file.write_text(sitemap([site.url("/ok")]))
    before = len(site.log)
    ran = run("audit", file, "--state", tmp_path)
    assert "unknown" in ran.text
    assert len(site.log) == before


def test_hostile_addresses_cannot_speak_to_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "sitemap.txt"
    file.write_text("https://127.0.0.1:1/\x1b[31mred\nhttps://127.0.0.1:1/\u202eltr\n")
    for form in ("text", "full", "csv", "json", "markdown"):
        ran = run("audit", file, "--state", tmp_path, "--format", form)
        assert "\x1b" not in ran.text
        assert "\u202e" not in ran.text


def test_the_sitemaps_are_checked_too_unless_that_is_not_wanted(tmp_path: Path) -> None:
    folder = tmp_path / "public"
    folder.mkdir()
    (folder / "index.html").write_text(page("home"))
    bad = sitemap(["https://example.com/"], "<lastmod>yesterday</lastmod>")
    (folder / "sitemap.xml").write_text(bad)
    arguments = ("audit", folder, "--base-url", "https://example.com/", "--format", "json")
    assert json.loads(run(*arguments, "--no-check").out)["counts"] == {}
    both = json.loads(run(*arguments).out)
    assert "D001" in both["counts"] or any(code.startswith("D") for code in both["counts"])
    assert len(both["documents"]) == 1


def test_a_baseline_accepts_what_is_known(site: Site, state: Path, tmp_path: Path) -> None:
    assert known(site, state, "--write-baseline", tmp_path / "known.json").code == 0
    assert known(site, state, "--baseline", tmp_path / "known.json").code == 0
    rows = known(site, state, "--baseline", tmp_path / "known.json", "--format", "csv").text.splitlines()
    assert rows == [PROBLEM_COLUMNS]


def test_fix_takes_the_advice_of_an_audit(site: Site, state: Path, tmp_path: Path) -> None:
    file, report = tmp_path / "sitemap.xml", tmp_path / "audit.json"
    listed = site.routes["/sitemap.xml"]
    assert isinstance(listed, str)
    file.write_text(listed)
    known(site, state, "--format", "json", "--output", report)
    careful = run("fix", file, "--using", report)
    assert "use --unsafe to apply it" in careful.text
    assert file.read_text() == listed
    diff = run("fix", file, "--using", report, "--unsafe", "--diff")
    assert diff.code == 1
    assert file.read_text() == listed
    fixed = run("fix", file, "--using", report, "--unsafe", "--format", "json")
    assert fixed.code == 0
    (document,) = json.loads(fixed.out)["documents"]
    assert sorted((each["loc"].removeprefix(site.origin), each["code"]) for each in document["removed"]) == [
        ("/copy", "A012"),
        ("/elsewhere", "A003"),
        ("/gone", "A001"),
        ("/noindex", "A006"),
    ]
    assert [each["to"].removeprefix(site.origin) for each in document["renamed"]] == ["/moved/"]
    again = run("audit", file, *FAST, "--state", tmp_path, "--format", "json")
    pages = json.loads(again.out)["pages"]
    assert [each["url"].removeprefix(site.origin) for each in pages] == [
        "/ok",
        "/moved/",
        "/private/page",
        "/for-google",
        "/fine",
    ]
    assert all(each["remedy"] is None for each in pages)
