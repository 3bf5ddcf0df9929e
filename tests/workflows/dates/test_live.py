"""`urlset dates --from URL`: pages that a server renders, and a first lock from the live site."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.workflows.dates.built_site import BASE, BuiltSite, day, page
from urlset.building.lock import read_lock
from urlset.settings.dates import DatesSettings
from urlset.testing import PageAnswer, Route, Site
from urlset.workflows.dates.dates import DatesReport, date_pages
from urlset.workflows.dates.live import believable

NAMES = ("a", "b", "c", "d", "e", "f")


def routes(texts: dict[str, str], dates: dict[str, str]) -> dict[str, Route]:
    rows = "".join(
        f"<url><loc>{BASE}/{name}/</loc>{f'<lastmod>{dates[name]}</lastmod>' if name in dates else ''}</url>"
        for name in texts
    )
    xml = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'
    found: dict[str, Route] = {f"/{name}/": PageAnswer(body=page(name, text)) for name, text in texts.items()}
    return found | {"/sitemap.xml": PageAnswer(body=xml, type="application/xml")}


def dated(site: Site, folder: Path, number: int, target: Path | None = None) -> DatesReport:
    return date_pages(
        DatesSettings(
            target=str(target) if target else None,
            start=site.url("/"),
            lock=folder / "sitemap.lock",
            state=folder / ".urlset",
            now=day(number),
            concurrency=8,
        )
    )


def dates_of(report: DatesReport) -> dict[str, str]:
    return {each.url.removeprefix(f"{BASE}/").strip("/"): each.lastmod for each in report.pages if each.lastmod}


def test_pages_of_a_server(tmp_path: Path) -> None:
    texts = {name: f"All about {name}, in one sentence." for name in NAMES}
    with Site(routes(texts, {})) as site:
        first = dated(site, tmp_path, 1)
        assert (first.summary.pages, first.summary.added, dates_of(first)) == (6, 6, {})
        assert first.written == (str(tmp_path / "sitemap.lock"),)
        changed = routes(texts | {"c": "This is another text."}, {})
        site.routes.update(changed)
        assert dates_of(dated(site, tmp_path, 2)) == {"c": "2026-03-02"}
        site.routes["/d/"] = PageAnswer(500, "no")
        report = dated(site, tmp_path, 3)
    assert dates_of(report) == {"c": "2026-03-02"}
    assert read_lock(tmp_path / "sitemap.lock").pages["/d/"].fingerprint is not None, "it is kept"


def test_a_first_lock_from_the_live_site(tmp_path: Path) -> None:
    texts = {name: f"All about {name}, in one sentence." for name in NAMES}
    dates = {"a": "2025-01-01", "b": "2025-02-02T10:00:00Z", "c": "2025-03-03", "d": "2031-01-01", "e": "not a date"}
    built = BuiltSite(tmp_path, texts | {"c": "This text is not on the live site yet."})
    with Site(routes(texts, dates)) as site:
        report = dated(site, tmp_path, 5, built.public)
    assert dates_of(report) == {"a": "2025-01-01", "b": "2025-02-02T10:00:00Z", "c": "2026-03-05"}
    assert {each.evidence for each in report.pages} == {"live", "observed", None}
    assert built.dates()["/b/"] == "2025-02-02T10:00:00Z"
    assert report.summary.added == 6


@pytest.mark.parametrize(
    ("dates", "kept"),
    [
        (["2025-01-01"] * 6, 0),
        (["2025-01-01", "2025-01-02", "2025-01-03", "2025-01-04"], 4),
        (["2026-03-01T10:00:00Z", "2026-03-01T10:00:01Z"], 0),
        (["2025-01-01", "2025-01-01"], 2),
        (["2025-01-01", "2030-01-01", "", "x"], 1),
    ],
)
def test_dates_that_are_believed(dates: list[str], kept: int) -> None:
    found = believable({str(number): date for number, date in enumerate(dates)}, datetime(2026, 3, 1, 12, tzinfo=UTC))
    assert len(found) == kept
