"""What is legal XML, or a matter of the reader, and must not be a finding; and limits too large for an example."""

from __future__ import annotations

import gzip
import socket
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urlset
from fuzz.wellformed import expat_error
from tests.rules.test_trouble_owners import LIST, RULES, SOUND
from urlset.checking.context import Context
from urlset.checking.engine import run
from urlset.findings.finding import Problem
from urlset.fixing.fix import FixOptions, fix_document
from urlset.model.document import Document
from urlset.reading import limits
from urlset.reading.read import read
from urlset.reading.salvage import apply_edits
from urlset.spec import namespaces
from urlset.spec.engines import Engine


def reported(document: Document) -> list[tuple[str, Problem]]:
    tally = run(document, RULES, Context(engines=tuple(Engine)))
    assert not tally.crashes, tally.crashes
    return [(rule.code, problem) for rule, problem, _ in tally.problems]


def codes(data: bytes, name: str = "") -> list[str]:
    return [code for code, _ in reported(read(data, name=name))]


def entry(inside: bytes, root: bytes = b"urlset", row: bytes = b"url") -> bytes:
    head = b'<?xml version="1.0" encoding="UTF-8"?>\n<%s xmlns="%s">' % (root, namespaces.SITEMAP.encode())
    return head + b"<%s>%s</%s></%s>\n" % (row, inside, row, root)


@pytest.mark.parametrize("text", [b'?q= xmlns:xhtml="urn:x"', b'> xmlns:a="urn:x"'])
@pytest.mark.parametrize(("namespace", "is_wrong"), [(namespaces.XHTML.encode(), False), (b"urn:y", True)])
def test_only_a_tag_declares_a_namespace(text: bytes, namespace: bytes, *, is_wrong: bool) -> None:
    link = b'<xhtml:link xmlns:xhtml="%s" rel="alternate" hreflang="en" href="https://example.com/"/>' % namespace
    found = urlset.check(entry(b"<loc>https://example.com/%s</loc>%s" % (text, link))).findings
    assert [each.code for each in found if each.code in ("H001", "S019")] == ["H001"] * is_wrong
    assert [each.offset for each in found if "urn:x" in each.message and each.code != "L007"] == []


LOC = b"<loc>https://example.com/</loc>"


@pytest.mark.parametrize(
    "text",
    [
        b"<![CDATA[https://example.com/?a=1&b=2]]>",
        b"https://example.com/<![CDATA[?a=<]]>",
        b"<![CDATA[https://e.com/]]>",
    ],
)
def test_cdata_is_no_finding(text: bytes) -> None:
    assert codes(entry(b"<loc>" + text + b"</loc>")) == []


def test_a_stylesheet_is_a_note_at_most_and_is_not_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(socket, "socket", refuse)
    for kind, codes_ in ((b"text/xsl", ["X027"]), (b"text/css", [])):
        instruction = b'<?xml-stylesheet type="%b" href="https://example.com/s"?>\n<urlset' % kind
        document = read(SOUND.replace(b"<urlset", instruction))
        assert len(document.prolog.stylesheets) == 1
        assert [code for code, _ in reported(document)] == codes_


def test_schemas_external_entities_and_dtds_are_not_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(socket, "socket", refuse)
    dtd = b'<!DOCTYPE urlset SYSTEM "https://example.com/x.dtd" [<!ENTITY x SYSTEM "file:///etc/hosts">]>\n<urlset'
    document = read(SOUND.replace(b"<urlset", dtd).replace(b"?a", b"?a&x;"))
    assert "X015" in [code for code, _ in reported(document)]
    assert document.columns.locs == ["https://example.com/?a&x;&b"]


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (SOUND, "sitemap.xml.gz", ["X017"]),
        (SOUND, "sitemap.xml", []),
        (SOUND, "-", []),
        (LIST, "urls.list", ["S032"]),
        (LIST, "urls.txt", []),
        (LIST, "stdin", []),
    ],
)
def test_the_name_of_a_file_counts(data: bytes, name: str, expected: list[str]) -> None:
    assert codes(data, name) == expected


def test_a_packed_copy_of_a_plain_address_is_no_contradiction() -> None:
    import gzip

    document = read(gzip.compress(SOUND), name="site/sitemap.xml.gz", url="https://example.com/sitemap.xml")
    assert reported(document) == []


def test_reading_stopped_by_a_cap_is_told() -> None:
    document = read(SOUND, cap=100)
    assert sorted(code for code, _ in reported(document)) == ["X019"]


def test_the_byte_limit_is_that_of_the_strictest_engine_that_counts() -> None:
    padded = SOUND + b"\n" * 10_485_760

    def codes_for(*engines: Engine) -> list[str]:
        return [rule.code for rule, _, _ in run(read(padded), RULES, Context(engines=engines)).problems]

    assert codes_for(Engine.PROTOCOL, Engine.GOOGLE) == []
    assert codes_for(Engine.BAIDU) == ["S008"]


@pytest.mark.parametrize(
    ("inside", "code"),
    [
        (LOC + b"<lastmod>2026-11-15</lastmod><lastmod>2026-11-15</lastmod>", "S012"),
        (b"<Loc>https://example.com/</Loc>", "S015"),
        (b'<loc id="1">https://example.com/</loc>', "S016"),
        (b"foo" + LOC, "S017"),
    ],
)
def test_entries_of_an_index_are_held_to_the_same_structure(inside: bytes, code: str) -> None:
    assert codes(entry(inside, b"sitemapindex", b"sitemap")) == [code]


def test_an_alternate_without_its_prefix_is_left_to_the_rule_on_that() -> None:
    assert codes(entry(LOC + b'<link rel="alternate" hreflang="en" href="https://example.com/"/>')) == []


def test_a_declared_entity_is_not_called_undefined() -> None:
    data = SOUND.replace(b"<urlset", b'<!DOCTYPE urlset [<!ENTITY a "b">]>\n<urlset').replace(b"?a", b"?&a;")
    assert codes(data) == ["X014"]
    assert reported(read(data))[0][1].fix is None


def test_stray_text_in_an_unknown_element_is_told_once() -> None:
    assert codes(SOUND.replace(b"<url>", b"<title>words</title><url>")) == ["S014"]


@pytest.mark.parametrize(
    ("reference", "fixed"),
    [(b"&nbsp;", "\u00a0"), (b"&LT;", "&lt;"), (b"&AMP;", "&amp;"), (b"&unheard;", "&amp;unheard;")],
)
def test_the_fix_of_an_entity_is_well_formed(reference: bytes, fixed: str) -> None:
    document = read(entry(b"<loc>https://example.com/" + reference + b"</loc>"))
    (fix,) = [problem.fix for code, problem in reported(document) if code == "X012"]
    assert fix is not None
    assert fix.edits[0].text.decode() == fixed


def pieces() -> st.SearchStrategy[bytes]:
    return st.sampled_from(
        [
            b"<url>", b"</url>", b"<loc>", b"</loc>", b"https://example.com/", b"<lastmod>", b"</lastmod>", b"2026",
            b"&", b"&amp;amp;", b"&eacute;", b"<", b">", b"\x0b", b"\xff", b"<image:image>", b"</image:image>", b"<a/>",
            b"<!--", b"-->", b"<![CDATA[", b"]]>", b' id="1"', b"'", b"<Loc>", b"<sitemap>", b"</urlset>", b"<urlset>",
            b"<PageMap xmlns='http://www.google.com/schemas/sitemap-pagemap/1.0'>", b"<Attribute/>", b"</PageMap>",
            b' xmlns:x="https://www.google.com/schemas/sitemap-video/1.1"', b"<mobile:mobile/>", b"<?x?>", b"foo",
            b"\n",
        ]
    )  # fmt: skip


HEADS = (
    SOUND[: SOUND.index(b"<url>")],
    b"<urlset>",
    b"<sitemapindex xmlns='urn:x' xmlns:mobile='http://www.google.com/schemas/sitemap-mobile/1.0'>",
    b"<rss xmlns:media='http://search.yahoo.com/mrss/'><channel><item><media:content>",
    b"<feed>",
    b"https://example.com/\n",
    b"<!DOCTYPE urlset [<!ENTITY a SYSTEM 'b'>]><URLSET a='1' xsi:schemaLocation='x'>",
    b"",
)


@given(st.sampled_from(HEADS), st.lists(pieces(), max_size=25))
def test_no_rule_breaks_down_on_damaged_files_and_every_place_is_inside(head: bytes, parts: list[bytes]) -> None:
    document = read(head + b"".join(parts))
    for code, problem in reported(document):
        for place in _places(problem):
            assert 0 <= place[0] <= place[1] <= len(document.data), code


def _places(problem: Problem) -> Iterator[tuple[int, int]]:
    yield problem.place.offset, problem.place.end
    if problem.fix is not None:
        for edit in problem.fix.edits:
            yield edit.place.offset, edit.place.end


@given(st.lists(pieces(), max_size=12))
def test_mending_the_xml_of_a_salvaged_entry_leaves_no_finding_of_its_kind(parts: list[bytes]) -> None:
    """Every edit the reader made is offered as a fix, so applying all of them gives an entry that parses."""
    document = read(entry(LOC + b"".join(part for part in parts if part.startswith((b"&", b"\x0b", b"foo", b"\n")))))
    edits = sorted(
        (
            edit
            for code, problem in reported(document)
            if code in {"X009", "X010", "X012"} and problem.fix
            for edit in problem.fix.edits
        ),
        key=lambda edit: edit.place,
    )
    fixed = read(apply_edits(document.data, 0, len(document.data), tuple(edits)))
    assert not {"X001", "X009", "X010", "X012"} & {code for code, _ in reported(fixed)}
    assert fixed.columns.locs == ["https://example.com/"]


def test_what_stands_before_the_declaration_is_shown_and_not_the_empty_line_in_front_of_it() -> None:
    warning = b"<br />\nWarning: x in sitemap.php\n"
    document = read(b"\n\n" + warning + entry(LOC))
    [problem] = [problem for code, problem in reported(document) if code == "X005"]
    assert problem.place.cut(document.data) == warning
    assert problem.fix is not None
    fixed = apply_edits(document.data, 0, len(document.data), problem.fix.edits)
    assert fixed == entry(LOC), "the fix takes the empty lines too"


@pytest.mark.parametrize(
    ("name", "data", "code", "title"),
    [
        ("a.xml", gzip.compress(entry(LOC)), "X017", "decompress it to match its name"),
        ("a.xml.gz", entry(LOC), "X017", "compress it to match its name"),
        ("a.xml.gz", gzip.compress(gzip.compress(entry(LOC))), "X020", "compress it once"),
        ("a.rss", gzip.compress(entry(LOC)), "X017", None),
        ("a.xml", gzip.compress(entry(LOC))[:-9], "X017", None),
    ],
)
def test_what_the_fix_command_does_to_the_packing_is_announced(
    name: str, data: bytes, code: str, title: str | None
) -> None:
    """These fixes are no edits, so that no example can show them; see tests/workflows/fix/test_fix.py."""
    [problem] = [problem for found, problem in reported(read(data, name=name)) if found == code]
    assert (problem.fix.title if problem.fix else None) == title


@pytest.mark.parametrize(
    ("broken", "fixed"),
    [
        (b"<lastmod>2026-10-01</lastmod\n", b"<lastmod>2026-10-01</lastmod>\n"),
        (b"<priority>0.5</priority", b"<priority>0.5</priority>"),
    ],
)
def test_a_close_tag_that_lost_its_end_is_mended_without_asking(broken: bytes, fixed: bytes) -> None:
    document = read(entry(LOC + broken))
    assert [code for code, _ in reported(document)] == ["X001"]
    result = fix_document(document, RULES, Context(engines=tuple(Engine)), FixOptions())
    assert result.data == entry(LOC + fixed)


def test_an_address_behind_a_tag_that_lost_its_end_is_mended_without_asking() -> None:
    result = fix_document(read(entry(LOC.replace(b"<loc>", b"<loc "))), RULES, Context(), FixOptions())
    assert result.data == entry(LOC.replace(b"<loc>", b"<loc> "))


LONG = b"a" * (2 * limits.MAX_TOKEN)


@pytest.mark.parametrize(
    ("inside", "begins"),
    [
        (b'<loc a=">">https://example.com/' + LONG + b"</loc>", b"https"),
        (LOC + b"<lastmod>\n " + LONG + b"</lastmod>", b"aaa"),
        (b"<loc><!-- > --> b" + LONG + b"</loc>", b"baa"),
        (LOC + b"<!-- " + LONG + b" -->", b"<!--"),
    ],
)
def test_a_text_without_end_is_told_where_it_begins(inside: bytes, begins: bytes) -> None:
    data = entry(inside)
    [problem] = [problem for code, problem in reported(read(data)) if code == "X030"]
    assert problem.place.offset == data.index(begins, data.index(b"<url>"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"<% posts.each do |post|", "unexecuted template code '<% posts.each do |post|'"),
        (b"<<<<<<< HEAD", "merge conflict marker '<<<<<<< HEAD'"),
        (b"<!-- to do", "unclosed comment '<!-- to do'"),
        (b"a < b", "unescaped < in"),
    ],
)
def test_what_a_stray_bracket_opens_is_named(text: bytes, words: str) -> None:
    document = read(entry(LOC).replace(b"<url>", text + b"\n<url>"))
    first = next(problem for code, problem in reported(document) if code == "X011")
    assert str(first.message).startswith(words)
    assert expat_error(document.data) is not None
