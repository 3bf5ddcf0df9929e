"""Codes of family Q that are not rules, and why."""

from __future__ import annotations

from urlset.rules.non_rule_codes import Handling, NonRuleCode

_TESTS = "rules/test_quality_behaviours.py"

ACCOUNTED: tuple[NonRuleCode, ...] = (
    NonRuleCode(
        "Q001",
        Handling.BEHAVIOUR,
        "a page that does not answer, may not be indexed or is not canonical is told by the rule on just that (A001 to "
        "A014, A019, A020, A024); a finding that sums them up would tell nothing new",
        "rules/live/test_live_behaviours.py::test_a_page_that_should_not_be_listed_is_told_by_some_rule",
    ),
    NonRuleCode(
        "Q004",
        Handling.BEHAVIOUR,
        "no rule minds the order in which addresses are listed",
        f"{_TESTS}::test_the_order_of_addresses_changes_no_verdict",
    ),
    NonRuleCode(
        "Q006",
        Handling.NOT_DONE,
        "F009 and F010 already say that Google and Bing ignore changefreq and priority, and take them out on "
        "request; a third finding about the same bytes would tell nothing new",
    ),
    NonRuleCode("Q008", Handling.LATER, "needs earlier copies of the sitemaps: comparison of snapshots"),
    NonRuleCode(
        "Q010",
        Handling.BEHAVIOUR,
        "a small sitemap is not complained about, and nobody is told that a small site could do without",
        f"{_TESTS}::test_a_small_sitemap_is_not_complained_about",
    ),
    NonRuleCode(
        "Q011",
        Handling.BEHAVIOUR,
        "Q002 weighs the file with all that extensions add, however few the entries",
        f"{_TESTS}::test_extensions_count_towards_the_size_limit",
    ),
    NonRuleCode("Q015", Handling.LATER, "needs earlier copies of the sitemaps: comparison of snapshots"),
    NonRuleCode(
        "Q018",
        Handling.NOT_DONE,
        "the thresholds are lore and the number they need is no longer given by Search Console's interface",
    ),
    NonRuleCode(
        "Q019", Handling.LATER, "how often a sitemap is made anew shows only over time: comparison of snapshots"
    ),
    NonRuleCode(
        "Q020",
        Handling.LATER,
        "whether a change was significant shows only when copies of the page are compared: the live audit",
    ),
)
