"""I015: an index is not asked to follow a date that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import run

_CORE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


@pytest.mark.parametrize(("newest", "reported"), [("2026-07-01", True), ("2062-06-01", False)])
def test_a_page_dated_in_the_future_does_not_count(tmp_path: Path, newest: str, reported: bool) -> None:
    index = tmp_path / "sitemap.xml"
    index.write_text(
        f"<sitemapindex {_CORE}><sitemap><loc>https://example.com/a.xml</loc>"
        "<lastmod>2026-06-01</lastmod></sitemap></sitemapindex>"
    )
    (tmp_path / "a.xml").write_text(
        f"<urlset {_CORE}><url><loc>https://example.com/</loc><lastmod>{newest}</lastmod></url></urlset>"
    )
    assert ("[I015]" in run("check", index, "--show", "info").text) is reported
