"""Rules about page URLs (family L).

Here is what they share: the URLs in a sitemap → groups by `scheme://authority`, to report a fact about a site once.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from urlset.model.address import Address, HostFault, faults_of_host
from urlset.model.cached import cached_call, cached_property_unlocked
from urlset.model.columns import Edits, Mark
from urlset.model.place import Place
from urlset.rules import Has, ListedPage, Signal, Sitemap
from urlset.spec import namespaces
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
    """The edits that make these changes of each origin in all rows of its group, and in all links to it.

    The links of a page and the pages that they name stay spelled the same. A check needs no edits.
    """
    return cached_call(partial(_replaced, sitemap, changes))


def _replaced(sitemap: Sitemap, changes: Sequence[tuple[OriginRows, Sequence[Change]]]) -> Edits:
    links = sitemap.cached("origins of links", lambda: _origins_by_case(sitemap))
    found: list[tuple[int, int, bytes]] = []
    for head, some in changes:
        starts, linked = _starts(sitemap, head), links.get(_encoded(head.text).lower(), {})
        for start, end, text in some:
            before, size, new = len(_encoded(head.text[:start])), len(_encoded(head.text[start:end])), text.encode()
            found += [(at + before, size, new) for at in starts if at >= 0]
            for origin, places in linked.items():
                if origin[before : before + size] != new:
                    found += [(at + before, size, new) for at in places]
            for number, at in enumerate(starts) if -1 in starts else ():
                if at < 0:
                    place = ListedPage(sitemap, head.rows[number]).locate(start, end)
                    found.append((place.offset, place.length, new))
    edits = Edits()
    for each in sorted(found):
        edits.add(*each)
    return edits


def _starts(sitemap: Sitemap, head: OriginRows) -> list[int]:
    """Where the URL begins in each row of the group; -1 if the row must be read again."""
    columns, data, root = sitemap.columns, sitemap.data, sitemap.document.root
    if not sitemap.kind.has & (Has.URL_ELEMENTS | Has.LINES) or _REFERENCED.search(head.text):
        return [-1] * len(head)
    opening, whole = b"", _encoded(head.text)
    if root is not None:
        own, colon, _ = root.written.rpartition(":")
        opening, whole = f"<{own}{colon}loc".encode(), b">" + whole
    starts, ends, marks = columns.starts, columns.ends, columns.marks
    # In a row without other marks the loc comes first.
    found = [-1 if marks[row] & ~Mark.EXTENDED else data.find(opening, starts[row], ends[row]) for row in head.rows]
    size, lead = len(opening), whole.startswith(b">")
    return [at + size + lead if at >= 0 and data.startswith(whole, at + size) else -1 for at in found]


_ORIGIN = rb"([A-Za-z][A-Za-z0-9+.\-]*://[^\s\"'<>&/?#]*)(?=[\s\"'/?#]|\Z)"
_LINK_TO_ORIGIN = (
    rb"<(?:%s):link\s+(?:[\w:.-]++\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+')\s*+)*?(?<=\s)href\s*+=\s*+[\"']\s*+" + _ORIGIN
)
_MISREAD = Mark.SALVAGED | Mark.IRREGULAR


def _origins_by_case(sitemap: Sitemap) -> dict[bytes, dict[bytes, array[int]]]:
    """In lowercase and as written: each `scheme://authority` of links, and where their URLs begin."""
    found: dict[bytes, dict[bytes, array[int]]] = {}
    for at, origin in _link_origins(sitemap):
        found.setdefault(origin.lower(), {}).setdefault(origin, array("Q")).append(at)
    return found


def _link_origins(sitemap: Sitemap) -> Iterator[tuple[int, bytes]]:
    """Not in entries that are fixed first."""
    columns, data, root = sitemap.columns, sitemap.data, sitemap.document.root
    if root is None or not columns.extended:
        return
    bound = [re.escape(prefix.encode()) for prefix, uri in root.declared.items() if uri == namespaces.XHTML and prefix]
    to_origin, origin = re.compile(_LINK_TO_ORIGIN % b"|".join(bound)), re.compile(_ORIGIN)
    for row, mark in enumerate(columns.marks):
        start, end = columns.starts[row], columns.ends[row]
        if not mark & Mark.EXTENDED or mark & _MISREAD or data.find(b"link", start, end) < 0:
            continue
        if bound and not mark & Mark.COMMENTED and data.find(b"xmlns", start, end) < 0 > data.find(b"<!", start, end):
            yield from ((found.start(1), found[1]) for found in to_origin.finditer(data, start, end))
            continue
        for href in (each.attribute("href") for each in sitemap.listed(row).links.elements):
            place = href.value.part(0, len(href.value.text.strip())) if href is not None else Place(0)
            if (found := origin.match(data, place.offset, place.end)) is not None:
                yield found.start(1), found[1]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


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
