"""HistoryReport → one HTML page: a chart of the URL count, a table of snapshots, dates, findings; no script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.format import ReportOptions
from urlset.reports.history_report import HistoryReport, SiteHistory, UrlHistory
from urlset.reports.html import findings
from urlset.reports.html_frame import closing, opening
from urlset.reports.html_rules import by_rule
from urlset.reports.html_text import Html, lines, link, tag
from urlset.snapshots.honesty import Honesty, Share
from urlset.snapshots.intervals import interval
from urlset.snapshots.timeline import Point, Sighting

_WIDTH, _HEIGHT, _EDGE = 640, 160, 6
_POINTS = ("added", "removed", "changed", "dates_moved")


def render(report: HistoryReport, options: ReportOptions) -> Iterator[str]:
    yield opening(f"urlset history: {_title(report)}", options)
    yield f"{tag('header', lines(tag('p', 'urlset history', class_='tool'), tag('h1', _title(report))))}\n<main>\n"
    if report.site is not None:
        yield from _site(report.site)
    elif report.urls:
        yield from (f"{_url(each)}\n" for each in report.urls)
    else:
        rows = (
            (link(each.target, each.target), f"{each.snapshots:,}", each.first, each.last) for each in report.targets
        )
        yield f"{_table(('target', 'snapshots', 'first', 'last'), rows)}\n"
    yield closing(options)


def _title(report: HistoryReport) -> str:
    if report.site is not None:
        return report.site.target
    return report.urls[0].url if report.urls else f"{len(report.targets):,} targets"


def _site(site: SiteHistory) -> Iterator[str]:
    yield f"{tag('section', lines(tag('h2', 'Listed URLs'), _chart(site.points)))}\n"
    head = ("snapshot (UTC)", "URLs", "added", "removed", "changed", "dates moved", "findings", "indexed")
    yield f"{tag('section', lines(tag('h2', 'Snapshots'), _table(head, map(_point, site.points))))}\n"
    if site.honesty:
        yield f"{_dates(site.honesty)}\n"
    yield from _findings(site.verdict)
    if site.notes:
        notes = tag("ul", *(tag("li", note) for note in site.notes))
        yield f"{tag('section', lines(tag('h2', 'Notices'), notes))}\n"


def _findings(verdict: Verdict) -> Iterator[str]:
    if verdict.findings:
        yield from findings(by_rule(verdict, Severity.INFO))


def _chart(points: Sequence[Point]) -> Html:
    """A line from snapshot to snapshot, from zero at the bottom to the maximum at the top."""
    most = max(1, *(point.urls for point in points))
    step = (_WIDTH - 2 * _EDGE) / max(1, len(points) - 1)
    places = [
        (_EDGE + step * number, _HEIGHT - _EDGE - (_HEIGHT - 2 * _EDGE) * point.urls / most)
        for number, point in enumerate(points)
    ]
    line = tag(
        "polyline",
        points=" ".join(f"{x:.1f},{y:.1f}" for x, y in places),
        fill="none",
        stroke="currentColor",
        stroke_width="2",
    )
    dots = (
        tag("circle", tag("title", f"{point.taken[:16]}: {point.urls:,} URLs"), cx=f"{x:.1f}", cy=f"{y:.1f}", r="3")
        for point, (x, y) in zip(points, places, strict=True)
    )
    label = f"{points[0].urls:,} URLs on {points[0].taken[:10]}, {points[-1].urls:,} on {points[-1].taken[:10]}"
    chart = tag("svg", line, *dots, viewBox=f"0 0 {_WIDTH} {_HEIGHT}", width="100%", role="img", aria_label=label)
    return lines(chart, tag("p", f"{label}; at most {most:,}", class_="muted"))


def _point(point: Point) -> tuple[str, ...]:
    counts = (getattr(point, name) for name in _POINTS)
    indexed = ""
    if point.inspected:
        low, high = interval(point.indexed, point.inspected)
        indexed = f"{point.indexed / point.inspected:.0%} ({low:.0%} to {high:.0%})"
    told = ("" if count is None else f"{count:,}" for count in counts)
    audited = f"{point.findings:,}" if point.states else ""
    return (point.taken[:16].replace("T", " "), f"{point.urls:,}", *told, audited, indexed)


def _dates(honesty: Sequence[Honesty]) -> Html:
    head = ("sitemap", "date moves with a content change", "content changes with a date move", "score", "examples")
    rows = (
        (
            link(each.source, each.source),
            *map(_share, (each.moves_with_change, each.changes_with_move, each.score)),
            tag("ul", *(tag("li", link(page.url, page.url), f" {page.old} → {page.new}") for page in each.examples)),
        )
        for each in honesty
    )
    return tag("section", lines(tag("h2", "Accuracy of lastmod"), _table(head, rows)))


def _share(share: Share) -> str:
    if share.share is None:
        return "unknown"
    return f"{share.share:.0%} ({share.low:.0%} to {share.high:.0%} of {share.of:,})"


def _url(url: UrlHistory) -> Html:
    head = ("snapshot (UTC)", "listed in", "lastmod", "page", "content", "indexed", "findings")
    about = tag("p", "In the snapshots of ", link(url.target, url.target))
    return tag("section", lines(tag("h2", url.url), about, _table(head, map(_sighting, url.sightings))))


def _sighting(each: Sighting) -> tuple[str, ...]:
    when = each.taken[:16].replace("T", " ")
    if not each.listed:
        return (when, "not listed", "", "", "", "", "")
    page = " ".join(filter(None, (each.state, str(each.status or ""), f"→ {each.final_url}" if each.final_url else "")))
    indexed = {True: "yes", False: "no", None: ""}[each.indexed]
    return (when, each.file or "", each.lastmod or "", page, each.content or "", indexed, each.codes or "")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Html:
    top = tag("tr", *(tag("th", name, scope="col") for name in head))
    body = (tag("tr", *(tag("td", cell) for cell in row)) for row in rows)
    return tag("div", tag("table", tag("thead", top), tag("tbody", *body)), class_="wide")
