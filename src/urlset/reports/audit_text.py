"""An audit → terminal output: states, root causes, findings, pages not fetched, and next steps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Generator, Iterable, Iterator

import msgspec

from urlset.findings.card import Card, Severity
from urlset.findings.finding import Finding
from urlset.findings.verdict import Verdict
from urlset.model.shown import amount
from urlset.model.visit import State
from urlset.reports import markdown
from urlset.reports.audit_wording import (
    bot_lines,
    cause_consequences,
    cause_damage,
    cause_line,
    cause_places,
    change_lines,
    comparison,
    estimates_line,
    hint,
    interval,
    kind_lines,
    listed_line,
    named,
    note_lines,
    pages_of,
    reasons,
    remedies_line,
    remedy_commands,
    speed_lines,
    unexplained_line,
    unseen,
)
from urlset.reports.format import ReportOptions
from urlset.reports.groups import by_message
from urlset.reports.markdown import code_span, markdown_text
from urlset.reports.pages import AuditReport, CauseRow
from urlset.reports.table import ReportTable, TableColumn
from urlset.reports.text import TextLayout
from urlset.reports.visible import Palette, cells, middle_out, visible, wrap
from urlset.reports.wording import engines_of, in_a_sentence, percent, summary_of

# Findings on pages → a block for each rule: number of pages, messages, first pages.
#
# Pages are shown with their URL and the sitemap line. The excerpt that `urlset check` shows would only repeat the
# URL.

_MESSAGES = 3
_PAGES_SHOWN = 3

Groups = list[tuple[Severity, str, list[Finding], int]]
"""severity, code, findings in memory, and total number, including those beyond the cap"""


class PageFindings:
    """All findings of an audit on pages."""

    def __init__(self, verdict: Verdict, codes: Collection[str], palette: Palette, width: int) -> None:
        """`codes` of the rules on pages; findings without a page are reported elsewhere."""
        self._verdict, self._ink, self._width = verdict, palette, width
        self.own = [each for each in verdict.findings if each.code in codes and each.subject]
        own = set(map(id, self.own))
        self.others = tuple(each for each in verdict.findings if id(each) not in own)

    def lines(self, least: Severity) -> Iterator[str]:
        for severity, code, findings, total in self._groups(least):
            card = self._verdict.cards.get(code)
            yield from self._head(severity, findings[0], card, total)
            shown = yield from self._examples(findings)
            engines = engines_of(findings[0], card)
            rest = [f"and {total - shown:,} more" if total > shown else "", f"for {engines}" if engines else ""]
            said = "; ".join(part for part in (*rest, f"`urlset explain {code}`") if part)
            yield from (self._ink("dim", f"    {line}") for line in wrap(said, self._width - 4))
            yield ""

    def _groups(self, least: Severity) -> Groups:
        """Ordered by severity, then by frequency."""
        found: defaultdict[tuple[Severity, str], list[Finding]] = defaultdict(list)
        for finding in self.own:
            if finding.severity.at_least(least):
                found[finding.severity, finding.code].append(finding)
        alike: defaultdict[str, set[Severity]] = defaultdict(set)
        for finding in self.own:
            alike[finding.code].add(finding.severity)
        groups: Groups = []
        for (severity, code), findings in found.items():
            exact = len(alike[code]) == 1  # counts are per rule
            total = max(len(findings), self._verdict.counts.get(code, 0)) if exact else len(findings)
            groups.append((severity, code, findings, total))
        return sorted(groups, key=lambda group: (group[0].rank, -group[3], group[1]))

    def _head(self, severity: Severity, first: Finding, card: Card | None, total: int) -> Iterator[str]:
        label = f"{severity}[{first.code}]"
        name = visible(f"{label} {first.name}")
        said = f": {in_a_sentence(summary_of(card))}" if card else ""
        count = f"({amount(total, 'page')})"
        lines = wrap(f"{name}{said}", self._width - 2)
        fits = cells(lines[-1]) + 1 + len(count) <= self._width - 2
        line, *rest = [*lines[:-1], f"{lines[-1]} {count}"] if fits else [*lines, count]
        if line.startswith(name):
            painted = self._ink.severity(severity, visible(label))
            line = f"{painted} {self._ink('bold', visible(first.name))}{line[len(name) :]}"
        yield line
        yield from (f"  {each}" for each in rest)

    def _examples(self, findings: list[Finding]) -> Generator[str, None, int]:
        """The most common messages with some of their pages; returns the number of pages shown."""
        chosen = by_message(findings)[:_MESSAGES]
        shown = 0
        for place, group in enumerate(chosen):
            room = _PAGES_SHOWN - shown - (len(chosen) - place - 1)  # reserve one for each message that follows
            yield from (f"    {line}" for line in wrap(group.message, self._width - 4))
            for finding, addresses in group.findings[:room]:
                url = middle_out(visible(finding.subject or ""), self._width - 6)
                where = visible(named(finding.source) + (f":{finding.line}" if finding.line is not None else ""))
                fits = cells(url) + 2 + cells(where) <= self._width - 6
                yield f"      {url}  {self._ink('dim', where)}" if fits else f"      {url}"
                if addresses:
                    yield self._ink("dim", f"        → {middle_out(visible(addresses), self._width - 10)}")
                shown += 1
        return shown


PLACES = 3
_INKS = {
    State.OK: "green",
    State.REDIRECTED: "yellow",
    State.GONE: "red",
    State.ERROR: "red",
    State.LOGIN: "yellow",
    State.BLOCKED: "cyan",
    State.UNKNOWN: "dim",
}
_BAR = 32
_EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
_EXAMPLES = 2
_NARROWEST, _WIDEST = 40, 120


def render(report: AuditReport, options: ReportOptions, form: str = "text") -> Iterator[str]:
    if form == "markdown":
        return as_markdown(report, options)
    page = _Sheet(report, options, everything=form == "full")
    return (f"{line}\n" for line in page.lines())


class _Sheet:
    def __init__(self, report: AuditReport, options: ReportOptions, *, everything: bool) -> None:
        self._report, self._options, self._everything = report, options, everything
        self._ink = Palette(color=options.color)
        self._width = min(max(options.width, _NARROWEST), _WIDEST)

    def lines(self) -> Iterator[str]:
        report = self._report
        yield self._ink("bold", visible(middle_out(report.target, self._width)))
        yield from (*wrap(listed_line(report), self._width), "")
        yield from self._causes()
        if report.changes is not None:
            yield from self._list(f"findings since {visible(report.changes.since)}", change_lines(report))
        yield from self._states()
        yield from self._list("sitemap compared with crawl", map(visible, comparison(report)))
        yield from self._list("kinds of pages", kind_lines(report))
        if self._everything or any(each.slow for each in report.speeds):
            yield from self._list("response times by section", map(visible, speed_lines(report)))
        if not self._everything:
            yield from self._list("notes (--show info has the pages)", note_lines(report))
        yield from self._estimates()
        yield from self._findings()
        yield from self._asides()

    def _findings(self) -> Iterator[str]:
        """Pages with their URLs; sitemaps, and everything in the full format, with source lines."""
        verdict = self._report.verdict
        least = self._options.least(Severity.INFO if self._everything else Severity.WARNING)
        page = TextLayout(self._options, places=None if self._everything else PLACES)
        if self._everything:
            yield from page.blocks(verdict, least)
        else:
            pages = PageFindings(verdict, self._report.page_codes, self._ink, self._width)
            yield from pages.lines(least)
            yield from page.blocks(msgspec.structs.replace(verdict, findings=pages.others), least)
        yield from page.foot(verdict, least)

    def _states(self) -> Iterator[str]:
        """A bar for each state; why pages are blocked or unknown, and what to do. Causes explain failures."""
        report = self._report
        if not report.seen:
            return
        names = max(len(state) for state in State)
        digits = len(f"{report.seen:,}")
        bar = max(8, min(_BAR, self._width - names - digits - 16))
        for state in State:
            count = report.states.get(state, 0)
            if not count:
                continue
            share = count / report.seen
            eighths = max(1, round(share * bar * 8))
            drawn = "█" * (eighths // 8) + _EIGHTHS[eighths % 8]
            line = f"{self._ink(_INKS[state], drawn)}{' ' * (bar - len(drawn))} {percent(share):>7}"
            yield f"  {state.value:<{names}}  {count:>{digits},}  {line}"
        yield ""
        reported = list(reasons(report))
        for state, reason, often, advised in reported:
            yield from self._hanging(f"{f'{often:,} ' if often > 1 else ''}{state.value}: {reason}")
            if advised:
                yield from (self._ink("dim", f"    {line}") for line in wrap(advised, self._width - 4))
        if reported:
            yield ""
        if report.media:
            counts = ", ".join(f"{count:,} {state.value}" for state, count in report.media.items())
            yield from (*wrap(f"images and videos: {counts}", self._width), "")

    def _causes(self) -> Iterator[str]:
        """All of them, as other formats show them; what has no rank among them in one line each."""
        causes, others = self._report.causes, self._report.others
        if not causes and not others:
            return
        yield self._ink("bold", "root causes, by damage" if causes else "problems without a common cause")
        for number, cause in enumerate(causes, 1):
            yield from self._cause(number, cause)
        said = unexplained_line(self._report)
        if causes and (said or others):
            yield f"  {said or 'and other problems'}{':' if others else ''}"
        for number, cause in enumerate(others, len(causes) + 1):
            if self._everything:
                yield from self._cause(number, cause)
            else:
                yield from self._hanging(f"{number}. {cause_line(cause)} ({cause.severity.value} {cause.code})", 4)
        yield ""

    def _cause(self, number: int, cause: CauseRow) -> Iterator[str]:
        yield from self._hanging(f"{number}. {cause_line(cause)}", color="yellow")
        for label, said in (
            ("", cause_damage(cause)),
            ("where: ", cause_places(cause)),
            ("with it: ", cause_consequences(cause)),
            *(("fix: ", each) for each in cause.advice),
        ):
            if said:
                yield from (f"      {line}" for line in wrap(f"{label}{visible(said)}", self._width - 6))
        room = self._width - 6
        for url, target in cause.examples[: None if self._everything else _EXAMPLES]:
            if not target:
                yield self._ink("dim", f"      {middle_out(visible(url), room)}")
                continue
            whole = f"{visible(url)} → {visible(target)}"
            if len(whole) <= room:
                yield self._ink("dim", f"      {whole}")
            else:
                yield self._ink("dim", f"      {middle_out(visible(url), room)}")
                yield self._ink("dim", f"        → {middle_out(visible(target), room - 4)}")

    def _list(self, title: str, lines: Iterable[str]) -> list[str]:
        """With an empty line at the end; nothing without lines."""
        body = [part for line in lines for part in self._hanging(line)]
        return [self._ink("bold", title), *body, ""] if body else []

    def _hanging(self, text: str, indent: int = 2, *, color: str = "") -> Iterator[str]:
        """The lines after the first are indented further."""
        first, *rest = wrap(text, self._width - indent - 2)
        yield " " * indent + (self._ink(color, first) if color else first)
        yield from (f"{' ' * indent}  {line}" for line in rest)

    def _estimates(self) -> Iterator[str]:
        said, estimates = estimates_line(self._report), self._report.estimates
        if estimates:
            yield self._ink("bold", said)
            names = max(len(each.what) for each in estimates)
            yield from (f"  {visible(each.what):<{names}}  {interval(each)}: {pages_of(each)}" for each in estimates)
            yield ""
        elif said:
            yield from (*wrap(said, self._width), "")

    def _asides(self) -> Iterator[str]:
        """Who may read the listed pages, if something is closed; what was not fetched; commands to copy."""
        report = self._report
        if self._everything or any(each.closed for each in report.bots):
            allowed = self._list("crawlers that robots.txt allows", bot_lines(report))
            yield from ("", *allowed[:-1]) if allowed else ()
        lines = [line for said in (*unseen(report), *hint(report)) for line in wrap(said, self._width)]
        yield from ("", *lines) if lines else ()
        said = remedies_line(report)
        if said:
            first, *rest = wrap(f"next: {said}; preview with", self._width)
            yield from ("", f"{self._ink('cyan', 'next')}{first.removeprefix('next')}", *rest)
            yield from (f"  {command}" for command in remedy_commands(report))


_LONGEST = 120
_STATE_COLUMNS = (
    TableColumn("state", "state", value=lambda item: item[0].value),
    TableColumn("pages", "pages", "number", lambda item: item[1]),
)


def as_markdown(report: AuditReport, options: ReportOptions) -> Iterator[str]:
    head, *rest = markdown.render(report.verdict, options)
    yield head
    if report.causes or report.others:
        yield "\n#### Root causes\n\n"
        for cause in report.causes:
            example = f", such as {code_span(middle_out(cause.examples[0][0], _LONGEST))}" if cause.examples else ""
            said = markdown_text(middle_out(cause_line(cause), 2 * _LONGEST))
            yield f"1. {said}; {markdown_text(cause_damage(cause))}{example}\n"
            yield from (f"   - {markdown_text(each)}\n" for each in cause.advice)
        if report.others:
            yield f"\n<details><summary>{unexplained_line(report) or 'Other problems'}</summary>\n\n"
            for number, cause in enumerate(report.others, len(report.causes) + 1):
                yield f"{number}. {markdown_text(middle_out(cause_line(cause), 2 * _LONGEST))} ({cause.code})\n"
            yield "\n</details>\n"
    if report.seen:
        yield f"\n{markdown.table_lines(ReportTable('States', _STATE_COLUMNS, report.states.items()))}"
    for each in report.not_asked:
        yield f"\nNot fetched: {amount(each.count, 'page')}, {markdown_text(each.reason)}\n"
    if lines := change_lines(report):
        yield "\n#### Findings since the last audit\n\n"
        yield from (f"- {markdown_text(line)}\n" for line in lines)
    if any(each.closed for each in report.bots):
        yield "\n#### Crawlers that robots.txt allows\n\n"
        yield from (f"- {markdown_text(line)}\n" for line in bot_lines(report))
    yield from rest
    yield from (f"\n{line}\n" for line in hint(report))
