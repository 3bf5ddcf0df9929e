"""Sources → a published set of sitemaps: gather, date, place, write, check, guard, publish, remember."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import msgspec

from urlset.building.alternates import Alternates
from urlset.building.candidate import Candidate, Decision, EvidenceKind, RowTrouble, Verdict
from urlset.building.evidence import decide
from urlset.building.fingerprint import BlockCounter, boilerplate_of, has_moved, hash_of, main_fingerprint, pack, unpack
from urlset.building.git_evidence import GitDates, git_dates
from urlset.building.guard import Refusal, refusals
from urlset.building.human_view import CSS_NAME, HTML_NAME, css, html
from urlset.building.ledger import Ledger, LedgerRow, Recording, ShardRow
from urlset.building.manifest import Role, host_of
from urlset.building.news import still_news
from urlset.building.policy import Policy
from urlset.building.render import in_order, newest_of, render, size_of
from urlset.building.robots_lines import keep_right
from urlset.building.sections import section_rules
from urlset.building.shards import INDEX_NAME, Form, Plan, assign
from urlset.building.sources.open import open_source
from urlset.building.sources.options import SourceOptions
from urlset.building.spool import Spool
from urlset.building.staging import Changes, Staging
from urlset.checking import clock
from urlset.model.entry import Entry
from urlset.model.robots import Robots
from urlset.reading.read import read
from urlset.workflows.build_check import judge_files
from urlset.workflows.build_options import BuildError, BuildOptions, BuildReport
from urlset.writing.urlset import entry_bytes
from urlset.writing.xml import Unwritable

_BATCH = 400
_SHOWN_TROUBLES = 1000


class Dated(msgspec.Struct, frozen=True):
    """A listed page with its date decided, before it has a file."""

    entry: Entry
    row: LedgerRow
    """without its file"""
    size: int
    former: str | None = None
    """the file it is listed in now"""


class Placed(msgspec.Struct, frozen=True):
    entry: Entry


def build(options: BuildOptions, *, now: datetime | None = None, stdin: BinaryIO | None = None) -> BuildReport:
    """Run one build. Raises BuildError, SourceError, LedgerError or PublishError with the published set as it was."""
    with tempfile.TemporaryDirectory(prefix="urlset-") as temporary:
        run = _Build(options, Path(temporary), now or clock.now(), stdin)
        return run.run()


class _Build:
    """The state of one build; each step leaves what the next one needs."""

    def __init__(self, options: BuildOptions, temporary: Path, now: datetime, stdin: BinaryIO | None) -> None:
        self.options = options
        self.temporary = temporary
        self.now = now
        self.stdin = stdin
        self.left_out: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        self.troubles: list[RowTrouble] = []
        self.trouble_count = 0
        self.notes: list[str] = []
        self.dated: Counter[str] = Counter()
        self.added = self.removed = self.redated = 0
        self.blocks = BlockCounter()
        self.alternates = Alternates()
        self.candidates = Spool(temporary / "candidates", Candidate)
        self.pages = Spool(temporary / "pages", Dated)
        self.decisions = Spool(temporary / "decisions", Decision)
        self.form = Form.TEXT if options.text else Form.XML

    def run(self) -> BuildReport:
        self.gather()
        ledger_path = self.options.state / "ledger.db"
        if self.options.dry_run and not ledger_path.exists():
            ledger_path = self.temporary / "ledger.db"
        ledger_path.parent.mkdir(parents=True, exist_ok=True)
        opened = Ledger.open(ledger_path)
        host = host_of(self.options.base_url)
        with opened as ledger, ledger.record(base_url=self.options.base_url, host=host, started=self.now) as recording:
            self.date(ledger, recording)
            plan = assign(
                ((page.row.section, page.size, page.former) for page in self.pages),
                form=self.form,
                gzip=self.options.gzip,
                compact=self.options.compact,
            )
            staging = Staging(self.options.out, self.options.state, self.options.base_url, dry_run=self.options.dry_run)
            with staging:
                return self.finish(plan, recording, staging)

    # gathering

    def gather(self) -> None:
        """Every source, page by page, through the policy."""
        policy = self._policy()
        for spec in self.options.sources:
            git = self._git(spec)
            for item in open_source(spec, self._source_options(), stdin=self.stdin):
                if isinstance(item, RowTrouble):
                    self.trouble(item)
                    continue
                decision = policy.decide(item)
                if decision.verdict is Verdict.LISTED:
                    self._take(item, policy.section_of(item), git)
                else:
                    self._leave(decision)
        for trouble in self.alternates.troubles():
            self.trouble(trouble)

    def _take(self, candidate: Candidate, section: str, git: GitDates | None) -> None:
        evidence = candidate.evidence
        if git is not None and (found := git.evidence(candidate.origin)) is not None:
            evidence = (*evidence, found)
        if candidate.blocks is not None:
            self.blocks.add(candidate.blocks)
        if candidate.entry.alternates:
            self.alternates.add(candidate.entry, candidate.language)
        self.candidates.append(msgspec.structs.replace(candidate, section=section, evidence=evidence))

    def _leave(self, decision: Decision) -> None:
        self.left_out[decision.verdict] += 1
        self.examples.setdefault(
            decision.verdict, f"{decision.loc} ({decision.detail})" if decision.detail else decision.loc
        )
        self.decisions.append(decision)

    def trouble(self, trouble: RowTrouble) -> None:
        if self.options.strict:
            raise BuildError(f"{trouble.origin}: {trouble.reason} (--strict stops at the first such row)")
        self.trouble_count += 1
        if len(self.troubles) < _SHOWN_TROUBLES:
            self.troubles.append(trouble)

    def _policy(self) -> Policy:
        options = self.options
        try:
            return Policy(
                options.base_url,
                robots=self._robots(),
                include=options.include,
                exclude=options.exclude,
                keep=options.keep,
                hosts=options.hosts,
                own_output=[f"{options.base_url.rstrip('/')}/{INDEX_NAME}"],
                sections=section_rules(options.sections, by=options.sections_by),
            )
        except ValueError as error:
            raise BuildError(str(error)) from error

    def _robots(self) -> Robots | None:
        """The file given, or the one that lies in a folder to be built."""
        found = self.options.robots
        if found is None:
            folders = [Path(spec) for spec in self.options.sources if Path(spec).is_dir()]
            found = next((folder / "robots.txt" for folder in folders if (folder / "robots.txt").is_file()), None)
        return read(found).robots if found is not None else None

    def _source_options(self) -> SourceOptions:
        options = self.options
        return SourceOptions(
            base_url=options.base_url,
            kind=options.source_kind,
            timezone=options.timezone,
            sql=options.sql,
            page_style=options.page_style,
            index_style=options.index_style,
            images=options.images,
            videos=options.videos,
        )

    def _git(self, spec: str) -> GitDates | None:
        if EvidenceKind.GIT not in self.options.order or not Path(spec).is_dir():
            return None
        found = git_dates(Path(spec))
        if isinstance(found, GitDates):
            return found
        self.notes.append(
            f"no dates from git for {spec}: {found.reason}" + (f"; {found.remedy}" if found.remedy else "")
        )
        return None

    # dating

    def date(self, ledger: Ledger, recording: Recording) -> None:
        """Decide on every page's lastmod, against what the ledger remembers of it."""
        boilerplate = ledger.boilerplate() | boilerplate_of(self.blocks)
        source = iter(self.candidates)
        while batch := list(islice(source, _BATCH)):
            known = recording.known([candidate.loc for candidate in batch])
            for candidate in batch:
                self._date_one(candidate, known.get(candidate.loc), boilerplate)
        recording.decide(self.decisions)

    def _date_one(self, candidate: Candidate, known: LedgerRow | None, boilerplate: frozenset[int]) -> None:
        before = unpack(known.blocks) if known is not None and known.blocks is not None else None
        moved = has_moved(before, candidate.blocks, boilerplate)
        evidence = decide(candidate, known, moved, now=self.now, order=self.options.order)
        entry = msgspec.structs.replace(
            self.alternates.complete(candidate.entry) if candidate.entry.alternates else candidate.entry,
            lastmod=evidence.lastmod if evidence else None,
        )
        try:
            size = size_of(entry, self.form)
        except Unwritable as error:
            self.trouble(RowTrouble(candidate.origin, str(error)))
            return
        self._count(known, evidence.kind if evidence else "none", entry.lastmod)
        row = LedgerRow(
            url=candidate.loc,
            section=candidate.section or "",
            origin=candidate.origin,
            lastmod=entry.lastmod,
            evidence_kind=evidence.kind if evidence else None,
            evidence_detail=evidence.detail if evidence else None,
            fingerprint=main_fingerprint(candidate.blocks, boilerplate) if candidate.blocks is not None else None,
            digest=hash_of(entry_bytes(entry)),
            blocks=pack(candidate.blocks) if candidate.blocks is not None else None,
        )
        current = known if known is not None and known.gone is None else None
        former = current.shard if current is not None else None
        self.pages.append(Dated(entry, row, size, former))

    def _count(self, known: LedgerRow | None, kind: str, lastmod: str | None) -> None:
        self.dated[kind] += 1
        if known is None or known.gone is not None:
            self.added += 1
        elif known.lastmod != lastmod:
            self.redated += 1

    # writing

    def finish(self, plan: Plan, recording: Recording, staging: Staging) -> BuildReport:
        self._remember(plan, recording)
        self.removed = sum(1 for _ in recording.missing())
        self._render(plan, staging)
        if plan.indexed and self.form is Form.XML:
            staging.add_index()
        proposed = staging.proposed()
        if self.options.human_view:
            entries = (page.entry for page in islice(self.pages, 50_000))
            staging.add(HTML_NAME, html(proposed, entries), role=Role.EXTRA)
            staging.add(CSS_NAME, [css()], role=Role.EXTRA)
            proposed = staging.proposed()
        errors, findings = judge_files(staging, proposed, self.now)
        refused = refusals(
            proposed, staging.last, errors=errors, shrink_percent=self.options.shrink_percent, force=self.options.force
        )
        changes = staging.changes()
        published = not refused and not self.options.dry_run
        if published:
            staging.publish()
            recording.count_blocks(self.blocks)
            recording.set_shards(
                ShardRow(each.name, each.section, each.entries, each.bytes, each.sha256, each.newest)
                for each in proposed.files
                if each.role is Role.SHARD
            )
            recording.finish(finished=clock.now())
            self._keep_robots()
        return self._report(
            changes, tuple(each.name for each in proposed.files), refused, findings, published=published
        )

    def _remember(self, plan: Plan, recording: Recording) -> None:
        names = zip(self.pages, plan.names(), strict=True)
        while batch := list(islice(names, _BATCH)):
            rows = [msgspec.structs.replace(page.row, shard=name) for page, name in batch if name is not None]
            known = recording.known([row.url for row in rows])
            same = [known[row.url] for row in rows if row.url in known and _unchanged(known[row.url], row)]
            kept = {row.url for row in same}
            recording.keep(same)
            recording.put(row for row in rows if row.url not in kept)
            for page, name in batch:
                if name is None:
                    self.trouble(RowTrouble(page.row.origin, "the entry is larger than any sitemap may be"))

    def _render(self, plan: Plan, staging: Staging) -> None:
        """Entries are dealt out to one spool per file, then each file is written from its own."""
        spools = {
            shard.name: Spool(self.temporary / f"shard-{number}", Placed) for number, shard in enumerate(plan.shards)
        }
        for page, name in zip(self.pages, plan.names(), strict=True):
            if name is not None:
                spools[name].append(Placed(page.entry))
        for shard in plan.shards:
            with spools.pop(shard.name) as spool:
                entries = in_order(still_news((placed.entry for placed in spool), self.now))
                packed = shard.name.endswith(".gz")
                staging.add(
                    shard.name,
                    render(entries, form=self.form, gzip=packed),
                    entries=len(entries),
                    section=shard.section,
                    newest=newest_of(entry.lastmod for entry in entries),
                )

    def _keep_robots(self) -> None:
        """The Sitemap line of robots.txt in the output folder, when there is such a file or one is wanted."""
        path = self.options.out / "robots.txt"
        if not path.exists() and not self.options.write_robots:
            return
        change = keep_right(
            path, [f"{self.options.base_url.rstrip('/')}/{INDEX_NAME}"], create=self.options.write_robots
        )
        if change.refusal:
            self.notes.append(f"robots.txt left as it is: {change.refusal}")
        elif change.changed:
            self.notes.append("robots.txt names the sitemap now")

    def _report(
        self,
        changes: Changes,
        files: tuple[str, ...],
        refused: list[Refusal],
        findings: tuple[str, ...],
        *,
        published: bool,
    ) -> BuildReport:
        return BuildReport(
            published=published,
            dry_run=self.options.dry_run,
            listed=len(self.pages),
            added=self.added,
            removed=self.removed,
            redated=self.redated,
            dated=dict(self.dated),
            left_out=dict(self.left_out),
            examples=self.examples,
            changes=changes,
            files=files,
            refusals=tuple(refused),
            findings=findings,
            troubles=tuple(self.troubles),
            trouble_count=self.trouble_count,
            notes=tuple(self.notes),
        )


def _unchanged(known: LedgerRow, row: LedgerRow) -> bool:
    return known.gone is None and known.says_the_same(row)


def explain(state: Path, url: str) -> Iterator[str]:
    """Why a page is in or out, from the last build; nothing when the ledger does not know it."""
    path = state / "ledger.db"
    if not path.exists():
        return
    with Ledger.open_to_read(path) as ledger:
        found = ledger.explain(url)
    if found is None:
        return
    yield f"{url} is {'listed' if found.listed else 'not listed'} in the build of {found.build.finished}"
    for decision in found.decisions:
        where = f", found at {decision.origin}" if decision.origin else ""
        yield f"  {decision.verdict}{f': {decision.detail}' if decision.detail else ''}{where}"
    page = found.page
    if page is not None and page.gone is None:
        yield f"  in {page.shard}, first seen in build {page.first_seen}, last changed in build {page.changed}"
        if page.evidence is None:
            yield "  no lastmod: nothing is known about when it changed"
        else:
            yield f"  lastmod {page.lastmod} from {page.evidence.kind}: {page.evidence.detail or 'as given'}"
