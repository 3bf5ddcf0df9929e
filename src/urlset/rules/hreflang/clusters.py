"""The link sets of one file, or of many → missing return links, unequal link sets and versions without an entry.

Pages and links are numbers. Each page is judged in the part that holds it: the links to it, its own links, and whether
it is listed. The records can be split into parts by the page's key, for any number of files: a part needs its own nodes
and all edges that start or end in it.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from enum import Enum
from functools import partial
from hashlib import blake2b
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import msgspec

from urlset.checking.tree import DocumentSummary
from urlset.execution.parts import part_range, write_part
from urlset.findings.finding import quoted
from urlset.model.address import key_of
from urlset.model.document import Document
from urlset.model.place import Place
from urlset.rules import Kind, Problem, Severity, TreeView
from urlset.spec.languages import X_DEFAULT
from urlset.storage.paths import each_file, file_at

if TYPE_CHECKING:
    from urlset.storage.paths import FilePath
from urlset.rules.hreflang.link_graph import LinkBlock, LinkGraph, host_of, read_graph

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
    here: dict[int, ClusterPage] = {}
    again: dict[int, list[ClusterPage]] = {}
    for node in nodes:
        if here.setdefault(node.key, node) is not node:
            again.setdefault(node.key, []).append(node)
    links = list(edges)
    answers = {_pair(edge.source, edge.target) for edge in links if mine(edge.source)}
    incoming = [edge for edge in links if mine(edge.target)]
    order = {target: at for at, target in enumerate(dict.fromkeys(edge.target for edge in incoming))}
    incoming.sort(key=lambda edge: order[edge.target])
    broken: list[Broken] = []
    listed: Counter[str] = Counter()
    unlisted: Counter[str] = Counter()
    for target, to_it in groupby(incoming, key=lambda edge: edge.target):
        sources: dict[int, list[Edge]] = {}
        for edge in to_it:
            sources.setdefault(edge.source, []).append(edge)
        named = _best(next(iter(sources.values())))
        if target in here:
            listed[named.language] += 1
            unanswered = [found for source, found in sources.items() if _pair(target, source) not in answers]
            broken += _judge_page([here[target], *again.get(target, ())], sources, unanswered)
        elif not named.foreign:
            unlisted[named.language] += 1
            broken.append(Broken(Break.UNLISTED, named))
    return ClusterFaults(broken, listed, unlisted)


def _pair(source: int, target: int) -> int:
    """One number for two keys, which takes less memory than a tuple."""
    return (source << 65) + target


def _judge_page(
    nodes: list[ClusterPage], sources: dict[int, list[Edge]], unanswered: list[list[Edge]]
) -> Iterator[Broken]:
    node = nodes[0]
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
