"""Why Google does not index a page, as Search Console words it → what that means for the sitemap.

Labels are display text. They are compared folded (case, dashes, quotes, spaces), and an unknown one is kept as it is.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache

import msgspec


class Advice(StrEnum):
    """What to do about listed pages with this reason."""

    KEEP = "keep them listed"
    ADD = "list them"
    DECIDE = "decide whether they should be indexed: allow crawling, or use noindex"
    FIX_PAGE = "fix the pages"
    REMOVE = "remove them from the sitemap"
    REMOVE_OR_FIX = "fix the pages, or remove them from the sitemap"
    REMOVE_OR_OPEN = "open the pages to visitors without a login, or remove them from the sitemap"
    REMOVE_OR_UNBLOCK = "allow them in robots.txt, or remove them from the sitemap"
    REPLACE_BY_CANONICAL = "list the canonical address instead"
    REPLACE_BY_TARGET = "list the target of the redirect instead"
    IMPROVE_OR_REMOVE = "improve the pages, or remove them from the sitemap"
    WAIT_OR_STRENGTHEN = "wait, and link to them from important pages"
    WAIT_OR_CHECK_SUBMISSION = "wait, and check with `urlset engines status` that the sitemap is read"


class IndexReason(msgspec.Struct, frozen=True):
    id: str
    labels: tuple[str, ...]
    advice: Advice


REASONS: tuple[IndexReason, ...] = (
    IndexReason("submitted-and-indexed", ("Submitted and indexed", "Indexed"), Advice.KEEP),
    IndexReason("indexed-not-submitted", ("Indexed, not submitted in sitemap",), Advice.ADD),
    IndexReason("indexed-consider-submitting", ("Indexed; consider adding to a sitemap",), Advice.ADD),
    IndexReason("indexed-blocked-by-robots", ("Indexed, though blocked by robots.txt",), Advice.DECIDE),
    IndexReason("indexed-without-content", ("Page indexed without content",), Advice.FIX_PAGE),
    IndexReason("server-error", ("Server error (5xx)",), Advice.FIX_PAGE),
    IndexReason("redirect-error", ("Redirect error",), Advice.FIX_PAGE),
    IndexReason("robots-blocked", ("Blocked by robots.txt", "URL blocked by robots.txt"), Advice.REMOVE_OR_UNBLOCK),
    IndexReason(
        "noindex", ("Excluded by 'noindex' tag", "URL marked 'noindex'", 'Not Indexed by "noindex" tag'), Advice.REMOVE
    ),
    IndexReason("soft-404", ("Soft 404",), Advice.REMOVE_OR_FIX),
    IndexReason("unauthorized", ("Blocked due to unauthorized request (401)",), Advice.REMOVE_OR_OPEN),
    IndexReason("not-found", ("Not found (404)",), Advice.REMOVE),
    IndexReason("forbidden", ("Blocked due to access forbidden (403)",), Advice.REMOVE_OR_OPEN),
    IndexReason(
        "other-4xx", ("Blocked due to other 4xx issue", "URL blocked due to other 4xx issue"), Advice.REMOVE_OR_FIX
    ),
    IndexReason("removal-tool", ("Blocked by page removal tool",), Advice.REMOVE),
    IndexReason("crawled-not-indexed", ("Crawled - currently not indexed",), Advice.IMPROVE_OR_REMOVE),
    IndexReason("discovered-not-indexed", ("Discovered - currently not indexed",), Advice.WAIT_OR_STRENGTHEN),
    IndexReason("alternate-canonical", ("Alternate page with proper canonical tag",), Advice.REPLACE_BY_CANONICAL),
    IndexReason("duplicate-no-canonical", ("Duplicate without user-selected canonical",), Advice.REPLACE_BY_CANONICAL),
    IndexReason(
        "duplicate-google-chose",
        ("Duplicate, Google chose different canonical than user",),
        Advice.REPLACE_BY_CANONICAL,
    ),
    IndexReason(
        "duplicate-submitted", ("Duplicate, submitted URL not selected as canonical",), Advice.REPLACE_BY_CANONICAL
    ),
    IndexReason("redirect", ("Page with redirect",), Advice.REPLACE_BY_TARGET),
    IndexReason("unknown", ("URL is unknown to Google",), Advice.WAIT_OR_CHECK_SUBMISSION),
    IndexReason("crawl-anomaly", ("Crawl anomaly",), Advice.FIX_PAGE),
    IndexReason("submitted-404", ("Submitted URL not found (404)",), Advice.REMOVE),
    IndexReason("submitted-noindex", ('Submitted URL marked "noindex"',), Advice.REMOVE),
    IndexReason("submitted-soft404", ("Submitted URL seems to be a Soft 404",), Advice.REMOVE_OR_FIX),
    IndexReason("submitted-crawl-issue", ("Submitted URL has crawl issue",), Advice.FIX_PAGE),
    IndexReason("submitted-robots", ("Submitted URL blocked by robots.txt",), Advice.REMOVE_OR_UNBLOCK),
    IndexReason("submitted-403", ("Submitted URL returned 403",), Advice.REMOVE_OR_OPEN),
    IndexReason("submitted-4xx", ("Submitted URL blocked due to other 4xx issue",), Advice.REMOVE_OR_FIX),
    IndexReason("submitted-401", ("Submitted URL returns unauthorised request (401)",), Advice.REMOVE_OR_OPEN),
)


def reason_of(label: str) -> IndexReason | None:
    """The reason that a label names; None for one that is not known."""
    return _by_label().get(folded(label))


@cache
def _by_label() -> dict[str, IndexReason]:
    return {folded(label): reason for reason in REASONS for label in reason.labels}


def folded(label: str) -> str:
    """Without the differences that Search Console itself makes."""
    text = re.sub(r"[\u2010-\u2015]", "-", label.casefold())
    text = re.sub(r"[\u2018\u2019\u201c\u201d\"']", "", text)
    return " ".join(text.replace("alternative", "alternate").replace("unauthorised", "unauthorized").split())
