"""The door for Python programs that publish to object stores: a blocking function, and the same for asyncio."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from urlset.building.guard import SHRINK_PERCENT, named
from urlset.settings.publish import PublishSettings
from urlset.storage.store import CACHE_CONTROL
from urlset.workflows.library.engines import in_thread
from urlset.workflows.publish import PublishReport
from urlset.workflows.publish import publish as place

StrPath = str | os.PathLike[str]


def publish(  # noqa: PLR0913 - one keyword per option
    folder: StrPath | None,
    to: str,
    *,
    index: str = "sitemap.xml",
    base_url: str | None = None,
    include: Iterable[str] = (),
    endpoint: str | None = None,
    cache_control: str = CACHE_CONTROL,
    keep: int = 10,
    lock_seconds: float = 600.0,
    rollback: int | Literal["previous"] | None = None,
    purge: Sequence[str] = (),
    dry_run: bool = False,
    force: Iterable[str] = (),
    shrink_percent: float = SHRINK_PERCENT,
) -> PublishReport:
    """Publish the sitemaps of a folder to an object store, as `urlset publish` does.

    `to` is s3://, gs://, az:// or file://; credentials come from the variables of the provider. With `rollback`, a kept
    generation is restored and `folder` may be None. `purge` is a command and its arguments. Sets that a safety check
    refused are in `PublishReport.refusals`.

    Raises StorageError where the store cannot be used or another publish is running, and ValueError for a folder
    without a complete set.
    """
    if folder is None and rollback is None:
        raise TypeError("publish() needs a folder, or rollback=")
    settings = PublishSettings(
        to=to,
        folder=folder if folder is None else Path(folder),
        endpoint=endpoint,
        index=index,
        base_url=base_url,
        include=tuple(include),
        cache_control=cache_control,
        keep=max(keep, 2),
        lock_seconds=lock_seconds,
        force=tuple(named(tuple(force))),
        shrink_percent=shrink_percent,
        dry_run=dry_run,
        rollback=None if rollback is None else str(rollback),
        purge=shlex.join(purge) or None,
    )
    return place(settings)


publish_async = in_thread(publish)
