"""An audit → the sentences its reports share: coverage, reasons, causes, next steps."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.findings.card import Severity
from urlset.model.document import Kind
from urlset.model.shown import amount
from urlset.model.visit import State
from urlset.reports.pages import AuditReport, CauseRow, EstimateRow
from urlset.reports.visible import visible
from urlset.reports.wording import in_a_sentence, percent
from urlset.spec.engines import Purpose

UNREAD = "sitemaps not read"
OF_UNREAD = frozenset({"I010", "R004", "R005", "R021"})
"""one finding is a cause: nothing is known about the pages of a sitemap that cannot be fetched"""
_LISTS = frozenset(kind.value for kind in Kind if kind.lists_pages)
_PLACES = 5
_SPEEDS = 8
_KINDS = 10
_TELLING_SHARE = 0.05
HINT = "A sitemap is a hint: it helps search engines find pages. It does not guarantee crawling or indexing."
_HINTS = {
    State.BLOCKED: {
        "": "says nothing about the pages; allow urlset in the bot protection, or slow down with --delay 2"
    },
    State.UNKNOWN: {"robots.txt disallows": "use --ignore-robots to audit your own site anyway"},
}
"""state → start of the reason → what to do"""
_COMPARED = {"A035": "linked, but in no sitemap", "A036": "listed, but not linked (orphan pages)"}


def listed_line(report: AuditReport) -> str:
    """The number of listed pages, and how many of them have a result."""
    sitemaps = sum(document.kind in _LISTS for document in report.verdict.documents)
    listed = f"{amount(report.listed, 'page')} listed in {amount(sitemaps, 'sitemap')}"
    if not report.listed:
        return "no pages listed; there is nothing to audit"
    if report.seen and not report.judged:
        return f"{listed}, none could be checked"
    return f"{listed}, all checked" if report.judged == report.listed else f"{listed}, {report.judged:,} checked"


def reasons(report: AuditReport) -> Iterator[tuple[State, str, int, str]]:
    """Why pages are blocked or unknown, and what to do, each hint once; failures are explained elsewhere."""
    reported = [each for each in report.reasons if each[0] in _HINTS and each[1]]
    hinted: set[str] = set()
    for state, reason, count in sorted(reported, key=lambda each: list(State).index(each[0])):
        hints = [hint for start, hint in _HINTS[state].items() if reason.startswith(start) and hint not in hinted]
        hinted.update(hints)
        yield state, reason, count, "; ".join(hints)


def cause_line(cause: CauseRow) -> str:
    """What happens to how many pages, then why."""
    kind = "pages" if cause.title.startswith(cause.kind) else cause.kind
    if cause.of == 1:
        kind = re.sub(r"\bpages$|^sitemaps\b", lambda plural: plural[0][:-1], kind)
    head = f"{cause.count:,} of {cause.of:,} {kind}" if cause.of > cause.count else f"{cause.count:,} {kind}"
    return f"{head}: {cause.title}"


def cause_damage(cause: CauseRow) -> str:
    """`1,200 pages cannot be indexed (error A006)`."""
    said = f"{amount(cause.lost, 'page')} cannot be indexed" if cause.lost else "no indexable page is lost"
    if cause.kind == UNREAD or cause.code in OF_UNREAD:
        said = f"{'its' if cause.count == 1 else 'their'} pages are unknown"
    return f"{said} ({cause.severity.value}{f' {cause.code}' if cause.code else ''})"


def cause_places(cause: CauseRow) -> str:
    """The parts of the site, the largest first."""
    shown = [
        f"{each.section} ({each.count:,} of {each.listed:,})" if each.listed else f"{each.section} ({each.count:,})"
        for each in cause.where[:_PLACES]
    ]
    more = len(cause.where) - len(shown)
    return f"{', '.join(shown)}{f', and {more:,} more' if more else ''}"


def cause_consequences(cause: CauseRow) -> str:
    return "; ".join(f"{each.code} on {amount(each.count, 'page')}" for each in cause.consequences)


def hint(report: AuditReport) -> list[str]:
    """What a sitemap can do, said once."""
    return [HINT] if report.listed else []


def unexplained_line(report: AuditReport) -> str:
    return f"and {amount(report.unexplained, 'page')} with other problems" if report.unexplained else ""


def contradictions(report: AuditReport) -> list[str]:
    """Pages that are listed for search engines, and closed to their crawlers."""
    closed = [each for each in report.bots if each.closed and each.purpose is Purpose.SEARCH]
    if not closed:
        return []
    worst = max(each.closed for each in closed)
    names = ", ".join(each.bot for each in closed)
    return [f"contradiction: listed, but closed to search crawlers: {amount(worst, 'page')} ({names})"]


def change_lines(report: AuditReport) -> list[str]:
    """What is new and what is resolved since the earlier audit, in total and by rule."""
    changes = report.changes
    if changes is None:
        return []
    gone = f" ({changes.unlisted:,} on pages no longer listed)" if changes.unlisted else ""
    lines = [f"{changes.new:,} new, {changes.resolved:,} resolved{gone}, {changes.unchanged:,} unchanged"]
    for each in changes.rules:
        if not each.new and not each.resolved:
            continue
        counts = [f"{each.new:,} new" if each.new else "", f"{each.resolved:,} resolved" if each.resolved else ""]
        example = (*each.new_examples, *each.resolved_examples)[0]
        lines.append(f"{each.code} {each.name}: {', '.join(filter(None, counts))}, such as {visible(example)}")
    return lines


def kind_lines(report: AuditReport) -> list[str]:
    """`41.0% of sitemap-posts.xml are tag archives`: shares that matter, with their evidence."""
    return [
        f"{percent(each.share)} of {visible(named(each.source))} {'is' if each.count == 1 else 'are'}"
        f" {each.kind.replace('-', ' ')} pages: {each.count:,} of {each.listed:,}"
        f" ({each.certainty:.0%} certain: {visible(each.evidence)})"
        for each in report.kinds
        if each.share >= _TELLING_SHARE
    ][:_KINDS]


def speed_lines(report: AuditReport) -> list[str]:
    """`/shop/*: 0.4 s, 95% below 2.1 s (first byte 0.3 and 1.9 s), 120 pages, 3 slow`; the slowest sections."""
    return [
        f"{each.section}*: median {each.total_p50:.2f} s, p95 {each.total_p95:.2f} s"
        f" (first byte {each.first_byte_p50:.2f} and {each.first_byte_p95:.2f} s), {amount(each.pages, 'page')}"
        f"{f', {each.slow:,} slow' if each.slow else ''}"
        for each in report.speeds
    ][:_SPEEDS]


def note_lines(report: AuditReport) -> list[str]:
    """Rules with notes only, in one line each: formats for the screen do not show notes."""
    worse = {each.code for each in report.verdict.findings if each.severity is not Severity.INFO}
    return [
        f"{amount(count, 'page')}: {in_a_sentence(card.summary.rstrip('.'))} ({code})"
        for code, count in report.verdict.counts.items()
        if code in report.page_codes and code not in worse and (card := report.verdict.cards.get(code)) is not None
    ]


def named(source: str) -> str:
    """The last part of a long name."""
    return source.rstrip("/").rpartition("/")[2] or source


def bot_lines(report: AuditReport) -> list[str]:
    """Crawlers that may fetch equally many of the listed pages on one line, by purpose; contradictions first."""
    lines = contradictions(report)
    grouped: dict[tuple[str, int, int], list[str]] = {}
    for each in report.bots:
        grouped.setdefault((each.purpose.value, each.allowed, each.listed), []).append(each.bot)
    for (purpose, allowed, listed), bots in grouped.items():
        share = f"all {listed:,}" if allowed == listed else f"{allowed:,} of {listed:,}"
        lines.append(f"{purpose}: {share} pages: {', '.join(bots)}")
    return lines


def comparison(report: AuditReport) -> list[str]:
    """The result of `--crawl`, one line each."""
    counts, likely = report.verdict.counts, ""
    orphan = next((each.message for each in report.verdict.findings if each.code == "A036"), "")
    if orphan.startswith("likely"):
        likely = f"; {orphan.rpartition(' (likely, ')[2].removesuffix(')')}" if " (likely, " in orphan else ""
    lines = []
    for code, what in _COMPARED.items():
        if counts.get(code):
            found = [each for each in report.verdict.findings if each.code == code]
            sure = "likely " if code == "A036" and likely else ""
            only_seen = code == "A035" and all(", but seen in search" in each.message for each in found)
            how = "seen in search, but in no sitemap" if only_seen else what
            said = f"{amount(counts[code], 'page')} {how.replace('(', f'({sure}')} ({code})"
            lines.append(f"{said}{likely if sure else ''}")
    return lines


def estimates_line(report: AuditReport) -> str:
    """The subject of the estimates, or the bound from a sample without findings; empty after a full audit."""
    if report.estimates:
        return f"estimated for all {report.listed:,} pages, with 95% confidence"
    if report.none_of is None or not report.finished:
        return ""
    return (
        f"a problem not found in the sample of {report.seen:,} pages affects at most {percent(report.none_of)}"
        f" of all {report.listed:,} pages, with 95% confidence"
    )


def interval(each: EstimateRow) -> str:
    return f"{percent(each.share)} ({percent(each.low)} to {percent(each.high)})"


def pages_of(each: EstimateRow) -> str:
    return f"{each.pages_low:,} to {each.pages_high:,} pages"


def unseen(report: AuditReport) -> Iterator[str]:
    """Pages not fetched, unchanged pages, and other notices."""
    for each in report.not_asked:
        yield f"not fetched: {amount(each.count, 'page')}, {each.reason}"
    if report.unchanged:
        yield f"unchanged since the last audit (304 Not Modified): {amount(report.unchanged, 'page')}"
    yield from report.notices


def remedies_line(report: AuditReport) -> str:
    """How many entries `urlset fix --using` would change; empty for none."""
    drop, replace = report.remedies.get("drop", 0), report.remedies.get("replace", 0)
    parts = (
        f"{amount(drop, 'entry', 'entries')} to remove" if drop else "",
        f"{replace:,} to replace" if replace else "",
    )
    return ", ".join(part for part in parts if part)


def remedy_commands(report: AuditReport) -> tuple[str, str]:
    """Commands to copy, in order."""
    file = "SITEMAP.xml" if "://" in report.target else visible(report.target)
    return (
        f"urlset audit {visible(report.again)} --format json --output audit.json",
        f"urlset fix --using audit.json {file} --unsafe --diff",
    )
