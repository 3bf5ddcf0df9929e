"""`urlset watch URL --once --webhook URL --state DIR`, without a settings file: alerts on changes, signed, once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.workflows.watch.watched_sites import SECRET, WatchedSite, is_signed
from urlset.testing import PageAnswer, Raw, Site
from urlset.watching.reader import WatchReader
from urlset.workflows import watch_looks


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WatchedSite]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("URLSET_WEBHOOK_SECRET", SECRET)
    with Site({}) as site:
        yield WatchedSite(site, tmp_path)


def test_a_missing_sitemap_is_reported_once_and_its_return_too(shop: WatchedSite) -> None:
    assert (shop.once().code, shop.kinds) == (0, [])
    good = shop.site.routes["/sitemap.xml"]
    shop.site.routes["/sitemap.xml"] = PageAnswer(404, "gone")
    ran = shop.once()
    assert (ran.code, shop.kinds) == (1, ["sitemap-missing.problem"])
    assert "Problem: " in ran.text
    body, request = shop.hooks[0], shop.received[0]
    assert is_signed(request, SECRET)
    assert not is_signed(request, "another secret")
    assert request.headers["content-type"] == "application/json"
    assert request.headers["idempotency-key"] == body["id"]
    assert {name: body[name] for name in ("schema", "command", "site", "subject", "severity")} == {
        "schema": 1,
        "command": "watch",
        "site": shop.site.url("/"),
        "subject": shop.site.url("/sitemap.xml"),
        "severity": "error",
    }
    assert re.fullmatch(r"\d+\.\d+.*", body["version"])
    assert body["details"] == {"urls_before": 12}
    assert (shop.once().code, shop.kinds) == (0, [])
    shop.site.routes["/sitemap.xml"] = good
    assert (shop.once().code, shop.kinds) == (0, ["sitemap-missing.recovery"])
    assert (shop.once().code, shop.kinds) == (0, [])


def test_a_first_look_that_read_nothing_names_the_reason(shop: WatchedSite) -> None:
    """It was "ok (0 URLs, no change)"."""
    shop.site.routes["/sitemap.xml"] = PageAnswer(404, "gone")
    ran = shop.once(shop.site.url("/sitemap.xml"))
    assert "/sitemap.xml: 404 Not Found" in next(line for line in ran.err.splitlines() if line.startswith("check "))


def test_a_page_instead_of_a_sitemap_is_one_alert(shop: WatchedSite) -> None:
    """Not also fewer URLs and an error; and what could not be seen is not solved."""
    shop.once()
    good = shop.site.routes["/sitemap.xml"]
    shop.site.routes["/sitemap.xml"] = PageAnswer(body="<html><title>Oops</title><body>Try again</body></html>")
    assert (shop.once().code, shop.kinds) == (1, ["sitemap-missing.problem"])
    assert shop.hooks[0]["message"].endswith("/sitemap.xml: not a sitemap")
    shop.site.routes["/sitemap.xml"] = good
    assert (shop.once().code, shop.kinds) == (0, ["sitemap-missing.recovery"])


@pytest.mark.parametrize("answer", [PageAnswer(403, "no"), Raw(end="reset")])
def test_blocked_is_not_broken(shop: WatchedSite, answer: PageAnswer | Raw) -> None:
    shop.once()
    for path in ("/sitemap.xml", "/robots.txt"):
        shop.site.routes[path] = answer
    ran = shop.once("--timeout", "2")
    assert (ran.code, shop.kinds) == (2, [])
    assert "unknown" in ran.err


def test_a_robots_txt_that_is_blocked_hides_the_sitemap(shop: WatchedSite) -> None:
    """Without its Sitemap line there is nothing at the usual places: that does not mean that there is nothing."""
    shop.site.routes["/maps/all.xml"] = shop.site.routes.pop("/sitemap.xml")
    shop.site.routes["/robots.txt"] = f"Sitemap: {shop.site.origin}/maps/all.xml\n"
    shop.once()
    shop.site.routes["/robots.txt"] = PageAnswer(403, "no")
    assert (shop.once().code, shop.kinds) == (2, [])
    shop.site.routes["/robots.txt"] = PageAnswer(404, "gone")
    assert (shop.once().code, sorted(shop.kinds)) == (1, ["robots-changed.change", "sitemap-missing.problem"])


def test_many_changes_at_once(shop: WatchedSite) -> None:
    shop.once()
    shop.list_pages(8)
    sitemap = str(shop.site.routes["/sitemap.xml"])
    shop.site.routes["/sitemap.xml"] = sitemap.replace("/p3<", "/a b<").replace("2026-03-12T02", "2099-03-12T02")
    shop.site.routes["/robots.txt"] = f"{shop.site.routes['/robots.txt']!s}Disallow: /new/\n"
    ran = shop.once("--format", "json")
    assert ran.code == 1
    assert sorted(shop.kinds) == ["dates.problem", "new-errors.problem", "robots-changed.change", "urls-fell.problem"]
    by_kind = {body["kind"]: body for body in shop.hooks}
    assert by_kind["new-errors"]["subject"] == "L007"
    assert by_kind["dates"]["subject"] == "D014"
    assert by_kind["urls-fell"]["details"] == {"urls": 8, "urls_before": 12}
    assert by_kind["urls-fell"]["message"] == "8 entries are listed, 12 before (33% fewer)"
    assert by_kind["robots-changed"]["details"] == {"lines": ["+Disallow: /new/"]}
    assert len(ran.lines) == 4, "one line of JSON for each alert"


def test_what_is_muted_is_not_reported(shop: WatchedSite) -> None:
    shop.once()
    shop.list_pages(2)
    assert (shop.once("--mute", "urls-fell").code, shop.kinds) == (0, [])


def test_noindex_that_spreads(shop: WatchedSite) -> None:
    shop.once(jobs="audit")
    for number in range(5):
        shop.site.routes[f"/p{number}"] = shop.page(number, '<meta name="robots" content="noindex">')
    assert (shop.once(jobs="audit").code, shop.kinds) == (1, ["noindex.problem"])
    assert shop.hooks[0]["details"]["pages"] == 5
    assert shop.hooks[0]["details"]["examples"] == [shop.site.url(f"/p{number}") for number in range(5)]
    shop.list_pages(12)
    assert (shop.once(jobs="audit").code, shop.kinds) == (0, ["noindex.recovery"])


def test_a_receiver_that_refuses_gets_it_later(shop: WatchedSite) -> None:
    shop.once()
    shop.site.routes["/sitemap.xml"] = PageAnswer(404, "gone")
    shop.refuse = 400
    ran = shop.once()
    assert (ran.code, shop.kinds) == (2, [])
    assert re.search(r"webhook-[0-9a-f]{8}: not delivered, tried again later: status 400", ran.err)
    assert (shop.once().code, shop.kinds) == (2, [])
    shop.refuse = 0
    assert (shop.once().code, shop.kinds) == (0, ["sitemap-missing.problem"])
    assert (shop.once().code, shop.kinds) == (0, [])


def test_without_a_secret_a_key_is_made(shop: WatchedSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("URLSET_WEBHOOK_SECRET")
    shop.once()
    shop.list_pages(2)
    shop.once()
    key = shop.state / "webhook.key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert is_signed(shop.received[0], key.read_text())


def test_secrets_are_in_no_log_and_no_state(shop: WatchedSite) -> None:
    """Neither the secret nor the path of the webhook, also where a delivery fails."""
    path = "/services/T0000/B0000/xyzzy-token"
    shop.once(hook=False)
    shop.list_pages(2)
    hooks = [word for kind in ("webhook", "slack", "teams") for word in (f"--{kind}", shop.site.url(path))]
    ran = shop.once(*hooks, "--verbose", hook=False)
    assert ran.code == 2
    written = f"{ran.text}{ran.err}".encode()
    written += b"".join(each.read_bytes() for each in shop.state.rglob("*") if each.is_file())
    assert b"xyzzy" not in written
    assert SECRET.encode() not in written
    with WatchReader(shop.state) as reader:
        assert {each.waiting for each in reader.channels() if each.channel != "stdout"} == {1}


def test_only_what_may_have_changed_is_requested(shop: WatchedSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many sitemaps with a date in the index, those with a new date and a few others."""
    monkeypatch.setattr(watch_looks, "_ALWAYS", 5)
    names = [f"/s{number}.xml" for number in range(12)]
    for name in names:
        shop.list_pages(1, name)

    def index(new: str = "") -> None:
        rows = "".join(
            f"<sitemap><loc>{shop.site.origin}{name}</loc>"
            f"<lastmod>2026-0{1 + (name == new)}-02T03:04:05Z</lastmod></sitemap>"
            for name in names
        )
        head = '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        shop.site.routes["/sitemap.xml"] = f"{head}{rows}</sitemapindex>"

    def requested() -> int:
        asked = [each.path for each in shop.site.log if each.path in names]
        shop.site.log.clear()
        return len(asked)

    index()
    shop.once()
    assert requested() == 12
    shop.once()
    assert 4 <= requested() <= 5
    shop.list_pages(3, "/s11.xml")
    index("/s11.xml")
    ran = shop.once()
    assert 5 <= requested() <= 6
    assert "14 entries" in ran.err


def test_several_sites_and_cron_from_a_settings_file(shop: WatchedSite) -> None:
    text = f"""[watch]
check = "every 1h"
audit = "off"
snapshot = "off"
timezone = "Europe/Berlin"
channels = ["webhook:OPS_HOOK"]
[[watch.sites]]
url = "{shop.site.origin}/"
[[watch.sites]]
url = "{shop.site.origin}/sitemap.xml"
check = "0 6 * * *"
"""
    Path("urlset.toml").write_text(text, encoding="utf-8")
    ran = run("watch", "--dry-run", "--state", shop.state)
    assert [line.partition("  ")[2] for line in ran.lines] == [
        f"check     {shop.site.origin}/  (every 1h)",
        f"check     {shop.site.origin}/sitemap.xml  (0 6 * * *)",
    ]
    os.environ["OPS_HOOK"] = shop.site.url("/hook")
    try:
        assert run("watch", "--once", "--state", shop.state).code == 0
        shop.list_pages(2)
        assert run("watch", "--once", "--state", shop.state).code == 0, "nothing is due"
    finally:
        del os.environ["OPS_HOOK"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--check", "sometimes"], "is not a schedule"),
        (["--debounce", "soon"], "is not a time like"),
        (["--webhook", "ops"], "expected a URL"),
        (["--listen", "0.0.0.0:1"], "not a loopback address"),
        (["--timezone", "Mars/Base"], "is not a time zone"),
    ],
)
def test_wrong_usage_is_one_line(shop: WatchedSite, arguments: list[str], said: str) -> None:
    ran = run("watch", shop.site.url("/"), "--state", shop.state, *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1


def test_no_site_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("watch", "--once").code == 3
