"""Live rules × pages, media, crawls, and deliveries → verdict; counts are exact, findings are capped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import msgspec

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.live_page import NOWHERE, SURE_ENOUGH, Comparison, Delivery, LivePage, MediaAsset, agents
from urlset.checking.placing import Kept, ProblemCollector, Watch
from urlset.checking.subjects import Sitemap
from urlset.checking.tree import DocumentSummary
from urlset.findings.card import Severity
from urlset.findings.finding import Finding, Problem
from urlset.findings.verdict import NotChecked, Verdict
from urlset.model.document import Document
from urlset.model.page import BotDirectives
from urlset.model.place import Place
from urlset.model.visit import Likelihood, State, Visit
from urlset.reading.read import read
from urlset.spec.protocol import HTML_BYTES_GOOGLE
from urlset.spec.signals import PageSignal

_ORPHANS = "A036"


class LiveTally:
    """Checks any number of subjects; memory only grows with the findings."""

    def __init__(
        self,
        rules: Sequence[AnyRule],
        context: Context,
        *,
        overrides: dict[str, Severity] | None = None,
        summaries: Mapping[str, DocumentSummary] | None = None,
        watch: Watch | None = None,
    ) -> None:
        """`summaries`: the sitemaps by the name findings use, for places and for suppressing comments; may grow.

        `watch` is called with every problem, also past the cap.
        """
        self._rules: dict[type[object], list[AnyRule]] = {
            kind: [rule for rule in rules if rule.on is kind] for kind in (LivePage, MediaAsset, Comparison)
        }
        self._gathering = ProblemCollector(
            context, summaries if summaries is not None else {}, overrides or {}, by_source=True, watch=watch
        )
        self._ran: dict[str, AnyRule] = {}
        self._woken: dict[int, list[AnyRule]] = {}
        """by signals of a page: the rules that wait for one of them"""
        self._not_checked: dict[str, NotChecked] = {}

    @property
    def counts(self) -> Mapping[str, int]:
        return self._gathering.counts

    @property
    def severities(self) -> Mapping[str, int]:
        return self._gathering.severities

    def judge(self, page: LivePage) -> tuple[str, ...]:
        """The codes of the rules with findings, without suppressed ones."""
        rules = self._chosen(LivePage)
        signals = page_signals(page)
        woken = self._woken.get(signals)
        if woken is None:
            woken = self._woken[signals] = [rule for rule in rules if rule.when is None or rule.when & signals]
        return self._judged(woken, page, page.listing.source, page.url)

    def judge_media(self, asset: MediaAsset) -> tuple[str, ...]:
        return self._judged(self._chosen(MediaAsset), asset, asset.listing.source, asset.url)

    def compare(self, comparison: Comparison) -> None:
        """A rule on links that are mostly unknown counts as skipped, with the reasons."""
        self._judged(self._chosen(Comparison), comparison, "", None)
        why = comparison.no_orphans
        for rule in self._rules[Comparison] if why is not None else ():
            if rule.code == _ORPHANS:
                self._not_checked[rule.code] = NotChecked(rule.code, why or "")

    def verdict(self, *, reopen: Callable[[str], Document] = read) -> Verdict:
        """`reopen` reads a sitemap again, by the name findings use, to show places; raises OSError if it is gone."""
        return self._gathering.verdict(tuple(self._ran.values()), reopen, tuple(self._not_checked.values()))

    def _chosen(self, kind: type[object]) -> list[AnyRule]:
        rules = self._rules[kind]
        if rules and rules[0].code not in self._ran:
            self._ran.update((rule.code, rule) for rule in rules)
        return rules

    def _judged(self, rules: list[AnyRule], subject: object, source: str, url: str | None) -> tuple[str, ...]:
        return tuple(
            rule.code for rule in rules if self._gathering.judge(rule, partial(_problems, rule, subject, url), source)
        )


def _problems(rule: AnyRule, subject: object, url: str | None) -> Iterator[Problem]:
    """Each with its URL, which is not looked up for problems that are not shown at their place."""
    for problem in rule.check(subject):
        yield msgspec.structs.replace(problem, subject=url) if problem.subject is None else problem


# A live page → the signals that make its rules run; most pages have no problem and raise none.
#
# A signal may be raised on more pages than a rule reports, never on fewer: a test compares all rules on all pages.

_HTTP_DATE = re.compile(r"[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) \d\d:\d\d:\d\d GMT")
_MONTHS = {
    "Jan": "01", "Feb": "02", "Mar": "03", "Apr": "04", "May": "05", "Jun": "06",
    "Jul": "07", "Aug": "08", "Sep": "09", "Oct": "10", "Nov": "11", "Dec": "12",
}  # fmt: skip
_HARMLESS = frozenset(
    {"index", "follow", "max-image-preview:large", "max-snippet:-1", "max-video-preview:-1"}
)  # none of them contradicts another


def page_signals(page: LivePage) -> int:
    """Bits of PageSignal."""
    visit = page.visit
    found = 0
    if visit.state is not State.OK or visit.status != 200 or visit.failure is not None:
        found |= PageSignal.ANSWER
    if visit.hops:
        found |= PageSignal.REDIRECTS
    if visit.refresh is not None:
        found |= PageSignal.REFRESH
    if not (
        _unlikely(visit.soft_404)
        and _unlikely(visit.thin)
        and (visit.marks is None or not (visit.marks.blank or visit.marks.only_login or visit.marks.only_scripts))
    ):
        found |= PageSignal.NOT_A_PAGE
    if visit.media_type != "text/html":
        found |= PageSignal.TYPE
    if not 0 < visit.size <= HTML_BYTES_GOOGLE:
        found |= PageSignal.SIZE
    if visit.alternates or page.listing.alternates:
        found |= PageSignal.ALTERNATES
    if not page.url.startswith("https://"):
        found |= PageSignal.NOT_SECURE
    if not _names_itself(visit, page.url):
        found |= PageSignal.CANONICALS
    if not (_harmless(visit.robots) and _harmless(visit.header_robots)):
        found |= PageSignal.DIRECTIVES
    if not _dates_agree(page):
        found |= PageSignal.DATES
    if visit.rendered is not None:
        found |= PageSignal.RENDERED | PageSignal.CANONICALS | PageSignal.DIRECTIVES
    if visit.retried or visit.seconds > page.context.thresholds.slow_page_seconds:
        found |= PageSignal.SPEED
    found |= (page.twin is not None) * PageSignal.DUPLICATE
    found |= (page.links is not None) * PageSignal.LINKS
    found |= (page.kind is not None) * PageSignal.KIND
    if page.robots is not None and not all(
        page.robots.match(agent, page.url).allowed for agent in agents(page.context.engines).values()
    ):
        found |= PageSignal.DISALLOWED
    return found


def _unlikely(judgement: Likelihood | None) -> bool:
    return judgement is None or judgement.certainty < SURE_ENOUGH


def _names_itself(visit: Visit, url: str) -> bool:
    if visit.link_canonicals or visit.qualified_canonicals or len(visit.canonicals) > 1:
        return False
    return not visit.canonicals or (visit.canonicals[0].in_head and visit.canonicals[0].href == url and "#" not in url)


def _harmless(reported: tuple[BotDirectives, ...]) -> bool:
    return all(word in _HARMLESS for each in reported for word in each.directives)


def _dates_agree(page: LivePage) -> bool:
    """All dates match the sitemap's day; only a Last-Modified header may be later."""
    lastmod = page.listing.lastmod
    if not lastmod:
        return True
    header = page.visit.last_modified
    if header is not None and not _day_of(header) >= lastmod.strip()[:10]:
        return False
    reported = [date.raw for date in page.visit.dates]
    if page.seen_changed:
        reported.append(page.seen_changed)
    return all(text.strip()[:10] == lastmod.strip()[:10] for text in reported)


def _day_of(header: str) -> str:
    """`2026-11-15` from an HTTP date; empty for anything else."""
    found = _HTTP_DATE.fullmatch(header)
    return f"{found[3]}-{_MONTHS[found[2]]}-{found[1]}" if found and found[2] in _MONTHS else ""


# Rules × deliveries → verdict on how sitemaps and robots.txt were served.


class Deliveries(ProblemCollector):
    """Checks deliveries as they arrive; findings get their places at the end.

    A problem of the line that lists a sitemap is reported at that line; a problem of its delivery has no place.
    """

    def __init__(self, rules: Sequence[AnyRule], context: Context, *, overrides: dict[str, Severity]) -> None:
        self._known: dict[str, DocumentSummary] = {}
        super().__init__(context, self._known, overrides)
        self._rules = [rule for rule in rules if rule.on is Delivery]

    def read(self, summary: DocumentSummary) -> None:
        """A document was read: its comments may suppress findings on it and on what it lists."""
        self._known[summary.source] = summary

    def judge_delivery(self, delivery: Delivery) -> None:
        for rule in self._rules:
            self.judge(rule, partial(rule.check, delivery), delivery.url)

    def conclude(self, summaries: Sequence[DocumentSummary], reopen: Callable[[str], Document]) -> Verdict:
        """`summaries` in report order; `reopen` may raise OSError for a document that was released."""
        self._known.clear()
        self._known.update((summary.source, summary) for summary in summaries)
        return self.verdict(self._rules, reopen)

    def _placed(self, source: str, problems: list[Kept], reopen: Callable[[str], Document]) -> list[Finding]:
        placed = [(rule, problem) for rule, problem in problems if _has_place(problem)]
        found = [self._placeless(rule, problem) for rule, problem in problems if not _has_place(problem)]
        return found + super()._placed(source, placed, reopen) if placed else found

    def _place(self, problem: Problem, sitemap: Sitemap) -> Place:
        """The URL of an entry, or the value of a Sitemap line."""
        if problem.row is None or problem.place != NOWHERE:
            return problem.place
        robots = sitemap.document.robots
        if robots is not None:
            return robots.sitemaps[problem.row].value_place if problem.row < len(robots.sitemaps) else NOWHERE
        return super()._place(problem, sitemap) if problem.row < len(sitemap.columns) else NOWHERE


def _has_place(problem: Problem) -> bool:
    return problem.row is not None or problem.place != NOWHERE
