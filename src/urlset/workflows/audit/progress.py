"""The stages of a running audit → calls that a command can show."""

from __future__ import annotations

from typing import Protocol

from urlset.auditing.session import Session


class AuditProgress(Protocol):
    """Receives the progress of an audit."""

    def listing(self, sitemaps: int, pages: int) -> None: ...

    def asking(self, session: Session) -> None: ...

    def judging(self) -> None: ...


class NoProgress:
    """Ignores it."""

    def listing(self, sitemaps: int, pages: int) -> None:
        del sitemaps, pages

    def asking(self, session: Session) -> None:
        del session

    def judging(self) -> None:
        pass
