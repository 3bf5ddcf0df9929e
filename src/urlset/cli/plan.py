"""`urlset plan`: a number of URLs → what a set of sitemaps of that size takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from urlset.cli.command import group
from urlset.cli.exit_codes import OK

if TYPE_CHECKING:
    from urlset.settings.plan import PlanSettings
    from urlset.workflows.plan.plan import SetPlan
    from urlset.workflows.plan.simulate import Simulation

_UNITS = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


@group(
    "plan",
    epilog="""Examples:
  urlset plan --urls 26M
  urlset plan --urls 2.5e9 --workers 64 --format json
  urlset plan --urls 2.5e9 --simulate""",
)
def plan(settings: PlanSettings) -> int:
    """Plan a set of sitemaps: files, indexes, bytes, memory, CPU, network and dollars.

    Costs come from a model fitted to measured runs; its error is part of the result. With --simulate, every task of
    the plan runs on metadata: names, indexes, partitions and parts, with failing tasks that are retried.

    Exit code 0: planned; 2: usage error.
    """
    from urlset.workflows.plan.plan import plan as plan_set
    from urlset.workflows.plan.simulate import simulate

    found = plan_set(settings)
    simulated = simulate(found, settings.fail_rate / 100) if settings.simulate else None
    if settings.format == "json":
        click.echo(_json(found, simulated))
    else:
        click.echo("\n".join(_text(found, simulated)))
    return OK


def _json(found: SetPlan, simulated: Simulation | None) -> str:
    import msgspec

    from urlset.version import __version__

    report = {"schema": 1, "urlset": __version__, "command": "plan", **msgspec.to_builtins(found)}
    report["simulation"] = msgspec.to_builtins(simulated)
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode()


def _text(found: SetPlan, simulated: Simulation | None) -> Iterator[str]:
    rows = [
        ("URLs", f"{found.urls:,}"),
        ("Files", f"{found.files:,} with up to {found.per_file:,} URLs"),
        ("Indexes", f"{found.indexes:,}"),
        ("XML", f"{_size(found.bytes)}, {found.url_bytes} bytes per URL"),
        ("Gzip", _size(found.gzip_bytes)),
        ("Memory", f"{_size(found.memory_bytes)} ({found.workers} workers, each {_size(found.worker_bytes)})"),
        ("Disk", f"{_size(found.disk_bytes)} with {found.partitions:,} hash partitions"),
        ("CPU", _time(found.cpu_seconds)),
        ("Network", _size(found.network_bytes)),
        ("Cost", f"${found.usd:,.2f}"),
    ]
    for name, value in rows:
        yield f"{name:<9}{value}"
    yield ""
    for step in found.steps:
        yield (
            f"{step.command}: {step.tasks:,} tasks, {_time(step.cpu_seconds)} of CPU, "
            f"{_time(step.hours * 3600)} on {found.workers} workers, ${step.usd:,.2f} (±{step.error_percent:g}%)"
        )
    yield ""
    yield "robots.txt:"
    yield from (f"  {line}" for line in found.robots_lines[:5])
    if len(found.robots_lines) > 5:
        yield f"  and {len(found.robots_lines) - 5:,} more"
    yield ""
    yield from (f"{note.engine}: {note.text}" for note in found.engines)
    yield from (f"note: {note}" for note in found.notes)
    if simulated is not None:
        yield ""
        yield (
            f"simulated {simulated.tasks:,} tasks in {simulated.seconds:.0f} s: {simulated.failures:,} failed and were "
            f"retried, {simulated.set_aside:,} set aside, {simulated.parts:,} parts, {simulated.names:,} file names"
        )


def _size(count: float) -> str:
    return next((f"{count / unit:,.1f} {name}" for unit, name in _UNITS if count >= unit), f"{count:,.0f} bytes")


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:,.1f} s"
    return f"{seconds / 60:,.1f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"
