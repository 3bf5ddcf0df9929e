"""One bad byte never costs another URL, and every trouble is told with its exact place."""

from __future__ import annotations

import pytest

from tests.reading.scanners import BOTH, chosen
from tests.reading.sitemaps import HEAD, TAIL, url, urlset, with_extensions
from urlset import Kind, TroubleKind, read
from urlset.model.place import Place

T = TroubleKind

# what stands between two good entries · the address it still gives (None: it is no entry) · kind · exact bytes
INSIDE = [
    (url("a?x=1&y=2"), "https://example.com/a?x=1&y=2", T.BARE_AMPERSAND, b"&"),
    (url("a<b"), "https://example.com/a<b", T.STRAY_LT, b"<"),
    (url("caf&eacute;"), "https://example.com/café", T.UNDEFINED_ENTITY, b"&eacute;"),
    (url("a&nosuch;b"), "https://example.com/a&nosuch;b", T.UNDEFINED_ENTITY, b"&nosuch;"),
    (url(b"a\x0bb"), "https://example.com/ab", T.CONTROL_CHARACTER, b"\x0b"),
    (url(b"caf\xe9"), "https://example.com/caf\ufffd", T.BAD_UTF8, b"\xe9"),
    (url("a&#0;b"), "https://example.com/ab", T.BAD_CHARACTER_REFERENCE, b"&#0;"),
    (url("a]]>b"), "https://example.com/a]]>b", T.CDATA_END_IN_TEXT, b"]]>"),
    (url("2").replace(b"</loc>", b""), "https://example.com/2", T.UNCLOSED_TAG, b""),
    (url("2").replace(b"</url>", b""), "https://example.com/2", T.UNCLOSED_TAG, b""),
    (url("2").replace(b"<url>", b""), "https://example.com/2", T.BROKEN_TAG, b""),
    (url("2").replace(b"<url>", b"<url\n"), "https://example.com/2", T.BROKEN_TAG, b""),
    (url("2").replace(b"<loc>", b"<loc"), "https://example.com/2", T.BROKEN_TAG, b""),
    (url("2").replace(b"<loc>", b"<loc\n"), "https://example.com/2", T.BROKEN_TAG, b""),
    (url("2").replace(b"</loc>", b"</loc\n"), "https://example.com/2", T.BROKEN_TAG, b""),
    (url("2").replace(b"</loc>", b"</loc"), "https://example.com/2", T.BROKEN_TAG, b""),
    (url("2", b"<lastmod>2026-10-01</lastmod\n"), "https://example.com/2", T.BROKEN_TAG, b""),
    (url("2", b"<lastmod 2026-10-01</lastmod>"), "https://example.com/2", T.BROKEN_TAG, b""),
    (url("2").replace(b"</url>", b"</url"), "https://example.com/2", T.BROKEN_TAG, b""),
    (url("2").replace(b"</loc>", b"</lco>"), "https://example.com/2", T.MISMATCHED_TAG, b"</lco>"),
    (
        url("2").replace(b"<url>", b'<url id="1" id="2">'),
        "https://example.com/2",
        T.DUPLICATE_ATTRIBUTE,
        b' id="2"',
    ),
    (url("2").replace(b"<url>", b"<url id=1>"), "https://example.com/2", T.BAD_ATTRIBUTE, b" id=1"),
    (url("2", b"<x:y/>"), "https://example.com/2", T.UNBOUND_PREFIX, b"<x:y/>"),
    (url("2", b"<lastmod>2026-01-19<</lastmod>"), "https://example.com/2", T.STRAY_LT, b"<"),
    (url("2", "<é>a&b</é>".encode()), "https://example.com/2", T.BARE_AMPERSAND, b"&"),
    (url("a&b", "<日本 é='1'/><a·b/>".encode()), "https://example.com/a&b", T.BARE_AMPERSAND, b"&"),
    (url("2", "<é>".encode()), "https://example.com/2", T.UNCLOSED_TAG, b""),
    (url("2", "</é>".encode()), "https://example.com/2", T.MISMATCHED_TAG, "</é>".encode()),
    (url("2", "<é:x/>".encode()), "https://example.com/2", T.UNBOUND_PREFIX, "<é:x/>".encode()),
    (url("2", "<×/>".encode()), "https://example.com/2", T.STRAY_LT, b"<"),
    (b" & ", None, T.BARE_AMPERSAND, b"&"),
    (b" stray words ", None, T.STRAY_TEXT, b"stray words"),
    (b"<!-- a -- b -->", None, T.BAD_COMMENT, b"<!-- a -- b -->"),
    (b"</url>", None, T.MISMATCHED_TAG, b"</url>"),
    (b"\x00", None, T.CONTROL_CHARACTER, b"\x00"),
    (b"\xff\xfe", None, T.BAD_UTF8, b"\xff\xfe"),
]


@pytest.mark.parametrize(("damage", "address", "kind", "exact"), INSIDE)
def test_a_broken_piece_costs_only_itself(damage: bytes, address: str | None, kind: TroubleKind, exact: bytes) -> None:
    data = urlset(url("1"), damage, url("3"))
    document = read(data)
    expected = ["https://example.com/1", *([address] if address else []), "https://example.com/3"]
    assert [entry.loc for entry in document] == expected
    assert [trouble.kind for trouble in document.troubles] == [kind]
    trouble = document.troubles[0]
    assert trouble.place.cut(data) == exact
    damaged = range(len(HEAD + url("1")), len(HEAD + url("1") + damage) + 1)
    assert trouble.place.offset in damaged
    for row in (0, len(expected) - 1):
        assert document.place(row).cut(data) in (url("1").strip(), url("3").strip())


@pytest.mark.parametrize("scanner", BOTH)
@pytest.mark.parametrize("gap", [b"", b" ", b"\n", b"\r\n\t"])
@pytest.mark.parametrize("name", [b"loc", b"lastmod", b"changefreq", b"priority", b"url"])
def test_a_close_tag_that_lost_its_end_is_one_trouble_with_its_place(name: bytes, gap: bytes, scanner: str) -> None:
    fields = b"<lastmod>2026-10-01</lastmod><changefreq>daily</changefreq><priority>0.5</priority>"
    whole = [url(str(number), fields) for number in (1, 2, 3)]
    broken = whole[1].strip().replace(b"</" + name + b">", b"</" + name + gap)
    data = urlset(whole[0], broken, whole[2])
    with chosen(scanner):
        document = read(data)
    assert [entry.loc for entry in document] == [f"https://example.com/{number}" for number in (1, 2, 3)]
    columns = document.columns
    assert (columns.lastmods, columns.changefreqs, columns.priorities) == (
        ["2026-10-01"] * 3,
        ["daily"] * 3,
        ["0.5"] * 3,
    )
    (trouble,) = document.troubles
    assert (trouble.kind, trouble.detail) == (T.BROKEN_TAG, f"</{name.decode()}")
    assert trouble.place == Place(data.index(b"</" + name + gap + b"<") + len(b"</" + name))
    assert document.place(1).cut(data) == (broken if name != b"url" else broken.removesuffix(gap))
    assert [document.place(row).cut(data) for row in (0, 2)] == [whole[0].strip(), whole[2].strip()]


def test_the_last_close_tag_before_the_end_of_the_root_may_lose_its_end() -> None:
    document = read(urlset(url("1"), url("2").replace(b"</url>", b"</url")))
    assert [entry.loc for entry in document] == ["https://example.com/1", "https://example.com/2"]
    assert [trouble.kind for trouble in document.troubles] == [T.BROKEN_TAG]


def test_extensions_may_lose_the_end_of_a_close_tag() -> None:
    image = b"<image:image><image:loc>https://example.com/i.png</image:loc\n</image:image\n"
    document = read(with_extensions(url("1"), url("2", image), url("3")))
    assert [entry.loc for entry in document] == [f"https://example.com/{number}" for number in (1, 2, 3)]
    assert [trouble.kind for trouble in document.troubles] == [T.BROKEN_TAG, T.BROKEN_TAG]
    assert [image.loc for image in document.media(1).images] == ["https://example.com/i.png"]


def test_the_name_of_nothing_that_is_open_is_no_close_tag() -> None:
    document = read(urlset(url("1"), url("a</b <b"), url("3")))
    assert [entry.loc for entry in document][1] == "https://example.com/a</b <b"


AROUND = [
    (b"\n" + urlset(url("1")), [T.TEXT_BEFORE_DECLARATION]),
    (b"Warning: foo <b>bar</b> on line 3\n" + urlset(url("1")), [T.TEXT_BEFORE_DECLARATION]),
    (
        b"This XML file does not appear to have any style information\n" + urlset(url("1")),
        [T.TEXT_BEFORE_DECLARATION],
    ),
    (b"echo '" + urlset(url("1")) + b"' > sitemap.xml\n", [T.TEXT_BEFORE_DECLARATION, T.CONTENT_AFTER_ROOT]),
    (urlset(url("1")) + b"gzip on;\ngzip_types text/xml;\n", [T.CONTENT_AFTER_ROOT]),
    (HEAD + url("1"), [T.TRUNCATED]),
    (HEAD + url("1") + b"</URLSET>", [T.MISMATCHED_TAG]),
    (url("1"), [T.MISSING_ROOT]),
    (b"<urlset xmlns=" + url("1") + TAIL, [T.BROKEN_ROOT]),
    (urlset(url("1")).replace(b"1.0", b"1.1", 1), [T.XML_VERSION]),
    (b"<!DOCTYPE urlset>" + urlset(url("1")).partition(b"\n")[2], [T.DOCTYPE]),
    (urlset(url("1")).replace(b"<urlset", b"<urlset a='1' a='2'"), [T.DUPLICATE_ATTRIBUTE]),
    (urlset(url("1")).replace(b"<urlset", b"<urlset xsi:schemaLocation='a b'"), [T.UNBOUND_PREFIX]),
    (b"<!-- a --><!-- b -- c -->" + urlset(url("1")).partition(b"\n")[2], [T.BAD_COMMENT]),
    (b"\xef\xbb\xbf" + urlset(url("1")), [T.BYTE_ORDER_MARK]),
]


@pytest.mark.parametrize(("data", "kinds"), AROUND)
def test_trouble_around_the_entries_costs_none(data: bytes, kinds: list[TroubleKind]) -> None:
    document = read(data)
    assert document.kind is Kind.URLSET
    assert [entry.loc for entry in document] == ["https://example.com/1"]
    assert [trouble.kind for trouble in document.troubles] == kinds


def test_glued_documents_are_all_read() -> None:
    document = read(urlset(url("1")) + urlset(url("2")) + urlset(url("3")))
    assert [entry.loc for entry in document] == [f"https://example.com/{n}" for n in (1, 2, 3)]
    assert [trouble.kind for trouble in document.troubles] == [T.TWO_ROOTS, T.TWO_ROOTS]


def test_entries_behind_the_root_are_read() -> None:
    document = read(urlset(url("1")) + url("2") + url("3"))
    assert [entry.loc for entry in document] == [f"https://example.com/{n}" for n in (1, 2, 3)]
    assert [trouble.kind for trouble in document.troubles] == [T.CONTENT_AFTER_ROOT]


def test_half_an_address_is_not_an_address() -> None:
    document = read(HEAD + url("1") + b"<url><loc>https://example.com/secon")
    assert [entry.loc for entry in document] == ["https://example.com/1"]
    assert T.ENTRY_LOST in {trouble.kind for trouble in document.troubles}


def test_half_a_date_is_dropped_but_its_address_kept() -> None:
    document = read(HEAD + b"<url><loc>https://example.com/1</loc><lastmod>2026-0")
    assert [(entry.loc, entry.lastmod) for entry in document] == [("https://example.com/1", None)]


def test_commented_out_entries_stay_out_even_while_recovering() -> None:
    document = read(urlset(url("a&b"), b"<!-- " + url("hidden") + b" -->", url("3")))
    assert [entry.loc for entry in document] == ["https://example.com/a&b", "https://example.com/3"]


def test_unbound_prefix_is_one_trouble_for_the_whole_file() -> None:
    image = b"<image:image><image:loc>https://example.com/i.png</image:loc></image:image>"
    document = read(urlset(*(url(str(n), image) for n in range(100))))
    assert len(document) == 100
    assert [trouble.kind for trouble in document.troubles] == [T.UNBOUND_PREFIX]
    assert [entry.images[0].loc for entry in document.entries()] == ["https://example.com/i.png"] * 100


@pytest.mark.parametrize("needle", [b"</loc>", b"</url>", b"<url>"])
def test_every_close_tag_missing(needle: bytes) -> None:
    data = urlset(*(url(str(n)) for n in range(50))).replace(needle, b"")
    assert [entry.loc for entry in read(data)] == [f"https://example.com/{n}" for n in range(50)]


def test_salvaged_rows_can_be_looked_at_closely() -> None:
    data = urlset(url("1"), url("a?x=1&y=2&z=3"), url("3"))
    document = read(data)
    value = document.element(1).children[0].value
    assert value.text == "https://example.com/a?x=1&y=2&z=3"
    for index, character in enumerate(value.text):
        assert value.locate(index).cut(data) == character.encode()


ROOTS = [
    b'<urlset "<loc">l',
    b'<urlset "<url>">1',
    b'<urlset xmlns="a<url>b"><url><loc>https://e.com/</loc></url></urlset>',
    b'<urlset a="<loc>x</loc>"><url><loc>https://e.com/</loc></url></urlset>',
    b'<urlset a="<url>" b="<url>"><url><loc>https://e.com/</loc></url></urlset>',
    (
        b'<urlset x="a" y="b"?>\n<urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url>'
        b"<loc>https://e.com/</loc><image:image><image:loc>https://e.com/a</image:loc></image:image></url></urlset>"
    ),
    b'<url:set xmlns="http://ww w.x/"><url><loc>https://e.com/</loc></url></urlset>',
    b'<feed xmlns="http://www.w3.org/200><entry><link hre@? https://E.com/a "/></entry><entry>/b"/></entry></feed>',
    b'<urlset a="\xf4"><url><loc>https://e.com/</loc></url></urlset>',
    b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9<url><A"c>h</loc></url></urlset>',
    b'<xmlns:urlset xmlns="a\x00"><url><loc>https://e.com/</loc></url></xmlns:urlset>',
    b'<\xc3\xa9urlset a="\x00"><url><loc>https://e.com/</loc></url></\xc3\xa9urlset>',
]


@pytest.mark.parametrize("data", ROOTS)
def test_a_damaged_root_costs_no_entry(data: bytes) -> None:
    document = read(data)
    if b"e.com" in data and document.kind is Kind.URLSET:
        assert "https://e.com/" in [entry.loc for entry in document]
    for row in range(len(document)):
        document.element(row)


def test_places_are_right_behind_a_bad_byte() -> None:
    data = urlset(url(b"\x90a#x"))
    value = read(data).element(0).children[0].value
    at = value.text.index("#")
    assert value.locate(at, 2).cut(data) == b"#x"
    assert value.locate(at - 2, 1).cut(data) == b"\x90"


@pytest.mark.parametrize(
    ("before", "row"),
    [
        (b"", b'<url a=">"/>'),
        (b"", b"<url a='/>'/>"),
        (b"", b'<url a=">"><loc>https://example.com/a</loc></url>'),
        (b"", b'<url><loc>https://example.com/a</loc><x:y a=">" z:b="1"/></url>'),
        (b"", b'<url><loc>https://example.com/a</loc><x:y a=\'">\' z:b="1"></x:y></url>'),
        (b'<box a=">"/>', b"<url><loc>https://example.com/a</loc></url>"),
    ],
)
def test_an_angle_bracket_in_an_attribute_ends_no_tag(before: bytes, row: bytes) -> None:
    data = HEAD + before + row + url("b") + TAIL
    document = read(data)
    assert document.place(0).cut(data) == row
    assert document.columns.locs[-1] == read(HEAD + url("b") + TAIL).columns.locs[0]
    assert {trouble.kind for trouble in document.troubles} <= {T.UNBOUND_PREFIX}
