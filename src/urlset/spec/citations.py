"""Citation key → the document behind it, for every source a rule or table names."""

from __future__ import annotations

from urlset.spec.citation import Citation, Reading
from urlset.spec.citations_engines import ENGINES
from urlset.spec.citations_google import GOOGLE
from urlset.spec.citations_standards import STANDARDS

__all__ = ["CATALOGUE_KEYS", "CITATIONS", "Citation", "Reading", "cited"]

CITATIONS: dict[str, Citation] = {citation.key: citation for citation in (*STANDARDS, *GOOGLE, *ENGINES)}


def cited(key: str) -> Citation:
    """The source behind a key; a rule that a package brings may cite a URL instead."""
    known = CITATIONS.get(key)
    return known or Citation(key, key, key if key.startswith("https://") else "", "", "", "", Reading.SECONDARY)


# The norm catalogue abbreviates its sources; rules written from it translate the abbreviation here.
CATALOGUE_KEYS: dict[str, str] = {
    "SM-P": "sitemaps-protocol",
    "SM-F": "sitemaps-faq",
    "XSD-U": "xsd-urlset",
    "XSD-I": "xsd-siteindex",
    "XSD-IMG": "xsd-image",
    "XSD-VID": "xsd-video",
    "XSD-NEWS": "xsd-news",
    "XSD-MOB": "xsd-mobile",
    "XSD-PM": "xsd-pagemap",
    "G-BUILD": "google-build",
    "G-LARGE": "google-large",
    "G-IMG": "google-image",
    "G-VID": "google-video",
    "G-NEWS": "google-news",
    "G-COMB": "google-combine",
    "G-OVER": "google-overview",
    "G-HREF": "google-hreflang",
    "G-CANON": "google-canonical",
    "G-META": "google-robots-meta",
    "G-NOIDX": "google-noindex",
    "G-URL": "google-url-structure",
    "G-301": "google-redirects",
    "G-TRBL": "google-troubleshoot",
    "G-BOT": "google-googlebot",
    "G-MOVE": "google-site-move",
    "G-VIDEO": "google-video-best",
    "G-ROBOTS": "google-robots",
    "G-CRAWLERS": "google-crawlers",
    "G-HTTP": "google-http",
    "G-2023": "google-2023",
    "G-2022": "google-2022",
    "G-2006": "google-2006",
    "GSC-REP": "gsc-report",
    "GSC-API": "gsc-api",
    "GSC-LIM": "gsc-limits",
    "G-IDX": "google-indexing-api",
    "B-2022": "bing-2022",
    "B-2023": "bing-2023",
    "B-2025": "bing-2025",
    "B-HELP": "bing-help",
    "B-API": "bing-api",
    "YA-SM": "yandex-sitemap",
    "YA-ERR": "yandex-errors",
    "YA-ROB": "yandex-robots",
    "YA-API": "yandex-api",
    "BD": "baidu-sitemap",
    "SZ-2007": "seznam-2007",
    "IN": "indexnow",
    "PSE-HELP": "google-pse",
    "W3CDTF": "w3c-datetime",
    "XML10": "xml10",
    "RFC1123": "rfc1123",
    "RFC3986": "rfc3986",
    "RFC9309": "rfc9309",
    "T": "xsd-tested",
    "K": "general-knowledge",
}
