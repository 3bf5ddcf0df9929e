"""A sitemap, a site or a build folder → every listed page looked at, judged, and reported.

    with audited(settings) as outcome:
        ...outcome.report.verdict, outcome.report.pages()...

The report reads pages from the state on disk, so it is good only inside the block.
"""

from __future__ import annotations

import contextlib
import shlex
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from urlset.auditing.sample import SampleSize, refresh
from urlset.auditing.second_look import second_look
from urlset.auditing.session import MOST_VERSIONS, RecentVisit, Session, SessionEnd
from urlset.auditing.store import MEDIA, STORE, AuditStore, Begun, What
from urlset.checking import clock
from urlset.checking.baseline import Baseline
from urlset.checking.context import Context
from urlset.checking.live_page import LIVE, Comparison, Delivery, LivePage, PageLinks
from urlset.findings.card import Severity
from urlset.findings.verdict import NotChecked, Verdict, join
from urlset.model.document import Document
from urlset.model.visit import State
from urlset.reports.pages import AuditReport, AuditTotals, NotAsked, PageRow
from urlset.settings.audit import AuditSettings
from urlset.settings.check import CheckSettings
from urlset.settings.declare import StrPath
from urlset.settings.groups import JudgeSettings, SitemapFetchSettings, WorkerSettings
from urlset.spec.signals import PageSignal
from urlset.storage.paths import is_address
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import WebOptions
from urlset.workflows.audit.compare import changes_since, earlier_audit
from urlset.workflows.audit.judge import AuditDates, AuditJudge, Compare
from urlset.workflows.audit.rows import Inlinks, ProblemRows, ReportRows
from urlset.workflows.audit.sites import ask_sites
from urlset.workflows.audit.sources import (
    AuditError,
    ExportedSite,
    FolderSite,
    Projection,
    audit_database,
    choose,
    folder_of,
    list_local,
    list_remote,
    plan_of,
    visit_folder,
)
from urlset.workflows.check import check
from urlset.workflows.check_file import chosen_rules, overrides
from urlset.workflows.live.interrupt import stopping_calmly
from urlset.workflows.live.tree import LiveTree
from urlset.workflows.ls import NO_DOCUMENTS
from urlset.writing.files import STATE_ROOT, sweep_once, work_folder

if TYPE_CHECKING:
    from urlset.workflows.audit.crawled import CrawledSite

_OLD = timedelta(days=1)
_HOSTS_NAMED = 5
_TREND = 12
"""audits that are remembered"""


class AuditRun(msgspec.Struct, frozen=True):
    """The report, and how the run came to its end."""

    report: AuditReport
    ended: SessionEnd
    left: int = 0
    """pages that are still to be asked"""
    unreadable: int = 0
    """sitemaps that could not be read"""
    not_sitemaps: int = 0
    """targets that were read and are something else"""
    asked: int = 0
    """pages that were requested now"""


@contextmanager
def audited(
    settings: AuditSettings,
    *,
    watch: AuditProgress | None = None,
    crawled: CrawledSite | None = None,
    refresh: int | None = None,
    documents: Mapping[str, Document] = NO_DOCUMENTS,
) -> Iterator[AuditRun]:
    """Raises AuditError, CompareError, StateError, and UnknownSelectorError for a bad selector.

    `crawled` is a crawl of the same site, which the listing is compared with; pages that it visited are not requested
    again. `refresh` limits the requests to so many pages, those first that may have changed; the others keep what was
    seen before. `documents` are targets in memory, by name.
    """
    chosen_rules(settings)
    if settings.parts is not None:
        from urlset.workflows.live.result_parts import need_place

        need_place(settings.parts)
    folder = folder_of(settings, in_memory=settings.target in documents)
    earlier = earlier_audit(Path(settings.compare)) if settings.compare is not None else None
    exported = ExportedSite(tuple(map(Path, settings.crawled)), settings.base_url) if settings.crawled else None
    web = settings.fetching.keeping(Path(settings.state))
    sweep_once()
    with contextlib.ExitStack() as stack:
        if folder is not None:
            state = stack.enter_context(work_folder()) / "audit.db"
        else:
            state = audit_database(settings.target or "", Path(settings.state), web)
            if settings.fresh:
                STORE.remove(state)
        store = stack.enter_context(AuditStore(state))
        audit = _Audit(settings, store, folder, web, watch or NoProgress(), refresh, documents)
        if crawled is not None:
            audit.recent_visit = crawled.recent_visit
            audit.links, audit.inlinks = crawled.links, crawled.inlinks
        run = audit.run(exported or crawled, exported.notes if exported is not None else ())
        if settings.parts is not None and run.ended is not SessionEnd.STOPPED:
            audit.keep_parts(settings.parts, run)
        if earlier is not None:
            changes = changes_since(earlier, run.report)
            run = msgspec.structs.replace(run, report=msgspec.structs.replace(run.report, changes=changes))
        yield run


_Judged = tuple[AuditJudge, Verdict, Verdict, Projection | None, datetime]
"""what the rules said of pages, and with what the sitemaps and earlier audits add, before it is explained"""


class _Audit:
    """One run."""

    def __init__(
        self,
        settings: AuditSettings,
        store: AuditStore,
        folder: FolderSite | None,
        web: WebOptions,
        watch: AuditProgress,
        refresh: int | None,
        documents: Mapping[str, Document],
    ) -> None:
        self._documents = documents
        self._settings, self._store, self._folder, self._web = settings, store, folder, web
        self._target, self._watch, self._refresh = settings.target or "", watch, refresh
        self._now = settings.now or clock.now()
        self._notices: list[str] = []
        self.recent_visit: RecentVisit | None = None
        self.links: Callable[[str], PageLinks | None] | None = None
        self.inlinks: Inlinks = lambda _url: ()
        self._requested = 0
        self._context = Context(
            self._now, settings.engines, settings.thresholds, None, settings.base_url, policies=settings.policy
        )

    def run(self, compare: Compare | None, notes: Sequence[str] = ()) -> AuditRun:
        self._notices += notes
        if self._settings.known:
            if not self._store.recall():
                raise AuditError(f"no earlier audit of {self._target}: run it without --known first")
            ended = SessionEnd.FINISHED if self._store.meta("stage") == "done" else SessionEnd.STOPPED
        else:
            ended = self._asked()
        self._watch.judging()
        unreadable, others = (len(self._store.unlisted(why)) for why in ("troubled", "not_sitemaps"))
        return AuditRun(
            self._report(ended, compare),
            ended,
            self._store.count(chosen=True) - sum(sum(self._store.states(what).values()) for what in What),
            unreadable,
            others,
            self._requested,
        )

    def _asked(self) -> SessionEnd:
        store, ended = self._store, SessionEnd.FINISHED
        said = clock.set_back(self._now, store.meta("started"), "audit")
        if said is not None:
            self._notices.append(said)
        begun = store.begin(plan=plan_of(self._settings, self._web), started=self._now.isoformat())
        if begun.needs_listing:
            self._list(begun)
        if self._folder is not None:
            visit_folder(store, self._folder)
        elif store.count(chosen=True):
            started = datetime.fromisoformat(store.meta("started") or self._now.isoformat())
            if begun.resumed and self._now - started > _OLD:
                self._notices.append(f"resuming the audit from {started:%Y-%m-%d}; use --fresh to start over")
            # in workers, where the user wants them and there are several hosts; what is left, in this process
            by_workers = ask_sites(self._settings, self._web, store, self._named(), conditional=begun.run > 1)
            self._notices += [each for each in by_workers.notices if each not in self._notices]
            self._requested, self._left_out = by_workers.asked, by_workers.left_out
            ended = by_workers.ended
            if ended is SessionEnd.FINISHED:
                ended = run(self._ask(begun))
            for origin, count in self._left_out.most_common(_HOSTS_NAMED):
                self._notices.append(
                    f"{origin} blocks urlset: {count:,} of its pages were not requested and are unknown"
                )
        if self._settings.parts is None:
            self._finish(ended)
        return ended

    def _finish(self, ended: SessionEnd) -> None:
        if ended is SessionEnd.FINISHED and not self._settings.known:
            self._store.finish(clock.now().isoformat())

    def keep_parts(self, folder: StrPath, run: AuditRun) -> None:
        """The rows as parts; only then is the run finished."""
        from urlset.workflows.live.result_parts import PackedRows, keep_rows

        report, started = run.report, self._store.meta("started") or ""
        about = (report.target, started, run.ended.value, run.left, report.verdict.counts)
        rows = (row for row in report.pages())
        keep_rows(folder, started, about, rows, PackedRows(report.table("pages")))
        self._finish(run.ended)

    @property
    def _start(self) -> str | Document:
        return self._documents.get(self._target, self._target)

    @property
    def _is_remote(self) -> bool:
        return self._target not in self._documents and is_address(self._target)

    @property
    def _root(self) -> StrPath | None:
        """The folder in which children of an index are found: a folder that is audited is its own."""
        is_folder = isinstance(self._start, str) and not self._is_remote and Path(self._start).is_dir()
        return self._settings.root or (self._target if is_folder else None)

    # listing

    def _list(self, begun: Begun) -> None:
        settings = self._settings
        sample = SampleSize.parse(settings.sample) if settings.sample else None
        with self._store.listing() as listing:
            if self._is_remote:
                notify = self._notices.append
                fetching = SitemapFetchSettings(web=self._web)
                tree = LiveTree([self._target], fetching, notify=notify, resumed=begun.follows)
                list_remote(listing, tree, notify, media=settings.media, watch=self._watch.listing)
            else:
                list_local(
                    listing,
                    self._start,
                    self._notices.append,
                    root=None if self._root is None else str(self._root),
                    base_url=settings.base_url,
                    media=settings.media,
                )

        left = self._store.add_alternates(MOST_VERSIONS) if self._folder is None else 0
        if left:
            self._notices.append(f"language versions in no sitemap: {MOST_VERSIONS:,} are fetched, {left:,} are not")
        if sample is not None:
            choose(self._store, sample)
        elif self._refresh is not None:
            refresh(self._store, self._refresh)
        self._store.ready()

    # asking

    async def _ask(self, begun: Begun) -> SessionEnd:
        settings = self._settings
        # resumed: a moment ago the sitemaps were fetched
        async with (
            Client(self._web, named=self._named(), resumed=True) as client,
            second_look(settings, client, self._notices) as look,
        ):
            session = Session(
                self._store,
                client,
                settings,
                conditional=begun.run > 1,
                recent_visit=self.recent_visit,
                watch=self._watch.asking,
                second_look=look,
            )
            with stopping_calmly(session.stop):
                ended = await session.run()
        self._notices += [each for each in client.notices if each not in self._notices]
        self._requested += session.asked
        self._left_out.update(session.left_out)
        return ended

    def _named(self) -> tuple[str, ...]:
        """The addresses the user gave; for a file, the host that it lists first."""
        if self._is_remote:
            return (self._target,)
        base_url = self._settings.base_url
        return (base_url,) if base_url else tuple(url for _, _, url in islice(self._store.addresses(), 1))

    # the report

    def _judged(self, ended: SessionEnd, compare: Compare | None) -> _Judged:
        store, settings = self._store, self._settings
        judge = AuditJudge(
            store,
            chosen_rules(settings),
            self._context,
            overrides=overrides(settings.severity),
            ledger=Path(settings.state) / "ledger.db",
            file=None if self._is_remote else self._target,
        )
        projection = Projection(store) if store.count(chosen=True) < store.count() else None
        if projection is not None:
            judge.watch(projection.add)
        if compare is not None:
            judge.compare(compare, self.links)
        started = datetime.fromisoformat(store.meta("started") or self._now.isoformat())
        dates = AuditDates(store, started, settings.date_changes)
        judge.watch(dates.add)
        judged = judge.run()
        if ended is SessionEnd.FINISHED:
            dates.keep()
        over_time = dates.verdict(chosen_rules(settings), self._context, overrides(settings.severity))
        is_checked = settings.check and (ended is not SessionEnd.STOPPED or settings.known)
        checked = self._check(judged) if is_checked else Verdict()
        parts = [checked, judged, over_time, self._crawled_before(compare)]
        return judge, judged, join(parts), projection, started

    def _crawled_before(self, compare: Compare | None) -> Verdict:
        """With `--known`, the rules on links of a run with a crawl, whose links are not kept: they are not checked."""
        if not self._settings.known:
            self._store.remember(crawled="yes" if compare is not None else "")
        if compare is not None or not self._store.meta("crawled"):
            return Verdict()
        return Verdict(
            not_checked=tuple(
                NotChecked(rule.code, "links are not part of --known; run with --crawl")
                for rule in chosen_rules(self._settings)
                if rule.on is Comparison or (rule.on is LivePage and rule.when == PageSignal.LINKS)
            )
        )

    def _report(self, ended: SessionEnd, compare: Compare | None) -> AuditReport:
        store = self._store
        judge, judged, whole, projection, started = self._judged(ended, compare)
        causes, others, unexplained = judge.explained(whole)
        states = store.states()
        unasked = _UNASKED[ended]
        rows = ReportRows(self._context, judge.robots, store.find, unasked, judge.explainer)
        verdict, accepted = self._accepted(whole)
        problems = ProblemRows(
            store,
            verdict,
            [each for each in verdict.findings if each.code not in judged.cards],
            (*causes, *others),
            numbers=judge.explainer,
            remedy=rows.remedy,
            inlinks=self.inlinks,
            accepted=accepted,
        )

        def pages() -> Iterator[PageRow]:
            return map(rows.row, store.rows())

        listed = store.count(kind=What.PAGE)
        worst = (verdict.severity_counts.get(level, 0) for level in (Severity.ERROR, Severity.WARNING))
        return AuditReport(
            target=self._target,
            again=self._again(),
            verdict=verdict,
            listed=listed,
            trend=self._trend(AuditTotals(started.isoformat(), listed, states.get(State.OK, 0), *worst), ended),
            states=states,
            not_asked=tuple(self._not_asked(states, unasked)),
            causes=causes,
            others=others,
            unexplained=unexplained,
            bots=judge.bots.rows(),
            generators=tuple(each.name for each in judge.generators),
            kinds=judge.explainer.kinds.shares(),
            speeds=judge.speeds.rows(),
            estimates=projection.rows(judged.cards) if projection is not None else (),
            none_of=projection.none_of if projection is not None else None,
            page_codes=frozenset(judged.cards),
            media=dict(sum((Counter(store.states(what)) for what in MEDIA), Counter())),
            unchanged=judge.unchanged,
            remedies=dict(judge.remedies),
            reasons=judge.most_reasons(),
            notices=tuple(self._notices),
            finished=ended is SessionEnd.FINISHED,
            pages=pages,
            problems=problems,
        )

    def _trend(self, now: AuditTotals, ended: SessionEnd) -> tuple[AuditTotals, ...]:
        """The last finished audits and this one, which is remembered if it is finished too."""
        kept = msgspec.json.decode(self._store.meta("trend") or "[]", type=list[AuditTotals])
        trend = (*(each for each in kept if each.at != now.at), now)[-_TREND:]
        if ended is SessionEnd.FINISHED and not self._settings.known:
            self._store.remember(trend=msgspec.json.encode(trend).decode())
        return trend

    def _again(self) -> str:
        """The arguments that print the same report again without any request."""
        words = [self._target, *self._web.access.views]
        if self._folder is None:
            state = Path(self._settings.state)
            words += ["--known"] if state == Path(STATE_ROOT) else ["--state", str(state), "--known"]
        else:
            words += ["--root", str(self._settings.root)] if self._settings.root else []
            words += ["--base-url", self._settings.base_url or ""]
        for flag, rules in (("--select", self._settings.select), ("--ignore", self._settings.ignore)):
            words += [flag, ",".join(rules)] if rules else []
        return shlex.join(words)

    def _accepted(self, verdict: Verdict) -> tuple[Verdict, frozenset[tuple[str, str]]]:
        """The verdict without what a baseline accepts, and rule and URL of that."""
        path = self._settings.baseline
        if path is None or not Path(path).is_file():
            return verdict, frozenset()
        left = Baseline.load(Path(path)).apply(verdict, self._now)
        stays = set(map(id, left.findings))
        return left, frozenset((each.code, each.subject or "") for each in verdict.findings if id(each) not in stays)

    def _check(self, judged: Verdict) -> Verdict:
        """The sitemaps themselves, as `urlset check` judges them; trouble and most documents are in the listing."""
        listed = {each.source for each in judged.documents}
        if self._settings.known and self._is_remote:
            # what the last run said about the sitemaps, as far as its rules are selected now
            kept = self._store.meta("check")
            if kept is None:
                return Verdict()
            verdict = msgspec.json.decode(kept, type=Verdict)
            chosen = {rule.code for rule in chosen_rules(self._settings)}
            if not chosen.issuperset(verdict.counts):
                findings = tuple(each for each in verdict.findings if each.code in chosen)
                verdict = msgspec.structs.replace(
                    verdict,
                    findings=findings,
                    counts={code: count for code, count in verdict.counts.items() if code in chosen},
                    severity_counts=dict(Counter(each.severity.value for each in findings)),
                    beyond={code: count for code, count in verdict.beyond.items() if code in chosen},
                    fixable=sum(each.fix is not None for each in findings),
                )
            return verdict
        given = {**self._settings.values(JudgeSettings), **self._settings.values(WorkerSettings)}
        settings = CheckSettings(**{**given, "root": self._root, "now": self._now, "web": self._web})
        if self._web.delay and self._is_remote:
            time.sleep(self._web.delay)  # a page was requested a moment ago
        verdict = check([self._start], settings)
        others = tuple(each for each in verdict.documents if each.source not in listed)
        live = {rule.code for rule in chosen_rules(self._settings) if rule.on in LIVE and rule.on is not Delivery}
        skipped = tuple(each for each in verdict.not_checked if each.code not in live)  # an audit runs those itself
        verdict = msgspec.structs.replace(verdict, documents=others, not_checked=skipped, troubled=(), empty=())
        self._store.remember(check=msgspec.json.encode(verdict).decode())
        return verdict

    def _not_asked(self, states: dict[State, int], unasked: str) -> Iterator[NotAsked]:
        listed, chosen = self._store.count(kind=What.PAGE), self._store.count(chosen=True, kind=What.PAGE)
        if chosen < listed:
            yield NotAsked(listed - chosen, "outside the sample")
        left = chosen - sum(states.values())
        if left:
            yield NotAsked(left, unasked.removeprefix("not requested: "))


_UNASKED = {
    SessionEnd.FINISHED: "not asked",
    SessionEnd.STOPPED: "not requested: the audit was stopped",
    SessionEnd.OUT_OF_TIME: "not requested: --max-time reached",
    SessionEnd.OUT_OF_PAGES: "not requested: --max-pages reached",
    SessionEnd.OUT_OF_BUDGET: "not requested: --max-pages-per-host reached",
}


# The stages of a running audit → calls that a command can show.


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
