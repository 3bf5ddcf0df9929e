"""Codes of the catalog that are not rules, and severities that differ from it; docs/coverage.md lists both."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from urlset.rules.catalogue import own_rules

FAMILIES = {
    "X": "XML, encoding, compression, safety",
    "S": "structure, formats, namespaces",
    "L": "page URLs",
    "D": "lastmod and dates",
    "F": "changefreq and priority",
    "I": "sitemap indexes",
    "M": "images",
    "V": "videos",
    "N": "news",
    "H": "alternate languages",
    "R": "robots.txt",
    "Q": "quality",
    "A": "live pages",
    "G": "submission",
    "P": "your own policy",
}


class Handling(StrEnum):
    BEHAVIOUR = "behaviour"
    """the tool does this, or deliberately does not, and a test proves it"""
    LATER = "later"
    """needs live pages, an account, or history; planned with that feature"""
    NOT_DONE = "not done"


class NonRuleCode(msgspec.Struct, frozen=True):
    """One code and its status."""

    code: str
    how: Handling
    what: str
    """what the tool does, or why it does not"""
    test: str | None = None
    """for a behavior: the test that proves it, as file::name below tests/"""


_SUBMIT = "workflows/submit/test_submit.py"
_CLIENT = "submitting/test_official_client.py::test_both_clients_send_the_same"
_RETIRED = f"{_SUBMIT}::test_retired_channels_are_explained_and_never_called"
_INDEX = "workflows/engines/test_index.py"
_SUBMISSION = (
    ("G001", "Google's ping is never called; requesting it explains the alternatives", _RETIRED),
    ("G002", "Bing's ping is never called; requesting it explains the alternatives", _RETIRED),
    ("G003", "the protocol's ping is never called", _RETIRED),
    (
        "G004",
        "an invalid IndexNow key is rejected before anything is sent; a new one has 32 hex digits",
        f"{_SUBMIT}::test_a_bad_key_is_refused_before_anything_is_sent",
    ),
    (
        "G005",
        "the IndexNow key file is verified in place before the first submission",
        f"{_SUBMIT}::test_a_key_file_that_is_not_in_place_stops_indexnow",
    ),
    (
        "G006",
        "URLs outside the folder of the key file are rejected",
        f"{_SUBMIT}::test_a_key_file_below_the_root_counts_for_its_folder_only",
    ),
    (
        "G007",
        "IndexNow batches have at most 10,000 URLs of one host",
        f"{_SUBMIT}::test_all_sends_the_whole_set_in_batches_of_ten_thousand",
    ),
    ("G008", "each IndexNow status becomes a receipt in plain words", f"{_SUBMIT}::test_indexnow_answers"),
    (
        "G009",
        "only URLs added, changed, or removed since the last accepted submission are sent",
        f"{_SUBMIT}::test_the_first_run_sends_no_url_and_later_runs_send_proven_changes",
    ),
    (
        "G010",
        "one IndexNow endpoint is used, because it shares with the others",
        f"{_SUBMIT}::test_the_first_run_sends_no_url_and_later_runs_send_proven_changes",
    ),
    (
        "G011",
        "IndexNow and Google are separate channels with separate receipts",
        f"{_SUBMIT}::test_a_dry_run_prints_what_would_be_sent_and_changes_nothing",
    ),
    ("G012", "sitemaps are submitted to Search Console as Google's own client does", _CLIENT),
    (
        "G013",
        "the most specific verified property is used, by its exact name",
        "submitting/test_properties.py::test_a_property_is_named_exactly",
    ),
    ("G014", "the sitemap report is read back; the obsolete count of indexed pages is not used", _CLIENT),
    (
        "G015",
        "inspections stay within the daily quota of each property and continue the next day",
        f"{_INDEX}::test_the_quota_ends_a_run_and_the_next_day_goes_on",
    ),
    ("G016", "URL inspection is the source of index states", _CLIENT),
    ("G017", "search analytics is read in pages of 25,000 rows", _CLIENT),
    ("G018", "the Indexing API is never called; requesting it explains why", _RETIRED),
    (
        "G019",
        "feeds and URL batches go to Bing within its quota",
        f"{_SUBMIT}::test_bing_gets_urls_within_its_quota_and_the_rest_later",
    ),
    (
        "G020",
        "the time an engine last read a sitemap is shown and checked",
        "workflows/engines/test_status.py::test_all_three_engines_are_asked",
    ),
    (
        "G021",
        "an unchanged sitemap is not submitted again",
        f"{_SUBMIT}::test_sitemaps_are_submitted_once_per_change",
    ),
    (
        "G022",
        "a missing permission is reported, with the properties that the account can use",
        f"{_SUBMIT}::test_without_a_property_for_the_sitemap_nothing_is_sent",
    ),
    (
        "G024",
        "sitemaps are added to Yandex and its report is read back",
        "workflows/engines/test_status.py::test_all_three_engines_are_asked",
    ),
    (
        "G025",
        "the indexed share is estimated from Google's data, never from submitted counts",
        f"{_INDEX}::test_every_section_has_its_share_and_interval",
    ),
)
"""family G: what urlset does, with the test that proves it"""
NON_RULE_CODES: tuple[NonRuleCode, ...] = (
    NonRuleCode(
        "X026",
        Handling.BEHAVIOUR,
        "CDATA is read as text in all values and not reported",
        "rules/test_xml_behaviours.py::test_cdata_is_no_finding",
    ),
    NonRuleCode(
        "D011",
        Handling.BEHAVIOUR,
        "fractional seconds with any number of digits are accepted",
        "rules/test_lastmod.py::test_fractions_of_a_second_are_no_fault",
    ),
    NonRuleCode(
        "D027",
        Handling.BEHAVIOUR,
        "a date without a time covers the whole day in all comparisons",
        "rules/test_lastmod.py::test_a_date_covers_its_whole_day",
    ),
    NonRuleCode(
        "F007",
        Handling.BEHAVIOUR,
        "all decimal notations the schema accepts, such as .5, +0.5, 1, and 1.00, pass",
        "rules/test_hints.py::test_every_spelling_of_a_decimal_passes",
    ),
    NonRuleCode(
        "F011",
        Handling.BEHAVIOUR,
        "changefreq and priority are not reported as ignored for Yandex, which documents both",
        "rules/test_hints.py::test_hints_are_not_called_useless_for_yandex",
    ),
    NonRuleCode(
        "I019", Handling.LATER, "the number of indexes in a Search Console property is only visible in the account"
    ),
    NonRuleCode(
        "I025",
        Handling.BEHAVIOUR,
        "elements of other namespaces inside <sitemap> are valid in the schema and not reported by this family",
        "rules/test_index.py::test_other_namespaces_are_welcome_in_a_child",
    ),
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
    NonRuleCode(
        "H022",
        Handling.BEHAVIOUR,
        "language versions on other hosts are allowed, and a missing entry for them is not reported",
        "rules/test_hreflang_behaviours.py::test_versions_on_other_hosts_are_nobodys_business",
    ),
    NonRuleCode(
        "H029",
        Handling.BEHAVIOUR,
        "all rules compare codes case-insensitively",
        "rules/test_hreflang_behaviours.py::test_letter_case_of_codes_does_not_matter",
    ),
    NonRuleCode(
        "H030",
        Handling.BEHAVIOUR,
        "links do not count as entries, but their bytes count toward the file size",
        "rules/test_hreflang_behaviours.py::test_links_count_as_bytes_and_not_as_entries",
    ),
    NonRuleCode(
        "H032",
        Handling.BEHAVIOUR,
        "the hreflang rules do not apply to Bing, which hardly uses hreflang",
        "rules/test_hreflang_behaviours.py::test_only_google_is_said_to_mind",
    ),
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
        "rules/test_robots_behaviours.py::test_case_matters_in_values_only",
    ),
    NonRuleCode(
        "R016",
        Handling.BEHAVIOUR,
        "any number of Sitemap lines is accepted",
        "rules/test_robots_behaviours.py::test_no_number_of_sitemap_lines_is_too_many",
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
        "rules/test_robots_behaviours.py::test_a_site_is_scheme_host_and_port",
    ),
    NonRuleCode(
        "R025",
        Handling.BEHAVIOUR,
        "if robots.txt lists no sitemap, /sitemap.xml is tried first, then other common locations",
        "workflows/check/test_live.py::test_where_robots_txt_names_none_the_usual_places_are_tried_in_order",
    ),
    NonRuleCode(
        "R026",
        Handling.BEHAVIOUR,
        "a noindex header on the sitemap itself is harmless and not reported",
        "workflows/check/test_live.py::test_a_noindex_on_the_sitemap_itself_is_no_finding",
    ),
    NonRuleCode(
        "R028",
        Handling.BEHAVIOUR,
        "robots.txt is fetched once and cached for at most a day",
        "workflows/check/test_live.py::test_robots_txt_is_asked_for_once_in_a_run",
    ),
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
        "rules/test_quality_behaviours.py::test_the_order_of_addresses_changes_no_verdict",
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
        "rules/test_quality_behaviours.py::test_a_small_sitemap_is_not_complained_about",
    ),
    NonRuleCode(
        "Q011",
        Handling.BEHAVIOUR,
        "Q002 measures the file including all extensions, regardless of the number of entries",
        "rules/test_quality_behaviours.py::test_extensions_count_towards_the_size_limit",
    ),
    NonRuleCode(
        "Q018",
        Handling.NOT_DONE,
        "the thresholds are unofficial, and Search Console no longer reports the required number",
    ),
    NonRuleCode(
        "A037",
        Handling.BEHAVIOUR,
        "the audit fetches and obeys robots.txt, rate-limits its requests, and judges by GET",
        "rules/live/test_live_manners.py::test_visits_are_polite",
    ),
    NonRuleCode(
        "A038",
        Handling.BEHAVIOUR,
        "directives for one engine do not affect the others: pages are judged for each selected engine",
        "rules/live/test_live_behaviours.py::test_engines_are_judged_apart",
    ),
    *(NonRuleCode(code, Handling.BEHAVIOUR, what, test) for code, what, test in _SUBMISSION),
    NonRuleCode(
        "G023", Handling.NOT_DONE, "WebSub announces feeds, not sitemaps, and no engine documents using it for them"
    ),
)
SCHEMA = (
    "With `xsd-strict`, anything the official schemas reject is an error, even if engines accept it: a document is "
    "either valid or invalid."
)

SEVERITY_REASONS: dict[str, str] = {
    "A035": "warning instead of info: an indexable page that is in no sitemap is the first thing an audit is run for",
    "A036": "warning instead of info: search engines find a page that no page links to through the sitemap alone",
    "D018": "info for Google and warning for Bing, as in the catalog; with both selected (the default), the higher "
    "severity applies",
    "Q007": "warning instead of info: carts, logins, and search results take crawls from the pages that matter",
    "R012": "warning as in the catalog, but info for Google, whose parser accepts common mistakes",
    "R015": "info instead of warning: the protocol allows a sitemap on another host, and L015 reports URLs of other "
    "hosts in it",
    "S013": "info for engines, which accept any order; the catalog's warning applies to strict validation only",
}
"""rules whose severity differs from the catalog, or that have several severities in both"""


def catalogue_codes() -> tuple[str, ...]:
    """All codes, by family: those of rules and those that are not rules. A code is never reused."""
    order = list(FAMILIES)
    codes = [rule.code for rule in own_rules()] + [item.code for item in NON_RULE_CODES]
    return tuple(sorted(codes, key=lambda code: (order.index(code[0]), code)))
