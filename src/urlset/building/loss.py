"""The published set and the one about to replace it → how many of the published addresses would be gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from urlset.building.guard import Loss
from urlset.building.ledger import ShardRow
from urlset.building.manifest import Manifest
from urlset.building.seen import HashSet
from urlset.building.shards import INDEX_NAME
from urlset.building.staging import Staging
from urlset.model.address import Address
from urlset.model.document import Kind
from urlset.reading.read import read
from urlset.reading.tree import read_tree


def loss_of(staging: Staging, remembered: Iterable[ShardRow], removed: int) -> Loss | None:
    """None where no set is published, or nothing can be known of it.

    `remembered` are the files that the ledger knows, and `removed` counts the pages in them that did not come
    again. That is all there is to know where they are the files of the published set. They are not after a
    rollback, after a kill, or without a ledger; then the published files are read.
    """
    last = staging.last
    if last is None:
        return _compared(_foreign(staging), staging, foreign=True)
    if {(row.name, row.sha256) for row in remembered} == {(file.name, file.sha256) for file in last.shards}:
        return Loss(removed, last.entries)
    return _compared(_published(last, staging.out_dir), staging, foreign=False)


def _compared(published: Iterator[str], staging: Staging, *, foreign: bool) -> Loss | None:
    first = next(published, None)
    if first is None:
        return None
    new, old = HashSet(), HashSet()
    for file in staging.proposed().shards:
        for loc in _locs(staging.path(file.name)):
            new.add(_key(loc))
    gone = sum(new.add(key) for key in chain([first], published) if old.add(key))
    return Loss(gone, len(old), foreign)


def _published(last: Manifest, out_dir: Path) -> Iterator[str]:
    for file in last.shards:
        path = out_dir / file.name
        if path.is_file():
            yield from map(_key, _locs(path))


def _foreign(staging: Staging) -> Iterator[str]:
    """What sitemaps that the state knows nothing of list for the same site: the usual index, and what is replaced."""
    home = Address.parse(staging.base_url).origin
    for name in dict.fromkeys((INDEX_NAME, *(each.name for each in staging.proposed().entry_points))):
        entry = staging.out_dir / name
        for document in read_tree(entry) if entry.is_file() else ():
            if document.kind is not Kind.SITEMAPINDEX:
                for each in document.columns.locs:
                    address = Address.parse((each or "").strip())
                    if address.origin == home:
                        yield address.key


def _locs(path: Path) -> Iterator[str]:
    return (loc for each in read(path).columns.locs if (loc := (each or "").strip()))


def _key(loc: str) -> str:
    return Address.parse(loc).key
