"""The statements that the ledger and its recording share."""

from __future__ import annotations

from urlset.building.ledger_rows import KEPT_FIELDS, LedgerRow

_NAMES = LedgerRow.__struct_fields__
_KEPT = _NAMES[:KEPT_FIELDS]

PAGE = f"SELECT {', '.join(_NAMES)} FROM pages"  # noqa: S608 - our own names
IN_ORDER = "ORDER BY section, shard, url"

_INSERT = (
    f"INSERT INTO pages ({', '.join(_KEPT)}, first_seen, changed)"  # noqa: S608 - our own names
    f" VALUES ({', '.join('?' * KEPT_FIELDS)}, {{build}}, {{build}})"
)
INSERT_WHOLE = (
    f"INSERT OR IGNORE INTO pages ({', '.join(_KEPT)}, first_seen, changed)"  # noqa: S608 - our own names
    f" VALUES ({', '.join('?' * (KEPT_FIELDS + 2))})"
)
INSERT_GONE = INSERT_WHOLE.replace("INTO pages (", "INTO pages (gone, ").replace("VALUES (", "VALUES (?, ")
BACKED = "SELECT name, section, sha256, unpacked, origin, count, builds FROM sealed ORDER BY section, name"
FILES = "SELECT name, section, sha256 FROM shards"
NEED_NO_ROW = (
    f"{PAGE} WHERE gone IS NULL AND blocks IS NULL AND fingerprint IS NULL"
    " AND (evidence_kind IS NULL OR (evidence_kind = 'given' AND evidence_detail = '')) ORDER BY shard, section"
)
_REPLACE = ", ".join(f"{name} = excluded.{name}" for name in (*_KEPT[1:], "changed"))


def insert(build: int) -> str:
    """For a table without its index: nothing is looked up."""
    return _INSERT.format(build=int(build))


def upsert(build: int) -> str:
    return f"{insert(build)} ON CONFLICT (url) DO UPDATE SET {_REPLACE}, gone = NULL"
