"""Hreflang codes that are not rules."""

from __future__ import annotations

from urlset.rules.accounted import Accounted, How

_TESTS = "rules/test_hreflang_behaviours.py"

ACCOUNTED: tuple[Accounted, ...] = (
    Accounted(
        "H022",
        How.BEHAVIOUR,
        "language versions on other hosts are allowed, and a missing entry for them is not reported",
        f"{_TESTS}::test_versions_on_other_hosts_are_nobodys_business",
    ),
    Accounted(
        "H029",
        How.BEHAVIOUR,
        "all rules compare codes case-insensitively",
        f"{_TESTS}::test_letter_case_of_codes_does_not_matter",
    ),
    Accounted(
        "H030",
        How.BEHAVIOUR,
        "links do not count as entries, but their bytes count toward the file size",
        f"{_TESTS}::test_links_count_as_bytes_and_not_as_entries",
    ),
    Accounted(
        "H032",
        How.BEHAVIOUR,
        "the hreflang rules do not apply to Bing, which hardly uses hreflang",
        f"{_TESTS}::test_only_google_is_said_to_mind",
    ),
)
