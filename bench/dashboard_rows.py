"""Numbers → one snapshot of a very large, audited site, written by the writer of `urlset snapshot`."""

from __future__ import annotations

from pathlib import Path

import duckdb

from urlset.snapshots.block import FIELDS
from urlset.snapshots.parquet import SnapshotWriter, loc_hash
from urlset.snapshots.series import FileInfo, SnapshotInfo

TARGET = "https://www.example.com/"
PER_FILE = 50_000
BATCH = 100_000
SECTIONS = ("products", "guides", "news", "brands", "help")
NEEDLE = 7_654_321
"""the number of one page that a search must find"""


def url_of(number: int) -> str:
    return f"{TARGET}{SECTIONS[number % 5]}/item-{number * 2_654_435_761 % 1_000_000_007:x}-{number}"


def write_snapshot(path: Path, total: int, taken: str) -> None:
    """Every 50th page redirects, every 100th is gone, every 20th names another canonical."""
    nulls = ", ".join(f"NULL::VARCHAR AS {name}" for name in FIELDS if name != "lastmod")
    writer = SnapshotWriter(path, to_keep=True)
    with duckdb.connect(config={"threads": 1}) as db:
        db.create_function("loc_hash", loc_hash, ["VARCHAR"], "BIGINT")
        for start in range(0, total, BATCH):
            table = db.sql(f"""
                SELECT '{TARGET}sitemap-' || (i // {PER_FILE}) || '.xml' AS file, (i % {PER_FILE})::INTEGER AS position,
                    loc, loc_hash(loc) AS loc_hash,
                    '2026-0' || (i % 9 + 1) || '-1' || (i % 7) || 'T0' || (i % 10) || ':00:00+00:00' AS lastmod,
                    {nulls},
                    (hash(i % 630) >> 1)::BIGINT AS fields_hash,
                    CASE WHEN i % 100 = 0 THEN 'gone' WHEN i % 50 = 1 THEN 'redirected' ELSE 'ok' END AS state,
                    (CASE WHEN i % 100 = 0 THEN 404 ELSE 200 END)::SMALLINT AS status,
                    CASE WHEN i % 50 = 1 THEN loc || '/' END AS final_url,
                    CASE WHEN i % 20 = 3 THEN '{TARGET}' END AS canonical,
                    i % 100 <> 0 AS indexable, 'Item ' || i AS title, (i % 900)::INTEGER AS words,
                    (hash(i) >> 1)::BIGINT AS fingerprint,
                    CASE WHEN i % 100 = 0 THEN 'A001' WHEN i % 50 = 1 THEN 'A003' WHEN i % 20 = 3 THEN 'A012'
                        END AS codes,
                    '{taken}' AS seen, NULL::BOOLEAN AS indexed
                FROM (SELECT i, '{TARGET}' || ['products', 'guides', 'news', 'brands', 'help'][i % 5 + 1] || '/item-'
                    || format('{{:x}}', i * 2654435761 % 1000000007) || '-' || i AS loc
                    FROM range({start}, {min(start + BATCH, total)}) r(i))""").to_arrow_table()
            writer.add_table(table.cast(writer.schema))
    files = tuple(
        FileInfo(f"{TARGET}sitemap-{number}.xml", min(PER_FILE, total - number * PER_FILE), dated=PER_FILE)
        for number in range(-(-total // PER_FILE))
    )
    info = SnapshotInfo(
        target=TARGET,
        taken=taken,
        entries=total,
        files=files,
        states={"ok": total - total // 100 - total // 50, "redirected": total // 50, "gone": total // 100},
        findings={"A001": total // 100, "A003": total // 50, "A012": total // 20},
        audited=taken,
    )
    writer.close(info.encode())
