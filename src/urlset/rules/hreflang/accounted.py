"""Codes on language versions that are not rules."""

from __future__ import annotations

from urlset.rules.accounted import Accounted, How

_TESTS = "rules/test_hreflang_behaviours.py"

ACCOUNTED: tuple[Accounted, ...] = (
    Accounted(
        "H022",
        How.BEHAVIOUR,
        "versions on other hosts are allowed: no rule minds them, and none misses an entry for them",
        f"{_TESTS}::test_versions_on_other_hosts_are_nobodys_business",
    ),
    Accounted(
        "H029",
        How.BEHAVIOUR,
        "codes are compared without regard to letter case, in every rule",
        f"{_TESTS}::test_letter_case_of_codes_does_not_matter",
    ),
    Accounted(
        "H030",
        How.BEHAVIOUR,
        "links are no entries, but their bytes count towards the size of the file",
        f"{_TESTS}::test_links_count_as_bytes_and_not_as_entries",
    ),
    Accounted(
        "H032",
        How.BEHAVIOUR,
        "no rule on hreflang speaks for Bing, which hardly uses it",
        f"{_TESTS}::test_only_google_is_said_to_mind",
    ),
)
