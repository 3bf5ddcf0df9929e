"""A site → the addresses its own sitemaps list, for a crawl that wants to see pages nobody links to."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

from urlset.crawling.loop import redirect_target
from urlset.model.document import Document, Kind
from urlset.model.page import join
from urlset.reading.read import read
from urlset.web.client import Client
from urlset.workflows.discover import USUAL_PLACES
from urlset.writing.work_folder import work_folder

_MOST_FILES = 2_000
_CAP = 64 << 20
_HOPS = 5


async def listed_addresses(client: Client, home: str) -> Iterable[str]:
    """In the order of the sitemaps, each file read once; what cannot be read is left out."""
    found: list[str] = []
    named = (await client.robots(f"{home}/")).sitemaps
    waiting = deque(url for line in named if (url := join(f"{home}/robots.txt", line)))
    if not waiting:
        waiting.extend(home + place for place in USUAL_PLACES)
    seen: set[str] = set()
    with work_folder() as folder:
        while waiting and len(seen) < _MOST_FILES:
            url = waiting.popleft()
            if url in seen:
                continue
            seen.add(url)
            document = await _document(client, url, Path(folder) / "sitemap")
            if document is None:
                continue
            locs = list(_locs(document, url))
            if document.kind is Kind.SITEMAPINDEX:
                waiting.extend(locs)
            else:
                found.extend(locs)
            if not named and found:
                break  # the first of the usual places that holds something
    return found


async def _document(client: Client, url: str, spool: Path) -> Document | None:
    for _ in range(_HOPS):
        answer = await client.get(url, cap=_CAP, spool=spool)
        if answer.ok:
            document = read(spool, name=url, url=url)
            return (
                document if document.kind in (Kind.URLSET, Kind.SITEMAPINDEX, Kind.TEXT, Kind.RSS, Kind.ATOM) else None
            )
        target = redirect_target(answer)
        if target is None:
            return None
        url = target
    return None


def _locs(document: Document, url: str) -> Iterator[str]:
    for loc in document.columns.locs:
        if loc and (whole := join(url, loc.strip())):
            yield whole
