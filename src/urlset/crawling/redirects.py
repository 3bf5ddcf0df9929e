"""A redirect that a crawl met → where the row of redirects ends."""

from __future__ import annotations

from urlset.crawling.frontier import CrawlFrontier
from urlset.crawling.normalise import address_of
from urlset.model.visit import State, Visit
from urlset.web.options import MAX_REDIRECTS


def end_of(frontier: CrawlFrontier, visit: Visit) -> str:
    """As far as it was followed; each redirect is a separate visit."""
    target = visit.final_url
    for _ in range(MAX_REDIRECTS):
        following = frontier.visit_of(address_of(target) or target)
        if following is None or following.state is not State.REDIRECTED or not following.final_url:
            break
        target = following.final_url
    return target
