"""`urlset plan`: a number of URLs → what a set of sitemaps of that size takes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command, group
from urlset.cli.exit_codes import BROKEN, NOTHING, OK
from urlset.cli.output import json_report
from urlset.cli.targets import live_for, urls_and_paths
from urlset.cli.terminal import complain, printable

if TYPE_CHECKING:
    from urlset.settings.plan import PlanSectionsSettings, PlanSettings
    from urlset.workflows.plan import SectionPlan, SetPlan

_SNAPSHOTS = 8
"""the newest ones tell how often pages change now"""
_UNITS = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


@group(
    "plan",
    epilog="""Examples:
  urlset plan --urls 26M
  urlset plan --urls 2.5e9 --workers 64 --format json""",
)
def plan(settings: PlanSettings) -> int:
    """Plan a set of sitemaps: files, indexes, bytes, CPU, memory and disk.

    CPU and memory come from a model fitted to measured runs; its error is part of the result.

    Exit code 0: planned; 2: usage error.
    """
    from urlset.workflows.plan import plan as plan_set

    found = plan_set(settings)
    click.echo(json_report("plan", found) if settings.format == "json" else "\n".join(_text(found)))
    return OK


def _text(found: SetPlan) -> Iterator[str]:
    rows = [
        ("URLs", f"{found.urls:,}"),
        ("Files", f"{found.files:,} with up to {found.per_file:,} URLs"),
        ("Indexes", f"{found.indexes:,}"),
        ("XML", f"{_size(found.bytes)}, {found.url_bytes} bytes per URL"),
        ("Gzip", _size(found.gzip_bytes)),
        ("Memory", f"{_size(found.memory_bytes)} ({found.workers} workers, each {_size(found.worker_bytes)})"),
        ("Disk", f"{_size(found.disk_bytes)} with {found.partitions:,} hash partitions"),
        ("CPU", _time(found.cpu_seconds)),
    ]
    for name, value in rows:
        yield f"{name:<9}{value}"
    yield ""
    for step in found.steps:
        yield (
            f"{step.command}: {step.tasks:,} tasks, {_time(step.cpu_seconds)} of CPU, "
            f"{_time(step.hours * 3600)} on {found.workers} workers (±{step.error_percent:g}%)"
        )
    yield ""
    yield "robots.txt:"
    yield from (f"  {line}" for line in found.robots_lines[:5])
    if len(found.robots_lines) > 5:
        yield f"  and {len(found.robots_lines) - 5:,} more"
    yield ""
    yield from (f"{note.engine}: {note.text}" for note in found.engines)
    yield from (f"note: {note}" for note in found.notes)


def _size(count: float) -> str:
    return next((f"{count / unit:,.1f} {name}" for unit, name in _UNITS if count >= unit), f"{count:,.0f} bytes")


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:,.1f} s"
    return f"{seconds / 60:,.1f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"


@command(
    "plan-sections",
    usual="state root format max-files quiet",
    epilog="Example:\n  urlset plan sections https://www.example.com/",
)
def sections(settings: PlanSectionsSettings) -> int:
    """Propose sitemaps by language, type and update frequency, as settings to paste.

    Engine reports count by sitemap, so a sitemap per type of page shows which type is not indexed. Sections are few,
    stable, and named by patterns. A folder that changes much more or less often than the rest of its type is apart;
    small types that change about as often share a sitemap. Frequencies are estimated from lastmod, or seen in the
    snapshots of the target.

    Exit code 0: proposed; 2: something could not be read; 3: no URL is listed.
    """
    from urlset.reading.tree import DocumentTree
    from urlset.workflows.plan import plan_sections
    from urlset.writing.files import work_folder

    targets, root = urls_and_paths(settings.targets), None if settings.root is None else str(settings.root)
    live = live_for(targets, settings)
    tree = DocumentTree(targets, root=root) if live is None else live(targets)
    entries = (
        (loc.strip(), (document.columns.lastmods[row] or "").strip() or None)
        for document in tree
        if document.kind.lists_pages
        for row, loc in enumerate(document.columns.locs)
        if loc and loc.strip()
    )
    with work_folder() as folder:
        found = plan_sections(entries, _seen_changes(settings, folder))
    for missing in tree.missing:
        complain(printable(f"{missing.loc}: {missing.reason}"))
    if not found.urls:
        return BROKEN if tree.missing else NOTHING
    if settings.format == "json":
        click.echo(json_report("plan sections", found, settings=found.settings()))
    else:
        click.echo("\n".join(_sections_text(found)))
    return BROKEN if tree.missing else OK


plan.add_command(sections)


def _seen_changes(settings: PlanSectionsSettings, folder: Path) -> Iterator[tuple[str, bool, float]]:
    """What the last snapshots of the targets know; nothing where there are none."""
    from urlset.snapshots.parquet import is_installed
    from urlset.snapshots.series import series_of
    from urlset.snapshots.timeline import page_changes

    for target in urls_and_paths(settings.targets) if is_installed() else ():
        taken = series_of(Path(settings.state), target).snapshots()[-_SNAPSHOTS:]
        yield from page_changes(taken, folder)


def _sections_text(found: SectionPlan) -> Iterator[str]:
    yield f"{found.urls:,} URLs in {len(found.sections)} section{'s' if len(found.sections) != 1 else ''}"
    names = max(len(each.name or "the rest") for each in found.sections)
    for each in found.sections:
        files = f", {each.files} files" if each.files > 1 else ""
        changed = f", {each.changed:.0%} changed in the last 30 days" if each.changed is not None else ""
        if each.interval is not None:
            changed += f", changes {each.frequency} (a page every {each.interval:,g} days)"
        folders = f", {each.depth:g} folders deep"
        yield f"  {printable(each.name or 'the rest'):<{names}}  {each.urls:>9,} URLs{files}{changed}{folders}"
    yield ""
    yield "# urlset.toml"
    yield from map(printable, found.settings().splitlines())
