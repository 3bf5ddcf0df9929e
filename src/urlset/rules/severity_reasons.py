"""Codes whose severity is not the one word of the catalogue → why; docs/coverage.md prints them."""

from __future__ import annotations

SCHEMA = (
    "Under `xsd-strict` everything that the official schemas reject is an error, whatever it is to engines: a document "
    "is valid or it is not."
)

SEVERITY_REASONS: dict[str, str] = {
    "D018": "info for Google and warning for Bing, as the catalogue has it; with both chosen, as by default, the worse "
    "one counts",
    "R012": "warning as in the catalogue, but info for Google, whose parser reads the usual slips",
    "R015": "info instead of warning: the protocol allows a sitemap on another host, and L015 reports pages of other "
    "hosts in it",
    "S013": "info for engines, which accept any order; the catalogue's warning is for strict validation only",
}
"""rules with one severity in the catalogue and another here, or with several in both"""
