"""The address of a page → why the last build listed it or not, in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from urlset.building.ledger import Explanation, Ledger
from urlset.building.state_home import output_of, states_below
from urlset.workflows.build.options import LEDGER


def explain_page(state: Path, url: str) -> Iterator[str]:
    """By the state folder of one output, or by those of all outputs in it; nothing when no build knows the page.

    Raises LedgerError.
    """
    folders = [folder for folder in states_below(state) if (folder / LEDGER).exists()]
    for folder in folders:
        with Ledger.open_to_read(folder / LEDGER) as ledger:
            found = ledger.explain(url)
        if found is not None:
            if len(folders) > 1:
                yield f"{output_of(folder) or folder}:"
            yield from _describe(found)


def _describe(found: Explanation) -> Iterator[str]:
    yield f"{found.url} is {'listed' if found.listed else 'not listed'} in the build of {found.build.finished}"
    for decision in found.decisions:
        where = f", found at {decision.origin}" if decision.origin else ""
        yield f"  {decision.verdict}{f': {decision.detail}' if decision.detail else ''}{where}"
    page = found.page
    if page is None:
        return
    if page.gone is not None:
        yield f"  not in any source since build {page.gone}; previously in {page.shard}"
        return
    yield f"  in {page.shard}, first seen in build {page.first_seen}, last changed in build {page.changed}"
    if page.evidence is None:
        yield "  no lastmod: the time of its last change is unknown"
    else:
        yield f"  lastmod {page.lastmod} from {page.evidence.kind}: {page.evidence.detail or 'as given'}"
