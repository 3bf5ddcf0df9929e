"""The pages of this audit and of those before → whether lastmod followed the content, as findings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache, partial
from itertools import groupby

from urlset.auditing.date_log import DateLog, LastLook, Observation
from urlset.auditing.store import AuditedUrl, AuditStore
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.over_time import DatedFile
from urlset.checking.placing import ProblemCollector
from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.model.moment import DateForm, Moment
from urlset.model.visit import State, Visit
from urlset.reading.page_facets import Content, changed_content
from urlset.reading.read import read
from urlset.snapshots.honesty import COUNTS, Example, Honesty, Transition, judge, worth_of
from urlset.snapshots.timeline import NEAR_SECONDS
from urlset.spec.page_facets import DATED_BY, Facet, backing

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
        for honesty in self._honesty():
            for rule in wanted:
                gathering.judge(rule, partial(rule.check, DatedFile(context, honesty)), honesty.source)
        return gathering.verdict(wanted, read)

    def _honesty(self) -> list[Honesty]:
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
        return found


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
