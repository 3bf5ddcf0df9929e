"""A fix never makes a file worse: well-formed files stay so, addresses stay, and a second run changes nothing."""

from __future__ import annotations

from random import Random

import pytest

from fuzz.fixing import NAME, judge_fixing, rules
from fuzz.judge import CONTEXT
from fuzz.mutate import edited
from fuzz.seeds import AROUND, SEEDS, corpus
from urlset.findings.fix_result import FixResult
from urlset.fixing.fix import FixOptions, fix_document
from urlset.reading.read import read

OPEN = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"%s>'
XHTML = ' xmlns:xhtml="http://www.w3.org/1999/xhtml"'


def fixed(body: str, *, root: str = "", after: str = "</urlset>\n", unsafe: bool = False) -> FixResult:
    data = (OPEN % root + body + after).encode()
    judge_fixing(data)
    return fix_document(read(data, name=NAME), rules(), CONTEXT, FixOptions(unsafe=unsafe))


def test_an_entry_in_a_loc_stays_well_formed() -> None:
    assert fixed("<url><loc><url>https://e.com/a</url></loc></url>").applied == ()


def test_a_control_character_is_escaped_as_utf8_and_names_the_same_page() -> None:
    result = fixed("<url><loc>https://e.com/a\x81b</loc></url>")
    assert b"https://e.com/a%C2%81b" in result.data
    assert result.renamed == ()


def test_a_comment_behind_junk_keeps_its_end() -> None:
    comment = "<!-- <url><loc>https://e.com/b</loc></url> -->"
    result = fixed("<url><loc>https://e.com/a</loc></url>", after=f"</urlset>junk{comment}\n")
    assert result.data.endswith(f"</urlset>{comment}\n".encode())


@pytest.mark.parametrize("unsafe", [False, True])
def test_a_faulty_address_is_not_copied_into_a_link(unsafe: bool) -> None:
    link = '<xhtml:link rel="alternate" hreflang="%s" href="https://e.com/%s"/>'
    body = f"<url><loc>https://e.com/a|b</loc>{link % ('en', 'a%7Cb')}{link % ('de', 'de')}</url>"
    assert b'href="https://e.com/a|b"' not in fixed(body, root=XHTML, unsafe=unsafe).data


def test_a_prefix_is_not_declared_again_and_again_in_a_broken_root() -> None:
    body = '<url><loc>https://e.com/a</loc><xhtml:link rel="alternate" hreflang="en" href="https://e.com/a"/></url>'
    assert fixed(body, root=" xmlns:xmlns:a='b'html=\"c\"").data.count(b"xmlns:xhtml") <= 1


def test_a_reference_that_only_a_removed_character_completes() -> None:
    body = "<url><loc>https://e.com/b&#\x1838;c</loc></url><url><loc>https://e.com/b&amp;</loc></url>"
    assert fixed(body).renamed == ()


def test_a_return_link_is_added_once_beside_a_link_with_a_misspelled_prefix() -> None:
    link = '<%s:link rel="alternate" hreflang="%s" href="https://e.com/%s"/>'
    english = f"<url><loc>https://e.com/en</loc>{link % ('xhtml', 'en', 'en')}{link % ('xhtml', 'de', 'de')}</url>"
    german = f"<url><loc>https://e.com/de</loc>{link % ('xhtmml', 'en', 'en')}{link % ('xhtml', 'de', 'de')}</url>"
    result = fixed(english + german, root=XHTML, unsafe=True)
    assert result.data.count((link % ("xhtml", "en", "en")).encode()) == 2


def test_a_duplicate_with_a_second_url_is_not_removed_with_it() -> None:
    second = "<url><loc>https://e.com/%7ea</loc><loc>https://e.com/b</loc></url>"
    result = fixed("<url><loc>https://e.com/~a</loc></url>" + second, unsafe=True)
    assert b"<loc>https://e.com/b</loc>" in result.data


def test_no_entry_is_removed_together_with_its_second_url() -> None:
    listed = "".join(f"<url><loc>https://e.com/page-{number}</loc></url>\n" for number in range(19))
    twofold = "<url><loc>https://e.com/page-19</loc><url></url><loc>https://e.com/b</loc></url>"
    result = fixed(f"<url><loc>https://e.com/</loc></url>\n{listed}{twofold}", unsafe=True)
    assert b"<loc>https://e.com/b</loc>" in result.data


def test_no_child_of_an_index_is_removed_together_with_its_second_url() -> None:
    once, twice = "<sitemap><loc>https://e.com/a.xml</loc>%s</sitemap>", "<loc>https://e.com/b.xml</loc>"
    data = (OPEN % "" + once % "" + once % twice + "</urlset>\n").replace("urlset", "sitemapindex").encode()
    judge_fixing(data)
    result = fix_document(read(data, name=NAME), rules(), CONTEXT, FixOptions(unsafe=True))
    assert twice.encode() in result.data


_ROW = "<url><loc>http://r.test/1</loc></url>"
_IMAGE = 'xmlns="http://www.google.com/schemas/sitemap-image/1.1"'


@pytest.mark.parametrize(
    "data",
    [
        (OPEN % "" + _ROW + f'<image {_IMAGE}><loc xmlns="">http://r.test/2</loc></url></urlset>').encode(),
        (OPEN % "" * 15 + _ROW + "</urlset>").encode(),
        ((OPEN % "").partition("\n")[2] * 15 + _ROW + "</urlset>").encode(),
        (OPEN % "" + _ROW + "</urlset>" + (OPEN % "").partition("\n")[2] * 14).encode(),
        ((OPEN % "").partition("\n")[2] + _ROW + "</urlset>").encode("utf-16"),
        ((OPEN % "").partition("\n")[2] + _ROW + "</urlset>").encode("utf-32"),
    ],
    ids=["a field in an image", "15 documents", "15 roots", "14 roots behind", "UTF-16", "UTF-32"],
)
def test_a_second_run_changes_nothing(data: bytes) -> None:
    judge_fixing(data)


def test_a_misspelled_field_of_an_index_keeps_its_url() -> None:
    body = "<sitemap><%s>https://e.com/b.xml</%s></sitemap></sitemapindex>\n"
    head = (OPEN % "").replace("urlset", "sitemapindex")
    document = read((head + body % ("lco", "lco")).encode(), name=NAME)
    assert b"https://e.com/b.xml" in fix_document(document, rules(), CONTEXT, FixOptions()).data
    unsafe = fix_document(document, rules(), CONTEXT, FixOptions(unsafe=True))
    assert unsafe.data == (head + body % ("loc", "loc")).encode()


def test_what_was_skipped_is_tried_again_after_a_conversion_to_utf8() -> None:
    whole = (
        '<?xml version="1.0" encoding=""?>' + OPEN.partition("\n")[2] % "" + "\n<url><loc>https://E.com/a</loc></url>\n"
    )
    data = whole.encode("utf-16-le") + b"<" + "/urlset>\n".encode("utf-16-le")
    judge_fixing(data)


@pytest.mark.parametrize("declared", ['version=">.0" encoding="UTF-16"', 'version="1.0" encoding="U>F-16"'])
def test_the_declared_encoding_is_found_beside_an_angle_bracket(declared: str) -> None:
    data = (f"<?xml {declared}?>" + OPEN.partition("\n")[2] % "" + "</urlset>").encode("utf-16")
    judge_fixing(data)
    result = fix_document(read(data, name=NAME), rules(), CONTEXT, FixOptions())
    assert result.data.startswith(b'<?xml version="1.0" encoding="UTF-8"?>')


def test_a_byte_order_mark_stays_if_the_bytes_would_be_read_otherwise_without_it() -> None:
    data = b'\xef\xbb\xbf<?xml version="1.0" encoding="US-ASCII"?>' + (OPEN.partition("\n")[2] % "").encode()
    judge_fixing(data + b"<url><loc>https://e.com/\xff</loc></url></urlset>\n")


def test_a_declaration_is_not_changed_without_the_bytes() -> None:
    root = (OPEN.partition("\n")[2] % "").encode() + b'<ur.org/x"><url><loc>https://e.com/\xfcber</loc></url></urlset>'
    data = b'<?xml version="1.0" encoding="windows-1252"?>\n' + root + b"<!--a -- b-->\t<?a \x01?>"
    judge_fixing(data)
    result = fix_document(read(data, name=NAME), rules(), CONTEXT, FixOptions())
    assert b'encoding="windows-1252"' in result.data
    assert not result.recoded


def test_no_safe_fix_changes_a_url_without_slashes() -> None:
    assert b"http:/[2001:db8::1]/" in fixed("<url><loc>http:/[2001:db8::1]/</loc></url>").data


def test_a_doctype_that_may_define_an_entity_stays() -> None:
    entry = "<url><loc>https://e.com/</loc></url></urlset>\n"
    root = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" id="&a;">'
    data = f'<!DOCTYPE urlset SYSTEM "https://e.com/sitemap.dtd">\n{root}{entry}'.encode()
    judge_fixing(data)
    assert b"<!DOCTYPE" in fix_document(read(data, name=NAME), rules(), CONTEXT, FixOptions()).data


def test_no_utf8_is_declared_for_bytes_in_another_encoding() -> None:
    root = (OPEN.partition("\n")[2] % "").encode() + b"<url><loc>https://e.com/</loc></url>\n"
    judge_fixing(b"</urlset>" + root + b'<?xml version="1.0" encoding="US-ASCII"?>\n\t<!--\xff-->')


MISSPELLED = {
    "<ulr><loc>https://e.com/a</loc></ulr>": "<url><loc>https://e.com/a</loc></url>",
    "<ulr><loc>https://e.com/a</loc></url>": "<url><loc>https://e.com/a</loc></url>",
    "<url><loc>https://e.com/a</loc></ulr>": "<url><loc>https://e.com/a</loc></url>",
    "<url><lco>https://e.com/a</lco></url>": "<url><loc>https://e.com/a</loc></url>",
    "<url><lco>https://e.com/a</loc></url>": "<url><loc>https://e.com/a</loc></url>",
    "<url><loc>https://e.com/a</lco></url>": "<url><loc>https://e.com/a</loc></url>",
    "<url><loc>https://e.com/a</loc><lastmodified>2026-11-15</lastmodified></url>": (
        "<url><loc>https://e.com/a</loc><lastmod>2026-11-15</lastmod></url>"
    ),
    "<<url><loc>https://e.com/a</loc></url>": "<url><loc>https://e.com/a</loc></url>",
}


@pytest.mark.parametrize("written", MISSPELLED)
def test_a_misspelled_tag_costs_neither_its_entry_nor_others(written: str) -> None:
    around = "<url><loc>https://e.com/1</loc></url>\n%s\n<url><loc>https://e.com/2</loc></url>\n"
    assert (
        fixed(around % written, unsafe=True).data.decode() == OPEN % "" + around % MISSPELLED[written] + "</urlset>\n"
    )


def test_one_unclear_tag_does_not_keep_the_others_from_being_fixed() -> None:
    result = fixed("<x><loc>https://e.com/1</loc></url>\n<url><loc>https://e.com/2</lco></url>\n", unsafe=True)
    assert b"<url><loc>https://e.com/2</loc></url>" in result.data


def test_links_of_a_feed_with_a_misspelled_tag_are_read_alone() -> None:
    items = "".join(
        f"<item>{link}<description>Salt</description></item>\n"
        for link in ("<link>https://e.com/a</lik>", "<lnk>https://e.com/b</link>")
    )
    data = f'<rss version="2.0"><channel>{items}</channel></rss>\n'.encode()
    assert list(read(data, name=NAME).columns.locs) == ["https://e.com/a", "https://e.com/b"]
    judge_fixing(data)


def test_a_control_character_in_the_root_tag_is_removed_alone() -> None:
    data = (OPEN % "" + "<url><loc>https://e.com/a</loc></url></urlset>\n").replace("xmlns", "xml\x0bns").encode()
    judge_fixing(data)
    result = fix_document(read(data, name=NAME), rules(), CONTEXT, FixOptions())
    assert result.data == data.replace(b"\x0b", b"")


def test_entries_before_the_root_are_moved_into_it() -> None:
    first, root = "<url><loc>https://e.com/a</loc></url>\n", OPEN.partition("\n")[2] % "" + "\n"
    rest = "<url><loc>https://e.com/b</loc></url>\n</urlset>\n"
    data = (first + root + rest).encode()
    judge_fixing(data)
    result = fix_document(read(data, name=NAME), rules(), CONTEXT, FixOptions(unsafe=True))
    assert result.data.decode().endswith(root + first + rest)


def test_no_root_is_closed_inside_an_entry() -> None:
    inner = "<url><loc>https://e.com/a</loc></url>"
    data = f"<url><loc>https://e.c {inner}om/b</loc><lastmod>2026-03-03</lastmod></url>".encode()
    judge_fixing(data)
    assert b"om/b</loc>" in fix_document(read(data, name=NAME), rules(), CONTEXT, FixOptions(unsafe=True)).data


def test_any_number_of_tags_is_closed_in_one_pass() -> None:
    result = fixed(
        "<url><loc>https://e.com/a</loc>" + "<a>" * 30 + "\n<url><loc>https://e.com/b</loc></url>", unsafe=True
    )
    assert b"<url><loc>https://e.com/a</loc></url>\n<url><loc>https://e.com/b</loc></url>" in result.data
    assert result.passes == 2


@pytest.mark.parametrize(
    ("lastmod", "code"),
    [("<lastmod/>", "D018"), ("<lastmod>Mon, 02 Nov 2026 10:00:00 GMT</lastmod>", "D016")],
)
def test_dates_are_fixed_even_if_that_uncovers_a_problem_of_them_all(lastmod: str, code: str) -> None:
    result = fixed("".join(f"<url><loc>https://e.com/{number}</loc>{lastmod}</url>\n" for number in range(300)))
    assert len(result.applied) == 300
    assert {left.code for left in result.left} <= {code, "L037"}


@pytest.mark.slow
def test_changed_files_are_not_made_worse() -> None:
    chance = Random(3)
    for data in (*SEEDS, *AROUND, *AROUND, *AROUND, *corpus()):
        judge_fixing(edited(data, chance))
