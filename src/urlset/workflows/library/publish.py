"""The door for Python programs that publish to object stores: a blocking function, and the same for asyncio."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Unpack

from urlset.settings.load import from_keywords
from urlset.settings.publish import PublishSettings
from urlset.workflows.library.engines import in_thread
from urlset.workflows.library.keywords import PublishKeywords
from urlset.workflows.publish import PublishReport
from urlset.workflows.publish import publish as place


def publish(folder: str | os.PathLike[str] | None, to: str, **options: Unpack[PublishKeywords]) -> PublishReport:
    """Publish the sitemaps of a folder to an object store, as `urlset publish` does. The keywords are its options.

    `to` is s3://, gs://, az:// or file://; credentials come from the variables of the provider. With `rollback`, a kept
    generation is restored and `folder` may be None. Sets that a safety check refused are in `PublishReport.refusals`.

    Raises StorageError where the store cannot be used or another publish is running, and ValueError for a folder
    without a complete set.
    """
    if folder is None and options.get("rollback") is None:
        raise TypeError("publish() needs a folder, or rollback=")
    return place(from_keywords(PublishSettings, options, to=to, folder=folder if folder is None else Path(folder)))


publish_async = in_thread(publish)
