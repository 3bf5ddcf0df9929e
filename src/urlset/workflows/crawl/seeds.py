"""A site → the addresses its own sitemaps list, for a crawl that includes orphan pages."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from urlset.building.patterns import Patterns
from urlset.crawling.loop import redirect_target
from urlset.model.document import Document, Kind
from urlset.model.page import join
from urlset.reading.read import read
from urlset.web.client import Client
from urlset.workflows.live.discover import USUAL_PLACES
from urlset.writing.files import work_folder

_MOST_FILES = 2_000
_FEW_FILES = 20
"""read for a piece of advice"""
_CAP = 64 << 20
_HOPS = 5


async def unlisted(client: Client, home: str, patterns: Iterable[str]) -> set[str]:
    """Those of the patterns for --exclude that match no address of the site's own sitemaps.

    None of them where the site has too many sitemaps to look into for a piece of advice.
    """
    wanted = {pattern: Patterns((pattern,)) for pattern in patterns}
    if not wanted:
        return set()
    listed = await listed_addresses(client, home, most_files=_FEW_FILES)
    if listed is None:
        return set()
    return {pattern for pattern, compiled in wanted.items() if not any(map(compiled.find, listed))}


async def listed_addresses(client: Client, home: str, *, most_files: int | None = None) -> Sequence[str] | None:
    """In the order of the sitemaps, each file read once; what cannot be read is left out.

    None where there are more files than `most_files`; without it the first `_MOST_FILES` are read.
    """
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
            if most_files is not None and len(seen) >= most_files:
                return None
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
