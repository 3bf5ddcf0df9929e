"""--format and --output → which report goes where."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

import click

from urlset.cli.output import opened, readers_may_leave
from urlset.cli.terminal import Style, columns, detail

if TYPE_CHECKING:
    from urlset.reports.format import ReportOptions
    from urlset.settings.groups import ExitSettings, ReportSettings, RuleSettings

_EXTENSIONS = {
    ".txt": ("text", "full", "concise"),
    ".json": ("json", "sarif", "gitlab"),
    ".sarif": ("sarif",),
    ".xml": ("junit",),
    ".csv": ("csv",),
    ".md": ("markdown",),
    ".html": ("html",),
    ".htm": ("html",),
}
"""the formats that a file of this name may have; the first one, unless --format is another of them"""
ON_SCREEN = frozenset({"text", "full", "concise"})
"""formats that name unreadable targets themselves"""


class Destination(NamedTuple):
    format: str
    path: str | None
    """None is standard output"""

    @property
    def on_screen(self) -> bool:
        return self.path in {None, "-"}


def destinations(settings: ReportSettings) -> list[Destination]:
    """Every file with its format. A file of the requested format replaces standard output."""
    from urlset.reports.format import FORMATS

    files = [_destination(text, settings.format, FORMATS) for text in settings.outputs]
    if settings.format is not None and settings.format not in {each.format for each in files}:
        return [*files, Destination(settings.format, None)]
    return files or [Destination(settings.format or "text", None)]


def _destination(text: str, wanted: str | None, known: Sequence[str] | dict[str, str]) -> Destination:
    name, colon, path = text.partition(":")
    if colon and path and name in known:
        return Destination(name, path)
    if text == "-":
        return Destination(wanted or "text", None)
    fitting = _EXTENSIONS.get(PurePath(text).suffix.lower(), ())
    if wanted is not None and (wanted in fitting or not fitting):
        return Destination(wanted, text)
    if not fitting:
        raise click.UsageError(f"--output {text}: unknown extension; name the format, as in --output json:{text}")
    return Destination(fitting[0], text)


def write_reports(
    wanted: Sequence[Destination], options: ReportOptions, render: Callable[[str, ReportOptions], Iterator[str]]
) -> None:
    import msgspec

    for each in wanted:
        color = each.on_screen and Style.for_stream(sys.stdout).colour
        with readers_may_leave(), opened(each.path) as stream:
            for piece in render(each.format, msgspec.structs.replace(options, color=color)):
                stream.write(piece.encode("utf-8", "replace"))
        if not each.on_screen:
            detail(f"wrote {each.path} ({each.format})")


def report_options(
    rules: RuleSettings, ending: ExitSettings, *, command: str, target: tuple[str, ...], narrowest: int
) -> ReportOptions:
    from urlset.checking.clock import now
    from urlset.reports.format import ReportOptions

    return ReportOptions(
        width=max(narrowest, min(columns(100), 120)),
        show=ending.show,
        fail_on=ending.fail_on,
        command=command,
        target=target,
        engines=rules.engines,
        made=now(),
    )
