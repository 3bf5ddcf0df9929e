"""Paths → the words that make them carts, logins or search results: the same for rules and for builds."""

from __future__ import annotations

import pytest

from urlset.building.candidate import PolicyReason
from urlset.building.policy import SUSPICIOUS, variants_of
from urlset.model.address import Address, private_part
from urlset.reading.read import read
from urlset.reading.signals import loc_signals
from urlset.spec.generator_artifacts import PRIVATE_PATHS
from urlset.workflows.library.check import check

HEAD = "https://example.com"


@pytest.mark.parametrize("path", [*PRIVATE_PATHS, *(f"pt-br/{path}/x" for path in PRIVATE_PATHS), "CART", "a/cart", ""])
def test_a_build_leaves_out_what_the_check_advises_against(path: str) -> None:
    loc = f"{HEAD}/{path}"
    verdict = check(read(f"{loc}\n{HEAD}/other\n".encode(), name="a.txt"), select=["Q007"])
    verdicts = {found for found, _ in variants_of(Address.parse(loc))}
    assert (PolicyReason.NOT_FOR_SEARCH in verdicts) is any(each.code == "Q007" for each in verdict.findings)
    assert (private_part(f"/{path}") is not None) is (PolicyReason.NOT_FOR_SEARCH in verdicts)
    assert loc_signals(loc) & SUSPICIOUS or not verdicts
