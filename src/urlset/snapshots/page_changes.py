"""The snapshots of one target → every page that two consecutive ones list, whether it changed, and after how long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from urlset.snapshots.database import connect, quoted
from urlset.snapshots.info import read_info
from urlset.snapshots.series import Snapshot

_PORTION = 5_000
_DAY = 86_400


def page_changes(snapshots: Sequence[Snapshot], folder: Path) -> Iterator[tuple[str, bool, float]]:
    """URL, whether its lastmod or its main text is another one, days; `folder` is for what does not fit into memory."""
    if len(snapshots) < 2:
        return
    db = connect(folder, 2 * max(read_info(each.path).entries for each in snapshots))
    try:
        for old, new in pairwise(snapshots):
            days = (new.taken - old.taken).total_seconds() / _DAY
            cursor = db.execute(f"""
                SELECT n.loc, coalesce(o.lastmod <> n.lastmod, false) OR coalesce(o.fingerprint <> n.fingerprint, false)
                FROM read_parquet({quoted(old.path)}) o JOIN read_parquet({quoted(new.path)}) n USING (loc_hash)""")
            while rows := cursor.fetchmany(_PORTION):
                for loc, changed in rows:
                    yield loc, changed, days
    finally:
        db.close()
