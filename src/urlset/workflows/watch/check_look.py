"""A check of one site → signals: sitemaps, URLs, errors, dates, robots.txt and the certificate."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from heapq import nsmallest
from urllib.parse import urlsplit

import msgspec

from urlset.findings.card import Severity
from urlset.findings.verdict import Verdict
from urlset.model.answer import Answer, Failure, FailureKind
from urlset.model.document import Kind
from urlset.reading.host_robots import Access, HostRobots
from urlset.rules.robots.fetch_state import FetchState, challenged, outcome_of, said
from urlset.settings.check import CheckSettings
from urlset.settings.groups import JudgeSettings
from urlset.watching.signals import AlertKind, Condition, Measurement, Trend, moment, stamp
from urlset.watching.store import LookResult, SitemapRow
from urlset.web.certificate import Certificate, certificate_of
from urlset.workflows.check import check
from urlset.workflows.live.setup import Live, Observer
from urlset.workflows.watch.site import Look, finding_signals

_GONE = frozenset({FetchState.MISSING, FetchState.LOCKED})
_READ_AGAIN_AFTER = timedelta(days=1)
"""a sitemap whose date in the index stays the same is still read once a day"""
_ALWAYS = 50
"""sitemaps that each check requests whatever their date is, those first that were read longest ago"""
_NOT_SEEN_AFTER = timedelta(days=1)
_PAGES = frozenset(kind.value for kind in Kind if kind.lists_pages)
_SITEMAPS = frozenset(kind.value for kind in Kind if kind.is_sitemap)
_LONGEST_ROBOTS = 64 << 10


def look(ask: Look) -> LookResult:
    known = ask.store.sitemaps(ask.site.url)
    met = _Met(known, ask)
    live = Live(
        msgspec.structs.replace(ask.site.web, cache=ask.state / "watch-cache"),
        ask.site.max_files,
        still_valid=met.still_valid,
        observer=met,
    )
    settings = CheckSettings(**{**ask.site.judge.values(JudgeSettings), "now": ask.now}, jobs=1)
    verdict = check([ask.site.url], settings, live=live)
    rows = tuple(_rows(verdict, met, known, ask))
    read = [row for row in rows if row.state == FetchState.READ]
    complete = bool(met.answers) and all(row.state == FetchState.READ for row in rows) and not verdict.empty
    no_sitemap = bool(verdict.empty) and not met.answers and _robots_text(met.host_robots) is not None
    seen = bool(read) or no_sitemap or any(row.url in met.answers and row.state in _GONE for row in rows)
    explained = {row.url for row in rows if row.state in _GONE}
    findings = _counted(verdict, explained)
    signals = [
        *_sitemap_signals(ask, verdict.empty[0] if no_sitemap else "", met, rows, known),
        *_robots_signals(met.host_robots),
        *certificate_signals(ask),
        *finding_signals(ask, verdict, findings, complete=complete),
    ]
    urls = sum(row.entries for row in rows)
    if seen and (read or known):
        signals.append(_urls(ask, urls, complete=complete or bool(read)))
    signals.append(_seen(ask, verdict, seen=seen))
    return LookResult(
        result="ok" if seen else "unknown",
        signals=tuple(signals),
        message="" if complete and not verdict.unread else _unread(verdict, met, rows),
        requests=met.requests,
        urls=urls if seen else None,
        findings=dict(findings),
        sitemaps=rows if seen else None,
    )


class _Met(Observer):
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


def _rows(verdict: Verdict, met: _Met, known: dict[str, SitemapRow], ask: Look) -> Iterator[SitemapRow]:
    """Every requested sitemap; and known ones that could not be reached through their index this time."""
    documents = {document.source: document for document in verdict.documents}
    hidden = False
    for url, answer in met.answers.items():
        before = known.get(url)
        state = outcome_of(answer)
        document = documents.get(url)
        lastmod = met.lastmods.get(url)
        if state is FetchState.READ and document is not None and document.kind in _SITEMAPS:
            entries = document.entries if document.kind in _PAGES else 0
            read = before.read if before is not None and met.still_valid(url) else stamp(ask.now)
            yield SitemapRow(
                url=url,
                state=state.value,
                entries=entries,
                sha256=document.sha256,
                listed_lastmod=lastmod,
                read=read,
            )
            continue
        if state is FetchState.READ:
            state = FetchState.MISSING if before is not None and before.read else FetchState.UNKNOWN
        hidden = True
        if before is not None:
            yield msgspec.structs.replace(before, state=state.value)
        elif state in _GONE:
            yield SitemapRow(url=url, state=state.value)
    if hidden or verdict.empty or not met.answers:
        for url, before in known.items():
            if url not in met.answers:
                yield before if before.state in _GONE else msgspec.structs.replace(before, state=FetchState.UNKNOWN)


def _sitemap_signals(
    ask: Look, no_sitemap: str, met: _Met, rows: tuple[SitemapRow, ...], known: dict[str, SitemapRow]
) -> Iterator[Measurement]:
    """`no_sitemap`: the site has none at all, and why that is certain."""
    there = {row.url: row for row in rows}
    if ask.site.url not in there and (no_sitemap or met.answers):
        state = Condition.BAD if no_sitemap else Condition.OK
        words = no_sitemap.removeprefix(f"{ask.site.url}: ")
        yield _missing(ask.site.url, state, words, recovered="the site has a sitemap again")
    for row in rows:
        answer = met.answers.get(row.url)
        if answer is None:
            continue
        if row.state in _GONE:
            if row.url in known and known[row.url].read:
                yield _missing(row.url, Condition.BAD, f"{row.url}: {_problem(answer)}", entries=row.entries)
        elif row.state == FetchState.READ:
            yield _missing(row.url, Condition.OK, "")
    for url in ask.subjects(AlertKind.SITEMAP_MISSING):
        if url not in there and url != ask.site.url and met.answers:
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


def _counted(verdict: Verdict, explained: set[str]) -> Counter[str]:
    """Findings by code, without those that a missing sitemap explains."""
    counts = Counter(verdict.counts)
    for finding in verdict.findings:
        if finding.subject in explained or finding.source in explained:
            counts[finding.code] -= 1
    return +counts


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


def _unread(verdict: Verdict, met: _Met, rows: Sequence[SitemapRow]) -> str:
    """The first sitemap that was not read, with the reason; also at the first look, which sends no alert."""
    gone = next((row for row in rows if row.state in _GONE and row.url in met.answers), None)
    if verdict.unread or gone is None:
        return _reason(verdict)
    return f"{gone.url}: {_problem(met.answers[gone.url])}"


def _problem(answer: Answer) -> str:
    return "not a sitemap" if answer.ok else said(answer)


def _reason(verdict: Verdict) -> str:
    return next(iter(verdict.unread), "nothing could be read")


def _seen(ask: Look, verdict: Verdict, *, seen: bool) -> Measurement:
    return Measurement(
        kind=AlertKind.NOT_SEEN,
        subject=ask.site.url,
        condition=Condition.OK if seen else Condition.BAD,
        severity=Severity.WARNING,
        patience=_NOT_SEEN_AFTER,
        message=f"nothing could be read for a day, so the state of the site is unknown: {_reason(verdict)}",
        recovered="the site can be looked at again",
    )


# An https site → signals on its certificate: about to expire, expired, or another one than before.

_SOON = timedelta(days=14)
_WRONG_FOR_EVERYONE = frozenset({FailureKind.TLS_EXPIRED, FailureKind.TLS_NAME})


def certificate_signals(ask: Look) -> Iterator[Measurement]:
    url, web = ask.site.url, ask.site.web
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
