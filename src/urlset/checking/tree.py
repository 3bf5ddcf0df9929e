"""Many documents → the facts that rules across files need, in bounded memory.

Each document is reduced to a Leaf as soon as it is read. The hashes of its URLs go to disk, partitioned by their last
bits, to find duplicates one part at a time.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path

import msgspec

from urlset.checking.context import Context
from urlset.model.document import Kind
from urlset.model.moment import Moment
from urlset.reading.scanner import is_compiled

PARTS = 64
"""10 million URLs: 160,000 per part, about 20 MB in memory"""
AT_ONCE = 4 << 20
"""bytes of hashes up to which one pass is enough: thousands of small files are not opened once per part"""


class DocumentSummary(msgspec.Struct, frozen=True):
    """The data kept for one document."""

    source: str
    url: str | None
    kind: Kind
    entries: int
    newest: str | None = None
    """the newest lastmod in it, as written"""
    parent: str | None = None
    """the source of the index that lists it"""
    row: int | None = None
    """its row in that index"""
    hashes: str | None = None
    """the file with the hashes of its URLs"""
    links: str | None = None
    """the file with the data on its alternates"""
    number: int = 0
    silenced: tuple[str, ...] = ()
    """selectors that a comment suppresses for the whole file"""
    silenced_rows: dict[int, tuple[str, ...]] = {}
    listed: tuple[str, ...] = ()
    """for an index: the sitemaps it lists"""
    lastmods: tuple[str | None, ...] = ()
    """for an index: the lastmod of each"""
    served: str | None = None
    """the Last-Modified date of its server"""
    unmet: tuple[int, ...] = ()
    """numbers of the patterns that a policy requires and none of its URLs matches"""


class Lost(msgspec.Struct, frozen=True):
    """A child that could not be read."""

    parent: str
    row: int
    loc: str
    reason: str


class Twin(msgspec.Struct, frozen=True):
    """One URL in two files."""

    first: str
    first_row: int
    second: str
    second_row: int


class TreeView:
    """All documents of a run, for rules across files."""

    def __init__(
        self, leaves: Iterable[DocumentSummary], lost: Iterable[Lost], context: Context, *, root_known: bool = False
    ) -> None:
        self.leaves = list(leaves)
        self.lost = list(lost)
        self.context = context
        self.root_known = root_known
        """a folder contains the whole site, so a child without a file is missing"""
        self.by_source = {leaf.source: leaf for leaf in self.leaves}

    @property
    def indexes(self) -> list[DocumentSummary]:
        return [leaf for leaf in self.leaves if leaf.kind is Kind.SITEMAPINDEX]

    def children(self, index: DocumentSummary) -> list[DocumentSummary]:
        return [leaf for leaf in self.leaves if leaf.parent == index.source]

    def twins(self) -> Iterator[Twin]:
        """URLs in more than one file; another rule reports those within one file."""
        hash_parts = [leaf for leaf in self.leaves if leaf.hashes is not None]
        if len(hash_parts) < 2:
            return
        small = sum(Path(leaf.hashes or "").stat().st_size for leaf in hash_parts) <= AT_ONCE
        for part in (None,) if small else range(PARTS):
            yield from self._twins_in(part, hash_parts)

    def _twins_in(self, part: int | None, leaves: list[DocumentSummary]) -> Iterator[Twin]:
        pairs = [read_part(Path(leaf.hashes or ""), part) for leaf in leaves]
        if not _may_share(pairs):
            return
        first: dict[int, tuple[int, int]] = {}
        for number, (leaf, found) in enumerate(zip(leaves, pairs, strict=True)):
            for digest, row in zip(found[::2], found[1::2], strict=True):
                seen = first.setdefault(digest, (number, row))
                if seen[0] != number:
                    yield Twin(leaves[seen[0]].source, seen[1], leaf.source, row)


def newest(lastmods: Iterable[str | None]) -> str | None:
    """The latest valid date; only candidates are parsed."""
    texts = {text.strip() for text in set(lastmods) if text}
    days = sorted({text[:10] for text in texts if text[:4].isdigit()}, reverse=True)[:2]
    best: tuple[float, str] | None = None
    for text in sorted(text for text in texts if text[:10] in days):
        interval = Moment.parse(text).interval()
        if interval is not None and (best is None or interval[0].timestamp() > best[0]):
            best = (interval[0].timestamp(), text)
    return best[1] if best else None


def write_parts(path: Path, locs: list[str | None]) -> None:
    """Hashes and row numbers, part by part, after a table of their sizes."""
    with path.open("wb") as file:
        for table in _hash_parts(locs):
            table.tofile(file)


def _hash_parts(locs: list[str | None]) -> Iterable[array[int]]:
    if is_compiled():
        from urlset.reading.compiled import hash_parts

        return hash_parts(locs, PARTS)
    parts: list[array[int]] = [array("Q") for _ in range(PARTS)]
    for row, loc in enumerate(locs):
        if loc:
            text = loc.strip().encode("utf-8", "surrogatepass")
            digest = int.from_bytes(blake2b(text, digest_size=8).digest(), "little")
            parts[digest % PARTS].extend((digest, row))
    return [array("Q", [len(part) for part in parts]), *parts]


def _may_share(pairs: list[array[int]]) -> bool:
    """Whether two of these can have a hash in common."""
    if is_compiled():
        from urlset.reading.compiled import may_share

        return may_share(pairs)
    return True


def read_part(path: Path, part: int | None) -> array[int]:
    """Alternating hashes and row numbers, of one part or of all."""
    sizes: array[int] = array("Q")
    with path.open("rb") as file:
        sizes.fromfile(file, PARTS)
        file.seek(8 * (PARTS + sum(sizes[:part] if part else ())))
        pairs: array[int] = array("Q")
        pairs.fromfile(file, sum(sizes) if part is None else sizes[part])
    return pairs
