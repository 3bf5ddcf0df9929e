"""Kinds of pages that many sites do not want in their sitemap → the addresses they have, and how sure that is.

Addresses of common systems (WordPress, Drupal, Shopify, Magento and others), not norms. What an address cannot show,
such as filters, an audit learns from how pages behave, see auditing/page_kinds.py.
"""

from __future__ import annotations

from typing import NamedTuple

_START = r"^https?://[^/?#]+(?:/[^/?#]+)?"
"""a host, and one folder: a language or a blog"""
_ONE = r"/[^/?#]+(?:/page/\d+)?/?(?:[?#]|$)"
_END = r"/?(?:[?#]|$)"

TAG, AUTHOR, DATE, CATEGORY = "tag-archive", "author-archive", "date-archive", "category-archive"
SEARCH, ACCOUNT, PAGINATION, FACET = "internal-search", "cart-or-account", "pagination", "facet"


class KindSign(NamedTuple):
    kind: str
    pattern: str
    """a regular expression that is found in the address"""
    certainty: float
    evidence: str


KIND_SIGNS = (
    KindSign(PAGINATION, r"/page[/-]0*(?:[2-9]|[1-9]\d+)/?(?:[?#]|$)", 0.95, "the path ends with a page number"),
    KindSign(
        PAGINATION, r"[?&](?:page|paged|pg|seite)=0*(?:[2-9]|[1-9]\d+)(?:&|#|$)", 0.9, "a page number in the query"
    ),
    KindSign(
        SEARCH, rf"{_START}/(?:search|suche|recherche|buscar|zoeken)(?:[/?#]|$)", 0.85, "a folder for search results"
    ),
    KindSign(SEARCH, r"^https?://[^/?#]+/\?(?:.*&)?s=", 0.95, "the search of WordPress"),
    KindSign(
        ACCOUNT,
        rf"{_START}/(?:cart|basket|checkout|warenkorb|kasse|panier|my-?account|account|wishlist|log-?in|sign-?in|register)(?:[/?#]|$)",
        0.9,
        "a folder for customers",
    ),
    KindSign(TAG, rf"{_START}/(?:tags?|schlagwort|etiqueta|mot-cle|product-tag){_ONE}", 0.9, "one page below /tag/"),
    KindSign(TAG, rf"{_START}/(?:topics?|labels?){_ONE}", 0.6, "one page below /topic/"),
    KindSign(AUTHOR, rf"{_START}/(?:authors?|autor(?:en)?|auteurs?){_ONE}", 0.9, "one page below /author/"),
    KindSign(DATE, rf"{_START}/(?:19|20)\d\d/(?:0[1-9]|1[0-2])(?:/[0-3]\d)?{_END}", 0.95, "nothing but year and month"),
    KindSign(DATE, rf"{_START}/(?:19|20)\d\d{_END}", 0.6, "nothing but a year"),
    KindSign(CATEGORY, rf"{_START}/(?:category|kategorie|categorie|categoria){_ONE}", 0.8, "one page below /category/"),
)
BY_ADDRESS = tuple(dict.fromkeys(each.kind for each in KIND_SIGNS))
"""kinds that a build can leave out"""
KINDS = (TAG, AUTHOR, DATE, CATEGORY, SEARCH, ACCOUNT, PAGINATION, FACET)
