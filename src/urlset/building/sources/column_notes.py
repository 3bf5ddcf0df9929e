"""The header of a table → what is said about its columns: whose export it is, what they hold, which are ignored."""

from __future__ import annotations

from collections.abc import Sequence

from urlset.building.sources import crawler_columns
from urlset.building.sources.options import SourceOptions
from urlset.building.sources.rows import meaning_of, normalized

_HOLDS = {
    "loc": "URLs",
    "status_code": "status codes",
    "content_type": "media types",
    "indexability": "indexability",
    "redirect_url": "redirect targets",
    "canonical": "canonical URLs",
}
_NAMED = 10
"""ignored columns that are named"""


def name_columns(
    header: Sequence[str], source: str, options: SourceOptions, recognized: Sequence[tuple[str, str]] = ()
) -> None:
    """Say whose export it is, and name the ignored columns: a misspelled one is easily overlooked.

    `recognized` are columns and what they hold, where values decided about that.
    """
    if options.notify is None:
        return
    if recognized:
        named = ", ".join(f"{_HOLDS[meaning]} in {column[:40]!r}" for column, meaning in recognized)
        options.notify(f"{source}: columns recognized by their values: {named}")
    tool = crawler_columns.tool_of(frozenset(map(normalized, header)))
    if tool is not None:
        judged = [column for column in header if meaning_of(column) in crawler_columns.COLUMNS]
        used = f"; pages are chosen by {', '.join(judged)}" if judged else ""
        options.notify(f"{source}: {tool} export{used}")
    ignored = [column for column in header if column.strip() and meaning_of(column) is None]
    if ignored:
        more = f" and {len(ignored) - _NAMED} more" if len(ignored) > _NAMED else ""
        named = ", ".join(column[:40] for column in ignored[:_NAMED])
        options.notify(f"{source}: ignored column{'s' if len(ignored) > 1 else ''}: {named}{more}")
