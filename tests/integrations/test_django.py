"""Django on a real database: the one-line migration, the keyset class, the commands and the checks."""

from __future__ import annotations

import gzip
import io
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import urlset

django = pytest.importorskip("django")
BASE = "https://www.example.com"


def fetched(client: Any, path: str, **headers: str) -> Any:
    return client.get(path, secure=True, headers=headers)


def body(response: Any) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content


def tree(client: Any, index: str) -> dict[str, list[str]]:
    """Every file of an index with its URLs."""
    found = {}
    for entry in urlset.read(body(fetched(client, index))):
        path = (entry.loc or "").removeprefix(BASE)
        found[path] = [page.loc or "" for page in urlset.read(body(fetched(client, path)))]
    return found


def findings(client: Any, index: str) -> dict[str, int]:
    """How often each rule fires, index and children together."""
    counts: dict[str, int] = {}
    for path in [index, *tree(client, index)]:
        verdict = urlset.check(body(fetched(client, path)), at=f"{BASE}/sitemap.xml", ignore=["host-not-public"])
        for finding in verdict.findings:
            counts[str(finding.severity)] = counts.get(str(finding.severity), 0) + 1
    return counts


def test_one_changed_line_keeps_every_url_and_loses_findings(client: Any) -> None:
    """Five kinds of classes, untouched."""
    before, after = tree(client, "/before/sitemap.xml"), tree(client, "/after/sitemap.xml")
    assert [path.replace("before", "after") for path in before] == list(after)
    for path, locs in before.items():
        mine = after[path.replace("before", "after")]
        assert [urlset.Address.parse(loc).key for loc in mine] == [urlset.Address.parse(loc).key for loc in locs]
    was, is_now = findings(client, "/before/sitemap.xml"), findings(client, "/after/sitemap.xml")
    assert was.get("error", 0) > 0
    assert is_now.get("error", 0) == 0
    assert sum(is_now.values()) < sum(was.values())


def test_dates_have_the_precision_of_the_field(client: Any) -> None:
    assert b"<lastmod>2026-05-01T10:30:00Z</lastmod>" in body(fetched(client, "/after/sitemap-articles.xml"))
    assert b"<lastmod>2026-05-01</lastmod>" in body(fetched(client, "/before/sitemap-articles.xml"))


def test_alternates_and_images_of_classic_classes(client: Any) -> None:
    entries = list(urlset.read(body(fetched(client, "/after/sitemap-translated.xml"))))
    assert [(link.hreflang, link.href) for link in entries[0].alternates] == [
        ("en", f"{BASE}/en/guide/"),
        ("de", f"{BASE}/de/guide/"),
        ("x-default", f"{BASE}/guide/"),
    ]
    assert b"<image:loc>https://www.example.com/gallery/1.jpg</image:loc>" in body(
        fetched(client, "/after/sitemap-custom.xml")
    )


@pytest.mark.parametrize("path", ["/after/sitemap.xml", "/after/sitemap-articles.xml", "/sitemap.xml",
                                  "/sitemap-articles.xml?p=2", "/sitemap-articles.xml.gz"])  # fmt: skip
def test_conditions(client: Any, path: str) -> None:
    full = fetched(client, path)
    data = body(full)
    assert full.status_code == 200
    assert full["X-Robots-Tag"] == "noindex, noodp, noarchive"
    assert fetched(client, path, if_none_match=full["ETag"]).status_code == 304
    assert fetched(client, path, if_none_match='"other"').status_code == 200
    if "articles" in path:
        assert fetched(client, path, if_modified_since=full["Last-Modified"]).status_code == 304
    head = client.head(path, secure=True)
    assert head["ETag"] == full["ETag"]
    assert body(head) == b""
    assert data[:2] == b"\x1f\x8b" if path.endswith("gz") else data.startswith(b"<?xml")


@pytest.mark.parametrize("query", ["?p=9", "?p=x", "?p=0", "?p=²", "?p=", "?p=-1"])
@pytest.mark.parametrize("path", ["/after/sitemap-articles.xml", "/sitemap-articles.xml"])
def test_missing_pages(client: Any, path: str, query: str) -> None:
    assert fetched(client, path + query).status_code == 404
    assert fetched(client, path.replace("articles", "other")).status_code == 404


def test_keyset_shards(client: Any) -> None:
    files = tree(client, "/sitemap.xml")
    articles = {path: locs for path, locs in files.items() if "articles" in path}
    assert [path[-3:] for path in articles] == ["xml", "p=2", "p=3"]
    assert [len(locs) for locs in articles.values()] == [199, 200, 51]
    notes = [loc for path, locs in files.items() if "notes" in path for loc in locs]
    assert len(notes) == len(set(notes)) == 450
    assert findings(client, "/sitemap.xml").get("error", 0) == 0
    dates = {entry.loc: entry.lastmod for entry in urlset.read(body(fetched(client, "/sitemap.xml")))}
    assert dates[f"{BASE}/sitemap-articles.xml"] == "2026-05-01T10:33:18Z"
    plain, packed = fetched(client, "/sitemap-notes.xml"), fetched(client, "/sitemap-notes.xml.gz")
    assert packed["Content-Type"] == "application/gzip"
    data = body(plain)
    assert gzip.decompress(body(packed)) == data
    assert b"<image:title>note " in data
    assert plain["Cache-Control"] == "public, max-age=0"


def test_keyset_pages_stay_in_their_files(client: Any) -> None:
    from django.db import transaction

    from tests.integrations.djangosite.models import Article

    def homes() -> dict[str, str]:
        return {loc: path for path, locs in tree(client, "/sitemap.xml").items() for loc in locs}

    before = homes()
    with transaction.atomic():
        Article.objects.filter(pk__in=range(5, 390, 3)).delete()
        Article.objects.bulk_create(Article(slug=f"new-{n}", updated=None) for n in range(100))
        after = homes()
        transaction.set_rollback(True)
    assert {loc: before[loc] for loc in after if loc in before} == {loc: p for loc, p in after.items() if loc in before}
    assert {loc for loc in after if "/new-" in loc} == {f"{BASE}/articles/new-{n}/" for n in range(100)}


def test_keyset_class_through_the_views_of_django(client: Any) -> None:
    """A custom template is rendered by Django's view, which asks the class in Django's way."""
    from django.contrib.sites.shortcuts import get_current_site

    from tests.integrations.djangosite.sitemaps import KeysetArticles

    found = KeysetArticles().get_urls(page="2", site=get_current_site(None), protocol="https")
    assert len(found) == 200
    assert found[0]["location"] == f"{BASE}/articles/article-199/"
    assert KeysetArticles().paginator.num_pages == 3
    assert fetched(client, "/sitemap-articles.xml").status_code == 200


def test_under_asgi_the_body_is_still_streamed(client: Any) -> None:
    import asyncio

    from django.core.handlers.asgi import ASGIHandler

    from tests.integrations.asking import ask_async

    plain = body(fetched(client, "/sitemap-articles.xml"))
    reply = asyncio.run(ask_async(ASGIHandler(), "/sitemap-articles.xml", headers={"host": "www.example.com"}))
    assert reply.status == 200
    head = asyncio.run(ask_async(ASGIHandler(), "/sitemap-articles.xml", "HEAD", headers={"host": "www.example.com"}))
    assert (head.status, head.body) == (200, b"")  # Django warns about an iterator that is not async
    assert reply.body == plain.replace(b"https://", b"http://", plain.count(b"https://www"))


def test_robots_txt(client: Any) -> None:
    assert body(fetched(client, "/robots.txt")) == (
        b"User-agent: *\nDisallow: /cart\n\nSitemap: https://www.example.com/sitemap.xml\n"
    )


def test_the_check_command(client: Any) -> None:
    from django.core.management import call_command

    out = io.StringIO()
    call_command("urlset_check", "notes", "articles", "--format", "concise", stdout=out)
    assert "sitemaps with" in out.getvalue()
    out = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("urlset_check", "--fail-on", "info", "--base-url", BASE, stdout=out)
    assert client is not None


def test_the_build_command(client: Any, tmp_path: Path) -> None:
    from django.core.management import CommandError, call_command

    out = io.StringIO()
    call_command("urlset_build", str(tmp_path / "public"), "--state", str(tmp_path / "state"), stdout=out)
    assert (tmp_path / "public" / "sitemap.xml").exists()
    entries = sum(len(document) for document in urlset.read_tree(tmp_path / "public" / "sitemap.xml")
                  if document.kind.lists_pages)  # fmt: skip
    assert f"{entries:,} URLs" in out.getvalue()
    verdict = urlset.check(tmp_path / "public", base_url=f"{BASE}/", ignore=["host-not-public"])
    assert verdict.at_or_above(urlset.Severity.ERROR) == 0
    with pytest.raises(CommandError, match="no section is called 'nothing'"):
        call_command("urlset_build", str(tmp_path), "nothing")
    assert client is not None


def test_system_checks(client: Any) -> None:
    from tests.integrations.djangosite.models import Article
    from tests.integrations.djangosite.sitemaps import Articles, KeysetArticles
    from urlset.integrations.django import checks

    ids = [message.id for message in checks.check_sitemaps()]
    assert ids == ["urlset.W002"]

    class Unordered(Articles):
        def items(self) -> Any:
            return Article.objects.filter(live=True)

    class Large(Articles):
        limit = 60_000

    class Wrong(KeysetArticles):
        keyset = "slug"

    class Missing(KeysetArticles):
        fields = ("title", "updated")

    for kind, wanted in [(Unordered, "urlset.W001"), (Large, "urlset.E001"), (Wrong, "urlset.E004"),
                         (Missing, "urlset.E003")]:  # fmt: skip
        assert wanted in [message.id for message in checks._messages("x", kind)]
    assert client is not None


@pytest.mark.skipif("URLSET_UPSTREAM" not in os.environ, reason="URLSET_UPSTREAM names no folder of sources")
@pytest.mark.parametrize("name", ["django", "wagtail"])
def test_the_tests_of_django_and_wagtail(name: str) -> None:
    import json
    import subprocess

    from tests.integrations.upstream import NOT_APPLICABLE

    command = [sys.executable, "-m", "tests.integrations.upstream", name, os.environ["URLSET_UPSTREAM"]]
    ran = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1])
    assert set(ran["failed"]) <= NOT_APPLICABLE.keys()
    assert ran["ran"] > (50 if name == "django" else 10)
