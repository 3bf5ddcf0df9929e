"""Visits → addresses to be asked that no sitemap lists: what may have to be listed instead of a page.

So an entry whose page answers is not replaced by an address that does not, as far as `MOST` goes.
"""

from __future__ import annotations

from urlset.auditing.remedy import is_extra_target
from urlset.auditing.store import AuditStore, PendingUrl, What
from urlset.model.visit import Visit

MOST = 1_000
"""in one sitting: where there are more, it is the site as a whole that lists the wrong addresses"""


class Besides:
    def __init__(self, store: AuditStore) -> None:
        self._store = store
        self._named: set[str] = set()
        self.closed = False
        """nothing more is added: requests now are second tries"""

    def __bool__(self) -> bool:
        return bool(self._named)

    def of(self, page: PendingUrl, visit: Visit) -> str | None:
        """Each address once; None if it is requested anyway."""
        if page.kind is not What.PAGE or self.closed or len(self._named) >= MOST:
            return None
        url = is_extra_target(visit)
        if url is None or url in self._named or self._store.is_chosen(url):
            return None
        self._named.add(url)
        return url
