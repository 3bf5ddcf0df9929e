"""The address of a page → why the last build listed it or not, in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from urlset.building.ledger import Explanation, Ledger
from urlset.workflows.build_options import LEDGER


def explain_page(state: Path, url: str) -> Iterator[str]:
    """Nothing when the last build does not know it. Raises LedgerError."""
    path = state / LEDGER
    if not path.exists():
        return
    with Ledger.open_to_read(path) as ledger:
        found = ledger.explain(url)
    if found is not None:
        yield from _told(found)


def _told(found: Explanation) -> Iterator[str]:
    yield f"{found.url} is {'listed' if found.listed else 'not listed'} in the build of {found.build.finished}"
    for decision in found.decisions:
        where = f", found at {decision.origin}" if decision.origin else ""
        yield f"  {decision.verdict}{f': {decision.detail}' if decision.detail else ''}{where}"
    page = found.page
    if page is None:
        return
    if page.gone is not None:
        yield f"  no source offers it since build {page.gone}; before that it was in {page.shard}"
        return
    yield f"  in {page.shard}, first seen in build {page.first_seen}, last changed in build {page.changed}"
    if page.evidence is None:
        yield "  no lastmod: nothing is known about when it changed"
    else:
        yield f"  lastmod {page.lastmod} from {page.evidence.kind}: {page.evidence.detail or 'as given'}"
