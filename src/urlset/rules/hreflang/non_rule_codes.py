"""Hreflang codes that are not rules."""

from __future__ import annotations

from urlset.rules.non_rule_codes import Handling, NonRuleCode

_TESTS = "rules/test_hreflang_behaviours.py"

ACCOUNTED: tuple[NonRuleCode, ...] = (
    NonRuleCode(
        "H022",
        Handling.BEHAVIOUR,
        "language versions on other hosts are allowed, and a missing entry for them is not reported",
        f"{_TESTS}::test_versions_on_other_hosts_are_nobodys_business",
    ),
    NonRuleCode(
        "H029",
        Handling.BEHAVIOUR,
        "all rules compare codes case-insensitively",
        f"{_TESTS}::test_letter_case_of_codes_does_not_matter",
    ),
    NonRuleCode(
        "H030",
        Handling.BEHAVIOUR,
        "links do not count as entries, but their bytes count toward the file size",
        f"{_TESTS}::test_links_count_as_bytes_and_not_as_entries",
    ),
    NonRuleCode(
        "H032",
        Handling.BEHAVIOUR,
        "the hreflang rules do not apply to Bing, which hardly uses hreflang",
        f"{_TESTS}::test_only_google_is_said_to_mind",
    ),
)
