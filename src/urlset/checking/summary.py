"""One document → the leaf that rules across files use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlset.checking.policy import Policy, unmet
from urlset.checking.suppress import Suppressions
from urlset.checking.tree import DocumentSummary, newest
from urlset.model.document import Document, Kind

if TYPE_CHECKING:
    from urlset.storage.paths import FilePath


def summarise(
    document: Document,
    *,
    parent: str | None = None,
    row: int | None = None,
    hash_dir: FilePath | None = None,
    policies: tuple[Policy, ...] = (),
) -> DocumentSummary:
    """One document as a leaf; its hashes are written to `hash_dir` if given."""
    index = document.kind is Kind.SITEMAPINDEX
    hashes = None
    silences = Suppressions(document)
    if hash_dir is not None and document.kind.lists_pages:
        from urlset.checking.shared_urls import write_hashes  # one file does not need it

        write_hashes(hash_dir, document.columns.locs)
        hashes = str(hash_dir)
    return DocumentSummary(
        source=document.name,
        url=document.url,
        kind=document.kind,
        entries=len(document),
        newest=newest(document.columns.lastmods),
        parent=parent,
        row=row,
        hashes=hashes,
        listed=tuple((loc or "").strip() for loc in document.columns.locs) if index else (),
        lastmods=tuple(document.columns.lastmods) if index else (),
        silenced=silences.in_file,
        silenced_rows=silences.in_rows,
        unmet=unmet(policies, document.columns.locs) if policies and document.kind.lists_pages else (),
    )
