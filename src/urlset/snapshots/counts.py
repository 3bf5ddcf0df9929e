"""The parts of a snapshot → how many URLs they list, and what is known of those pages; each URL counts once.

Counted when all parts are there: a URL may be in several of them, and a snapshot that was resumed has parts of an
earlier process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from urlset.snapshots.database import connect, parts, quoted


class SnapshotCounts(msgspec.Struct, frozen=True):
    urls: int = 0
    states: dict[str, int] = {}
    findings: dict[str, int] = {}
    """by code"""
    inspected: int = 0
    indexed: int = 0


def count_pages(files: Sequence[Path], entries: int, folder: Path) -> SnapshotCounts:
    """`folder` is for what does not fit into memory."""
    urls = inspected = indexed = 0
    states: Counter[str] = Counter()
    findings: Counter[str] = Counter()
    paths = ", ".join(map(quoted, files))
    db = connect(folder, entries)
    try:
        count = parts(entries)
        for portion in range(count):
            db.execute(f"""
                CREATE OR REPLACE TEMP TABLE pages AS
                SELECT any_value(state) AS state, any_value(codes) AS codes, bool_or(indexed) AS indexed
                FROM read_parquet([{paths}], union_by_name = true)
                WHERE loc_hash & {count - 1} = {portion} GROUP BY loc_hash""")
            found = db.execute("SELECT count(*), count(indexed), count(*) FILTER (indexed) FROM pages").fetchone()
            urls, inspected, indexed = urls + found[0], inspected + found[1], indexed + found[2]
            states.update(
                dict(db.execute("SELECT state, count(*) FROM pages WHERE state NOT NULL GROUP BY 1").fetchall())
            )
            codes = "SELECT unnest(string_split(codes, ' ')) AS code FROM pages WHERE codes NOT NULL"
            findings.update(dict(db.execute(f"SELECT code, count(*) FROM ({codes}) GROUP BY 1").fetchall()))
    finally:
        db.close()
    return SnapshotCounts(urls, dict(states), dict(sorted(findings.items())), inspected, indexed)
