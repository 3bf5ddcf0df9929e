"""`urlset info`: files and addresses → a description of each, for people or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import BROKEN, NOTHING, OK
from urlset.cli.output import json_report
from urlset.cli.targets import live_for, recording_faults, urls_and_paths
from urlset.cli.terminal import Style, complain, printable

if TYPE_CHECKING:
    from urlset.reading.tree import Missing
    from urlset.settings.info import InfoSettings
    from urlset.workflows.info import Description


@command("info", epilog="Example:\n  urlset info public/sitemap-index.xml --root public --follow")
def info(settings: InfoSettings) -> int:
    """Describe sitemaps: kind, size, encoding, namespaces, counts, lastmod, problems.

    A URL is a sitemap, an index or a site; how it is served is described too. Positions are line:column, starting at
    1. Run `urlset check` to check a sitemap against the rules of search engines.

    Exit code 0: described; 2: something could not be read; 3: no sitemap found.
    """
    from urlset.reading.starts import Missing, NoSitemap
    from urlset.workflows.info import describe_files

    targets, form, follow = urls_and_paths(settings.targets), settings.format, settings.follow
    live = live_for(targets, settings, settings.max_files)
    root = None if settings.root is None else str(settings.root)
    starts = [sys.stdin.buffer if name == "-" else name for name in targets]
    style = Style.for_stream(sys.stdout)
    described, missing, nothing = [], [], True
    for found in _watched(describe_files(starts, root=root, follow=follow, live=live)):
        if isinstance(found, Missing):
            missing.append(found)
            nothing &= isinstance(found, NoSitemap)
            complain(printable(f"{found.loc}: {_absence(found)}"))
        elif form == "json":
            described.append(found)
        else:
            from urlset.cli.format_info import format_info

            click.echo("\n".join([*([""] if described else []), *format_info(found, style, follow=follow)]))
            described.append(found)
    if form == "json":
        click.echo(json_report("info", documents=described, not_read=[each._asdict() for each in missing]))
    if missing:
        if not nothing:
            return BROKEN
        return OK if any(each.kind != "robots" for each in described) else NOTHING
    return OK


def _absence(missing: Missing) -> str:
    from urlset.reading.starts import NoSitemap

    if isinstance(missing, NoSitemap):
        return missing.reason
    return (
        f"listed in {missing.parent}, not read: {missing.reason}"
        if missing.parent
        else f"cannot be read: {missing.reason}"
    )


def _watched(found: Iterator[Description | Missing]) -> Iterator[Description | Missing]:
    with recording_faults():
        yield from found
