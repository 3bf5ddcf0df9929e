"""Files → the facts that `urlset info` reports."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import urlset
from urlset.model.document import Kind
from urlset.model.trouble import TroubleKind
from urlset.reading.tree import Missing
from urlset.workflows.demo.sample.draft import BROKEN, write_samples
from urlset.workflows.info import Bar, Description, describe, describe_dates, describe_files


def test_a_broken_file() -> None:
    found = describe(urlset.read(BROKEN, name="broken.xml"))
    assert (found.kind, found.counts.urls, found.salvaged, found.lost) == (Kind.URLSET, 8, 6, 0)
    groups = {group.kind: group for group in found.troubles}
    ampersand = groups[TroubleKind.BARE_AMPERSAND]
    assert ampersand.count == 2
    assert [(spot.line, spot.column) for spot in ampersand.first] == [(8, 47), (12, 47)]
    assert all(BROKEN[spot.offset : spot.offset + 1] == b"&" for spot in ampersand.first)
    assert found.xml is not None
    (namespace,) = found.xml.namespaces
    assert (namespace.means, namespace.faults) == ("sitemap", ("https",))
    assert namespace.right == "http://www.sitemaps.org/schemas/sitemap/0.9"


def test_the_good_site(tmp_path: Path) -> None:
    write_samples(tmp_path)
    index, pages, news = [
        each
        for each in describe_files([tmp_path / "good" / "sitemap.xml"], follow=True)
        if isinstance(each, Description)
    ]
    assert index.children is not None
    assert (index.children.listed, index.children.found) == (2, 2)
    assert (index.counts.sitemaps, index.counts.urls) == (2, 0)
    counts = pages.counts
    assert (counts.urls, counts.images, counts.videos, counts.alternates) == (7, 6, 1, 12)
    assert counts.languages == {"en": 3, "de": 3, "fr": 3, "x-default": 3}
    assert counts.hosts == {"www.example.com": 7}
    assert (news.counts.news, news.compression, news.layers) == (2, "gzip", 1)
    assert news.bytes < news.unpacked_bytes
    assert not any(each.troubles for each in (index, pages, news))


def test_children_are_counted_but_not_described_unless_followed(tmp_path: Path) -> None:
    write_samples(tmp_path)
    (tmp_path / "good" / "sitemap-news.xml.gz").unlink()
    (index,) = describe_files([tmp_path / "good" / "sitemap.xml"])
    assert isinstance(index, Description)
    assert index.children is not None
    assert index.children.missing == ("https://www.example.com/sitemap-news.xml.gz",)
    followed = list(describe_files([tmp_path / "good" / "sitemap.xml"], follow=True))
    assert [type(each) for each in followed] == [Description, Description, Missing]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", Kind.EMPTY),
        (b"<html></html>", Kind.HTML),
        (b"User-agent: *\nDisallow: /\n", Kind.ROBOTS),
        (b"https://example.com/\n", Kind.TEXT),
        (b"\xff\xfe\x00\x01\x02", None),
        (gzip.compress(b"<urlset><url><loc>https://e.com/</loc></url></urlset>" * 3, mtime=0)[:-9], Kind.URLSET),
    ],
)
def test_anything_can_be_described(data: bytes, kind: Kind | None) -> None:
    found = describe(urlset.read(data))
    assert kind in (None, found.kind)


@pytest.mark.parametrize(
    ("texts", "unit", "labels"),
    [
        (["2024-05-01", "2024-05-03T10:00Z"], "day", ["2024-05-01", "2024-05-02", "2024-05-03"]),
        (["2023-11-30", "2024-02-01"], "month", ["2023-11", "2023-12", "2024-01", "2024-02"]),
        (["2020", "2022-06", "2021-01-01"], "year", ["2020", "2021", "2022"]),
    ],
)
def test_the_histogram_fits_the_span(texts: list[str], unit: str, labels: list[str]) -> None:
    dates = describe_dates(texts)
    assert (dates.unit, [bar.label for bar in dates.histogram]) == (unit, labels)
    assert sum(bar.count for bar in dates.histogram) == len(texts)


def test_a_stray_ancient_date_does_not_stretch_the_histogram() -> None:
    dates = describe_dates(["0001-01-01", *["2024-01-01"] * 5, "2023-01-01"])
    assert dates.histogram[0] == Bar("before 2012", 1)
    assert dates.histogram[-1] == Bar("2024", 5)
    assert len(dates.histogram) == 14


def test_dates_are_counted_by_what_they_are_worth() -> None:
    dates = describe_dates([None, "2024-05-01", "2024-5-1", "whenever", "2024-05-01"])
    assert (dates.present, dates.illegal, dates.not_understood) == (4, 2, 1)
    assert describe_dates([None, None]).present == 0
    assert describe_dates(["never"]).histogram == ()
