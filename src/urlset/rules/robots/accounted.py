"""robots.txt codes that are not rules."""

from __future__ import annotations

from urlset.rules.accounted import Accounted, How

_TESTS = "rules/test_robots_behaviours.py"
_FETCHED = "known once robots.txt is fetched"
_ANSWER = "known once the sitemap is fetched"

ACCOUNTED: tuple[Accounted, ...] = (
    Accounted(
        "R003",
        How.BEHAVIOUR,
        "a Sitemap line ends neither a list of user agents nor a group",
        "reading/test_robots.py::test_groups",
    ),
    Accounted("R004", How.LATER, f"whether a named sitemap answers is {_ANSWER}"),
    Accounted("R005", How.LATER, "whether robots.txt forbids its own sitemap is judged once rules are matched"),
    Accounted("R007", How.LATER, f"a server error in place of robots.txt is {_FETCHED}"),
    Accounted("R008", How.LATER, f"a missing robots.txt is {_FETCHED}"),
    Accounted("R009", How.LATER, f"the redirects of robots.txt are {_FETCHED}"),
    Accounted(
        "R013",
        How.BEHAVIOUR,
        "fields are read in any letter case, values are kept as written",
        f"{_TESTS}::test_case_matters_in_values_only",
    ),
    Accounted(
        "R016",
        How.BEHAVIOUR,
        "any number of Sitemap lines is read, and none is too many",
        f"{_TESTS}::test_no_number_of_sitemap_lines_is_too_many",
    ),
    Accounted("R018", How.LATER, "matching an address against the rules comes with fetching"),
    Accounted("R019", How.LATER, "choosing the group of a user agent comes with fetching"),
    Accounted(
        "R020",
        How.BEHAVIOUR,
        "a site is its scheme, host and port: addresses that differ in one have different origins",
        f"{_TESTS}::test_a_site_is_scheme_host_and_port",
    ),
    Accounted("R021", How.LATER, f"a sitemap behind a login is {_ANSWER}"),
    Accounted("R022", How.LATER, f"how long a sitemap takes to answer is {_ANSWER}"),
    Accounted("R023", How.LATER, f"the redirects of a sitemap are {_ANSWER}"),
    Accounted("R025", How.LATER, "trying /sitemap.xml where robots.txt names nothing comes with discovery"),
    Accounted(
        "R026", How.LATER, "a noindex on the sitemap is a header of its answer; it is harmless and stays unmentioned"
    ),
    Accounted("R027", How.LATER, f"ETag and Last-Modified of a sitemap are {_ANSWER}"),
    Accounted("R028", How.LATER, "keeping robots.txt for up to a day comes with fetching"),
)
