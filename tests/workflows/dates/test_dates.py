"""`urlset dates` on a built site: which dates move, what is written, what is refused."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import msgspec
import pytest

from tests.building.test_git_evidence import Repository
from tests.cli.commands import run
from tests.workflows.dates.built_site import BASE, BuiltSite, day, page, sitemap_dates
from urlset.building.lock import read_lock
from urlset.workflows.dates.dates import DatesError
from urlset.workflows.dates.pages import SiteFiles
from urlset.writing.files import LockBusy, locked_folder


@pytest.fixture
def site(tmp_path: Path) -> BuiltSite:
    return BuiltSite(tmp_path)


def test_the_first_run_dates_nothing_without_evidence(site: BuiltSite) -> None:
    report = site.date()
    assert msgspec.structs.astuple(report.summary) == (5, 0, 5, 0, 5)
    assert site.dates() == dict.fromkeys(("/", "/a/", "/b/", "/c/", "/d/"))
    text = (site.public / "sitemap.xml").read_text(encoding="utf-8")
    assert text.count("\n") == 3 + 3 * 5 + 1
    assert "<!-- made by a tool -->" in text
    assert len(read_lock(site.lock).pages) == 5


def test_only_the_page_that_changed_is_dated_anew(site: BuiltSite) -> None:
    site.date(day(1))
    site.texts["b"] = "Something else is said here now."
    site.write()
    assert msgspec.structs.astuple(site.date(day(2)).summary) == (5, 1, 0, 0, 4)
    site.footer = "© 2027 Another"
    site.write()
    assert site.date(day(3)).summary.changed == 0
    assert site.dates() == {"/": None, "/a/": None, "/b/": "2026-03-02", "/c/": None, "/d/": None}


def test_the_same_input_gives_the_same_bytes(site: BuiltSite) -> None:
    site.date(day(1))
    first = (site.lock.read_bytes(), (site.public / "sitemap.xml").read_bytes())
    site.write()
    report = site.date(day(5))
    assert (site.lock.read_bytes(), (site.public / "sitemap.xml").read_bytes()) == first
    assert report.written == (str(site.public / "sitemap.xml"),)
    assert site.date(day(6)).written == ()


def test_the_cache_only_saves_time(site: BuiltSite) -> None:
    for file in site.public.rglob("*"):
        os.utime(file, (1_700_000_000, 1_700_000_000))
    site.date(day(1))
    cached = site.date(day(2))
    for each in (site.folder / ".urlset").rglob("*"):
        if each.is_file():
            each.unlink()
    assert site.date(day(2)) == cached
    # another text of the same size and time is not seen, another size is
    home = site.public / "a" / "index.html"
    home.write_text(page("a", "This is longer than before, by a few words at least."), encoding="utf-8")
    os.utime(home, (1_700_000_000, 1_700_000_000))
    assert site.date(day(3)).summary.changed == 1


def test_a_page_of_another_host_is_not_a_file_of_the_site(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(page("a"), encoding="utf-8")
    files = SiteFiles(tmp_path, [], f"{BASE}/")
    assert files.find(f"{BASE}/a.html") is not None
    assert files.find("https://other.example/a.html") is None


def test_evidence_of_pages_and_sources(tmp_path: Path) -> None:
    site = BuiltSite(tmp_path)
    content = tmp_path / "content"
    content.mkdir()
    (content / "a.md").write_text("---\nlastmod: 2025-05-05\n---\nText\n", encoding="utf-8")
    meta = '<meta property="article:modified_time" content="2025-06-06T10:00:00Z">'
    (site.public / "b" / "index.html").write_text(page("b", head=meta), encoding="utf-8")
    report = site.date(day(1))
    assert site.dates() | {"/a/": "2025-05-05", "/b/": "2025-06-06T10:00:00Z"} == site.dates()
    assert {each.url: each.evidence for each in report.pages if each.evidence} == {
        f"{BASE}/a/": "page",
        f"{BASE}/b/": "page",
    }


def test_dates_from_git(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "site")
    site = BuiltSite(repository.folder)
    repository.write(".gitignore", "public/\n.urlset/\n")
    repository.write("content/a.md", "All about a.\n")
    repository.commit()
    repository.write("content/b.md", "All about b.\n")
    repository.commit()
    report = site.date(day(9))
    found = {each.url.removeprefix(BASE): each.evidence for each in report.pages}
    assert found == {"/": None, "/a/": "git", "/b/": "git", "/c/": None, "/d/": None}
    before = site.dates()
    site.footer = "© 2027"
    site.write()
    site.date(day(10))
    assert site.dates() == before


def test_the_clock_of_the_generator_is_no_evidence(site: BuiltSite) -> None:
    for name in site.texts:
        meta = '<meta property="og:updated_time" content="2026-03-01T11:59:30Z">'
        (site.public / name / "index.html").write_text(page(name, head=meta), encoding="utf-8")
    site.date(day(1))
    assert set(site.dates().values()) == {None}


def test_new_pages(site: BuiltSite) -> None:
    site.date(day(1), first_seen=True)
    assert set(site.dates().values()) == {None}, "the first run sees every page for the first time"
    site.texts |= {"e": "", "f": ""}
    site.write()
    assert site.date(day(2)).summary.added == 2
    assert site.dates()["/e/"] is None
    site.texts["g"] = ""
    site.write()
    site.date(day(3), first_seen=True)
    assert (site.dates()["/g/"], site.dates()["/f/"]) == ("2026-03-03", None)
    assert read_lock(site.lock).pages["/g/"].token == "first-seen"


def test_a_moved_page_keeps_its_date(site: BuiltSite) -> None:
    site.date(day(1))
    site.texts["b"] = "Something else is said here now."
    site.write()
    site.date(day(2))
    moved = site.public / "b" / "index.html"
    html = moved.read_text(encoding="utf-8")
    site.texts = {("renamed" if name == "b" else name): text for name, text in site.texts.items()}
    site.write()
    (site.public / "renamed" / "index.html").write_text(html, encoding="utf-8")
    report = site.date(day(3))
    assert msgspec.structs.astuple(report.summary)[1:4] == (0, 0, 0)
    assert site.dates()["/renamed/"] == "2026-03-02"
    assert any("/b/ to /renamed/" in note for note in report.notes)


def test_a_template_that_marks_pages_otherwise(tmp_path: Path) -> None:
    site = BuiltSite(tmp_path)
    site.date(day(1))
    for number, (name, _) in enumerate(site.texts.items()):
        path = site.public / name / "index.html"
        html = path.read_text(encoding="utf-8").replace("<main>", f"<div><p>Part {number} of 5</p>")
        if name == "c":
            html = html.replace("in one sentence.", "in two sentences.")
        path.write_text(html.replace("</main>", "</div>"), encoding="utf-8")
    report = site.date(day(2))
    assert [each.url for each in report.pages if each.changed] == [f"{BASE}/c/"]
    assert any("change of the template" in note for note in report.notes)


def test_new_text_on_all_pages_of_a_larger_site_is_taken_for_the_template(tmp_path: Path) -> None:
    site = BuiltSite(tmp_path, {f"p{number}": f"Page {number} is about lamps." for number in range(25)})
    site.date(day(1))
    site.texts = {name: f"Today the text of {name} reads in another way." for name in site.texts}
    site.write()
    report = site.date(day(2))
    assert report.summary.changed == 0
    assert (
        "25 pages of 25 have new text at once: taken for a change of the template, so their dates stay" in report.notes
    )


def test_an_entry_without_a_web_address_has_no_date(site: BuiltSite) -> None:
    sitemap = site.public / "sitemap.xml"
    sitemap.write_text(sitemap.read_text(encoding="utf-8").replace(f"{BASE}/d/", "mailto:d"), encoding="utf-8")
    assert "no date for 1 entry without an http or https URL" in site.date().notes


def test_a_site_of_one_page(tmp_path: Path) -> None:
    site = BuiltSite(tmp_path, {"": ""})
    site.date(day(1))
    site.footer = "© 2027"
    site.write()
    assert site.date(day(2)).summary.changed == 0
    site.texts[""] = "Now the page says this."
    site.write()
    assert site.date(day(3)).summary.changed == 1


def test_index_and_compressed_copies_follow(site: BuiltSite) -> None:
    sitemap = site.public / "sitemap.xml"
    sitemap.rename(site.public / "pages.xml")
    (site.public / "pages.xml.gz").write_bytes(gzip.compress((site.public / "pages.xml").read_bytes()))
    sitemap.write_text(
        '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap>'
        f"<loc>{BASE}/pages.xml</loc><lastmod>2026-11-18</lastmod></sitemap></sitemapindex>\n"
    )
    site.date(day(1))
    assert "<lastmod>" not in sitemap.read_text()
    path = site.public / "a" / "index.html"
    path.write_text(page("a", "All of this is new."), encoding="utf-8")
    site.date(day(2))
    assert "<lastmod>2026-03-02</lastmod>" in sitemap.read_text()
    assert sitemap_dates(site.public / "pages.xml")["/a/"] == "2026-03-02"
    assert gzip.decompress((site.public / "pages.xml.gz").read_bytes()) == (site.public / "pages.xml").read_bytes()


@pytest.mark.parametrize("target", ["", "sitemap.xml"], ids=["folder", "index"])
def test_an_index_of_compressed_copies_follows_their_plain_files(site: BuiltSite, target: str) -> None:
    given = {"target": str(site.public / target), "root": str(site.public)}
    sitemap = site.public / "sitemap.xml"
    sitemap.rename(site.public / "pages.xml")
    (site.public / "pages.xml.gz").write_bytes(gzip.compress((site.public / "pages.xml").read_bytes()))
    sitemap.write_text(
        '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap>'
        f"<loc>{BASE}/pages.xml.gz</loc><lastmod>2026-11-18</lastmod></sitemap></sitemapindex>\n"
    )
    assert site.date(day(1), check=True, **given).stale > 0
    site.date(day(1), **given)
    assert "<lastmod>" not in sitemap.read_text()
    path = site.public / "a" / "index.html"
    path.write_text(page("a", "All of this is new."), encoding="utf-8")
    site.date(day(2), **given)
    assert "<lastmod>2026-03-02</lastmod>" in sitemap.read_text()
    assert sitemap_dates(site.public / "pages.xml.gz")["/a/"] == "2026-03-02"
    assert sitemap_dates(site.public / "pages.xml")["/a/"] == "2026-03-02"


def test_check_says_which_pages_are_stale_and_why(site: BuiltSite) -> None:
    site.date(day(1))
    assert site.date(day(1), check=True).stale == 0
    site.texts["b"] = "Something else is said here now."
    site.texts["new"] = ""
    del site.texts["c"]
    site.write(stamp="2026-03-02")
    before = site.lock.read_bytes()
    report = site.date(day(2), check=True)
    reasons = {each.url.removeprefix(BASE): each.reason for each in report.pages}
    assert reasons == {
        "/": "sitemap.xml says 2026-03-02, the lock has none",
        "/a/": "sitemap.xml says 2026-03-02, the lock has none",
        "/b/": "changed since the lock was written",
        "/d/": "sitemap.xml says 2026-03-02, the lock has none",
        "/new/": "not in the lock",
    }
    assert (report.stale, report.summary.removed, site.lock.read_bytes()) == (6, 1, before)
    assert [(each.name, each.reason) for each in report.also_stale] == [("/c/", "no longer listed")]


def test_check_lists_removed_pages_and_rows_of_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    site = BuiltSite(tmp_path)
    assert run("dates", "public").code == 0
    for name in ("a", "b"):
        del site.texts[name]
    site.write(stamp="")
    (site.public / "index.xml").write_text(
        '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap>'
        f"<loc>{BASE}/sitemap.xml</loc><lastmod>2026-11-18</lastmod></sitemap></sitemapindex>\n"
    )
    ran = run("dates", "public/index.xml", "--root", "public", "--check")
    assert ran.code == 1
    assert "  stale      /a/ no longer listed" in ran.lines
    assert f"  stale      {BASE}/sitemap.xml index.xml says 2026-11-18, the lock has none" in ran.lines
    assert ran.lines[-1].endswith("run `urlset dates --allow-shrink` and commit sitemap.lock")
    report = json.loads(run("dates", "public/index.xml", "--root", "public", "--check", "--format", "json").text)
    assert [each["name"] for each in report["also_stale"]] == ["/a/", "/b/", f"{BASE}/sitemap.xml"]
    assert report["stale"] == len(report["also_stale"]) + sum(each["reason"] is not None for each in report["pages"])


def test_a_lock_that_shrinks_is_not_written(site: BuiltSite) -> None:
    site.date()
    for name in ("a", "b"):
        del site.texts[name]
    site.write()
    before = site.lock.read_bytes()
    report = site.date()
    assert report.refused == "2 of 5 pages of the lock are not listed any more"
    assert (site.lock.read_bytes(), report.written) == (before, ())
    assert "2026-11-18" in (site.public / "sitemap.xml").read_text(encoding="utf-8")
    assert site.date(allow_shrink=True).refused is None


def test_other_changes_count(site: BuiltSite) -> None:
    site.date(day(1))
    report = site.date(day(2), date_changes=("text",))
    assert (report.summary.changed, report.written) == (0, (str(site.lock),))
    assert "# changes: text\n" in site.lock.read_text()


def test_a_date_in_the_future_is_dropped(site: BuiltSite) -> None:
    site.date(day(1))
    lines = site.lock.read_text().replace("/a/ - -", "/a/ 2030-01-01 git")
    site.lock.write_text(lines)
    site.date(day(2))
    assert site.dates()["/a/"] is None


def test_a_second_run_at_the_same_time_ends(site: BuiltSite) -> None:
    with locked_folder(site.public), pytest.raises(LockBusy):
        site.date()
    site.date()


def test_an_interrupted_run_is_repaired(site: BuiltSite) -> None:
    site.date(day(1))
    site.texts["a"] = "The whole text is new."
    site.write()
    stale = (site.public / "sitemap.xml").read_bytes()
    site.date(day(2))
    (site.public / "sitemap.xml").write_bytes(stale)  # the lock was written, the sitemap was not
    state = next((site.folder / ".urlset" / "sets").iterdir())
    (state / "dates-pending").write_bytes(b"")
    report = site.date(day(7))
    assert site.dates()["/a/"] == "2026-03-02"
    assert [note for note in report.notes if "interrupted" in note] == [
        "the last run was interrupted: sitemap.xml was older than the lock and is brought up to date"
    ]
    assert not any("interrupted" in note for note in site.date(day(8)).notes)


# what is not a sitemap or not of the site


def test_files_outside_of_the_folder_are_not_read(site: BuiltSite) -> None:
    secret = site.folder / "secret.html"
    secret.write_text(page("a", "Nobody may read this."), encoding="utf-8")
    (site.public / "a" / "index.html").unlink()
    (site.public / "a" / "index.html").symlink_to(secret)
    (site.public / "outside").symlink_to(site.folder)
    text = (site.public / "sitemap.xml").read_text(encoding="utf-8")
    (site.public / "sitemap.xml").write_text(
        text.replace("/b/", "/../secret.html").replace("/c/", "/outside/secret.html").replace("/d/", "/%2e%2e/secret"),
        encoding="utf-8",
    )
    site.date()
    assert [line.fingerprint for path, line in read_lock(site.lock).pages.items() if path != "/"] == [None] * 4


def test_a_sitemap_that_links_out_of_the_folder_is_left_alone(site: BuiltSite) -> None:
    elsewhere = site.folder / "elsewhere.xml"
    (site.public / "sitemap.xml").rename(elsewhere)
    (site.public / "sitemap.xml").symlink_to(elsewhere)
    before = elsewhere.read_bytes()
    with pytest.raises(DatesError, match="points outside"):
        site.date()
    assert elsewhere.read_bytes() == before


@pytest.mark.parametrize(
    "text",
    [
        '<?xml version="1.0"?><siteMap xmlns="http://schemas.microsoft.com/AspNet/SiteMap-File-1.0"/>',
        "---\nlayout: null\n---\n<urlset>{% for p in site.pages %}<loc>{{ p.url }}</loc>{% endfor %}</urlset>",
    ],
)
def test_other_xml_and_templates_are_not_touched(site: BuiltSite, text: str) -> None:
    other = site.public / "sitemap-other.xml"
    other.write_text(text, encoding="utf-8")
    site.date()
    assert other.read_text(encoding="utf-8") == text


def test_a_huge_page_and_a_file_that_is_none(site: BuiltSite) -> None:
    (site.public / "a" / "index.html").write_bytes(b"<main><p>" + b"word " * 8_000_000 + b"</main>")
    (site.public / "b" / "index.html").unlink()
    (site.public / "b" / "index.html").mkdir()
    assert site.date().summary.pages == 5


def test_only_the_dates_change(site: BuiltSite) -> None:
    strange = (
        f'\ufeff<?xml version="1.0" encoding="utf-8"?>\r\n<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"'
        f'\txmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\r\n<s:url><s:loc>{BASE}/a/</s:loc>'
        "<s:priority>0.5</s:priority><!-- x --><s:lastmod>2026-11-18</s:lastmod><image:image><image:loc>"
        f"{BASE}/i.jpg</image:loc></image:image></s:url><s:url>\r\n\t<s:loc>{BASE}/b/?a=1&amp;b=2</s:loc></s:url>"
        f"<s:url><s:loc>{BASE}/b/</s:loc><s:lastmod/></s:url>\r\n</s:urlset>"
    )
    path = site.public / "sitemap.xml"
    path.write_bytes(strange.encode())
    site.date(day(1))
    for name in "ab":
        (site.public / name / "index.html").write_text(page(name, "All new."), encoding="utf-8")
    site.date(day(2))
    expected = strange.replace("<s:lastmod>2026-11-18</s:lastmod>", "", 1)
    expected = expected.replace("/a/</s:loc>", "/a/</s:loc><s:lastmod>2026-03-02</s:lastmod>")
    expected = expected.replace("/b/</s:loc><s:lastmod/>", "/b/</s:loc><s:lastmod>2026-03-02</s:lastmod>")
    assert path.read_bytes().decode() == expected


def test_a_malformed_entry_keeps_its_date(site: BuiltSite) -> None:
    path = site.public / "sitemap.xml"
    text = path.read_text(encoding="utf-8").replace("/b/</loc>", "/b/?a&b</loc>")
    path.write_text(text, encoding="utf-8")
    report = site.date()
    assert report.troubles == (f"{path}: malformed, not dated: entry 3; run `urlset fix` first",)
    assert path.read_text(encoding="utf-8").count("<lastmod>") == 1


# the command


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = BuiltSite(tmp_path)
    monkeypatch.chdir(tmp_path)
    stale = run("dates", "public", "--check")
    assert (stale.code, stale.lines[-1]) == (1, "5 stale dates; run `urlset dates` and commit sitemap.lock")
    assert run("dates", "public", "--dry-run").lines[-1] == "dry run: nothing was written"
    assert not site.lock.exists()
    done = run("dates", "public", "--format", "json")
    report = json.loads(done.text)
    assert done.code == 0
    assert report["summary"] == {"pages": 5, "changed": 0, "added": 5, "removed": 0, "unknown": 5}
    first = {key: report["pages"][0][key] for key in ("url", "lastmod", "evidence", "changed")}
    assert first == {"url": f"{BASE}/", "lastmod": None, "evidence": None, "changed": False}
    assert run("dates", "--check").code == 0, "the usual folder is found"
    assert run("dates", "public/sitemap.xml", "--root", "public", "--check").code == 0
    assert run("dates", "nowhere").code == 2
    url = run("dates", f"{BASE}/")
    assert (url.code, "name the folder of the built site or a sitemap file, or use --from URL" in url.err) == (2, True)
    (tmp_path / "empty").mkdir()
    assert run("dates", "empty").code == 3
    for name in ("a", "b"):
        del site.texts[name]
    site.write()
    refused = run("dates", "public")
    assert (refused.code, "--allow-shrink" in refused.lines[-1]) == (1, True)


def test_a_site_below_a_path(tmp_path: Path) -> None:
    site = BuiltSite(tmp_path)
    sitemap = site.public / "sitemap.xml"
    sitemap.write_text(sitemap.read_text(encoding="utf-8").replace(BASE, f"{BASE}/docs/v1"), encoding="utf-8")
    site.date()
    assert all(line.fingerprint is not None for line in read_lock(site.lock).pages.values())
