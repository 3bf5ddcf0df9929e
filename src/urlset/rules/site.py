"""Rules across files: do the child sitemaps of an index exist, are their dates right, and is a URL listed twice?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from urlset.checking.declare import bad, error_rule, good, info_rule, warning_rule
from urlset.checking.tree import DocumentSummary
from urlset.model.moment import Moment
from urlset.model.place import Place
from urlset.rules import Engine, Kind, Problem, Severity, TreeView
from urlset.spec import namespaces
from urlset.storage.paths import is_address

# The same page in several files, and many files with very few pages.

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


@warning_rule("L021", cites=("general-knowledge",))
@bad(
    files={
        "index.xml": _INDEX,
        "a.xml": _pages("https://example.com/1", "https://example.com/2"),
        "b.xml": _pages("«https://example.com/1»"),
    }
)
@bad(
    files={
        "index.xml": _INDEX,
        "a.xml": _NEWS,
        "b.xml": _NEWS.replace("https://example.com/1", "«https://example.com/1»"),
    }
)
@good(files={"index.xml": _INDEX, "a.xml": _pages("https://example.com/1"), "b.xml": _pages("https://example.com/1/")})
@good(files={"index.xml": _INDEX, "a.xml": _pages("https://example.com/1"), "b.xml": _NEWS})
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


@info_rule("Q016", cites=("general-knowledge",))
@bad(files=_many(20), title="an index of 20 sitemaps with one page each")
@good(files={name: text.replace("«", "").replace("»", "") for name, text in _many(19).items()})
def many_tiny_children(tree: TreeView) -> Iterator[Problem]:
    """An index lists many sitemaps with very few pages each.

    Each file costs a request, and one file holds up to 50,000 URLs. Separate files by type or section are useful;
    dozens of tiny files are not.
    """
    limits = tree.context.thresholds
    for index in tree.indexes:
        children = [summary for summary in tree.children(index) if summary.kind.lists_pages]
        pages = sum(summary.entries for summary in children)
        if len(children) >= limits.tiny_children and pages < limits.tiny_child_entries * len(children):
            mean = pages / len(children)
            yield Problem(
                Place(0),
                f"{len(children):,} sitemaps with {mean:,.1f} pages each on average; combine them",
                source=index.source,
            )


_CHILDREN_INDEX = (
    '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<sitemap><loc>{}</loc>{}</sitemap></sitemapindex>"
)
_A = "https://example.com/a.xml"
_PAGES = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.com/1</loc>{}</url></urlset>'
)
_SOUND = {"index.xml": _CHILDREN_INDEX.format(_A, ""), "a.xml": _PAGES.format("")}
_A_DAY = timedelta(days=1)


def _at(child: DocumentSummary, message: str, *, severity: Severity | None = None) -> Problem:
    """Reported at the place where the index lists the child."""
    subject = child.url or child.source
    return Problem(Place(0), message, source=child.parent, row=child.row, subject=subject, severity=severity)


@error_rule("I005", engines=(Engine.PROTOCOL, Engine.GOOGLE), cites=("google-2006", "sitemaps-protocol"))
@bad(
    files={
        "index.xml": _CHILDREN_INDEX.format(f"«{_A}»", ""),
        "a.xml": _CHILDREN_INDEX.format("https://example.com/b.xml", ""),
        "b.xml": _PAGES.format(""),
    }
)
@good(files=_SOUND)
def nested_index(tree: TreeView) -> Iterator[Problem]:
    """An index lists another index.

    An index may list sitemaps, feeds, and text files. Google rejects an index inside an index, so its sitemaps are
    not read.
    """
    indexes = {name: summary for summary in tree.indexes for name in (summary.source, summary.url) if name}
    for index in tree.indexes:
        for row, loc in enumerate(index.listed):
            met = indexes.get(loc.strip())
            if met is not None and met is not index and (met.parent, met.row) != (index.source, row):
                yield _nested(met, index.source, row)  # listed again, as in a loop
        if index.parent is not None:
            yield _nested(index, index.parent, index.row)


def _nested(summary: DocumentSummary, parent: str, row: int | None) -> Problem:
    sitemaps = "its sitemap" if summary.entries == 1 else f"its {summary.entries:,} sitemaps"
    message = f"{summary.source} is an index itself, so engines do not read {sitemaps}; list {sitemaps} here instead"
    return Problem(Place(0), message, source=parent, row=row, subject=summary.url or summary.source)


@error_rule("I010", cites=("gsc-report", "yandex-errors"))
@bad(files={"index.xml": _CHILDREN_INDEX.format("«https://example.com/gone.xml»", "")})
@good(files=_SOUND)
def missing_child(tree: TreeView) -> Iterator[Problem]:
    """A sitemap listed in the index does not exist.

    Crawlers cannot fetch it, so its URLs are not discovered through the index. For local files this is only checked
    with --root, because the child may exist on the server.
    """
    if tree.root_known:
        for lost in tree.lost:
            fetched = is_address(lost.parent)
            message = f"could not read {lost.loc!r}" if fetched else f"no file for {lost.loc!r}"
            yield Problem(Place(0), f"{message}: {lost.reason}", source=lost.parent, row=lost.row, subject=lost.loc)


@error_rule("I011", cites=("gsc-report",))
@bad(files={"index.xml": _CHILDREN_INDEX.format(f"«{_A}»", ""), "a.xml": "<!doctype html><p>Not found</p>"})
@good(files=_SOUND)
@good(files={"index.xml": _CHILDREN_INDEX.format(_A, ""), "a.xml": "https://example.com/1\n"})
def child_not_a_sitemap(tree: TreeView) -> Iterator[Problem]:
    """A file listed in the index is not a sitemap.

    Often it is an error page saved under the sitemap's name, or a page listed in the index by mistake.
    """
    for summary in tree.summaries:
        if summary.parent is not None and not summary.kind.is_sitemap and summary.kind is not Kind.EMPTY:
            yield _at(summary, f"{summary.source} is {summary.kind.noun}, not a sitemap; remove or replace it")


@warning_rule("I012", cites=("gsc-report",))
@bad(
    files={
        "index.xml": _CHILDREN_INDEX.format(f"«{_A}»", ""),
        "a.xml": '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>',
    }
)
@good(files=_SOUND)
def empty_child(tree: TreeView) -> Iterator[Problem]:
    """A sitemap listed in the index has no entries.

    It costs a request each time, and engines report it as empty. Remove it from the index until it has entries.
    """
    for summary in tree.summaries:
        if (
            summary.parent is not None
            and summary.entries == 0
            and (summary.kind is Kind.EMPTY or summary.kind.lists_pages)
        ):
            yield _at(summary, f"{summary.source} has no entries; remove it from the index until it has some")


@warning_rule("I015", cites=("sitemaps-protocol",))
@bad(
    files={
        "index.xml": _CHILDREN_INDEX.format(f"«{_A}»", "<lastmod>2024-01-01</lastmod>"),
        "a.xml": _PAGES.format("<lastmod>2026-06-01</lastmod>"),
    }
)
@good(
    files={
        "index.xml": _CHILDREN_INDEX.format(_A, "<lastmod>2026-06-01</lastmod>"),
        "a.xml": _PAGES.format("<lastmod>2026-06-01T23:59:00Z</lastmod>"),
    }
)
@good(
    files={
        "index.xml": _CHILDREN_INDEX.format(_A, "<lastmod>2026-07-01</lastmod>"),
        "a.xml": _PAGES.format("<lastmod>2026-06-01</lastmod>"),
    }
)
def index_lastmod_behind_child(tree: TreeView) -> Iterator[Problem]:
    """The index has an older lastmod for a sitemap than the newest page in it.

    Engines only fetch sitemaps whose date changed, so they miss the changed pages. For fetched sitemaps, a date later
    than the Last-Modified of the file is reported too: crawlers then fetch a file that has not changed.
    """
    for summary in tree.summaries:
        index = tree.by_source.get(summary.parent or "")
        given = (index.lastmods[summary.row] or "").strip() if index is not None and summary.row is not None else ""
        if not given:
            continue
        date, inside = Moment.parse(given), Moment.parse(summary.newest or "")
        if summary.newest is not None and inside.is_after(tree.context.now):
            continue  # another rule reports that date
        if summary.newest is not None and inside.newer_than(date):
            yield _at(
                summary,
                f"lastmod in the index is {given!r}, but a page in the sitemap has {summary.newest!r}; update it",
            )
        elif summary.served is not None and not date.is_after(tree.context.now):
            # later than the entries and the file itself, beyond clock and time zone tolerance
            start, served = date.certain_interval(), Moment.parse(summary.served).interval()
            if start is None or served is None or start[0] - served[1] < _A_DAY:
                continue
            if summary.newest is not None and not date.newer_than(inside):
                continue
            day = summary.served.partition("T")[0]
            said = f"lastmod in the index is {given!r}, but Last-Modified of the file is {day}; use that date"
            yield _at(summary, said, severity=Severity.INFO)


@info_rule("I023", cites=("sitemaps-protocol",))
@bad(
    files={"index.xml": "«" + _CHILDREN_INDEX.format(_A, "").replace('0.9">', '0.9">»', 1), "a.xml": _PAGES.format("")}
)
@good(files={"a.xml": _XML + _PAGES.format("")})
def size_of_the_whole_tree(tree: TreeView) -> Iterator[Problem]:
    """Total number of pages in the index.

    The limits of 50,000 entries and 50 MiB apply to each file. This is the total, for comparison with your
    expectations and with engine reports.
    """
    for index in tree.indexes:
        children = tree.children(index)
        if children:
            pages = sum(summary.entries for summary in children if summary.kind.lists_pages)
            yield Problem(
                Place(0),
                f"{len(children):,} of {index.entries:,} sitemaps read, {pages:,} pages in total",
                source=index.source,
            )
