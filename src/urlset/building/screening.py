"""A policy → the screen that passes rows which nothing can speak against, in compiled code.

The words are those of the tables that `variants` reads, so that a word added there is known here.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from urlset.building.policy import Policy
from urlset.spec import wild

_NAMES = frozenset().union(
    wild.SESSION_PARAMETERS,
    wild.AMBIGUOUS_SESSION_PARAMETERS,
    wild.TRACKING_PARAMETERS,
    wild.PAGE_PARAMETERS,
    wild.FACET_PARAMETERS,
    wild.RETURN_PARAMETERS,
    {"feed"},  # FEED_PARAMETER
)
_PREFIXES = (*wild.SESSION_PREFIXES, *wild.TRACKING_PREFIXES, *wild.FACET_PREFIXES)
# SITEMAP_FILE and FEED_FILE besides; what a build writes itself ends in one of these too
_ENDINGS = frozenset({*wild.ARCHIVE_ENDINGS, *wild.ASSET_ENDINGS, "xml", "txt", "gz", "rss", "atom"})


def screen_of(module: Any, policy: Policy, now: datetime) -> Any | None:
    """`compiled_pages.Screen` for addresses of the policy's own site; None where every row needs a closer look."""
    head, below = policy.site
    if not head:
        return None
    today = (now.replace(tzinfo=UTC) if now.tzinfo is None else now.astimezone(UTC)).date().isoformat()
    return module.Screen(
        head.encode(), below.encode(), today.encode(), _encoded(_NAMES), _encoded(_ENDINGS), _encoded(_PREFIXES)
    )


def _encoded(words: frozenset[str] | tuple[str, ...]) -> list[bytes]:
    return [word.encode() for word in words]
