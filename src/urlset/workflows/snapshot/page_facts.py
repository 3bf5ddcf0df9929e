"""Listed URLs → what the last audit of the site and Google's URL inspection know of their pages."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from urlset.auditing.causes import Causes
from urlset.auditing.date_log import DateLog
from urlset.auditing.indexable import indexable
from urlset.auditing.store import AuditStore, JudgedVisit, judged_page
from urlset.auditing.symptoms import BLOCKED, symptom_of
from urlset.model.address_key import key_of
from urlset.model.canonicals import first_canonical
from urlset.reading.host_robots import HostRobots, origin_of
from urlset.snapshots.block import EntryBlock
from urlset.snapshots.parquet import FACET_HASHES, FACTS, loc_hash
from urlset.snapshots.series import SnapshotCause
from urlset.spec.engines import Engine
from urlset.web.options import WebOptions
from urlset.workflows.audit.options import AuditOptions
from urlset.workflows.audit.rows import PageVerdict
from urlset.workflows.snapshot.index_states import index_states
from urlset.writing.sqlite_store import StateError

_CAUSES = 50
"""kept with a snapshot"""


class AuditFacts:
    """Reads the state of one audit and of the engines. Facts of a snapshot that was resumed cover all its parts."""

    def __init__(self, state: Path, target: str, web: WebOptions) -> None:
        self.note: str | None = None
        self.audited: str | None = None
        self._log: DateLog | None = None
        self._explained: set[int] = set()
        self._causes = Causes()
        self._index = index_states(state)
        self._robots: dict[str, HostRobots | None] = {}
        self._stack = ExitStack()
        self._store = self._open(AuditOptions(target=target, state=state, web=web).database)

    def _open(self, path: Path) -> AuditStore | None:
        if not path.is_file():
            return None
        try:
            store = self._stack.enter_context(AuditStore(path))
            if not store.recall():
                return None
        except StateError as error:
            self.note = f"the snapshot has no facts from the audit: {error}"
            return None
        self.audited = store.meta("finished") or store.meta("started")
        self._log = DateLog(store)
        return store

    @property
    def has_any(self) -> bool:
        return self._store is not None or bool(self._index)

    def of(self, block: EntryBlock) -> dict[str, list[Any]] | None:
        """Columns by the names in FACTS; None where nothing is known of any."""
        if not self.has_any:
            return None
        columns: dict[str, list[Any]] = {name: [None] * len(block.locs) for name in FACTS}
        known = False
        dates = block.fields.get("lastmod") or [None] * len(block.locs)
        for at, (url, date) in enumerate(zip(block.locs, dates, strict=True)):
            found = judged_page(self._store, url) if self._store is not None else None
            if found is not None:
                known = True
                for name, value in self._row(url, date, found).items():
                    columns[name][at] = value
                self._explain(url, block.file, found)
            indexed = self._index.get(url)
            if indexed is not None:
                known = True
                columns["indexed"][at] = indexed
        return columns if known else None

    def _is_evidence(self, found: JudgedVisit, date: str | None) -> bool:
        """Whether the page was fetched when it had this lastmod: an older text neither backs nor disproves it."""
        last = self._log.last(found.page) if self._log is not None else None
        return last is not None and (last.content_lastmod or None) == ((date or "").strip() or None)

    def _row(self, url: str, date: str | None, found: JudgedVisit) -> dict[str, Any]:
        visit, said = found.visit, _verdict_in(found)
        content = said.content if self._is_evidence(found, date) else None
        canonical = first_canonical(visit)
        return {
            "state": visit.state.value,
            "status": visit.first_status,
            "final_url": visit.final_url if visit.final_url and key_of(visit.final_url) != key_of(url) else None,
            "canonical": canonical if canonical and key_of(canonical) != key_of(url) else None,
            "indexable": indexable(visit, Engine.GOOGLE, self._robots_of(url))[0],
            "title": visit.title,
            "words": min(visit.words, (1 << 31) - 1),
            "fingerprint": content,
            **dict(zip(FACET_HASHES.values(), said.facets or () if content is not None else (), strict=False)),
            "codes": " ".join(said.codes) or None,
            "seen": visit.moment or None,
        }

    def _explain(self, url: str, source: str, found: JudgedVisit) -> None:
        """A page that is listed twice has its problem once, as in an audit."""
        self._causes.listed(url, source)
        symptom = symptom_of(found.visit, {}, 1)
        if symptom is None or symptom.kind == BLOCKED or (key := loc_hash(url)) in self._explained:
            return
        self._explained.add(key)
        self._causes.add(symptom, url, source, _verdict_in(found).codes)

    def causes(self) -> tuple[SnapshotCause, ...]:
        """Of all pages that `of` returned facts for."""
        found = sorted(self._causes.found(), key=lambda each: -each.count)[:_CAUSES]
        return tuple(
            SnapshotCause(each.kind, each.code, each.title, each.count, each.of, each.examples) for each in found
        )

    def _robots_of(self, url: str) -> HostRobots | None:
        origin = origin_of(url) or ""
        if origin not in self._robots:
            answer = self._store.robots(origin) if self._store is not None else None
            self._robots[origin] = None if answer is None else HostRobots.of(origin, answer)
        return self._robots[origin]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()


def _verdict_in(found: JudgedVisit) -> PageVerdict:
    return msgspec.msgpack.decode(found.verdict, type=PageVerdict) if found.verdict else PageVerdict()
