"""robots.txt codes that are not rules."""

from __future__ import annotations

from urlset.rules.non_rule_codes import Handling, NonRuleCode

_TESTS = "rules/test_robots_behaviours.py"
_LIVE = "workflows/test_check_live.py"

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
        "fields are read in any letter case, values are kept as written",
        f"{_TESTS}::test_case_matters_in_values_only",
    ),
    NonRuleCode(
        "R016",
        Handling.BEHAVIOUR,
        "any number of Sitemap lines is read, and none is too many",
        f"{_TESTS}::test_no_number_of_sitemap_lines_is_too_many",
    ),
    NonRuleCode(
        "R018",
        Handling.BEHAVIOUR,
        "the longest rule wins, allow wins a tie, * and $ mean what they mean, paths are compared by case",
        "reading/test_robots_match.py::test_the_longest_rule_wins_and_a_tie_allows",
    ),
    NonRuleCode(
        "R019",
        Handling.BEHAVIOUR,
        "groups that name the crawler are merged, those for * count only where none does",
        "reading/test_robots_match.py::test_the_most_specific_groups_are_merged_and_the_star_counts_last",
    ),
    NonRuleCode(
        "R020",
        Handling.BEHAVIOUR,
        "a site is its scheme, host and port: addresses that differ in one have different origins",
        f"{_TESTS}::test_a_site_is_scheme_host_and_port",
    ),
    NonRuleCode(
        "R025",
        Handling.BEHAVIOUR,
        "where robots.txt names no sitemap, /sitemap.xml is tried first, then other usual places",
        f"{_LIVE}::test_where_robots_txt_names_none_the_usual_places_are_tried_in_order",
    ),
    NonRuleCode(
        "R026",
        Handling.BEHAVIOUR,
        "a noindex header on the sitemap itself is harmless and stays unmentioned",
        f"{_LIVE}::test_a_noindex_on_the_sitemap_itself_is_no_finding",
    ),
    NonRuleCode(
        "R028",
        Handling.BEHAVIOUR,
        "robots.txt is asked for once, and kept for a day at most",
        f"{_LIVE}::test_robots_txt_is_asked_for_once_in_a_run",
    ),
)
