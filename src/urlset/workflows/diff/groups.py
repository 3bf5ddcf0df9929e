"""URLs that differ → how many of each kind there are in every section and under every pattern of path."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from urlset.auditing.sections import first_folder, path_shape
from urlset.reports.diff_report import Group

_MOST = 5_000
_REST = ("other sections", "*")


def group(kinds: Mapping[str, Iterable[str]]) -> tuple[Group, ...]:
    """`kinds`: added, removed …, each with its URLs. The busiest group comes first."""
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    examples: dict[tuple[str, str], str] = {}
    for kind, urls in kinds.items():
        for url in urls:
            place = (first_folder(url), path_shape(url))
            if place not in counts and len(counts) >= _MOST:
                place = _REST
            counts[place][kind] += 1
            examples.setdefault(place, url)
    groups = (
        Group(section, pattern, **dict(found), example=examples[section, pattern])
        for (section, pattern), found in counts.items()
    )
    return tuple(sorted(groups, key=lambda each: (-each.total, each.section, each.pattern)))
