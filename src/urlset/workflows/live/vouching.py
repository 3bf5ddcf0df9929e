"""Other hosts that a sitemap lists → those whose robots.txt names that sitemap."""

from __future__ import annotations

from collections.abc import Iterable

from urlset.model.address import Address
from urlset.model.address_key import key_of
from urlset.reading.host_robots import origin_of
from urlset.workflows.live.harvest import Harvest

MAX_HOSTS = 100
"""robots.txt files of other hosts that are requested in one run"""


class Vouching:
    """Asks each host once, and only so many."""

    def __init__(self, harvest: Harvest) -> None:
        self._harvest = harvest
        self._names: dict[str, frozenset[str]] = {}
        """origin → the sitemaps its robots.txt names"""

    def sites(self, addresses: Iterable[str], sitemaps: Iterable[str]) -> frozenset[str]:
        """Sites of `addresses` that vouch for one of `sitemaps`: the file itself or an index that leads to it."""
        origins = {origin: loc for loc in addresses if (origin := origin_of(loc)) is not None}
        unknown = [origin for origin in origins if origin not in self._names][: MAX_HOSTS - len(self._names)]
        for robots in self._harvest.all_robots(f"{origin}/" for origin in unknown):
            self._names[robots.origin] = frozenset(map(key_of, robots.sitemaps))
        wanted = frozenset(map(key_of, sitemaps))
        vouching = (loc for origin, loc in origins.items() if wanted & self._names.get(origin, frozenset()))
        return frozenset(Address.parse(loc).site for loc in vouching)
