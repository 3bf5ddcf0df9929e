"""HistoryReport → tables for a terminal, CSV, JSON, or one HTML page with a chart of the URL count."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from urlset.findings.card import Severity
from urlset.findings.verdict import Verdict
from urlset.model.shown import amount
from urlset.reports.charts import line
from urlset.reports.format import ReportOptions, reporter
from urlset.reports.history_report import HistoryReport, SiteHistory, TargetSummary, UrlHistory
from urlset.reports.html import ExitSummary, findings
from urlset.reports.html_page import page
from urlset.reports.table import ReportTable, TableColumn, columns_of, csv_lines, table_of, text_lines
from urlset.reports.visible import Palette, visible
from urlset.snapshots.honesty import EstimatedShare, Example, Honesty, interval
from urlset.snapshots.timeline import Point, Sighting
from urlset.spec.page_facets import SAID, Facet

_FILES = 20
_EXAMPLES = 3


def render(report: HistoryReport, options: ReportOptions, form: str = "text") -> Iterator[str]:
    if form == "html":
        return _html(report, options)
    if form != "text":
        return csv_lines(_table(report)) if form == "csv" else _json(report, options)
    palette = Palette(color=options.color)
    if report.site is not None:
        found = _site(report.site, palette)
    elif report.urls:
        found = (line for each in report.urls for line in _url(each, palette))
    else:
        found = text_lines(ReportTable("Targets", target_columns(10), report.targets), palette)
    return (f"{line}\n" for line in found)


def _site(site: SiteHistory, palette: Palette) -> Iterator[str]:
    yield visible(site.target)
    yield ""
    inspected = any(point.inspected for point in site.points)
    audited = any(point.states for point in site.points)
    columns = point_columns(audited=audited, inspected=inspected)
    yield from text_lines(ReportTable("Snapshots", columns, site.points), palette)
    if site.honesty:
        yield from ("", palette("bold", "lastmod"), *_lastmod(site.honesty))
    yield ""
    for finding in site.verdict.findings:
        severity = palette.severity(finding.severity, finding.severity.value)
        yield f"{severity}  {finding.code}  {visible(finding.subject or finding.source)}: {visible(finding.message)}"
    if not site.verdict.findings:
        yield (
            "no findings about changes between snapshots"
            if len(site.points) > 1
            else "one snapshot: nothing to compare yet"
        )
    yield from (f"note: {visible(note)}" for note in site.notes)


def target_columns(length: int | None = None) -> tuple[TableColumn, ...]:
    """`length` of the dates, in characters."""
    return (
        TableColumn("target", "target", "url"),
        TableColumn("snapshots", "snapshots", "number"),
        TableColumn("first", "first", value=lambda each: each.first[:length]),
        TableColumn("last", "last", value=lambda each: each.last[:length]),
    )


def point_columns(*, audited: bool = True, inspected: bool = True) -> tuple[TableColumn, ...]:
    always = (
        TableColumn("taken", "snapshot (UTC)", value=_minute),
        TableColumn("urls", "URLs", "number"),
        TableColumn("added", "added", "number"),
        TableColumn("removed", "removed", "number"),
        TableColumn("changed", "changed", "number"),
        TableColumn("dates_moved", "dates moved", "number"),
    )
    findings = TableColumn("findings", "findings", "number", lambda point: point.findings if point.states else None)
    return (*always, *[findings] * audited, *[TableColumn("indexed", "indexed", value=_indexed)] * inspected)


def _minute(each: Point | Sighting) -> str:
    return each.taken[:16].replace("T", " ")


def _indexed(point: Point) -> str:
    if not point.inspected:
        return "-"
    low, high = interval(point.indexed, point.inspected)
    return f"{point.indexed / point.inspected:.0%} ({low:.0%} to {high:.0%})"


def _lastmod(files: Sequence[Honesty]) -> Iterator[str]:
    known = [each for each in files if each.score.share is not None]
    if not known:  # dates that cannot be judged are not dates that did not move
        moved = f"{amount(sum(each.moved for each in files), 'date')} moved"
        if any(each.is_judged for each in files):
            yield f"  no date moved and no content changed on pages that were fetched again; {moved} on others"
        else:
            yield f"  {moved}; no page was fetched again for it: run `urlset audit` before each snapshot to judge them"
    for each in known[:_FILES]:
        yield f"  {visible(each.source)}"
        yield f"    date moves with a content change  {share_text(each.moves_with_change)}"
        yield f"    content changes with a date move  {share_text(each.changes_with_move)}"
        yield f"    score                             {share_text(each.score)}"
        if each.evidence:
            yield f"    changed with the date             {evidence_text(each)}"
        for it in each.examples[:_EXAMPLES]:
            dates = f"{it.old} → {it.new}" if it.old != it.new else it.new
            yield visible(f"    {it.url}  {example_text(it)}: {dates}")
    if len(known) > _FILES:
        yield f"  … and {len(known) - _FILES:,} more sitemaps; use `--format json` to list all"


def evidence_text(each: Honesty) -> str:
    """What backs the dates that moved."""
    return ", ".join(f"{SAID[Facet(facet)]} on {amount(pages, 'page')}" for facet, pages in each.evidence.items())


def example_text(it: Example) -> str:
    parts = " and ".join(SAID[Facet(each)] for each in it.changed)
    if it.what == "unbacked":
        return f"date moved, only {parts} changed" if parts else "date moved, content same"
    return f"{parts or 'content'} changed, date same"


def share_text(share: EstimatedShare) -> str:
    if share.share is None:
        return "unknown"
    return f"{share.share:.0%} ({share.low:.0%} to {share.high:.0%} of {share.of:,})"


def _url(url: UrlHistory, palette: Palette) -> Iterator[str]:
    yield from (visible(url.url), f"in the snapshots of {visible(url.target)}", "")
    yield from text_lines(ReportTable("Sightings", SIGHTING, url.sightings), palette)


def _page(each: Sighting) -> str:
    to = f"→ {each.final_url}" if each.final_url else ""
    return " ".join(filter(None, (each.state, str(each.status or ""), to)))


def _content(each: Sighting) -> str:
    return f"{each.content} ({each.changed.replace(' ', ', ')})" if each.changed else each.content or ""


def _if_listed(name: str, title: str, value: Callable[[Sighting], object]) -> TableColumn:
    return TableColumn(name, title, value=lambda each: value(each) if each.listed else "")


SIGHTING = (
    TableColumn("taken", "snapshot (UTC)", value=_minute),
    TableColumn("file", "listed in", "url", lambda each: each.file or "" if each.listed else "not listed"),
    _if_listed("lastmod", "lastmod", lambda each: each.lastmod or ""),
    _if_listed("page", "page", _page),
    _if_listed("content", "content", _content),
    _if_listed("indexed", "indexed", lambda each: {True: "yes", False: "no", None: ""}[each.indexed]),
    _if_listed("codes", "findings", lambda each: each.codes or ""),
)


SCHEMA = 1


def _table(report: HistoryReport) -> ReportTable:
    if report.site is not None:
        fields = [name for name in Point.__struct_fields__ if name != "states"]
        return ReportTable("Snapshots", columns_of(Point, only=fields), report.site.points)
    if report.urls:
        rows = [
            {"url": url.url, "target": url.target, **msgspec.structs.asdict(each)}
            for url in report.urls
            for each in url.sightings
        ]
        return table_of("Sightings", rows)
    return ReportTable("Targets", columns_of(TargetSummary), report.targets)


def _json(report: HistoryReport, options: ReportOptions) -> Iterator[str]:
    body: dict[str, Any] = {"schema": SCHEMA, "command": "history", "urlset": options.version}
    if report.site is not None:
        site = report.site
        verdict = json.loads("".join(reporter("json")(site.verdict, options)))
        body |= {
            "target": site.target,
            "snapshots": msgspec.to_builtins(site.points),
            "lastmod": msgspec.to_builtins(site.honesty),
            "findings": verdict["findings"],
            "counts": verdict["counts"],
            "notes": list(site.notes),
        }
    elif report.urls:
        body["urls"] = msgspec.to_builtins(report.urls)
    else:
        body["targets"] = msgspec.to_builtins(report.targets)
    yield f"{json.dumps(body, ensure_ascii=False, indent=1)}\n"


_DATES = (
    TableColumn("source", "sitemap", "url"),
    TableColumn("moves", "date moves with a content change", value=lambda each: share_text(each.moves_with_change)),
    TableColumn("changes", "content changes with a date move", value=lambda each: share_text(each.changes_with_move)),
    TableColumn("score", "score", value=lambda each: share_text(each.score)),
    TableColumn("evidence", "changed with the date", value=evidence_text),
    TableColumn("example", "example", "url", lambda each: each.examples[0].url if each.examples else ""),
)


def _html(report: HistoryReport, options: ReportOptions) -> Iterator[str]:
    site = report.site
    verdict = site.verdict if site is not None else Verdict()
    if report.site is not None:
        title, tables = report.site.target, [ReportTable("Snapshots", point_columns(), report.site.points)]
        known = [each for each in report.site.honesty if each.score.share is not None]
        tables += [ReportTable("Can lastmod be believed?", _DATES, known)] if known else []
    elif report.urls:
        title = report.urls[0].url
        tables = [ReportTable(f"In the snapshots of {each.target}", SIGHTING, each.sightings) for each in report.urls]
    else:
        title = f"{len(report.targets):,} targets"
        tables = [ReportTable("Targets", target_columns(), report.targets)]
    return page(
        "history.html",
        verdict,
        options,
        title=f"urlset history: {title}",
        summary=title,
        outcome=ExitSummary(""),
        chart=None if site is None else line([(point.taken[:16], point.urls) for point in site.points], noun="URLs"),
        table=None,
        tables=tables,
        notes=() if site is None else site.notes,
        **findings(verdict, Severity.INFO),
    )
