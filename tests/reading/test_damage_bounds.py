"""Millions of faults cost a bounded amount: places up to a number, counts beyond it, and no other entry."""

from __future__ import annotations

import tracemalloc

import pytest

from fuzz.fixing import rules
from fuzz.judge import CONTEXT
from tests.reading.scanners import BOTH, chosen
from urlset.checking.engine import check
from urlset.checking.fixability import is_complete
from urlset.fixing.fix import FixOptions, fix_document
from urlset.model import trouble as troubles_module
from urlset.model.place import Place
from urlset.model.trouble import Trouble, TroubleKind, Troubles
from urlset.reading import limits
from urlset.reading.read import read
from urlset.spec import namespaces

HEAD = f'<urlset xmlns="{namespaces.SITEMAP}">\n'.encode()


def entry(number: int) -> bytes:
    return b"<url><loc>https://example.com/%d</loc></url>\n" % number


def locs(data: bytes) -> list[str | None]:
    return list(read(data).columns.locs)


@pytest.fixture
def few_places(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(troubles_module, "MOST_PLACED", 10)
    return 10


def test_troubles_beyond_the_bound_are_counted(few_places: int) -> None:
    found = Troubles(Trouble(TroubleKind.STRAY_LT, Place(at, 1), "<") for at in range(25))
    found.append(Trouble(TroubleKind.TRUNCATED, Place(99), "cut"))
    assert len(found) == few_places + 1
    assert found.count_of(TroubleKind.STRAY_LT) == 25
    assert found.unplaced(TroubleKind.STRAY_LT, TroubleKind.TRUNCATED) == 15
    assert found.total == 26
    assert found.has(TroubleKind.TRUNCATED)
    twice = Troubles(found)
    twice += found
    assert twice.total == 52
    assert twice.count_of(TroubleKind.TRUNCATED) == 2
    assert found.only({TroubleKind.TRUNCATED}).total == 1
    assert found.in_order().total == 26


def test_a_report_counts_what_has_no_place(few_places: int) -> None:
    data = HEAD + b"".join(entry(number).replace(b"/1", b"/?a&b=1") for number in range(100, 140)) + b"</urlset>\n"
    verdict = check(read(data), rules(), CONTEXT)
    assert verdict.counts["X010"] == verdict.concerned["X010"] == verdict.severity_counts["error"] == 40
    assert verdict.fixable >= 40
    assert sum(finding.code == "X010" for finding in verdict.findings) == few_places


@pytest.mark.usefixtures("few_places")
def test_a_fix_needs_more_passes_and_fixes_all() -> None:
    data = HEAD + b"".join(entry(number).replace(b"/1", b"/?a&b=1") for number in range(100, 140)) + b"</urlset>\n"
    fixed = fix_document(read(data), rules(), CONTEXT, FixOptions())
    assert fixed.data.endswith(data.replace(b"&", b"&amp;"))  # behind an XML declaration


@pytest.mark.parametrize("junk", [b"<", b"&", b"< ", b"</a>", b"&x;", b"]]>", b"<a", b"\x01 "])
def test_junk_between_entries_costs_neither_memory_nor_entries(junk: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_REPAIRS", 500)
    data = HEAD + entry(1) + junk * (60_000 // len(junk)) + entry(2) + b"</urlset>\n"
    read(data)
    tracemalloc.start()
    document = read(data)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1 << 20
    assert list(document.columns.locs) == ["https://example.com/1", "https://example.com/2"]
    assert document.troubles.total <= limits.MAX_REPAIRS + 2


def test_an_entry_of_junk_costs_itself_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_REPAIRS", 100)
    broken = b"<url><loc>https://example.com/x</loc>" + b"< " * 200 + b"</url>\n"
    assert locs(HEAD + entry(1) + broken + entry(2) + b"</urlset>\n") == [
        "https://example.com/1",
        "https://example.com/2",
    ]


@pytest.mark.parametrize(("number", "rows"), [(limits.MAX_REPAIRS - 1, 3), (limits.MAX_REPAIRS, 2)])
def test_an_address_of_bare_ampersands_is_given_up_at_the_same_number(number: int, rows: int) -> None:
    broken = b"<url><loc>https://example.com/" + b"&" * number + b"</loc></url>\n"
    document = read(HEAD + entry(1) + broken + entry(2) + b"</urlset>\n")
    assert len(document) == rows
    assert document.troubles.total == (number if rows == 3 else 2)


def test_what_follows_too_many_damaged_entries_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_DAMAGED", 20)
    unclosed = b"".join(entry(number).replace(b"</loc>", b"") for number in range(20))
    data = HEAD + unclosed + entry(98) + b"</urlset>\n"
    document = read(data)
    assert len(document) == 21
    assert is_complete(document)
    further = read(data.replace(entry(98), entry(98).replace(b"</loc>", b"") + entry(99)))
    assert len(further) == 20
    assert further.troubles.count_of(TroubleKind.TOO_DAMAGED) == 1
    assert not further.troubles.has(TroubleKind.TRUNCATED)
    assert "X030" in check(further, rules(), CONTEXT).counts
    assert not fix_document(further, rules(), CONTEXT, FixOptions(unsafe=True)).edits


def test_close_tags_among_many_open_elements_are_found_at_once() -> None:
    inner = b"<a>" * 20_000 + b"</b>" * 20_000
    assert locs(HEAD + b"<url><loc>https://example.com/x</loc>" + inner + b"</url>" + entry(2) + b"</urlset>")[-1] == (
        "https://example.com/2"
    )


@pytest.mark.parametrize("scanner", BOTH)
@pytest.mark.parametrize("more", [entry(99), b"<url><loc>https://example.com/x</url>"])
def test_what_follows_too_many_entries_is_not_read(more: bytes, scanner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ROWS", 20)
    data = HEAD + b"".join(map(entry, range(20))) + b"<!-- the end --></urlset>\n"
    with chosen(scanner):
        assert is_complete(read(data))
        further = read(data.replace(b"<!--", more + b"<!--"))
    assert len(further) == 20
    assert [trouble.kind for trouble in further.troubles] == [TroubleKind.TOO_MANY_ENTRIES]
    assert "X030" in check(further, rules(), CONTEXT).counts
    assert not fix_document(further, rules(), CONTEXT, FixOptions(unsafe=True)).edits


@pytest.mark.parametrize("piece", [b"<!-- a -->", b"<a/>"])
def test_too_many_pieces_between_entries_end_a_document(piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ROWS", 20)
    document = read(HEAD + piece * 10_000 + entry(1) + b"</urlset>\n")
    assert [trouble.kind for trouble in document.troubles] == [TroubleKind.TOO_MANY_ENTRIES]


def test_too_many_lines_of_a_text_list_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ROWS", 20)
    lines = b"".join(b"https://example.com/%d\n" % number for number in range(20))
    assert not read(lines).troubles
    further = read(lines + b"https://example.com/x\n")
    assert len(further) == 20
    assert [trouble.kind for trouble in further.troubles] == [TroubleKind.TOO_MANY_ENTRIES]


def test_an_entry_without_end_is_lost_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ENTRY", 10_000)
    long = b"<url><loc>https://example.com/x</loc>" + b"<a/>" * 10_000 + b"</url>\n"
    monkeypatch.setattr(limits, "MAX_TOKEN", 1000)
    with chosen("python"):
        document = read(HEAD + entry(1) + long + entry(2) + b"</urlset>\n")
    assert [found.loc for found in document] == ["https://example.com/1", "https://example.com/2"]
    assert document.troubles.has(TroubleKind.TOKEN_TOO_LONG)
