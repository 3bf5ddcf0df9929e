"""An audit → what the terminal shows: states, root causes, findings, what nobody looked at, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from urlset.findings.severity import Severity
from urlset.model.visit import State
from urlset.reports.audit_findings import PageFindings
from urlset.reports.cells import middle_out, wrap
from urlset.reports.format import ReportOptions
from urlset.reports.ink import Ink
from urlset.reports.layout import Page
from urlset.reports.pages import AuditReport, CauseRow, EstimateRow
from urlset.reports.visible import visible
from urlset.reports.wording import amount

PLACES = 3
_INKS = {
    State.OK: "green",
    State.REDIRECTED: "yellow",
    State.GONE: "red",
    State.ERROR: "red",
    State.BLOCKED: "cyan",
    State.UNKNOWN: "dim",
}
_BAR = 32
_EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
_CAUSES = 8
_EXAMPLES = 2
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
_NARROWEST, _WIDEST = 40, 120


def render(report: AuditReport, options: ReportOptions, *, everything: bool = False) -> Iterator[str]:
    page = _Sheet(report, options, everything=everything)
    return (f"{line}\n" for line in page.lines())


class _Sheet:
    def __init__(self, report: AuditReport, options: ReportOptions, *, everything: bool) -> None:
        self._report, self._options, self._everything = report, options, everything
        self._ink = Ink(color=options.color)
        self._width = min(max(options.width, _NARROWEST), _WIDEST)

    def lines(self) -> Iterator[str]:
        yield from self._head()
        yield from self._states()
        yield from self._causes()
        yield from self._estimates()
        yield from self._comparison()
        yield from self._findings()
        yield from self._asides()

    def _findings(self) -> Iterator[str]:
        """Pages by their addresses; sitemaps, and everything in the full format, with the lines that are at fault."""
        report, verdict = self._report, self._report.verdict
        least = self._options.least(Severity.INFO if self._everything else Severity.WARNING)
        page = Page(self._options, places=None if self._everything else PLACES)
        if self._everything:
            yield from page.render(verdict, least)
            return
        pages = PageFindings(verdict, report.page_codes, self._ink, self._width)
        yield from pages.lines(least)
        yield from page.blocks(msgspec.structs.replace(verdict, findings=pages.others), least)
        if report.seen and not report.judged and not any(verdict.severity_counts.values()):
            verdict = msgspec.structs.replace(verdict, documents=())  # for "nothing was checked": no page passed
        yield from page.foot(verdict, least)

    def _head(self) -> Iterator[str]:
        report = self._report
        sitemaps = sum(document.kind != "sitemapindex" for document in report.verdict.documents)
        yield self._ink("bold", visible(middle_out(report.target, self._width)))
        listed = f"{amount(report.listed, 'page')} listed in {amount(sitemaps, 'sitemap')}"
        if not report.listed:
            yield "no page is listed: there is nothing to look at"
        elif report.seen and not report.judged:
            yield from wrap(f"{listed}, none of them could be judged", self._width)
        elif report.seen == report.listed:
            yield from wrap(f"{listed}, all accounted for", self._width)
        else:
            yield from wrap(f"{listed}, {report.seen:,} looked at", self._width)
        yield ""

    def _states(self) -> Iterator[str]:
        """A bar for each state, with the commonest reason for those that say nothing about the page itself."""
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
            drawn = _drawn(share, bar)
            line = f"{self._ink(_INKS[state], drawn)}{' ' * (bar - len(drawn))} {_percent(share)}"
            yield f"  {state.value:<{names}}  {count:>{digits},}  {line}"
        yield ""
        yield from self._reasons()
        if report.media:
            counts = ", ".join(f"{count:,} {state.value}" for state, count in report.media.items())
            yield from (*wrap(f"images and videos: {counts}", self._width), "")

    def _reasons(self) -> Iterator[str]:
        """Why pages say nothing, and what can be done about it; why they fail is told by causes and findings."""
        told = [each for each in self._report.reasons if each[0] in _HINTS and each[1]]
        told.sort(key=lambda each: list(State).index(each[0]))
        hinted: set[str] = set()
        for state, reason, count in told:
            yield from self._wrapped(f"{state.value}: {reason}", count, "  ")
            for start, hint in _HINTS[state].items():
                if reason.startswith(start) and hint not in hinted:
                    hinted.add(hint)
                    yield from (self._ink("dim", f"    {line}") for line in wrap(hint, self._width - 4))
        if told:
            yield ""

    def _wrapped(self, text: str, count: int, indent: str) -> Iterator[str]:
        first, *rest = wrap(f"{count:,} {text}" if count > 1 else text, self._width - len(indent) - 2)
        yield f"{indent}{first}"
        yield from (f"{indent}  {line}" for line in rest)

    def _causes(self) -> Iterator[str]:
        """What explains several pages at once; a page on its own is a finding like any other."""
        found = [
            each
            for each in self._report.causes
            if each.count >= _SEVERAL and each.title != _OTHER and each.kind != State.BLOCKED
        ]
        shown = found if self._everything else found[:_CAUSES]
        if not shown:
            return
        yield self._ink("bold", "root causes")
        for cause in shown:
            yield from self._cause(cause)
        if len(found) > len(shown):
            yield f"  and {len(found) - len(shown):,} more (--format full lists all)"
        yield ""

    def _cause(self, cause: CauseRow) -> Iterator[str]:
        kind = "pages" if cause.title.startswith(cause.kind) else cause.kind
        head = f"{cause.count:,} of {cause.of:,} {kind}" if cause.of > cause.count else f"{cause.count:,} {kind}"
        first, *rest = wrap(f"{head}: {cause.title}", self._width - 4)
        yield f"  {self._ink('yellow', first)}"
        yield from (f"    {line}" for line in rest)
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

    def _comparison(self) -> Iterator[str]:
        """What `--crawl` was asked for, in a line each; as notes the pages themselves are not shown by default."""
        counts = self._report.verdict.counts
        said = [
            f"{amount(counts[code], 'page')} {what} ({code})" for code, what in _COMPARED.items() if counts.get(code)
        ]
        if not said:
            return
        yield self._ink("bold", "sitemap against crawl")
        yield from (f"  {line}" for line in said)
        if self._options.least(Severity.WARNING) is not Severity.INFO and not self._everything:
            yield self._ink("dim", "  --show info names them")
        yield ""

    def _estimates(self) -> Iterator[str]:
        report = self._report
        if not report.estimates and report.none_of is not None and report.finished:
            said = (
                f"found on none of the {report.seen:,} pages of the sample, a fault of any one kind is on at most"
                f" {_percent(report.none_of).strip()} of all {report.listed:,} pages, with 95 % confidence"
            )
            yield from (*wrap(said, self._width), "")
        if not report.estimates:
            return
        yield self._ink("bold", f"estimated for all {self._report.listed:,} pages, with 95 % confidence")
        names = max(len(each.what) for each in self._report.estimates)
        for each in self._report.estimates:
            yield f"  {visible(each.what):<{names}}  {_interval(each)}"
        yield ""

    def _asides(self) -> Iterator[str]:
        report = self._report
        lines: list[str] = []
        for each in report.not_asked:
            lines += wrap(f"not looked at: {amount(each.count, 'page')}, {each.reason}", self._width)
        if report.unchanged:
            lines += wrap(
                f"unchanged since the last audit, as their server says: {amount(report.unchanged, 'page')}", self._width
            )
        for notice in report.notices:
            lines += wrap(notice, self._width)
        if lines:
            yield ""
            yield from lines
        yield from self._next()

    def _next(self) -> Iterator[str]:
        """What can be done about it, as commands to be copied."""
        if not self._report.remedies:
            return
        drop, replace = self._report.remedies.get("drop", 0), self._report.remedies.get("replace", 0)
        parts = [
            f"{amount(drop, 'entry', 'entries')} to drop" if drop else "",
            f"{replace:,} to replace" if replace else "",
        ]
        yield ""
        first, *rest = wrap(f"next: {', '.join(part for part in parts if part)}; see how with", self._width)
        yield f"{self._ink('cyan', 'next')}{first.removeprefix('next')}"
        yield from rest
        yield f"  urlset audit {visible(self._report.again)} --format json --output audit.json"
        yield f"  urlset fix --using audit.json {_file_of(self._report.target)} --unsafe --diff"


def _file_of(target: str) -> str:
    return "SITEMAP.xml" if "://" in target else visible(target)


def _drawn(share: float, width: int) -> str:
    eighths = max(1, round(share * width * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8]


def _percent(share: float) -> str:
    if 0 < share < 0.001:
        return " <0.1 %"
    return f"{share * 100:5.1f} %"


def _interval(each: EstimateRow) -> str:
    pages = f"{each.pages_low:,} to {each.pages_high:,} pages"
    return f"{_percent(each.share).strip()} ({_percent(each.low).strip()} to {_percent(each.high).strip()}): {pages}"
