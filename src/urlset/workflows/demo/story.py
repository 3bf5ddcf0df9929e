"""What the steps of the demo found → lines for people, the same in every run: addresses without their host."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum

import msgspec

from urlset.findings.card import Severity
from urlset.findings.finding import Finding
from urlset.findings.fix_result import FixResult
from urlset.findings.verdict import Verdict
from urlset.model.document import Has
from urlset.model.visit import State
from urlset.reading.tree import Missing
from urlset.reports.pages import AuditReport
from urlset.reports.visible import visible
from urlset.reports.wording import amount
from urlset.workflows.build.result import BuildReport
from urlset.workflows.crawl.options import CrawlReport
from urlset.workflows.info import Description

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


def kinds(verdict: Verdict, short: Shorten, *, by_page: bool, shown: int = KINDS_SHOWN) -> Iterator[DemoLine]:
    """One line for each kind of finding with its first place: the page, or else the line of the file."""
    first: dict[str, Finding] = {}
    for finding in verdict.findings:
        first.setdefault(finding.code, finding)
    for finding in _mixed(list(first.values()))[:shown]:
        count = verdict.counts[finding.code]
        times = f"{count}\N{MULTIPLICATION SIGN}" if count > 1 else ""
        head = f"{finding.severity.value:<8} {times:>3} {finding.code} {finding.name}"
        place = short(finding.subject or finding.source if by_page else finding.source)
        line = f":{finding.line}" if finding.line is not None and not by_page else ""
        yield DemoLine(cut(f"{head:<47} {place}{line}"), _TONES[finding.severity])
    if len(first) > shown:
        yield DemoLine(f"and {len(first) - shown} more kinds", Tone.QUIET)


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
