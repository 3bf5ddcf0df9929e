"""The engines' reports on a site's sitemaps → signals: not read for a week, and errors the engines report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from urlset.findings.card import Severity
from urlset.settings.engines import StatusSettings
from urlset.watching.signals import AlertKind, Condition, Measurement
from urlset.watching.store import LookResult
from urlset.workflows.engines_status import SitemapStatus, StatusReport, status
from urlset.workflows.watch.site import Look, finding_signals

_TOO_LONG = timedelta(days=7)


def look(ask: Look) -> LookResult:
    """Raises SecretError where there are no credentials."""
    report = status(StatusSettings(target=ask.site.url, property=ask.site.property, web=ask.site.web))
    seen = bool(report.sitemaps)
    return LookResult(
        result="ok" if seen else "unknown",
        signals=tuple(_signals(ask, report)),
        message="; ".join(report.unreachable),
        requests=len(report.verdict.documents) + 1,
        findings=dict(report.verdict.counts),
    )


def _signals(ask: Look, report: StatusReport) -> Iterator[Measurement]:
    for row in report.sitemaps:
        if row.known:
            yield _read(row, ask.now)
    complete = not report.unreachable and not report.verdict.troubled
    yield from finding_signals(ask, report.verdict, Counter(report.verdict.counts), complete=complete)


def _read(row: SitemapStatus, now: datetime) -> Measurement:
    """Measured from the last time it was read, or else from its submission."""
    last = _time(row.last_read) or _time(row.submitted)
    state = Condition.UNKNOWN if last is None else Condition.BAD if now - last > _TOO_LONG else Condition.OK
    engine = row.engine.title()
    when = f"last read on {row.last_read[:10]}" if row.last_read else "never read"
    return Measurement(
        kind=AlertKind.NOT_READ,
        subject=f"{row.engine} {row.url}",
        condition=state,
        severity=Severity.WARNING,
        message=f"{engine} has not read {row.url} for a week: {when}",
        recovered=f"{engine} has read {row.url}",
        details={"engine": row.engine, "sitemap": row.url, "last_read": row.last_read, "submitted": row.submitted},
    )


def _time(text: str | None) -> datetime | None:
    try:
        found = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found is not None and found.tzinfo is None else found
