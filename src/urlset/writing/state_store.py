"""A kind of state and a path → an open store: the transactions and queries of every kind."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from urlset.writing.state_file import StateFile


class StateStore:
    """One open file; raises StateError where it cannot be used."""

    def __init__(self, kind: StateFile, path: Path) -> None:
        self.path = path
        self._kind = kind
        self._db = kind.connect(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def remember(self, **values: str) -> None:
        with self._transaction():
            self._remember(**values)

    def _remember(self, **values: str) -> None:
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing, also after a kill or on a full disk."""
        with self._kind.speaking(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def _rows(self, sql: str, values: tuple[object, ...] = ()) -> Iterator[tuple[Any, ...]]:
        with self._kind.speaking(self.path):
            yield from self._db.execute(sql, values)
