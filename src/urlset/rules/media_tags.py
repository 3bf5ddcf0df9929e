"""A document's bytes → the tags of one extension, without parsing its entries one by one."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator

import msgspec

from urlset.checking.elements import means
from urlset.model.columns import Edit
from urlset.model.place import Place, between
from urlset.rules import Fix, Safety, Sitemap
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.namespaces import Spelling

_TEXT = rb"([^<\]]*+)"
_HOST = rb"\s*+[Hh][Tt][Tt][Pp][Ss]?://(?:[^/?#@<\s]*@)?([^/?#:<\]\s]++)"
_DECLARED = lazy_pattern(rb"""xmlns(?::([\w.\x80-\xff-]+))?\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)')""")


def extended(sitemap: Sitemap) -> bool:
    """Whether an entry has foreign elements."""
    return sitemap.columns.extended


def prefixes(sitemap: Sitemap, namespace: str) -> list[str]:
    """The prefixes for the namespace, including the usual one unless it is bound to another namespace."""
    root = sitemap.document.root
    declared = {} if root is None else root.declared
    found = [prefix for prefix, uri in declared.items() if means(uri) == namespace]
    usual = namespaces.BY_URI[namespace].prefix
    return found if usual in declared else [*found, usual]


def tags(sitemap: Sitemap, namespace: str, local: str) -> list[re.Match[bytes]]:
    """The open tags of that element outside comments; group 1 is the text up to the next tag."""
    pattern = _pattern(sitemap, namespace, local)
    return [] if pattern is None else _outside_comments(sitemap, list(pattern.finditer(sitemap.data)))


def values(sitemap: Sitemap, namespace: str, local: str) -> list[tuple[bytes, Place]]:
    """The simple non-empty values of that field as written, with their places."""
    found: list[tuple[bytes, Place]] = []
    for match in tags(sitemap, namespace, local):
        value = match[1].strip()
        if value:
            start = match.start(1) + match[1].index(value)
            found.append((value, Place(start, len(value))))
    return found


def all_differ(sitemap: Sitemap, namespace: str, local: str) -> bool:
    """Whether all simple values of that field are different, as far as known without their places."""
    pattern = _pattern(sitemap, namespace, local)
    found = [value.strip() for value in pattern.findall(sitemap.data)] if pattern is not None else []
    return len(set(found)) == len(found)


def hosts(sitemap: Sitemap, namespace: str, local: str) -> Counter[bytes]:
    """How often each host occurs in the values of that field."""
    pattern = _pattern(sitemap, namespace, local, _HOST)
    if pattern is None:
        return Counter()
    if not sitemap.columns.comments:
        return _only_host(sitemap.data, pattern, local) or Counter(pattern.findall(sitemap.data))
    return Counter(match[1] for match in _outside_comments(sitemap, list(pattern.finditer(sitemap.data))))


def _only_host(data: bytes, pattern: re.Pattern[bytes], local: str) -> Counter[bytes] | None:
    """Where all values begin alike, which counting can tell; None where they may not."""
    first = pattern.search(data)
    if first is None:
        return Counter()
    name = data[first.start() : data.index(local.encode(), first.start()) + len(local)]
    count = data.count(name[name.rfind(b":") :])
    return Counter({first[1]: count}) if data.count(data[first.start() : first.end() + 1]) == count else None


def first_hosts(sitemap: Sitemap, namespace: str, local: str, wanted: set[bytes]) -> dict[bytes, Place]:
    """The first occurrence of each of these hosts."""
    found: dict[bytes, Place] = {}
    pattern = _pattern(sitemap, namespace, local, _HOST) if wanted else None
    if pattern is not None:
        for match in _outside_comments(sitemap, list(pattern.finditer(sitemap.data))):
            if match[1] in wanted and match[1] not in found:
                found[match[1]] = between(*match.span(1))
    return found


def _pattern(sitemap: Sitemap, namespace: str, local: str, content: bytes = _TEXT) -> re.Pattern[bytes] | None:
    """Group 1 is the content; None where no tag has a prefix of the namespace."""
    names = [
        f"{prefix}:{local}" if prefix else local
        for prefix in prefixes(sitemap, namespace)
        if not prefix or sitemap.last_of(f"<{prefix}:".encode()) >= 0
    ]
    if not names:
        return None
    either = b"|".join(re.escape(name.encode()) for name in names)
    opened = either if len(names) == 1 else b"(?:" + either + b")"
    return re.compile(b"<" + opened + rb"(?=[\s/>])[^<>]*+>(?:\s*+<!\[CDATA\[)?" + content)


def _outside_comments(sitemap: Sitemap, matches: list[re.Match[bytes]]) -> list[re.Match[bytes]]:
    comments = sorted(sitemap.columns.comments)
    if not comments or not matches:
        return matches
    starts = [comment.offset for comment in comments]

    def commented(match: re.Match[bytes]) -> bool:
        before = bisect_right(starts, match.start()) - 1
        return before >= 0 and match.start() < comments[before].end

    return [match for match in matches if not commented(match)]


def open_tag(sitemap: Sitemap, match: re.Match[bytes]) -> Place:
    return between(match.start(), sitemap.data.index(b">", match.start()) + 1)


def outside_entries(sitemap: Sitemap, namespace: str, local: str) -> list[re.Match[bytes]]:
    """Open tags of that element before, between, or after the entries."""
    columns, root, data = sitemap.columns, sitemap.document.root, sitemap.data
    pattern = _pattern(sitemap, namespace, local)
    if pattern is None or pattern.search(data) is None:
        return []
    shortest = len(local) + 2
    begin = root.place.end if root is not None else 0
    gaps: list[tuple[int, int]] = []
    for first, last in columns.outside_fast_path(begin, len(data)):
        rows = slice(bisect_left(columns.starts, first), bisect_left(columns.starts, last))
        bounds = zip([first, *columns.ends[rows]], [*columns.starts[rows], last], strict=True)
        gaps += [(end, start) for end, start in bounds if start - end > shortest]
    return _outside_comments(sitemap, [match for gap in gaps for match in pattern.finditer(data, *gap)])


class Misspelling(msgspec.Struct, frozen=True):
    """One wrong namespace URI and all its declarations."""

    written: str
    right: str
    certain: bool
    """False if only the prefix shows the intended namespace"""
    places: tuple[Place, ...]

    def fix(self) -> Fix:
        edits = tuple(Edit(place, self.right.encode()) for place in self.places)
        return Fix(f"write {self.right}", edits, Safety.SAFE if self.certain else Safety.REVIEW)


def misspellings(sitemap: Sitemap, namespace: str) -> Iterator[Misspelling]:
    """Wrong URIs for an extension's namespace that are in use.

    A URI that only differs in https has its own rule for all namespaces.
    """
    if not extended(sitemap):
        return
    found: dict[str, list[Place]] = {}
    used: dict[bytes, bool] = {}
    usual = namespaces.BY_URI[namespace].prefix.encode()
    wrong: dict[tuple[bytes | None, ...], bool] = {}

    def is_wrong(match: re.Match[bytes]) -> bool:
        """Judged once for all declarations that are written alike."""
        known = match.groups()
        if known not in wrong:
            uri = (match[2] if match[2] is not None else match[3]).decode("utf-8", "replace")
            wrong[known] = _is_wrong(uri, namespace, by_prefix=match[1] == usual)
        return wrong[known]

    for match in _outside_comments(sitemap, list(filter(is_wrong, _declarations(sitemap)))):
        prefix = match[1]
        span = match.span(2) if match[2] is not None else match.span(3)
        written = sitemap.data[slice(*span)].decode("utf-8", "replace")
        if prefix is not None and prefix not in used:
            used[prefix] = sitemap.data.find(b"<" + prefix + b":") != -1
        if prefix is None or used[prefix]:
            found.setdefault(written, []).append(between(*span))
    for written, places in found.items():
        certain = namespaces.recognise(written) is not None
        yield Misspelling(written, namespace, certain, tuple(places))


def _is_wrong(written: str, namespace: str, *, by_prefix: bool) -> bool:
    recognised = namespaces.recognise(written)
    if recognised is None:
        return by_prefix
    return recognised.uri == namespace and not recognised.exact and recognised.faults != (Spelling.HTTPS,)


def _declarations(sitemap: Sitemap) -> Iterator[re.Match[bytes]]:
    """All namespace declarations except the root's default namespace, which other rules check."""
    root = sitemap.document.root
    data = sitemap.data
    end_of_root = root.place.end if root is not None else 0
    at, last = data.find(b"xmlns"), sitemap.last_of(b"xmlns")
    while at != -1:
        match = _DECLARED.match(data, at)
        if match is not None and (match[1] is not None or at >= end_of_root):
            yield match
        at = data.find(b"xmlns", at + 5) if at < last else -1
