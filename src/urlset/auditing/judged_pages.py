"""A finished audit and a URL → the visit of that page, and what the rules said of it."""

from __future__ import annotations

import msgspec

from urlset.auditing.store import AuditStore
from urlset.auditing.store_rows import key_of
from urlset.model.visit import Visit

_SQL = (
    "SELECT v.visit, d.verdict FROM pages p JOIN visits v ON v.page = p.id AND v.run = ?"
    " LEFT JOIN verdicts d ON d.page = p.id WHERE p.key = ?"
)
_visit_in = msgspec.msgpack.Decoder(Visit).decode


def judged_page(store: AuditStore, url: str) -> tuple[Visit, bytes | None] | None:
    """None for a page that the last run did not look at. The verdict is as `keep_verdicts` was given it."""
    found = store.connection.execute(_SQL, (store.run, key_of(url))).fetchone()
    return None if found is None else (_visit_in(found[0]), found[1])
