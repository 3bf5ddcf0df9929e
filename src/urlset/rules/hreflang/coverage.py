"""Missing links in the link sets of a file, and the namespace of the links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from urlset.checking.declare import bad, good, google_error, google_info
from urlset.model.columns import Edit
from urlset.rules import Fix, Has, Problem, Safety, Sitemap
from urlset.rules.declarations import wrong_uris
from urlset.rules.hreflang.link_graph import LinkBlock, LinkGraph, graph_of
from urlset.rules.hreflang.links import add_links, drop_links, roughly
from urlset.spec import namespaces
from urlset.spec.languages import X_DEFAULT

# Is the prefix of the links bound to the XHTML namespace?


def _map(namespace: str, attribute: str = "xmlns:xhtml") -> str:
    return (
        f'<urlset xmlns="{namespaces.SITEMAP}" {attribute}="{namespace}"><url><loc>https://example.com/</loc>'
        '<xhtml:link rel="alternate" hreflang="en" href="https://example.com/"/></url></urlset>'
    )


_WRONG = "http://www.w3.org/TR/xhtml11/xhtml11_schema.html"
_INNER = '<xhtml:link xmlns:xhtml="{}" rel="alternate" hreflang="{}" href="https://example.com/{}"/>'


@google_error("H001", kinds=Has.URL_ELEMENTS, cites=("google-hreflang", "google-combine"))
@bad(_map(f"«{_WRONG}»"), fixed=_map(namespaces.XHTML))
@bad(_map("«http://www.w3.org/1999/xhtml/»"), fixed=_map(namespaces.XHTML))
@bad(_map("«http://example.com/made-up»"), fixed=_map(namespaces.XHTML))
@bad(
    "<loc>https://example.com/</loc>" + _INNER.format(f"«{_WRONG}»", "en", "") + _INNER.format(_WRONG, "de", "de"),
    fixed="<loc>https://example.com/</loc>"
    + _INNER.format(namespaces.XHTML, "en", "")
    + _INNER.format(namespaces.XHTML, "de", "de"),
)
@good(
    _map(namespaces.XHTML),
    _map(namespaces.XHTML, "xmlns:x").replace("xhtml:", "x:"),
    "<loc>https://example.com/</loc>" + _INNER.format(namespaces.XHTML, "en", ""),
    _map(_WRONG).replace('<xhtml:link rel="alternate" hreflang="en" href="https://example.com/"/>', ""),
)
def wrong_xhtml_namespace(sitemap: Sitemap) -> Iterator[Problem]:
    """The namespace of the hreflang links is not the XHTML namespace.

    Namespaces are compared character by character. Links in any namespace other than http://www.w3.org/1999/xhtml are
    unknown elements and ignored.
    """
    yield from wrong_uris(sitemap, namespaces.XHTML, "link", "XHTML namespace, so its links")


def _page(path: str, **links: str) -> str:
    """`_page("a", en="a")` is the page /a with an English link to itself; `«a»` marks the URL."""
    written = "".join(
        f'<xhtml:link rel="alternate" hreflang="{language.replace("_", "-")}" href="https://example.com/{target}"/>'
        for language, target in links.items()
    )
    loc = f"«https://example.com/{path.strip('«»')}»" if "«" in path else f"https://example.com/{path}"
    return f"<url><loc>{loc}</loc>{written}</url>"


def _coverage_map(*pages: str) -> str:
    """A whole document, because the completion of a snippet depends on its links."""
    head = f'<urlset xmlns="{namespaces.SITEMAP}" xmlns:xhtml="{namespaces.XHTML}">'
    return "\n".join((head, *pages, "</urlset>"))


@google_error("H015", kinds=Has.URL_ELEMENTS, cites=("google-hreflang",))
@bad(_page("«a»", de="b") + _page("b", en="a", de="b"), fixed=_page("a", de="b", en="a") + _page("b", en="a", de="b"))
@bad(_page("«a»", de="b", fr="c"))
@bad(_page("«a»", de="b") + _page("b", en="a"), fixed=_page("a", de="b", en="a") + _page("b", en="a", de="b"))
@good(_page("a", en="a", de="b"), _page("a", de="b", x_default="a"), _page("~a", en="%7Ea", de="b"))
def missing_self_link(sitemap: Sitemap) -> Iterator[Problem]:
    """A page with language versions does not link to itself.

    Each version must list all versions, including itself. Otherwise its own language is unknown.
    """
    graph = graph_of(sitemap)
    lonely = [(row, block) for block in graph.unlike if block.whole for row in _without_self_link(graph, block)]
    if not lonely:
        return
    named: dict[str, str] = {}
    for block in graph.blocks:
        for language, address in block.links:
            if language != X_DEFAULT:
                named.setdefault(address, language)
    fixed: dict[int, Edit] = {}
    for row, block in lonely:
        own = named.get(graph.loc(row))
        if own is not None and own not in block.languages:
            edit = add_links(sitemap.document, row, [(own, graph.loc(row))])
            if edit is not None:
                fixed[row] = edit
    for rows in (sorted(fixed), sorted(row for row, _ in lonely if row not in fixed)):
        if rows:
            more = f" (and {len(rows) - 1:,} more {'page' if len(rows) == 2 else 'pages'})" if len(rows) > 1 else ""
            yield Problem(
                sitemap.listed(rows[0]).whole(),
                f"the page links to its language versions but not to itself; add a link to itself{more}",
                Fix("add a link to itself", tuple(fixed[row] for row in rows), Safety.REVIEW)
                if rows[0] in fixed
                else None,
                subject=graph.loc(rows[0]),
                count=len(rows),
                rows=rows,
            )


def _without_self_link(graph: LinkGraph, block: LinkBlock) -> list[int]:
    """A self-link with a different spelling has its own rule."""
    rows = [row for row in block.rows if (loc := graph.loc(row)) and loc not in block.targets]
    linked = set(map(roughly, block.targets)) if rows else set()
    return [row for row in rows if linked and roughly(graph.loc(row)) not in linked]


@google_info("H018", kinds=Has.URL_ELEMENTS, cites=("google-hreflang",))
@bad(_page("«a»", en="a", de="b"))
@good(_page("a", en="a", de="b", x_default="a"))
def missing_x_default(sitemap: Sitemap) -> Iterator[Problem]:
    """Pages with language versions have no x-default.

    x-default is the page for all languages without a version. It is optional; without it, the engine chooses a page.
    """
    graph = graph_of(sitemap)
    several = [block for block in graph.blocks if block.whole and len(block.targets) > 1]
    rows = [row for block in several if not block.has_x_default for row in block.rows]
    if rows:
        first = min(rows)
        every = sum(len(block.rows) for block in several)
        count = f"all {every:,} pages" if len(rows) == every else f"{len(rows):,} of {every:,} pages"
        message = f"{count} with language versions have no x-default" if every > 1 else "the page has no x-default"
        yield Problem(
            sitemap.listed(first).whole(), message, subject=graph.loc(first), count=len(rows), rows=sorted(rows)
        )


@google_info("H025", kinds=Has.URL_ELEMENTS, cites=("general-knowledge",))
@bad(_coverage_map(_page("«a»", en="a")), fixed=_coverage_map(_page("a")))
@bad(
    _coverage_map(_page("«a»", en="a", x_default="a"), _page("b", en="b")), fixed=_coverage_map(_page("a"), _page("b"))
)
@good(_page("a", en="a", de="b", x_default="a"))
def lone_self_link(sitemap: Sitemap) -> Iterator[Problem]:
    """The only language version of a page is itself.

    hreflang links distinguish versions. With a single version they have no effect and only make the file larger.
    """
    graph = graph_of(sitemap)
    lone = [(block, row) for block in graph.blocks if block.whole and len(block.targets) == 1 for row in block.rows]
    rows = sorted(row for block, row in lone if graph.loc(row) in block.targets)
    if not rows:
        return
    counts = {row: len(block.addresses) for block, row in lone if block.only_languages}
    edits = [drop_links(sitemap.document, row, counts.get(row, 0)) for row in rows]
    count = f"{len(rows):,} pages list" if len(rows) > 1 else "the page lists"
    yield Problem(
        sitemap.listed(rows[0]).whole(),
        f"{count} only {'themselves' if len(rows) > 1 else 'itself'} as language version; remove the links",
        Fix("remove the links", tuple(edit for row in edits for edit in row), Safety.REVIEW) if all(edits) else None,
        subject=graph.loc(rows[0]),
        count=len(rows),
        rows=rows,
    )


@google_info("H026", kinds=Has.URL_ELEMENTS, cites=("google-hreflang",))
@bad(_page("«a»", en_ie="a", en_ca="b", x_default="a"))
@good(
    _page("a", en_ie="a", en_ca="b", en="b", x_default="a"),
    _page("a", en_ie="a", de_DE="b", x_default="a"),
    _page("a", zh_hans="a", zh_hant="b", x_default="a"),
    _page("a", zh_hant="a", zh_tw="b", zh_hk="c", x_default="a"),
)
def regions_without_language(sitemap: Sitemap) -> Iterator[Problem]:
    """A language is only listed with regions.

    Users in other regions match none of them. Use one of the versions for the language without a region.
    """
    graph = graph_of(sitemap)
    first: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for block in [block for block in graph.blocks if block.whole]:
        for language in _only_regional(block.languages):
            counts[language] += len(block.rows)
            first[language] = min(first.get(language, block.rows[0]), block.rows[0])
    for language, row in sorted(first.items(), key=lambda item: (item[1], item[0])):
        more = f" on {counts[language]:,} pages" if counts[language] > 1 else ""
        yield Problem(
            sitemap.listed(row).whole(),
            f"{language!r} is only listed with regions{more}; add {language!r} without a region for the others",
            subject=graph.loc(row),
            count=counts[language],
        )


@lru_cache(1024)
def _only_regional(tags: frozenset[str]) -> set[str]:
    """Languages with at least two regions and no version without a region."""
    split = [tag.split("-") for tag in tags if tag != X_DEFAULT]
    regional = Counter(parts[0] for parts in split if len(parts) > 1 and len(parts[-1]) == 2)
    for parts in split:
        if len(parts) == 1 or len(parts[-1]) == 4:
            regional.pop(parts[0], None)
    return {language for language, regions in regional.items() if regions > 1}
