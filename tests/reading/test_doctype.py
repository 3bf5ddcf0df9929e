"""DOCTYPEs are read by their grammar, and the entities that entries use are known."""

from __future__ import annotations

import time

import pytest

from fuzz.fixing import NAME, judge_fixing, rules
from fuzz.judge import CONTEXT, judge_reading
from fuzz.seeds import DOCTYPES
from fuzz.wellformed import expat_error, x_errors
from tests.reading.scanners import needs_compiled
from urlset.fixing.fix import FixOptions, fix_document
from urlset.fixing.markup import tokens
from urlset.model.place import Place
from urlset.model.trouble import TroubleKind
from urlset.reading.around import doctype_at, whole_fault
from urlset.reading.read import read

CORE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
HOST = '<!ENTITY h "http://d.example.com/">'
ROW = "<url><loc>https://e.com/</loc></url>"
SUBSETS = [
    "",
    "<!-- ]> -->",
    "<!-- \" ' -->",
    "<?p ]> ?>",
    '<?p " ?>',
    '<!ENTITY a "]>">',
    "<!ENTITY a ']>'>",
    "<!ENTITY a '\"'>",
    '<!ENTITY % a "]>"> ',
    '<!ATTLIST url a CDATA "]>">',
    '<!NOTATION n PUBLIC "x" "]>">',
    '<!ENTITY a SYSTEM "]>">',
    "<!ELEMENT url ANY>\n<!ENTITY b 'c'>\n",
    "<!-- <!ENTITY h 'x'> -->",
]


def document(subset: str, body: str = ROW, external: str = "", root: str = CORE) -> bytes:
    return f"<!DOCTYPE urlset{external} [{subset}]>\n<urlset {root}>{body}</urlset>".encode()


@pytest.mark.parametrize("external", ["", ' SYSTEM "a]>b"', " PUBLIC '-//x' \"[]>\""])
@pytest.mark.parametrize("subset", SUBSETS)
def test_the_end_is_found_by_the_grammar(subset: str, external: str) -> None:
    data = document(subset, external=external)
    assert expat_error(data) is None
    end = data.index(b"]>\n<urlset") + 2
    assert doctype_at(data, 0).place.end == end
    assert next(tokens(data, 0, len(data))).place.end == end
    found = read(data, name=NAME)
    assert found.columns.locs == ["https://e.com/"]
    assert x_errors(found).keys() <= {"X014", "X015"}
    judge_fixing(data)


@pytest.mark.parametrize(
    "data", [b"<!DOCTYPE", b"<!DOCTYPE urlset", b"<!DOCTYPE urlset [", b"<!DOCTYPE a [<!ENTITY", b"<!DOCTYPE a 'b>"]
)
def test_one_that_never_ends_is_the_rest_of_the_document(data: bytes) -> None:
    assert doctype_at(data, 0).place.end == len(data)
    assert read(data + b"<urlset", name=NAME).troubles.has(TroubleKind.DOCTYPE)


def test_declarations_in_comments_declare_nothing() -> None:
    found = read(document("<!-- <!ENTITY a 'b'> --><?p <!ENTITY c 'd'> ?><!ENTITY e 'f'><!ENTITY % g 'h'>"))
    assert [trouble.detail for trouble in found.troubles.of([TroubleKind.ENTITY_DECLARED])] == ["e", "g"]


@pytest.mark.parametrize(
    ("subset", "body", "locs"),
    [
        (
            HOST,
            "<url><loc>&h;1</loc></url><url><loc>&h;2</loc></url>",
            ["http://d.example.com/1", "http://d.example.com/2"],
        ),
        (HOST, "<url><loc>&h;1</loc><loc><url></url>&h;2</loc></url>", ["http://d.example.com/1"]),
        (HOST, "<url><é/><loc>&h;1</loc></url>", ["http://d.example.com/1"]),
        ('<!ENTITY é "e">', "<url><loc>https://&é;.com/</loc></url>", ["https://e.com/"]),
        ('<!ENTITY a "&#38;#38;">', "<url><loc>https://e.com/?a&a;b</loc></url>", ["https://e.com/?a&b"]),
        ('<!ENTITY a "&#233;">', "<url><loc>https://e.com/&a;</loc></url>", ["https://e.com/é"]),
        ('<!ENTITY a "1"><!ENTITY a "2">', "<url><loc>https://e.com/&a;</loc></url>", ["https://e.com/1"]),
        (f'<!ENTITY a "{"x" * 300}">', "<url><loc>https://e.com/&a;</loc></url>", ["https://e.com/&a;"]),
        ('<!ENTITY a "&b;"><!ENTITY b "c">', "<url><loc>https://e.com/&a;</loc></url>", ["https://e.com/&a;"]),
        ('<!ENTITY a "<b/>">', "<url><loc>https://e.com/&a;</loc></url>", ["https://e.com/&a;"]),
        ('<!ENTITY a SYSTEM "b">', "<url><loc>https://e.com/&a;</loc></url>", ["https://e.com/&a;"]),
        ("%p;", "<url><loc>https://e.com/&eacute;</loc></url>", ["https://e.com/&eacute;"]),
    ],
)
def test_entities_are_no_faults(subset: str, body: str, locs: list[str]) -> None:
    """And nothing in a file that uses them is changed: an entity may hold anything."""
    data = document(subset, body)
    assert expat_error(data) is None
    found = read(data, name=NAME)
    assert found.columns.locs == locs
    assert x_errors(found).keys() <= {"X014", "X015"}
    for unsafe in (False, True):
        result = fix_document(found, rules(), CONTEXT, FixOptions(unsafe=unsafe))
        assert not result.changed
        assert any("entities" in left.reason for left in result.left)
    judge_reading(data)


@needs_compiled
@pytest.mark.parametrize("data", DOCTYPES)
def test_both_scanners_agree_on_documents_with_a_doctype(data: bytes) -> None:
    judge_reading(data)
    judge_fixing(data)


def test_an_external_subset_may_define_what_a_standalone_document_must_not_use() -> None:
    body = "<url><loc>https://e.com/&a;</loc></url>"
    data = document("", body, ' SYSTEM "a.dtd"')
    assert not x_errors(read(data)).keys() - {"X014", "X015"}
    alone = b'<?xml version="1.0" standalone="yes"?>' + data
    assert expat_error(alone) is not None
    assert "X012" in x_errors(read(alone))


def test_namespaces_that_a_doctype_declares_are_known() -> None:
    image = "http://www.google.com/schemas/sitemap-image/1.1"
    subset = f'{HOST}<!ATTLIST urlset xmlns:image CDATA "{image}">'
    body = "<url><loc>&h;</loc><image:image><image:loc>&h;i.png</image:loc></image:image></url>"
    found = read(document(subset, body), name=NAME)
    assert not x_errors(found).keys() - {"X014"}
    assert [each.loc for each in found.media(0).images] == ["http://d.example.com/i.png"]


def test_a_broken_entry_keeps_its_references() -> None:
    found = read(document(HOST, "<url><loc>&h;1&b</loc></url>"), name=NAME)
    assert found.columns.locs == ["http://d.example.com/1&b"]
    assert x_errors(found).keys() == {"X010", "X014"}


def test_text_before_a_doctype_is_only_that_text() -> None:
    data = b"x" + document(HOST, "<url><loc>&h;1</loc></url>")
    assert [each.place.length for each in read(data).troubles.of([TroubleKind.TEXT_BEFORE_DECLARATION])] == [1]
    judge_fixing(data)
    plain = fix_document(read(b"x" + document("<!ELEMENT a ANY>"), name=NAME), rules(), CONTEXT, FixOptions())
    assert b"<!DOCTYPE urlset [<!ELEMENT a ANY>]>" in plain.data
    assert expat_error(plain.data) is None


@pytest.mark.parametrize("second", ["<!DOCTYPE urlset>", '<!DOCTYPE urlset [<!ENTITY g "x">]>'])
@pytest.mark.parametrize("first", [True, False])
def test_a_second_doctype_does_not_hide_the_entities_of_the_first(second: str, *, first: bool) -> None:
    data = document(HOST, "<url><loc>&h;1</loc></url>")
    data = data.replace(b"<urlset", second.encode() + b"<urlset") if first else second.encode() + data
    assert [entry.loc for entry in read(data)] == ["http://d.example.com/1"]
    result = fix_document(read(data, name=NAME), rules(), CONTEXT, FixOptions(unsafe=True))
    assert b"<loc>&h;1</loc>" in result.data
    assert HOST.encode() in result.data


def test_a_fault_before_a_short_doctype_has_a_place() -> None:
    """The declarations that replace the DOCTYPE may be longer than it is."""
    data = b"x<!DOCTYPE a><a>&b;</a>"
    fault = whole_fault(data, Place(1, 12), b"<!DOCTYPE r[<!ENTITY b 'c'>]>")
    assert fault is not None
    assert fault.place.offset == 1
    assert whole_fault(data[1:], Place(0, 12), b"<!DOCTYPE r[<!ENTITY b 'c'>]>") is None
    behind = whole_fault(data[1:] + b"d", Place(0, 12), b"<!DOCTYPE r[<!ENTITY b 'c'>]>")
    assert behind is not None
    assert behind.place.offset == len(data) - 1


def test_a_definition_is_not_escaped_twice() -> None:
    result = fix_document(read(document('<!ENTITY a "&#38;#38;">')), rules(), CONTEXT, FixOptions(unsafe=True))
    assert "X013" not in {item.code for item in result.applied}


@pytest.mark.parametrize(
    "subset",
    [
        "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "x" * 10}">' for n in range(12)),
        '<!ENTITY e11 "' + "x" * 250 + '">',
        "".join(f"<!ENTITY e{n} 'x'>" for n in range(20_000)),
        "<!--" * 20_000,
    ],
    ids=["nested", "long", "many", "comments"],
)
def test_hostile_declarations_cost_little(subset: str) -> None:
    rows = "<url><loc>https://e.com/" + "&e11;" * 300 + "</loc></url>"
    data = document(subset, rows * 300)
    began = time.process_time()
    found = read(data, name=NAME)
    assert sum(len(loc or "") for loc in found.columns.locs) <= 2 * len(data)
    assert time.process_time() - began < 2
