"""A finished audit and a URL → the visit of that page, and what the rules said of it."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from urlset.auditing.store import AuditedUrl, AuditStore, ListedUrl, What
from urlset.auditing.store_rows import key_of
from urlset.model.visit import Visit

_SQL = (
    "SELECT v.visit, d.verdict FROM pages p JOIN visits v ON v.page = p.id AND v.run = ?"
    " LEFT JOIN verdicts d ON d.page = p.id WHERE p.key = ?"
)
_LISTED_SQL = (
    "SELECT p.id, p.url, s.name, p.row, p.lastmod, v.visit, p.chosen, d.verdict, p.kind"
    " FROM pages p JOIN sources s ON s.id = p.source LEFT JOIN visits v ON v.page = p.id AND v.run = p.run"
    " LEFT JOIN verdicts d ON d.page = p.id WHERE p.run = ? AND p.key IN (?, ?) ORDER BY p.kind"
)
_visit_in = msgspec.msgpack.Decoder(Visit).decode


class JudgedPage(NamedTuple):
    audited: AuditedUrl
    is_listed: bool
    """False for a page that was only requested because a listed one names it"""


def judged_page(store: AuditStore, url: str) -> tuple[Visit, bytes | None] | None:
    """None for a page that the last run did not look at. The verdict is as `keep_verdicts` was given it."""
    found = store.connection.execute(_SQL, (store.run, key_of(url))).fetchone()
    return None if found is None else (_visit_in(found[0]), found[1])


def listed_page(store: AuditStore, url: str) -> JudgedPage | None:
    """None for an address that the last run does not know."""
    keys = key_of(url), key_of(url, What.BESIDES)
    found = store.connection.execute(_LISTED_SQL, (store.run, *keys)).fetchone()
    if found is None:
        return None
    page, listed, source, row, lastmod, visit, chosen, verdict, kind = found
    seen = None if visit is None else _visit_in(visit)
    url_row = ListedUrl(listed, source, row, lastmod)
    return JudgedPage(AuditedUrl(page, url_row, seen, None, bool(chosen), verdict), kind == What.PAGE)
