"""Sets to publish and a reader that follows the entry point, for the tests of publishing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from urlset.building.render import newest_of
from urlset.building.staging import PublishResult, Staging
from urlset.model.document import Kind
from urlset.model.entry import Entry
from urlset.reading.read import read
from urlset.writing.gzip import compress
from urlset.writing.urlset import write_urlset

BASE = "https://www.example.com/"

Pages = Mapping[str, Sequence[str]]
"""file → addresses below the base"""

ONE: Pages = {"sitemap.xml": ["", "a"]}
OLD: Pages = {
    "sitemap-a-1.xml": ["a1", "a2", "mover", "a4"],
    "sitemap-a-2.xml": ["a5", "swap"],
    "sitemap-b-1.xml": ["b1"],
    "sitemap-c-1.xml": ["c1"],
}
NEW: Pages = {
    "sitemap-a-1.xml": ["a1", "a2", "swap", "new1"],
    "sitemap-a-2.xml": ["a5", "mover"],
    "sitemap-b-1.xml": ["b1"],
    "sitemap-d-1.xml": ["d1", "c1"],
}

BIG_OLD: Pages = {f"sitemap-s-{shard}.xml": [f"{shard}/{page}" for page in range(150)] for shard in range(1, 9)}
BIG_NEW: Pages = {
    f"sitemap-s-{shard}.xml": [f"{shard % 9 + 1}/{page}" for page in range(shard, 150)] for shard in range(1, 10)
}


def render(entries: Iterable[Entry], *, gzip: bool = False) -> Iterator[bytes]:
    """A file by address, in chunks."""
    chunks = write_urlset(sorted(entries, key=lambda entry: entry.loc or ""))
    return compress(chunks) if gzip else chunks


def stage(staging: Staging, pages: Pages, lastmod: str | None = None, *, gzip: bool = False) -> None:
    for name, paths in pages.items():
        entries = [Entry(BASE + path, lastmod) for path in paths]
        section = name.removeprefix("sitemap").strip("-").partition("-")[0] if "-" in name else ""
        newest = newest_of(entry.lastmod for entry in entries)
        staging.add(name, render(entries, gzip=gzip), entries=len(entries), section=section, newest=newest)
    if list(pages) != ["sitemap.xml"]:
        staging.add_indexes()


def publish(out: Path, state: Path, pages: Pages, lastmod: str | None = None) -> PublishResult:
    with Staging(out, state, BASE) as staging:
        stage(staging, pages, lastmod)
        return staging.publish()


def follow(out: Path) -> Counter[str]:
    """What a crawler finds that begins at sitemap.xml; fails on anything torn or missing."""
    document = read(out / "sitemap.xml")
    assert document.troubles == ()
    if document.kind is not Kind.SITEMAPINDEX:
        assert document.kind is Kind.URLSET
        return Counter((entry.loc or "").removeprefix(BASE) for entry in document)
    found: Counter[str] = Counter()
    for child in document:
        assert child.loc is not None
        assert child.loc.startswith(BASE)
        shard = read(out / child.loc.removeprefix(BASE))
        assert shard.kind is Kind.URLSET
        assert shard.troubles == ()
        found.update((entry.loc or "").removeprefix(BASE) for entry in shard)
    return found


def listed(pages: Pages) -> Counter[str]:
    return Counter(path for paths in pages.values() for path in paths)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
