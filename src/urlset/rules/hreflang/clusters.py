"""A document → its distinct link sets and their pages: the pages of a correct cluster share one set.

The pages of a cluster usually repeat the same links byte for byte, so each distinct sequence of links is parsed only
once.

Then pages and links are numbers, which give missing return links, unequal link sets and versions without an entry.
Each page is judged in the part that holds it: the links to it, its own links, and whether it is listed. The records
can be split into parts by the page's key, for any number of files: a part needs its own nodes and all edges that
start or end in it.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import msgspec

from urlset.checking.tree import DocumentSummary
from urlset.execution.parts import part_range, write_part
from urlset.findings.finding import quoted
from urlset.model.address import key_of, respelled
from urlset.model.cached import cached_property_unlocked
from urlset.model.columns import Columns, Mark
from urlset.model.document import Document
from urlset.model.entry import Alternate
from urlset.model.place import Place
from urlset.model.trouble import TroubleKind
from urlset.rules import Kind, Problem, Severity, Signal, Sitemap, TreeView
from urlset.rules.loc import only_origin
from urlset.spec.languages import X_DEFAULT
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.signals import RESPELLABLE
from urlset.storage.paths import each_file, file_at

if TYPE_CHECKING:
    from urlset.reading.signals import RowLinks
    from urlset.storage.paths import FilePath


_READ_ONE_BY_ONE = Mark.IRREGULAR | Mark.SALVAGED | Mark.COMMENTED
_LINK = lazy_pattern(rb"(?i:link)")
_COMPLETE = lazy_pattern(r"https?://[A-Za-z0-9][^@/?#]*(?:[/?#]|\Z)")


class LinkBlock:
    """One distinct set of links, and its rows."""

    __slots__ = ("_named", "addresses", "only_languages", "rows", "targets", "whole")

    def __init__(
        self, named: tuple[str, ...], addresses: tuple[str, ...], *, whole: bool = True, only_languages: bool = True
    ) -> None:
        self._named = named
        self.addresses = addresses
        self.targets = frozenset(addresses)
        self.only_languages = only_languages
        self.whole = whole
        """all versions have a usable URL, so nothing is missing only because a link is invalid"""
        self.rows: list[int] = []

    @property
    def languages(self) -> frozenset[str]:
        return _languages(self._named)

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """(language in lowercase, URL) of the links that have both"""
        return tuple(zip(self._named, self.addresses, strict=True))

    @property
    def meaning(self) -> tuple[object, ...]:
        """Equal for blocks that say the same in other bytes; for ordinary links equal to their `RowLinks`."""
        ordinary = self.whole and self.only_languages
        flags = () if ordinary else (self.whole, self.only_languages)
        return self._named, self.addresses, *flags

    @classmethod
    def of(cls, alternates: Iterable[Alternate]) -> LinkBlock:
        named: list[str] = []
        addresses: list[str] = []
        whole = only_languages = True
        for link in alternates:
            hreflang, href = (link.hreflang or "").strip(), (link.href or "").strip()
            if hreflang and href:
                named.append(hreflang.lower())
                addresses.append(href)
                whole = whole and _COMPLETE.match(href) is not None
            else:
                only_languages = False
                # a link without a usable language or URL: it is unknown which version is missing
                whole = whole and not hreflang and (link.media is not None or link.rel not in (None, "alternate"))
        return cls(tuple(named), tuple(addresses), whole=whole, only_languages=only_languages)

    @property
    def has_x_default(self) -> bool:
        return X_DEFAULT in self._named


@lru_cache(1024)
def _languages(named: tuple[str, ...]) -> frozenset[str]:
    """One shared object for equal sets of languages, which most pages of a site have."""
    return frozenset(named)


_RELATIVE = ("/", ".", "?", "#")


class LinkGraph:
    """The link sets of one document, and the URLs of its rows."""

    def __init__(self, blocks: list[LinkBlock], columns: Columns, *, are_keys: bool = False) -> None:
        self.blocks = blocks
        self._columns = columns
        self._are_keys_for_sure = are_keys

    def loc(self, row: int) -> str:
        return (self._columns.locs[row] or "").strip()

    @cached_property_unlocked
    def block_of(self) -> dict[int, LinkBlock]:
        return {row: block for block in self.blocks for row in block.rows}

    @cached_property_unlocked
    def row_of(self) -> dict[str, int]:
        """URL → its first row."""
        rows: dict[str, int] = {}
        for row, loc in enumerate(self._columns.locs):
            if loc:
                rows.setdefault(loc.strip(), row)
        return rows

    @cached_property_unlocked
    def _are_keys(self) -> bool:
        """Whether each URL is its own key."""
        return self._are_keys_for_sure or not respelled(self.row_of)

    @cached_property_unlocked
    def _by_key(self) -> tuple[dict[str, int], dict[int, int]]:
        """Key → its first row; and that row for each other row with an equivalent URL."""
        if self._are_keys:
            return self.row_of, {}
        first: dict[str, int] = {}
        again: dict[int, int] = {}
        for loc, row in self.row_of.items():
            found = first.setdefault(key_of(loc), row)
            if found != row:
                again[row] = found
        return first, again

    def find(self, address: str) -> int | None:
        """The first row with the URL or an equivalent one."""
        first, again = self._by_key
        row = self.row_of.get(address)
        if row is None and self._are_keys and address.startswith(_RELATIVE):
            return None  # keys of absolute URLs are absolute
        return first.get(key_of(address)) if row is None else again.get(row, row)

    @cached_property_unlocked
    def repeats(self) -> dict[int, list[int]]:
        """For pages listed more than once: first row → the other rows."""
        again = self._by_key[1]
        others: dict[int, list[int]] = {}
        if not again and len(self.row_of) == len(self._columns.locs):
            return others
        for row, loc in enumerate(self._columns.locs):
            first = self.row_of[loc.strip()] if loc else row
            first = again.get(first, first)
            if first != row:
                others.setdefault(first, []).append(row)
        return others

    @cached_property_unlocked
    def suspect(self) -> list[LinkBlock]:
        """The blocks whose links are not exactly the pages that have them."""
        locs = self._columns.locs if self.blocks else ()  # not needed otherwise, and large
        differ = [block for block in self.blocks if block.targets != {locs[row] for row in block.rows}]
        return [block for block in differ if block.targets != {self.loc(row) for row in block.rows}]

    @cached_property_unlocked
    def connected(self) -> list[LinkBlock]:
        """The suspect blocks with a link to another page in this file."""
        return [block for block in self.suspect if _names_others(block, self.find_target)]

    @cached_property_unlocked
    def self_contained(self) -> list[LinkBlock]:
        """The connected blocks of all listed versions of a page, with links that no other block has.

        Some versions are not listed; otherwise all links are mutual, and nothing else can be wrong with them.
        """
        if not self.connected:
            return []
        named = frozenset().union(*[block.targets for block in self.connected])
        times = Counter(chain.from_iterable([named & block.targets for block in self.blocks]))
        once = {target for target, count in times.items() if count == 1}
        return [
            block
            for block in self.connected
            if block.targets <= once and {*map(self.find_target, block.targets)} - {None} == {*block.rows}
        ]

    @cached_property_unlocked
    def find_target(self) -> Callable[[str], int | None]:
        """`find`, for links of suspect blocks."""
        if self._are_keys:
            unlisted = set().union(*[block.targets for block in self.suspect]).difference(self.row_of)
            if not respelled(unlisted):
                return self.row_of.get
        return self.find

    @cached_property_unlocked
    def isolated(self) -> list[LinkBlock]:
        """The suspect blocks whose other versions are all in other files, or missing."""
        connected = {id(block) for block in self.connected}
        return [block for block in self.suspect if id(block) not in connected]

    def is_near(self, address: str) -> bool:
        """Whether the file lists pages of its host."""
        return address.startswith(self.origins) or host_of(address) in self.hosts

    @cached_property_unlocked
    def hosts(self) -> set[str]:
        """The hosts of the listed pages."""
        return self._hosts_and_heads[0]

    @cached_property_unlocked
    def origins(self) -> tuple[str, ...]:
        """Some origins of listed pages."""
        return self._hosts_and_heads[1]

    @cached_property_unlocked
    def _hosts_and_heads(self) -> tuple[set[str], tuple[str, ...]]:
        hosts: set[str] = set()
        origins: list[str] = []
        latest = _NO_HEAD
        for loc in self.row_of:
            if not loc.startswith(latest):
                hosts.add(host_of(loc))
                head = _HEAD.match(loc)
                latest = head[0] if head is not None else _NO_HEAD
                if head is not None and len(origins) < _MOST_HEADS and latest not in origins:
                    origins.append(latest)
        return hosts, tuple(origins)


def _names_others(block: LinkBlock, find: Callable[[str], int | None]) -> bool:
    found = {*map(find, block.targets)} - {None}
    return bool(found) and (len(block.rows) > 1 or found != {block.rows[0]})


_NO_HEAD = "\0 no address begins so"
_HEAD = lazy_pattern(r"[a-z]+://[^/]+/")
_MOST_HEADS = 8


def host_of(address: str) -> str:
    """The host in lowercase, with the port."""
    return address.partition("://")[2].partition("/")[0].lower()


_NONE_KNOWN: Mapping[int, RowLinks] = {}
_OF_LINKS = Signal.LINKS | Signal.LINK_CODE | Signal.LINK_HREF
"""raised by each entry with links that are not ordinary"""
_GRAPHS: WeakKeyDictionary[Sitemap, LinkGraph] = WeakKeyDictionary()
"""Several rules share one graph; it lives as long as its sitemap."""


def graph_of(sitemap: Sitemap) -> LinkGraph:
    graph = _GRAPHS.get(sitemap)
    if graph is None:
        others = sitemap.rows_with(_OF_LINKS) if sitemap.extended else ()
        known = sitemap.media_notes.links if sitemap.extended else {}
        are_keys = bool(known or others) and _are_keys(sitemap)
        graph = read_graph(sitemap.document, known, others, are_keys=are_keys)
        _GRAPHS[sitemap] = graph
    return graph


def _are_keys(sitemap: Sitemap) -> bool:
    """Whether each URL is its own key for sure, by its signals."""
    only = only_origin(sitemap)
    if only is None or sitemap.rows_with(RESPELLABLE | Signal.FRAGMENT):
        return False
    return not respelled([f"{only.text}/"])


def read_graph(
    document: Document,
    known: Mapping[int, RowLinks] = _NONE_KNOWN,
    rows: Iterable[int] | None = None,
    *,
    are_keys: bool = False,
) -> LinkGraph:
    """Of the rows that may have links, or of all; plain links that are known are not parsed again."""
    blocks: dict[bytes | tuple[object, ...], LinkBlock] = {}
    same: dict[int, LinkBlock] = {}
    for row, links in known.items():
        block = same.get(id(links))  # rows with the same links share one object, which lives as long as `known`
        if block is None:
            block = same[id(links)] = blocks.setdefault(links, LinkBlock(*links))
        block.rows.append(row)
    if document.kind is not Kind.URLSET or (rows is None and not document.columns.extended):
        rows = ()
    for row in range(len(document)) if rows is None else rows:
        stretch = None if row in known else _link_stretch(document, row)
        if stretch is None:
            continue
        block = blocks.get(stretch)
        if block is None:
            alternates = document.media(row).alternates
            if not alternates:
                continue
            block = LinkBlock.of(alternates)
            block = blocks.setdefault(block.meaning, block)
            if stretch:
                blocks[stretch] = block
        block.rows.append(row)
    found = list(dict.fromkeys(blocks.values()))
    if known and rows:
        for block in found:
            block.rows.sort()
        found.sort(key=lambda block: block.rows[0])
    return LinkGraph(found, document.columns, are_keys=are_keys)


def _link_stretch(document: Document, row: int) -> bytes | None:
    """The bytes of a row from its first link on; none if the row has to be parsed, None without links."""
    columns, data = document.columns, document.data
    start, end, mark = columns.starts[row], columns.ends[row], columns.marks[row]
    if not mark & Mark.EXTENDED:
        return None
    if mark & _READ_ONE_BY_ONE or document.troubles.has(TroubleKind.TWO_ROOTS):
        return b"" if _LINK.search(data, start, end) else None
    first = data.find(b":link", start, end)
    if first != -1:
        return data[data.rfind(b"<", start, first) : end]
    # the namespace may be declared without a prefix
    return b"" if data.find(b"<link", start, end) != -1 else None


GROUPS_AT_MOST = 500
"""maximum number of language combinations per kind; a file with more of them has invalid codes"""


class ClusterPage(NamedTuple):
    """A listed page. Size and signature describe its links, including the page itself; 0 without links."""

    key: int
    size: int
    signature: int
    whole: bool
    file: int
    row: int


class Edge(NamedTuple):
    """A link from a listed page to a different page."""

    source: int
    target: int
    language: str
    own_language: str
    """the language the source gives for itself; empty if it gives none"""
    size: int
    signature: int
    foreign: bool
    """the target is on a host without any page in the file"""
    file: int
    row: int


class ClusterFacts(NamedTuple):
    nodes: list[ClusterPage]
    edges: list[Edge]


class Break(Enum):
    """The possible problems between two pages."""

    NO_RETURN = "no return link"
    UNEQUAL = "unequal sets"
    UNLISTED = "no entry"


class Broken(NamedTuple):
    """One problem, seen from the link that shows it; `target` is the incomplete page."""

    what: Break
    edge: Edge
    fallback: bool = False
    """the target is only linked as x-default"""
    here: ClusterPage | None = None
    """the incomplete page, if it is listed"""


class ClusterFaults(NamedTuple):
    broken: list[Broken]
    listed: Counter[str]
    """by language: pages that others link as a version and that have an entry"""
    unlisted: Counter[str]
    """by language: pages without an entry, although the file lists pages of their host"""


def cluster_facts(document: Document, file: int = 0) -> ClusterFacts:
    """All pages and links of one file of many, with keys that are the same in all files."""
    graph = read_graph(document)
    keys: dict[str, int] = {}

    def key(address: str) -> int:
        found = keys.get(address)
        if found is None:
            found = keys[address] = hashed_key(address)
        return found

    return _facts(graph, graph.blocks, set(range(len(document))), key, file)


def judge_within(graph: LinkGraph, blocks: Sequence[LinkBlock]) -> ClusterFaults:
    """Judge the pages in the blocks of a single file; the key of a listed page is its first row."""
    if not blocks:
        return ClusterFaults([], Counter(), Counter())
    rows: set[int] = set()
    keys: dict[str, int] = {}

    def key(address: str) -> int:
        found = keys.get(address)
        if found is None:
            row = graph.find(address)
            found = keys[address] = -1 - len(keys) if row is None else row
        return found

    named: set[int] = set()
    for block in blocks:
        rows.update(block.rows)
        named.update(map(key, block.targets))
    rows.update(row for row in named if row >= 0)
    rows.update(other for first in rows & graph.repeats.keys() for other in graph.repeats[first])
    concerned = {id(found): found for row in rows if (found := graph.block_of.get(row)) is not None}
    facts = _facts(graph, concerned.values(), rows, key, 0)
    return judge_clusters(*facts, mine=named.__contains__)


def hashed_key(address: str) -> int:
    """A 64-bit key for a URL, equal for equivalent URLs."""
    text = key_of(address).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little")


def _facts(
    graph: LinkGraph, blocks: Iterable[LinkBlock], wanted: set[int], key: Callable[[str], int], file: int
) -> ClusterFacts:
    nodes: dict[int, ClusterPage] = {}
    edges: list[Edge] = []
    for block in blocks:
        links = [(language, key(address), host_of(address) not in graph.hosts) for language, address in block.links]
        for row in block.rows:
            if row not in wanted or not graph.loc(row):
                continue
            own = key(graph.loc(row))
            members = {target for _, target, _ in links} | {own}
            # Equal for equal sets, in all processes.
            text = b"".join(member.to_bytes(9, "little", signed=True) for member in sorted(members))
            size, signature = len(members), int.from_bytes(blake2b(text, digest_size=8).digest(), "little")
            named = [language for language, target, _ in links if target == own and language != X_DEFAULT]
            own_language = named[0] if named else ""
            nodes[row] = ClusterPage(own, size, signature, block.whole, file, row)
            edges += [
                Edge(own, target, language, own_language, size, signature, foreign, file, row)
                for language, target, foreign in links
                if target != own
            ]
    for row in wanted:
        if row not in nodes and graph.loc(row):
            nodes[row] = ClusterPage(key(graph.loc(row)), 0, 0, True, file, row)
    return ClusterFacts([nodes[row] for row in sorted(nodes)], edges)


def judge_clusters(
    nodes: Iterable[ClusterPage], edges: Iterable[Edge], *, mine: Callable[[int], bool] = lambda _: True
) -> ClusterFaults:
    """Judge the pages whose key is `mine`; the edges are all that start or end at one of them."""
    here: dict[int, list[ClusterPage]] = defaultdict(list)
    for node in nodes:
        here[node.key].append(node)
    incoming: dict[int, dict[int, list[Edge]]] = defaultdict(dict)
    outgoing: dict[int, set[int]] = defaultdict(set)
    for edge in edges:
        if mine(edge.target):
            incoming[edge.target].setdefault(edge.source, []).append(edge)
        if mine(edge.source):
            outgoing[edge.source].add(edge.target)
    broken: list[Broken] = []
    listed: Counter[str] = Counter()
    unlisted: Counter[str] = Counter()
    for target, sources in incoming.items():
        named = _best(next(iter(sources.values())))
        if target in here:
            listed[named.language] += 1
            broken += _judge_page(here[target], sources, outgoing.get(target, set()))
        elif not named.foreign:
            unlisted[named.language] += 1
            broken.append(Broken(Break.UNLISTED, named))
    return ClusterFaults(broken, listed, unlisted)


def _judge_page(nodes: list[ClusterPage], sources: dict[int, list[Edge]], answered: set[int]) -> Iterator[Broken]:
    node = nodes[0]
    unanswered = [edges for source, edges in sources.items() if source not in answered]
    if unanswered:
        if all(each.whole for each in nodes):
            for edges in unanswered:
                edge = _best(edges)
                yield Broken(Break.NO_RETURN, edge, edge.language == X_DEFAULT, node)
        return
    if len(nodes) > 1 or not node.whole:
        return  # listed twice: it is unknown which link set applies
    for edges in sources.values():
        edge = edges[0]
        # A different set of at least the same size contains something that this page lacks.
        if edge.signature != node.signature and edge.size >= node.size:
            yield Broken(Break.UNEQUAL, _best(edges), False, node)
            return


def _best(edges: list[Edge]) -> Edge:
    """A link may exist twice, once as x-default: prefer the one with a language."""
    return next((edge for edge in edges if edge.language != X_DEFAULT), edges[0])


class FaultGroup:
    """Problems of one kind between the same two languages."""

    def __init__(self, first: Broken) -> None:
        self.first = first
        self.members = [first]

    @property
    def count(self) -> int:
        return len(self.members)

    @property
    def more(self) -> str:
        """The end of a message if there is more than one problem."""
        if self.count == 1:
            return ""
        ends = [language for language in (self.first.edge.own_language, self.first.edge.language) if language]
        between = f" ({' and '.join(ends)})" if ends else ""
        return f"; {self.count - 1:,} more{between}"


def grouped(
    broken: Iterable[Broken], what: Break, apart: Callable[[Broken], bool] = lambda _: False
) -> list[FaultGroup]:
    """Grouped by the languages at both ends, ordered by first occurrence; `apart` ones stay separate."""
    groups: dict[tuple[str, str, bool], FaultGroup] = {}
    for each in broken:
        if each.what is not what:
            continue
        alike = (each.edge.own_language, each.edge.language, apart(each))
        if alike not in groups and len(groups) >= GROUPS_AT_MOST:
            alike = ("", "", alike[2])
        if alike in groups:
            groups[alike].members.append(each)
        else:
            groups[alike] = FaultGroup(each)
    return list(groups.values())


def mostly_listed(listed: Counter[str], unlisted: Counter[str]) -> set[str]:
    """The languages for which most linked pages have an entry: for those, the rest is missing.

    A language with hardly any listed page is in another file, as on sites with one sitemap per language. Then nothing
    is missing.
    """
    return {language for language, count in unlisted.items() if listed[language] > count}


# Return links between files: the pages and links of each file go to disk in parts, judged one by one.

PARTS = 32
"""10 million pages with five links each: 300,000 pages per part"""


class _Part(msgspec.Struct, array_like=True):
    nodes: list[ClusterPage]
    edges: list[Edge]


def write_links(path: FilePath, document: Document, number: int) -> str | None:
    """Write the link data that other files need; None if the file has no links."""
    if document.kind is not Kind.URLSET or not document.columns.extended:
        return None
    facts = cluster_facts(document, number)
    parts = [_Part([], []) for _ in range(PARTS)]
    for node in facts.nodes:
        parts[node.key % PARTS].nodes.append(node)
    for edge in facts.edges:
        for part in {edge.source % PARTS, edge.target % PARTS}:
            parts[part].edges.append(edge)
    packed = [msgspec.msgpack.encode(part) for part in parts]
    write_part(path, [array("Q", [len(blob) for blob in packed]), *packed])
    return str(path)


_FEW = 1000
"""versions without an entry in one part, which a part with a million pages has for other reasons"""


class LinksTask(msgspec.Struct, frozen=True):
    """Judge one part of all files."""

    listing: str
    """a file with the paths of their links, one per line"""
    part: int


def faults_in(task: LinksTask) -> ClusterFaults:
    """Problems between two files, since the rule for a single file reports the others, and versions without an entry.

    Of these, not all of a language whose file is missing altogether. Runs in a worker.
    """
    paths = file_at(task.listing).read_bytes().decode("utf-8", "surrogateescape").split("\n")
    packed = each_file(partial(part_range, parts=PARTS, low=task.part, high=task.part + 1), paths)
    loaded = [msgspec.msgpack.decode(each, type=_Part) for each in packed]
    nodes = (node for each in loaded for node in each.nodes)
    edges = (edge for each in loaded for edge in each.edges)
    judged = judge_clusters(nodes, edges, mine=lambda key: key % PARTS == task.part)
    languages = mostly_listed(judged.listed, judged.unlisted)
    few = judged.unlisted.total() <= _FEW
    broken = [
        each
        for each in judged.broken
        if (few or each.edge.language in languages if each.here is None else each.here.file != each.edge.file)
    ]
    return ClusterFaults(broken, judged.listed, judged.unlisted)


_BETWEEN_FILES: WeakKeyDictionary[TreeView, ClusterFaults] = WeakKeyDictionary()
"""Three rules share the result."""


def _between_files(view: TreeView) -> ClusterFaults:
    faults = _BETWEEN_FILES.get(view)
    if faults is not None:
        return faults
    faults = _BETWEEN_FILES[view] = ClusterFaults([], Counter(), Counter())
    paths = [summary.links for summary in view.summaries if summary.links is not None]
    if paths:
        listing = file_at(paths[0]).with_name("links.list")
        write_part(listing, ["\n".join(paths).encode("utf-8", "surrogateescape")])
        for found in view.spread(faults_in, [LinksTask(str(listing), part) for part in range(PARTS)]):
            faults.broken.extend(found.broken)
            faults.listed.update(found.listed)
            faults.unlisted.update(found.unlisted)
    return faults


def _summary(view: TreeView, number: int) -> DocumentSummary | None:
    """Of a file with links; that of a robots.txt has no number."""
    return next((each for each in view.summaries if each.number == number and each.links is not None), None)


def missing_return_links(view: TreeView) -> Iterator[Problem]:
    for group in grouped(_between_files(view).broken, Break.NO_RETURN):
        first = group.first
        summary = _summary(view, first.edge.file)
        other = _summary(view, first.here.file) if first.here else None
        if summary is None or other is None or first.here is None:
            continue
        yield Problem(
            Place(0),
            f"entry {first.here.row + 1:,} of {other.source} is linked as the {first.edge.language!r} version but does "
            f"not link back, so the pair is ignored; add the return link{group.more}",
            source=summary.source,
            row=first.edge.row,
            count=group.count,
            severity=Severity.WARNING if all(each.fallback for each in group.members) else None,
        )


def unequal_sets(view: TreeView) -> Iterator[Problem]:
    for group in grouped(_between_files(view).broken, Break.UNEQUAL):
        first = group.first
        here = first.here
        summary = _summary(view, here.file) if here else None
        other = _summary(view, first.edge.file)
        if summary is None or other is None or here is None:
            continue
        yield Problem(
            Place(0),
            f"has fewer language versions than entry {first.edge.row + 1:,} of {other.source}; "
            f"add the missing links{group.more}",
            source=summary.source,
            row=here.row,
            count=group.count,
        )


def versions_without_entry(view: TreeView) -> Iterator[Problem]:
    faults = _between_files(view)
    languages = mostly_listed(faults.listed, faults.unlisted)
    missing = [each for each in faults.broken if each.edge.language in languages]
    for group in grouped(missing, Break.UNLISTED):
        edge = group.first.edge
        summary = _summary(view, edge.file)
        if summary is None:
            continue
        address = ""
        with suppress(OSError):  # of a large site, not all files are kept
            links = LinkBlock.of(view.reopen(summary.source).media(edge.row).alternates).links
            address = next((address for language, address in links if language == edge.language), "")
        yield Problem(
            Place(0),
            f"{quoted(address) if address else f'the {edge.language!r} version'} has no entry in any of the files, so "
            f"the link to it is unconfirmed; add one{group.more}",
            subject=address or None,
            source=summary.source,
            row=edge.row,
            count=group.count,
        )
