"""Twice the input costs at most 2.5 times the CPU, whatever stands in the file and wherever it stands.

Every family of runs at every position is a matter for `python -m fuzz.growth`; here each position gets its share of
them, and the patterns that once were quadratic get all verbs.
"""

from __future__ import annotations

import pytest

from fuzz.growth import FAMILIES, FILES, POSITIONS, VERBS, entries, seconds, too_fast

pytestmark = pytest.mark.slow

SIZE = 8_000
FLOOR = 0.3
"""CPU seconds below which nothing is measured: a quadratic pattern of this size is far above"""
SHARE = 8
ONCE_QUADRATIC = (
    ("spaces", "root tag"),
    ("lines", "root tag"),
    ("name", "entry"),
    ("letters", "encoding"),
    ("long tag", "prolog"),
    ("comments", "prolog"),
    ("&", "loc"),
    ("%", "loc"),
    ("<", "loc"),
    ("a b", "loc"),
    ("]]>", "entry"),
    ("</", "loc"),
    ("nested urls", "body"),
    ("<loc>", "body"),
    ("prefixed attributes", "root tag"),
    ("prefixed attributes", "entry tag"),
    ("undeclared prefixes", "entry"),
    ("undeclared prefixes", "body"),
    ("attributes", "root tag and odd entries"),
    ("namespaces", "root tag and odd entries"),
    ("namespaces", "root tag and broken entries"),
)
ONCE_QUADRATIC_ENTRIES = ("own prefix", "own declaration", "unclosed")


@pytest.mark.parametrize("position", POSITIONS)
def test_checking_grows_with_the_input(position: str) -> None:
    first = list(POSITIONS).index(position) % SHARE
    for family in list(FAMILIES)[first::SHARE]:
        assert too_fast("check", family, position, SIZE, floor=FLOOR) is None


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("family", "position"), ONCE_QUADRATIC)
def test_what_was_quadratic_is_no_longer(verb: str, family: str, position: str) -> None:
    assert too_fast(verb, family, position, SIZE if verb != "fix" else SIZE // 4, floor=FLOOR) is None


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("kind", ONCE_QUADRATIC_ENTRIES)
def test_entries_of_one_kind_cost_the_same_each(kind: str, file: str) -> None:
    long, short = (seconds("check", entries(kind, file, count)) for count in (2_000, 500))
    assert long < max(FLOOR, 4 * 2.5 * short)
