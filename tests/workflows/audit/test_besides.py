"""What a page names in its own place → looked at before `urlset fix --using` may list it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.workflows.audit.test_audit import options, outcome_of, rows_of
from tests.workflows.audit_sites import page, sitemap
from urlset.auditing.facts import PendingVisit
from urlset.auditing.session import SessionEnd
from urlset.checking.context import Context
from urlset.checking.live_page import Comparison, Crawled, ListingPlace
from urlset.model.page import Canonical
from urlset.model.visit import State, Visit
from urlset.testing import Site, redirect
from urlset.testing.exchange import Reply
from urlset.workflows.audit.audit import audited
from urlset.workflows.audit.crawled import CrawledSite


def test_a_canonical_that_nobody_lists_is_looked_at_before_it_is_to_be_listed(tmp_path: Path) -> None:
    def names(target: str) -> str:
        return page(target, f'<link rel="canonical" href="{target}">')

    with Site({}) as site:
        listed = {
            "/to-gone": names("/not-there"),
            "/to-good": names("/good"),
            "/too": names("/good"),
            "/away": page("away", '<meta http-equiv="refresh" content="0; url=/not-there">'),
        }
        site.routes.update({**listed, "/good": page("good"), "/sitemap.xml": sitemap(map(site.url, listed))})
        report = outcome_of(options(site, tmp_path)).report
        rows = rows_of(report, site)
        asked = site.counts()
        before = len(site.log)
        again = rows_of(outcome_of(options(site, tmp_path, known=True)).report, site)
        assert len(site.log) == before
    assert (asked["/not-there"], asked["/good"]) == (1, 1)
    assert (report.listed, report.states, report.media) == (4, {State.OK: 4}, {})
    assert set(rows) == set(listed)
    assert rows["/to-gone"].remedy is None
    advice = {each.subject: each.message for each in report.verdict.findings if each.code == "A024"}
    assert advice[site.url("/away")].endswith("but it returns 404")
    for path in ("/to-good", "/too"):
        remedy = rows[path].remedy
        assert remedy is not None
        assert (remedy.action, remedy.to) == ("replace", site.url("/good"))
    assert again == rows


def test_a_page_that_redirects_to_an_error_page_sent_with_200_is_not_replaced_by_it(tmp_path: Path) -> None:
    missing = (
        "<html lang=en><title>Page not found</title><h1>Page not found</h1><p>Sorry, this page does not exist.</p>"
    )
    with Site({}) as site:
        listed: dict[str, Reply] = {"/old": redirect("/sorry", 301)}
        listed |= {f"/{number}": page(number) for number in range(5)}
        site.routes.update({**listed, "/sorry": missing, "/sitemap.xml": sitemap(map(site.url, listed))})
        report = outcome_of(options(site, tmp_path)).report
        old = rows_of(report, site)["/old"]
    assert (old.state, old.soft_404 is not None, old.remedy) == (State.REDIRECTED, True, None)
    assert report.remedies == {}


def test_a_budget_counts_what_is_asked_besides_and_goes_on_with_it(tmp_path: Path) -> None:
    with Site({}) as site:
        site.routes["/copy"] = page("copy", '<link rel="canonical" href="/not-there">')
        site.routes["/sitemap.xml"] = sitemap([site.url("/copy")])
        first = outcome_of(options(site, tmp_path, max_pages=1))
        second = outcome_of(options(site, tmp_path, max_pages=1))
        assert (first.ended, first.left) == (SessionEnd.OUT_OF_PAGES, 1)
        assert (second.ended, second.left) == (SessionEnd.FINISHED, 0)
        assert (site.counts()["/copy"], site.counts()["/not-there"]) == (1, 1)
        assert rows_of(second.report, site)["/copy"].remedy is None


def test_what_a_crawl_has_seen_already_names_canonicals_too(tmp_path: Path) -> None:
    with Site({}) as site:
        site.routes["/sitemap.xml"] = sitemap([site.url("/copy")])
        url = site.url("/copy")
        named = (Canonical("/not-there", in_head=True),)
        seen = PendingVisit(Visit(url=url, state=State.OK, status=200, final_url=url, size=9, canonicals=named))

        class Seen(CrawledSite):
            def __init__(self) -> None:
                pass

            def __call__(self, listings: Iterable[ListingPlace], context: Context) -> Comparison:
                return Comparison(listings, [Crawled(url)], context, complete=True)

            def links(self, url: str) -> None:
                del url

            def inlinks(self, url: str) -> tuple[str, ...]:
                del url
                return ()

            def recent_visit(self, url: str) -> PendingVisit | None:
                return seen if url == seen.visit.url else None

        with audited(options(site, tmp_path), crawled=Seen()) as outcome:
            (row,) = outcome.report.pages()
        assert (site.counts()["/copy"], site.counts()["/not-there"]) == (0, 1)
    assert (row.codes, row.remedy) == (("A012", "A017"), None)
