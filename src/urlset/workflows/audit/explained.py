"""Judged pages → their root causes as the report shows them: few, ranked by damage, with what follows from each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import msgspec

from urlset.auditing.causes import SEVERAL, Cause, Causes, advice
from urlset.auditing.page_kinds import KindTally
from urlset.auditing.sections import CauseScope, scopes, section_of
from urlset.auditing.symptoms import BLOCKED, NOTES, Symptom, doubt_of, symptom_of, symptom_of_rule
from urlset.checking.declare import AnyRule
from urlset.checking.live_page import LivePage, agents
from urlset.findings.card import Severity
from urlset.findings.finding import Finding
from urlset.findings.verdict import Verdict
from urlset.model.visit import Visit
from urlset.reports.audit_wording import OF_UNREAD, UNREAD, cause_line
from urlset.reports.pages import CauseRow, Consequence
from urlset.reports.wording import in_a_sentence
from urlset.spec.generators import Generator

MOST_CAUSES = 15
_ALTERNATES = "H024"
_DISALLOWED, _SOFT_404 = "A011", "A019"
_OF_TWINS = frozenset({"A043", "A044", "A045"})
_COMES_WITH = {"A041": "A042"}
"""rule → another one that, on the same page, reports what it comes from: scripts that write the text write its links"""


class KnownCauses(msgspec.Struct, frozen=True):
    """The causes of an audit, as its state keeps them."""

    causes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """its line in the report, and what to do"""
    groups: dict[int, int] = {}
    """group of pages → number of its cause, from 1"""

    def of(self, group: int | None) -> tuple[int, str, tuple[str, ...]] | None:
        number = None if group is None else self.groups.get(group)
        return None if number is None or number > len(self.causes) else (number, *self.causes[number - 1])


class Explainer:
    """Collects every judged page, then gives the causes and the cause of each page."""

    def __init__(
        self, rules: Sequence[AnyRule], overrides: dict[str, Severity], find: Callable[[str], Visit | None]
    ) -> None:
        self._causes, self._find = Causes(), find
        self._rules, self._overrides = {rule.code: rule for rule in rules}, overrides
        self._of_pages = {rule.code for rule in rules if rule.on is LivePage}
        self._numbers: dict[int, int] = {}
        self._by_code: dict[str, int] = {}
        self.kinds = KindTally()

    def add(self, page: LivePage, codes: tuple[str, ...]) -> dict[str, int]:
        """The group of each rule's problem on the page, for `number_of`; that of the page comes first.

        Empty for a page without a fault.
        """
        url, source = page.listing.loc, page.listing.source
        self._causes.listed(url, source)
        kept_out = page.kept_out if _DISALLOWED in codes else {}
        found = symptom_of(page.visit, kept_out, len(agents(page.context.engines)))
        # only what a selected rule reports and no comment suppresses
        symptom = found if found is not None and (not found.codes or not set(found.codes).isdisjoint(codes)) else None
        if symptom is not None and symptom.kind == BLOCKED:
            return {}  # which says nothing about the page
        if symptom is not None:
            return dict.fromkeys(codes or ("",), self._causes.add(symptom, url, source, codes))
        keep = page.twin.keep if page.twin is not None else ""  # the page to keep, of several with the same content
        groups = {
            code: self._causes.add(symptom_of_rule(code, keep if code in _OF_TWINS else ""), url, source, codes)
            for code in codes
            if code != _SOFT_404  # thin pages are a doubt
            and self._rank(code, page) < Severity.INFO.rank
            and _COMES_WITH.get(code) not in codes
            and not (code == _ALTERNATES and self._follows(page))
        }
        if groups:
            named = {code: groups[other] for code, other in _COMES_WITH.items() if code in codes and other in groups}
            return groups | named
        doubt = doubt_of(page.visit)
        if doubt is None or not codes:
            return {}
        return {_SOFT_404: self._causes.add(doubt, url, source, codes)}

    def _follows(self, page: LivePage) -> bool:
        """Whether its alternates are at fault because of what is wrong with the pages they name."""
        every = len(agents(page.context.engines))
        found: set[tuple[Symptom, str]] = set()
        named = [each.href for each in (*page.listing.alternates, *page.visit.alternates)]
        for href in dict.fromkeys(url for each in named if each and (url := page.resolve(each.strip()))):
            visit = self._find(href) if href != page.url and page.is_listed(href) else None
            symptom = symptom_of(visit, {}, every) if visit is not None else None
            if symptom is not None:
                found.add((symptom._replace(target=""), section_of(href)))
        for symptom, section in found:
            self._causes.follows(symptom, section, _ALTERNATES)
        return bool(found)

    def _rank(self, code: str, page: LivePage) -> int:
        if code in self._overrides:
            return self._overrides[code].rank
        rule = self._rules.get(code)
        severity = rule.card.severity_for(page.context.engines) if rule is not None else None
        return (severity or Severity.INFO).rank

    # the end

    def rows(
        self, verdict: Verdict, generators: Sequence[Generator] = (), file: str | None = None
    ) -> tuple[CauseRow, ...]:
        """Lost pages and errors first, then by damage, small rests last; call it before `number_of`."""
        severities = {
            each.code: each.severity for each in sorted(verdict.findings, key=lambda each: -each.severity.rank)
        }
        found = self._causes.found()
        explained = {code for cause in found for code in (*cause.codes, *cause.consequences)}
        unpaged = _unpaged(verdict, severities, explained | self._of_pages)
        ranked = sorted(
            (
                (
                    *_rank_of(cause, _severity(cause, severities).rank, place),
                    place,
                    self._row(cause, verdict, severities, advice(cause, generators, file)),
                )
                for place, cause in enumerate([*found, *unpaged])
                if not cause.code or cause.code in verdict.cards
            ),
            key=lambda each: each[:5],
            reverse=True,
        )
        self._numbers = {place: number for number, (*_, place, _) in enumerate(ranked, 1)}
        places = {cause.code: place for place, cause in enumerate(unpaged, len(found)) if cause.code}
        self._by_code = {code: self._numbers[place] for code, place in places.items() if place in self._numbers}
        return tuple(row for *_, row in ranked)

    def known(self, rows: Sequence[CauseRow]) -> KnownCauses:
        """The causes in words, for questions about one page later; call it after `rows`."""
        return KnownCauses(tuple((cause_line(row), row.advice) for row in rows), dict(self.numbered_groups()))

    def number_of(self, group: int | None) -> int | None:
        """The number of a page's cause in the report, from 1."""
        place = None if group is None else self._causes.cause_of.get(group)
        return None if place is None else self._numbers.get(place)

    def numbered_groups(self) -> Iterator[tuple[int, int]]:
        """Groups of pages with the number of their cause; call it after `rows`."""
        for group in self._causes.cause_of:
            if (number := self.number_of(group)) is not None:
                yield group, number

    def numbered_rules(self) -> Iterator[tuple[str, int]]:
        """The same for findings that are not on the answer of a listed page."""
        yield from self._by_code.items()

    def _row(
        self, cause: Cause, verdict: Verdict, severities: dict[str, Severity], advised: tuple[str, ...]
    ) -> CauseRow:
        card = verdict.cards.get(cause.code)
        title, kind = cause.title, cause.kind
        if card is not None and cause.kind == cause.code:  # `orphan-page` → orphan pages
            title = in_a_sentence(card.summary.rstrip("."))
            kind = f"{card.name.replace('-', ' ')}{'s' if card.name.endswith('-page') else ''}"
        others = {code: count for code, count in cause.codes.items() if code != cause.code}
        severity = _severity(cause, severities)
        return CauseRow(
            title=title,
            count=cause.count,
            of=cause.of,
            kind=kind,
            code=cause.code,
            examples=cause.examples,
            lost=cause.lost,
            affected=cause.affected,
            severity=severity,
            where=cause.where,
            sitemaps=cause.sitemaps,
            consequences=tuple(
                Consequence(code, count, verdict.cards[code].summary.rstrip("."))
                for code, count in {**others, **cause.consequences}.items()
                if code in verdict.cards
            ),
            advice=advised or _from_findings(verdict, cause.code),
            is_rest=cause.is_rest and not _is_serious(cause, severity.rank),
        )


def _rank_of(cause: Cause, rank: int, place: int) -> tuple[bool, bool, float, int, int]:
    """Sorts lost pages and errors first; then by damage, and the rests last."""
    is_serious = _is_serious(cause, rank)
    return is_serious, is_serious or not cause.is_rest, cause.damage(rank), -rank, -place


def _is_serious(cause: Cause, rank: int) -> bool:
    return cause.lost > 0 or rank == Severity.ERROR.rank


def _from_findings(verdict: Verdict, code: str) -> tuple[str, ...]:
    """What the first finding of a rule says to do; a message ends with it."""
    found = next((each for each in verdict.findings if each.code == code), None)
    if found is None:
        return ()
    said = found.message.rpartition("; ")
    return (said[2],) if said[1] else (found.fix.title,) if found.fix is not None else ()


def _severity(cause: Cause, severities: dict[str, Severity]) -> Severity:
    if cause.kind in NOTES:
        return Severity.INFO
    return severities.get(cause.code, Severity.ERROR if cause.kind == UNREAD else Severity.WARNING)


def _unpaged(verdict: Verdict, severities: dict[str, Severity], explained: set[str]) -> list[Cause]:
    """Findings that are not on the answer of a listed page: unlisted pages, orphan pages, sitemaps, images, dates."""
    made: list[Cause] = []
    for code, count in verdict.concerned.items():
        if not count or code in explained or severities.get(code, Severity.INFO) is Severity.INFO:
            continue
        found = [each for each in verdict.findings if each.code == code]
        subjects = [subject for each in found for subject in subjects_of(each)]
        sections = Counter(map(section_of, subjects))
        where = scopes(sections, sections) if len(subjects) == count else ()
        sources = Counter(each.source for each in found if each.source != each.subject)
        made.append(
            Cause(
                kind=code,
                code=code,
                title=code,
                count=count,
                of=count,
                where=tuple(CauseScope(each.section, each.count) for each in where),
                sitemaps=tuple(sources.most_common()),
                examples=tuple((url, "") for url in subjects[:SEVERAL]),
                is_rest=count < SEVERAL and code not in OF_UNREAD,
                weight=verdict.counts.get(code, count),
            )
        )
    unread = [
        line for line in verdict.troubled if not any(_sitemap_in(line) in each.message for each in verdict.findings)
    ]
    if unread:
        names = [_sitemap_in(line) for line in unread]
        title = unread[0].removeprefix(names[0]).lstrip(":, ")
        examples = tuple((name, "") for name in names[:SEVERAL])
        made.append(Cause(kind=UNREAD, code="", title=title, count=len(names), of=len(names), examples=examples))
    return made


def _sitemap_in(line: str) -> str:
    """The name that a line about an unreadable sitemap begins with."""
    return line.partition(", listed in ")[0].partition(": ")[0]


def subjects_of(finding: Finding) -> list[str]:
    """The URLs it is about; the document, where it is about that."""
    named = [each.subject for each in finding.places if each.subject]
    return named or [finding.subject or finding.source]
