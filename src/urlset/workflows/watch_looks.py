"""One look at a watched site (check, audit, snapshot, engine reports) → signals on what may have changed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from heapq import nsmallest
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from urlset.auditing.session import SessionEnd
from urlset.checking.live_page import moment_of
from urlset.execution.workers import Where
from urlset.findings.card import Severity
from urlset.findings.finding import Finding
from urlset.findings.verdict import Verdict
from urlset.model.answer import Answer, Failure, FailureKind
from urlset.model.document import Kind
from urlset.model.shown import few
from urlset.model.visit import State
from urlset.reading.host_robots import Access, HostRobots
from urlset.rules.fetch_state import FetchState, challenged, outcome_of, said
from urlset.settings.audit import AuditSettings
from urlset.settings.check import CheckSettings
from urlset.settings.engines import StatusSettings
from urlset.settings.groups import RuleSettings
from urlset.settings.history import HistorySettings, SnapshotSettings
from urlset.settings.watch import WatchSettings
from urlset.watching.schedule import Schedule
from urlset.watching.store import LookResult, SitemapRow, WatchStore
from urlset.watching.tracker import AlertKind, Condition, KnownCondition, Measurement, Trend, moment, stamp
from urlset.web.failures import Certificate, certificate_of
from urlset.web.options import WebOptions
from urlset.workflows.audit.audit import audited
from urlset.workflows.check import check
from urlset.workflows.check_live import Observer
from urlset.workflows.engines_status import SitemapStatus, status
from urlset.workflows.history import history
from urlset.workflows.snapshot import snapshot
from urlset.workflows.submit import named_loopback


class JobKind(StrEnum):
    """In the order in which jobs that are due at the same time run: a snapshot keeps what an audit found."""

    CHECK = "check"
    AUDIT = "audit"
    SNAPSHOT = "snapshot"
    ENGINES = "engines"


class WatchedSite(msgspec.Struct, frozen=True, kw_only=True):
    url: str
    schedules: dict[JobKind, Schedule]
    pages_per_day: int
    property: str | None = None
    always: frozenset[JobKind] = frozenset()
    """jobs that --once runs each time, because nothing says when they are due"""


class Look(msgspec.Struct, frozen=True):
    """What every job gets: the site, what is known, how and when to look."""

    site: WatchedSite
    kind: JobKind
    store: WatchStore
    settings: WatchSettings
    now: datetime

    @property
    def web(self) -> WebOptions:
        return named_loopback(self.settings.fetching, [self.site.url])

    @property
    def judged(self) -> dict[str, Any]:
        """The settings of a check or an audit."""
        return {**self.settings.values(RuleSettings), "now": self.now}

    def known(self, kind: AlertKind, subject: str) -> KnownCondition | None:
        """What this job knows of it; each job has its own conditions."""
        return self.store.known(self.site.url, self.kind, kind, subject)

    def subjects(self, kind: AlertKind) -> list[str]:
        return self.store.subjects(self.site.url, self.kind, kind)


# Findings of one look → a signal for each rule whose count may have changed: new errors, and dates gone wrong.

_DATES = ("D", "Q020")
"""rules on lastmod, and the one on dates that move without a change"""


def finding_signals(ask: Look, verdict: Verdict, counts: Counter[str], *, complete: bool) -> Iterator[Measurement]:
    """New errors and wrong dates by rule. What was not looked at cannot have been solved."""
    examples: dict[str, Finding] = {}
    for finding in verdict.findings:
        examples.setdefault(finding.code, finding)
    wanted = {code: kind for code, finding in examples.items() if (kind := _kind_of(finding)) and counts[code]}
    for kind in (AlertKind.NEW_ERRORS, AlertKind.DATES):
        for code in ask.subjects(kind):
            if code in verdict.cards:
                wanted.setdefault(code, kind)
    for code, kind in wanted.items():
        known = ask.known(kind, code)
        count = counts[code]
        if not complete and count <= ((known.level or 0) if known is not None else 0):
            continue
        example = examples.get(code)
        name = example.name if example is not None else code
        times = "1 finding" if count == 1 else f"{count:,} findings"
        shown = {} if example is None else {"example": example.message, "where": example.subject or example.source}
        yield Measurement(
            kind=kind,
            subject=code,
            count=count,
            severity=example.severity if example is not None else Severity.ERROR,
            message=f"{code} {name}: {times}",
            recovered=f"{code} is solved" if not count else f"{code} is back to {times}",
            details={"rule": code, "name": name, "count": count, **shown},
        )


def _kind_of(finding: Finding) -> AlertKind | None:
    if finding.code.startswith(_DATES) and (finding.severity.at_least(Severity.WARNING) or finding.code in _DATES):
        return AlertKind.DATES
    return AlertKind.NEW_ERRORS if finding.severity is Severity.ERROR else None


# A check → signals: sitemaps, URLs, errors, dates, robots.txt and the certificate.

_GONE = frozenset({FetchState.MISSING, FetchState.LOCKED})
_READ_AGAIN_AFTER = timedelta(days=1)
"""a sitemap whose date in the index stays the same is still read once a day"""
_ALWAYS = 50
"""sitemaps that each check requests whatever their date is, those first that were read longest ago"""
_NOT_SEEN_AFTER = timedelta(days=1)
_PAGES = frozenset(kind.value for kind in Kind if kind.lists_pages)
_SITEMAPS = frozenset(kind.value for kind in Kind if kind.is_sitemap)
_LONGEST_ROBOTS = 64 << 10


def check_site(ask: Look) -> LookResult:
    known = ask.store.sitemaps(ask.site.url)
    observed = _Observed(known, ask)
    web = msgspec.structs.replace(ask.web, cache=Path(ask.settings.state) / "watch-cache")
    settings = CheckSettings(**ask.judged, jobs=1, web=web, max_files=ask.settings.max_files)
    verdict = check([ask.site.url], settings, observer=observed)
    rows = tuple(_rows(verdict, observed, known, ask))
    read = [row for row in rows if row.state == FetchState.READ]
    complete = bool(observed.answers) and all(row.state == FetchState.READ for row in rows) and not verdict.empty
    no_sitemap = bool(verdict.empty) and not observed.answers and _robots_text(observed.host_robots) is not None
    seen = bool(read) or no_sitemap or any(row.url in observed.answers and row.state in _GONE for row in rows)
    explained = {row.url for row in rows if row.state in _GONE}
    counts = Counter(verdict.counts)
    for finding in verdict.findings:  # those that a missing sitemap explains are left out
        if finding.subject in explained or finding.source in explained:
            counts[finding.code] -= 1
    findings = +counts
    signals = [
        *_sitemap_signals(ask, verdict.empty[0] if no_sitemap else "", observed, rows, known),
        *_robots_signals(observed.host_robots),
        *certificate_signals(ask),
        *finding_signals(ask, verdict, findings, complete=complete),
    ]
    urls = sum(row.entries for row in rows)
    if seen and (read or known):
        signals.append(_urls(ask, urls, complete=complete or bool(read)))
    signals.append(
        Measurement(
            kind=AlertKind.NOT_SEEN,
            subject=ask.site.url,
            condition=Condition.OK if seen else Condition.BAD,
            severity=Severity.WARNING,
            patience=_NOT_SEEN_AFTER,
            message=f"nothing could be read for a day, so the state of the site is unknown: {_reason(verdict)}",
            recovered="the site can be looked at again",
        )
    )
    return LookResult(
        result="ok" if seen else "unknown",
        signals=tuple(signals),
        message="" if complete and not verdict.unread else _unread(verdict, observed, rows),
        requests=observed.requests,
        urls=urls if seen else None,
        findings=dict(findings),
        sitemaps=rows if seen else None,
    )


class _Observed(Observer):
    """What the check met on its way."""

    def __init__(self, known: dict[str, SitemapRow], ask: Look) -> None:
        self._known, self._ask = known, ask
        self.answers: dict[str, Answer] = {}
        self.lastmods: dict[str, str | None] = {}
        self.host_robots: HostRobots | None = None
        self.requests = 1
        self._due = {row.url for row in nsmallest(_ALWAYS, known.values(), key=lambda row: row.read or "")}

    def robots(self, robots: HostRobots) -> None:
        self.host_robots = self.host_robots or robots

    def listed(self, url: str, lastmod: str | None) -> None:
        self.lastmods[url] = lastmod.strip() if lastmod else None

    def arrived(self, url: str, answer: Answer) -> None:
        self.answers[url] = msgspec.structs.replace(answer, body=b"")
        self.requests += not self.still_valid(url)

    def still_valid(self, url: str) -> bool:
        """By its date in the index, if it was read within a day and nothing was wrong with it."""
        row, lastmod = self._known.get(url), self.lastmods.get(url)
        if row is None or row.read is None or row.state != FetchState.READ or not lastmod or url in self._due:
            return False
        age = self._ask.now - moment(row.read)
        return row.listed_lastmod == lastmod and timedelta(0) <= age < _READ_AGAIN_AFTER


def _rows(verdict: Verdict, observed: _Observed, known: dict[str, SitemapRow], ask: Look) -> Iterator[SitemapRow]:
    """Every requested sitemap; and known ones that could not be reached through their index this time."""
    documents = {document.source: document for document in verdict.documents}
    hidden = False
    for url, answer in observed.answers.items():
        before = known.get(url)
        state = outcome_of(answer)
        document = documents.get(url)
        lastmod = observed.lastmods.get(url)
        if state is FetchState.READ and document is not None and document.kind in _SITEMAPS:
            entries = document.entries if document.kind in _PAGES else 0
            read = before.read if before is not None and observed.still_valid(url) else stamp(ask.now)
            yield SitemapRow(
                url=url, state=state.value, entries=entries, sha256=document.sha256, listed_lastmod=lastmod, read=read
            )
            continue
        if state is FetchState.READ:
            state = FetchState.MISSING if before is not None and before.read else FetchState.UNKNOWN
        hidden = True
        if before is not None:
            yield msgspec.structs.replace(before, state=state.value)
        elif state in _GONE:
            yield SitemapRow(url=url, state=state.value)
    if hidden or verdict.empty or not observed.answers:
        for url, before in known.items():
            if url not in observed.answers:
                yield before if before.state in _GONE else msgspec.structs.replace(before, state=FetchState.UNKNOWN)


def _sitemap_signals(
    ask: Look, no_sitemap: str, observed: _Observed, rows: tuple[SitemapRow, ...], known: dict[str, SitemapRow]
) -> Iterator[Measurement]:
    """`no_sitemap`: the site has none at all, and why that is certain."""
    there = {row.url: row for row in rows}
    if ask.site.url not in there and (no_sitemap or observed.answers):
        state = Condition.BAD if no_sitemap else Condition.OK
        words = no_sitemap.removeprefix(f"{ask.site.url}: ")
        yield _missing(ask.site.url, state, words, recovered="the site has a sitemap again")
    for row in rows:
        answer = observed.answers.get(row.url)
        if answer is None:
            continue
        if row.state in _GONE:
            if row.url in known and known[row.url].read:
                yield _missing(row.url, Condition.BAD, f"{row.url}: {_problem(answer)}", entries=row.entries)
        elif row.state == FetchState.READ:
            yield _missing(row.url, Condition.OK, "")
    for url in ask.subjects(AlertKind.SITEMAP_MISSING):
        if url not in there and url != ask.site.url and observed.answers:
            yield _missing(url, Condition.OK, "", recovered=f"{url} is no longer listed")


def _missing(url: str, state: Condition, message: str, *, entries: int = 0, recovered: str = "") -> Measurement:
    return Measurement(
        kind=AlertKind.SITEMAP_MISSING,
        subject=url,
        condition=state,
        message=message,
        recovered=recovered or f"{url} can be read again",
        details={"urls_before": entries} if entries else {},
    )


def _robots_text(robots: HostRobots | None) -> str | None:
    """Empty where there is no such file; None where a block or a failure hides it."""
    if robots is None or robots.answer is None or challenged(robots.answer) is not None:
        return None
    if robots.access is Access.RULES:
        lines = (line.strip() for line in robots.answer.body.decode("utf-8", "replace").splitlines())
        return "\n".join(filter(None, lines))[:_LONGEST_ROBOTS]
    return "" if robots.answer.failure is None and robots.answer.status in (404, 410) else None


def _robots_signals(robots: HostRobots | None) -> Iterator[Measurement]:
    text = _robots_text(robots)
    if robots is None or text is None:
        return
    where = f"{robots.origin}/robots.txt"
    yield Measurement(
        kind=AlertKind.ROBOTS_CHANGED,
        subject=where,
        digest=hashlib.sha256(text.encode()).hexdigest(),
        content=text,
        severity=Severity.WARNING,
        message=f"{where} changed" if text else f"{where} is empty or gone",
    )


def _urls(ask: Look, urls: int, *, complete: bool) -> Measurement:
    known = ask.known(AlertKind.URLS_FELL, ask.site.url)
    before = known.level if known is not None and known.level is not None else urls
    share = f" ({(before - urls) / before:.0%} fewer)" if before > urls else ""
    listed = f"{urls:,} {'entry is' if urls == 1 else 'entries are'} listed"
    return Measurement(
        kind=AlertKind.URLS_FELL,
        subject=ask.site.url,
        condition=None if complete else Condition.UNKNOWN,
        count=urls,
        trend=Trend.FALL,
        message=f"{listed}, {before:,} before{share}",
        recovered=f"{listed} again",
        details={"urls": urls, "urls_before": before},
    )


def _unread(verdict: Verdict, observed: _Observed, rows: Sequence[SitemapRow]) -> str:
    """The first sitemap that was not read, with the reason; also at the first look, which sends no alert."""
    gone = next((row for row in rows if row.state in _GONE and row.url in observed.answers), None)
    if verdict.unread or gone is None:
        return _reason(verdict)
    return f"{gone.url}: {_problem(observed.answers[gone.url])}"


def _problem(answer: Answer) -> str:
    return "not a sitemap" if answer.ok else said(answer)


def _reason(verdict: Verdict) -> str:
    return next(iter(verdict.unread), "nothing could be read")


# An https site → signals on its certificate: about to expire, expired, or another one than before.

_SOON = timedelta(days=14)
_WRONG_FOR_EVERYONE = frozenset({FailureKind.TLS_EXPIRED, FailureKind.TLS_NAME})


def certificate_signals(ask: Look) -> Iterator[Measurement]:
    url, web = ask.site.url, ask.web
    if urlsplit(url).scheme.lower() != "https" or web.replay is not None or not web.verify_tls:
        return
    if web.access.mappings or web.access.pins or web.access.proxy is not None:
        return  # another server would be asked than the one that answers requests
    found = certificate_of(url, web)
    where = urlsplit(url).netloc
    if isinstance(found, Failure):
        if found.kind in _WRONG_FOR_EVERYONE:
            yield _validity(where, Condition.BAD, f"certificate of {where}: {found}")
        return
    left = found.until - ask.now
    words = f"certificate of {where} expires on {found.until:%Y-%m-%d}, in {max(left.days, 0)} days"
    yield _validity(where, Condition.BAD if left < _SOON else Condition.OK, words, found)
    yield Measurement(
        kind=AlertKind.CERTIFICATE_CHANGED,
        subject=where,
        digest=found.fingerprint,
        content=f"issuer: {found.issuer}\nvalid until: {found.until:%Y-%m-%d}\nSHA-256: {found.fingerprint}",
        severity=Severity.INFO,
        message=f"certificate of {where} changed: issued by {found.issuer}, valid until {found.until:%Y-%m-%d}",
    )


def _validity(where: str, state: Condition, message: str, found: Certificate | None = None) -> Measurement:
    until = {} if found is None else {"valid_until": f"{found.until:%Y-%m-%dT%H:%M:%SZ}", "issuer": found.issuer}
    return Measurement(
        kind=AlertKind.CERTIFICATE,
        subject=where,
        condition=state,
        message=message,
        recovered=f"certificate of {where} is valid",
        details=until,
    )


# An audit of the pages that may have changed → signals: noindex, and errors of pages.

NOINDEX = frozenset({"A006", "A007", "A008", "A010"})
_DAY = timedelta(days=1)
_SMALL = 50
"""pages that every audit may request: a small site is always looked at in full"""
_UNSURE = 0.05
_EXAMPLES = 5


def audit_site(ask: Look) -> LookResult:
    # the share of the daily budget that the time since the last audit earns
    budget = ask.site.pages_per_day
    left = max(0, budget - ask.store.pages_used(ask.site.url, stamp(ask.now)[:10]))
    last = ask.store.job(ask.site.url, JobKind.AUDIT).started
    share = 1.0 if last is None else min(1.0, max(0.0, (ask.now - moment(last)) / _DAY))
    most = min(left, max(_SMALL, round(budget * share)))
    if not most:
        return LookResult(result="ok", message=f"the {ask.site.pages_per_day:,} page requests of today are used up")
    settings = AuditSettings(**ask.judged, target=ask.site.url, state=ask.settings.state, web=ask.web, check=False)
    with audited(settings, refresh=most) as found:
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


# A snapshot → the counts of the site, and a signal where its dates stopped telling the truth.

_LAST = 8
"""snapshots that the honesty of dates is judged by"""


def snapshot_site(ask: Look) -> LookResult:
    settings = SnapshotSettings(
        target=ask.site.url,
        state=ask.settings.state,
        keep=ask.settings.keep,
        web=ask.web,
        max_files=ask.settings.max_files,
        executor=Where.LOCAL,
    )
    report = snapshot(settings, now=ask.now)
    signals: list[Measurement] = []
    if not report.info.missing:
        site = history(HistorySettings(target=ask.site.url, state=ask.settings.state, last=_LAST), now=ask.now).site
        if site is not None:
            signals += finding_signals(ask, site.verdict, Counter(site.verdict.counts), complete=True)
    return LookResult(
        result="ok",
        signals=tuple(signals),
        message=few(report.info.missing, 3, joined="; "),
        requests=len(report.info.files) + 1,
        urls=report.info.listed,
    )


# The engines' reports on sitemaps → signals: not read for a week, and errors the engines report.

_TOO_LONG = timedelta(days=7)


def read_engines(ask: Look) -> LookResult:
    """Raises SecretError where there are no credentials."""
    report = status(StatusSettings(target=ask.site.url, property=ask.site.property, web=ask.web))
    complete = not report.unreachable and not report.verdict.troubled
    signals = [_reading(row, ask.now) for row in report.sitemaps if row.known]
    signals += finding_signals(ask, report.verdict, Counter(report.verdict.counts), complete=complete)
    return LookResult(
        result="ok" if report.sitemaps else "unknown",
        signals=tuple(signals),
        message="; ".join(report.unreachable),
        requests=len(report.verdict.documents) + 1,
        findings=dict(report.verdict.counts),
    )


def _reading(row: SitemapStatus, now: datetime) -> Measurement:
    """Measured from the last time it was read, or else from its submission."""
    last = moment_of(row.last_read) or moment_of(row.submitted)
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


LOOKS: dict[JobKind, Callable[[Look], LookResult]] = {
    JobKind.CHECK: check_site,
    JobKind.AUDIT: audit_site,
    JobKind.SNAPSHOT: snapshot_site,
    JobKind.ENGINES: read_engines,
}
"""each raises what its workflow raises"""
