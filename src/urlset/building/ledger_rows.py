"""What the ledger gives and takes: pages, files, builds, and why an address is in or out; its tables and statements."""

from __future__ import annotations

import msgspec

from urlset.building.candidate import Decision, Evidence, EvidenceKind
from urlset.writing.sqlite_store import Migration, StateFile, columns, marks

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


# Tables.

URL_INDEX = "CREATE UNIQUE INDEX page_by_url ON pages (url)"
DECISION_INDEX = "CREATE INDEX decision_by_url ON decisions (url)"

_PAGES = """
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    section TEXT NOT NULL,
    shard TEXT,
    origin TEXT NOT NULL,
    lastmod TEXT,
    evidence_kind TEXT,
    evidence_detail TEXT,
    fingerprint INTEGER,
    digest INTEGER,
    blocks BLOB,
    first_seen INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    gone INTEGER
)"""
_DECISIONS = """
CREATE TABLE decisions (url TEXT NOT NULL, verdict TEXT NOT NULL, detail TEXT NOT NULL, origin TEXT NOT NULL)"""
_SHARDS = """
CREATE TABLE shards (
    name TEXT PRIMARY KEY,
    section TEXT NOT NULL,
    count INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    newest TEXT
) WITHOUT ROWID"""
_BUILDS = """
CREATE TABLE builds (
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    finished TEXT NOT NULL,
    base_url TEXT NOT NULL,
    host TEXT NOT NULL,
    counts TEXT NOT NULL
)"""
_BLOCKS = """
CREATE TABLE blocks (
    hash INTEGER PRIMARY KEY,
    pages INTEGER NOT NULL,
    of_pages INTEGER NOT NULL,
    build INTEGER NOT NULL
)"""
_SEALED = """
CREATE TABLE sealed (
    name TEXT PRIMARY KEY,
    section TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    unpacked TEXT NOT NULL,
    origin TEXT NOT NULL,
    count INTEGER NOT NULL,
    builds BLOB NOT NULL
) WITHOUT ROWID"""
_BACKED = """
CREATE TABLE backed (
    name TEXT PRIMARY KEY,
    section TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    origin TEXT NOT NULL,
    count INTEGER NOT NULL,
    builds BLOB NOT NULL,
    judged TEXT NOT NULL,
    unproven INTEGER NOT NULL
) WITHOUT ROWID"""
_GONE_INDEX = "CREATE INDEX page_gone ON pages (gone) WHERE gone IS NOT NULL"

# Each step also writes its row into `migrations`, where every version looks for the number of the last one.
_MIGRATIONS = "CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL)"
_STEP = "INSERT INTO migrations VALUES ({}, '{}')"

LEDGER_FILE = StateFile(
    holder="another build with this state",
    application_id=0x75726C73,  # "urls" in ASCII
    version_sql="SELECT coalesce(max(number), 0) FROM migrations",
    migrations=(
        Migration(
            1,
            (
                *(_MIGRATIONS, _PAGES, URL_INDEX, _GONE_INDEX, _DECISIONS, DECISION_INDEX, _SHARDS, _BUILDS, _BLOCKS),
                _STEP.format(1, "pages, decisions, shards, builds, blocks"),
            ),
        ),
        Migration(2, (_SEALED, _STEP.format(2, "sealed files"))),
        # older versions would take what now follows the text blocks for text
        Migration(3, (_STEP.format(3, "key images and stated facts behind the text blocks"),)),
        Migration(
            4,
            (
                "ALTER TABLE sealed ADD COLUMN judged TEXT NOT NULL DEFAULT ''",
                "ALTER TABLE sealed ADD COLUMN unproven INTEGER NOT NULL DEFAULT 0",
                _STEP.format(4, "what was found in files"),
            ),
        ),
        Migration(
            5,
            (
                _BACKED,
                "INSERT INTO backed SELECT name, section, sha256, origin, count, builds, judged, unproven FROM sealed",
                "DROP TABLE sealed",
                _STEP.format(5, "files by their own bytes only"),
            ),
        ),
    ),
    start_over="move it to start over; observed dates are lost with it",
    shared=True,  # there is one commit per build, so a sync to disk costs little
    patience=5.0,
    cache_kib=16_384,
    page_size=8_192,
    checkpoint_pages=1_000,
)

# Statements.

_KEPT = LedgerRow.__struct_fields__[:KEPT_FIELDS]

PAGE = f"SELECT {columns(LedgerRow)} FROM pages"
IN_ORDER = "ORDER BY section, shard, url"

_INSERT = (
    f"INSERT INTO pages ({', '.join(_KEPT)}, first_seen, changed) VALUES ({marks(KEPT_FIELDS)}, {{build}}, {{build}})"
)
INSERT_WHOLE = (
    f"INSERT OR IGNORE INTO pages ({', '.join(_KEPT)}, first_seen, changed) VALUES ({marks(KEPT_FIELDS + 2)})"
)
INSERT_GONE = INSERT_WHOLE.replace("INTO pages (", "INTO pages (gone, ").replace("VALUES (", "VALUES (?, ")
BACKED = "SELECT * FROM backed ORDER BY section, name"
_REPLACE = ", ".join(f"{name} = excluded.{name}" for name in (*_KEPT[1:], "changed"))


def insert(build: int) -> str:
    """For a table without its index: nothing is looked up."""
    return _INSERT.format(build=int(build))


def upsert(build: int) -> str:
    return f"{insert(build)} ON CONFLICT (url) DO UPDATE SET {_REPLACE}, gone = NULL"
