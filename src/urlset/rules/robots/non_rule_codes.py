"""robots.txt codes that are not rules."""

from __future__ import annotations

from urlset.rules.non_rule_codes import Handling, NonRuleCode

_TESTS = "rules/test_robots_behaviours.py"
_LIVE = "workflows/check/test_live.py"

ACCOUNTED: tuple[NonRuleCode, ...] = (
    NonRuleCode(
        "R003",
        Handling.BEHAVIOUR,
        "a Sitemap line ends neither a list of user agents nor a group",
        "reading/test_robots.py::test_groups",
    ),
    NonRuleCode(
        "R013",
        Handling.BEHAVIOUR,
        "field names are case-insensitive, values are kept as written",
        f"{_TESTS}::test_case_matters_in_values_only",
    ),
    NonRuleCode(
        "R016",
        Handling.BEHAVIOUR,
        "any number of Sitemap lines is accepted",
        f"{_TESTS}::test_no_number_of_sitemap_lines_is_too_many",
    ),
    NonRuleCode(
        "R018",
        Handling.BEHAVIOUR,
        "the longest rule wins, Allow wins a tie, * and $ are supported, and paths are case-sensitive",
        "reading/test_robots_match.py::test_the_longest_rule_wins_and_a_tie_allows",
    ),
    NonRuleCode(
        "R019",
        Handling.BEHAVIOUR,
        "groups for the crawler are merged, and groups for * apply only if there is none",
        "reading/test_robots_match.py::test_the_most_specific_groups_are_merged_and_the_star_counts_last",
    ),
    NonRuleCode(
        "R020",
        Handling.BEHAVIOUR,
        "a site is scheme, host, and port: URLs that differ in one of them have different origins",
        f"{_TESTS}::test_a_site_is_scheme_host_and_port",
    ),
    NonRuleCode(
        "R025",
        Handling.BEHAVIOUR,
        "if robots.txt lists no sitemap, /sitemap.xml is tried first, then other common locations",
        f"{_LIVE}::test_where_robots_txt_names_none_the_usual_places_are_tried_in_order",
    ),
    NonRuleCode(
        "R026",
        Handling.BEHAVIOUR,
        "a noindex header on the sitemap itself is harmless and not reported",
        f"{_LIVE}::test_a_noindex_on_the_sitemap_itself_is_no_finding",
    ),
    NonRuleCode(
        "R028",
        Handling.BEHAVIOUR,
        "robots.txt is fetched once and cached for at most a day",
        f"{_LIVE}::test_robots_txt_is_asked_for_once_in_a_run",
    ),
)
