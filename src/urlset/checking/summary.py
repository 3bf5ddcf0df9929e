"""One document → the summary that rules across files use."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlset.checking.elements import means
from urlset.checking.policy import Policy, unmet
from urlset.checking.select import Suppressions
from urlset.checking.tree import DocumentSummary, newest
from urlset.model.columns import Mark
from urlset.model.document import Document
from urlset.spec import namespaces

if TYPE_CHECKING:
    from urlset.storage.paths import FilePath


_SUBJECTS = ((namespaces.NEWS, b"news"), (namespaces.VIDEO, b"video"), (namespaces.IMAGE, b"image"))


def _subjects(document: Document) -> tuple[str, ...]:
    """The media that every entry has, by the number of their tags."""
    marks, root = document.columns.marks, document.root
    if root is None or not marks or not all(mark & Mark.EXTENDED for mark in set(marks)):
        return ()
    found = []
    for namespace, local in _SUBJECTS:
        names = [
            re.escape(prefix.encode()) for prefix, uri in root.declared.items() if prefix and means(uri) == namespace
        ]
        tag = rb"<(?:%b):%b[\s/>]" % (b"|".join(names), local)
        if names and sum(1 for _ in re.finditer(tag, document.data)) >= len(marks):
            found.append(local.decode())
    return tuple(found)


def summarise(
    document: Document,
    *,
    parent: str | None = None,
    row: int | None = None,
    hash_dir: FilePath | None = None,
    policies: tuple[Policy, ...] = (),
) -> DocumentSummary:
    """One document as a leaf; its hashes are written to `hash_dir` if given."""
    index = document.kind.lists_sitemaps
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
        subjects=_subjects(document),
        unmet=unmet(policies, document.columns.locs) if policies and document.kind.lists_pages else (),
    )
