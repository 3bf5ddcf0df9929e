"""The same page in several files, and many files with very few pages."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.model.place import Place
from urlset.rules import Bad, Good, Problem, Severity, TreeView, rule
from urlset.spec import namespaces

_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_HEAD = _XML + '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
_INDEX = (
    '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<sitemap><loc>https://example.com/a.xml</loc></sitemap>"
    "<sitemap><loc>https://example.com/b.xml</loc></sitemap></sitemapindex>"
)


def _pages(*locs: str) -> str:
    return _HEAD + "".join(f"<url><loc>{loc}</loc></url>" for loc in locs) + "</urlset>"


_NEWS = (
    f'{_XML}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="{namespaces.NEWS}">'
    "<url><loc>https://example.com/1</loc><news:news><news:publication><news:name>The Example Times</news:name>"
    "<news:language>en</news:language></news:publication><news:publication_date>2026-11-15</news:publication_date>"
    "<news:title>Storm reaches the coast</news:title></news:news></url></urlset>"
)


@rule(
    "L021",
    "duplicate-loc-across-files",
    severity=Severity.WARNING,
    cites=("general-knowledge",),
    bad=(
        Bad(
            files={
                "index.xml": _INDEX,
                "a.xml": _pages("https://example.com/1", "https://example.com/2"),
                "b.xml": _pages("«https://example.com/1»"),
            }
        ),
        Bad(
            files={
                "index.xml": _INDEX,
                "a.xml": _NEWS,
                "b.xml": _NEWS.replace("https://example.com/1", "«https://example.com/1»"),
            }
        ),
    ),
    good=(
        Good(
            files={
                "index.xml": _INDEX,
                "a.xml": _pages("https://example.com/1"),
                "b.xml": _pages("https://example.com/1/"),
            }
        ),
        Good(files={"index.xml": _INDEX, "a.xml": _pages("https://example.com/1"), "b.xml": _NEWS}),
    ),
)
def duplicate_loc_across_files(tree: TreeView) -> Iterator[Problem]:
    """A URL is listed in two files of the same set.

    It inflates the counts that engines report. If the two entries have different dates, it is unclear which one
    applies. A sitemap of news, videos, or images may list pages that another sitemap lists too.
    """
    for twin in tree.twins():
        yield Problem(
            Place(0),
            f"also listed in {twin.first} as entry {twin.first_row + 1:,}; list it once",
            source=twin.second,
            row=twin.second_row,
        )


def _many(count: int) -> dict[str, str]:
    entries = "".join(f"<sitemap><loc>https://example.com/{n}.xml</loc></sitemap>" for n in range(count))
    index = f'{_XML}«<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">»{entries}</sitemapindex>'
    return {"index.xml": index, **{f"{n}.xml": _pages(f"https://example.com/{n}") for n in range(count)}}


@rule(
    "Q016",
    "many-tiny-children",
    severity=Severity.INFO,
    cites=("general-knowledge",),
    bad=(Bad(files=_many(20), title="an index of 20 sitemaps with one page each"),),
    good=(Good(files={name: text.replace("«", "").replace("»", "") for name, text in _many(19).items()}),),
)
def many_tiny_children(tree: TreeView) -> Iterator[Problem]:
    """An index lists many sitemaps with very few pages each.

    Each file costs a request, and one file holds up to 50,000 URLs. Separate files by type or section are useful;
    dozens of tiny files are not.
    """
    limits = tree.context.thresholds
    for index in tree.indexes:
        children = [leaf for leaf in tree.children(index) if leaf.kind.lists_pages]
        pages = sum(leaf.entries for leaf in children)
        if len(children) >= limits.tiny_children and pages < limits.tiny_child_entries * len(children):
            mean = pages / len(children)
            yield Problem(
                Place(0),
                f"{len(children):,} sitemaps with {mean:,.1f} pages each on average; combine them",
                source=index.source,
            )
