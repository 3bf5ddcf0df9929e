"""What the ledger gives and takes: pages, files, builds, and why an address is in or out."""

from __future__ import annotations

import msgspec

from urlset.building.candidate import Decision, Evidence, EvidenceKind

KEPT_FIELDS = 10
"""the first so many fields of a LedgerRow are the caller's; the ledger fills in the rest"""


class LedgerRow(msgspec.Struct, frozen=True, array_like=True):
    """One page as a build left it; flat, because there are millions."""

    url: str
    section: str
    shard: str | None = None
    """the file it is listed in"""
    origin: str = ""
    lastmod: str | None = None
    evidence_kind: str | None = None
    evidence_detail: str | None = None
    fingerprint: int | None = None
    digest: int | None = None
    """64 bits of the entry as written, to tell which files are touched"""
    blocks: bytes | None = None
    """packed hashes of its text blocks, boilerplate included, and of its key images and stated facts"""

    first_seen: int = 0
    """the build that met it first"""
    changed: int = 0
    """the build that last wrote this row"""
    gone: int | None = None
    """the first build that missed it"""
    id: int = 0

    @property
    def evidence(self) -> Evidence | None:
        if self.lastmod is None or self.evidence_kind is None:
            return None
        return Evidence(EvidenceKind(self.evidence_kind), self.lastmod, self.evidence_detail or "")

    def says_the_same(self, other: LedgerRow) -> bool:
        """Nothing would change if the other took its place, save perhaps the line it was found at."""
        mine, others = msgspec.structs.astuple(self), msgspec.structs.astuple(other)
        return mine[:3] == others[:3] and mine[4:KEPT_FIELDS] == others[4:KEPT_FIELDS]


class ShardRow(msgspec.Struct, frozen=True):
    """One file of the set."""

    name: str
    section: str
    count: int
    bytes: int
    sha256: str
    newest: str | None = None
    """the newest lastmod inside"""


class BuildRow(msgspec.Struct, frozen=True):
    """One finished build; times are UTC, to the second."""

    id: int
    started: str
    finished: str
    base_url: str
    host: str
    counts: dict[str, int]
    """pages by verdict"""


class Explanation(msgspec.Struct, frozen=True):
    """Why an address is in or out of the last build."""

    url: str
    build: BuildRow
    decisions: tuple[Decision, ...]
    """several when it was offered several times"""
    page: LedgerRow | None = None
    """also when it is gone: what was known of it"""
    shard: ShardRow | None = None

    @property
    def listed(self) -> bool:
        return self.page is not None and self.page.gone is None
