"""Sets that look wrong → refused with the numbers, the old set intact; and the ways around and back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from tests.cli.commands import run
from tests.workflows.listed_sites import BASE, ListedSite, files_in
from urlset.building.ledger import Ledger, LedgerRow

PAGES = [f"p/{number}" for number in range(20)]
SECTIONS = ("--section", "news=/news/*", "--host", "https://shop.example.com/")


@pytest.fixture
def site(tmp_path: Path) -> ListedSite:
    site = ListedSite(tmp_path)
    site.offer([*PAGES, "news/a", "news/b"])
    assert site.build(*SECTIONS).code == 0
    return site


def _empty(site: ListedSite) -> None:
    site.offer(["feed.xml"])


def _shrunk(site: ListedSite) -> None:
    site.offer([*PAGES[:5], "news/a"])


def _without_section(site: ListedSite) -> None:
    site.offer(PAGES)


def _other_host(site: ListedSite) -> None:
    site.rows({"loc": f"https://shop.example.com/{path}"} for path in [*PAGES, "news/a", "news/b"])


def _with_errors(site: ListedSite) -> None:
    """Of the set, not of single pages: no robots.txt vouches for the other host."""
    pages = [BASE + path for path in (*PAGES, "news/a", "news/b")]
    site.rows({"loc": loc} for loc in [*pages, "https://shop.example.com/a"])


CASES = {
    "empty": (_empty, BASE, "the new set is empty; the last set lists 22"),
    "shrink": (_shrunk, BASE, "16 of 22 pages of the last set are missing from the new set (72.7 %)"),
    "section": (_without_section, BASE, "section 'news', with 2 pages in the last set, would disappear"),
    "host": (
        _other_host, "https://shop.example.com/",
        "the host changed from 'www.example.com' to 'shop.example.com'",
    ),
    "errors": (_with_errors, BASE, "the check found"),
}  # fmt: skip


@pytest.mark.parametrize("guard", CASES)
def test_a_guard_refuses_and_is_overridden_by_name(site: ListedSite, guard: str) -> None:
    before, remembered = site.published(), run("explain", f"{BASE}p/7", "--state", site.state).text
    change, base, message = CASES[guard]
    change(site)
    ran = site.build(*SECTIONS, base=base)
    assert ran.code == 1
    assert f"refused    {message}" in ran.text
    assert f"--force {guard}" in ran.text
    assert ran.lines[-1] == "Not published. The existing sitemaps are unchanged."
    assert site.published() == before
    assert run("explain", f"{BASE}p/7", "--state", site.state).text == remembered, "the ledger stands too"
    others = [name for name in CASES if name != guard]
    assert site.build(*SECTIONS, *[part for name in others for part in ("--force", name)], base=base).code == 1
    assert site.published() == before
    forced = site.build(*SECTIONS, "--force", guard, base=base)
    assert forced.code == 0, forced.text
    assert site.published() != before


def test_a_guard_that_does_not_exist(site: ListedSite) -> None:
    ran = site.build("--force", "everything")
    assert ran.code == 2
    assert "--force: 'everything' is not one of empty, shrink, section, host, errors" in ran.err


def test_how_much_may_be_lost_is_a_setting(site: ListedSite) -> None:
    _shrunk(site)
    assert site.build(*SECTIONS, "--shrink-percent", "80").code == 0


def test_nothing_to_list_on_the_first_build(tmp_path: Path) -> None:
    site = ListedSite(tmp_path)
    _empty(site)
    ran = site.build()
    assert ran.code == 1
    assert "the new set is empty" in ran.text
    assert site.published() == {}


def test_a_dry_run_shows_the_plan_and_writes_nothing(site: ListedSite) -> None:
    before, state = site.published(), site.state / "manifest.json"
    kept = state.read_bytes()
    site.offer([*PAGES[1:], "p/new", "news/a", "news/b"])
    report = site.report(*SECTIONS, "--dry-run")
    assert (report["added"], report["removed"], report["published"]) == (1, 1, False)
    assert report["changes"]["changed"] == ["sitemap-pages-1.xml"]
    ran = site.build(*SECTIONS, "--dry-run")
    assert ran.code == 0
    assert ran.lines[-1] == "dry run: nothing was written"
    assert "changed    sitemap-pages-1.xml" in ran.text
    assert site.published() == before
    assert state.read_bytes() == kept
    assert site.report(*SECTIONS)["changes"]["changed"] == ["sitemap-pages-1.xml"], "the real one does as it said"


def _of_the_first_form(ledger: Path) -> None:
    """As the version before file-backed pages left it: with a row for each page."""
    with Ledger.open_to_read(ledger) as known:
        rows = [msgspec.structs.astuple(row)[:12] for row in known.pages()]
    with closing(sqlite3.connect(ledger, isolation_level=None)) as connection:
        names = ", ".join(LedgerRow.__struct_fields__[:12])
        connection.executemany(f"INSERT OR IGNORE INTO pages ({names}) VALUES ({', '.join('?' * 12)})", rows)
        connection.execute("DROP TABLE backed")
        connection.execute("DELETE FROM migrations WHERE number > 1")


@pytest.mark.parametrize("how", [SECTIONS, ("--force", "section")], ids=["sections", "no sections"])
def test_a_dry_run_leaves_a_ledger_of_an_older_version_as_it_is(site: ListedSite, how: tuple[str, ...]) -> None:
    _of_the_first_form(site.state / "ledger.db")
    before = files_in(site.state)
    site.offer([*PAGES[1:], "p/new", "news/a", "news/b"])
    report = site.report(*how, "--dry-run")
    assert (report["added"], report["removed"], report["listed"]) == (1, 1, 22), "what the old ledger knows counts"
    assert files_in(site.state) == before
    assert site.build(*how).code == 0
    with closing(sqlite3.connect(site.state / "ledger.db")) as connection:
        assert connection.execute("SELECT max(number) FROM migrations").fetchone()[0] > 1, "the real one brings it up"


def test_a_dry_run_makes_no_folders(tmp_path: Path) -> None:
    site = ListedSite(tmp_path)
    site.offer(PAGES)
    ran = site.build("--dry-run")
    assert ran.code == 0
    assert "20 new" in ran.text
    assert [path.name for path in tmp_path.iterdir()] == ["urls.jsonl"]


def test_a_dry_run_tells_what_a_guard_would_say(site: ListedSite) -> None:
    _shrunk(site)
    assert site.build(*SECTIONS, "--dry-run").code == 1


def test_rollback_and_back_again(site: ListedSite) -> None:
    first = {name: content for name, (content, _) in site.published().items()}
    site.offer([*PAGES, "p/new", "news/a", "news/b"])
    assert site.build(*SECTIONS).code == 0
    second = {name: content for name, (content, _) in site.published().items()}
    assert first != second
    for expected in (first, second, first):
        ran = run("publish", "rollback", site.out, "--state", site.state)
        assert ran.code == 0, ran.err
        assert {name: content for name, (content, _) in site.published().items()} == expected
    assert site.build(*SECTIONS).code == 0
    assert {name: content for name, (content, _) in site.published().items()} == second, "a build moves on from there"


def test_nothing_to_roll_back_to(site: ListedSite) -> None:
    ran = run("publish", "rollback", site.out, "--state", site.state)
    assert ran.code == 2
    assert "no earlier set to roll back to" in ran.err


def test_robots_txt_gets_its_line_and_nothing_else(site: ListedSite) -> None:
    robots = site.out / "robots.txt"
    robots.write_bytes(b"User-agent: *\r\nDisallow: /x/\r\n")
    assert "added the sitemap to robots.txt" in site.build(*SECTIONS).text
    assert robots.read_bytes() == (
        b"User-agent: *\r\nDisallow: /x/\r\n\r\nSitemap: https://www.example.com/sitemap.xml\r\n"
    )
    before = files_in(site.out)
    assert site.build(*SECTIONS).code == 0
    assert files_in(site.out) == before


@pytest.mark.parametrize("how", ["edited", "deleted"])
def test_a_set_that_shrinks_is_refused_without_the_copies_of_its_files(tmp_path: Path, how: str) -> None:
    site = ListedSite(tmp_path)
    site.offer([f"p/{number}" for number in range(50)])
    assert site.build().code == 0
    for path in [site.out / "sitemap.xml"] if how == "edited" else (site.state / "kept").iterdir():
        if how == "edited":
            with path.open("r+b") as file:  # in place: the copy may be a hard link
                file.truncate()
        else:
            path.unlink()
    site.offer([f"p/{number}" for number in range(5)])
    ran = site.build()
    assert ran.code == 1
    assert "refused    45 of 50 pages of the last set are missing from the new set (90.0 %)" in ran.text
    assert site.build("--force", "shrink").code == 0
