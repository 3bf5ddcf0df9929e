"""A staged sitemap and a `.gz` copy beside the published one → the copy renewed, so both list the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from urlset.building.manifest import FileRole
from urlset.building.staging import Staging
from urlset.model.document import Kind
from urlset.reading.read import read
from urlset.writing.gzip import compress

_SITEMAPS = (Kind.URLSET, Kind.SITEMAPINDEX, Kind.TEXT)
_CHUNK = 1 << 20


def renew_twins(staging: Staging) -> list[str]:
    """`sitemap.xml.gz` next to `sitemap.xml`, as generators and servers leave it; gives the names that changed.

    What was a sitemap of the last set by itself, as with --gzip, is not a copy: it is removed with that set.
    """
    renewed = []
    staged = {file.name for file in staging.proposed().files}
    for file in staging.proposed().files:
        twin = f"{file.name}.gz"
        if file.role is FileRole.EXTRA or file.name.endswith(".gz") or twin in staged:
            continue
        former = staging.last.named(twin) if staging.last is not None else None
        if former is not None and former.role is not FileRole.EXTRA:
            continue
        if _is_copy(staging.out_dir / twin):
            before = staging.as_published(twin)
            added = staging.add(twin, compress(_chunks(staging.path(file.name))), role=FileRole.EXTRA)
            if before is None or before.sha256 != added.sha256:
                renewed.append(twin)
    return renewed


def _is_copy(path: Path) -> bool:
    """Whether it holds a sitemap: anything else of that name is left alone."""
    if path.is_symlink() or not path.is_file():
        return False
    try:
        document = read(path)
    except OSError:
        return False
    return document.envelope.compression == "gzip" and document.kind in _SITEMAPS


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk
