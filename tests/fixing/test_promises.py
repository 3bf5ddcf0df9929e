"""What `check` calls fixable, `fix` fixes, or says why not."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from random import Random

import pytest

import urlset
from fuzz.mutate import edited
from fuzz.seeds import AROUND, SEEDS, examples
from urlset.findings.finding import ON_REQUEST, Safety
from urlset.fixing.collected_fixes import BROKEN_ENTRY

NOW = datetime(2026, 11, 15, tzinfo=UTC)
DENIALS = frozenset({"no safe fix is known", "needs manual review"})
"""reasons that contradict a promise"""
SMALL, STEP = 4_000, 8


def broken_promises(data: bytes, denials: frozenset[str] = DENIALS) -> list[str]:
    """The codes that were promised and denied, with none of them fixed."""
    verdict = urlset.check(data, now=NOW)
    unpromised = Counter(finding.code for finding in verdict.findings if finding.fix is None)
    found: list[str] = []
    for unsafe in (False, True):
        promised = Counter(
            finding.code
            for finding in verdict.findings
            if finding.fix is not None
            and finding.code not in ON_REQUEST
            and (unsafe or finding.fix.safety == Safety.SAFE)
        )
        if not promised:
            continue
        fixed = urlset.fix(data, now=NOW, unsafe=unsafe)
        assert fixed.refused is None
        applied = Counter(change.code for change in fixed.applied)
        for left in fixed.left:
            kept = applied[left.code] or not promised[left.code] or left.count <= unpromised[left.code]
            if left.reason in denials and not kept:
                found.append(f"{left.code}, unsafe={unsafe}: {left.reason}")
    return found


@pytest.mark.parametrize("unsafe", [False, True])
def test_a_value_in_an_entry_that_only_an_unsafe_fix_makes_well_formed(*, unsafe: bool) -> None:
    data = (
        b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
        b'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n'
        b"<url><loc>https://example.com/</loc><image:image></url>\n</urlset>\n"
    )
    (promised,) = [finding.fix for finding in urlset.check(data).findings if finding.code == "M002"]
    assert promised is not None
    assert promised.safety == Safety.REVIEW
    fixed = urlset.fix(data, unsafe=unsafe)
    assert ("M002" in {change.code for change in fixed.applied}) is unsafe
    reasons = [left.reason for left in fixed.left if left.code == "M002"]
    assert reasons == ([] if unsafe else ["the entry is malformed; use `unsafe=True` to fix that first"])


def documents() -> list[bytes]:
    return [data for data in (*SEEDS, *AROUND, *examples()) if len(data) < SMALL]


@pytest.mark.slow
def test_examples_and_their_mutations() -> None:
    random = Random(20261116)
    whole = documents()
    for data in whole[::STEP]:
        assert not broken_promises(data, DENIALS | {BROKEN_ENTRY}), data
    for data in whole[STEP // 2 :: STEP]:
        mutated = edited(data, random)
        assert not broken_promises(mutated), mutated
