"""News codes that are not rules."""

from __future__ import annotations

from urlset.rules.non_rule_codes import Handling, NonRuleCode

ACCOUNTED: tuple[NonRuleCode, ...] = (
    NonRuleCode(
        "N017",
        Handling.BEHAVIOUR,
        "a news sitemap without articles is not reported by this family",
        "rules/test_news_behaviours.py::test_a_news_sitemap_without_articles_is_harmless",
    ),
    NonRuleCode(
        "N021",
        Handling.BEHAVIOUR,
        "the URL rules check the pages of a news sitemap like any other",
        "rules/test_news_behaviours.py::test_addresses_of_articles_are_judged_like_any_other",
    ),
)
