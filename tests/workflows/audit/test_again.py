"""The command that a report names prints the same report: it selects the same rules."""

from __future__ import annotations

from pathlib import Path

import urlset

_PAGE = '<html lang="en"><head><title>{0}</title></head><body><p>{0}</p></body></html>'
_SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://www.example.com/</loc></url></urlset>'


def test_the_command_to_repeat_an_audit_keeps_the_selected_rules(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(_PAGE.format("Home"))
    (tmp_path / "sitemap.xml").write_text(_SITEMAP)
    base = "https://www.example.com/"
    with urlset.audit(str(tmp_path), base_url=base, select=["A", "L"], ignore=["L031"]) as report:
        assert report.again.endswith(" --select A,L --ignore L031")
    with urlset.audit(str(tmp_path), base_url=base) as report:
        assert "--select" not in report.again
        assert "--ignore" not in report.again
