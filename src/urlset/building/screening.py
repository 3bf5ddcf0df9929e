"""A policy → the screen that accepts rows which no check can reject, in compiled code."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from urlset.building.policy import ListingPolicy
from urlset.building.variants import SUSPICIOUS


def screen_of(module: Any, policy: ListingPolicy, now: datetime) -> Any | None:
    """`compiled_pages.Screen` for addresses of the policy's own site; None where every row needs a closer look."""
    head, below = policy.site
    if not head:
        return None
    today = (now.replace(tzinfo=UTC) if now.tzinfo is None else now.astimezone(UTC)).date().isoformat()
    return module.Screen(head.encode(), below.encode(), today.encode(), SUSPICIOUS)
