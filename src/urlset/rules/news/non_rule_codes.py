"""News codes that are not rules."""

from __future__ import annotations

from urlset.rules.non_rule_codes import Handling, NonRuleCode

ACCOUNTED: tuple[NonRuleCode, ...] = (
    NonRuleCode(
        "N017",
        Handling.BEHAVIOUR,
        "a news sitemap without articles gives no finding of this family",
        "rules/test_news_behaviours.py::test_a_news_sitemap_without_articles_is_harmless",
    ),
    NonRuleCode(
        "N021",
        Handling.BEHAVIOUR,
        "the rules on page addresses judge the pages of a news sitemap like those of any other",
        "rules/test_news_behaviours.py::test_addresses_of_articles_are_judged_like_any_other",
    ),
)
