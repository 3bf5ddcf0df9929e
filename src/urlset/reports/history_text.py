"""HistoryReport → tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from urlset.reports.format import ReportOptions
from urlset.reports.history_report import HistoryReport, SiteHistory, UrlHistory
from urlset.reports.visible import Palette, visible
from urlset.reports.wording import amount
from urlset.snapshots.honesty import EstimatedShare, Example, Honesty, interval
from urlset.snapshots.timeline import Point, Sighting
from urlset.spec.page_facets import SAID, Facet

SIGHTING = ("snapshot (UTC)", "listed in", "lastmod", "page", "content", "indexed", "findings")
_FILES = 20
_EXAMPLES = 3


def render(report: HistoryReport, options: ReportOptions) -> Iterator[str]:
    palette = Palette(color=options.color)
    if report.site is not None:
        found = _site(report.site, palette)
    elif report.urls:
        found = (line for each in report.urls for line in _url(each, palette))
    else:
        rows = [(each.target, f"{each.snapshots:,}", each.first[:10], each.last[:10]) for each in report.targets]
        found = _table(("target", "snapshots", "first", "last"), rows, palette)
    return (f"{line}\n" for line in found)


def _site(site: SiteHistory, palette: Palette) -> Iterator[str]:
    yield visible(site.target)
    yield ""
    inspected = any(point.inspected for point in site.points)
    audited = any(point.states for point in site.points)
    head = ["snapshot (UTC)", "URLs", "added", "removed", "changed", "dates moved"]
    head += ["findings"] * audited + ["indexed"] * inspected
    yield from _table(
        head, [point_cells(point, audited=audited, inspected=inspected) for point in site.points], palette
    )
    yield from _lastmod(site.honesty, palette)
    yield ""
    for finding in site.verdict.findings:
        severity = palette.severity(finding.severity, finding.severity.value)
        yield f"{severity}  {finding.code}  {visible(finding.subject or finding.source)}: {visible(finding.message)}"
    if not site.verdict.findings:
        yield "no findings" if len(site.points) > 1 else "one snapshot: nothing to compare yet"
    yield from (f"note: {visible(note)}" for note in site.notes)


def point_cells(point: Point, *, audited: bool, inspected: bool) -> tuple[str, ...]:
    cells = [point.taken[:16].replace("T", " "), f"{point.urls:,}"]
    cells += [_number(each) for each in (point.added, point.removed, point.changed, point.dates_moved)]
    cells += [f"{point.findings:,}" if point.states else "-"] * audited
    cells += [_indexed(point)] * inspected
    return tuple(cells)


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _indexed(point: Point) -> str:
    if not point.inspected:
        return "-"
    low, high = interval(point.indexed, point.inspected)
    return f"{point.indexed / point.inspected:.0%} ({low:.0%} to {high:.0%})"


def _lastmod(files: Sequence[Honesty], palette: Palette) -> Iterator[str]:
    known = [each for each in files if each.score.share is not None]
    if not files:
        return
    yield ""
    yield palette("bold", "lastmod")
    if not known:
        yield f"  {no_event_text(files)}"
    for each in known[:_FILES]:
        yield f"  {visible(each.source)}"
        yield f"    date moves with a content change  {share_text(each.moves_with_change)}"
        yield f"    content changes with a date move  {share_text(each.changes_with_move)}"
        yield f"    score                             {share_text(each.score)}"
        if each.evidence:
            yield f"    changed with the date             {evidence_text(each)}"
        yield from map(_example, each.examples[:_EXAMPLES])
    if len(known) > _FILES:
        yield f"  … and {len(known) - _FILES:,} more sitemaps; use `--format json` to list all"


def no_event_text(files: Sequence[Honesty]) -> str:
    """Why there is no score: dates that cannot be judged are not dates that did not move."""
    moved = amount(sum(each.moved for each in files), "date")
    if any(each.is_judged for each in files):
        return f"no date moved and no content changed on pages that were fetched again; {moved} moved on others"
    return f"{moved} moved; no page was fetched again for it: run `urlset audit` before each snapshot to judge them"


def _example(page: Example) -> str:
    what = example_text(page)
    dates = f"{page.old} → {page.new}" if page.old != page.new else page.new
    return visible(f"    {page.url}  {what}: {dates}")


def evidence_text(each: Honesty) -> str:
    """What backs the dates that moved."""
    return ", ".join(f"{SAID[Facet(facet)]} on {amount(pages, 'page')}" for facet, pages in each.evidence.items())


def example_text(page: Example) -> str:
    parts = " and ".join(SAID[Facet(each)] for each in page.changed)
    if page.what == "unbacked":
        return f"date moved, only {parts} changed" if parts else "date moved, content same"
    return f"{parts or 'content'} changed, date same"


def share_text(share: EstimatedShare) -> str:
    if share.share is None:
        return "unknown"
    return f"{share.share:.0%} ({share.low:.0%} to {share.high:.0%} of {share.of:,})"


def _url(url: UrlHistory, palette: Palette) -> Iterator[str]:
    yield visible(url.url)
    yield f"in the snapshots of {visible(url.target)}"
    yield ""
    yield from _table(
        SIGHTING,
        [sighting_cells(each) for each in url.sightings],
        palette,
    )


def sighting_cells(each: Sighting) -> tuple[str, ...]:
    when = each.taken[:16].replace("T", " ")
    if not each.listed:
        return (when, "not listed", "", "", "", "", "")
    page = " ".join(filter(None, (each.state, str(each.status or ""), f"→ {each.final_url}" if each.final_url else "")))
    indexed = {True: "yes", False: "no", None: ""}[each.indexed]
    return (when, each.file or "", each.lastmod or "", page, _content(each), indexed, each.codes or "")


def _content(each: Sighting) -> str:
    return f"{each.content} ({each.changed.replace(' ', ', ')})" if each.changed else each.content or ""


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], palette: Palette) -> Iterator[str]:
    cells = [[visible(cell) for cell in row] for row in rows]
    widths = [max(len(row[at]) for row in (head, *cells)) for at in range(len(head))]
    yield palette("bold", "  ".join(name.ljust(width) for name, width in zip(head, widths, strict=True)).rstrip())
    for row in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
