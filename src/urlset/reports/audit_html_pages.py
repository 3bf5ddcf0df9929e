"""Audited pages → tables of pages with problems and of pages that could not be checked, both limited."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.model.visit import State
from urlset.reports.html_text import Html, joined, jump, prose, tag
from urlset.reports.pages import AuditReport, PageRow
from urlset.reports.wording import amount, named

BROKEN_ROWS, UNJUDGED_ROWS = 500, 200
_BROKEN = (State.GONE, State.ERROR, State.REDIRECTED, State.OK)
_UNJUDGED = (State.BLOCKED, State.UNKNOWN)
"""states in display order"""
_CSV = "use `--format csv` to list all pages"


class _Table:
    """The first pages of each state and their total number; memory use is constant."""

    def __init__(self, states: tuple[State, ...], most: int) -> None:
        self._most = most
        self._kept: dict[State, list[PageRow]] = {state: [] for state in states}
        self._count = 0

    def take(self, row: PageRow) -> None:
        self._count += 1
        kept = self._kept[row.state]
        if len(kept) < self._most:
            kept.append(row)

    def html(self, title: str, said: str, codes: set[str]) -> Iterator[str]:
        """Row by row; empty for an empty table. `codes` have a section to link to."""
        if not self._count:
            return
        rows = [row for kept in self._kept.values() for row in kept][: self._most]
        head = (tag("th", name, scope="col") for name in ("page", "state", "reason and fix"))
        caption = tag("caption", f"{amount(self._count, 'page')}: {said}")
        yield f'<section>\n{tag("h2", title)}\n<table class="pages">\n{caption}\n'
        yield f"{tag('thead', tag('tr', *head))}\n<tbody>\n"
        for row in rows:
            yield f"{_row(row, codes)}\n"
        yield "</tbody>\n</table>\n"
        left = self._count - len(rows)
        if left:
            yield f"{tag('p', prose(f'and {left:,} more; {_CSV}'))}\n"
        yield "</section>\n"


def page_tables(report: AuditReport, codes: set[str]) -> Iterator[str]:
    """Pages that were not fetched are in neither; one sentence gives the reason. `codes` have a section."""
    minded = _minded(report.verdict)
    broken, unjudged = _Table(_BROKEN, BROKEN_ROWS), _Table(_UNJUDGED, UNJUDGED_ROWS)
    for row in report.pages():
        if row.state in _UNJUDGED:
            if row.asked:
                unjudged.take(row)
        elif row.state is not State.OK or minded.intersection(row.codes):
            broken.take(row)
    yield from broken.html("Pages with problems", "missing, failing, redirected, or with an error or warning", codes)
    yield from unjudged.html("Pages that could not be checked", "blocked or unknown (not broken)", codes)


def _minded(verdict: Verdict) -> set[str]:
    """Rules with an error or a warning; a page with only notes has no problem."""
    worst: defaultdict[str, int] = defaultdict(lambda: Severity.INFO.rank)
    for finding in verdict.findings:
        worst[finding.code] = min(worst[finding.code], finding.severity.rank)
    return {code for code, rank in worst.items() if rank < Severity.INFO.rank}


def _row(row: PageRow, codes: set[str]) -> Html:
    where = f"{named(row.source)}, entry {row.entry:,}" if row.entry is not None else named(row.source)
    status = tag("p", f"{row.status}", class_="muted") if row.status is not None else ""
    return tag(
        "tr",
        tag("th", tag("code", row.url), tag("p", where, class_="muted"), scope="row"),
        tag("td", row.state, status, class_="short"),
        tag("td", *_describe(row, codes)),
    )


def _describe(row: PageRow, codes: set[str]) -> Iterator[Html]:
    if row.reason:
        yield tag("p", row.reason)
    to_be = row.remedy.to if row.remedy else None
    if row.state is State.REDIRECTED and row.final_url and row.final_url not in (row.url, to_be):
        yield tag("p", "redirects to ", tag("code", row.final_url))
    known = "not indexable" if False in row.indexable.values() else "possibly not indexable"
    for reason in row.reasons:
        if reason != row.reason:
            yield tag("p", f"{known}: {reason}")
    if row.codes:
        yield tag("p", "rules:", *(joined(" ", jump(code, code) if code in codes else code) for code in row.codes))
    if row.remedy is not None:
        to = joined(" with ", tag("code", row.remedy.to)) if row.remedy.to else ""
        why = f": {row.remedy.why}" if row.remedy.why != row.reason else ""
        yield tag("p", "fix: ", tag("b", row.remedy.action), to, why)
