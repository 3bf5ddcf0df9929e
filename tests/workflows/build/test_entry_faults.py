"""One bad row among good ones: its page stays listed, the fault is named, corrected or omitted, the set published."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from urlset.building import pages
from urlset.building.ledger import Ledger
from urlset.settings.build import BuildSettings
from urlset.spec.languages import REGIONS
from urlset.workflows.build.build import build
from urlset.workflows.build.result import LEDGER, BuildError, BuildReport

PAGE = "https://example.com/page"
OTHER = "https://example.com/other"
GOOD = [{"loc": f"https://example.com/{number}", "lastmod": "2026-01-01"} for number in range(3)]
VIDEO = {
    "thumbnail_loc": "https://example.com/t.jpg",
    "title": "Title",
    "description": "Description",
    "content_loc": "https://example.com/v.mp4",
}
NEWS = {"name": "Paper", "language": "en", "publication_date": "2026-11-17", "title": "Headline"}


def built(folder: Path, rows: list[dict[str, Any]], **options: Any) -> BuildReport:
    source = folder / "rows.jsonl"
    source.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    options = {"sources": (str(source),), "base_url": "https://example.com/", "state": folder / "state", **options}
    return build(BuildSettings(out=folder / "out", now=datetime(2026, 11, 18, tzinfo=UTC), **options))


def page(folder: Path) -> str:
    """The entry of the bad row."""
    data = (folder / "out" / "sitemap.xml").read_text()
    ET.fromstring(data)
    return data.partition(f"<loc>{PAGE}</loc>")[2].partition("</url>")[0]


def video(**fields: object) -> dict[str, Any]:
    return {"videos": [{**VIDEO, **fields}]}


def links(**hrefs: str) -> dict[str, Any]:
    return {"alternates": {name.replace("_", "-"): href for name, href in hrefs.items()}}


@pytest.mark.parametrize(
    ("row", "code", "outcome", "there", "gone"),
    [
        (links(en_UK=PAGE, de=OTHER), "H008", "corrected", 'hreflang="en-GB"', "en-UK"),
        (links(en_UK=PAGE, en_GB=OTHER), "H008", "<xhtml:link> omitted", "", "en-UK"),
        (links(xx=PAGE), "H006", "<xhtml:link> omitted", "", "xhtml"),
        (links(en=PAGE, xx=OTHER), "H006", "<xhtml:link> omitted", 'hreflang="en"', '"xx"'),
        (links(de_XX=PAGE), "H007", "<xhtml:link> omitted", "", "xhtml"),
        (links(US=PAGE), "H009", "<xhtml:link> omitted", "", "xhtml"),
        ({"alternates": {"de_AT": PAGE}}, "H010", "corrected", 'hreflang="de-AT"', "de_AT"),
        (links(AT_de=PAGE), "H011", "<xhtml:link> omitted", "", "xhtml"),
        (links(zh_Hanz=PAGE), "H012", "<xhtml:link> omitted", "", "xhtml"),
        (links(es_419=PAGE), "H013", "<xhtml:link> omitted", "", "xhtml"),
        (links(ger=PAGE), "H014", "<xhtml:link> omitted", "", "xhtml"),
        (links(de=OTHER), "H015", "<xhtml:link> omitted", "", "xhtml"),
        (
            {"alternates": [{"hreflang": "de", "href": PAGE}, {"hreflang": "de", "href": OTHER}]},
            *("H017", "<xhtml:link> omitted", f'href="{PAGE}"', OTHER),
        ),
        (video(duration="abc"), "V007", "<video:duration> omitted", "<video:title>", "abc"),
        (video(rating="9"), "V008", "<video:rating> omitted", "<video:title>", "rating"),
        (video(view_count="-3"), "V009", "<video:view_count> omitted", "<video:title>", "view_count"),
        (video(family_friendly="maybe"), "V012", "<video:family_friendly> omitted", "<video:title>", "maybe"),
        (video(restriction="DE"), "V013", "<video:restriction> omitted", "<video:title>", "restriction"),
        (
            video(platform={"text": "fridge", "relationship": "allow"}),
            "V016",
            "platform> omitted",
            "<video:title>",
            "fr",
        ),
        (video(uploader="x" * 300), "V019", "<video:uploader> omitted", "<video:title>", "uploader"),
        (video(tag=[f"t{n}" for n in range(40)]), "V021", "corrected", "<video:tag>t31<", "<video:tag>t32<"),
        (video(description="x" * 3000), "V005", "corrected", "x" * 2048, "x" * 2049),
        (video(content_loc=PAGE), "V022", "<video:content_loc> omitted", "", "video"),
        ({"news": {**NEWS, "language": "english"}}, "N006", "omitted", "", "news"),
        ({"news": [NEWS, NEWS]}, "N002", "<news:news> omitted", "<news:title>Headline", ""),
    ],
)
def test_a_fault_of_one_row_does_not_block_the_set(
    row: dict[str, Any], code: str, outcome: str, there: str, gone: str, tmp_path: Path
) -> None:
    report = built(tmp_path, [*GOOD, {"loc": PAGE, **row}])
    assert report.published
    assert report.listed == 4
    assert report.trouble_count == len(report.troubles)
    assert any(code in each.reason and each.reason.endswith(outcome) for each in report.troubles)
    written = page(tmp_path)
    assert there in written
    assert not gone or gone not in written


def test_explain_says_what_a_page_is_listed_without(tmp_path: Path) -> None:
    loc = "https://example.com/?a=1&b=2"
    built(tmp_path, [*GOOD, {"loc": loc, **links(en_UK=loc)}])
    with Ledger.open_to_read(tmp_path / "state" / LEDGER) as ledger:
        found = ledger.explain(loc)
    assert found is not None
    assert found.listed
    assert [each.detail.rpartition("; ")[2] for each in found.decisions] == ["", "corrected"]


def test_the_same_rows_again_change_nothing(tmp_path: Path) -> None:
    rows = [*GOOD, {"loc": PAGE, **links(en_UK=PAGE, xx=OTHER)}, {"loc": OTHER, **video(rating="9")}]
    first = built(tmp_path, rows)
    before = (tmp_path / "out" / "sitemap.xml").read_bytes()
    second = built(tmp_path, rows)
    assert second.published
    assert second.troubles == first.troubles
    assert not second.changes.touched
    assert (second.added, second.removed, second.redated) == (0, 0, 0)
    assert (tmp_path / "out" / "sitemap.xml").read_bytes() == before


def test_pages_that_do_not_link_back_lose_the_links_and_stay(tmp_path: Path) -> None:
    first, second, shared = PAGE, OTHER, "https://example.com/shared"
    report = built(
        tmp_path,
        [
            {"loc": first, **links(de=first, en=shared)},
            {"loc": second, **links(de=second, en=shared)},
            {"loc": shared},
        ],
    )
    assert report.published
    assert report.listed == 3
    assert any("H016" in each.reason and each.reason.endswith("omitted") for each in report.troubles)


def test_strict_stops_at_such_a_row(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"H008.*--strict"):
        built(tmp_path, [*GOOD, {"loc": PAGE, **links(en_UK=PAGE)}], strict=True)
    assert not (tmp_path / "out" / "sitemap.xml").exists()


def test_every_row_is_counted_when_all_are_faulty(tmp_path: Path) -> None:
    rows = [{"loc": f"https://example.com/{n}", **video(duration="abc")} for n in range(1200)]
    report = built(tmp_path, rows)
    assert report.published
    assert report.listed == report.trouble_count == 1200
    assert len(report.troubles) == 1000


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("loc", ["http://a", "https://example.com/image.jpg"])
def test_of_too_many_images_the_first_are_listed(
    loc: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, compiled: bool
) -> None:
    if not compiled:
        monkeypatch.setattr(pages, "compiled_pages", lambda: None)
    report = built(tmp_path, [{"loc": PAGE, "images": [loc] * 1001}, {"loc": OTHER, "images": [loc] * 1000}])
    assert report.published
    assert [each.reason for each in report.troubles] == ["1,001 images; the first 1,000 are listed"]
    assert (tmp_path / "out" / "sitemap.xml").read_text().count("<image:image>") == 2000


def test_thousands_of_pages_that_name_each_other_are_no_set_of_translations(tmp_path: Path) -> None:
    codes = [f"{language}-{region}" for language in ("de", "en", "fr", "es", "it") for region in sorted(REGIONS)][:1200]
    locs = [f"https://example.com/{code}" for code in codes]
    following = [*zip(codes[1:], locs[1:], strict=True), (codes[0], locs[0])]
    rows = [
        {"loc": loc, "alternates": {code: loc, other: href}}
        for code, loc, (other, href) in zip(codes, locs, following, strict=True)
    ]
    report = built(tmp_path, rows)
    assert report.published
    assert report.listed == 1200
    assert "one of 1,200 pages that name each other" in report.troubles[0].reason
    assert (tmp_path / "out" / "sitemap.xml").stat().st_size < 1_000_000
