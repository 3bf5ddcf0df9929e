"""Numbers → the Parquet files of two generations of a very large site, made by DuckDB in a minute.

`python -m bench.history` makes smaller ones through `urlset snapshot`; here only what reads snapshots is measured.
Numbers decide on everything, as in bench/history.py: every 100th page goes, as many come, every 50th gets another date.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from urlset.snapshots.block import FIELDS
from urlset.snapshots.parquet import FACTS
from urlset.snapshots.series import FileInfo, SnapshotInfo

PER_FILE = 50_000
_TYPES = {"string": "VARCHAR", "int16": "SMALLINT", "int32": "INTEGER", "int64": "BIGINT", "bool_": "BOOLEAN"}


def write_generation(path: Path, generation: int, total: int, taken: str) -> None:
    """The second or the third generation, as a snapshot of the target `site`."""
    moved = f"2026-11-{10 + generation:02}T06:00:00+00:00"
    last = total + generation * (total // 100)
    nulls = ", ".join(f"NULL::VARCHAR AS {name}" for name in FIELDS if name != "lastmod")
    facts = ", ".join(f"NULL::{_TYPES[kind]} AS {name}" for name, kind in FACTS.items())
    gone = ", ".join(map(str, range(1, generation + 1)))
    files = tuple(
        FileInfo(f"site/sitemap-{number}.xml", PER_FILE, dated=PER_FILE, sha256=f"{generation}-{number}")
        for number in range(-(-last // PER_FILE))
    )
    entries = total - generation * (total // 100) + generation * (total // 100)
    info = SnapshotInfo(target="site", taken=taken, entries=entries, files=files).encode().decode().replace("'", "''")
    with duckdb.connect(config={"memory_limit": "400MB", "threads": 1, "preserve_insertion_order": False}) as db:
        db.execute(f"""
            CREATE VIEW pages AS
            SELECT
                'site/sitemap-' || (i // {PER_FILE}) || '.xml' AS file,
                (i % {PER_FILE})::INTEGER AS position,
                'https://www.example.com/' || ['products', 'guides', 'news', 'brands', 'help'][i % 5 + 1]
                    || '/item-' || format('{{:x}}', hash(i) % 1000000007) || '-' || i AS loc,
                CASE WHEN i < {total} AND i % 50 = 7 THEN '{moved}'
                    ELSE '2026-0' || (i % 9 + 1) || '-1' || (i % 7) || 'T0' || (i % 10) || ':00:00+00:00' END
                    AS lastmod
            FROM range({last}) r(i) WHERE i >= {total} OR i % 100 NOT IN ({gone})""")
        db.execute(f"""
            COPY (
                SELECT file, position, loc, (hash(loc) >> 1)::BIGINT AS loc_hash, lastmod, {nulls},
                    (hash(lastmod) >> 1)::BIGINT AS fields_hash, {facts}
                FROM pages
            ) TO '{path}'
            (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 100000, KV_METADATA {{urlset: '{info}'}})""")
