"""Defects found in other readers, as tests that pass here."""

from __future__ import annotations

from tests.reading.sitemaps import HEAD, TAIL, url, urlset, with_extensions
from urlset import Kind, Moment, TroubleKind, read


def test_a_raw_ampersand_loses_no_later_url() -> None:
    document = read(urlset(url("1"), url("?a=1&b=2"), url("3")))
    assert len(document) == 3


def test_a_blank_line_before_the_declaration_loses_nothing() -> None:
    document = read(b"\n" + urlset(url("1"), url("2")))
    assert (document.kind, len(document)) == (Kind.URLSET, 2)


def test_a_doctype_loses_nothing() -> None:
    document = read(b'<?xml version="1.0"?>\n<!DOCTYPE urlset SYSTEM "x.dtd">' + urlset(url("1")).partition(b"\n")[2])
    assert (document.kind, len(document)) == (Kind.URLSET, 1)
    assert [trouble.kind for trouble in document.troubles] == [TroubleKind.DOCTYPE]


def test_a_relative_loc_is_known_to_be_relative() -> None:
    entry = next(read(urlset(b"<url><loc>/a</loc></url>")).entries())
    assert entry.loc == "/a"
    assert not entry.address.is_absolute


def test_a_day_first_date_is_not_taken_for_a_date() -> None:
    moment = Moment.parse("15/03/2026")
    assert not moment.w3c_valid
    assert moment.suggestion is None


def test_video_is_read() -> None:
    video = b"<video:video><video:title>T</video:title><video:tag>a</video:tag><video:tag>b</video:tag></video:video>"
    entry = next(read(with_extensions(url("1", video))).entries())
    assert (entry.videos[0].title, entry.videos[0].tags) == ("T", ("a", "b"))


def test_a_line_break_or_prefix_in_loc_is_read() -> None:
    data = b'<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>\nhttps://e.com/\n</s:loc></s:url></s:urlset>'
    assert [entry.loc for entry in read(data)] == ["https://e.com/"]


def test_one_bad_byte_does_not_fail_the_file() -> None:
    assert len(read(urlset(url("1"), url(b"\xff"), url("3")))) == 3


def test_several_images_are_all_kept() -> None:
    images = b"".join(b"<image:image><image:loc>https://e.com/%d</image:loc></image:image>" % n for n in range(3))
    entry = next(read(with_extensions(url("1", images))).entries())
    assert [image.loc for image in entry.images] == ["https://e.com/0", "https://e.com/1", "https://e.com/2"]


def test_an_empty_urlset_is_read() -> None:
    document = read(HEAD + TAIL)
    assert (document.kind, len(document), len(document.troubles)) == (Kind.URLSET, 0, 0)


def test_an_emoji_in_a_title_is_read() -> None:
    video = "<video:video><video:title>Hi \U0001f600</video:title></video:video>".encode()
    entry = next(read(with_extensions(url("1", video))).entries())
    assert entry.videos[0].title == "Hi \U0001f600"


def test_an_index_inside_an_index_is_seen_as_one() -> None:
    data = urlset(url("sitemap.xml")).replace(b"urlset", b"sitemapindex").replace(b"url>", b"sitemap>")
    document = read(data)
    assert document.kind is Kind.SITEMAPINDEX
    assert [child.loc for child in document.children()] == ["https://example.com/sitemap.xml"]
