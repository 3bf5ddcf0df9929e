"""The sample site → the whole loop on it, step by step: discover, check, audit, crawl, fix, build, compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import msgspec

from urlset.auditing.session import SessionEnd
from urlset.checking.context import Context
from urlset.checking.live_page import Comparison, ListingPlace
from urlset.findings.card import Severity
from urlset.findings.finding import Finding
from urlset.findings.fix_result import FixResult
from urlset.findings.verdict import Verdict
from urlset.fixing.audit_remedies import load
from urlset.reports.audit_data import audit_json
from urlset.reports.format import ReportOptions
from urlset.reports.pages import AuditReport
from urlset.reports.wording import amount
from urlset.settings.build import BuildSettings
from urlset.settings.check import CheckSettings
from urlset.settings.fix import FixSettings
from urlset.settings.groups import JudgeSettings
from urlset.web.options import WebOptions
from urlset.workflows.audit.audit import AuditProgress, audited
from urlset.workflows.audit.options import AuditOptions
from urlset.workflows.build.crawl import build_from_web
from urlset.workflows.check import check
from urlset.workflows.crawl.compare import comparison
from urlset.workflows.crawl.crawl import Progress, crawl, crawling
from urlset.workflows.crawl.options import CrawlOptions
from urlset.workflows.demo.engines import submitted
from urlset.workflows.demo.sample import Label, Stage
from urlset.workflows.demo.sample.site import SampleServer
from urlset.workflows.demo.story import (
    Chapter,
    DemoColumn,
    DemoLine,
    DemoStep,
    Tone,
    audited_pages,
    built_set,
    completeness,
    crawled_pages,
    cut,
    discovered,
    kinds,
    repaired,
    sums,
    table,
)
from urlset.workflows.fix import FixTarget, fix_targets, write
from urlset.workflows.info import describe_files
from urlset.workflows.live.setup import Live

NAME = "http://sample.test"
"""what the site is called in what the demo says: its real port is another one each time"""
WEB = WebOptions(allow_private=True, concurrency=8, patience=0.2, backoff=0.1)
ONE_BY_ONE = msgspec.structs.replace(WEB, concurrency=1)
"""a crawl meets links in the order of the answers, and what looks endless depends on what was met before"""
ENDLESS = ("/events/*/*", "/lamps/?*")
STOPPED = "stopped"
"""how a crawl ended that was interrupted"""
FOUND, FIXED, BUILT = "public", "fixed", "built"
"""folders: the set as it is found, the same fixed, a new one"""


class Watchers(msgspec.Struct, frozen=True):
    """Receives the progress of a step."""

    check: Callable[[int, int], None] | None = None
    audit: AuditProgress | None = None
    crawl: Progress | None = None


class Demo:
    """Made once, told once. `outcome` says at the end whether all that was planted was found, and nothing else."""

    def __init__(self, server: SampleServer, folder: Path, now: datetime, watchers: Watchers | None = None) -> None:
        self._server, self._folder, self._now = server, folder, now
        self._watch = watchers or Watchers()
        self._url = f"{server.origin}/"
        self._columns: list[DemoColumn] = []
        self.verdicts: dict[str, tuple[Verdict, Verdict]] = {}
        """what check and audit said of each set of sitemaps, by its name in the comparison"""
        self.outcome = Held(0, (), ())

    def chapters(self) -> Iterator[Chapter]:
        self._server.save(self._folder / FOUND)
        yield self._discover()
        yield self._check()
        yield self._audit()
        yield self._crawl()
        yield self._fix()
        yield self._build()
        yield self._compare()
        yield submitted(8, NAME, self._server, self._folder, self._now, self.short)

    def short(self, text: str) -> str:
        """Addresses as paths, files of the demo by their names in its folder."""
        return text.replace(self._server.origin, "").replace(f"{self._folder}/", "")

    # steps

    def _discover(self) -> Chapter:
        found = list(describe_files([self._url], follow=True, live=Live(WEB)))
        part = DemoStep(f"urlset info {NAME}/ --follow", tuple(discovered(found, self.short)))
        return Chapter(
            1,
            "Discover: which sitemaps does the site have?",
            (part,),
            "Reads robots.txt first, then tries the usual locations.",
        )

    def _check(self) -> Chapter:
        verdict = self._first = self._checked()
        self._hold(Stage.CHECK, verdict)
        head = DemoLine(f"{sums(verdict)} in {amount(len(verdict.documents), 'file')}")
        part = DemoStep(f"urlset check {NAME}/", (head, *kinds(verdict, self.short, by_page=False)))
        return Chapter(
            2,
            "Check: are the sitemaps valid and served correctly?",
            (part,),
            "Run `urlset explain CODE` for the rationale, affected engines, and sources.",
        )

    def _audit(self) -> Chapter:
        with self._audited() as report:
            options = ReportOptions(command="audit", target=(self._url,))
            written = "".join(audit_json(report, options))
            (self._folder / "audit.json").write_text(written, encoding="utf-8")
            self._sum_up("as found", self._first, report)
        verdict = report.verdict
        self._hold(Stage.AUDIT, verdict)
        lines = (*audited_pages(report, self.short), DemoLine(sums(verdict)), *kinds(verdict, self.short, by_page=True))
        return Chapter(
            3,
            "Audit: should every listed page be listed?",
            (DemoStep(f"urlset audit {NAME}/ --media --format json --output audit.json", lines),),
            "Requests are rate-limited and obey robots.txt; the 429 was retried after Retry-After.",
        )

    def _crawl(self) -> Chapter:
        wandering = crawl(self._crawling(), progress=self._watch.crawl)
        if wandering.ended == STOPPED:
            raise KeyboardInterrupt
        known = msgspec.structs.replace(self._auditing(), known=True)
        with crawling(self._crawling(ENDLESS), progress=self._watch.crawl) as (frontier, report):
            if report.ended == STOPPED:
                raise KeyboardInterrupt

            def compare(listings: Iterable[ListingPlace], context: Context) -> Comparison:
                return comparison(frontier, report, listings, context)

            with audited(known, JudgeSettings(), now=self._now, compare=compare) as outcome:
                verdict = outcome.report.verdict
        self._hold(Stage.CRAWL, verdict)
        lines = [completeness(report)]
        for code, said in (("A035", "linked, but not in a sitemap"), ("A036", "listed, but not linked")):
            paths = [self.short(each.subject or "") for each in verdict.findings if each.code == code]
            lines.append(DemoLine(cut(f"{len(paths)} {said}: {', '.join(paths)}"), Tone.DOUBTFUL))
        parts = (
            DemoStep(f"urlset crawl {NAME}/", tuple(crawled_pages(wandering, self.short))),
            DemoStep(f"urlset audit {NAME}/ --crawl {_excluding(ENDLESS)}", tuple(lines)),
        )
        moral = "After an incomplete crawl, orphan pages are only likely. Crawler traps can be excluded."
        return Chapter(4, "Crawl: do links and sitemaps agree?", parts, moral)

    def _fix(self) -> Chapter:
        public, fixed = self._folder / FOUND, self._folder / FIXED
        settings = FixSettings(
            targets=(str(public / "sitemap.xml"), str(public / "robots.txt")),
            root=str(public),
            base_url=self._url,
            unsafe=True,
            output=fixed,
            now=self._now,
        )
        results: list[FixResult] = []
        for target in fix_targets(settings, using=load(self._folder / "audit.json")):
            if isinstance(target, FixTarget):
                write(target)
                results.append(target.fixed)
        self._server.publish(fixed)
        self._look_again("fixed")
        command = (
            f"urlset fix {FOUND}/sitemap.xml {FOUND}/robots.txt --root {FOUND} --base-url {NAME}/ \\\n"
            f"    --using audit.json --unsafe --output {FIXED}"
        )
        return Chapter(
            5,
            "Fix: repair the existing sitemaps with the audit results",
            (DemoStep(command, tuple(repaired(results, self.short))),),
            "Every other byte is unchanged. Each result is verified before it is written.",
        )

    def _build(self) -> Chapter:
        out, excluded = self._folder / BUILT, (*ENDLESS, "/cart/")
        settings = BuildSettings(
            out=out, state=self._folder / "state", images=True, exclude=excluded, write_robots=True, now=self._now
        )
        crawled = msgspec.structs.replace(self._crawling(), images=True)
        _, report = build_from_web(settings, crawled, progress=self._watch.crawl)
        if report is None:
            raise KeyboardInterrupt
        self._server.publish(out)
        self._look_again("built anew")
        command = f"urlset build {NAME}/ --out {BUILT} --images --write-robots \\\n    {_excluding(excluded)}"
        return Chapter(
            6,
            "Build: or create a new set from the live site",
            (DemoStep(command, tuple(built_set(report, self.short))),),
            "Dates come from evidence, never the clock. `urlset explain URL` says why a page is listed.",
        )

    def _compare(self) -> Chapter:
        part = DemoStep(f"urlset audit {NAME}/ --media --check", tuple(table(self._columns)))
        return Chapter(
            7,
            "Compare: what improved?",
            (part,),
            "The remaining problems are in the pages and in robots.txt, not in the sitemaps.",
        )

    # what the steps share

    def _auditing(self) -> AuditOptions:
        return AuditOptions(target=self._url, state=self._folder / "state", media=True, web=WEB)

    def _crawling(self, exclude: tuple[str, ...] = ()) -> CrawlOptions:
        return CrawlOptions(url=self._url, state=self._folder / "state", exclude=exclude, web=ONE_BY_ONE)

    def _checked(self) -> Verdict:
        return check([self._url], CheckSettings(now=self._now, web=WEB), progress=self._watch.check)

    @contextmanager
    def _audited(self) -> Iterator[AuditReport]:
        """An audit keeps what it has when it is interrupted; the demo has no use for half of one."""
        with audited(self._auditing(), JudgeSettings(), watch=self._watch.audit, now=self._now) as outcome:
            if outcome.ended is not SessionEnd.FINISHED:
                raise KeyboardInterrupt
            yield outcome.report

    def _look_again(self, name: str) -> None:
        """At the set that is published now."""
        checked = self._checked()
        with self._audited() as report:
            self._sum_up(name, checked, report)

    def _sum_up(self, name: str, checked: Verdict, report: AuditReport) -> None:
        verdicts = self.verdicts[name] = checked, report.verdict
        found = [finding for verdict in verdicts for finding in verdict.findings]
        grave = {each.code for each in found if each.severity.at_least(Severity.WARNING)}
        fine = sum(all(page.indexable.values()) for page in report.pages())
        errors, warnings = (
            sum(verdict.severity_counts.get(level.value, 0) for verdict in verdicts)
            for level in (Severity.ERROR, Severity.WARNING)
        )
        self._columns.append(DemoColumn(name, report.listed, fine, errors, warnings, tuple(sorted(grave))))

    def _hold(self, stage: Stage, verdict: Verdict) -> None:
        self.outcome += held(self._server.sample.labels, stage, verdict.findings, self.short)


def _excluding(patterns: tuple[str, ...]) -> str:
    return " ".join(f"--exclude '{pattern}'" for pattern in patterns)


# Labels and findings → which planted faults were missed, and which findings were not planted.

ACROSS = frozenset({"A035", "A036"})
"""found only by a crawl"""

Fault = tuple[str, str]
"""code, and the address without its origin"""


class Held(msgspec.Struct, frozen=True):
    planted: int
    missed: tuple[Fault, ...]
    extra: tuple[Fault, ...]

    @property
    def exact(self) -> bool:
        return not self.missed and not self.extra

    def __add__(self, other: Held) -> Held:
        return Held(self.planted + other.planted, self.missed + other.missed, self.extra + other.extra)


def held(labels: Iterable[Label], stage: Stage, findings: Iterable[Finding], short: Callable[[str], str]) -> Held:
    """What one stage reported against what was planted for it, each as often as it occurs."""
    planted = Counter((label.code, label.at) for label in labels if label.stage is stage)
    found = Counter(
        (each.code, short(each.subject or each.source))
        for each in findings
        if stage is Stage.CHECK or (each.code in ACROSS) is (stage is Stage.CRAWL)
    )
    return Held(
        planted.total(), tuple(sorted((planted - found).elements())), tuple(sorted((found - planted).elements()))
    )
