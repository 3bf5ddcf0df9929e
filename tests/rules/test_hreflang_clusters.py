"""Clusters cut into files and parts → the same judgement as in one file."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.checking.context import Context
from urlset.checking.engine import run
from urlset.model.columns import Edit
from urlset.model.document import Document
from urlset.reading.read import read
from urlset.reading.salvage import apply_edits
from urlset.rules.hreflang import coverage, reciprocity
from urlset.rules.hreflang.clusters import (
    Break,
    Broken,
    ClusterFaults,
    ClusterPage,
    Edge,
    cluster_facts,
    grouped,
    hashed_key,
    judge_clusters,
    judge_within,
    mostly_listed,
)
from urlset.rules.hreflang.link_graph import read_graph
from urlset.spec import namespaces
from urlset.spec.engines import Engine

HEAD = f'<urlset xmlns="{namespaces.SITEMAP}" xmlns:xhtml="{namespaces.XHTML}">'
LANGUAGES = ("en", "de", "fr", "x-default")
RULES = [
    coverage.missing_self_link,
    coverage.lone_self_link,
    reciprocity.missing_return_link,
    reciprocity.unequal_link_sets,
    reciprocity.alternate_without_entry,
]
Pages = list[tuple[str, list[tuple[str, str]]]]


def sitemap(pages: Pages) -> Document:
    entries = "".join(
        f"<url><loc>https://example.com/{loc}</loc>"
        + "".join(
            f'<xhtml:link rel="alternate" hreflang="{language}" href="https://example.com/{target}"/>'
            for language, target in links
        )
        + "</url>"
        for loc, links in pages
    )
    return read(f"{HEAD}{entries}</urlset>".encode())


names = st.sampled_from(["a", "b", "c", "d", "%61"])
pages = st.lists(st.tuples(names, st.lists(st.tuples(st.sampled_from(LANGUAGES), names), max_size=4)), max_size=6)


def pairs(broken: list[Broken]) -> set[tuple[int, int]]:
    """The links without an answer."""
    return {(each.edge.source, each.edge.target) for each in broken if each.what is Break.NO_RETURN}


def lacking(broken: list[Broken], what: Break) -> set[int]:
    return {each.edge.target for each in broken if each.what is what}


@given(pages, st.integers(1, 4), st.integers(1, 5))
def test_files_and_parts_make_no_difference(listed: Pages, files: int, parts: int) -> None:
    whole = judge_clusters(*cluster_facts(sitemap(listed)))
    facts = [cluster_facts(sitemap(listed[number::files]), number) for number in range(files)]
    nodes = [node for fact in facts for node in fact.nodes]
    edges = [edge for fact in facts for edge in fact.edges]
    found: list[ClusterFaults] = []
    for part in range(parts):
        mine_nodes = [node for node in nodes if node.key % parts == part]
        mine_edges = [edge for edge in edges if part in (edge.source % parts, edge.target % parts)]
        found.append(judge_clusters(mine_nodes, mine_edges, mine=lambda key, part=part: key % parts == part))  # type: ignore[misc]
    broken = [each for judged in found for each in judged.broken]
    assert pairs(broken) == pairs(whole.broken)
    for what in (Break.UNLISTED, Break.UNEQUAL):  # which of several sisters is named may differ
        assert lacking(broken, what) == lacking(whole.broken, what)
    assert sum((judged.listed for judged in found), Counter()).total() == whole.listed.total()


names_of_a_set = st.lists(st.sampled_from("abcdef"), min_size=3, max_size=5, unique=True)


@given(names_of_a_set, st.integers(2, 4), pages)
def test_a_set_that_is_complete_among_its_pages_misses_no_link(targets: list[str], listed: int, others: Pages) -> None:
    links = list(zip(("en", "de", "fr", "x-default", "es"), targets, strict=False))
    graph = read_graph(sitemap([*((name, links) for name in targets[:listed]), *others]))
    sound = {id(block) for block in graph.self_contained}
    if not others:
        assert len(sound) == (listed < len(targets)), "complete sets are not even suspect"
    rest = judge_within(graph, [block for block in graph.connected if id(block) not in sound]).broken
    every = judge_within(graph, graph.connected).broken
    assert pairs(rest) == pairs(every)
    assert lacking(rest, Break.UNEQUAL) == lacking(every, Break.UNEQUAL)


@given(pages)
def test_the_short_way_through_one_file_finds_the_same(listed: Pages) -> None:
    document = sitemap(listed)
    graph = read_graph(document)
    long = judge_clusters(*cluster_facts(document))
    short = judge_within(graph, graph.connected)
    alone = judge_within(graph, graph.isolated)
    key = {row: hashed_key(graph.loc(row)) for row in range(len(document))}
    assert {(key[source], key[target]) for source, target in pairs(short.broken)} == pairs(long.broken)
    assert {key[target] for target in lacking(short.broken, Break.UNEQUAL)} == lacking(long.broken, Break.UNEQUAL)
    assert pairs(alone.broken) == set()
    absent = [each for each in (*short.broken, *alone.broken) if each.what is Break.UNLISTED]
    named = {
        hashed_key(address)
        for each in absent
        for language, address in graph.block_of[each.edge.row].links
        if language == each.edge.language and graph.find(address) is None
    }
    wanted = lacking(long.broken, Break.UNLISTED)
    assert wanted <= named
    assert named <= {hashed_key(f"https://example.com/{name}") for name in "abcd"} - set(key.values())


@given(pages)
def test_places_are_in_the_file_and_mending_leaves_a_sound_one(listed: Pages) -> None:
    document = sitemap(listed)
    tally = run(document, RULES, Context(engines=(Engine.GOOGLE,)))
    assert not tally.crashes
    edits: list[Edit] = []
    for _, problem, _ in tally.problems:
        assert problem.place.length > 0
        assert problem.place.end <= len(document.data)
        edits += problem.fix.edits if problem.fix else ()
    edits.sort(key=lambda edit: (edit.place.offset, edit.place.length))
    fixed = read(apply_edits(document.data, 0, len(document.data), tuple(edits)))
    assert fixed.troubles == ()
    assert len(fixed) >= len(document)
    for row in range(len(fixed)):
        before = len(document.media(row).alternates) if row < len(document) else 0
        links = fixed.media(row).alternates
        assert len(fixed) > len(document) or len(set(links)) >= len(links) - before


def test_a_missing_answer_is_not_an_unequal_set_as_well() -> None:
    listed: Pages = [
        ("a", [("en", "a"), ("de", "b"), ("fr", "c")]),
        ("b", [("en", "a"), ("de", "b")]),
        ("c", [("en", "a"), ("de", "b"), ("fr", "c")]),
    ]
    judged = judge_clusters(*cluster_facts(sitemap(listed)))
    assert [(each.what, each.edge.language) for each in judged.broken] == [(Break.NO_RETURN, "de")]


def test_answers_in_another_file_count() -> None:
    first, second = (
        sitemap([("a", [("en", "a"), ("de", "b")]), ("b", [])]),
        sitemap([("b", [("en", "a"), ("de", "b")])]),
    )
    facts = [cluster_facts(document, number) for number, document in enumerate((first, second))]
    judged = judge_clusters([*facts[0].nodes, *facts[1].nodes], [*facts[0].edges, *facts[1].edges])
    assert judged.broken == []
    alone = judge_clusters(*facts[0])
    assert [each.what for each in alone.broken] == [Break.NO_RETURN]


@pytest.mark.parametrize(
    ("listed", "unlisted", "expected"),
    [
        ({"de": 99}, {"de": 1}, {"de"}),
        ({}, {"de": 50}, set()),
        ({"en": 50}, {"de": 50}, set()),
        ({"de": 1}, {"de": 1}, set()),
    ],
)
def test_only_what_is_mostly_there_can_be_missing(
    listed: dict[str, int], unlisted: dict[str, int], expected: set[str]
) -> None:
    assert mostly_listed(Counter(listed), Counter(unlisted)) == expected


def test_faults_between_the_same_languages_are_one_group() -> None:
    pairs = [("en", "de"), ("en", "de"), ("fr", "de")]
    edges = [Edge(n, 9, target, own, 2, 0, False, 0, n) for n, (own, target) in enumerate(pairs)]
    groups = grouped([Broken(Break.NO_RETURN, edge) for edge in edges], Break.NO_RETURN)
    assert [(group.count, group.more) for group in groups] == [(2, "; 1 more (en and de)"), (1, "")]


def test_nodes_and_edges_of_a_page() -> None:
    facts = cluster_facts(sitemap([("a", [("en", "a"), ("de", "b"), ("x-default", "b")]), ("c", [])]), 7)
    a, b, c = (hashed_key(f"https://example.com/{name}") for name in "abc")
    assert [(node.key, node.size, node.whole, node.file, node.row) for node in facts.nodes] == [
        (a, 2, True, 7, 0),
        (c, 0, True, 7, 1),
    ]
    assert [(edge.source, edge.target, edge.language, edge.own_language) for edge in facts.edges] == [
        (a, b, "de", "en"),
        (a, b, "x-default", "en"),
    ]
    assert facts.nodes[0] == ClusterPage(a, 2, facts.edges[0].signature, True, 7, 0)
