"""Return links between files: the pages and links of each file go to disk in parts, judged one by one."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from urlset.checking.tree import DocumentSummary
from urlset.execution.parts import part_range, write_part
from urlset.model.document import Document
from urlset.model.place import Place
from urlset.rules import Kind, Problem, Severity, TreeView
from urlset.rules.hreflang.clusters import Break, Broken, ClusterPage, Edge, cluster_facts, grouped, judge_clusters
from urlset.storage.paths import each_file, file_at

if TYPE_CHECKING:
    from urlset.storage.paths import FilePath

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


class LinksTask(msgspec.Struct, frozen=True):
    """Judge one part of all files."""

    listing: str
    """a file with the paths of their links, one per line"""
    part: int


def broken_in(task: LinksTask) -> list[Broken]:
    """Only problems between two files: the rule for a single file reports the others. Runs in a worker."""
    paths = file_at(task.listing).read_bytes().decode("utf-8", "surrogateescape").split("\n")
    packed = each_file(partial(part_range, parts=PARTS, low=task.part, high=task.part + 1), paths)
    loaded = [msgspec.msgpack.decode(each, type=_Part) for each in packed]
    nodes = (node for each in loaded for node in each.nodes)
    edges = (edge for each in loaded for edge in each.edges)
    judged = judge_clusters(nodes, edges, mine=lambda key: key % PARTS == task.part)
    return [each for each in judged.broken if each.here is not None and each.here.file != each.edge.file]


def _broken(view: TreeView) -> Iterator[Broken]:
    paths = [leaf.links for leaf in view.leaves if leaf.links is not None]
    if len(paths) < 2:
        return
    listing = file_at(paths[0]).with_name("links.list")
    write_part(listing, ["\n".join(paths).encode("utf-8", "surrogateescape")])
    for found in view.spread(broken_in, [LinksTask(str(listing), part) for part in range(PARTS)]):
        yield from found


def _leaf(view: TreeView, number: int) -> DocumentSummary | None:
    return next((leaf for leaf in view.leaves if leaf.number == number), None)


def missing_return_links(view: TreeView) -> Iterator[Problem]:
    for group in grouped(_broken(view), Break.NO_RETURN):
        first = group.first
        leaf = _leaf(view, first.edge.file)
        other = _leaf(view, first.here.file) if first.here else None
        if leaf is None or other is None or first.here is None:
            continue
        yield Problem(
            Place(0),
            f"entry {first.here.row + 1:,} of {other.source} is linked as the {first.edge.language!r} version but does "
            f"not link back, so the pair is ignored; add the return link{group.more}",
            source=leaf.source,
            row=first.edge.row,
            count=group.count,
            severity=Severity.WARNING if all(each.fallback for each in group.members) else None,
        )


def unequal_sets(view: TreeView) -> Iterator[Problem]:
    for group in grouped(_broken(view), Break.UNEQUAL):
        first = group.first
        here = first.here
        leaf = _leaf(view, here.file) if here else None
        other = _leaf(view, first.edge.file)
        if leaf is None or other is None or here is None:
            continue
        yield Problem(
            Place(0),
            f"has fewer language versions than entry {first.edge.row + 1:,} of {other.source}; "
            f"add the missing links{group.more}",
            source=leaf.source,
            row=here.row,
            count=group.count,
        )
