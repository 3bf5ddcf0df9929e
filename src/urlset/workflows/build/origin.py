"""Sources without a base address → the one origin that all of their rows have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from urlset.building.candidate import Candidate
from urlset.building.sources.blocks import items_of
from urlset.building.sources.open import open_source
from urlset.building.sources.options import SourceOptions
from urlset.reading.host_robots import origin_of
from urlset.settings.build import BuildSettings
from urlset.workflows.build.result import BuildError

_NAMED = 3


def inferred_base_url(settings: BuildSettings) -> str:
    """Reads every source once. Raises BuildError where rows do not agree, SourceError where one cannot be opened."""
    origins: dict[str, None] = {}
    for spec in settings.all_sources:
        for origin in _origins(spec, settings):
            origins[origin] = None
            if len(origins) > _NAMED:
                break
    if not origins:
        raise BuildError("missing --base-url: the sources list no absolute URL")
    if len(origins) > 1:
        raise BuildError(f"missing --base-url: the sources list several hosts ({', '.join([*origins][:_NAMED])})")
    return f"{next(iter(origins))}/"


def _origins(spec: str, settings: BuildSettings) -> Iterator[str]:
    if Path(spec).is_dir():
        raise BuildError(f"missing --base-url: the URL that {spec} is served at")
    if spec == "-":
        raise BuildError("missing --base-url: it cannot be inferred from standard input")
    reported = SourceOptions(kind=settings.source_kind, sql=settings.sql)
    for item in items_of(open_source(spec, reported)):
        if isinstance(item, Candidate) and (origin := origin_of(item.entry.loc or "")) is not None:
            yield origin
