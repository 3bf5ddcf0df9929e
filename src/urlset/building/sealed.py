"""A published file of plain rows ↔ the pages in it, so that the ledger needs no row for each of millions.

Every entry of a sealed file was given by its source with the date that stands there, or without one. The file
is the memory of these pages: `publish` keeps a copy of every published file in the state folder anyway. What
the file does not say, in which build an entry was met first and written last, is kept beside its hash.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from array import array
from collections.abc import Iterator
from pathlib import Path

import msgspec

from urlset.building.candidate import EvidenceKind
from urlset.building.ledger_rows import LedgerRow
from urlset.reading.fingerprint import hash_of

_ENTRY = re.compile(
    rb"  <url>\n    <loc>([^<]*+)</loc>\n(?:    <lastmod>([^<]*+)</lastmod>\n)?(?:(?!  </url>\n)[^\n]*+\n)*+  </url>\n"
)
NOT_SEALED = 0
"""in place of a build: the entry belongs to a page with a row of its own"""


class SealedFile(msgspec.Struct, frozen=True):
    """One file whose plain pages have no rows."""

    name: str
    section: str
    sha256: str
    """of the file as published; the copy in the state folder has it for a name"""
    unpacked: str
    """SHA-256 of what is packed in it: tells an equal file without packing it again"""
    origin: str
    count: int
    """pages that are sealed in it"""
    builds: bytes
    """packed: for every entry in turn the build that met it first, then for every entry the one that last wrote it"""

    def seen_and_changed(self) -> tuple[array[int], array[int]]:
        """NOT_SEALED for the entries of pages with rows; raises SealBrokenError."""
        both: array[int] = array("I")
        try:
            both.frombytes(zlib.decompress(self.builds))
        except (ValueError, zlib.error) as error:
            raise SealBrokenError(f"{self.name}: {error}") from error
        half = len(both) // 2
        return both[:half], both[half:]


class SealBrokenError(Exception):
    """The copy of a sealed file is not there, or is not what was kept."""


def pack_builds(first_seen: array[int], changed: array[int]) -> bytes:
    return zlib.compress(first_seen.tobytes() + changed.tobytes(), 1)


def unpacked_file(kept: Path, sealed: SealedFile) -> bytes:
    """The bytes of a sealed file; raises SealBrokenError.

    The copy may be a second name of the published file, so that who edits that one in place edits both.
    """
    data = _read(kept, sealed)
    if not _is_whole(data, sealed):
        raise SealBrokenError(f"{sealed.name}: the copy in '{kept}' was changed")
    return data


def _read(kept: Path, sealed: SealedFile) -> bytes:
    try:
        data = (kept / sealed.sha256).read_bytes()
        return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    except OSError as error:
        raise SealBrokenError(f"{sealed.name}: {error.strerror or error}") from error
    except (EOFError, zlib.error) as error:
        raise SealBrokenError(f"{sealed.name}: {error}") from error


def _is_whole(data: bytes, sealed: SealedFile) -> bool:
    return hashlib.sha256(data).hexdigest() == sealed.unpacked


def sealed_pages(kept: Path, sealed: SealedFile) -> Iterator[LedgerRow]:
    """The pages of a sealed file that have no rows, by address; raises SealBrokenError before the first."""
    first_seen, changed = sealed.seen_and_changed()
    entries = list(_ENTRY.finditer(unpacked_file(kept, sealed)))
    if len(entries) != len(first_seen):
        raise SealBrokenError(f"{sealed.name}: {len(entries)} entries where {len(first_seen)} were kept")
    return (
        _row(entry, sealed, seen, last)
        for entry, seen, last in zip(entries, first_seen, changed, strict=True)
        if seen != NOT_SEALED
    )


def find_page(kept: Path, sealed: SealedFile, url: str) -> LedgerRow | None:
    """Without looking at every entry; raises SealBrokenError."""
    data = _read(kept, sealed)
    found = find_in(data, sealed, url)
    if found is not None and not _is_whole(data, sealed):
        raise SealBrokenError(f"{sealed.name}: the copy in '{kept}' was changed")
    return found


def find_in(data: bytes, sealed: SealedFile, url: str) -> LedgerRow | None:
    start = data.find(b"  <url>\n    <loc>" + url.encode("utf-8", "replace") + b"</loc>\n")
    entry = _ENTRY.match(data, start) if start != -1 else None
    if entry is None:
        return None
    number = data.count(b"\n  <url>\n", 0, start)
    first_seen, changed = sealed.seen_and_changed()
    if number >= len(first_seen) or first_seen[number] == NOT_SEALED:
        return None
    return _row(entry, sealed, first_seen[number], changed[number])


def _row(entry: re.Match[bytes], sealed: SealedFile, first_seen: int, changed: int) -> LedgerRow:
    lastmod = entry[2].decode() if entry[2] is not None else None
    given = lastmod is not None
    return LedgerRow(
        url=entry[1].decode(),
        section=sealed.section,
        shard=sealed.name,
        origin=sealed.origin,
        lastmod=lastmod,
        evidence_kind=EvidenceKind.GIVEN.value if given else None,
        evidence_detail="" if given else None,
        digest=hash_of(entry[0]),
        first_seen=first_seen,
        changed=changed,
    )
