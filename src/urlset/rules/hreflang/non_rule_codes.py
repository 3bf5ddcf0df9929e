"""Codes on language versions that are not rules."""

from __future__ import annotations

from urlset.rules.non_rule_codes import Handling, NonRuleCode

_TESTS = "rules/test_hreflang_behaviours.py"

ACCOUNTED: tuple[NonRuleCode, ...] = (
    NonRuleCode(
        "H022",
        Handling.BEHAVIOUR,
        "versions on other hosts are allowed: no rule minds them, and none misses an entry for them",
        f"{_TESTS}::test_versions_on_other_hosts_are_nobodys_business",
    ),
    NonRuleCode(
        "H029",
        Handling.BEHAVIOUR,
        "codes are compared without regard to letter case, in every rule",
        f"{_TESTS}::test_letter_case_of_codes_does_not_matter",
    ),
    NonRuleCode(
        "H030",
        Handling.BEHAVIOUR,
        "links are no entries, but their bytes count towards the size of the file",
        f"{_TESTS}::test_links_count_as_bytes_and_not_as_entries",
    ),
    NonRuleCode(
        "H032",
        Handling.BEHAVIOUR,
        "no rule on hreflang speaks for Bing, which hardly uses it",
        f"{_TESTS}::test_only_google_is_said_to_mind",
    ),
)
