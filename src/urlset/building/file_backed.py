"""A published file ↔ the pages it records, so the ledger does not need a row for each of millions.

A file-backed page was given by its source with the date in the file, or without one, and needs no fingerprint.
`publish` keeps a copy of every published file in the state folder. What the file does not say, in which build an
entry was met first and written last, is kept beside its hash.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from urlset.building.candidate import EvidenceKind
from urlset.building.ledger_rows import LedgerRow
from urlset.building.pages import ENTRY
from urlset.model.errors import UrlsetError
from urlset.reading.around import unescaped
from urlset.reading.fingerprint import hash_of
from urlset.reading.unpack import quick
from urlset.writing.xml import Unwritable, escaped

HAS_ROW = 0
"""in place of a build: the entry belongs to a page with its own row"""


class BackedFile(msgspec.Struct, frozen=True):
    """One file and the builds of its file-backed pages."""

    name: str
    section: str
    sha256: str
    """of the file as published; the copy in the state folder has it for a name"""
    origin: str
    count: int
    """its file-backed pages"""
    builds: bytes
    """packed: for every entry in turn the build that met it first, then for every entry the one that last wrote it"""
    judged: str = ""
    """the version of urlset that checked it, and the codes of the rules that found something"""
    unproven: int = 0
    """how many entries were written since all of them were judged together"""

    def seen_and_changed(self) -> tuple[array[int], array[int]]:
        """HAS_ROW for the entries of pages with rows; raises CopyLostError."""
        both: array[int] = array("I")
        try:
            both.frombytes(zlib.decompress(self.builds))
        except (ValueError, zlib.error) as error:
            raise CopyLostError(f"{self.name}: {error}") from error
        half = len(both) // 2
        return both[:half], both[half:]


class CopyLostError(UrlsetError):
    """The copy of a file is not there, or is not what was kept."""


def pack_builds(first_seen: array[int], changed: array[int]) -> bytes:
    return zlib.compress(first_seen.tobytes() + changed.tobytes(), 1)


def unpacked_file(kept: Path, file: BackedFile, opened: BinaryIO | None = None) -> bytes:
    """The bytes of a file, which may be open already; raises CopyLostError.

    The copy may be a hard link to the published file, so an in-place edit changes both.
    """
    try:
        if opened is not None:
            opened.seek(0)
        data = (kept / file.sha256).read_bytes() if opened is None else opened.read()
    except OSError as error:
        raise CopyLostError(f"{file.name}: {error.strerror or error}") from error
    if hashlib.sha256(data).hexdigest() != file.sha256:
        raise CopyLostError(f"{file.name}: the copy in '{kept}' was changed")
    if not data.startswith(b"\x1f\x8b"):
        return data
    # one member, as `writing.gzip` makes it, with its size at the end; the hash has shown more than its CRC would
    size = max(int.from_bytes(data[-4:], "little"), 1)
    return bytes(quick.decompress(memoryview(data)[10:-8], -zlib.MAX_WBITS, size))


def backed_pages(kept: Path, file: BackedFile) -> Iterator[LedgerRow]:
    """The file-backed pages of a file, by address; raises CopyLostError before the first."""
    first_seen, changed = file.seen_and_changed()
    entries = entries_in(unpacked_file(kept, file))
    if len(entries) != len(first_seen):
        raise CopyLostError(f"{file.name}: {len(entries)} entries, expected {len(first_seen)}")
    return backed_rows(file, entries, first_seen, changed)


def entries_in(data: bytes) -> list[bytes]:
    """The entries of a file that was written by a build."""
    return [entry[0] for entry in ENTRY.finditer(data)]


def backed_rows(
    file: BackedFile, entries: Iterable[bytes], first_seen: array[int], changed: array[int]
) -> Iterator[LedgerRow]:
    """The file-backed pages among entries as written."""
    for written, seen, last in zip(entries, first_seen, changed, strict=True):
        entry = ENTRY.match(written) if seen != HAS_ROW else None
        if entry is not None:
            yield _row(entry, file, seen, last)


def find_page(kept: Path, file: BackedFile, url: str) -> LedgerRow | None:
    """Without looking at every entry; raises CopyLostError."""
    data = unpacked_file(kept, file)
    try:
        loc = escaped(url).encode("utf-8", "replace")
    except Unwritable:
        return None
    start = data.find(b"  <url>\n    <loc>" + loc + b"</loc>\n")
    entry = ENTRY.match(data, start) if start != -1 else None
    if entry is None:
        return None
    number = data.count(b"\n  <url>\n", 0, start)
    first_seen, changed = file.seen_and_changed()
    if number >= len(first_seen) or first_seen[number] == HAS_ROW:
        return None
    return _row(entry, file, first_seen[number], changed[number])


def _row(entry: re.Match[bytes], file: BackedFile, first_seen: int, changed: int) -> LedgerRow:
    lastmod = entry[3].decode() if entry[3] is not None else None
    return backed_row(file, unescaped(entry[1]), lastmod, first_seen, changed, hash_of(entry[0]))


def backed_row(
    file: BackedFile, url: str, lastmod: str | None, first_seen: int, changed: int, digest: int | None = None
) -> LedgerRow:
    """What would be in the ledger about a page of the file."""
    kind, detail = (None, None) if lastmod is None else (EvidenceKind.GIVEN.value, "")
    return LedgerRow(
        *(url, file.section, file.name, file.origin, lastmod, kind, detail),
        digest=digest,
        first_seen=first_seen,
        changed=changed,
    )
