"""An audit of real sites on loopback: states, remedies, conditional runs, samples, budgets, folders."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.workflows.audit_sites import CHALLENGE, every_state, many, page, sitemap
from urlset.auditing.session import SessionEnd
from urlset.model.visit import State
from urlset.reports.pages import AuditReport, PageRow
from urlset.settings.audit import AuditSettings
from urlset.testing import PageAnswer, Request, Site
from urlset.testing.exchange import Reply
from urlset.web.options import WebOptions
from urlset.workflows.audit.audit import AuditRun, audited
from urlset.workflows.audit.sources import AuditError
from urlset.writing.sqlite_store import StateBusy

WEB = WebOptions(allow_private=True, backoff=0.01, patience=0.05)


def options(site: Site, state: Path, **more: Any) -> AuditSettings:
    return AuditSettings(**{"target": site.url("/sitemap.xml"), "state": state, "web": WEB, "check": False, **more})


@contextmanager
def every_state_site() -> Iterator[Site]:
    with Site({}) as site:
        site.routes.update(every_state(site.origin))
        yield site


def outcome_of(settings: AuditSettings) -> AuditRun:
    with audited(settings) as outcome:
        rows = tuple(outcome.report.pages())
        report = msgspec.structs.replace(outcome.report, pages=lambda: iter(rows))
        return msgspec.structs.replace(outcome, report=report)


def rows_of(report: AuditReport, site: Site) -> dict[str, PageRow]:
    return {row.url.removeprefix(site.origin): row for row in report.pages()}


def test_every_state_is_told_apart(tmp_path: Path) -> None:
    with every_state_site() as site:
        outcome = outcome_of(options(site, tmp_path))
        rows = rows_of(outcome.report, site)
    assert outcome.ended is SessionEnd.FINISHED
    assert {path: row.state for path, row in rows.items()} == {
        "/ok": State.OK,
        "/moved": State.REDIRECTED,
        "/gone": State.GONE,
        "/error": State.ERROR,
        "/blocked": State.BLOCKED,
        "/private/page": State.UNKNOWN,
        "/noindex": State.OK,
        "/copy": State.OK,
        "/for-google": State.OK,
        "/elsewhere": State.REDIRECTED,
        "/fine": State.OK,
    }
    assert outcome.report.states == {
        State.OK: 5,
        State.REDIRECTED: 2,
        State.GONE: 1,
        State.ERROR: 1,
        State.BLOCKED: 1,
        State.UNKNOWN: 1,
    }
    assert rows["/private/page"].reason == "robots.txt disallows urlset"
    assert rows["/moved"].final_url == site.url("/moved/")
    assert [hop.status for hop in rows["/moved"].hops] == [301]
    assert "/private/page" not in site.paths()


def test_who_may_index_a_page_and_why_not(tmp_path: Path) -> None:
    with every_state_site() as site:
        rows = rows_of(outcome_of(options(site, tmp_path)).report, site)
    assert rows["/ok"].indexable == {"google": True, "bing": True}
    assert rows["/for-google"].indexable == {"google": False, "bing": True}
    assert rows["/for-google"].reasons == ("noindex for googlebot (google)",)
    assert rows["/noindex"].indexable == {"google": False, "bing": False}
    assert rows["/noindex"].reasons == ("noindex",)
    assert rows["/copy"].reasons == (f"canonical is {site.url('/ok')}",)
    assert rows["/blocked"].indexable == {"google": None, "bing": None}
    assert rows["/gone"].indexable == {"google": False, "bing": False}


def test_what_is_to_be_done_about_each_page(tmp_path: Path) -> None:
    with every_state_site() as site:
        report = outcome_of(options(site, tmp_path)).report
        rows = rows_of(report, site)
        reported = {
            path: (row.remedy.action, row.remedy.code, (row.remedy.to or "").removeprefix(site.origin))
            for path, row in rows.items()
            if row.remedy is not None
        }
    assert reported == {
        "/moved": ("replace", "A003", "/moved/"),
        "/gone": ("drop", "A001", ""),
        "/noindex": ("drop", "A006", ""),
        "/copy": ("replace", "A012", "/ok"),
        "/elsewhere": ("replace", "A003", "/ok"),
    }
    assert report.remedies == {"replace": 3, "drop": 2}


def test_findings_stand_in_the_sitemap_at_their_entry(tmp_path: Path) -> None:
    with every_state_site() as site:
        verdict = outcome_of(options(site, tmp_path)).report.verdict
    gone = next(finding for finding in verdict.findings if finding.code == "A001")
    assert (gone.source, gone.line, gone.subject) == (site.url("/sitemap.xml"), 5, site.url("/gone"))
    assert verdict.counts["A003"] == 2
    assert [document.entries for document in verdict.documents] == [11]


def test_rules_can_be_chosen(tmp_path: Path) -> None:
    with every_state_site() as site:
        report = outcome_of(options(site, tmp_path, select=("A003",))).report
        rows = rows_of(report, site)
    assert set(report.verdict.counts) == {"A003"}
    assert rows["/gone"].remedy is None
    assert rows["/moved"].remedy is not None


def test_robots_may_be_ignored_on_ones_own_site(tmp_path: Path) -> None:
    with every_state_site() as site:
        rows = rows_of(outcome_of(options(site, tmp_path, ignore_robots=True)).report, site)
    assert rows["/private/page"].state is State.OK


def test_a_second_run_asks_only_whether_anything_changed(tmp_path: Path) -> None:
    with Site(many(30)) as site:
        first = outcome_of(options(site, tmp_path))
        asked = len(site.log)
        second = outcome_of(options(site, tmp_path))
        again = site.log[asked:]
    assert first.report.unchanged == 0
    conditional = [each for each in again if "if-none-match" in each.headers and each.path.startswith("/p")]
    assert {each.status for each in conditional} == {304}
    assert second.report.unchanged == len(conditional) == 26
    assert second.report.states == first.report.states
    assert second.report.verdict.counts == first.report.verdict.counts


def test_what_is_known_is_reported_without_asking(tmp_path: Path) -> None:
    with Site(many(20)) as site:
        with pytest.raises(AuditError, match="no earlier audit"):
            outcome_of(options(site, tmp_path, known=True))
        first = outcome_of(options(site, tmp_path))
        asked = len(site.log)
        known = outcome_of(options(site, tmp_path, known=True))
        assert len(site.log) == asked
    assert list(known.report.pages()) == list(first.report.pages())


def test_an_audit_with_a_budget_goes_on_next_time(tmp_path: Path) -> None:
    with Site(many(40)) as site:
        first = outcome_of(options(site, tmp_path, max_pages=15))
        assert (first.ended, first.left) == (SessionEnd.OUT_OF_PAGES, 25)
        assert [(each.count, each.reason) for each in first.report.not_asked] == [(25, "--max-pages reached")]
        assert not first.report.finished
        second = outcome_of(options(site, tmp_path, max_pages=15))
        assert (second.ended, second.left) == (SessionEnd.OUT_OF_PAGES, 10)
        third = outcome_of(options(site, tmp_path, max_pages=15))
        assert (third.ended, third.left) == (SessionEnd.FINISHED, 0)
        counts = site.counts()
    assert third.report.not_asked == ()
    assert max(count for path, count in counts.items() if path.startswith("/p")) == 1


def test_a_budget_of_just_enough_pages_is_enough(tmp_path: Path) -> None:
    with Site(many(10)) as site:
        assert outcome_of(options(site, tmp_path, max_pages=10)).ended is SessionEnd.FINISHED


def test_time_may_run_out(tmp_path: Path) -> None:
    with Site(many(400, pause=0.02)) as site:
        outcome = outcome_of(options(site, tmp_path, max_time="0.3s"))
    assert outcome.ended is SessionEnd.OUT_OF_TIME
    assert 0 < outcome.left < 400
    assert outcome.report.not_asked[0].reason == "--max-time reached"


def test_a_sample_says_how_sure_it_is(tmp_path: Path) -> None:
    with Site(many(200)) as site:
        outcome = outcome_of(options(site, tmp_path, sample="25%"))
        asked = {path for path in site.paths() if re.fullmatch(r"/p\d+", path)}  # not the error probe
        outcome_again = outcome_of(options(site, tmp_path / "other", sample="25%"))
    report = outcome.report
    assert len(asked) == 50
    assert report.seen == 50
    assert [(each.count, each.reason) for each in report.not_asked] == [(150, "outside the sample")]
    gone = next(each for each in report.estimates if each.what.startswith("A001"))
    assert gone.low <= 0.05 <= gone.high
    assert gone.pages_low <= 10 <= gone.pages_high
    rows = list(report.pages())
    assert len(rows) == 200
    assert {row.reason for row in rows if not row.asked} == {"not requested: outside the sample"}
    chosen = [row.url.rpartition("/")[2] for row in rows if row.asked]
    assert chosen == [row.url.rpartition("/")[2] for row in outcome_again.report.pages() if row.asked]


def test_a_sample_also_projects_what_is_known_of_pages_that_nobody_may_fetch(tmp_path: Path) -> None:
    with Site({"/open/*": lambda request: page(request.path)}) as site:
        listed = [site.url(f"/{part}/{number}") for number in range(100) for part in ("open", "shut")]
        site.routes["/robots.txt"] = "User-agent: *\nDisallow: /shut/\n"
        site.routes["/sitemap.xml"] = sitemap(listed)
        report = outcome_of(options(site, tmp_path, sample="40")).report
    (forbidden,) = (each for each in report.estimates if each.what.startswith("A011"))
    assert report.verdict.counts["A011"] == 20
    assert forbidden.pages_low <= 100 <= forbidden.pages_high
    assert forbidden.low <= 0.5 <= forbidden.high


def test_a_host_that_blocks_everything_is_left_alone(tmp_path: Path) -> None:
    def answer(request: Request) -> Reply | None:
        if request.path == "/sitemap.xml":
            return sitemap(f"{request.origin}/p{number}" for number in range(200))
        return None if request.path == "/robots.txt" else CHALLENGE

    with Site(answer) as site:
        report = outcome_of(options(site, tmp_path)).report
        asked = {path for path in site.paths() if path.startswith("/p") and path[2:].isdigit()}
    assert len(asked) < 30
    assert report.states == {State.BLOCKED: len(asked), State.UNKNOWN: 200 - len(asked)}
    assert (State.UNKNOWN, "not requested: the host blocks urlset", 200 - len(asked)) in report.reasons
    assert any("blocks urlset" in notice for notice in report.notices)
    assert report.verdict.counts.get("A001") is None


def test_a_block_that_passes_is_forgotten(tmp_path: Path) -> None:
    met: set[str] = set()

    def answer(request: Request) -> Reply | None:
        if request.path == "/p7" and request.path not in met:
            met.add(request.path)
            return CHALLENGE
        return many(20)(request)

    with Site(answer) as site:
        report = outcome_of(options(site, tmp_path)).report
    assert State.BLOCKED not in report.states
    assert sum(report.states.values()) == 20
    assert met == {"/p7"}


def test_a_local_sitemap_whose_pages_are_fetched(tmp_path: Path) -> None:
    with every_state_site() as site:
        file = tmp_path / "sitemap.xml"
        file.write_text(sitemap([site.url("/ok"), site.url("/gone"), site.url("/ok")]))
        report = outcome_of(options(site, tmp_path, target=str(file))).report
        assert "/sitemap.xml" not in site.paths()
    assert report.states == {State.OK: 1, State.GONE: 1}
    gone = next(finding for finding in report.verdict.findings if finding.code == "A001")
    assert (gone.source, gone.line) == (str(file), 4)


def test_a_site_root_and_an_index(tmp_path: Path) -> None:
    with Site({}) as site:
        index = f"<sitemap><loc>{site.url('/a.xml')}</loc></sitemap><sitemap><loc>{site.url('/b.xml')}</loc></sitemap>"
        namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
        site.routes.update(
            {
                "/robots.txt": f"Sitemap: {site.url('/index.xml')}\n",
                "/index.xml": f'<sitemapindex xmlns="{namespace}">{index}'
                f"<sitemap><loc>{site.url('/index.xml')}</loc></sitemap>"
                f"<sitemap><loc>{site.url('/missing.xml')}</loc></sitemap></sitemapindex>",
                "/a.xml": sitemap([site.url("/one"), site.url("/two")]),
                "/b.xml": sitemap([site.url("/two"), site.url("/three")]),
                **{f"/{name}": page(name) for name in ("one", "two", "three")},
            }
        )
        report = outcome_of(options(site, tmp_path, target=site.url("/"))).report
        rows = list(report.pages())
    assert [(row.url.rpartition("/")[2], row.source.rpartition("/")[2], row.entry) for row in rows] == [
        ("one", "a.xml", 1),
        ("two", "a.xml", 2),
        ("three", "b.xml", 2),
    ]
    assert report.verdict.troubled == (
        f"{site.url('/missing.xml')}, listed in {site.url('/index.xml')}: 404 Not Found",
    )


def test_images_are_asked_for_on_request(tmp_path: Path) -> None:
    with Site({}) as site:
        images = "".join(
            f"<image:image><image:loc>{site.url(path)}</image:loc></image:image>" for path in ("/a.png", "/b.png")
        )
        listed = sitemap([site.url("/one")], images).replace(
            "<urlset ", '<urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" '
        )
        site.routes.update(
            {
                "/sitemap.xml": listed,
                "/one": page("one"),
                "/a.png": PageAnswer(200, b"\x89PNG" * 50_000, type="image/png"),
            }
        )
        without = outcome_of(options(site, tmp_path / "without")).report
        assert "/a.png" not in site.paths()
        report = outcome_of(options(site, tmp_path / "with", media=True)).report
        assert {each.method for each in site.log} == {"GET"}
    assert without.media == {}
    assert report.media == {State.OK: 1, State.GONE: 1}
    assert report.states == {State.OK: 1}
    assert [row.url for row in report.pages()] == [site.url("/one")]


def test_images_that_robots_txt_keeps_from_everyone_are_told(tmp_path: Path) -> None:
    with Site({}) as site:
        image = f"<image:image><image:loc>{site.url('/img/a.png')}</image:loc></image:image>"
        listed = sitemap([site.url("/one")], image).replace(
            "<urlset ", '<urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" '
        )
        site.routes.update(
            {"/sitemap.xml": listed, "/one": page("one"), "/robots.txt": "User-agent: *\nDisallow: /img/\n"}
        )
        report = outcome_of(options(site, tmp_path, media=True)).report
        assert "/img/a.png" not in site.paths()
    assert report.media == {State.UNKNOWN: 1}
    assert report.verdict.counts.get("M007") == 1


def test_what_one_host_repeats_is_counted_by_itself(tmp_path: Path) -> None:
    """The small host's long menu would pass for its pages' own text if both were counted together."""
    menu = " ".join(f"menu-entry-{number}" for number in range(80))

    def answer(request: Request) -> Reply | None:
        if request.path == "/sitemap.xml":
            large = [f"{request.origin}/p{number}" for number in range(120)]
            small = [f"{request.origin.replace('127.0.0.1', '127.0.0.2')}/s{number}" for number in range(24)]
            return sitemap([*large, *small])
        if request.path.startswith("/s"):
            return f"<title>{request.path}</title><div>{menu}</div><p>Number {request.path[2:]}</p>"
        return page(request.path) if request.path.startswith("/p") else None

    with Site(answer, addresses=("127.0.0.1", "127.0.0.2")) as site:
        both = msgspec.structs.replace(WEB, allow_addresses=frozenset({"127.0.0.2"}))
        report = outcome_of(options(site, tmp_path, web=both)).report
    thin = [row.url for row in report.pages() if row.thin]
    assert len(thin) == 24
    assert all("/s" in url for url in thin)


def test_two_audits_of_one_target_do_not_run_together(tmp_path: Path) -> None:
    with Site(many(5)) as site, audited(options(site, tmp_path)), pytest.raises(StateBusy):
        outcome_of(options(site, tmp_path))


def test_fresh_forgets_everything(tmp_path: Path) -> None:
    with Site(many(20)) as site:
        outcome_of(options(site, tmp_path))
        asked = len(site.log)
        assert outcome_of(options(site, tmp_path, fresh=True)).report.unchanged == 0
        assert not any("if-none-match" in each.headers for each in site.log[asked:])


def test_many_ways_to_fail_do_not_hide_who_was_kept_out(tmp_path: Path) -> None:
    with Site({}) as site:
        listed = {f"/{status}": PageAnswer(status) for status in (501, 505, 506, 507, 508, 510, 511)} | {
            "/kept-out": CHALLENGE
        }
        site.routes.update({**listed, "/sitemap.xml": sitemap(map(site.url, listed))})
        reasons = outcome_of(options(site, tmp_path)).report.reasons
    assert (State.BLOCKED, "403 with a Cloudflare challenge", 1) in reasons


def test_a_site_without_a_sitemap_was_read_all_the_same(tmp_path: Path) -> None:
    with Site({"/": page("home")}) as site:
        report = outcome_of(options(site, tmp_path, target=site.url("/"))).report
    assert (report.listed, report.verdict.troubled) == (0, ())
    assert "no sitemap found" in " ".join(report.notices)


def test_a_site_that_keeps_its_sitemap_to_itself_was_not_read(tmp_path: Path) -> None:
    with Site({"/*": CHALLENGE}) as site:
        report = outcome_of(options(site, tmp_path, target=site.url("/"))).report
    assert "no sitemap found" in " ".join(report.verdict.troubled)


def test_a_target_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(AuditError, match="no such file"):
        outcome_of(AuditSettings(target=str(tmp_path / "missing.xml"), state=tmp_path, web=WEB))
