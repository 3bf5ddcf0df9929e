"""DiffReport → one self-contained HTML page: totals, sections and patterns, then the URLs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from urlset.reports.diff_report import DiffReport, Group, StateInfo
from urlset.reports.diff_text import KINDS
from urlset.reports.format import ReportOptions
from urlset.reports.html_frame import closing, described, opening
from urlset.reports.html_text import Html, joined, lines, link, tag
from urlset.snapshots.delta import Changed, Moved, Renamed

SHOWN = 1_000
"""URLs of each kind; CSV and JSON list all"""
_GROUPS = 200


def render(report: DiffReport, options: ReportOptions) -> Iterator[str]:
    yield opening(f"urlset diff: {_sentence(report)}", options)
    yield f"{_header(report)}\n<main>\n"
    yield from _problems(report)
    if report.groups:
        yield f"{_groups(report.groups)}\n"
    for kind in KINDS:
        total = int(getattr(report.summary, kind))
        if total:
            yield from _section(kind, total, getattr(report, kind))
    yield closing(options)


def _sentence(report: DiffReport) -> str:
    summary = report.summary
    if not summary.differs:
        return "no differences"
    return ", ".join(f"{count:,} {kind}" for kind in KINDS if (count := int(getattr(summary, kind))))


def _header(report: DiffReport) -> Html:
    tiles = [(kind, int(getattr(report.summary, kind))) for kind in (*KINDS, "unchanged")]
    fields = ", ".join(f"{name} {count:,}" for name, count in report.fields.items())
    return tag(
        "header",
        lines(
            tag("p", "urlset diff", class_="tool"),
            tag("h1", _sentence(report)),
            tag("p", "failed: a limit was exceeded", class_="verdict") if report.failures else "",
            described((("old", _state(report.old)), ("new", _state(report.new)), ("changed fields", fields))),
            tag(
                "ul",
                *(tag("li", tag("b", f"{count:,}"), kind, class_="" if count else "zero") for kind, count in tiles),
                class_="tiles",
            ),
        ),
    )


def _state(info: StateInfo) -> Html:
    taken = f", snapshot of {info.taken}" if info.taken else ""
    return joined(tag("code", info.name), f": {info.urls:,} URLs in {info.files:,} files{taken}")


def _problems(report: DiffReport) -> Iterator[str]:
    reported = [*report.failures, *(f"could not read: {line}" for line in report.troubled), *report.notes]
    if reported:
        yield f"{tag('section', lines(tag('h2', 'Notices'), tag('ul', *(tag('li', line) for line in reported))))}\n"


def _groups(groups: tuple[Group, ...]) -> Html:
    head = tag("tr", *(tag("th", name, scope="col") for name in ("section", "pattern", *KINDS, "example")))
    rows = (
        tag(
            "tr",
            tag("th", group.section, scope="row"),
            tag("td", tag("code", group.pattern)),
            *(
                tag("td", f"{count:,}" if (count := int(getattr(group, kind))) else "", class_="number")
                for kind in KINDS
            ),
            tag("td", link(group.example, group.example)),
        )
        for group in groups[:_GROUPS]
    )
    table = tag("div", tag("table", tag("thead", head), tag("tbody", *rows)), class_="wide")
    left = len(groups) - _GROUPS
    more = tag("p", f"{left:,} more patterns are in the JSON report.", class_="muted") if left > 0 else ""
    return tag("section", lines(tag("h2", "By section and pattern"), table, more))


def _section(kind: str, total: int, items: Iterable[object]) -> Iterator[str]:
    yield f"<section>\n{tag('h2', f'{kind.capitalize()} ({total:,})')}\n<ul>\n"
    for item in islice(items, SHOWN):
        yield f"{tag('li', _item(item))}\n"
    yield "</ul>\n"
    if total > SHOWN:
        yield f"{tag('p', f'{total - SHOWN:,} more are in the CSV and JSON reports.', class_='muted')}\n"
    yield "</section>\n"


def _item(item: object) -> Html:
    match item:
        case Changed():
            reported = (
                tag("li", f"{name}: ", tag("code", old or "none"), " → ", tag("code", new or "none"))
                for name, (old, new) in item.fields.items()
            )
            return joined(link(item.loc, item.loc), tag("ul", *reported))
        case Moved():
            return joined(link(item.loc, item.loc), ": ", tag("code", item.old), " → ", tag("code", item.new))
        case Renamed():
            evidence = f"{item.evidence}: {item.detail}" if item.detail else item.evidence
            return joined(tag("code", item.old), " → ", link(item.new, item.new), tag("p", evidence, class_="muted"))
        case _:
            return link(str(item), str(item))
