"""Expat rejects a document exactly when an error of family X is reported."""

from __future__ import annotations

from random import Random

import pytest

from fuzz.crossing import crossed
from fuzz.mutate import edited
from fuzz.seeds import AROUND, DOCTYPES, SEEDS, corpus, examples
from fuzz.structure import structured
from fuzz.wellformed import expat_error, judge_wellformed, x_errors
from urlset.reading.read import read

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
BODY = f"<urlset {NS}><url><loc>https://example.com/</loc></url></urlset>"
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'

MALFORMED = {
    "-- in a comment before the root": f"{DECLARATION}<!-- a -- b -->{BODY}",
    "a comment that ends with --->": f"{DECLARATION}<!-- a --->{BODY}",
    "-- in a comment after the root": f"{DECLARATION}{BODY}<!-- a -- b -->",
    "a control character in a comment": f"{DECLARATION}<!-- \x01 -->{BODY}",
    "a control character in an instruction": f"{DECLARATION}<?a \x01?>{BODY}",
    "a control character in an instruction after the root": f"{DECLARATION}{BODY}<?a \x01?>",
    "an unfinished character at the end of the declaration": f'<?xml version="1.0\udcf3?>{BODY}',
    "an unfinished character at the end of an instruction": f"{DECLARATION}<?a \udcf3?>{BODY}",
    "an unfinished character at the end of an instruction after the root": f"{DECLARATION}{BODY}<?a \udcf3?>",
    "a namespace declared twice": DECLARATION + BODY.replace("<url>", f"<url {NS.replace('=', ' = ')} {NS}>"),
    "an instruction without a name": f"{DECLARATION}<? pi?>{BODY}",
    "an instruction named XML": f"{DECLARATION}<?XML a?>{BODY}",
    "an instruction that never ends before the root": f"{DECLARATION}<?a b>{BODY.replace('</url>', '</url><?c?>')}",
    "a misspelt attribute of the declaration": f'<?xml version="1.0" encodin="UTF-8"?>{BODY}',
    "a repeated attribute of the declaration": f'<?xml version="1.0" version="1.0"?>{BODY}',
    "attributes of the declaration in another order": f'<?xml encoding="UTF-8" version="1.0"?>{BODY}',
    "no space between attributes of the declaration": f'<?xml version="1.0"encoding="UTF-8"?>{BODY}',
    "an unknown value of standalone": f'<?xml version="1.0" standalone="maybe"?>{BODY}',
    "a stray quote in the declaration": f'<?xml version="1.0" "?>{BODY}',
    "a < in the declaration": f'<?xml <version="1.0"?>{BODY}',
    "a control character in an attribute of the root": BODY.replace(" xmlns", ' a="\x01" xmlns'),
    "several roots": "<url><loc>https://example.com/a</loc></url><url><loc>https://example.com/b</loc></url>",
    "a root whose repaired tag closes itself": BODY.replace('xmlns="http://', 'xmlns"http:/>', 1),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_what_expat_rejects_is_an_error(name: str) -> None:
    data = MALFORMED[name].encode("utf-8", "surrogateescape")
    if expat_error(data) is None and "unfinished" in name:
        pytest.skip("accepted by newer versions of expat")
    assert expat_error(data) is not None
    assert x_errors(read(data))


def test_bytes_that_are_no_utf8_in_a_comment_are_an_error() -> None:
    for data in (f"<!-- \udcff -->{BODY}", f"{BODY}<!-- \udcff -->", f"<?a \udcff?>{BODY}"):
        document = read(data.encode("utf-8", "surrogateescape"))
        assert x_errors(document).keys() == {"X002"}


@pytest.mark.parametrize(("encoding", "code"), [("utf-16", "X007"), ("utf-32", "X007"), ("latin-1", "X003")])
def test_the_encoding_is_judged_without_a_root_too(encoding: str, code: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><url><loc>https://example.com/ü</loc></url>'
    assert x_errors(read(text.encode(encoding))).keys() == {code}


def test_a_root_name_that_is_no_utf8_is_an_error() -> None:
    data = BODY.encode().replace(b"urlset", b"s\xff:urlset")
    assert x_errors(read(data))


def test_entries_inside_another_element_are_well_formed() -> None:
    data = f"<lastmod><url><loc>https://example.com/</loc><urlset {NS}>a</urlset></url></lastmod>".encode()
    assert expat_error(data) is None
    assert x_errors(read(data)) == {}


@pytest.mark.parametrize(
    ("row", "locs"),
    [
        ("<url><loc>OUTER</loc><url><url><loc>b</loc></url></url></url>", ["OUTER", "b"]),
        ("<url><loc>OUTER</loc><url><loc>b</loc><url><loc>c</loc></url></url></url>", ["OUTER", "b", "c"]),
        ("<url><loc>OUTER</loc><url/><url><url><url><loc>b</loc></url></url></url></url>", ["OUTER", "b"]),
        ("<url><url><loc/></url><loc/></url>", ["", ""]),
        ("<url><url><loc>a</loc></url><loc><b/></loc><lastmod/></url>", ["a", ""]),
        ("<url><url><loc>a</loc></url><loc>b</loc><lastmod/><changefreq/></url>", ["a", "b"]),
    ],
)
def test_entries_inside_entries_are_read_and_well_formed(row: str, locs: list[str]) -> None:
    data = f"{DECLARATION}<urlset {NS}>{row}</urlset>".encode()
    judge_wellformed(data)
    assert read(data).columns.locs == locs


def test_a_control_character_in_the_root_does_not_hide_its_namespace() -> None:
    document = read(MALFORMED["a control character in an attribute of the root"].encode())
    assert document.root is not None
    assert document.root.namespace.endswith("/0.9")
    assert x_errors(document).keys() == {"X009"}


def test_a_control_character_in_cdata_costs_no_entry() -> None:
    body = BODY.replace("https://example.com/", "<![CDATA[https://example.com/a\x01b]]>")
    document = read(body.encode())
    assert document.columns.locs == ["https://example.com/ab"]
    assert x_errors(document).keys() == {"X009"}


def test_a_comment_behind_junk_is_still_a_comment() -> None:
    document = read(f"{BODY}junk<!-- <url><loc>https://example.com/b</loc></url> -->".encode())
    assert document.columns.locs == ["https://example.com/"]
    assert x_errors(document).keys() == {"X029"}


@pytest.mark.slow
def test_single_changes_around_the_body_are_judged_as_expat_judges_them() -> None:
    chance = Random(1)
    for _ in range(1500):
        judge_wellformed(edited(chance.choice(AROUND), chance))


@pytest.mark.slow
def test_joined_files_prologs_and_encodings_are_judged_as_expat_judges_them() -> None:
    chance = Random(3)
    seeds = (*SEEDS, *AROUND, *(data for data in corpus() if len(data) < 4000))
    for _ in range(300):
        judge_wellformed(crossed(chance.choice(seeds), seeds, chance))


@pytest.mark.slow
def test_documents_with_a_structure_of_their_own_are_judged_as_expat_judges_them() -> None:
    chance = Random(3)
    seeds = (*SEEDS, *AROUND, *DOCTYPES)
    for _ in range(400):
        judge_wellformed(structured(chance.choice(seeds), seeds, chance))


def test_changed_files_are_judged_as_expat_judges_them() -> None:
    chance = Random(2)
    for data in (*SEEDS, *corpus(), *examples()):
        judge_wellformed(edited(data, chance))
