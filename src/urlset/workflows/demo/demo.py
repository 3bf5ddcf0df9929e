"""The sample site → the whole loop on it, step by step: discover, check, audit, crawl, fix, build, compare."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from functools import partial
from pathlib import Path

import msgspec

from urlset.auditing.session import SessionEnd
from urlset.findings.card import Severity
from urlset.findings.finding import Finding
from urlset.findings.fix_result import FixResult
from urlset.findings.verdict import Verdict
from urlset.fixing.audit_remedies import load
from urlset.model.document import Has
from urlset.model.shown import amount
from urlset.model.visit import State
from urlset.reading.tree import Missing
from urlset.reports.audit_data import audit_json
from urlset.reports.format import ReportOptions
from urlset.reports.pages import AuditReport
from urlset.reports.visible import visible
from urlset.settings.audit import AuditSettings
from urlset.settings.build import BuildSettings
from urlset.settings.check import CheckSettings
from urlset.settings.crawl import CrawlSettings
from urlset.settings.engines import IndexSettings, SubmitSettings
from urlset.settings.fix import FixSettings
from urlset.settings.groups import SitemapFetchSettings
from urlset.spec.submission import Channel
from urlset.submitting.webmasters import host_id
from urlset.testing.exchange import PageAnswer
from urlset.web.options import WebOptions
from urlset.workflows.audit.audit import AuditProgress, audited
from urlset.workflows.audit.crawled import comparing
from urlset.workflows.build.crawl import build_from_web
from urlset.workflows.build.result import BuildReport
from urlset.workflows.check import check
from urlset.workflows.crawl import CrawlReport, CrawlStopped, Progress, crawling
from urlset.workflows.demo.fake_engines import FakeEngines
from urlset.workflows.demo.sample.draft import Label, Stage
from urlset.workflows.demo.sample.site import SampleServer
from urlset.workflows.engines_index import IndexReport, index
from urlset.workflows.fix import FixTarget, fix_targets, write
from urlset.workflows.info import Description, describe_files
from urlset.workflows.live.tree import LiveTree
from urlset.workflows.submit import SubmitReport, submit

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
        found = list(
            describe_files([self._url], follow=True, live=partial(LiveTree, settings=SitemapFetchSettings(web=WEB)))
        )
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
            (DemoStep(f"urlset audit {NAME}/ --media --no-check --format json --output audit.json", lines),),
            "Requests are rate-limited and obey robots.txt; the 429 was retried after Retry-After.",
        )

    def _crawl(self) -> Chapter:
        with crawling(self._crawling(), progress=self._watch.crawl) as (_, wandering):
            if wandering.ended == STOPPED:
                raise KeyboardInterrupt
        try:
            with (
                comparing(self._crawling(ENDLESS), progress=self._watch.crawl) as crawled,
                audited(self._auditing(known=True), crawled=crawled) as outcome,
            ):
                verdict, report = outcome.report.verdict, crawled.report
        except CrawlStopped:
            raise KeyboardInterrupt from None
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
        _, report = build_from_web(settings, self._crawling(), progress=self._watch.crawl)
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
        part = DemoStep(f"urlset audit {NAME}/ --media", tuple(table(self._columns)))
        return Chapter(
            7,
            "Compare: what improved?",
            (part,),
            "The remaining problems are in the pages and in robots.txt, not in the sitemaps.",
        )

    # what the steps share

    def _auditing(self, *, known: bool = False) -> AuditSettings:
        state = self._folder / "state"
        return AuditSettings(
            target=self._url, state=state, media=True, check=False, web=WEB, now=self._now, known=known
        )

    def _crawling(self, exclude: tuple[str, ...] = ()) -> CrawlSettings:
        return CrawlSettings(url=self._url, state=self._folder / "state", exclude=exclude, web=ONE_BY_ONE)

    def _checked(self) -> Verdict:
        return check([self._url], CheckSettings(now=self._now, web=WEB), progress=self._watch.check)

    @contextmanager
    def _audited(self) -> Iterator[AuditReport]:
        """An audit keeps what it has when it is interrupted; the demo has no use for half of one."""
        with audited(self._auditing(), watch=self._watch.audit) as outcome:
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


WIDTH = 100
KINDS_SHOWN = 12
_REPAIRS = ("X010", "S005", "D021", "L009", "H008", "A001", "A003", "A012")
"""the kinds of repairs that are shown, by code"""
_CAUSE_FROM = 3


class Tone(StrEnum):
    PLAIN = "plain"
    GOOD = "good"
    BAD = "bad"
    DOUBTFUL = "doubtful"
    QUIET = "quiet"


class DemoColumn(msgspec.Struct, frozen=True):
    """One set of sitemaps in the comparison at the end."""

    name: str
    listed: int
    fine: int
    """pages that answer by themselves and may be indexed"""
    errors: int
    warnings: int
    codes: tuple[str, ...]
    """of what is wrong, notes left out"""


class DemoLine(msgspec.Struct, frozen=True):
    text: str
    tone: Tone = Tone.PLAIN


class DemoStep(msgspec.Struct, frozen=True):
    """A command, and the gist of what it says."""

    command: str
    """may be continued on a second line"""
    lines: tuple[DemoLine, ...]


class Chapter(msgspec.Struct, frozen=True):
    """One step of the tour."""

    number: int
    title: str
    parts: tuple[DemoStep, ...]
    moral: str
    """what it shows"""


Shorten = Callable[[str], str]
"""takes the origin of the site out of a text"""

_TONES = {Severity.ERROR: Tone.BAD, Severity.WARNING: Tone.DOUBTFUL, Severity.INFO: Tone.QUIET}


def cut(text: str, room: int = WIDTH) -> str:
    shown = visible(text)
    return shown if len(shown) <= room else f"{shown[: room - 1].rstrip()}…"


def discovered(found: Iterable[Description | Missing], short: Shorten) -> Iterator[DemoLine]:
    for each in found:
        if isinstance(each, Missing):
            yield DemoLine(cut(f"{short(each.loc):<24} {short(each.reason)}"), Tone.BAD)
        else:
            yield DemoLine(cut(f"{short(each.source):<24} {_holding(each)}"))


def _holding(found: Description) -> str:
    counts = found.counts
    if found.kind.has & (Has.ROBOTS_LINES | Has.SITEMAPS):
        listed = found.children.listed if found.children is not None else counts.sitemaps
        return f"names {amount(listed, 'sitemap')}"
    extras = {
        "in gzip": found.compression == "gzip",
        f"{amount(counts.images, 'image')}": counts.images,
        f"{amount(counts.alternates, 'language link')}": counts.alternates,
        f"{amount(counts.news, 'article')}": counts.news,
    }
    return ", ".join([amount(counts.urls, "page"), *(text for text, there in extras.items() if there)])


def sums(verdict: Verdict) -> str:
    """8 errors, 1 warning, 12 notes."""
    names = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    counts = verdict.severity_counts
    return ", ".join(amount(counts.get(level.value, 0), name) for level, name in names.items())


def kinds(verdict: Verdict, short: Shorten, *, by_page: bool) -> Iterator[DemoLine]:
    """One line for each kind of finding with its first place: the page, or else the line of the file."""
    first: dict[str, Finding] = {}
    for finding in verdict.findings:
        first.setdefault(finding.code, finding)
    for finding in _mixed(list(first.values()))[:KINDS_SHOWN]:
        count = verdict.counts[finding.code]
        times = f"{count}\N{MULTIPLICATION SIGN}" if count > 1 else ""
        head = f"{finding.severity.value:<8} {times:>3} {finding.code} {finding.name}"
        place = short(finding.subject or finding.source if by_page else finding.source)
        line = f":{finding.line}" if finding.line is not None and not by_page else ""
        yield DemoLine(cut(f"{head:<47} {place}{line}"), _TONES[finding.severity])
    if len(first) > KINDS_SHOWN:
        yield DemoLine(f"and {len(first) - KINDS_SHOWN} more kinds", Tone.QUIET)


def _mixed(findings: list[Finding]) -> list[Finding]:
    """The gravest first, and among equals no family of rules before all others had their turn."""
    turns: Counter[tuple[Severity, str]] = Counter()
    ranked: list[tuple[int, int, Finding]] = []
    for finding in findings:
        family = finding.severity, finding.code[0]
        ranked.append((finding.severity.rank, turns[family], finding))
        turns[family] += 1
    return [finding for _, _, finding in sorted(ranked, key=lambda each: each[:2])]


def audited_pages(report: AuditReport, short: Shorten) -> Iterator[DemoLine]:
    states = " · ".join(f"{count} {state.value}" for state, count in report.states.items() if count)
    yield DemoLine(f"{amount(report.listed, 'page')} listed: {states}", Tone.GOOD)
    media = sum(report.media.values())
    if media:
        yield DemoLine(f"{amount(media, 'image')} also requested, {report.media.get(State.OK, 0)} found")
    for cause in report.causes:
        if cause.count >= _CAUSE_FROM and cause.title != "other":
            yield DemoLine(f"root cause: {cause.count} of {cause.of} {cause.kind}: {short(cause.title)}", Tone.DOUBTFUL)
    for state, reason, count in report.reasons:
        if state is State.BLOCKED:
            yield DemoLine(f"blocked is not broken: {count} answered {short(reason)}; retried slowly", Tone.QUIET)


def crawled_pages(report: CrawlReport, short: Shorten) -> Iterator[DemoLine]:
    answered = report.states.get(State.OK.value, 0)
    yield DemoLine(
        f"{amount(report.visited, 'page')} visited, {answered} responded, up to {max(report.depths)} clicks deep"
    )
    for trap in report.traps:
        left_out = amount(trap.addresses, "address", "addresses")
        yield DemoLine(cut(f"{left_out} like {short(trap.place)} left out: {trap.reason}"), Tone.DOUBTFUL)
    yield completeness(report)


def completeness(report: CrawlReport) -> DemoLine:
    found = report.completeness
    if found.complete:
        return DemoLine(f"complete after {amount(report.visited, 'page')}: every linked page was found", Tone.GOOD)
    return DemoLine(cut(f"not complete: {'; '.join(found.reasons)}"), Tone.DOUBTFUL)


def built_set(report: BuildReport, short: Shorten) -> Iterator[DemoLine]:
    dated = report.listed - report.dated.get("none", 0)
    yield DemoLine(f"{amount(report.listed, 'page')} listed, {dated} dated by the page itself", Tone.GOOD)
    for reason, count in sorted(report.left_out.items(), key=lambda item: -item[1]):
        yield DemoLine(cut(f"left out: {count:>3} {reason:<14} {short(report.examples[reason])}"), Tone.QUIET)
    if report.published:
        yield DemoLine("checked, then published atomically", Tone.GOOD)
    for refusal in report.refusals:
        yield DemoLine(cut(f"refused: {refusal.text}"), Tone.BAD)


def repaired(results: Sequence[FixResult], short: Shorten) -> Iterator[DemoLine]:
    applied = [each for result in results for each in result.applied]
    removed, renamed = (sum(map(len, each)) for each in zip(*((r.removed, r.renamed) for r in results), strict=True))
    files = amount(sum(result.changed for result in results), "file")
    yield DemoLine(
        f"{amount(len(applied), 'repair')} in {files}: {removed} entries removed, {renamed} URLs replaced", Tone.GOOD
    )
    counts = Counter(each.code for each in applied)
    last = {each.code: each for each in applied}
    for code in _REPAIRS:
        if (each := last.get(code)) is not None:
            times = f"{counts[code]}\N{MULTIPLICATION SIGN}" if counts[code] > 1 else ""
            yield DemoLine(cut(f"{times:>3} {f'{code} {each.name}':<32} {short(each.title)}"), Tone.QUIET)
    if len(last) > len(_REPAIRS):
        yield DemoLine(f"and {len(last) - len(_REPAIRS)} more kinds", Tone.QUIET)
    left = sorted({each.code for result in results for each in result.left})
    yield DemoLine(f"needs manual review: {', '.join(left)}", Tone.DOUBTFUL)


def table(columns: Sequence[DemoColumn]) -> Iterator[DemoLine]:
    yield DemoLine(f"{'':<24}" + "".join(f"{column.name:>12}" for column in columns))
    rows: dict[str, Callable[[DemoColumn], int]] = {
        "pages listed": lambda column: column.listed,
        "of these OK to list": lambda column: column.fine,
        "errors": lambda column: column.errors,
        "warnings": lambda column: column.warnings,
    }
    for name, value in rows.items():
        tone = Tone.GOOD if name == "errors" else Tone.PLAIN
        yield DemoLine(f"{name:<24}" + "".join(f"{value(column):>12}" for column in columns), tone)
    yield DemoLine(f"still in the new set: {', '.join(columns[-1].codes)}", Tone.QUIET)


KEY = "5a3f0c9be1d24876a0d1c2b3e4f50617"
_TO = (Channel.GOOGLE, Channel.BING, Channel.YANDEX, Channel.INDEXNOW)


def submitted(number: int, name: str, server: SampleServer, folder: Path, now: datetime, short: Shorten) -> Chapter:
    """One chapter: `name` is what the site is called on the screen."""
    sitemap = f"{server.origin}/sitemap.xml"
    server.site.routes[f"/{KEY}.txt"] = PageAnswer(body=KEY, type="text/plain")
    with FakeEngines() as engines:
        engines.google.properties = {f"{server.origin}/": "siteOwner"}
        engines.bing.sites = [f"{server.origin}/"]
        engines.yandex.hosts = {host_id(server.origin): server.origin}
        secrets = environment(engines, folder)
        settings = SubmitSettings(sitemaps=(sitemap,), to=_TO, state=folder / "engines", all=True)
        first, second = submit(settings, environment=secrets), submit(settings, environment=secrets)
        # four of five pages, by their order
        known = sorted(engines.indexnow.urls)
        indexed = {"verdict": "PASS", "coverageState": "Submitted and indexed"}
        engines.google.pages = {url: indexed for number, url in enumerate(known) if number % 5}
        shares = index(IndexSettings(target=sitemap, state=folder / "engines"), environment=secrets, now=lambda: now)
    parts = (
        DemoStep(
            f"urlset submit {name}/sitemap.xml --to google,bing,yandex,indexnow --all",
            tuple(_receipts(first, second, short)),
        ),
        DemoStep(f"urlset engines index {name}/sitemap.xml", tuple(_shares(shares, short))),
    )
    return Chapter(
        number,
        "Submit: send the new set to search engines and read their reports",
        parts,
        "These engines are simulated locally. A sampled share is shown with its interval.",
    )


def environment(engines: FakeEngines, folder: Path) -> dict[str, str]:
    """With a signed-in person instead of a service account, whose key needs an extra."""
    path = folder / "google.json"
    path.write_text(
        json.dumps(
            {
                "type": "authorized_user",
                "client_id": "demo",
                "client_secret": "demo-secret",
                "refresh_token": "demo-refresh-token",
                "token_uri": engines.site.url("/token"),
            }
        ),
        encoding="utf-8",
    )
    return {**engines.endpoints(), "GOOGLE_APPLICATION_CREDENTIALS": str(path), "URLSET_INDEXNOW_KEY": KEY}


def _receipts(first: SubmitReport, second: SubmitReport, short: Shorten) -> Iterator[DemoLine]:
    for receipt in first.receipts:
        what = f"{receipt.accepted} of {receipt.sent}" if receipt.sent > 1 else short(receipt.target)
        tone = Tone.GOOD if receipt.status == "accepted" else Tone.BAD
        yield DemoLine(cut(f"{receipt.engine:<10} {receipt.status}: {what}"), tone)
    again = sum(receipt.sent for receipt in second.receipts)
    yield DemoLine(f"run again: {again} sent, nothing changed", Tone.QUIET)


def _shares(report: IndexReport, short: Shorten) -> Iterator[DemoLine]:
    total = report.total
    assert total.share is not None
    yield DemoLine(f"{total.share:.0%} indexed of {total.urls} pages, {report.inspected} inspected", Tone.GOOD)
    counts: Counter[str] = Counter()
    for reasons in report.reasons.values():
        counts.update(reasons)
    for reason, count in counts.most_common(1):
        yield DemoLine(cut(f"{count}: {short(reason)}"), Tone.QUIET)
