"""An order on standard input → a check, an audit or a snapshot: progress on standard output, reports in a folder.

Run as a separate process: it can be stopped, and whatever it needs or breaks does not affect the server.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import msgspec

from urlset.auditing.session import Session, SessionEnd
from urlset.checking import clock
from urlset.dashboard.runs import RunOrder, RunProgress
from urlset.execution.workers import Where
from urlset.findings.card import Severity
from urlset.findings.verdict import Verdict
from urlset.model.shown import amount
from urlset.reports.format import Pieces, ReportOptions, report_pieces, reporter
from urlset.reports.wording import sum_line
from urlset.settings.audit import AuditSettings
from urlset.settings.check import CheckSettings
from urlset.settings.history import SnapshotSettings
from urlset.snapshots.series import SnapshotError
from urlset.workflows.audit.audit import audited
from urlset.workflows.audit.sources import AuditError
from urlset.workflows.check import check
from urlset.workflows.snapshot import snapshot
from urlset.writing.files import private_file
from urlset.writing.sqlite_store import StateError

_EVERY = 0.25


class Reporting:
    """Lines of progress, not more often than anyone can read; an AuditProgress too."""

    def __init__(self) -> None:
        self._last = 0.0

    def say(self, progress: RunProgress, *, now: bool = False) -> None:
        if now or time.monotonic() - self._last >= _EVERY:
            self._last = time.monotonic()
            sys.stdout.buffer.write(msgspec.json.encode(progress) + b"\n")
            sys.stdout.buffer.flush()

    def checking(self, done: int, known: int) -> None:
        self.say(RunProgress("checking sitemaps", done, known))

    def taking(self, files: int, urls: int) -> None:
        self.say(RunProgress(f"taking a snapshot: {amount(urls, 'URL')} in {amount(files, 'sitemap')}"))

    def listing(self, sitemaps: int, pages: int) -> None:
        self.say(RunProgress(f"reading sitemaps: {amount(sitemaps, 'sitemap')}, {amount(pages, 'page')}"))

    def asking(self, session: Session) -> None:
        self.say(RunProgress("requesting pages", session.done, session.total, dict(session.states)))

    def judging(self) -> None:
        self.say(RunProgress("judging pages"), now=True)


def main() -> int:
    order = RunOrder.decode(sys.stdin.buffer.read())
    reporting = Reporting()
    try:
        summary = _WORK[order.kind](order, reporting)
    except (AuditError, SnapshotError, StateError, OSError, ValueError) as error:
        reporting.say(RunProgress("failed", problem=str(error)), now=True)
        return 1
    reporting.say(RunProgress("finished", summary=summary), now=True)
    return 0


def _check(order: RunOrder, reporting: Reporting) -> str:
    verdict = check([order.target], CheckSettings(web=order.web, jobs=1), progress=reporting.checking)
    options = _options(order)
    for form in ("html", "json", "csv"):
        _write(order.folder / f"report.{form}", reporter(form)(verdict, options))
    _need(verdict)
    return sum_line(verdict, Severity.INFO)


def _need(verdict: Verdict) -> None:
    if verdict.troubled and verdict.covers_nothing:
        raise ValueError(verdict.troubled[0])


def _audit(order: RunOrder, reporting: Reporting) -> str:
    settings = AuditSettings(target=order.target, state=order.state, web=order.web)
    with audited(settings, watch=reporting) as outcome:
        report = outcome.report
        _need(report.verdict)
        for form in ("html", "json", "csv"):
            _write(order.folder / f"report.{form}", report_pieces("audit", form, report, _options(order)))
        summary = f"{amount(report.seen, 'page')} requested: {sum_line(report.verdict, Severity.INFO)}"
        if outcome.ended is not SessionEnd.FINISHED:
            return f"{outcome.ended.value} after {summary}; the next audit resumes it"
    return f"{summary}; {_snapshot(order, reporting)}"


def _snapshot(order: RunOrder, reporting: Reporting) -> str:
    settings = SnapshotSettings(
        target=order.target, state=order.state, keep=order.keep, web=order.web, executor=Where.LOCAL
    )
    taken = snapshot(settings, progress=reporting.taking)
    unread = f", {amount(len(taken.info.missing), 'sitemap')} not read" if taken.info.missing else ""
    return f"snapshot of {amount(taken.info.listed, 'URL')}{unread}"


def _options(order: RunOrder) -> ReportOptions:
    return ReportOptions(command=order.kind, target=(order.target,), made=clock.now())


def _write(path: Path, pieces: Pieces) -> None:
    with private_file(path).open("wb") as file:
        for piece in pieces:
            file.write(piece if isinstance(piece, bytes) else piece.encode("utf-8", "replace"))


_WORK = {"check": _check, "audit": _audit, "snapshot": _snapshot}

if __name__ == "__main__":
    sys.exit(main())
