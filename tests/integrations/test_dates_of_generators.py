"""Real generators → `urlset dates` on what they built: built twice, edited, with another theme, with a page more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integrations.generated_sites import BASE, GENERATORS, GeneratedSite
from tests.workflows.dates.built_site import day
from urlset.settings.dates import DatesSettings
from urlset.workflows.dates.dates import date_pages

pytestmark = [pytest.mark.slow]
NAMES = ("index", "aurora", "beacon", "comet", "dawn")


def dated(site: GeneratedSite, work: Path, number: int) -> dict[str, str]:
    """Page → its date, of those that have one, after a build and a run on that day."""
    site.build()
    settings = DatesSettings(
        target=str(site.public),
        lock=work / "sitemap.lock",
        state=work / ".urlset",
        now=day(number),
        first_seen=True,
    )
    report = date_pages(settings)
    assert not report.troubles
    return {
        each.url.removeprefix(BASE).strip("/").removesuffix(".html"): each.lastmod
        for each in report.pages
        if each.lastmod
    }


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda each: each.__name__)
def test_exactly_the_right_dates_move(
    generator: type[GeneratedSite], tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    if not generator.is_installed():
        pytest.skip(f"{generator.__name__} is not installed")
    work = tmp_path / "work"
    work.mkdir()
    with generator.made(tmp_path / "site") as site:
        record_property("version", site.version())
        for name in NAMES:
            site.write(name)
        assert dated(site, work, 1) == {}, "a build is no evidence"
        assert dated(site, work, 2) == {}, "built twice"
        site.write("beacon", "The cable is two meters long.")
        assert dated(site, work, 3) == {"beacon": "2026-03-03"}, "one page edited"
        site.theme(1)
        assert dated(site, work, 4) == {"beacon": "2026-03-03"}, "another theme"
        site.write("ember")
        known = {"beacon": "2026-03-03", "ember": "2026-03-05"}
        assert dated(site, work, 5) == known, "a page more"
        site.rename("beacon", "lighthouse")
        known["lighthouse"] = known.pop("beacon")
        assert dated(site, work, 6) == known, "a page moved"
        site.theme(0)
        site.write("comet", "It is blue.")
        assert dated(site, work, 7) == known | {"comet": "2026-03-07"}, "the first theme again, and one page edited"
