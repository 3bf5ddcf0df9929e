"""One root in the end: doubled, early closed, missing, broken and unclosed roots."""

from __future__ import annotations

import pytest

from tests.reading.sitemaps import HEAD, TAIL, url
from urlset.checking.context import Context
from urlset.checking.select import select
from urlset.findings.fix_result import FixResult
from urlset.fixing.choose import FixOptions
from urlset.fixing.fix import fix_document
from urlset.fixing.roots import own_root
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import DEFAULT_ENGINES

RULES = select(all_rules(), DEFAULT_ENGINES)
IMAGES = HEAD.replace(b'0.9">', b'0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">')
PICTURE = b"<image:image><image:loc>https://example.com/i.png</image:loc></image:image>"
ROOT = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'


def fixed(data: bytes, *, unsafe: bool = True) -> FixResult:
    return fix_document(read(data, name="sitemap.xml"), RULES, Context(), FixOptions(unsafe=unsafe))


@pytest.mark.parametrize(
    "data",
    [
        HEAD + url("1") + TAIL + HEAD + url("2") + TAIL,
        HEAD + url("1") + TAIL + HEAD + TAIL + HEAD + url("2") + TAIL,
        HEAD + url("1") + TAIL + b"\n<!-- second -->\n" + HEAD + url("2") + TAIL,
        HEAD + url("1") + TAIL + b"PHP Notice: x\n" + HEAD + url("2") + TAIL,
        HEAD + url("1") + TAIL + url("2"),
        HEAD + url("1") + TAIL + url("2") + TAIL,
        HEAD + url("1") + TAIL + HEAD + url("2"),
        ROOT.replace(b">", b"/>") + ROOT + url("1") + url("2") + TAIL,
        HEAD + url("1") + TAIL + ROOT.replace(b">", b"/>") + url("2"),
        HEAD + url("1") + TAIL + IMAGES + url("2", PICTURE) + TAIL,
        url("1") + url("2"),
        url("1") + url("2") + TAIL,
        b'<?xml version="1.0"?>\n' + url("1") + url("2", PICTURE),
        ROOT[:-1] + b"\n" + url("1") + url("2") + TAIL,
        b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9 version=>' + url("1") + url("2") + TAIL,
        HEAD + url("1") + url("2"),
        HEAD + url("1") + url("2") + b"<!-- cut",
        HEAD + url("1") + url("2") + b"<ur",
        HEAD + url("1") + url("2") + TAIL + ROOT,
        url("1") + HEAD.partition(b"\n")[2] + url("2") + TAIL,
    ],
)
def test_the_result_has_one_root_and_all_entries(data: bytes) -> None:
    result = fixed(data)
    again = read(result.data)
    assert [loc for loc in again.columns.locs if loc] == ["https://example.com/1", "https://example.com/2"]
    assert again.troubles == ()
    assert result.refused is None
    assert fixed(result.data).applied == ()


def test_many_documents_in_a_row_become_one() -> None:
    result = fixed(b"".join(HEAD + url(str(n)) + TAIL for n in range(40)))
    assert len(read(result.data)) == 40
    assert result.passes < 4


def test_roots_that_contradict_each_other_are_left() -> None:
    other = IMAGES.replace(b"sitemap-image/1.1", b"sitemap-video/1.1")
    result = fixed(IMAGES + url("1", PICTURE) + TAIL + other + url("2") + TAIL)
    assert "X029" in {left.code for left in result.left}


def test_an_address_in_the_way_is_not_removed() -> None:
    result = fixed(HEAD + url("1") + TAIL + b"see https://example.com/3\n" + HEAD + url("2") + TAIL)
    assert b"https://example.com/3" in result.data


def test_junk_behind_the_root_goes_unasked_if_it_says_no_address() -> None:
    assert fixed(HEAD + url("1") + TAIL + b"done in 3 s\n", unsafe=False).data == HEAD + url("1") + TAIL
    left = fixed(HEAD + url("1") + TAIL + b"Sitemap: https://example.com/b.xml\n", unsafe=False)
    assert "X029" in {each.code for each in left.left}


def test_half_an_entry_is_listed_as_removed() -> None:
    result = fixed(HEAD + url("1") + b"<url><loc>https://example.com/hal")
    assert [item.loc for item in result.removed] == ["https://example.com/hal"]
    assert result.data == HEAD + url("1") + b"</urlset>\n"


def test_a_clean_cut_is_closed_unasked() -> None:
    assert fixed(HEAD + url("1"), unsafe=False).data == HEAD + url("1") + b"</urlset>\n"
    assert fixed(HEAD + url("1") + b"<url><loc>https://e", unsafe=False).applied == ()


def test_a_tag_name_that_is_not_utf8_does_not_break_the_fix_of_the_root() -> None:
    document = read(b"<url><loc>https://example.com/</loc><a\x8a:b>c</a\x8a:b></url>")
    fix = own_root(document)
    assert fix is not None
    assert b'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"' in fix.edits[0].text
