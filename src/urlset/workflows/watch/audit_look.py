"""An audit of the pages that may have changed → signals: noindex, and errors of pages."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from urlset.auditing.session import SessionEnd
from urlset.findings.card import Severity
from urlset.findings.verdict import Verdict
from urlset.model.visit import State
from urlset.watching.signals import AlertKind, Measurement, moment, stamp
from urlset.watching.store import LookResult
from urlset.workflows.audit.audit import AuditRun, audited
from urlset.workflows.audit.options import AuditOptions
from urlset.workflows.watch.site import JobKind, Look, finding_signals

NOINDEX = frozenset({"A006", "A007", "A008", "A010"})
_DAY = timedelta(days=1)
_SMALL = 50
"""pages that every audit may request: a small site is always looked at in full"""
_UNSURE = 0.05
_EXAMPLES = 5


def look(ask: Look) -> LookResult:
    most = pages_now(ask)
    if not most:
        return LookResult(result="ok", message=f"the {ask.site.pages_per_day:,} page requests of today are used up")
    options = AuditOptions(target=ask.site.url, state=ask.state, refresh=most, web=ask.site.web)
    with audited(options, ask.site.judge, now=ask.now) as found:
        return _outcome(ask, found)


def pages_now(ask: Look) -> int:
    """The share of the daily budget that the time since the last audit earns."""
    budget = ask.site.pages_per_day
    left = max(0, budget - ask.store.pages_used(ask.site.url, stamp(ask.now)[:10]))
    last = ask.store.job(ask.site.url, JobKind.AUDIT).started
    share = 1.0 if last is None else min(1.0, max(0.0, (ask.now - moment(last)) / _DAY))
    return min(left, max(_SMALL, round(budget * share)))


def _outcome(ask: Look, found: AuditRun) -> LookResult:
    report = found.report
    states = {state.value: count for state, count in report.states.items()}
    seen = bool(report.listed)
    before = ask.store.last_states(ask.site.url)
    unsure = _unsure(states)
    finished = seen and not found.unreadable and found.ended is SessionEnd.FINISHED
    complete = finished and unsure <= max(_unsure(before), _UNSURE * report.listed)
    counts = Counter(report.verdict.counts)
    noindex = sum(counts.pop(code, 0) for code in NOINDEX)
    signals = list(finding_signals(ask, report.verdict, counts, complete=complete))
    signal = _noindex(ask, report.verdict, noindex, report.listed)
    if complete or noindex > signal.details["pages_before"]:
        signals.append(signal)
    return LookResult(
        result="ok" if seen else "unknown",
        signals=tuple(signals) if seen else (),
        message="" if seen else next(iter(report.verdict.troubled), "no page is listed"),
        requests=found.asked,
        urls=report.listed if seen else None,
        findings=dict(report.verdict.counts),
        states=states,
        page_requests=found.asked,
    )


def _unsure(states: dict[str, int]) -> int:
    return states.get(State.BLOCKED.value, 0) + states.get(State.UNKNOWN.value, 0)


def _noindex(ask: Look, verdict: Verdict, pages: int, listed: int) -> Measurement:
    found = [each.subject for each in verdict.findings if each.code in NOINDEX and each.subject]
    known = ask.known(AlertKind.NOINDEX, ask.site.url)
    before = known.level or 0 if known is not None else 0
    return Measurement(
        kind=AlertKind.NOINDEX,
        subject=ask.site.url,
        count=pages,
        severity=Severity.ERROR,
        message=f"{pages:,} of {listed:,} listed pages have noindex, {before:,} before",
        recovered=f"{pages:,} listed pages have noindex" if pages else "no listed page has noindex",
        details={"pages": pages, "pages_before": before, "examples": list(dict.fromkeys(found))[:_EXAMPLES]},
    )
