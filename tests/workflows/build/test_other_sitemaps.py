"""A build into a folder with the sitemaps of another tool: what becomes of them is said, and they can be removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.dates.built_site import BASE, BuiltSite
from urlset.settings.build import BuildSettings
from urlset.workflows.build.build import build


def notes(site: BuiltSite, *, replace_others: bool = False, dry_run: bool = False) -> list[str]:
    report = build(
        BuildSettings(
            sources=(str(site.public),),
            out=site.public,
            base_url=f"{BASE}/",
            state=site.folder / "state",
            replace_others=replace_others,
            dry_run=dry_run,
        )
    )
    return [note for note in report.notes if "another tool" in note]


@pytest.fixture
def site(tmp_path: Path) -> BuiltSite:
    made = BuiltSite(tmp_path)
    text = (made.public / "sitemap.xml").read_text(encoding="utf-8")
    (made.public / "sitemap-0.xml").write_text(text, encoding="utf-8")
    (made.public / "feed.xml").write_text("<rss version='2.0'><channel/></rss>", encoding="utf-8")
    return made


def test_they_are_named(site: BuiltSite) -> None:
    stays = "not touched, written by another tool: sitemap-0.xml; --replace-others removes it"
    assert notes(site) == [
        "replaces sitemap.xml, written by another tool; `urlset publish rollback` restores it",
        stays,
    ]
    assert (site.public / "sitemap-0.xml").exists()


def test_they_are_moved_to_the_state_folder(site: BuiltSite) -> None:
    before = (site.public / "sitemap-0.xml").read_bytes()
    notes(site, replace_others=True, dry_run=True)
    assert (site.public / "sitemap-0.xml").exists()
    assert len(notes(site, replace_others=True)) == 2
    assert not (site.public / "sitemap-0.xml").exists()
    assert (site.folder / "state" / "replaced" / "sitemap-0.xml").read_bytes() == before
    assert (site.public / "feed.xml").exists()
    assert notes(site) == []
