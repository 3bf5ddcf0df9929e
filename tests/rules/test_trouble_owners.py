"""Every kind of trouble the reader can meet is told by exactly one rule."""

from __future__ import annotations

from importlib import import_module

import msgspec
import pytest

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, Rule
from urlset.checking.engine import run
from urlset.model.document import Document, Kind
from urlset.model.place import Place
from urlset.model.trouble import Trouble, TroubleKind, Troubles
from urlset.reading.read import read
from urlset.spec import namespaces
from urlset.spec.engines import Engine

MODULES = (
    *(f"urlset.rules.xml.{name}" for name in ("wellformed", "characters", "prolog")),
    *(f"urlset.rules.structure.{name}" for name in ("root", "namespaces", "elements", "feeds")),
)
RULES: list[AnyRule] = [
    value for name in MODULES for value in vars(import_module(name)).values() if isinstance(value, Rule)
]

SOUND = (
    f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{namespaces.SITEMAP}">'
    "<url><loc>https://example.com/?a&amp;b</loc></url></urlset>\n"
).encode()
INSIDE = Place(SOUND.index(b"&amp;"), 5)
LIST = b"https://example.com/a\nhttps://example.com/b\n"

OWNERS: dict[TroubleKind, str] = {
    TroubleKind.EMPTY: "X022",
    TroubleKind.TRUNCATED_GZIP: "X016",
    TroubleKind.CORRUPT_GZIP: "X016",
    TroubleKind.GZIP_TRAILING_GARBAGE: "X016",
    TroubleKind.GZIP_IN_GZIP: "X020",
    TroubleKind.COMPRESSION_BOMB: "X019",
    TroubleKind.OTHER_COMPRESSION: "X018",
    TroubleKind.TOO_LARGE: "X019",
    TroubleKind.UNREADABLE: "X001",
    TroubleKind.BYTE_ORDER_MARK: "X006",
    TroubleKind.NOT_UTF8: "X003",
    TroubleKind.BAD_UTF8: "X002",
    TroubleKind.ENCODING_MISMATCH: "X003",
    TroubleKind.UNKNOWN_ENCODING: "X003",
    TroubleKind.CONTROL_CHARACTER: "X009",
    TroubleKind.TEXT_BEFORE_DECLARATION: "X005",
    TroubleKind.BAD_DECLARATION: "X001",
    TroubleKind.BAD_PROLOG: "X001",
    TroubleKind.XML_VERSION: "X008",
    TroubleKind.DOCTYPE: "X014",
    TroubleKind.EXTERNAL_ENTITY: "X015",
    TroubleKind.MISSING_ROOT: "S001",
    TroubleKind.UNRENDERED: "X031",
    TroubleKind.BROKEN_ROOT: "X001",
    TroubleKind.CONTENT_AFTER_ROOT: "X029",
    TroubleKind.TWO_ROOTS: "X029",
    TroubleKind.TRUNCATED: "X001",
    TroubleKind.BARE_AMPERSAND: "X010",
    TroubleKind.STRAY_LT: "X011",
    TroubleKind.UNDEFINED_ENTITY: "X012",
    TroubleKind.BAD_CHARACTER_REFERENCE: "X009",
    TroubleKind.MISMATCHED_TAG: "X001",
    TroubleKind.UNCLOSED_TAG: "X001",
    TroubleKind.BROKEN_TAG: "X001",
    TroubleKind.MISSPELLED_TAG: "X001",
    TroubleKind.DUPLICATE_ATTRIBUTE: "X001",
    TroubleKind.BAD_ATTRIBUTE: "X001",
    TroubleKind.UNBOUND_PREFIX: "X025",
    TroubleKind.BAD_COMMENT: "X001",
    TroubleKind.BAD_INSTRUCTION: "X001",
    TroubleKind.CDATA_END_IN_TEXT: "X001",
    TroubleKind.STRAY_TEXT: "S017",
    TroubleKind.MISPLACED_ELEMENT: "S014",
    TroubleKind.OTHER_MALFORMED: "X001",
    TroubleKind.TOO_DEEP: "X030",
    TroubleKind.TOKEN_TOO_LONG: "X030",
    TroubleKind.TOO_DAMAGED: "X030",
    TroubleKind.TOO_MANY_ENTRIES: "X030",
    TroubleKind.ENTRY_LOST: "X001",
}
ELSEWHERE = {
    TroubleKind.NOT_A_SITEMAP,  # by the kind of document, below
    TroubleKind.NOT_AN_ADDRESS,  # in text lists only, below
    TroubleKind.ENTITY_DECLARED,  # part of what is said about the DOCTYPE, below
    TroubleKind.ENTITY_USED,  # the same
    TroubleKind.BAD_LINE,  # robots.txt
    TroubleKind.MALFORMED,  # formats without XML: S038
}


def codes(document: Document, *troubles: Trouble, kind: Kind | None = None) -> list[str]:
    """The codes of what is said about a sound document that is claimed to have met these troubles."""
    troubled = msgspec.structs.replace(document, troubles=Troubles(troubles), kind=kind or document.kind)
    tally = run(troubled, RULES, Context(engines=tuple(Engine)))
    assert not tally.crashes
    return sorted(rule.code for rule, _, _ in tally.problems)


def test_the_sound_documents_have_no_finding() -> None:
    assert codes(read(SOUND)) == []
    assert codes(read(LIST, name="sitemap.txt")) == []


def test_every_kind_has_an_owner() -> None:
    assert set(OWNERS) | ELSEWHERE == set(TroubleKind)
    assert not set(OWNERS) & ELSEWHERE


@pytest.mark.parametrize(("kind", "code"), OWNERS.items())
def test_exactly_one_rule_tells_a_trouble(kind: TroubleKind, code: str) -> None:
    assert codes(read(SOUND), Trouble(kind, INSIDE, "amp")) == [code]


def test_utf16_has_a_rule_of_its_own() -> None:
    wide = read(SOUND.decode().replace("UTF-8", "UTF-16").encode("utf-16"))
    assert codes(wide, *wide.troubles) == ["X007"]


@pytest.mark.parametrize(("kind", "code"), [(Kind.HTML, "X021"), (Kind.OTHER_XML, "S001"), (Kind.UNKNOWN, "S001")])
def test_what_is_no_sitemap_is_told_once(kind: Kind, code: str) -> None:
    assert codes(read(SOUND), Trouble(TroubleKind.NOT_A_SITEMAP, INSIDE, "x"), kind=kind) == [code]


def test_packed_or_damaged_data_is_not_also_called_no_sitemap() -> None:
    for data, code in ((b"PK\x03\x04zip", "X018"), (b"\x1f\x8b\x08", "X016")):
        document = read(data)
        assert codes(document, *document.troubles) == [code]


def test_a_line_without_address_is_told_once() -> None:
    assert codes(read(LIST, name="s.txt"), Trouble(TroubleKind.NOT_AN_ADDRESS, Place(0, 5), "x")) == ["S030"]


def test_an_entity_is_told_with_its_doctype() -> None:
    doctype, entity = Trouble(TroubleKind.DOCTYPE, INSIDE), Trouble(TroubleKind.ENTITY_DECLARED, INSIDE, "a")
    assert codes(read(SOUND), doctype, entity) == ["X014"]
    assert codes(read(SOUND), doctype, entity, Trouble(TroubleKind.ENTITY_USED, INSIDE)) == ["X014"]


def test_a_lost_entry_is_part_of_what_its_cause_says() -> None:
    document = read(SOUND.replace(b"<loc>https://example.com/?a&amp;b</loc>", b"<x>https://example.com/?a&b</x>"))
    assert {trouble.kind for trouble in document.troubles} == {TroubleKind.BARE_AMPERSAND, TroubleKind.ENTRY_LOST}
    problems = [problem for _, problem, _ in run(document, RULES, Context()).problems]
    assert [problem.message for problem in problems] == ["unescaped & in '&b', so the entry is unreadable; write &amp;"]


def test_a_file_cut_short_is_told_once() -> None:
    document = read(SOUND[: SOUND.index(b"</loc>")])
    assert codes(document, *document.troubles) == ["X001"]
