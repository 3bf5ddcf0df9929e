"""Verdict → terminal output: each rule once per document, with its count and the first places."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from urlset.findings.card import Severity
from urlset.findings.finding import Finding
from urlset.findings.verdict import Verdict
from urlset.model.shown import amount
from urlset.reports.format import ReportOptions
from urlset.reports.groups import FindingGroup, grouped
from urlset.reports.visible import Palette, cells, visible, wrap
from urlset.reports.wording import (
    engines_of,
    fix_command,
    gist_of,
    hidden_line,
    in_a_sentence,
    is_capped,
    kept,
    not_checked,
    place,
    rationale_of,
    some,
    sum_line,
    summary_of,
    suppressed,
    times,
)

PLACES = 3
"""shown for each rule in each document"""


def render(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    page = TextLayout(options, places=PLACES)
    return (f"{line}\n" for line in page.render(verdict, options.least(Severity.WARNING)))


# A group of findings → terminal lines: place, source line, carets, rationale, fix.

_NARROWEST, _WIDEST = 40, 120
_CODES_NAMED = 8
_FILES = 3
"""documents for which a rule is shown with its places; the rest get one line"""
_MANY_FILES = 10
"""documents that get at least one line each; the rest is only counted"""
_ALL_IN = "concise"
"""the format that lists each place on one line"""


class TextLayout:
    """One report in progress: width, depth, colors."""

    def __init__(self, options: ReportOptions, *, places: int | None) -> None:
        self._ink = Palette(color=options.color)
        self._width = min(max(options.width, _NARROWEST), _WIDEST)
        self._places, self._results_only = places, options.results_only
        """shown per group; None for all, with full rationales and sources"""
        self._describe: Counter[str] = Counter()
        """documents in which each rule was shown: its rationale is shown once"""

    @property
    def _everything(self) -> bool:
        return self._places is None

    def render(self, verdict: Verdict, least: Severity) -> Iterator[str]:
        yield from self.blocks(verdict, least)
        yield from self.foot(verdict, least)

    def blocks(self, verdict: Verdict, least: Severity) -> Iterator[str]:
        """The findings, without the summary."""
        by_rule: defaultdict[tuple[str, Severity], list[FindingGroup]] = defaultdict(list)
        groups = grouped(verdict, least)
        for group in groups:
            by_rule[group.first.code, group.first.severity].append(group)
        met: Counter[tuple[str, Severity]] = Counter()
        for group in groups:
            rule = group.first.code, group.first.severity
            met[rule] += 1
            self._describe[group.first.code] += 1
            reported, alike = met[rule], by_rule[rule]
            is_counted = len(alike) > _MANY_FILES and not self._everything
            if self._everything or reported <= _FILES:
                yield from self._block(group, alike[_FILES:] if is_counted and reported == _FILES else [])
            elif is_counted:
                continue
            else:
                yield from self._head(group, brief=True)
                yield f" {self._ink('dim', '-->')} {visible(place(group.first))}"
            yield ""

    def _block(self, group: FindingGroup, others: list[FindingGroup]) -> Iterator[str]:
        """`others` are groups of the same rule that are only counted."""
        shown = group.findings[: self._places]
        gutter = max(len(str(finding.line or 0)) for finding in shown)
        yield from self._head(group)
        for finding in shown:
            yield from self._place(finding, gutter)
        left = group.left_after(len(shown))
        if left or not group.exact:
            least = "" if group.exact else "at least "
            yield f"{' ' * gutter} {self._ink('dim', '=')} and {least}{left:,} more"
        if others:
            least = "" if all(group.exact for group in others) else "at least "
            files, total = len({group.first.source for group in others}), sum(group.total for group in others)
            often = f" ({least}{total:,} times)" if total > files else ""
            text = f"and in {least}{files:,} more files{often}; use --format {_ALL_IN} to list them"
            yield from self._bullet(wrap(text, self._width - gutter - 3, elide=False), gutter)
        yield from self._notes(group, gutter)

    def _head(self, group: FindingGroup, *, brief: bool = False) -> Iterator[str]:
        label = f"{group.first.severity}[{group.first.code}]"
        summary = in_a_sentence(summary_of(group.card)) if group.card and not brief else ""
        title = f"{label} {group.first.name}: {summary}" if summary else f"{label} {group.first.name}"
        lines = wrap(title, self._width, elide=not self._everything)
        if group.total > 1:
            count = f"({'' if group.exact else 'at least '}{group.total:,} times)"
            indent = 2 if lines[1:] else 0
            fits = indent + cells(lines[-1]) + 1 + len(count) <= self._width
            lines = [*lines[:-1], f"{lines[-1]} {count}"] if fits else [*lines, count]
        first, *rest = lines
        name = visible(f"{label} {group.first.name}")
        if first.startswith(name):
            painted = self._ink.severity(group.first.severity, visible(label))
            first = f"{painted} {self._ink('bold', visible(group.first.name))}{first[len(name) :]}"
        yield first
        yield from (f"  {line}" for line in rest)

    def _place(self, finding: Finding, gutter: int) -> Iterator[str]:
        pad = " " * gutter
        bar = self._ink("dim", "|")
        yield f"{pad}{self._ink('dim', '-->')} {visible(place(finding))}"
        room = self._width - gutter - 3
        if finding.excerpt is None or finding.line is None:
            yield from (f"{pad} {bar} {line}" for line in wrap(finding.message, room, elide=not self._everything))
            return
        from urlset.reports.visible import snippet  # a file without problems needs none

        cut = snippet(finding.excerpt, room)
        carets = " " * cut.indent + self._ink.severity(finding.severity, "^" * cut.carets)
        number = self._ink("dim", str(finding.line).rjust(gutter))
        yield f"{pad} {bar}"
        yield f"{number} {bar} {cut.text}".rstrip()
        beside = wrap(finding.message, 10_000, elide=False)[0]
        if cut.indent + cut.carets + 1 + cells(beside) <= room:
            yield f"{pad} {bar} {carets} {beside}".rstrip()
            return
        yield f"{pad} {bar} {carets}"
        yield from (f"{pad} {bar} {line}" for line in wrap(finding.message, room, elide=not self._everything))

    def _notes(self, group: FindingGroup, gutter: int) -> Iterator[str]:
        card = group.card
        engines = engines_of(group.first, card)
        repeated = self._describe[group.first.code] > 1
        if card and card.rationale and not repeated:
            reason = rationale_of(card) if self._everything else in_a_sentence(gist_of(card))
            yield from self._note(f"for {engines}" if engines else "why", reason, gutter)
        elif engines and not repeated:
            yield from self._note("affects", engines, gutter)
        fixes = group.fixes(self._places)
        for fix in fixes:
            yield from self._note("fix", f"{fix.title} (`{fix_command(fix, group.first.code)}`)", gutter, color="green")
        if card and not fixes and not self._everything and not repeated:
            yield from self._note("help", f"`urlset explain {group.first.code}`", gutter)
        if card and self._everything and not repeated:
            from urlset.spec.citations import cited  # most reports name none

            for citation in map(cited, card.cites):
                said = ": ".join(dict.fromkeys(part for part in (citation.document, citation.url) if part))
                yield from self._note("source", said, gutter)

    def _note(self, label: str, text: str, gutter: int, *, color: str = "cyan") -> Iterator[str]:
        lines = wrap(f"{label}: {text}", self._width - gutter - 3, elide=not self._everything)
        if lines[0].startswith(f"{label}:"):
            lines[0] = f"{self._ink(color, label)}{lines[0][len(label) :]}"
        return self._bullet(lines, gutter)

    def _bullet(self, lines: list[str], gutter: int) -> Iterator[str]:
        pad = " " * (gutter + 1)
        yield f"{pad}{self._ink('dim', '=')} {lines[0]}"
        yield from (f"{pad}  {line}" for line in lines[1:])

    def foot(self, verdict: Verdict, least: Severity) -> Iterator[str]:
        """Skipped rules, suppressed findings, and the summary."""
        most = None if self._everything else _CODES_NAMED
        lines: list[str] = []
        for reason, codes in not_checked(verdict).items() if not self._results_only else ():
            lines += self._paragraph(f"skipped {amount(len(codes), 'rule')} ({some(codes, most)}): {reason}")
        for by, counts in suppressed(verdict).items():
            silenced = amount(sum(counts.values()), "finding")
            lines += self._paragraph(f"suppressed: {silenced} by {by} ({times(sorted(counts.items()))})")
        for line in verdict.troubled:
            lines += self._paragraph(f"could not read: {line}")
        if lines:
            yield from (*lines, "")
        hidden = hidden_line(verdict, least)
        if hidden:
            yield from self._paragraph(hidden)
        clean = not any((verdict.covers_nothing, verdict.is_partial, *verdict.severity_counts.values()))
        yield from self._paragraph(sum_line(verdict, least), "green" if clean else "bold")

    def _paragraph(self, text: str, color: str = "") -> Iterator[str]:
        first, *rest = wrap(text, self._width - 2, elide=not self._everything)
        label, colon, after = first.partition(": ")
        if color:
            yield self._ink(color, first)
        elif colon:
            yield f"{self._ink('cyan', label)}{colon}{after}"
        else:
            yield first
        yield from (self._ink(color, f"  {line}") if color else f"  {line}" for line in rest)


def full(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    page = TextLayout(options, places=None)
    return (f"{line}\n" for line in page.render(verdict, options.least(Severity.INFO)))


def concise(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    least = options.least(Severity.WARNING)
    palette = Palette(color=options.color)
    for finding in verdict.findings:
        if finding.severity.at_least(least):
            label = palette.severity(finding.severity, visible(f"{finding.severity}[{finding.code}]"))
            name = palette("bold", visible(finding.name))
            yield f"{visible(place(finding))}: {label} {name}: {visible(finding.message)}\n"
    lines: list[str] = []
    if is_capped(verdict):
        at_hand = kept(verdict)
        beyond = {code: count - at_hand[code] for code, count in verdict.counts.items() if count > at_hand[code]}
        lines.append(f"{sum(beyond.values()):,} more of {', '.join(beyond)}")
    if not options.results_only:
        skipped = not_checked(verdict).items()
        lines += [f"skipped {amount(len(codes), 'rule')}: {reason}" for reason, codes in skipped]
    silenced = suppressed(verdict).items()
    lines += [f"suppressed: {amount(sum(counts.values()), 'finding')} by {by}" for by, counts in silenced]
    lines += [f"could not read: {line}" for line in verdict.troubled]
    lines += filter(None, (hidden_line(verdict, least), sum_line(verdict, least)))
    yield from (f"{visible(line)}\n" for line in lines)
