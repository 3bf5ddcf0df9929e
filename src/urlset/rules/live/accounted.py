"""Codes of families A (live pages) and G (submission) that are not rules, and what becomes of them."""

from __future__ import annotations

from urlset.rules.accounted import Accounted, How

_SUBMIT = {
    "G001": "Google's ping, which is dead and will not be called",
    "G002": "Bing's ping, which is dead and will not be called",
    "G003": "the protocol's ping, which no engine answers",
    "G004": "the form of an IndexNow key",
    "G005": "the IndexNow key file",
    "G006": "the reach of a key that is not at the root",
    "G007": "batches of IndexNow addresses",
    "G008": "IndexNow answers",
    "G009": "submitting only what changed",
    "G010": "IndexNow endpoints",
    "G011": "Google's absence from IndexNow",
    "G012": "submitting to Search Console",
    "G013": "the exact name of a Search Console property",
    "G014": "reading sitemap status back",
    "G015": "Search Console quotas",
    "G016": "URL inspection",
    "G017": "paging through search analytics",
    "G018": "the Indexing API's narrow purpose",
    "G019": "Bing's webmaster API",
    "G020": "how soon Bing reads a submitted sitemap",
    "G021": "not submitting an unchanged sitemap again",
    "G022": "permissions for submitting",
    "G023": "WebSub for feeds",
    "G024": "Yandex's webmaster API",
    "G025": "that submitting guarantees nothing",
}
_TESTS = "rules/live/test_live_behaviours.py"
ACCOUNTED = (
    Accounted(
        "A037",
        How.BEHAVIOUR,
        "the audit asks for robots.txt and obeys it, keeps its distance between requests, and judges by GET",
        "rules/live/test_live_manners.py::test_visits_are_polite",
    ),
    Accounted(
        "A038",
        How.BEHAVIOUR,
        "what one engine is told is not held against the others: pages are judged for each chosen engine",
        f"{_TESTS}::test_engines_are_judged_apart",
    ),
    *(Accounted(code, How.LATER, f"{what}: comes with `urlset submit`") for code, what in _SUBMIT.items()),
)
