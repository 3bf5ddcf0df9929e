"""An audit → the sentences that its reports for people share: how much was seen, why, what explains it, what next."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from urlset.findings.verdict import Verdict
from urlset.model.visit import State
from urlset.reports.pages import AuditReport, CauseRow, EstimateRow
from urlset.reports.visible import visible
from urlset.reports.wording import amount

_SEVERAL = 3
_OTHER = "other"
_HINTS = {
    State.BLOCKED: {
        "": "that says nothing about the pages: let urlset pass in the bot protection, or ask slowly with --delay 2"
    },
    State.UNKNOWN: {"robots.txt forbids": "on your own site, --ignore-robots looks at what robots.txt forbids urlset"},
}
"""state → what its reason starts with → what to do"""
_COMPARED = {"A035": "linked, but in no sitemap", "A036": "listed, but linked by nobody"}


def listed_line(report: AuditReport) -> str:
    """How many pages there are, and how many of them are accounted for."""
    sitemaps = sum(document.kind != "sitemapindex" for document in report.verdict.documents)
    listed = f"{amount(report.listed, 'page')} listed in {amount(sitemaps, 'sitemap')}"
    if not report.listed:
        return "no page is listed: there is nothing to look at"
    if report.seen and not report.judged:
        return f"{listed}, none of them could be judged"
    return f"{listed}, all accounted for" if report.seen == report.listed else f"{listed}, {report.seen:,} looked at"


def summed(report: AuditReport) -> Verdict:
    """The verdict to sum up: where no page was judged and nothing found, nothing was checked and nothing passed."""
    verdict = report.verdict
    if report.seen and not report.judged and not any(verdict.severity_counts.values()):
        return msgspec.structs.replace(verdict, documents=())
    return verdict


def reasons(report: AuditReport) -> Iterator[tuple[State, str, int, str]]:
    """Why pages say nothing, and what can be done about it, each advice once; why they fail is told elsewhere."""
    reported = [each for each in report.reasons if each[0] in _HINTS and each[1]]
    hinted: set[str] = set()
    for state, reason, count in sorted(reported, key=lambda each: list(State).index(each[0])):
        hints = [hint for start, hint in _HINTS[state].items() if reason.startswith(start) and hint not in hinted]
        hinted.update(hints)
        yield state, reason, count, "; ".join(hints)


def telling_causes(report: AuditReport) -> list[CauseRow]:
    """What explains several pages at once; a page on its own is a finding like any other."""
    return [
        each for each in report.causes if each.count >= _SEVERAL and each.title != _OTHER and each.kind != State.BLOCKED
    ]


def cause_line(cause: CauseRow) -> str:
    kind = "pages" if cause.title.startswith(cause.kind) else cause.kind
    head = f"{cause.count:,} of {cause.of:,} {kind}" if cause.of > cause.count else f"{cause.count:,} {kind}"
    return f"{head}: {cause.title}"


def comparison(report: AuditReport) -> list[str]:
    """What `--crawl` was asked for, in a line each."""
    counts = report.verdict.counts
    return [f"{amount(counts[code], 'page')} {what} ({code})" for code, what in _COMPARED.items() if counts.get(code)]


def estimates_line(report: AuditReport) -> str:
    """What the estimates are about, or what a sample without findings says; empty where all pages were looked at."""
    if report.estimates:
        return f"estimated for all {report.listed:,} pages, with 95 % confidence"
    if report.none_of is None or not report.finished:
        return ""
    return (
        f"found on none of the {report.seen:,} pages of the sample, a fault of any one kind is on at most"
        f" {percent(report.none_of)} of all {report.listed:,} pages, with 95 % confidence"
    )


def interval(each: EstimateRow) -> str:
    return f"{percent(each.share)} ({percent(each.low)} to {percent(each.high)})"


def pages_of(each: EstimateRow) -> str:
    return f"{each.pages_low:,} to {each.pages_high:,} pages"


def percent(share: float) -> str:
    return "<0.1 %" if 0 < share < 0.001 else f"{share * 100:.1f} %"


def unseen(report: AuditReport) -> Iterator[str]:
    """What nobody looked at, what did not change, and what else there is to say."""
    for each in report.not_asked:
        yield f"not looked at: {amount(each.count, 'page')}, {each.reason}"
    if report.unchanged:
        yield f"unchanged since the last audit, as their server says: {amount(report.unchanged, 'page')}"
    yield from report.notices


def remedies_line(report: AuditReport) -> str:
    """How many entries `urlset fix --using` would change; empty for none."""
    drop, replace = report.remedies.get("drop", 0), report.remedies.get("replace", 0)
    parts = (
        f"{amount(drop, 'entry', 'entries')} to drop" if drop else "",
        f"{replace:,} to replace" if replace else "",
    )
    return ", ".join(part for part in parts if part)


def remedy_commands(report: AuditReport) -> tuple[str, str]:
    """To be copied, one after the other."""
    file = "SITEMAP.xml" if "://" in report.target else visible(report.target)
    return (
        f"urlset audit {visible(report.again)} --format json --output audit.json",
        f"urlset fix --using audit.json {file} --unsafe --diff",
    )
