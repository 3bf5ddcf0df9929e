"""Sources → a published set of sitemaps: gather, date, place, write, check, guard, publish, remember."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path

from msgspec.structs import replace as replace_struct

from urlset.building.candidate import Candidate, EvidenceKind, PolicyReason
from urlset.building.file_backed import CopyLostError
from urlset.building.git_pages import FolderHistory, folder_history
from urlset.building.guard import refusals
from urlset.building.ledger import BuildRow, Ledger, Recording, ShardRow
from urlset.building.manifest import FileRole, Manifest, ManifestError, host_of, load, url_of
from urlset.building.policy import ListingPolicy, section_rules
from urlset.building.robots_lines import keep_right
from urlset.building.row_memory import RowFile
from urlset.building.shards import INDEX_NAME, FileForm, assign
from urlset.building.sources.iterable import from_iterable
from urlset.building.sources.open import STANDARD_INPUT, is_database, is_pipe, open_source
from urlset.building.sources.page_memory import PAGE_MEMORY, PageMemory
from urlset.building.sources.page_sources import PageSources, source_folders
from urlset.building.sources.source import Block, SourceOptions, in_blocks, items_of
from urlset.building.staging import (
    REPLACED,
    OtherSitemaps,
    Staging,
    loss_of,
    other_sitemaps,
    renew_twins,
    set_aside,
)
from urlset.checking import clock
from urlset.model.address import percent_encode
from urlset.model.document import Robots
from urlset.model.entry import Entry
from urlset.model.garbage import only_new_collected
from urlset.model.shown import few
from urlset.reading.host_robots import origin_of
from urlset.reading.read import read
from urlset.settings.build import BuildSettings
from urlset.spec.protocol import MAX_NEWS_PER_SITEMAP
from urlset.web.caller import checkpoint
from urlset.workflows.build import unchanged
from urlset.workflows.build.files import BuildChecker, Files
from urlset.workflows.build.pages import PageCollector
from urlset.workflows.build.result import DEFAULT_RUN, LEDGER, BuildError, BuildReport, BuildRun
from urlset.writing.files import work_folder

_SHOWN_TO_PEOPLE = 50_000
_TOO_MANY_NEWS = (
    "more than {1:,} recent articles in {0}: only the newest are listed as news; use --section for more files"
)
_RENEWED = "renewed {}, the compressed copy of the sitemap beside it"


def build(settings: BuildSettings, run: BuildRun = DEFAULT_RUN) -> BuildReport:
    """Run one build into `settings.out_folder`, of the sources named and of `run.offers`.

    Raises BuildError, SourceError, SourceBroken, StateError, PublishError or OSError, with the published set as
    it was.
    """
    if settings.sql_changed is not None and not any(map(is_database, settings.all_sources)):
        raise BuildError("--sql-changed needs a database as a source")
    with work_folder() as home, only_new_collected():
        try:
            return _Build(_without_pipes(settings, home), run, home).run()
        except ManifestError as error:
            raise BuildError(str(error)) from error
        except CopyLostError as error:
            raise BuildError(f"{error} while the build was running: run it again") from error


def _without_pipes(settings: BuildSettings, home: Path) -> BuildSettings:
    """With sources that can be read only once, as `<(command)` of a shell, as files: a source is looked at first."""
    sources = list(settings.sources)
    for number, spec in enumerate(sources):
        path = Path(spec)
        if spec != STANDARD_INPUT and is_pipe(path):
            with path.open("rb") as pipe:
                folder = home / f"pipe-{number}"
                folder.mkdir()
                sources[number] = str(folder / path.name)
                with (folder / path.name).open("wb") as file:
                    shutil.copyfileobj(pipe, file, 1 << 20)
    return replace(settings, sources=tuple(sources))


class _Build:
    """One build; each step leaves what the next one needs."""

    def __init__(self, settings: BuildSettings, run: BuildRun, temporary: Path) -> None:
        self.settings, self._run, self.temporary = settings, run, temporary
        self.now = settings.now or clock.now()
        self.base_url = folder_url(settings.base_url or "")
        state = settings.state_folder
        self.state = state or temporary / "state"
        self._inputs = unchanged.inputs_of(settings, run) if settings.lock is None else None
        self.form = FileForm.TEXT if settings.text else FileForm.XML
        self.notes: list[str] = []
        self._source_notes: tuple[str, ...] = ()
        self._is_set_back = False
        self._news_end: datetime | None = None
        self._rows: RowFile | None = None
        self._shards: list[ShardRow] = []
        """the files of the last build that was recorded"""
        self._last_set = PublishedPages(state, settings.out_folder)
        self._memory = PageMemory(
            state / PAGE_MEMORY if state is not None else None,
            images=settings.images,
            videos=settings.videos,
            dry_run=settings.dry_run,
        )

    def run(self) -> BuildReport:
        policy = self._policy()
        last = unchanged.load(self.state) if self._inputs is not None else None
        if last is not None and self._inputs is not None and last.inputs == self._inputs.digest:
            with (
                Staging(self.settings.out_folder, self.state, self.base_url) as staging,
                Ledger.open(self.state / LEDGER) as ledger,
            ):
                if unchanged.is_as_left(last, staging, ledger, self.now):
                    return self._repeat(last, staging, ledger)
        sources = list(self._sources())
        ledger_path = self.state / LEDGER
        if self.settings.dry_run and not ledger_path.exists():
            ledger_path = self.temporary / LEDGER
        started, host = self.now, host_of(self.base_url)
        with (
            Staging(self.settings.out_folder, self.state, self.base_url, dry_run=self.settings.dry_run) as staging,
            Ledger.open(ledger_path, dry_run=self.settings.dry_run) as ledger,
            ledger.record(base_url=self.base_url, host=host, started=started) as recording,
        ):
            self._shards = ledger.shards()
            self._heed_clock(ledger.last_build())
            self._rows = self._row_file()
            collector = PageCollector(self.settings, self._run, self.temporary, policy, recording, self.now, self._rows)
            with closing(self._rows or collector), closing(collector) as gathering:
                with closing(self._memory):
                    for blocks, git in sources:
                        gathering.take(blocks, git)
                gathering.finish(ledger.boilerplate())
                self.notes += gathering.known.notes
                judge = BuildChecker(self.now)
                removed = self._write_files(gathering, recording, staging, judge)
                return self._finish(gathering, recording, staging, judge, removed)

    def _row_file(self) -> RowFile | None:
        """The memory of rows, where nothing but rows and settings decides about a page."""
        terms = unchanged.terms_of(self.settings, self._run, self._robots_file())
        if terms is None or self.settings.state is None or self.settings.dry_run or self._is_set_back:
            return None
        return RowFile(self.state, terms, ((file.name, file.sha256) for file in self._shards))

    def _repeat(self, last: unchanged.LastInputs, staging: Staging, ledger: Ledger) -> BuildReport:
        """The report of a build that would write what is there."""
        started = self.now
        self._heed_clock(ledger.last_build())
        for file in staging.last.files if staging.last is not None else ():
            staging.keep(file.name)
        renewed = renew_twins(staging)
        if self._run.on_left_out is not None:
            for decision in ledger.decisions():
                if decision.verdict is not PolicyReason.LISTED:
                    self._run.on_left_out(decision)
        proposed, changes = staging.proposed(), staging.changes()
        notes = staging.publish(partial(ledger.repeat, started=started, finished=clock.now())).notes
        self._keep_robots(proposed, staging.last)
        replace_struct(last, build=last.build + 1).save(self.state)
        return BuildReport(
            published=True,
            dry_run=False,
            listed=proposed.entries,
            added=0,
            removed=0,
            redated=0,
            dated=last.dated,
            left_out=last.left_out,
            examples=last.examples,
            changes=changes,
            files=tuple(each.name for each in proposed.files),
            notes=(*notes, *last.notes, *map(_RENEWED.format, renewed), *self.notes),
        )

    def _remember_inputs(self, gathering: PageCollector, recording: Recording, notes: tuple[str, ...]) -> None:
        """For the next build, where nothing but the inputs decided about this one."""
        says_all = not (gathering.trouble_count or gathering.depends_on_time or gathering.known.notes)
        if self._inputs is not None and says_all and self._inputs.are_the_same():
            found = (dict(gathering.dated), dict(gathering.left_out), gathering.examples, notes, self._news_end)
            unchanged.LastInputs(self._inputs.digest, recording.build, *found).save(self.state)

    def _heed_clock(self, last: BuildRow | None) -> None:
        """Go on from the time of the last build where the clock says that it is yet to come."""
        said = clock.set_back(self.now, last.started, "build") if last is not None else None
        if last is not None and said is not None:
            self.notes.append(f"{said}; dates are judged by the later time")
            self._inputs = None  # which do not decide alone
            self._is_set_back = True
            self.now = datetime.fromisoformat(last.started)

    # what goes in

    def _policy(self) -> ListingPolicy:
        settings = self.settings
        try:
            return ListingPolicy(
                self.base_url,
                robots=self._robots(),
                include=settings.include,
                exclude=settings.not_listed,
                exclude_kinds=settings.exclude_kind,
                keep=settings.kept_reasons,
                hosts=settings.hosts,
                own_output=[url_of(self.base_url, INDEX_NAME)],
                sections=section_rules(settings.sections, by=settings.sections_by),
                per_section=settings.section_policies,
                now=self.now,
            )
        except ValueError as error:
            raise BuildError(str(error)) from error

    def _robots(self) -> Robots | None:
        found = self._robots_file()
        return read(found).robots if found is not None else None

    def _robots_file(self) -> Path | None:
        """The file given, or the one that lies in a folder to be built."""
        if self.settings.robots_file is not None:
            return self.settings.robots_file
        files = (Path(spec) / "robots.txt" for spec in self.settings.sources if Path(spec).is_dir())
        return next((file for file in files if file.is_file()), None)

    def _sources(self) -> Iterator[tuple[Iterator[Block], FolderHistory | None]]:
        """Open each source; one that cannot be opened stops the build before anything is written."""
        for spec in self.settings.all_sources:
            made_from = self._page_sources(Path(spec))
            options = self._source_options(spec, made_from)
            git = None
            if EvidenceKind.GIT in self.settings.evidence and made_from is not None:
                git = folder_history(Path(spec), made_from.folders, self.notes.append)
            yield open_source(spec, options, stdin=self._run.stdin), git
        if self._run.offers is not None:
            yield from_iterable(self._run.offers, self._source_options("")), None
        yield in_blocks(self._last_set.not_come_to()), None

    def _page_sources(self, folder: Path) -> PageSources | None:
        """What a generator made the pages of a folder from: as it says, or found by their paths."""
        if not folder.is_dir():
            return None
        if self._run.source_map is not None:
            return PageSources(given=self._run.source_map)
        return PageSources(source_folders(self.settings.source_folder, folder))

    def _source_options(self, spec: str, made_from: PageSources | None = None) -> SourceOptions:
        settings = self.settings
        return SourceOptions(
            base_url=self.base_url,
            kind=settings.source_kind,
            timezone=settings.timezone,
            sql=settings.sql,
            page_sources=made_from,
            page_memory=self._memory,
            page_style=settings.page_style,
            index_style=settings.index_style,
            images=settings.images,
            videos=settings.videos,
            own_output=self._own_output(Path(spec)) if spec else frozenset(),
            notify=self.notes.append,
            last_set=self._last_set,
        )

    def _own_output(self, folder: Path) -> frozenset[str]:
        """The page for people, where it lies in the folder that is built."""
        below = self.settings.out_folder.resolve()
        home = folder.resolve()
        if not (self.settings.human_view and folder.is_dir() and below.is_relative_to(home)):
            return frozenset()
        from urlset.building.extras import HTML_NAME

        return frozenset({(below / HTML_NAME).relative_to(home).as_posix()})

    # what comes out

    def _finish(
        self, gathering: PageCollector, recording: Recording, staging: Staging, judge: BuildChecker, removed: int
    ) -> BuildReport:
        """Judge, guard and publish what is staged; `removed` counts pages that are gone and had no rows."""
        settings = self.settings
        proposed = staging.proposed()
        removed += sum(1 for _ in recording.missing())
        judge.judge_files(staging, proposed)
        refused = refusals(
            proposed,
            staging.last,
            loss=loss_of(staging, self._shards, removed) if settings.state is not None else None,
            errors=judge.errors,
            cut_short=self._run.cut_short,
            shrink_percent=settings.shrink_percent,
            force=settings.force,
        )
        changes = staging.changes()
        notes: tuple[str, ...] = tuple(staging.notes)
        published = not refused and not settings.dry_run
        others = other_sitemaps(staging) if settings.state is not None else None
        lock_notes = gathering.lock.notes if gathering.lock is not None else ()
        if published and gathering.lock is not None:
            gathering.lock.save()  # first: the next run makes the sitemaps from it
        if published:
            checkpoint()
            notes = staging.publish(lambda: self._record(gathering, proposed, recording)).notes
            if self._rows is not None:
                self._rows.save((each.name, each.sha256) for each in proposed.shards)
            self._remember_inputs(gathering, recording, (*self._source_notes, *gathering.notes))
            self._keep_robots(proposed, staging.last)
        self._tell_others(staging, others, published=published)
        return BuildReport(
            published=published,
            dry_run=settings.dry_run,
            listed=proposed.entries,
            added=gathering.added,
            removed=removed,
            redated=gathering.redated,
            dated=dict(gathering.dated),
            left_out=dict(gathering.left_out),
            examples=gathering.examples,
            changes=changes,
            files=tuple(each.name for each in proposed.files),
            refusals=tuple(refused),
            findings=judge.findings,
            finding_count=judge.count,
            troubles=tuple(gathering.troubles),
            trouble_count=gathering.trouble_count,
            notes=(*notes, *self.notes, *gathering.notes, *lock_notes, *self._last_set.notes()),
        )

    def _tell_others(self, staging: Staging, others: OtherSitemaps | None, *, published: bool) -> None:
        """What becomes of sitemaps that another tool left in the output folder."""
        if others is None:
            return
        if others.replaced:
            names = few(others.replaced, 3)
            self.notes.append(f"replaces {names}, written by another tool; `urlset publish rollback` restores it")
        if others.staying and not self.settings.replace_others:
            self.notes.append(
                f"not touched, written by another tool: {few(others.staying, 3)}; --replace-others removes it"
            )
        elif others.staying and published:
            set_aside(staging, others.staying)
            kept = staging.state_dir / REPLACED
            self.notes.append(f"removed {few(others.staying, 3)}, written by another tool; copies are in {kept}")

    def _write_files(
        self, gathering: PageCollector, recording: Recording, staging: Staging, judge: BuildChecker
    ) -> int:
        """Every file of the set; gives the number of pages that are gone and had no rows."""
        settings = self.settings
        self._source_notes = tuple(self.notes)
        groups = gathering.known.settled()
        plan = assign(groups, form=self.form, gzip=settings.gzip, compact=settings.compact)
        files = Files(
            gathering.known, groups, plan, self.form, self.temporary, self.now, self._run.workers, gathering.entry_fault
        )
        removed = files.write(self._shards, recording, staging, judge)
        if files.with_too_many_news:
            self.notes.append(_TOO_MANY_NEWS.format(few(files.with_too_many_news, 3), MAX_NEWS_PER_SITEMAP))
            if self._rows is not None:
                self._rows.is_exact = False
        self._news_end = files.news_end
        self._write_extras(staging)
        if settings.indexnow_key is not None:
            staging.add(f"{settings.indexnow_key}.txt", [settings.indexnow_key.encode()], role=FileRole.EXTRA)
        if plan.indexed:
            staging.add_indexes()
        self._write_llms(gathering, staging)
        self.notes += map(_RENEWED.format, renew_twins(staging))
        return removed

    def _write_extras(self, staging: Staging) -> None:
        """The page for people, and the feeds."""
        if self.settings.human_view:
            from urlset.building.extras import HTML_NAME, html

            shown = islice(_listed(staging), _SHOWN_TO_PEOPLE)
            staging.add(HTML_NAME, html(staging.proposed(), shown), role=FileRole.EXTRA)
        if self.settings.feed:
            from urlset.building.extras import FEED_NAMES, feed_bytes, newest_changes

            items = newest_changes(_listed(staging), self.now)
            for kind in sorted(set(self.settings.feed)):
                chunks = feed_bytes(kind, items, self.base_url)
                staging.add(FEED_NAMES[kind], chunks, role=FileRole.EXTRA)

    def _write_llms(self, gathering: PageCollector, staging: Staging) -> None:
        if gathering.llms is None:
            return
        from urlset.building.extras import LLMS_NAME

        ours = staging.last is not None and staging.last.named(LLMS_NAME) is not None
        if not ours and (self.settings.out_folder / LLMS_NAME).exists():
            self.notes.append(
                f"{LLMS_NAME} was not written by urlset and is unchanged; remove it to let --llms write it"
            )
            return
        sitemap = next(iter(_entry_urls(staging.proposed())), url_of(self.base_url, INDEX_NAME))
        staging.add(LLMS_NAME, gathering.llms.text(sitemap), role=FileRole.EXTRA)

    def _record(self, gathering: PageCollector, proposed: Manifest, recording: Recording) -> None:
        recording.count_blocks(gathering.blocks)
        recording.set_shards(
            ShardRow(each.name, each.section, each.entries, each.bytes, each.sha256, each.newest)
            for each in proposed.shards
        )
        recording.finish(finished=clock.now())

    def _keep_robots(self, proposed: Manifest, last: Manifest | None) -> None:
        """The Sitemap line of robots.txt in the output folder, when there is such a file or one is wanted."""
        path = self.settings.out_folder / "robots.txt"
        if not path.exists() and not self.settings.write_robots:
            if len(proposed.entry_points) > 1:
                many = f"the set has {len(proposed.entry_points):,} indexes"
                self.notes.append(f"{many}: name each one in robots.txt, or add --write-robots")
            return
        wanted, before = _entry_urls(proposed), _entry_urls(last) if last is not None else []
        try:
            live = self._run.live_robots  # from the crawl, or the file that was given
            if live is None and self.settings.robots_file is not None:
                live = self.settings.robots_file.read_bytes()
            is_new = not path.exists()
            change = keep_right(path, wanted, before, create=self.settings.write_robots, live=live)
        except OSError as error:  # the set is published, and that is what the exit code tells
            self.notes.append(f"cannot write robots.txt: {error.strerror or error}")
            return
        if change.refusal:
            self.notes.append(f"robots.txt unchanged: {change.refusal}")
            return
        if change.changed:
            count = len(wanted)
            self.notes.append(f"added {'the sitemap' if count == 1 else f'{count:,} indexes'} to robots.txt")
        if is_new and live is None:
            self.notes.append(
                "the new robots.txt has no rules; if the site has a robots.txt, add --robots FILE to keep its rules"
            )
        elif is_new:
            self.notes.append("the new robots.txt has the rules of the site's own")


def _listed(staging: Staging) -> Iterator[Entry]:
    """The pages of the staged files."""
    for file in staging.proposed().shards:
        yield from read(staging.path(file.name), name=file.name).entries()


def folder_url(base_url: str) -> str:
    """The address of a folder, whether or not it was written with its slash; spelled as pages are."""
    plain = percent_encode(base_url.strip().partition("#")[0].partition("?")[0])
    return plain if plain.endswith("/") else f"{plain}/"


def _entry_urls(manifest: Manifest) -> list[str]:
    return [manifest.url_of(entry.name) for entry in manifest.entry_points]


# The published set → those of its pages that stay listed because a crawl could not judge them.


def published(state: Path | None, out: Path) -> Iterator[Entry]:
    """The entries of the last set, as they lie there."""
    last = load(state) if state is not None else None
    for shard in last.shards if last is not None else ():
        path = out / shard.name
        if path.is_file():
            yield from read(path).entries()


def as_it_was(entry: Entry) -> Candidate:
    """To be listed again; the date recorded in the ledger is kept."""
    return Candidate(Entry(entry.loc, media=entry.media), "the last build")


def kept_notes(kept: Counter[str]) -> Iterator[str]:
    for why, count in kept.items():
        yield f"{count:,} page{'s' if count != 1 else ''} of the last set kept: {why}"


class PublishedPages:
    """For crawls that are read from files; holds the addresses of the last set from the first question on."""

    def __init__(self, state: Path | None, out: Path) -> None:
        self._state, self._out = state, out
        self._left: dict[str, Entry] | None = None
        self._is_complete = True
        self._kept: Counter[str] = Counter()

    def seen(self, url: str) -> None:
        self._unmet().pop(url, None)

    def kept(self, url: str, why: str) -> Candidate | None:
        self._is_complete = False  # and so a page that was not seen may still be there
        entry = self._unmet().pop(url, None)
        return None if entry is None else self._keep(entry, why)

    def not_come_to(self) -> Iterator[Candidate]:
        """When all sources are read: the pages that no crawl has met, unless that means that they are gone."""
        if self._is_complete:
            return
        from urlset.building.sources.crawled import NOT_COME_TO

        for entry in self._unmet().values():
            yield self._keep(entry, NOT_COME_TO)

    def notes(self) -> Iterator[str]:
        return kept_notes(self._kept)

    def _keep(self, entry: Entry, why: str) -> Candidate:
        self._kept[why] += 1
        return as_it_was(entry)

    def _unmet(self) -> dict[str, Entry]:
        if self._left is None:
            from urlset.crawling.scope import address_of  # which no other list needs

            locs = ((entry.loc or "", entry) for entry in published(self._state, self._out))
            self._left = {address_of(loc) or loc: entry for loc, entry in locs}
        return self._left


# Sources without a base address → the one origin that all of their rows have.

_NAMED = 3


def inferred_base_url(settings: BuildSettings) -> str:
    """Reads every source once. Raises BuildError where rows do not agree, SourceError where one cannot be opened."""
    origins: dict[str, None] = {}
    for spec in settings.all_sources:
        for origin in _origins(spec, settings):
            origins[origin] = None
            if len(origins) > _NAMED:
                break
    if not origins:
        raise BuildError("missing --base-url: the sources list no absolute URL")
    if len(origins) > 1:
        raise BuildError(f"missing --base-url: the sources list several hosts ({', '.join([*origins][:_NAMED])})")
    return f"{next(iter(origins))}/"


def _origins(spec: str, settings: BuildSettings) -> Iterator[str]:
    if Path(spec).is_dir():
        raise BuildError(f"missing --base-url: the URL that {spec} is served at")
    if spec == "-":
        raise BuildError("missing --base-url: it cannot be inferred from standard input")
    reported = SourceOptions(kind=settings.source_kind, sql=settings.sql)
    for item in items_of(open_source(spec, reported)):
        if isinstance(item, Candidate) and (origin := origin_of(item.entry.loc or "")) is not None:
            yield origin
