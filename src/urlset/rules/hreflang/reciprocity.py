"""Do the language versions in a file all link to each other, and is each of them listed?

A linked page that this file does not list may be in another file. Whether it links back is then unknown, and nothing
is reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from weakref import WeakKeyDictionary

from urlset.checking.declare import bad, good, google_error, google_warning
from urlset.findings.finding import quoted
from urlset.model.columns import Edit
from urlset.model.place import Place
from urlset.rules import Fix, Has, Problem, Safety, Severity, Sitemap
from urlset.rules.hreflang import clusters
from urlset.rules.hreflang.link_graph import LinkGraph, graph_of
from urlset.rules.hreflang.links import AlternateLink, add_entry, add_links, whole_of
from urlset.spec.languages import X_DEFAULT


def _page(path: str, *links: str) -> str:
    """`_page("de", "de", "en")` is the page /de with links to itself and to /en, each in the language of its name."""
    return f"<url><loc>{_address(path)}</loc>{''.join(_link(link) for link in links)}</url>"


def _link(path: str, language: str = "") -> str:
    return f'<xhtml:link rel="alternate" hreflang="{language or path.strip("«»")[:2]}" href="{_address(path)}"/>'


def _address(path: str) -> str:
    address = f"https://example.com/{path.strip('«»')}"
    return f"«{address}»" if "«" in path else address


def _with(page: str, *links: str) -> str:
    return page.replace("</url>", "".join(links) + "</url>")


_JUDGED: WeakKeyDictionary[LinkGraph, clusters.ClusterFaults] = WeakKeyDictionary()
"""Three rules share the result; it lives as long as its graph."""


def _judged(graph: LinkGraph) -> clusters.ClusterFaults:
    judged = _JUDGED.get(graph)
    if judged is None:
        sound = {id(block) for block in graph.self_contained}
        blocks = [block for block in graph.connected if id(block) not in sound]
        judged = _JUDGED[graph] = clusters.judge_within(graph, blocks)
    return judged


reciprocity_error = partial(google_error, kinds=Has.URL_ELEMENTS, cites=("google-hreflang",))
reciprocity_warning = partial(google_warning, kinds=Has.URL_ELEMENTS, cites=("google-hreflang",))


@reciprocity_error("H016", across=clusters.missing_return_links)
@bad(_page("de", "de", "«en»") + _page("en", "en"), fixed=_page("de", "de", "en") + _page("en", "en", "de"))
@bad(_page("de", "de", "«en»") + _page("en"), fixed=_page("de", "de", "en") + _page("en", "de"))
@bad(
    _page("de/1", "de/1", "«en/1»") + _page("en/1", "en/1") + _page("de/2", "de/2", "en/2") + _page("en/2", "en/2"),
    fixed=_page("de/1", "de/1", "en/1")
    + _page("en/1", "en/1", "de/1")
    + _page("de/2", "de/2", "en/2")
    + _page("en/2", "en/2", "de/2"),
)
@bad(
    _page("de", "de", "«en»") + _page("en", "en", "de/old"),
    _with(_page("de", "de"), _link("«»", "x-default")) + _page(""),
)
@good(
    _page("de", "de", "en") + _page("en", "en", "de"),
    _page("de", "de", "en"),
    _page("de", "de", "en") + _with(_page("en", "en"), _link("%64e", "de")),
)
@good(_page("de", "de", "en") + _page("en", "en") + _page("en", "en", "de"), title="the second entry has the link")
def missing_return_link(sitemap: Sitemap) -> Iterator[Problem]:
    """A page links to a language version that does not link back.

    Both pages must link to each other; otherwise any site could claim to be the translation of your page. If one
    direction is missing, the other is ignored too.
    """
    graph = graph_of(sitemap)
    taken: dict[int, set[str]] = {}
    fixed: dict[clusters.Edge, Edit] = {}
    broken = _judged(graph).broken
    for each in broken:
        if each.what is clusters.Break.NO_RETURN and (edit := _answer(sitemap, graph, each, taken)) is not None:
            fixed[each.edge] = edit
    for group in clusters.grouped(broken, clusters.Break.NO_RETURN, lambda each: each.edge in fixed):
        first = group.first
        source, target = graph.loc(first.edge.row), graph.loc(first.edge.target)
        message = (
            f"{quoted(target)} does not link back to {quoted(source)}, so the pair is ignored; "
            f"add the return link{group.more}"
        )
        edits = tuple(fixed[each.edge] for each in group.members if each.edge in fixed)
        yield Problem(
            _place_of(sitemap, graph, first.edge),
            message,
            _fix("add the return link", edits),
            subject=source,
            count=group.count,
            severity=Severity.WARNING if all(each.fallback for each in group.members) else None,
            rows=[each.edge.row for each in group.members] if group.count > 1 else (),
        )


def _answer(sitemap: Sitemap, graph: LinkGraph, broken: clusters.Broken, taken: dict[int, set[str]]) -> Edit | None:
    """The missing link, if its language is known and not used by another page."""
    edge, row = broken.edge, broken.edge.target
    block = graph.block_of.get(row)
    used = taken.setdefault(row, set(block.languages) if block is not None else set())
    if not edge.own_language or edge.own_language in used:
        return None
    used.add(edge.own_language)
    return add_links(sitemap.document, row, [(edge.own_language, graph.loc(edge.row))])


@reciprocity_warning("H020", across=clusters.unequal_sets)
@bad(
    _page("en", "en", "de", "fr") + _page("«de»", "de", "en") + _page("«fr»", "fr", "en"),
    fixed=_page("en", "en", "de", "fr") + _page("de", "de", "en", "fr") + _page("fr", "fr", "en", "de"),
)
@bad(
    _page("en", "en", "de", "fr") + _page("«de»", "de", "en"),
    fixed=_page("en", "en", "de", "fr") + _page("de", "de", "en", "fr"),
)
@good(
    _page("en", "en", "de", "fr") + _page("de", "fr", "de", "en"),
    _page("en", "en", "de") + _page("de", "en", "de") + _page("fr", "fr"),
)
def unequal_link_sets(sitemap: Sitemap) -> Iterator[Problem]:
    """A page has fewer language versions than the pages it links to.

    All versions should have the same list of links. Versions missing in the list are not connected to the page, even if
    a third page lists both.
    """
    graph = graph_of(sitemap)
    broken = [each for each in _judged(graph).broken if each.what is clusters.Break.UNEQUAL]
    fixed = {each.edge: _union(sitemap, graph, each.edge.target) for each in broken}
    for group in clusters.grouped(broken, clusters.Break.UNEQUAL, lambda each: fixed[each.edge] is not None):
        edge = group.first.edge
        row, other = edge.target, graph.loc(edge.row)
        lacking = sorted(_lacking(graph, row, edge.row))
        what = f" (such as {quoted(lacking[0][1])})" if lacking else ""
        message = f"fewer language versions than {quoted(other)}; add the missing links{what}{group.more}"
        edits = tuple(edit for each in group.members if (edit := fixed[each.edge]) is not None)
        yield Problem(
            sitemap.listed(row).whole(),
            message,
            _fix("add the missing links", edits),
            subject=graph.loc(row),
            count=group.count,
            rows=[each.edge.target for each in group.members] if group.count > 1 else (),
        )


def _lacking(graph: LinkGraph, row: int, other: int) -> set[tuple[str, str]]:
    mine, others = graph.block_of.get(row), graph.block_of.get(other)
    if mine is None or others is None:
        return set()
    known = {graph.find(address) for address in mine.targets} - {None} | {row}
    return {
        (language, address)
        for language, address in others.links
        if address not in mine.targets and graph.find(address) not in known
    }


def _union(sitemap: Sitemap, graph: LinkGraph, row: int) -> Edit | None:
    """All links of its linked pages that it lacks; None if two pages claim one language."""
    block = graph.block_of.get(row)
    if block is None:
        return None
    sisters = {found for address in block.targets if (found := graph.find(address)) is not None and found != row}
    lacking = sorted(set().union(*(_lacking(graph, row, sister) for sister in sisters)))
    languages = [language for language, _ in lacking]
    if not lacking or len({*languages, *block.languages}) < len(languages) + len(block.languages):
        return None
    return add_links(sitemap.document, row, lacking)


@reciprocity_warning("H021", across=clusters.versions_without_entry, alone=True)
@bad(
    "".join(_page(f"{name}/{n}", f"en/{n}", f"de/{n}") for n in (1, 2) for name in ("en", "de"))
    + _page("en/3", "en/3", "«de/3»"),
    fixed="".join(_page(f"{name}/{n}", f"en/{n}", f"de/{n}") for n in (1, 2, 3) for name in ("en", "de")),
)
@good("".join(_page(f"en/{n}", f"en/{n}", f"de/{n}") for n in (1, 2, 3)), title="each language has its own file")
@good(_page("en", "en", "de"))
@good(
    "".join(_page(f"{name}/{n}", f"en/{n}", f"de/{n}") for n in (1, 2) for name in ("en", "de"))
    + _page("en/3", "en/3", "de/3").replace("example.com/de/3", "example.de/3"),
    title="the other version is on its own host",
)
def alternate_without_entry(sitemap: Sitemap) -> Iterator[Problem]:
    """A language version has no entry.

    Each version needs a <url> with the same links; otherwise nothing confirms the links to it. Only checked for
    languages for which most versions are in the file: a missing language, or a version on another host, has its own
    sitemap. If several files are checked together, an entry in any of them counts.
    """
    graph = graph_of(sitemap)
    missing = list(_missing_entries(graph))
    fixed = {each.edge: _entry(sitemap, graph, each.edge) for each in missing}
    for group in clusters.grouped(missing, clusters.Break.UNLISTED, lambda each: fixed[each.edge] is not None):
        edge = group.first.edge
        link = _link_of(sitemap, graph, edge)
        address = link.address if link is not None else ""
        message = f"{quoted(address)} has no entry in this file, so the link to it is unconfirmed; add one{group.more}"
        edits = tuple(edit for each in group.members if (edit := fixed[each.edge]) is not None)
        yield Problem(
            _place_of(sitemap, graph, edge),
            message,
            _fix("add an entry for it", edits),
            subject=address or None,
            count=group.count,
            rows=[each.edge.row for each in group.members] if group.count > 1 else (),
        )


def _missing_entries(graph: LinkGraph) -> Iterator[clusters.Broken]:
    judged = _judged(graph)
    listed, unlisted = Counter(judged.listed), Counter(judged.unlisted)
    suspect = {id(block) for block in (*graph.connected, *graph.isolated)}
    sound = Counter(block.languages for block in graph.blocks if id(block) not in suspect and len(block.targets) > 1)
    for languages, times in sound.items():
        listed.update(dict.fromkeys(languages, times))
    for block in graph.self_contained:
        named = {address: language for language, address in reversed(block.links) if language != X_DEFAULT}
        for address in block.targets:
            if graph.find_target(address) is not None:
                listed[named.get(address, X_DEFAULT)] += 1
            elif graph.is_near(address):
                unlisted[named.get(address, X_DEFAULT)] += 1
    if not listed:
        return
    unlisted.update(_languages_elsewhere(graph))
    wanted = clusters.mostly_listed(listed, unlisted)
    if not wanted:
        return
    if graph.self_contained:
        judged = clusters.judge_within(graph, graph.connected)
    alone = clusters.judge_within(graph, graph.isolated)
    for each in (*judged.broken, *alone.broken):
        if each.what is clusters.Break.UNLISTED and each.edge.language in wanted:
            yield each


def _languages_elsewhere(graph: LinkGraph) -> Iterator[str]:
    """Of each link to a page that the file does not list, although it lists pages of the same host."""
    for block in graph.isolated:
        own = {graph.loc(row) for row in block.rows}
        for language, address in block.links:
            if address not in own and graph.is_near(address):
                yield language


def _entry(sitemap: Sitemap, graph: LinkGraph, edge: clusters.Edge) -> Edit | None:
    block = graph.block_of.get(edge.row)
    if block is None or not block.whole or graph.loc(edge.row) not in block.targets:
        return None
    addresses = [
        address for language, address in block.links if language == edge.language and graph.find(address) is None
    ]
    return add_entry(sitemap.document, edge.row, addresses[0], block.links) if len(addresses) == 1 else None


def _fix(title: str, edits: Iterable[Edit]) -> Fix | None:
    found = tuple(edits)
    return Fix(title, found, Safety.REVIEW) if found else None


def _place_of(sitemap: Sitemap, graph: LinkGraph, edge: clusters.Edge) -> Place:
    link = _link_of(sitemap, graph, edge)
    return sitemap.listed(edge.row).locate_whole() if link is None or link.href is None else whole_of(link.href)


def _link_of(sitemap: Sitemap, graph: LinkGraph, edge: clusters.Edge) -> AlternateLink | None:
    """The link element of an edge."""
    for element in sitemap.listed(edge.row).links.elements:
        link = AlternateLink(element)
        row = graph.find(link.address)
        if link.language.lower() == edge.language and (row == edge.target or (row is None and edge.target < 0)):
            return link
    return None
