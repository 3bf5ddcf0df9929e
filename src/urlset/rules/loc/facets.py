"""Do many URLs of one path only combine a few filters, such as color, size and brand?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, islice

from urlset.checking.declare import bad, good, reader_warning
from urlset.findings.finding import quoted
from urlset.model.columns import Columns
from urlset.model.shown import few
from urlset.rules import ListedPage, Problem, Sitemap
from urlset.spec.generator_artifacts import (
    AMBIGUOUS_SESSION_PARAMETERS,
    PAGE_PARAMETERS,
    SESSION_PARAMETERS,
    TRACKING_PARAMETERS,
)

FEWEST = 12
"""URLs of one path that combine filters"""
_REUSED = 2
"""URLs that have a value of a filter, on average"""
_MOST_VALUES = 10
"""a parameter with more values, most of them used once, chooses a page"""
_MOST_PARAMETERS = 12
_LOOKED_AT = 50_000
"""URLs that decide what is a filter: all of a valid file"""
_LONGEST = 5
_NOT_A_FILTER = PAGE_PARAMETERS | SESSION_PARAMETERS | AMBIGUOUS_SESSION_PARAMETERS | TRACKING_PARAMETERS
_CHOOSES_A_VERSION = frozenset(
    {"lang", "language", "locale", "hl", "l", "country", "currency", "store", "year", "month", "day", "date", "week"}
)
_LINE = "https://example.com/shoes?{}\n"
_SHOES = [f"color={color}&size={size}" for color in ("red", "blue", "green") for size in (38, 39, 40, 41)]
_SINGLE = ("color=red", "color=blue", "size=38", "size=39")

_FIRST = _LINE.format(_SHOES[0]).strip()

Values = tuple[tuple[str, str], ...]


def _lines(queries: list[str], singles: tuple[str, ...] = ()) -> str:
    return "".join(map(_LINE.format, (*queries, *singles)))


@reader_warning("L040", cites=("google-url-structure", "general-knowledge"))
@bad(_lines(_SHOES, _SINGLE).replace(_FIRST, f"«{_FIRST}»", 1))
@good(_lines(_SHOES), title="each URL has both parameters, so they may name a page")
@good(_lines([f"category={number % 3}&id={number}" for number in range(40)], ("category=1", "category=2")))
@good(_lines([f"lang={lang}&view={view}" for lang in ("en", "de") for view in "abcdefgh"], ("lang=en", "view=a")))
@good(_lines(_SHOES[:6], _SINGLE))
def facet_combinations_listed(sitemap: Sitemap) -> Iterator[Problem]:
    """Many URLs of one path only combine a few filters.

    Their number multiplies with each filter, and most show what other pages show. A parameter is a filter if its few
    values occur in many URLs, with and without the other filters. Parameters for languages, dates and page numbers are
    not counted, nor is one that names a page. Reported once per path, from 12 combinations.
    """
    columns = sitemap.columns
    if (
        not sitemap.kind.lists_pages
        or columns.repeat_rarely(FEWEST - 2, paths=True)
        or sitemap.data.count(b"?") < FEWEST
    ):
        return
    # one URL at a time: the texts of a file beyond the limits take much memory
    paths = [(columns.loc(row) or "").partition("?")[0] for row in range(min(len(columns), _LOOKED_AT))]
    if len(set(paths)) > len(paths) - FEWEST + 1:
        return  # too many different ones for any to occur so often
    often = {path for path, count in Counter(paths).items() if count >= FEWEST}
    queries: defaultdict[str, list[Values]] = defaultdict(list)
    for _, path, values in islice(_queries(columns, often), _LOOKED_AT):
        queries[path].append(values)
    filters = {path: names for path, found in queries.items() if len(found) >= FEWEST and (names := filters_of(found))}
    del queries
    combined: defaultdict[str, list[int]] = defaultdict(list)
    for row, path, values in _queries(columns, often) if filters else ():
        if sum(name in filters.get(path, ()) for name, _ in values) > 1:
            combined[path].append(row)
    for path, rows in combined.items():
        if len(rows) >= FEWEST:
            first = ListedPage(sitemap, rows[0])
            yield Problem(
                first.locate_whole,
                f"{len(rows):,} URLs of {quoted(path)} only combine the filters {few(filters[path], _LONGEST)};"
                " list the path without filters, and set it as their canonical",
                count=len(rows),
                rows=rows,
            )


def _queries(columns: Columns, paths: set[str]) -> Iterator[tuple[int, str, Values]]:
    for row in range(len(columns)):
        path, mark, query = (columns.loc(row) or "").partition("?")
        if mark and path in paths:
            pieces = query.partition("#")[0].replace("&amp;", "&").split("&")
            values = tuple(filter(None, map(_pair, pieces)))
            if 0 < len(values) <= _MOST_PARAMETERS:
                yield row, path.strip(), values


@lru_cache(4096)
def _pair(piece: str) -> tuple[str, str] | None:
    """Name and value of a parameter that may be a filter; the values of filters are few."""
    name, _, value = piece.partition("=")
    name = name.lower()
    return (name, value) if name and value and name not in _NOT_A_FILTER else None


def filters_of(queries: list[Values]) -> tuple[str, ...]:
    """The names of the parameters that are combined freely; none where they name pages."""
    used: Counter[str] = Counter()
    values: defaultdict[str, set[str]] = defaultdict(set)
    for query in queries:
        used.update({name for name, _ in query})
        for name, value in query:
            values[name].add(value)
    if any(len(values[name]) > _MOST_VALUES and 2 * len(values[name]) >= count for name, count in used.items()):
        return ()
    filters = [
        name
        for name, count in used.items()
        if name not in _CHOOSES_A_VERSION and len(values[name]) > 1 and count >= _REUSED * len(values[name])
    ]
    together: Counter[tuple[str, str]] = Counter()
    for query in queries if len(filters) > 1 else ():
        together.update(combinations(sorted({name for name, _ in query}.intersection(filters)), 2))
    free = [
        (one, other)
        for one, other in combinations(sorted(filters), 2)
        if 0 < together[one, other] < min(used[one], used[other])
    ]
    if free:
        return tuple(dict.fromkeys(name for pair in free for name in pair))
    always = [name for name in filters if used[name] == len(queries)]
    # three filters that are always given together, each value with several of the others
    return tuple(sorted(always)) if len(always) >= 3 and _crossed(queries, always) else ()


def _crossed(queries: list[Values], names: list[str]) -> bool:
    """Whether each value of each filter occurs with several values of each other one, as most do in a grid."""
    for one in names:
        for other in names:
            if one == other:
                continue
            met: defaultdict[str, set[str]] = defaultdict(set)
            for query in queries:
                found = dict(query)
                met[found[one]].add(found[other])
            if sum(len(each) > 1 for each in met.values()) * 2 < len(met):
                return False
    return True
