"""Whatever the file: fixing settles, loses no address, adds no finding, and leaves all other bytes alone."""

from __future__ import annotations

import gc
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.fixing.broken_sitemaps import any_sitemap
from urlset.checking.context import Context
from urlset.checking.engine import run
from urlset.checking.select import select
from urlset.findings.finding import Safety
from urlset.findings.fix_result import FixResult
from urlset.fixing.fix import MAX_PASSES, FixOptions, fix_document
from urlset.fixing.prove import new_findings
from urlset.model.address import Address
from urlset.model.document import Document, Kind
from urlset.model.garbage import only_new_collected
from urlset.model.trouble import TroubleKind
from urlset.reading.read import read
from urlset.reading.salvage import apply_edits
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import DEFAULT_ENGINES

CONTEXT = Context(datetime(2026, 11, 15, 12, tzinfo=UTC))
RULES = select(all_rules(), DEFAULT_ENGINES)
UNCOVERED = {"X002", "X009", "X010", "X012"}
"""faults of single characters, which can come to light when a worse one before them is mended"""
DID_NOT_SETTLE = "the fixes did not converge"


def fix_bytes(data: bytes, *, unsafe: bool) -> tuple[Document, Document, FixResult]:
    before = read(data, name="sitemap.xml")
    fixed = fix_document(before, RULES, CONTEXT, FixOptions(unsafe=unsafe))
    return before, read(fixed.data, name="sitemap.xml"), fixed


def pages(document: Document) -> set[str]:
    return {Address.parse(loc.strip()).key for loc in document.columns.locs if loc and loc.strip()}


@given(any_sitemap, st.booleans())
def test_fixing_settles(data: bytes, unsafe: bool) -> None:
    _, after, fixed = fix_bytes(data, unsafe=unsafe)
    assert fixed.refused is None
    assert fixed.passes < MAX_PASSES
    assert not [left for left in fixed.left if left.reason == DID_NOT_SETTLE]
    again = fix_document(after, RULES, CONTEXT, FixOptions(unsafe=unsafe))
    assert [item.code for item in again.applied] == []
    assert again.data == fixed.data


@given(any_sitemap, st.booleans())
def test_no_address_is_lost(data: bytes, unsafe: bool) -> None:
    before, after, fixed = fix_bytes(data, unsafe=unsafe)
    gone = [each.loc for each in fixed.removed] + [each.loc for each in fixed.renamed]
    excused = {Address.parse(loc).key for loc in gone}
    assert pages(before) <= pages(after) | excused
    if not unsafe:
        assert [each for each in fixed.renamed if "\ufffd" not in each.loc] == []


@given(any_sitemap, st.booleans())
def test_no_finding_is_new(data: bytes, unsafe: bool) -> None:
    before, after, fixed = fix_bytes(data, unsafe=unsafe)
    if fixed.data == before.data:
        return
    old, new = (run(document, RULES, CONTEXT, cap=0).counts for document in (before, after))
    assert new_findings(before, old, new, RULES, DEFAULT_ENGINES).keys() <= UNCOVERED


@given(any_sitemap, st.booleans())
def test_bytes_outside_the_edits_are_the_same(data: bytes, unsafe: bool) -> None:
    before, _, fixed = fix_bytes(data, unsafe=unsafe)
    assert apply_edits(before.data, 0, len(before.data), fixed.edits) == fixed.data
    if not fixed.applied:
        assert fixed.data == before.data


@given(any_sitemap)
def test_only_safe_fixes_unless_asked(data: bytes) -> None:
    _, _, fixed = fix_bytes(data, unsafe=False)
    assert all(item.safety is Safety.SAFE for item in fixed.applied)


@given(any_sitemap)
def test_troubles_are_gone_or_told(data: bytes) -> None:
    _, after, fixed = fix_bytes(data, unsafe=True)
    if after.kind is Kind.ROBOTS:
        return
    minded = [
        trouble for trouble in after.troubles if trouble.kind is not TroubleKind.STRAY_TEXT
    ]  # the schema's matter
    assert not minded or any(left.code[0] in "XS" for left in fixed.left), minded


def test_a_fix_does_not_go_through_the_objects_of_the_program() -> None:
    """Which takes 20 ms, and would be most of the time for a small file."""
    whole: list[str] = []

    def noted(phase: str, about: dict[str, int]) -> None:
        if phase == "start" and about["generation"] == 2:
            whole.append(phase)

    gc.callbacks.append(noted)
    try:
        with only_new_collected():  # and none but those that are asked for
            _, _, fixed = fix_bytes(b"<urlset><url><loc>HTTPS://A.com/a b?c&d</loc></url></urlset>", unsafe=True)
    finally:
        gc.callbacks.remove(noted)
    assert fixed.passes > 1
    assert whole == []
