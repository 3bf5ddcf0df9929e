"""A store full of visits → verdict, causes, remedies; pages are judged one at a time, in the order of the listing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import lru_cache, partial
from itertools import chain, groupby, islice
from pathlib import Path

import msgspec

from urlset.auditing.date_log import DateLog, LastLook, Observation
from urlset.auditing.duplicates import ContentTwin, Duplicates, PageSketch
from urlset.auditing.facts import PendingVisit, judged, words_of
from urlset.auditing.indexable import canonical_elsewhere
from urlset.auditing.page_kinds import kind_by_content
from urlset.auditing.page_look import GeneratorSigns
from urlset.auditing.page_text import Boilerplate, unpack_text
from urlset.auditing.robots_gate import BotTally
from urlset.auditing.session import known_generators
from urlset.auditing.soft404 import ErrorProbe
from urlset.auditing.speed import SpeedTally
from urlset.auditing.store import AuditedUrl, AuditStore, KnownProblem, ListedUrl, ListingWriter, What
from urlset.auditing.symptoms import symptom_of
from urlset.building.ledger import Ledger
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import checked
from urlset.checking.live_engine import LiveTally
from urlset.checking.live_page import (
    Comparison,
    DatedFile,
    ListingPlace,
    LivePage,
    MediaAsset,
    MediaKind,
    PageInSite,
    PageLinks,
    agents,
)
from urlset.checking.placing import ProblemCollector
from urlset.checking.tree import DocumentSummary, summarise
from urlset.findings.card import Severity
from urlset.findings.finding import Problem
from urlset.findings.verdict import Checked, Verdict
from urlset.model.answer import Answer
from urlset.model.columns import Mark
from urlset.model.document import Document
from urlset.model.entry import Media
from urlset.model.moment import DateForm, Moment
from urlset.model.page import NOINDEX, join
from urlset.model.visit import State, Visit
from urlset.reading.fingerprint import Content, changed_content, hash_of, own_sketch, pack
from urlset.reading.host_robots import HostRobots, origin_of
from urlset.reading.read import read
from urlset.reports.pages import CauseRow
from urlset.snapshots.honesty import COUNTS, Example, Transition, judge, worth_of
from urlset.snapshots.timeline import NEAR_SECONDS
from urlset.spec.generators import Generator
from urlset.spec.page_facets import DATED_BY, Facet, backing
from urlset.web.caller import checkpoint
from urlset.workflows.audit.explained import MOST_CAUSES, Explainer
from urlset.workflows.audit.rows import PageVerdict, Repeated, ReportRows
from urlset.writing.sqlite_store import StateError

_BATCH = 500
_MOST_HELD = 5_000
"""problems in memory before they are written"""
_MEDIA = {
    What.IMAGE: MediaKind.IMAGE,
    What.THUMBNAIL: MediaKind.THUMBNAIL,
    What.VIDEO: MediaKind.CONTENT,
    What.PLAYER: MediaKind.PLAYER,
}
_TELLING = (State.ERROR, State.BLOCKED, State.UNKNOWN)
_REASONS = 6
"""reasons reported for each state: many ways to fail must not hide the blocked hosts"""
_SHEETS_SEARCHED = 20
_MOST_REASONS = 2_000
"""counted separately: a hostile server can make up any number"""


def listings(store: AuditStore) -> Iterator[ListingPlace]:
    """Every listed page by its final address: where it redirects to, or its canonical.

    One that is gone or not to be indexed has none. So a comparison with a crawl does not tell again, in other words,
    what the rules on the page itself say.
    """
    for row in store.rows():
        loc = _stands_for(row.listed.url, row.visit)
        if loc is not None:
            yield ListingPlace(loc, row.listed.source, row.listed.row)


Compare = Callable[[Iterable[ListingPlace], Context], Comparison]
"""how `--crawl` brings in what it found"""


class AuditJudge:
    """One audit being judged."""

    def __init__(
        self,
        store: AuditStore,
        rules: tuple[AnyRule, ...],
        context: Context,
        *,
        overrides: dict[str, Severity],
        ledger: Path | None = None,
        file: str | None = None,
    ) -> None:
        self._store, self._context, self._file = store, context, file
        self._sheets = sheets(store)
        summaries = {sheet.summary.source: sheet.summary for sheet in self._sheets}
        self._tally = LiveTally(rules, context, overrides=overrides, summaries=summaries, watch=self._note)
        self._found: list[KnownProblem] = []
        """problems that are not in the store yet"""
        self._compare: Compare | None = None
        self._groups: Counter[int] = Counter()
        self._twins: dict[str, ContentTwin] = {}
        self._links: Callable[[str], PageLinks | None] | None = None
        self.speeds = SpeedTally(context.thresholds.slow_page_seconds)
        self.generators: tuple[Generator, ...] = ()
        self.bots = BotTally(self.robots)
        self.unchanged = 0
        """pages"""
        self.remedies: Counter[str] = Counter()
        self._reasons: Counter[tuple[State, str]] = Counter()
        self._robots: dict[str, HostRobots | None] = {}
        self._kept_probes = store.probes()
        self._probes: dict[str, ErrorProbe | None] = {}
        self._ledger: Ledger | None = None
        if ledger is not None and ledger.is_file():
            with suppress(StateError):
                self._ledger = Ledger.open_to_read(ledger)
        self.explainer = Explainer(rules, overrides, store.find)
        self._watchers: list[Callable[[AuditedUrl, Visit, tuple[str, ...]], None]] = []

    def watch(self, watcher: Callable[[AuditedUrl, Visit, tuple[str, ...]], None]) -> None:
        """Called for every page with its visit and the codes of the rules that had something to say."""
        self._watchers.append(watcher)

    def compare(self, make: Compare, links: Callable[[str], PageLinks | None] | None = None) -> None:
        """Before `run`: hold the listing against a crawl of the same site."""
        self._compare, self._links = make, links

    def _note(self, rule: AnyRule, problem: Problem, severity: Severity) -> None:
        url, source = problem.subject or "", problem.source or ""
        self._found.append(KnownProblem(url, rule.code, severity.value, problem.message, source))
        if rule.on is not LivePage and len(self._found) >= _MOST_HELD:  # those of a page get its cause first
            self._keep_found()

    def _keep_found(self) -> None:
        self._store.keep_problems(self._found)
        self._found.clear()

    def run(self) -> Verdict:
        try:
            return self._run()
        finally:
            if self._ledger is not None:
                self._ledger.close()

    def _run(self) -> Verdict:
        boilerplate = Boilerplate(self._store)
        rows = ReportRows(self._context, self.robots, self._store.find)
        reasons = self._reasons
        kept: list[tuple[int, bytes]] = []
        self._store.forget_verdicts()
        self._survey(boilerplate)
        if self._compare is not None:
            self._tally.compare(self._compare(Repeated(partial(listings, self._store)), self._context))
        for row in self._store.rows():
            checkpoint()
            self.bots.add(row.listed.url)
            if row.visit is None:
                continue
            visit = self._understood(row, boilerplate)
            said = self._said(row, visit)
            self.unchanged += visit.unchanged
            # the detail reported for one page is one reason of many
            reported = (visit.state, visit.failure.kind.value if visit.failure is not None else visit.reason)
            if visit.state in _TELLING and (reported in reasons or len(reasons) < _MOST_REASONS):
                reasons[reported] += 1
            if said != PageVerdict():
                kept.append((row.id, msgspec.msgpack.encode(said)))
                remedy = rows.remedy(visit, said.codes)
                if remedy is not None:
                    self.remedies[remedy.action] += 1
            if said.group is not None:
                self._groups[said.group] += 1
            for watcher in self._watchers:
                watcher(row, visit, said.codes)
            if len(kept) >= _BATCH:
                self._store.keep_verdicts(kept)
                kept.clear()
        self._store.keep_verdicts(kept)
        self._judge_media()
        self._keep_found()
        signs = GeneratorSigns(known_generators(self._store))
        for sheet in self._sheets[:_SHEETS_SEARCHED]:
            signs.sitemap(sheet.checked.source, self._store.document(sheet.checked.source))
        self.generators = signs.found()
        return msgspec.structs.replace(
            self._tally.verdict(reopen=self.reopen),
            documents=tuple(sheet.checked for sheet in self._sheets),
            troubled=(*self._store.unlisted("troubled"), *self._store.unlisted("not_sitemaps")),
        )

    def most_reasons(self) -> tuple[tuple[State, str, int], ...]:
        """The most common reasons of each state."""
        common = self._reasons.most_common()
        of_states = (islice((each for each in common if each[0][0] is state), _REASONS) for state in _TELLING)
        return tuple((*reason, count) for reason, count in chain.from_iterable(of_states))

    def explained(self, verdict: Verdict) -> tuple[tuple[CauseRow, ...], tuple[CauseRow, ...], int]:
        """After `run`: the causes of everything in `verdict`, which may have findings on sitemaps too.

        The first ones, the others, and the number of pages with none of the first.
        """
        rows = self.explainer.rows(verdict, self.generators, self._file)
        self._store.remember(causes=msgspec.json.encode(self.explainer.known(rows)).decode())
        first = min(MOST_CAUSES, sum(not row.is_rest for row in rows))
        left = sum(
            count for group, count in self._groups.items() if (self.explainer.number_of(group) or first + 1) > first
        )
        return rows[:first], rows[first:], left

    def _survey(self, boilerplate: Boilerplate) -> None:
        """A first pass over all pages, for what is known of one page only by comparing it with the others."""
        duplicates = Duplicates(self._context.thresholds.near_duplicate_share)
        every = len(agents(self._context.engines))
        for row in self._store.rows():
            if row.visit is None:
                continue
            visit = self._understood(row, boilerplate)
            symptom = symptom_of(visit, {}, every)
            self.explainer.kinds.add(
                row.listed.url, row.listed.source, symptom, visit.fingerprint, kind_by_content(visit, self._context.now)
            )
            self.speeds.add(visit)
            if symptom is None and visit.state is State.OK and visit.status in (None, 200):
                blocks, words = unpack_text(row.text or b"")
                duplicates.add(_sketch(row.listed, visit, blocks, words, boilerplate.of(visit.url)))
        self._twins = duplicates.found()

    def _understood(self, row: AuditedUrl, boilerplate: Boilerplate) -> Visit:
        assert row.visit is not None
        blocks, words = unpack_text(row.text or b"")
        origin = origin_of(row.visit.url) or ""
        if origin not in self._probes:
            kept = self._kept_probes.get(origin)
            self._probes[origin] = None if kept is None else msgspec.msgpack.decode(kept, type=ErrorProbe | None)
        probe = self._probes[origin]
        return judged(PendingVisit(row.visit, blocks, words), baseline=probe, boilerplate=boilerplate.of(row.visit.url))

    def _said(self, row: AuditedUrl, visit: Visit) -> PageVerdict:
        listed = row.listed
        page = LivePage(
            visit,
            ListingPlace(listed.url, listed.source, listed.row, listed.lastmod, listed.alternates),
            self._context,
            robots=self.robots(listed.url),
            find=self._store.find,
            seen_changed=self._changed(listed.url),
            in_site=PageInSite(
                self._twins.get(listed.url),
                self._links(listed.url) if self._links is not None else None,
                self.explainer.kinds.kind_of(listed.url, kind_by_content(visit, self._context.now)),
                self._store.is_listed,
            ),
        )
        if len(self._found) >= _MOST_HELD:
            self._keep_found()
        first = len(self._found)
        codes = self._tally.judge(page)
        groups = self.explainer.add(page, codes)
        self._found[first:] = [each._replace(group=groups.get(each.code)) for each in self._found[first:]]
        return PageVerdict(
            codes,
            round(visit.soft_404.certainty, 2) if visit.soft_404 else None,
            round(visit.thin.certainty, 2) if visit.thin else None,
            visit.fingerprint if visit.state is State.OK else None,
            next(iter(groups.values()), None),
            visit.facets if visit.state is State.OK else None,
        )

    def _changed(self, url: str) -> str | None:
        """The date that the build ledger has for the page, where it has evidence."""
        if self._ledger is None:
            return None
        try:
            known = self._ledger.page(url)
        except StateError:
            return None
        return known.lastmod if known is not None and known.evidence is not None else None

    def _judge_media(self) -> None:
        for what, kind in _MEDIA.items():
            for row in self._store.rows(what):
                if row.visit is None:
                    continue
                listed = row.listed
                # what robots.txt keeps even us from was not requested, and that is a finding by itself
                answer = msgspec.msgpack.decode(row.text, type=Answer) if row.text else Answer(listed.url)
                listing = ListingPlace(listed.url, listed.source, listed.row)
                robots = self.robots(listed.url)
                self._tally.judge_media(MediaAsset(kind, answer, listing, self._context, robots=robots))

    def robots(self, url: str) -> HostRobots | None:
        """That of the address's host, as it was when the pages were requested."""
        origin = origin_of(url)
        if origin is None:
            return None
        if origin not in self._robots:
            answer = self._store.robots(origin)
            self._robots[origin] = None if answer is None else HostRobots.of(origin, answer)
        return self._robots[origin]

    def reopen(self, source: str) -> Document:
        """A sitemap again, to show places in it."""
        data = self._store.document(source)
        return read(source) if data is None else read(data, name=source)


_FEWEST_WORDS = 30
"""of a page whose content is compared with that of others"""
_MANY_WORDS = 100
"""from which two pages with the same text are copies, whatever their images"""
_IMAGES = 1
"""its place among the facets"""


def _sketch(
    listed: ListedUrl, visit: Visit, blocks: tuple[int, ...], words: tuple[int, ...], boilerplate: frozenset[int]
) -> PageSketch:
    """Its own text decides; where the site repeats all of it, as copies on a small site do, its whole text."""
    outside_frame = [(block, words_of(count)) for block, count in zip(blocks, words, strict=True) if count]
    same = None
    if visit.words >= _FEWEST_WORDS:
        same = visit.fingerprint
    elif sum(count for _, count in outside_frame) >= _FEWEST_WORDS and visit.complete and not visit.truncated:
        same = hash_of(pack(block for block, _ in outside_frame))
    if same is not None and visit.words < _MANY_WORDS and visit.facets is not None:
        same = hash_of(f"{same} {visit.facets[_IMAGES]}")
    repeated = {min(number, 255) for number, block in enumerate(blocks) if block in boilerplate}
    own, whole = own_sketch(visit.sketch, repeated)
    named = (*listed.alternates, *visit.alternates)
    others = frozenset(hash_of(url) for each in named if each.href and (url := join(visit.url, each.href.strip())))
    return PageSketch(listed.url, same, own if visit.words >= _FEWEST_WORDS else (), whole, others)


def _stands_for(url: str, visit: Visit | None) -> str | None:
    if visit is not None and visit.state is State.LOGIN:
        return None
    if visit is None or visit.state not in (State.OK, State.REDIRECTED, State.GONE):
        return url
    if visit.state is State.GONE or not NOINDEX.isdisjoint(visit.directives_for()):
        return None
    return canonical_elsewhere(visit) or visit.final_url or url


# Sitemaps, one document at a time → the list of pages in the store, with what is needed to show places later.


class KeptSitemap(msgspec.Struct, frozen=True):
    """What is kept of one sitemap beside its pages."""

    checked: Checked
    summary: DocumentSummary


def add_document(listing: ListingWriter, document: Document, *, keep: bool, media: bool) -> None:
    """All pages of one document; `keep` its bytes too, where it cannot be read again from its name."""
    if document.kind.reader is None:
        listing.leave(f"{document.name}: {document.kind.refusal}", "not_sitemaps")
        return
    summary = msgspec.structs.replace(summarise(document), listed=(), lastmods=())
    sheet = KeptSitemap(checked(document), summary)
    listing.document(document.name, msgspec.msgpack.encode(sheet), document.data if keep else None)
    if not document.envelope.complete:
        listing.leave(f"{document.name}: truncated; the pages before that point are audited")
    if document.kind.lists_pages:
        columns, name = document.columns, document.name
        for row, raw in enumerate(columns.locs):
            loc = (raw or "").strip()
            if not loc:
                continue
            lastmod = (columns.lastmods[row] or "").strip() or None
            if not columns.marks[row] & Mark.EXTENDED:
                listing.add(ListedUrl(loc, name, row, lastmod))
                continue
            found = document.media(row)
            listing.add(ListedUrl(loc, name, row, lastmod, found.alternates))
            if media:
                for kind, url in _media(found):
                    listing.add(ListedUrl(url, name, row, None, (), kind))


def _media(media: Media) -> Iterator[tuple[What, str]]:
    addresses: Iterable[tuple[What, str | None]] = (
        *((What.IMAGE, image.loc) for image in media.images),
        *(
            pair
            for video in media.videos
            for pair in (
                (What.THUMBNAIL, video.thumbnail_loc),
                (What.VIDEO, video.content_loc),
                (What.PLAYER, video.player_loc.text if video.player_loc else None),
            )
        ),
    )
    return ((kind, url.strip()) for kind, url in addresses if url and url.strip())


def sheets(store: AuditStore) -> list[KeptSitemap]:
    """What is known of every sitemap of the run, in the order met."""
    decode = msgspec.msgpack.Decoder(KeptSitemap).decode
    return [decode(source.facts) for source in store.sources() if source.facts]


# The pages of this audit and of those before → whether lastmod followed the content, as findings.

_Dated = tuple[str, Content | None]
_EXAMPLES = 5


class AuditDates:
    """Watches an audit being judged; `keep` writes down what was seen, once for each run."""

    def __init__(self, store: AuditStore, started: datetime, counted: Sequence[Facet] = DATED_BY) -> None:
        self._counted, self._backing = frozenset(counted), backing(counted)
        self._log = DateLog(store)
        self._at = started.isoformat()
        self._now = started
        self._before = self._log.before
        self._looked = None if self._before is None else datetime.fromisoformat(self._before)
        self._counts: defaultdict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COUNTS, 0))
        self._evidence: Counter[tuple[str, str]] = Counter()
        self._examples: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)

    def add(self, row: AuditedUrl, visit: Visit, codes: tuple[str, ...]) -> None:
        del codes
        lastmod = (row.listed.lastmod or "").strip() or None
        last = self._log.last(row.id) if self._before is not None else None
        is_kept = last is not None and bool(visit.moment) and visit.moment == last.seen  # of an earlier run
        content = None
        if visit.state is State.OK and visit.fingerprint is not None and not is_kept:
            content = Content(visit.fingerprint, visit.facets)
        is_event = False
        if last is not None and last.lastmod and lastmod:
            is_event = self._compare(row.listed.source, row.listed.url, last, (lastmod, content))
        self._log.note(Observation(row.id, lastmod, content, is_event, visit.moment))

    def _compare(self, source: str, url: str, last: LastLook, now: _Dated) -> bool:
        counts = self._counts[source]
        moved = last.lastmod != now[0]
        counts["dated"] += 1
        counts["moved"] += moved
        counts["stamped"] += moved and _is_near(now[0], self._now)
        different = changed_content(last.content, now[1])
        if different is None or last.content_lastmod is None:
            return False
        moved = last.content_lastmod != now[0]  # an earlier look may have seen the date move, but not the page
        changed = [each for each in different if each in (self._backing if moved else self._counted)]
        counts["known"] += 1
        if not changed and (not moved or _is_over(now[0], self._looked)):
            return False
        what = "backed" if moved and changed else "unbacked" if moved else "silent"
        counts[what] += 1
        if what == "backed":
            self._evidence.update((source, each.value) for each in changed)
        elif len(self._examples[source]) < _EXAMPLES:
            example = (source, url, last.content_lastmod, now[0], what, self._at, ",".join(different))
            self._examples[source].append(example)
        return True

    def keep(self) -> None:
        if self._log.is_kept:
            return
        transitions = [
            (source, (self._before, self._at, *(counts[name] for name in COUNTS)))
            for source, counts in self._counts.items()
        ]
        examples = [each for found in self._examples.values() for each in found]
        evidence = [(*each, pages) for each, pages in self._evidence.items()]
        self._log.keep(self._at, transitions, examples, evidence)

    def verdict(self, rules: Sequence[AnyRule], context: Context, overrides: dict[str, Severity]) -> Verdict:
        """What the chosen rules say about the dates of each sitemap, over all audits that are remembered."""
        wanted = [rule for rule in rules if rule.on is DatedFile]
        gathering = ProblemCollector(context, {}, overrides)
        examples: defaultdict[str, list[Example]] = defaultdict(list)
        for source, url, old, new, what, at, changed in self._log.examples():
            examples[source].append(Example(url, old, new, what, at, tuple(filter(None, changed.split(",")))))
        events, evidence = self._log.events(), self._log.evidence()
        found = []
        for source, rows in groupby(self._log.transitions(), key=lambda each: each[0]):
            looks = [
                Transition(
                    before, at, **dict(zip(COUNTS, counts, strict=True)), evidence=evidence.get((source, at), {})
                )
                for _, (before, at, *counts) in rows
            ]
            worth = worth_of(*events[source]) if source in events else None
            found.append(judge(source, looks, worth or None, examples[source]))
        for honesty in found:
            for rule in wanted:
                gathering.judge(rule, partial(rule.check, DatedFile(context, honesty)), honesty.source)
        return gathering.verdict(wanted, read)


def _is_over(text: str, looked: datetime | None) -> bool:
    """The date is before the previous look: a correction, which claims no change since then."""
    found = _interval(text)
    return looked is not None and found is not None and found[0][1] < looked


def _is_near(text: str, now: datetime) -> bool:
    """A date that is the time of the look; one without a time covers its day."""
    found = _interval(text)
    if found is None:
        return False
    (start, end), is_day = found
    if is_day:
        return start <= now <= end
    return abs((start - now).total_seconds()) < NEAR_SECONDS


@lru_cache(maxsize=4096)
def _interval(text: str) -> tuple[tuple[datetime, datetime], bool] | None:
    moment = Moment.parse(text)
    found = moment.certain_interval()
    return None if found is None else (found, moment.precision is DateForm.DAY)
