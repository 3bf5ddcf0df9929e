"""Kinds of pages that many sites do not want in their sitemap → the addresses they have, and how sure that is.

Addresses of common systems (WordPress, Drupal, Shopify, Magento and others), not norms. What an address cannot show,
such as filters, an audit learns from how pages behave, see auditing/page_kinds.py.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from urlset.spec.lazy_pattern import lazy_pattern

_START = r"^https?://[^/?#]+(?:/[^/?#]+)?"
"""a host, and one folder: a language or a blog"""
_ONE = r"/[^/?#]+(?:/page/\d+)?/?(?:[?#]|$)"
_END = r"/?(?:[?#]|$)"

TAG, AUTHOR, DATE, CATEGORY = "tag-archive", "author-archive", "date-archive", "category-archive"
EXPIRED_PRODUCT, PAST_EVENT = "expired-product", "past-event"
SEARCH, ACCOUNT, PAGINATION, FACET = "internal-search", "cart-or-account", "pagination", "facet"


class KindSign(NamedTuple):
    kind: str
    words: str
    """a short expression that every such address contains: most addresses contain none, and need no closer look"""
    rest: str
    """what follows the words"""
    certainty: float
    evidence: str
    start: str = _START

    @property
    def pattern(self) -> str:
        """Found in the whole address."""
        return f"{self.start}{self.words}{self.rest}"


_SEARCH = "/(?:search|suche|recherche|buscar|zoeken)"
_CUSTOMER = "/(?:cart|basket|checkout|warenkorb|kasse|panier|my-?account|account|wishlist|log-?in|sign-?in|register)"
_TAG, _AUTHOR = "/(?:tags?|schlagwort|etiqueta|mot-cle|product-tag)", "/(?:authors?|autor(?:en)?|auteurs?)"
_NUMBER = r"0*(?:[2-9]|[1-9]\d+)"

KIND_SIGNS = (
    KindSign(PAGINATION, "/page[/-]", rf"{_NUMBER}{_END}", 0.95, "the path ends with a page number", start=""),
    KindSign(
        PAGINATION, "[?&](?:page|paged|pg|seite)=", rf"{_NUMBER}(?:&|#|$)", 0.9, "page number in the query", start=""
    ),
    KindSign(SEARCH, _SEARCH, "(?:[/?#]|$)", 0.85, "a folder for search results"),
    KindSign(SEARCH, r"/\?(?:.*&)?s=", "", 0.95, "the search of WordPress", start="^https?://[^/?#]+"),
    KindSign(ACCOUNT, _CUSTOMER, "(?:[/?#]|$)", 0.9, "a folder for customers"),
    KindSign(TAG, _TAG, _ONE, 0.9, "one page below /tag/"),
    KindSign(TAG, "/(?:topics?|labels?)", _ONE, 0.6, "one page below /topic/"),
    KindSign(AUTHOR, _AUTHOR, _ONE, 0.9, "one page below /author/"),
    KindSign(DATE, r"/(?:19|20)\d\d/", rf"(?:0[1-9]|1[0-2])(?:/[0-3]\d)?{_END}", 0.95, "nothing but year and month"),
    KindSign(DATE, r"/(?:19|20)\d\d", _END, 0.6, "nothing but a year"),
    KindSign(CATEGORY, "/(?:category|kategorie|categorie|categoria)", _ONE, 0.8, "one page below /category/"),
)
BY_ADDRESS = tuple(dict.fromkeys(each.kind for each in KIND_SIGNS))
"""kinds that show in the address"""
BY_CONTENT = (EXPIRED_PRODUCT, PAST_EVENT)
"""kinds that the page itself shows, see model/page.py"""
KINDS = (TAG, AUTHOR, DATE, CATEGORY, SEARCH, ACCOUNT, PAGINATION, FACET, *BY_CONTENT)

GONE_FOR_GOOD = lazy_pattern(
    r"\b(?:"
    r"(?:this|the|your) (?:product|item|article|model)\b[^.!?]{0,40}"
    r"\b(?:no longer (?:available|sold|produced|offered)|discontinued)"
    r"|(?:dieses?r?|der|das) (?:produkt|artikel|modell)\b[^.!?]{0,40}\bnicht mehr (?:verfügbar|lieferbar|erhältlich)"
    r"|(?:ce produit|cet article) n['\u2019]est plus (?:disponible|commercialisé)"
    r"|este (?:producto|artículo) ya no está disponible"
    r"|dit (?:product|artikel) is niet meer (?:leverbaar|verkrijgbaar|beschikbaar)"
    r"|questo (?:prodotto|articolo) non è più disponibile"
    r")(?=\s*(?:[.!:]|$))",
    re.IGNORECASE,
)
"""a sentence that ends there: "no longer available in red" says something else"""
GONE_WORDS = ("no longer", "discontinued", "nicht mehr", "est plus", "ya no est", "niet meer", "più disponibile")
"""one of them is in every such sentence, in lowercase"""
