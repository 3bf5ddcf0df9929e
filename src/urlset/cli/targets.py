"""What a user names → files and URLs that can be opened, and how URLs are fetched."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlset.cli.terminal import complain, printable
from urlset.settings.convert import with_scheme
from urlset.storage.paths import is_address, is_stored, without_file_scheme

if TYPE_CHECKING:
    from urlset.settings.declare import StrPath
    from urlset.settings.groups import SitemapFetchSettings
    from urlset.workflows.live.tree import LiveTree


def urls_and_paths(targets: Sequence[str]) -> tuple[str, ...]:
    """`www.example.com/sitemap.xml` → https://…, where no file has that name."""
    return tuple(map(url_or_path, targets))


def url_or_path(target: str) -> str:
    """A bare host is a URL, unless it is the name of a file or looks like one; a file URL is a path."""
    target = without_file_scheme(target)
    host = target.partition("/")[0]
    return target if os.path.lexists(target) or os.path.lexists(host) else with_scheme(target)


def need_url(target: str, what: str) -> str:
    """For commands that take only URLs; raises UsageError."""
    url = url_or_path(target)
    if not is_address(url):
        raise click.UsageError(f"{printable(target)!r} is not a URL: {what}")
    return url


def need_root(root: StrPath | None) -> None:
    """A root from a settings file matters only to runs that open files in it."""
    if root is not None and not is_stored(root) and not Path(root).is_dir():
        raise click.UsageError(f"root: no such folder: {root}")


def need_fetchable(targets: Sequence[str]) -> bool:
    """Whether something is fetched; raises UsageError for a URL that cannot be."""
    if not any(map(is_address, targets)):
        return False
    from urlset.workflows.live.discover import why_not_fetched

    for target in filter(is_address, targets):
        if (why := why_not_fetched(target)) is not None:
            raise click.UsageError(printable(why))
    return True


def live_for(targets: Sequence[str], settings: SitemapFetchSettings) -> Callable[..., LiveTree] | None:
    """What makes the tree of URLs; None where nothing is fetched."""
    if not need_fetchable(targets):
        return None
    from urlset.workflows.live.tree import LiveTree

    return partial(LiveTree, settings=settings, notify=notify)


def notify(line: str) -> None:
    complain(printable(line))
