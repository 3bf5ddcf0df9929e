"""Findings → a section for each rule: summary, count, first places, fixes, and rationale."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import chain, zip_longest

import msgspec

from urlset.findings.card import Card
from urlset.findings.finding import Finding
from urlset.findings.fix import Safety
from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.groups import FindingGroup, grouped, kept
from urlset.reports.html_places import page_places, places
from urlset.reports.html_text import Html, joined, jump, lines, link, prose, tag
from urlset.reports.wording import amount, engines_of, fix_command, named, rationale_of, summary_of
from urlset.spec.citations import cited

PLACES = 20
"""embedded for each rule, distributed over its documents"""
_FIXES = 5
_FILES = 50
_ALL_IN = "concise"
"""the format that lists all places in memory"""
_SAFETY = {
    Safety.SAFE.value: "safe: does not change the meaning of the file",
    Safety.REVIEW.value: "needs review: may change the meaning of the file",
}


class RuleFindings(msgspec.Struct, frozen=True):
    """All findings of one rule; never empty."""

    groups: tuple[FindingGroup, ...]
    """one group per document and severity"""
    total: int
    entries: int
    """covered by the findings"""
    exact: bool
    """False if findings beyond the cap may have a hidden severity: both are then minimums"""

    @property
    def first(self) -> Finding:
        return min(self.groups, key=lambda group: group.severity.rank).first

    @property
    def card(self) -> Card | None:
        return self.groups[0].card

    @property
    def severities(self) -> list[Severity]:
        return sorted({group.severity for group in self.groups}, key=lambda severity: severity.rank)

    @property
    def at_hand(self) -> int:
        return sum(len(group.findings) for group in self.groups)

    @property
    def files(self) -> dict[str, list[FindingGroup]]:
        found: dict[str, list[FindingGroup]] = {}
        for group in self.groups:
            found.setdefault(group.source, []).append(group)
        return found

    @property
    def how_many(self) -> str:
        return f"{'' if self.exact else 'at least '}{self.total:,}"

    @property
    def how_many_entries(self) -> str:
        return f"{'' if self.exact else 'at least '}{self.entries:,}"

    def chosen(self, most: int) -> list[Finding]:
        """The first finding of each document before the second of any, in document order."""
        rows = zip_longest(*(group.findings[:most] for group in self.groups[:most]))
        taken = [finding for finding in chain.from_iterable(rows) if finding is not None][:most]
        ids = set(map(id, taken))
        return [finding for group in self.groups[:most] for finding in group.findings[:most] if id(finding) in ids]


def by_rule(verdict: Verdict, least: Severity) -> list[RuleFindings]:
    """Ordered by severity, then by frequency. Counts are exact per rule, so a rule is one section."""
    found: defaultdict[str, list[FindingGroup]] = defaultdict(list)
    for group in grouped(verdict, least):
        found[group.code].append(group)
    all_at_hand, concerned = kept(verdict), verdict.concerned
    rules = []
    for code, groups in found.items():
        at_hand = sum(len(group.findings) for group in groups)
        beyond = max(0, verdict.counts.get(code, 0) - all_at_hand[code])
        all_shown = at_hand == all_at_hand[code]
        total = at_hand + (beyond if all_shown else 0)
        entries = sum(finding.count for group in groups for finding in group.findings)
        entries = concerned.get(code, entries) if all_shown else entries
        rules.append(RuleFindings(tuple(groups), total, entries, all_shown or not beyond))
    return sorted(rules, key=lambda rule: (rule.severities[0].rank, -rule.total, rule.first.code))


def overview(rules: list[RuleFindings]) -> Html:
    """A table that links to the sections."""
    head = tag(
        "tr",
        tag("th", "severity", scope="col"),
        tag("th", "rule", scope="col"),
        tag("th", "entries", scope="col", class_="number"),
        tag("th", "files", scope="col", class_="number"),
    )
    rows = (
        tag(
            "tr",
            tag("td", _badges(rule), class_="short"),
            tag("th", jump(rule.first.code, f"{rule.first.code} {rule.first.name}"), scope="row"),
            tag("td", rule.how_many_entries, class_="number"),
            tag("td", f"{len(rule.files):,}", class_="number"),
        )
        for rule in rules
    )
    return tag("table", lines("", tag("thead", head), tag("tbody", lines("", *rows))))


def sections(rules: list[RuleFindings], page_codes: Collection[str] = ()) -> Iterator[str]:
    """`page_codes` are the rules on pages of an audit, whose findings are shown by URL."""
    for rule in rules:
        yield f"{_section(rule, is_about_pages=rule.first.code in page_codes)}\n"


def _section(rule: RuleFindings, *, is_about_pages: bool) -> Html:
    first, card, shown_ones = rule.first, rule.card, rule.chosen(PLACES)
    return tag(
        "section",
        lines(
            tag("h3", _badges(rule), " ", tag("code", first.code), f" {first.name}"),
            tag("p", prose(f"{summary_of(card)}.")) if card else "",
            tag("p", _often(rule), class_="muted"),
            (page_places if is_about_pages else places)(shown_ones, rule.severities),
            *(_rest(rule, len(shown_ones)) if rule.total > len(shown_ones) or not rule.exact else ()),
            *_fixes(rule.first.code, shown_ones),
            _why(card, first.code),
        ),
        id=first.code,
        class_=f"rule {rule.severities[0]}",
    )


def _badges(rule: RuleFindings) -> Html:
    return joined(*(tag("span", severity, class_=f"badge {severity}") for severity in rule.severities))


def _often(rule: RuleFindings) -> str:
    said = f"{rule.how_many} {'finding' if rule.total == 1 else 'findings'} in {amount(len(rule.files), 'file')}"
    if rule.entries > rule.total:
        said += f", covering {rule.entries:,} entries"
    minding = engines_of(rule.first, rule.card)
    return f"{said}; for {minding}" if minding else said


def _more(rule: RuleFindings, count: int) -> str:
    left = f"and {'' if rule.exact else 'at least '}{rule.total - count:,} more"
    if rule.at_hand == rule.total:
        return f"{left}; use `--format {_ALL_IN}` to list them"
    return f"{left}; `--format {_ALL_IN}` lists {rule.at_hand:,}" if rule.at_hand > count else left


def _rest(rule: RuleFindings, count: int) -> Iterator[Html]:
    """The number of places not shown, and their files."""
    yield tag("p", prose(_more(rule, count)))
    if len(rule.files) > 1:
        yield _files(rule.files)


def _files(files: dict[str, list[FindingGroup]]) -> Html:
    rows = []
    for source, groups in list(files.items())[:_FILES]:
        least = "" if all(group.exact for group in groups) else "at least "
        count = sum(group.left_after(len(group.findings)) + len(group.findings) for group in groups)
        rows.append(tag("li", tag("code", named(source)), f" {least}{count:,}"))
    left = len(files) - len(rows)
    more = tag("p", f"and {left:,} more files") if left else ""
    return tag("details", lines(tag("summary", f"All {len(files):,} files"), tag("ul", *rows), more))


def _fixes(code: str, findings: list[Finding]) -> Iterator[Html]:
    """Each fix once, with its command and safety."""
    notes = list(dict.fromkeys(finding.fix for finding in findings if finding.fix is not None))
    for note in notes[:_FIXES]:
        safety = _SAFETY.get(note.safety, note.safety)
        yield tag("p", tag("b", "Fix:"), f" {note.title} (", tag("code", fix_command(note, code)), f"); {safety}")
    if len(notes) > _FIXES:
        yield tag("p", f"and {len(notes) - _FIXES:,} more fixes of this kind", class_="muted")


def _why(card: Card | None, code: str) -> Html:
    reported = tag("p", "Examples: ", tag("code", f"urlset explain {code}"))
    if card is None:
        return reported
    sources = [tag("li", link(each.url, each.document)) for each in map(cited, card.cites)]
    return tag(
        "details",
        lines(
            tag("summary", "Rationale and sources"),
            tag("p", prose(rationale_of(card))) if card.rationale else "",
            tag("ul", *sources) if sources else "",
            reported,
        ),
    )
