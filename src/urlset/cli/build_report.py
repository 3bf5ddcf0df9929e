"""What a build did, in words."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.cli.terminal import Style, amount, printable
from urlset.model.shown import and_more, few
from urlset.workflows.build.result import BuildReport

_SHOWN = 5
_EVIDENCE = {
    "given": "from the source",
    "page": "from the page",
    "git": "from git",
    "observed": "from an observed change",
    "http": "from Last-Modified",
    "none": "without a date",
}


def reported(report: BuildReport, style: Style) -> Iterator[str]:
    """Lines for a terminal."""
    yield from _pages(report, style)
    yield from _files(report, style)
    for note in report.notes:
        yield f"  note       {printable(note)}"
    if report.trouble_count:
        rows = amount(report.trouble_count, "row or file", "rows or files")
        yield f"  trouble    {rows} used in part or skipped"
        for trouble in report.troubles[:_SHOWN]:
            yield style.dim(f"             {printable(trouble.origin)}: {printable(trouble.reason)}")
        yield from _rest(report.trouble_count, len(report.troubles), style)
    for finding in report.findings[:_SHOWN]:
        yield f"  check      {printable(finding)}"
    yield from _rest(report.finding_count, len(report.findings), style)
    for refusal in report.refusals:
        yield f"  {style.red('refused')}    {refusal.text}; override with --force {refusal.name}"
    yield _last(report, style)


def _rest(count: int, listed: int, style: Style) -> Iterator[str]:
    """How many there are beyond those shown; `listed` of them are in the JSON report."""
    if count > _SHOWN:
        where = f" (--format json lists {'all' if listed == count else f'the first {listed:,}'})"
        yield style.dim(f"            {and_more(count - _SHOWN)}{where if listed > _SHOWN else ''}")


def _pages(report: BuildReport, style: Style) -> Iterator[str]:
    moves = f"{report.added:,} new, {report.removed:,} removed, {report.redated:,} with a new date"
    yield f"  listed     {style.bold(amount(report.listed, 'page'))}: {moves}"
    dates = ", ".join(f"{count:,} {_EVIDENCE.get(kind, kind)}" for kind, count in report.dated.items())
    if dates:
        yield f"  dates      {dates}"
    for reason, count in sorted(report.left_out.items(), key=lambda item: -item[1]):
        yield f"  excluded   {count:,} {reason}: {style.dim(printable(report.examples[reason]))}"


def _files(report: BuildReport, style: Style) -> Iterator[str]:
    changes = report.changes
    for word, names in (("new", changes.added), ("changed", changes.changed), ("removed", changes.removed)):
        if names:
            yield f"  {word:<10} {few(names, _SHOWN)}"
    if changes.unchanged:
        yield style.dim(f"  unchanged  {len(changes.unchanged):,} file{'s' if len(changes.unchanged) != 1 else ''}")


def _last(report: BuildReport, style: Style) -> str:
    if report.refusals:
        return style.red("Not published. The existing sitemaps are unchanged.")
    if report.dry_run:
        return "dry run: nothing was written"
    if not report.changes.touched:
        return "nothing changed"
    return style.green(f"published {len(report.files):,} file{'s' if len(report.files) != 1 else ''}")
