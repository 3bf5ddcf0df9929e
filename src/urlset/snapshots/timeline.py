"""The snapshots of one target → counts, churn and dates from each to the next, and the life of a single URL."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from urlset.reading.fingerprint import Content, changed_content, hash_of
from urlset.snapshots.honesty import COUNTS, Example, Honesty, Transition, judge, worth_of
from urlset.snapshots.parquet import FACET_HASHES, connect, quoted, rows_of
from urlset.snapshots.series import Snapshot, SnapshotInfo, read_info
from urlset.spec.page_facets import DATED_BY, Facet, backing

NEAR_SECONDS = 3_600
"""a lastmod this close to the time of the snapshot is that time"""
_EXAMPLES = 5
_STATED = tuple((facet, name) for facet, name in FACET_HASHES.items() if facet is not Facet.TEXT)


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
    """`new`, `same` or `changed`, against the last time it was known; None where it was not fetched since"""
    changed: str | None = None
    """the parts of the page that changed since then: text, images, data …"""


class Timeline:
    """Good inside its `with` block; `folder` is for what does not fit into memory."""

    def __init__(self, snapshots: Sequence[Snapshot], folder: Path, counted: Sequence[Facet] = DATED_BY) -> None:
        """`counted` are the parts of a page whose change should move its date."""
        self._counted = counted
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
            urls = info.urls
            if not urls:
                sql = f"SELECT count(DISTINCT loc_hash) FROM read_parquet({quoted(snapshot.path)})"
                urls = int(self._db.execute(sql).fetchone()[0])
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
                o.content IS NOT NULL AND n.content IS NOT NULL AND coalesce(o.seen <> n.seen, false) AS known,
                coalesce(o.content <> n.content AND coalesce(o.text_hash <> n.text_hash, true), false) AS text,
                {", ".join(f"coalesce(o.{name} <> n.{name}, false) AS {facet}" for facet, name in _STATED)},
                {" OR ".join(self._counted) or "false"} AS rewritten,
                {" OR ".join(backing(self._counted)) or "false"} AS backed
            FROM ({old}) o JOIN ({new}) n USING (k)""")
        rows = self._db.execute(f"""
            SELECT file, count(*), count(*) FILTER (changed), count(*) FILTER (dated),
                count(*) FILTER (dated AND moved), count(*) FILTER (dated AND moved AND stamped),
                count(*) FILTER (dated AND known),
                count(*) FILTER (dated AND known AND moved AND backed),
                count(*) FILTER (dated AND known AND moved AND NOT backed AND NOT corrected),
                count(*) FILTER (dated AND known AND NOT moved AND rewritten),
                min(k) FILTER (dated AND known AND moved AND NOT backed AND NOT corrected),
                min(k) FILTER (dated AND known AND NOT moved AND rewritten),
                {", ".join(f"count(*) FILTER (dated AND known AND moved AND {facet})" for facet in Facet)}
            FROM pairs GROUP BY file ORDER BY file""").fetchall()
        before, at = self.infos[number - 1].taken, self.infos[number].taken
        wanted: dict[int, str] = {}
        for file, _, _, *counts in rows:
            unbacked, silent, *changed = counts[7:]
            if counts[0]:
                pages = zip(Facet, changed, strict=True)
                evidence = {facet.value: count for facet, count in pages if count and facet in backing(self._counted)}
                self._transitions[file].append(
                    Transition(before, at, **dict(zip(COUNTS, counts, strict=False)), evidence=evidence)
                )
            wanted |= {key: what for key, what in ((unbacked, "unbacked"), (silent, "silent")) if key is not None}
        if wanted:
            self._db.execute(
                "INSERT INTO events SELECT file, k FROM pairs WHERE dated AND known AND (moved OR rewritten)"
            )
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
        source = rows_of(self._db, self._snapshots[number].path)
        if urls == self.infos[number].entries:
            hashes = ", ".join(FACET_HASHES.values())
            return (
                "SELECT loc_hash AS k, file, lastmod, fields_hash AS said, seen, fingerprint AS content,"
                f" {hashes} FROM {source}"
            )
        hashes = ", ".join(f"max({name}) AS {name}" for name in FACET_HASHES.values())
        return (
            "SELECT loc_hash AS k, min(file) AS file, max(lastmod) AS lastmod, sum(fields_hash) AS said,"
            f" max(seen) AS seen, max(fingerprint) AS content, {hashes} FROM {source} GROUP BY loc_hash"
        )

    def _show(self, number: int, wanted: dict[int, str]) -> None:
        """The pages behind the hashes that were picked as examples."""
        keys = ", ".join(map(str, wanted))
        old, new = (quoted(self._snapshots[each].path) for each in (number - 1, number))
        rows = self._db.execute(f"""
            SELECT n.file, n.loc, n.loc_hash, any_value(o.lastmod), any_value(n.lastmod),
                {", ".join(f"bool_or(p.{facet})" for facet in Facet)}
            FROM (SELECT * FROM read_parquet({old}) WHERE loc_hash IN ({keys})) o
            JOIN (SELECT * FROM read_parquet({new}) WHERE loc_hash IN ({keys})) n USING (loc_hash)
            JOIN (SELECT * FROM pairs WHERE k IN ({keys})) p ON p.k = n.loc_hash
            GROUP BY n.file, n.loc, n.loc_hash ORDER BY n.loc""").fetchall()
        for file, loc, key, was, now, *different in rows:
            if len(self._examples[file]) < _EXAMPLES:
                changed = tuple(facet.value for facet, is_new in zip(Facet, different, strict=True) if is_new)
                example = Example(loc, was or "", now or "", wanted[key], self.infos[number].taken, changed)
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
        last: Content | None = None
        seen_at: str | None = None
        for snapshot, info in zip(self._snapshots, self.infos, strict=True):
            row = self._db.execute(
                "SELECT file, position, lastmod, state, status, final_url, canonical, indexable, indexed, title, codes,"
                f" fingerprint, seen, {', '.join(FACET_HASHES.values())} FROM {rows_of(self._db, snapshot.path)}"
                " WHERE loc_hash = ? AND loc = ?"
                " ORDER BY file, position LIMIT 1",
                [hash_of(url), url],
            ).fetchone()
            if row is None:
                yield Sighting(info.taken, listed=False)
                continue
            *facts, text, seen = row[: -len(FACET_HASHES)]
            stated = row[-len(FACET_HASHES) :]
            is_known = text is not None and seen != seen_at  # the same fetch says nothing new
            content = Content(text, None if None in stated else stated) if is_known else None
            seen_at = seen
            reported: list[Any] = [info.taken, True, *facts, *_content(last, content)]
            yield Sighting(*reported)
            last = content if content is not None else last


def _content(last: Content | None, now: Content | None) -> tuple[str | None, str | None]:
    if now is None:
        return None, None
    changed = changed_content(last, now)
    if changed is None:
        return "new", None
    return ("changed", " ".join(changed)) if changed else ("same", None)


# Every page that two consecutive snapshots list, whether it changed, and after how long.

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
