"""DiffReport → lines like those of a patch: - for the old value, + for the new one."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.reports.diff_report import DiffReport
from urlset.reports.format import ReportOptions
from urlset.reports.visible import visible


def render(report: DiffReport, options: ReportOptions) -> Iterator[str]:
    del options
    yield f"--- {_shown(report.old.name)}\n+++ {_shown(report.new.name)}\n"
    for rename in report.renamed:
        yield f"rename from {_shown(rename.old)}\nrename to {_shown(rename.new)}\n"
        yield f"# {rename.evidence}: {_shown(rename.detail)}\n"
    for move in report.moved:
        yield f"# {_shown(move.loc)} moved from {_shown(move.old)} to {_shown(move.new)}\n"
    for change in report.changed:
        yield f"@@ {_shown(change.loc)} @@\n"
        for name, (old, new) in change.fields.items():
            yield f"-{name}: {_shown(old)}\n" if old is not None else ""
            yield f"+{name}: {_shown(new)}\n" if new is not None else ""
    yield from (f"-{_shown(loc)}\n" for loc in report.removed)
    yield from (f"+{_shown(loc)}\n" for loc in report.added)


def _shown(text: str) -> str:
    """On one line, with control characters escaped."""
    return visible(text)
