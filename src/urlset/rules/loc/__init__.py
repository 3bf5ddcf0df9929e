"""Rules about page URLs (family L).

Here is what they share: the URLs in a sitemap → groups by `scheme://authority`, to report a fact about a site once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import repeat

from urlset.model.address import Address, HostFault, faults_of_host
from urlset.model.cached import cached_call, cached_property_unlocked
from urlset.model.columns import Edits
from urlset.model.place import Place
from urlset.rules import Has, ListedPage, Signal, Sitemap
from urlset.spec.generator_artifacts import PLACEHOLDER
from urlset.spec.lazy_pattern import lazy_pattern

_REFERENCED = lazy_pattern("[&<>]")
_MAY_BE_UNFILLED = lazy_pattern("[{<%[]|/:")
"""a placeholder contains one of these; a quick test before the slower patterns"""
_ORDINARY = lazy_pattern(r"https?://((?!.*(?:xn--|0x))[a-z0-9.-]*[a-z])")
_NO_FAULTS: frozenset[HostFault] = frozenset()
_HEAD = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.\-]*://[^/?#]*")


_NOT_ALIKE = Signal.OTHER_HEAD | Signal.MISSING | Signal.EMPTY


class OriginRows:
    """One `scheme://authority` as written, and the rows whose URLs start with it."""

    def __init__(self, text: str, rows: Sequence[int]) -> None:
        self.text = text
        self.rows = rows

    @cached_property_unlocked
    def address(self) -> Address:
        """Its parts are at the same positions as in each URL of the group."""
        return Address.parse(self.text)

    @cached_property_unlocked
    def _ordinary(self) -> str | None:
        """The host, if there is nothing else: a file can have as many hosts as entries."""
        found = _ORDINARY.fullmatch(self.text)
        return None if found is None else found[1]

    @cached_property_unlocked
    def faults(self) -> frozenset[HostFault]:
        faults = faults_of_host(self._ordinary, None) if self._ordinary else self.address.host_faults()
        return frozenset(faults) if faults else _NO_FAULTS

    @cached_property_unlocked
    def is_web(self) -> bool:
        return self._ordinary is not None or self.address.is_web

    @cached_property_unlocked
    def unfilled(self) -> bool:
        """Whether it contains a template placeholder."""
        return _MAY_BE_UNFILLED.search(self.text) is not None and PLACEHOLDER.search(self.text) is not None

    @cached_property_unlocked
    def host(self) -> str:
        """The host as used in a DNS query, or as written if that is impossible."""
        return self._ordinary or self.address.host_ascii or self.address.host or ""

    @cached_property_unlocked
    def site(self) -> str:
        return self._ordinary or self.address.site

    def __len__(self) -> int:
        return len(self.rows)


def head_of(text: str) -> OriginRows | None:
    """The head of a URL that is not in a row."""
    match = _HEAD.match(text)
    return None if match is None else OriginRows(match[0], ())


def origins(sitemap: Sitemap) -> Sequence[OriginRows]:
    """Ordered by first occurrence. Cached on the sitemap because a dozen rules need it."""
    kept: Sequence[OriginRows] | None = vars(sitemap).get("_heads")
    if kept is None:
        kept = vars(sitemap)["_heads"] = tuple(_group(sitemap))
    return kept


def only_origin(sitemap: Sitemap) -> OriginRows | None:
    """The one that all URLs of the file start with."""
    heads = origins(sitemap)
    return heads[0] if len(heads) == 1 and len(heads[0]) == len(sitemap.columns) else None


def _group(sitemap: Sitemap) -> Iterator[OriginRows]:
    columns = sitemap.columns
    texts = map(columns.loc, range(len(columns)))
    first = next((match[0] for loc in texts if loc and (match := _HEAD.match(loc.strip()))), None)
    if first is None:
        return
    prefix = first + "/"
    if all((columns.loc(row) or "").strip().startswith(prefix) for row in (0, *sitemap.rows_with(_NOT_ALIKE))):
        yield OriginRows(first, range(len(columns)))  # almost always one head covers the file
        return
    locs = columns.locs
    groups: dict[str, list[int]] = {first: []}
    for row, loc in enumerate(locs):
        if loc is not None and loc.startswith(prefix):
            groups[first].append(row)
            continue
        match = _HEAD.match((loc or "").strip())
        if match is not None:
            groups.setdefault(match[0], []).append(row)
    for text, rows in groups.items():
        yield OriginRows(text, rows)


Change = tuple[int, int, str]
"""of `text[start:end]` to another text"""


def replaced(sitemap: Sitemap, changes: Sequence[tuple[OriginRows, Sequence[Change]]]) -> Callable[[], Edits]:
    """The edits that make these changes of each origin in all rows of its group; a check needs none of them."""
    return cached_call(partial(_replaced, sitemap, changes))


def _replaced(sitemap: Sitemap, changes: Sequence[tuple[OriginRows, Sequence[Change]]]) -> Edits:
    edits = Edits()
    for head, (start, end, text) in ((head, change) for head, some in changes for change in some):
        found, size = _positions(sitemap, head, start, end)
        first = len(edits)
        edits.offsets.extend(map(max, found, repeat(0)))
        edits.lengths.extend(repeat(size, len(found)))
        edits.texts += [text.encode()] * len(found)
        for number, at in enumerate(found) if -1 in found else ():
            if at < 0:
                place = ListedPage(sitemap, head.rows[number]).locate(start, end)
                edits.offsets[first + number], edits.lengths[first + number] = place.offset, place.length
    return edits


def _positions(sitemap: Sitemap, head: OriginRows, start: int, end: int) -> tuple[list[int], int]:
    """Where `head.text[start:end]` begins in each row of the group, -1 if the row must be read again; its length."""
    columns, find = sitemap.columns, sitemap.data.find
    starts, ends, marks = columns.starts, columns.ends, columns.marks
    whole, before, size = (
        head.text[low:high].encode("utf-8", "surrogatepass")
        for low, high in ((0, len(head.text)), (0, start), (start, end))
    )
    if not sitemap.kind.has & (Has.URL_ELEMENTS | Has.LINES) or _REFERENCED.search(head.text):
        return [-1] * len(head), len(size)
    # In a row without marks the loc comes first, so the first match is the right one.
    found = [-1 if marks[row] else find(whole, starts[row], ends[row]) for row in head.rows]
    return [at + len(before) if at >= 0 else -1 for at in found], len(size)


def first_place(sitemap: Sitemap, head: OriginRows, start: int, end: int) -> Place:
    return ListedPage(sitemap, head.rows[0]).locate(start, end)


def share(count: int, sitemap: Sitemap, verb: str = "") -> str:
    """`all 4,812 URLs are`, `12 of 4,812 URLs are`, `the only URL is`; `verb` is the plural form."""
    total = len(sitemap.columns)
    everything = {1: "the only URL", 2: "both URLs"}.get(total, f"all {total:,} URLs")
    whose = everything if count == total else f"{count:,} of {total:,} URLs"
    if count == 1:
        verb = _SINGULAR.get(verb, f"{verb}s")
    return f"{whose} {verb}" if verb else whose


_SINGULAR = {"": "", "are": "is", "have": "has", "have a": "has a", "have no": "has no"}
