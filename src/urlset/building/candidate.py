"""What flows through a build: a page on offer, the evidence for its date, and what was decided."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from urlset.model.entry import Entry
from urlset.model.page import Lifetime


class EvidenceKind(StrEnum):
    """Where a date can come from; the order of trust is a setting."""

    GIVEN = "given"
    """the source itself says so: a column, a feed, an older sitemap"""
    PAGE = "page"
    """the page says so: dateModified, article:modified_time, <time>"""
    GIT = "git"
    """the last commit that changed the page or its source"""
    OBSERVED = "observed"
    """we saw the page change between two builds"""
    HTTP = "http"
    """the Last-Modified header"""


class Evidence(msgspec.Struct, frozen=True):
    """One reason to believe in a date; `lastmod` is a legal W3C datetime."""

    kind: EvidenceKind
    lastmod: str
    detail: str = ""
    """such as "JSON-LD dateModified" or the commit"""


class Candidate(msgspec.Struct, frozen=True):
    """A page that a source offers, with all that is known about it."""

    entry: Entry
    """loc is absolute; lastmod is set only when the source gave one"""
    origin: str
    """where it was found: `blog/post.html`, `urls.csv:12`"""
    canonical: str | None = None
    """absolute; None when the page names none"""
    directives: tuple[str, ...] = ()
    """robots directives for everyone, lowercase: `noindex`, `none`, …"""
    redirects_to: str | None = None
    title: str | None = None
    language: str | None = None
    section: str | None = None
    evidence: tuple[Evidence, ...] = ()
    blocks: tuple[int, ...] | None = None
    """64-bit hashes of what the page says, see `reading.fingerprint`; None when the content was not seen"""
    source: tuple[str, str] | None = None
    """the folder of the sources, and the file in it that the page was made from"""
    is_source_dated: bool = False
    """whether its git evidence dates that file"""
    is_page: bool = True
    """False for an asset such as an image or a style sheet"""
    error: str | None = None
    """why there is no page to list: `404 Not Found`, or the signs of an error page that is sent as a page"""
    not_indexable: str | None = None
    """why the source says it is not indexable: `Canonicalised`, `301 Moved Permanently`"""
    thin: str | None = None
    """the signs that it offers almost no unique content"""
    endless: str | None = None
    """why it is one of endlessly many, where a crawl saw that"""
    lifetime: Lifetime | None = None
    """what it says about the life of its product or event"""
    disallowed: str | None = None
    """the line of robots.txt that forbids it, where the source knows and the build was given no robots.txt"""
    is_crawled: bool = False
    """the source is a crawler's and says how the page answered"""
    is_linked: bool = True
    """False where that crawler met no link to it"""

    @property
    def loc(self) -> str:
        return self.entry.loc or ""


class PolicyReason(StrEnum):
    """Why a page is in or out."""

    LISTED = "listed"
    NOT_CANONICAL = "not-canonical"
    NOINDEX = "noindex"
    DISALLOWED = "disallowed"
    OTHER_HOST = "other-host"
    REDIRECT = "redirect"
    ERROR_PAGE = "error-page"
    NOT_INDEXABLE = "not-indexable"
    """by what the export of a crawler says"""
    THIN = "thin"
    PAGINATED = "paginated"
    FACET = "facet"
    SESSION = "session"
    TRACKING = "tracking"
    RETURN_ADDRESS = "return-address"
    """a login or the like that only says where to go afterwards; the page without that is another"""
    NOT_FOR_SEARCH = "not-for-search"
    """a cart, a checkout, a login or a search result: what rule Q007 advises against"""
    ENDLESS = "endless"
    """visited by a crawl before it saw that such addresses have no end"""
    ASSET = "asset"
    EXCLUDED = "excluded"
    NOT_INCLUDED = "not-included"
    DUPLICATE = "duplicate"
    BAD_ADDRESS = "bad-address"
    OWN_OUTPUT = "own-output"


class Decision(msgspec.Struct, frozen=True):
    """What became of one candidate."""

    loc: str
    verdict: PolicyReason
    detail: str = ""
    """the value that decided: the canonical, the rule of robots.txt, the pattern"""
    origin: str = ""


class RowTrouble(msgspec.Struct, frozen=True, omit_defaults=True):
    """A row or file of a source that could not be used."""

    origin: str
    reason: str
    is_note: bool = False
    """skipped on purpose, which is not an error of the source and does not stop a strict build"""


TAGS_OF_RULES = {"H": b"xhtml:", "M": b"image:", "N": b"news:", "V": b"video:"}
"""what rules of a check are about, by the first letter of their codes"""


class EntryFault(msgspec.Struct, frozen=True):
    """An error that would have been published, and what became of it."""

    loc: str
    reason: str


class Corrected(msgspec.Struct, frozen=True):
    """A file without the errors of its entries."""

    data: bytes
    faults: tuple[EntryFault, ...] = ()
    """the first ones"""
    count: int = 0
