"""Codes of family G (submission) that are not rules: what urlset does, with the test that proves it."""

from __future__ import annotations

from urlset.rules.non_rule_codes import Handling, NonRuleCode

_SUBMIT = "workflows/submit/test_submit.py"
_CLIENT = "submitting/test_official_client.py::test_both_clients_send_the_same"
_RETIRED = f"{_SUBMIT}::test_retired_channels_are_explained_and_never_called"
_INDEX = "workflows/engines/test_index.py"

_DONE = (
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
        "a missing permission is reported, with the account to add",
        f"{_SUBMIT}::test_an_account_without_the_property_is_told_what_to_do",
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
ACCOUNTED = (
    *(NonRuleCode(code, Handling.BEHAVIOUR, what, test) for code, what, test in _DONE),
    NonRuleCode(
        "G023", Handling.NOT_DONE, "WebSub announces feeds, not sitemaps, and no engine documents using it for them"
    ),
)
