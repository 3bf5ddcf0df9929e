"""Compiled code against expat: where it has an answer, it is the same element, down to every place."""

from __future__ import annotations

from pyexpat import ExpatError, ParserCreate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reading.scanners import needs_compiled
from urlset.model.columns import Edits
from urlset.reading.row_reader import DetailReader, SourceMap
from urlset.reading.salvage import apply_edits
from urlset.spec.namespaces import SITEMAP

pytestmark = needs_compiled
FRAMES = {SITEMAP: f'<urlset xmlns="{SITEMAP}" xmlns:x="urn:x">'.encode(), "": b'<urlset xmlns:x="urn:x">'}
TEXTS = (
    "",
    " ",
    "a",
    "https://www.example.com/ä?b=1",
    " 2025 ",
    "a\nb",
    "\n",
    "\t",
    "&amp;",
    "a\r\nb",
    "]]",
    ">",
    "😀",
    '"',
    "<![CDATA[a]b]]c\r\n&d<e]]>f",
    "<![CDATA[]]>",
    "a<!--> b -->\rc<?p q?>&#13;",
)
NAMES = ("loc", "x:loc", "x:image", "link", "x:a-b")
ATTRIBUTES = (
    "", "", ' a="b"', " a='&quot;x&#65;' b=\"\"", ' x:a="b"', ' a="b\r\nc\t&#10;"',
    ' xmlns:y="urn:y" y:a="1"', ' xmlns="urn:z"', ' xmlns:x="urn:y" x:b=""', ' xml:lang="de"', ' a = "é" ',
)  # fmt: skip
BETWEEN = (
    "",
    " ",
    "\n    ",
    "\r\n",
    "text",
    "<!-- c -->",
    "<loc/>",
    "<x:loc a='1'/>",
    "<y:loc xmlns:y='urn:y' y:a='1'/>",
    "<?p?>",
    "<![CDATA[x]]>",
    "&amp;",
    "\xa0",
)

leaf = st.builds(
    "<{0}{1}>{2}</{0}>".format, st.sampled_from(NAMES), st.sampled_from(ATTRIBUTES), st.sampled_from(TEXTS)
)
pieces = st.lists(st.one_of(leaf, st.sampled_from(BETWEEN)), max_size=4).map("".join)
tree = st.builds("<{0}{1}>{2}</{0}>".format, st.sampled_from(NAMES), st.sampled_from(ATTRIBUTES), pieces)
row = st.builds("<url>{}{}{}</url>".format, pieces, tree, st.sampled_from(BETWEEN))


def is_well_formed(text: bytes, frame: bytes) -> bool:
    parser = ParserCreate("utf-8", " ")
    try:
        parser.Parse(frame + text + b"</urlset>", True)
    except ExpatError:
        return False
    return True


@settings(max_examples=200)
@given(row)
def test_it_says_what_expat_says_or_nothing(text: str) -> None:
    from urlset.reading.compiled import ElementReader

    raw, frame = text.encode(), FRAMES[SITEMAP]
    found = ElementReader(b"  " + raw, b"", (b"x:",), ("urn:x", SITEMAP)).read(2, 2 + len(raw))
    if found is not None:
        assert is_well_formed(raw, frame)
        assert found == DetailReader(raw, frame, SourceMap(2, ())).read()


@settings(max_examples=200)
@given(row, st.data())
def test_repaired_rows_have_the_places_of_expat(text: str, data: st.DataObject) -> None:
    from urlset.reading.compiled import ElementReader

    raw, edits, at = text.encode(), Edits(), 0
    cuts = data.draw(st.lists(st.integers(0, len(raw)), min_size=1, max_size=40).map(sorted))
    for cut in cuts:  # what was removed in front of a byte, or is read as a few of them
        length = data.draw(st.integers(0, min(3, len(raw) - cut)))
        if cut >= at:
            edits.add(7 + cut + 2 * len(edits), length + 2, raw[cut : cut + length])
            at = cut + length
    found = ElementReader(b"", b"", (b"x:",), ("urn:x", SITEMAP)).read_repaired(raw, 7, edits)
    if found is not None:
        assert found == DetailReader(raw, FRAMES[SITEMAP], SourceMap(7, tuple(edits))).read()


@pytest.mark.parametrize(
    "text",
    [
        "<url>\n  <loc>https://www.example.com/ä?a=1&amp;b=2</loc>\n</url>",
        "<url><loc>a</loc><x:image>\n<x:loc>https://www.example.com/a b</x:loc> <x:title/>\n</x:image></url>",
        '<url id="1"><loc>a</loc><x:link rel=\'alternate\' href="/a?b&amp;c"/></url>',
        "<url>\r\n<!-- a --><loc><![CDATA[a&b]]></loc>\r\n<x:image>b<x:loc>c\rd</x:loc></x:image></url>",
        '<url xmlns="urn:y"><loc>a</loc><y:link xmlns:y="urn:z" x:rel="a\nb"> </y:link></url>',
    ],
)
def test_usual_rows_need_no_other_reader(text: str) -> None:
    from urlset.reading.compiled import ElementReader

    raw = text.encode()
    found = ElementReader(raw, b"", (b"x:",), ("urn:x", SITEMAP)).read(0, len(raw))
    assert found == DetailReader(raw, FRAMES[SITEMAP], SourceMap(0, ())).read()


def test_only_characters_at_a_repair_have_places_of_their_own() -> None:
    """A text of 300 characters with one entity had 300 runs, and took 40 microseconds to read."""
    from urlset.reading.compiled import ElementReader

    data = "<url><loc>https://example.com/\u00e4bc&eacute;def&nbsp;</loc></url>".encode()
    edits = Edits()
    for entity, text in ((b"&eacute;", "\u00e9"), (b"&nbsp;", "")):
        edits.add(data.index(entity), len(entity), text.encode())
    raw = apply_edits(data, 0, len(data), edits)
    value = DetailReader(raw, FRAMES[SITEMAP], SourceMap(0, tuple(edits))).read().children[0].value  # type: ignore[union-attr]
    compiled = ElementReader(b"", b"", (), (SITEMAP,)).read_repaired(raw, 0, edits)
    assert compiled is not None
    assert compiled.children[0].value == value
    assert [run.text for run in value.runs] == ["https://example.com/\u00e4b", "c", "\u00e9", "de", "f"]
    written = [value.locate(at).cut(data).decode() for at in range(19, len(value.text))]
    assert written == ["/", "\u00e4", "b", "c", "&eacute;", "d", "e", "f&nbsp;"]
