"""Codes of family Q that are not rules, and why."""

from __future__ import annotations

from urlset.rules.non_rule_codes import Handling, NonRuleCode

_TESTS = "rules/test_quality_behaviours.py"

ACCOUNTED: tuple[NonRuleCode, ...] = (
    NonRuleCode(
        "Q001",
        Handling.BEHAVIOUR,
        "a page that fails, is not indexable, or is not canonical is reported by a specific rule (A001 to A014, A019, "
        "A020, A024); a summary finding would add nothing",
        "rules/live/test_live_behaviours.py::test_a_page_that_should_not_be_listed_is_told_by_some_rule",
    ),
    NonRuleCode(
        "Q004",
        Handling.BEHAVIOUR,
        "the order of URLs is not checked",
        f"{_TESTS}::test_the_order_of_addresses_changes_no_verdict",
    ),
    NonRuleCode(
        "Q006",
        Handling.NOT_DONE,
        "F009 and F010 report that Google and Bing ignore changefreq and priority, and can remove them; a third "
        "finding about the same bytes would add nothing",
    ),
    NonRuleCode(
        "Q010",
        Handling.BEHAVIOUR,
        "a small sitemap is not reported as unnecessary",
        f"{_TESTS}::test_a_small_sitemap_is_not_complained_about",
    ),
    NonRuleCode(
        "Q011",
        Handling.BEHAVIOUR,
        "Q002 measures the file including all extensions, regardless of the number of entries",
        f"{_TESTS}::test_extensions_count_towards_the_size_limit",
    ),
    NonRuleCode(
        "Q018",
        Handling.NOT_DONE,
        "the thresholds are unofficial, and Search Console no longer reports the required number",
    ),
)
