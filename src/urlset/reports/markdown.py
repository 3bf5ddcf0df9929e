"""Verdict → Markdown for a pull request comment: a table of rules, with the first places folded below."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from urlset.findings.verdict import Verdict
from urlset.model.shown import amount
from urlset.reports.format import ReportOptions
from urlset.reports.groups import FindingGroup, by_source, grouped
from urlset.reports.table import ReportTable, TableColumn
from urlset.reports.visible import middle_out, snippet, visible
from urlset.reports.wording import named, not_checked, place, some, sum_line, suppressed, times

LONGEST = 60_000
"""characters; GitHub rejects a comment of more than 65,536"""
_ROWS = 100
_PLACES = 3
_WIDTH = 100
_CODES_NAMED = 20
_LONGEST_MESSAGE = 300
_UNREAD_NAMED = 20


def render(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    """Tables before places: content beyond the limit is omitted, with a note."""
    head = f"### urlset {options.command}: {sum_line(verdict)}\n"
    foot = "".join(f"\n{line}\n" for line in _asides(verdict))
    groups = grouped(verdict)
    room = LONGEST - len(head) - len(foot)
    yield head
    sections = []
    rows = 0
    for source, found in by_source(groups).items():
        shown = found[: _ROWS - rows]
        table = f"\n#### {code_span(named(source))}\n\n{table_lines(ReportTable(source, _COLUMNS, shown))}"
        if not shown or len(table) > room:
            break
        room -= len(table)
        rows += len(shown)
        sections.append((table, shown))
    for table, shown in sections:
        yield table
        for details in map(_details, shown):
            room -= len(details)
            if room >= 0:
                yield details
    if rows < len(groups):
        yield f"\n{amount(len(groups) - rows, 'more row')} not shown because of the comment size limit\n"
    yield foot


def table_lines(table: ReportTable) -> str:
    """Numbers are aligned to the right."""
    rules = ("---:" if column.kind == "number" else "---" for column in table.columns)
    lines = [_row(table.titles), f"|{'|'.join(rules)}|"]
    lines += [_row(markdown_text(text) for _, text in cells) for cells in table.cells()]
    return "\n".join(lines) + "\n"


def _row(cells: Iterable[str]) -> str:
    return f"|{'|'.join(f' {cell} ' if cell else ' ' for cell in cells)}|"


def _first_place(group: FindingGroup) -> str:
    where = place(group.first).removeprefix(f"{named(group.first.source)}:")
    return where if group.first.line is not None else "whole file"


_COLUMNS = (
    TableColumn("severity", value=lambda group: group.first.severity),
    TableColumn("rule", "rule", value=lambda group: f"{group.first.code} {group.first.name}"),
    TableColumn("times", "times", "number", lambda group: f"{'' if group.exact else '≥ '}{group.total:,}"),
    TableColumn("place", "first place", value=_first_place),
    TableColumn("message", value=lambda group: middle_out(group.first.message, _LONGEST_MESSAGE)),
)


def _details(group: FindingGroup) -> str:
    shown = group.findings[:_PLACES]
    lines: list[str] = []
    for finding in shown:
        if finding.excerpt is None:
            continue
        cut = snippet(finding.excerpt, _WIDTH)
        lines += [visible(place(finding)), cut.text, f"{' ' * cut.indent}{'^' * cut.carets}"]
    if not lines:
        return ""
    left = group.left_after(len(shown))
    more = f"\nand {left:,} more\n" if left else ""
    fixes = "".join(f"\nfix: {markdown_text(fix.title)}\n" for fix in group.fixes(_PLACES))
    title = f"{group.first.code} {markdown_text(group.first.name)}"
    return f"\n<details><summary>{title}</summary>\n\n{code_block(lines)}\n{more}{fixes}\n</details>\n"


def _shortly(text: str) -> str:
    return markdown_text(middle_out(text, _LONGEST_MESSAGE))


def _asides(verdict: Verdict) -> Iterator[str]:
    for reason, codes in not_checked(verdict).items():
        yield f"Skipped {amount(len(codes), 'rule')} ({some(codes, _CODES_NAMED)}): {_shortly(reason)}"
    for by, counts in suppressed(verdict).items():
        silenced = amount(sum(counts.values()), "finding")
        yield f"Suppressed: {silenced} by {markdown_text(by)} ({times(sorted(counts.items()))})"
    for line in verdict.unread[:_UNREAD_NAMED]:
        yield f"Could not read: {_shortly(line)}"
    if len(verdict.unread) > _UNREAD_NAMED:
        yield f"Could not read: {len(verdict.unread) - _UNREAD_NAMED:,} more"


# Text from any source → safe Markdown: no markup, no links, no notifications.

_SPECIAL = re.compile(r"[\\`*_{}\[\]()#+!|~$]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_BREAK = "<!-- -->"
_WOULD_LINK = re.compile(r"@(?=\w)|(?<=\w):(?=//)|(?<=\bwww)\.(?=\w)|\\#(?=\d)", re.IGNORECASE)


def markdown_text(text: str) -> str:
    """Mentions and URLs are broken with an invisible empty comment."""
    shown = _SPECIAL.sub(lambda found: f"\\{found[0]}", visible(text))
    for char, entity in _ENTITIES.items():
        shown = shown.replace(char, entity)
    return _WOULD_LINK.sub(lambda found: f"{found[0]}{_BREAK}", shown)


def code_span(text: str) -> str:
    """Not for a table cell, where a pipe counts even inside code."""
    shown = visible(text) or " "
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def code_block(lines: list[str]) -> str:
    """A fence longer than any run of backticks inside."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *lines, fence])
