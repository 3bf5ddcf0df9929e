"""Pelican → sitemaps of its articles and pages, dated by their metadata or the git history of their sources."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

from pelican import signals

from urlset.integrations.generators import SiteBuildError, build_site

_HOME = "index.html"
_KINDS = ("articles", "pages")
_log = logging.getLogger(__name__)


class _Contents:
    """The contents of one run, between two signals of Pelican."""

    pages: dict[str, str | None]
    alternates: dict[str, dict[str, str]]
    modified: dict[str, str]

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.pages, self.alternates, self.modified = {}, {}, {}

    def add(self, content: Any, source_dir: Path) -> None:
        page = str(content.save_as).replace(os.sep, "/")
        if not page or content.metadata.get("sitemap") in (False, "false", "no"):
            return
        source = Path(os.path.relpath(content.source_path, source_dir)).as_posix()
        self.pages[page] = None if source.startswith("../") else source
        if "modified" in content.metadata:
            self.modified[page] = content.metadata["modified"].isoformat()
        versions = [content, *content.translations]
        if len(versions) > 1 and len({each.lang for each in versions}) == len(versions):
            self.alternates[page] = {each.lang: str(each.save_as).replace(os.sep, "/") for each in versions}


_contents = _Contents()


def register() -> None:
    """Enable with `PLUGINS = ["urlset.integrations.pelican"]` in pelicanconf.py."""
    signals.all_generators_finalized.connect(_collect)
    signals.finalized.connect(_build)


def _collect(generators: list[Any]) -> None:
    _contents.clear()
    for generator in generators:
        for kind in _KINDS:
            # drafts and hidden contents are in other lists
            listed = [*getattr(generator, kind, ()), *(getattr(generator, "translations", ()) or ())]
            for content in listed if hasattr(generator, kind) else ():
                _contents.add(content, Path(generator.settings["PATH"]))


def _build(pelican: Any) -> None:
    settings = pelican.settings
    if not settings.get("SITEURL"):
        _log.warning("urlset: no sitemap: set SITEURL in pelicanconf.py")
        return
    site = Path(pelican.output_path)
    pages: dict[str, str | None] = {_HOME: None, **_contents.pages}
    state = settings.get("URLSET_STATE")
    try:
        build_site(
            site,
            settings["SITEURL"],
            Path(settings["PATH"]),
            {page: source for page, source in pages.items() if (site / page).is_file()},
            _log,
            alternates=_contents.alternates,
            modified=_contents.modified,
            state=Path(state) if state else None,
        )
    except SiteBuildError as error:
        _log.error("%s", error)
