"""Every code that the catalogue calls fixable has a fix, is mended elsewhere, or has a reason why not."""

from __future__ import annotations

import msgspec
import pytest

from tests.house.source_tree import ROOT
from urlset.checking.declare import AnyRule, Bad
from urlset.checking.examples import complete, context_of, document_of, unmark
from urlset.checking.tree import TreeView
from urlset.fixing.choose import FixOptions
from urlset.fixing.fix import fix_document
from urlset.rules.catalogue import all_rules, find

CALLED_FIXABLE = """
    X002 X003 X004 X005 X006 X007 X008 X009 X010 X011 X012 X013 X014 X017 X018 X020 X025 X028 X029 S002 S003 S004
    S005 S006 S007 S008 S011 S012 S013 S014 S015 S016 S017 S018 S020 S021 S022 S023 S024 S030 S031 L002 L005 L006
    L007 L008 L009 L011 L012 L013 L016 L020 L021 L022 L023 L025 L026 L027 L028 L029 L037 L038 L039 D001 D003 D004
    D005 D006 D007 D008 D010 D013 D015 D018 D020 D021 D026 F001 F002 F003 F004 F005 F006 F008 F009 F010 F013 I002
    I003 I005 I008 I009 I013 I015 I016 I017 I021 I022 I024 M001 M004 M009 M011 M012 V005 V007 V009 V012 V014 V017
    V018 V021 V024 V025 V030 V031 V034 N001 N004 N006 N010 N014 N015 H001 H002 H003 H008 H010 H015 H016 H020 H021
    H025 H027 H028 R001 R002 R010 R012 R014 R023 Q001 Q002 Q003 Q006 Q009 Q012 Q016 Q017
""".split()  # noqa: SIM905 - a block of codes reads best
"""of the families that need no network"""

MENDED_ELSEWHERE = {
    "S006": "fixing/test_separate.py::test_pages_and_sitemaps_part_ways",
    "S007": "fixing/test_shards.py::test_too_many_entries_become_parts_and_an_index",
    "S008": "fixing/test_shards.py::test_too_many_bytes_become_parts",
    "N014": "fixing/test_shards.py::test_too_much_news_becomes_parts",
    "I002": "fixing/test_shards.py::test_a_large_index_is_split_on_request",
    "I003": "fixing/test_shards.py::test_a_large_index_is_split_on_request",
    "I005": "workflows/fix/test_fix.py::test_a_nested_index_is_flattened",
    "I015": "workflows/fix/test_fix.py::test_an_index_gets_the_date_of_its_newest_page",
    "X017": "workflows/fix/test_fix.py::test_a_file_is_packed_as_its_name_says",
    "X020": "workflows/fix/test_fix.py::test_a_file_packed_twice_is_packed_once",
}
"""several files are concerned, or none of their bytes: no edit can do it"""

NOT_FIXED = {
    "X018": "other archives are not unpacked",
    "L021": "which of the files keeps the page is the owner's choice",
    "L037": "the pages of another host belong in a sitemap on that host, which this run cannot put there",
    "D018": "dates come from where the pages come from; a build has the evidence",
    "I017": "needs the network",
    "I024": "both places are right; which one to keep is a matter of how the site is announced",
    "R001": "which of the site's sitemaps to announce is not in robots.txt",
    "R023": "needs the network",
    "Q001": "needs the network",
    "Q002": "a file below the limits is right; it is split when it grows beyond them",
    "Q003": "a new name would break the address that is announced",
    "Q006": "is told by F009 and F010, which have the fix",
    "Q009": "which pages belong together is known where the sitemap is made",
    "Q016": "merging files changes the addresses that are announced; a build does it",
}


def test_every_code_called_fixable_is_accounted_for() -> None:
    fixable = {code for code in CALLED_FIXABLE if (rule := find(code)) is not None and rule.card.fixable}
    others = set(CALLED_FIXABLE) - fixable
    assert set(MENDED_ELSEWHERE) | set(NOT_FIXED) == others
    assert set(MENDED_ELSEWHERE).isdisjoint(NOT_FIXED)


@pytest.mark.parametrize("code", MENDED_ELSEWHERE)
def test_what_is_mended_elsewhere_has_a_test(code: str) -> None:
    file, _, name = MENDED_ELSEWHERE[code].partition("::")
    assert f"def {name}(" in (ROOT / "tests" / file).read_text()


FIXING = [
    pytest.param(rule, fixed, id=rule.code)
    for rule in all_rules()
    if rule.on is not TreeView
    if (fixed := [each for each in rule.bad if each.fixed is not None or each.fixed_data is not None])
]


@pytest.mark.parametrize(("rule", "examples"), FIXING)
def test_a_fixed_example_passes_through_the_whole_repair(rule: AnyRule, examples: list[Bad]) -> None:
    """Choosing, applying, reading again and proving give the bytes that the example shows."""
    options = FixOptions(unsafe=True, only=(rule.code,))
    for example in examples:
        context = context_of(example, tuple(rule.card.severities))
        fixed = fix_document(document_of(example), [rule], context, options)
        wanted = example.fixed_data if example.fixed is None else unmark(complete(example.fixed)).data
        assert fixed.refused is None
        assert fixed.data == wanted
        assert fixed.changed
        assert {item.code for item in fixed.applied} == {rule.code}


def test_times_take_the_offset_that_is_given() -> None:
    rule = find("D003")
    assert rule is not None
    context = msgspec.structs.replace(context_of(rule.bad[0], tuple(rule.card.severities)), timezone="+02:00")
    fixed = fix_document(document_of(rule.bad[0]), [rule], context, FixOptions())
    assert b"<lastmod>2026-11-15T10:00:00+02:00</lastmod>" in fixed.data


@pytest.mark.parametrize(
    ("code", "text", "wanted"),
    [
        ("L002", "<loc>/page</loc>", b"<loc>https://example.com/page</loc>"),
        ("L002", "<loc>//example.com/page</loc>", b"<loc>https://example.com/page</loc>"),
        ("I016", "<sitemap><loc>/a.xml</loc></sitemap>", b"<loc>https://example.com/a.xml</loc>"),
    ],
)
def test_relative_addresses_are_completed_with_the_address_that_is_given(code: str, text: str, wanted: bytes) -> None:
    rule = find(code)
    assert rule is not None
    base = context_of(Bad(text), tuple(rule.card.severities))
    context = msgspec.structs.replace(base, base_url="https://example.com/")
    fixed = fix_document(document_of(Bad(text)), [rule], context, FixOptions())
    assert wanted in fixed.data
    assert [item.code for item in fixed.renamed] == [code]


def test_a_relative_address_with_a_folder_to_count_from_is_completed_on_request() -> None:
    rule = find("L002")
    assert rule is not None
    base = context_of(Bad("x"), tuple(rule.card.severities))
    context = msgspec.structs.replace(base, base_url="https://example.com/shop/")
    document = document_of(Bad("<loc>page.html?a=1</loc>"))
    assert not fix_document(document, [rule], context, FixOptions()).applied
    fixed = fix_document(document, [rule], context, FixOptions(unsafe=True))
    assert b"<loc>https://example.com/shop/page.html?a=1</loc>" in fixed.data


@pytest.mark.parametrize("code", ["L016", "L025", "L026", "L022", "L023", "X013", "X029", "S001"])
def test_what_may_change_the_meaning_is_done_on_request_only(code: str) -> None:
    rule = find(code)
    assert rule is not None
    example = next(each for each in rule.bad if each.fixed is not None)
    fixed = fix_document(document_of(example), [rule], context_of(example, tuple(rule.card.severities)), FixOptions())
    assert fixed.applied == ()
    assert any("--unsafe" in left.reason for left in fixed.left)
