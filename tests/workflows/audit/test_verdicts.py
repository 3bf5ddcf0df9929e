"""Audits of pages that answer 200 and still leave the verdict open, or have nothing to index."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.audit.test_audit import options, outcome_of
from tests.workflows.audit_sites import page, sitemap
from urlset.model.visit import State
from urlset.reports.pages import PageRow
from urlset.testing import PageAnswer, Site
from urlset.testing.exchange import Reply

LOGIN = "<title>Sign in</title><h1>Sign in</h1><form><label>Name <input name=u></label><input type=password></form>"
SHELL = '<!doctype html><title>Shop</title><div id="root"></div><script src="/app.js"></script>'
BARE_SHELL = "<!doctype html><title>Shop</title><body><script>start()</script></body>"


def audited_page(reply: Reply, state: Path, path: str = "/a") -> PageRow:
    """The row of one page of a site that has others."""
    with Site({}) as site:
        others = {f"/{number}": page(number) for number in range(3)}
        site.routes.update({**others, path: reply})
        site.routes["/sitemap.xml"] = sitemap(site.url(each) for each in (path, *others))
        outcome = outcome_of(options(site, state))
        (row,) = (row for row in outcome.report.pages() if row.url == site.url(path))
        assert all(set(row.indexable.values()) == {True} for row in outcome.report.pages() if row.url != site.url(path))
        return row


@pytest.mark.parametrize(
    "reply",
    [
        page("a", '<link rel="canonical" href="/a"><link rel="canonical" href="/b">'),
        page("a", '<link rel="canonical" href="/b"><link rel="canonical" href="/a">'),
        page("a", '<link rel="canonical" href="/b"><link rel="canonical" href="/c">'),
        PageAnswer(200, page("a", '<link rel="canonical" href="/b">'), headers={"Link": '</a>; rel="canonical"'}),
    ],
)
def test_conflicting_canonicals_leave_the_verdict_open(reply: Reply, tmp_path: Path) -> None:
    row = audited_page(reply, tmp_path)
    assert set(row.indexable.values()) == {None}
    assert "conflicting canonicals" in row.reasons[0]
    assert "A014" in row.codes
    assert "A012" not in row.codes
    assert row.remedy is None


def test_the_same_canonical_twice_is_no_conflict(tmp_path: Path) -> None:
    row = audited_page(page("a", '<link rel="canonical" href="/b"><link rel="canonical" href="/b#top">'), tmp_path)
    assert set(row.indexable.values()) == {False}


@pytest.mark.parametrize(
    "reply",
    ["", " \n", "<html><head><title>A</title></head><body></body></html>", "<!doctype html><p></p><div> </div>"],
)
def test_an_empty_page_is_not_indexable(reply: str, tmp_path: Path) -> None:
    row = audited_page(PageAnswer(200, reply), tmp_path)
    assert row.state is State.OK
    assert set(row.indexable.values()) == {False}
    assert row.reasons == ("the page is empty",)
    assert "A020" in row.codes


def test_a_login_form_with_status_200_is_reported(tmp_path: Path) -> None:
    row = audited_page(LOGIN, tmp_path)
    assert set(row.indexable.values()) == {None}
    assert row.reasons == ("login form with little other content",)
    assert "A022" in row.codes


@pytest.mark.parametrize("reply", [SHELL, BARE_SHELL])
def test_an_empty_script_shell_is_reported(reply: str, tmp_path: Path) -> None:
    row = audited_page(reply, tmp_path)
    assert set(row.indexable.values()) == {None}
    assert row.reasons == ("content is rendered by JavaScript",)
    assert "A019" in row.codes


def test_noindex_nofollow_without_a_comma(tmp_path: Path) -> None:
    row = audited_page(page("a", '<meta name="robots" content="noindex nofollow">'), tmp_path)
    assert set(row.indexable.values()) == {False}
    assert row.reasons == ("noindex",)
    assert "A006" in row.codes


def test_a_304_that_nothing_called_for_is_named(tmp_path: Path) -> None:
    row = audited_page(PageAnswer(304, ""), tmp_path)
    assert row.state is State.ERROR
    assert row.reason == "304 Not Modified to an unconditional request"
    assert set(row.indexable.values()) == {False}
    assert "A002" in row.codes
    assert "A005" not in row.codes


@pytest.mark.parametrize(
    "reply",
    [
        page("a").replace("<nav>", "<nav><form><input name=u><input type=password></form>"),
        page("a").replace("</body>", '<script src="/app.js"></script></body>'),
        "<title>A map</title><iframe src='https://maps.example/a'></iframe>",
    ],
)
def test_pages_with_content_beside_a_form_or_a_script_are_indexable(reply: str, tmp_path: Path) -> None:
    row = audited_page(reply, tmp_path)
    assert set(row.indexable.values()) == {True}, row.reasons
