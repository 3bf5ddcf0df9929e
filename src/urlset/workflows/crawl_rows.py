"""The pages of a crawl → rows for people and programs: JSON Lines or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import msgspec

from urlset.crawling.found import Fate, Row, TrapKind
from urlset.crawling.frontier import Frontier
from urlset.model.page import NOINDEX, join
from urlset.model.visit import State, Visit

_FATES = {
    Fate.ASK: "not asked yet",
    Fate.FORBIDDEN: "forbidden by robots.txt",
    Fate.NO_RULES: "robots.txt could not be read",
    Fate.FILE: "no page by its name",
    Fate.EXCLUDED: "excluded",
    Fate.OUTSIDE: "not below the prefix",
    Fate.TRAPPED: "looks endless",
}


class CrawlRow(msgspec.Struct, frozen=True, kw_only=True):
    """One address; None where it does not apply."""

    url: str
    state: str
    """ok, redirected, gone, error, blocked, unknown; `not asked` for an address that was not fetched"""
    reason: str
    status: int | None = None
    depth: int
    via: str
    found_on: str | None = None
    redirects_to: str | None = None
    canonical: str | None = None
    indexable: bool | None = None
    """answers with something, and sends no search engine away or to another address"""
    title: str | None = None
    language: str | None = None
    media_type: str | None = None
    size: int | None = None
    seconds: float | None = None
    last_modified: str | None = None


def crawl_rows(frontier: Frontier) -> Iterator[CrawlRow]:
    """In the order of discovery; addresses named only by nofollow links last."""
    for row in frontier.rows():
        yield _row(row)
    for url, source in frontier.only_unfollowed():
        yield CrawlRow(url=url, state="not asked", reason="only nofollow links", depth=-1, via="link", found_on=source)


def _row(row: Row) -> CrawlRow:
    visit = row.visit
    if visit is None:
        reason = _FATES[row.fate]
        if row.trap is not None:
            reason = f"{reason}: {TrapKind(msgspec.json.decode(row.trap)['kind']).value}"
        return CrawlRow(
            url=row.url, state="not asked", reason=reason, depth=row.depth, via=row.via.shown, found_on=row.found_on
        )
    canonical = canonical_of(visit)
    return CrawlRow(
        url=row.url,
        state=visit.state.value,
        reason=visit.reason,
        status=visit.status,
        depth=row.depth,
        via=row.via.shown,
        found_on=row.found_on,
        redirects_to=visit.final_url if visit.state is State.REDIRECTED else None,
        canonical=canonical,
        indexable=is_indexable(visit) and canonical in (None, row.url),
        title=visit.title,
        language=visit.language,
        media_type=visit.media_type,
        size=visit.size,
        seconds=round(visit.seconds, 3),
        last_modified=visit.last_modified,
    )


def canonical_of(visit: Visit) -> str | None:
    """The canonical address, absolute, from the head of the page or else from a Link header."""
    written = next((each.href for each in visit.canonicals if each.in_head), None)
    url = visit.final_url or visit.url
    if written is not None:
        base = join(url, visit.base_href) if visit.base_href else url
        found = join(base or url, written)
    else:
        found = join(url, visit.link_canonicals[0]) if visit.link_canonicals else None
    return found.partition("#")[0] if found else None


def is_indexable(visit: Visit) -> bool:
    there = visit.state is State.OK and visit.size > 0 and visit.refresh is None
    return there and NOINDEX.isdisjoint(visit.told())


def as_json_lines(rows: Iterator[CrawlRow]) -> Iterator[bytes]:
    encode = msgspec.json.Encoder().encode
    for row in rows:
        yield encode(row) + b"\n"


def as_csv(rows: Iterator[CrawlRow]) -> Iterator[bytes]:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(CrawlRow.__struct_fields__)
    for row in rows:
        writer.writerow([_cell(value) for value in msgspec.structs.astuple(row)])
        if buffer.tell() > 1 << 16:
            yield buffer.getvalue().encode()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode()


def _cell(value: object) -> object:
    """A cell that begins like a formula would be run by a spreadsheet."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return value
