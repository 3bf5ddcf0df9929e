"""The snapshots of one target → counts, churn and dates from each to the next, and the life of a single URL."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from urlset.snapshots.database import connect, quoted
from urlset.snapshots.honesty import Example, Honesty, Transition, judge, worth_of
from urlset.snapshots.info import SnapshotInfo, read_info
from urlset.snapshots.parquet import loc_hash
from urlset.snapshots.series import Snapshot

NEAR_SECONDS = 3_600
"""a lastmod this close to the time of the snapshot is that time"""
_EXAMPLES = 5


class Point(msgspec.Struct, frozen=True):
    """One snapshot, and what happened since the one before; None for the first."""

    taken: str
    urls: int
    entries: int
    """more than URLs where some are listed twice"""
    files: int
    dated: int
    newest: str | None
    added: int | None = None
    removed: int | None = None
    changed: int | None = None
    """entries that say something else about their page"""
    dates_moved: int | None = None
    findings: int = 0
    states: dict[str, int] = {}
    inspected: int = 0
    indexed: int = 0
    unread: int = 0
    """sitemaps that could not be read"""


class Sighting(msgspec.Struct, frozen=True):
    """One URL in one snapshot."""

    taken: str
    listed: bool
    file: str | None = None
    position: int | None = None
    lastmod: str | None = None
    state: str | None = None
    status: int | None = None
    final_url: str | None = None
    canonical: str | None = None
    indexable: bool | None = None
    indexed: bool | None = None
    title: str | None = None
    codes: str | None = None
    content: str | None = None
    """`new`, `same` or `changed`, against the last time it was known"""


class Timeline:
    """Good inside its `with` block; `folder` is for what does not fit into memory."""

    def __init__(self, snapshots: Sequence[Snapshot], folder: Path) -> None:
        self._snapshots = snapshots
        self.infos: list[SnapshotInfo] = [read_info(each.path) for each in snapshots]
        self._db: Any = connect(folder, 2 * max((info.entries for info in self.infos), default=0))
        self._db.execute("CREATE TABLE events (file VARCHAR, k BIGINT)")
        self._transitions: defaultdict[str, list[Transition]] = defaultdict(list)
        self._examples: defaultdict[str, list[Example]] = defaultdict(list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._db.close()

    # points

    def points(self) -> list[Point]:
        """One after the other; fills what `honesty` needs."""
        found: list[Point] = []
        urls_before = 0
        for number, (snapshot, info) in enumerate(zip(self._snapshots, self.infos, strict=True)):
            urls = self._urls(snapshot)
            churn = self._compare(number, urls_before, urls) if number else {}
            found.append(
                Point(
                    taken=info.taken,
                    urls=urls,
                    entries=info.entries,
                    files=len(info.files),
                    dated=sum(each.dated for each in info.files),
                    newest=max((each.newest for each in info.files if each.newest), default=None),
                    findings=sum(info.findings.values()),
                    states=info.states,
                    inspected=info.inspected,
                    indexed=info.indexed,
                    unread=len(info.missing),
                    **churn,
                )
            )
            urls_before = urls
        return found

    def _urls(self, snapshot: Snapshot) -> int:
        sql = f"SELECT count(DISTINCT loc_hash) FROM read_parquet({quoted(snapshot.path)})"
        return int(self._db.execute(sql).fetchone()[0])

    def _compare(self, number: int, urls_before: int, urls: int) -> dict[str, int]:
        old, new = self._side(number - 1, urls_before), self._side(number, urls)
        taken = int(self._snapshots[number].taken.timestamp())
        looked = int(self._snapshots[number - 1].taken.timestamp())  # an older date claims no change since then
        self._db.execute(f"""
            CREATE OR REPLACE TEMP VIEW pairs AS
            SELECT n.file, n.k, o.said <> n.said AS changed,
                o.lastmod IS NOT NULL AND n.lastmod IS NOT NULL AS dated,
                o.lastmod <> n.lastmod AS moved,
                coalesce(epoch(try_cast(n.lastmod AS TIMESTAMP))
                    + CASE WHEN length(n.lastmod) = 10 THEN 86400 ELSE 0 END < {looked}, false) AS corrected,
                abs(epoch(try_cast(n.lastmod AS TIMESTAMP)) - {taken}) < {NEAR_SECONDS}
                    OR (length(n.lastmod) = 10 AND abs(epoch(try_cast(n.lastmod AS TIMESTAMP)) + 43200 - {taken})
                        <= 43200) AS stamped,
                o.content IS NOT NULL AND n.content IS NOT NULL AS known,
                o.content <> n.content AS rewritten
            FROM ({old}) o JOIN ({new}) n USING (k)""")
        rows = self._db.execute("""
            SELECT file, count(*), count(*) FILTER (changed), count(*) FILTER (dated),
                count(*) FILTER (dated AND moved), count(*) FILTER (dated AND moved AND stamped),
                count(*) FILTER (dated AND known),
                count(*) FILTER (dated AND known AND moved AND rewritten),
                count(*) FILTER (dated AND known AND moved AND NOT rewritten AND NOT corrected),
                count(*) FILTER (dated AND known AND NOT moved AND rewritten),
                min(k) FILTER (dated AND known AND moved AND NOT rewritten AND NOT corrected),
                min(k) FILTER (dated AND known AND NOT moved AND rewritten)
            FROM pairs GROUP BY file ORDER BY file""").fetchall()
        before, at = self.infos[number - 1].taken, self.infos[number].taken
        wanted: dict[int, str] = {}
        for file, _, _, *counts, unbacked, silent in rows:
            if counts[0]:
                self._transitions[file].append(Transition(before, at, *counts))
            wanted |= {key: what for key, what in ((unbacked, "unbacked"), (silent, "silent")) if key is not None}
        if wanted:
            self._note_events()
            self._show(number, wanted)
        common = sum(row[1] for row in rows)
        return {
            "added": urls - common,
            "removed": urls_before - common,
            "changed": sum(row[2] for row in rows),
            "dates_moved": sum(row[4] for row in rows),
        }

    def _side(self, number: int, urls: int) -> str:
        """One row for each URL; grouping is needed only where some are listed twice."""
        source = f"read_parquet({quoted(self._snapshots[number].path)})"
        if urls == self.infos[number].entries:
            return f"SELECT loc_hash AS k, file, lastmod, fields_hash AS said, fingerprint AS content FROM {source}"
        return (
            "SELECT loc_hash AS k, min(file) AS file, max(lastmod) AS lastmod, sum(fields_hash) AS said,"
            f" max(fingerprint) AS content FROM {source} GROUP BY loc_hash"
        )

    def _note_events(self) -> None:
        self._db.execute("INSERT INTO events SELECT file, k FROM pairs WHERE dated AND known AND (moved OR rewritten)")

    def _show(self, number: int, wanted: dict[int, str]) -> None:
        """The pages behind the hashes that were picked as examples."""
        keys = ", ".join(map(str, wanted))
        old, new = (quoted(self._snapshots[each].path) for each in (number - 1, number))
        rows = self._db.execute(f"""
            SELECT n.file, n.loc, n.loc_hash, any_value(o.lastmod), any_value(n.lastmod)
            FROM (SELECT * FROM read_parquet({old}) WHERE loc_hash IN ({keys})) o
            JOIN (SELECT * FROM read_parquet({new}) WHERE loc_hash IN ({keys})) n USING (loc_hash)
            GROUP BY ALL ORDER BY n.loc""").fetchall()
        for file, loc, key, was, now in rows:
            if len(self._examples[file]) < _EXAMPLES:
                example = Example(loc, was or "", now or "", wanted[key], self.infos[number].taken)
                self._examples[file].append(example)

    # dates

    def honesty(self) -> list[Honesty]:
        """Of each sitemap with dates, after `points`."""
        worth = {
            file: worth_of(events, squares)
            for file, events, squares in self._db.execute(
                "SELECT file, sum(c)::BIGINT, sum(c * c)::BIGINT FROM"
                " (SELECT file, k, count(*) AS c FROM events GROUP BY file, k) GROUP BY file"
            ).fetchall()
        }
        return [
            judge(file, transitions, worth.get(file), self._examples[file])
            for file, transitions in sorted(self._transitions.items())
        ]

    # one URL

    def life(self, url: str) -> Iterator[Sighting]:
        """In every snapshot, listed or not."""
        last: int | None = None
        for snapshot, info in zip(self._snapshots, self.infos, strict=True):
            row = self._db.execute(
                "SELECT file, position, lastmod, state, status, final_url, canonical, indexable, indexed, title, codes,"
                f" fingerprint FROM read_parquet({quoted(snapshot.path)}) WHERE loc_hash = ? AND loc = ?"
                " ORDER BY file, position LIMIT 1",
                [loc_hash(url), url],
            ).fetchone()
            if row is None:
                yield Sighting(info.taken, listed=False)
                continue
            *facts, content = row
            reported: list[Any] = [info.taken, True, *facts, _content(last, content)]
            yield Sighting(*reported)
            last = content if content is not None else last


def _content(last: int | None, now: int | None) -> str | None:
    if now is None:
        return None
    if last is None:
        return "new"
    return "same" if last == now else "changed"
