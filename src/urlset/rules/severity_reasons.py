"""Codes whose severity differs from the catalog → why; docs/coverage.md prints them."""

from __future__ import annotations

SCHEMA = (
    "With `xsd-strict`, anything the official schemas reject is an error, even if engines accept it: a document is "
    "either valid or invalid."
)

SEVERITY_REASONS: dict[str, str] = {
    "A035": "warning instead of info: an indexable page that is in no sitemap is the first thing an audit is run for",
    "A036": "warning instead of info: search engines find a page that no page links to through the sitemap alone",
    "D018": "info for Google and warning for Bing, as in the catalog; with both selected (the default), the higher "
    "severity applies",
    "R012": "warning as in the catalog, but info for Google, whose parser accepts common mistakes",
    "R015": "info instead of warning: the protocol allows a sitemap on another host, and L015 reports URLs of other "
    "hosts in it",
    "S013": "info for engines, which accept any order; the catalog's warning applies to strict validation only",
}
"""rules whose severity differs from the catalog, or that have several severities in both"""
