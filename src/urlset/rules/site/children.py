"""Is every sitemap that an index lists there, a sitemap, not an index, not empty, and as new as it says?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from urlset.checking.declare import Bad, Good, rule
from urlset.checking.tree import DocumentSummary, TreeView
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.document import Kind
from urlset.model.moment import Moment
from urlset.model.place import Place
from urlset.reports.uri import is_address
from urlset.spec.engines import Engine

_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_INDEX = (
    '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<sitemap><loc>{}</loc>{}</sitemap></sitemapindex>"
)
_A = "https://example.com/a.xml"
_PAGES = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.com/1</loc>{}</url></urlset>'
)
_SOUND = {"index.xml": _INDEX.format(_A, ""), "a.xml": _PAGES.format("")}
_A_DAY = timedelta(days=1)
_NOT_LISTS = (Kind.HTML, Kind.OTHER_XML, Kind.UNKNOWN, Kind.ROBOTS)


def _at(child: DocumentSummary, message: str, *, severity: Severity | None = None) -> Problem:
    """Shown where the index lists the child."""
    subject = child.url or child.source
    return Problem(Place(0), message, source=child.parent, row=child.row, subject=subject, severity=severity)


@rule(
    "I005",
    "nested-index",
    on=TreeView,
    severity=Severity.ERROR,
    engines=(Engine.PROTOCOL, Engine.GOOGLE),
    cites=("google-2006", "sitemaps-protocol"),
    bad=(
        Bad(
            files={
                "index.xml": _INDEX.format(f"«{_A}»", ""),
                "a.xml": _INDEX.format("https://example.com/b.xml", ""),
                "b.xml": _PAGES.format(""),
            }
        ),
    ),
    good=(Good(files=_SOUND),),
)
def nested_index(tree: TreeView) -> Iterator[Problem]:
    """An index lists another index.

    An index may list sitemaps, feeds and text files. Google refuses an index inside an index, so nothing
    below it is read.
    """
    indexes = {name: leaf for leaf in tree.indexes for name in (leaf.source, leaf.url) if name}
    for index in tree.indexes:
        for row, loc in enumerate(index.listed):
            met = indexes.get(loc.strip())
            if met is not None and met is not index and (met.parent, met.row) != (index.source, row):
                yield _nested(met, index.source, row)  # listed once more, as in a circle
        if index.parent is not None:
            yield _nested(index, index.parent, index.row)


def _nested(leaf: DocumentSummary, parent: str, row: int | None) -> Problem:
    sitemaps = "1 sitemap itself, which is" if leaf.entries == 1 else f"{leaf.entries:,} sitemaps itself; they are"
    wording = f"{leaf.source} is an index of {sitemaps} not read"
    return Problem(Place(0), wording, source=parent, row=row, subject=leaf.url or leaf.source)


@rule(
    "I010",
    "missing-child",
    on=TreeView,
    severity=Severity.ERROR,
    cites=("gsc-report", "yandex-errors"),
    bad=(Bad(files={"index.xml": _INDEX.format("«https://example.com/gone.xml»", "")}),),
    good=(Good(files=_SOUND),),
)
def missing_child(tree: TreeView) -> Iterator[Problem]:
    """A sitemap that the index lists is not there.

    Crawlers ask for it in vain, and its pages are not found through the index. On disk this is judged only where
    a folder stands for the whole site (--root): elsewhere the child may well be on the server.
    """
    if tree.root_known:
        for lost in tree.lost:
            fetched = is_address(lost.parent)
            wording = f"{lost.loc!r} cannot be read" if fetched else f"no file for {lost.loc!r}"
            yield Problem(Place(0), f"{wording}: {lost.reason}", source=lost.parent, row=lost.row, subject=lost.loc)


@rule(
    "I011",
    "child-not-a-sitemap",
    on=TreeView,
    severity=Severity.ERROR,
    cites=("gsc-report",),
    bad=(Bad(files={"index.xml": _INDEX.format(f"«{_A}»", ""), "a.xml": "<!doctype html><p>Not found</p>"}),),
    good=(Good(files=_SOUND), Good(files={"index.xml": _INDEX.format(_A, ""), "a.xml": "https://example.com/1\n"})),
)
def child_not_a_sitemap(tree: TreeView) -> Iterator[Problem]:
    """A file that the index lists is no sitemap.

    Often an error page saved under the sitemap's name, or a page listed in the index by mistake.
    """
    for leaf in tree.leaves:
        if leaf.parent is not None and leaf.kind in _NOT_LISTS:
            yield _at(leaf, f"{leaf.source} is {_described(leaf.kind)}, not a sitemap")


def _described(kind: Kind) -> str:
    words = {Kind.HTML: "an HTML page", Kind.OTHER_XML: "some other XML", Kind.ROBOTS: "a robots.txt"}
    return words.get(kind, "something unknown")


@rule(
    "I012",
    "empty-child",
    on=TreeView,
    severity=Severity.WARNING,
    cites=("gsc-report",),
    bad=(
        Bad(
            files={
                "index.xml": _INDEX.format(f"«{_A}»", ""),
                "a.xml": '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>',
            }
        ),
    ),
    good=(Good(files=_SOUND),),
)
def empty_child(tree: TreeView) -> Iterator[Problem]:
    """A sitemap that the index lists has no entries.

    It costs a request each time and is reported as empty; leave it out until it lists something.
    """
    for leaf in tree.leaves:
        if leaf.parent is not None and leaf.entries == 0 and (leaf.kind is Kind.EMPTY or leaf.kind.lists_pages):
            yield _at(leaf, f"{leaf.source} lists nothing")


@rule(
    "I015",
    "index-lastmod-behind-child",
    on=TreeView,
    severity=Severity.WARNING,
    cites=("sitemaps-protocol",),
    bad=(
        Bad(
            files={
                "index.xml": _INDEX.format(f"«{_A}»", "<lastmod>2024-01-01</lastmod>"),
                "a.xml": _PAGES.format("<lastmod>2026-06-01</lastmod>"),
            }
        ),
    ),
    good=(
        Good(
            files={
                "index.xml": _INDEX.format(_A, "<lastmod>2026-06-01</lastmod>"),
                "a.xml": _PAGES.format("<lastmod>2026-06-01T23:59:00Z</lastmod>"),
            }
        ),
        Good(
            files={
                "index.xml": _INDEX.format(_A, "<lastmod>2026-07-01</lastmod>"),
                "a.xml": _PAGES.format("<lastmod>2026-06-01</lastmod>"),
            }
        ),
    ),
)
def index_lastmod_behind_child(tree: TreeView) -> Iterator[Problem]:
    """The index dates a sitemap before the newest page in it.

    Engines fetch only the sitemaps whose date moved, so the changed pages inside are not seen. Of sitemaps that
    were fetched, a date later than that of the file itself (Last-Modified) is noted too: it sends crawlers to
    fetch what has not changed.
    """
    for leaf in tree.leaves:
        index = tree.by_source.get(leaf.parent or "")
        given = (index.lastmods[leaf.row] or "").strip() if index is not None and leaf.row is not None else ""
        if not given:
            continue
        date, inside = Moment.parse(given), Moment.parse(leaf.newest or "")
        if leaf.newest is not None and inside.is_after(tree.context.now):
            continue  # that date is the fault, as another rule says
        if leaf.newest is not None and inside.newer_than(date):
            yield _at(leaf, f"the index says {given!r}, but a page inside is dated {leaf.newest!r}")
        elif leaf.served is not None and _is_ahead(date, leaf) and not date.is_after(tree.context.now):
            day = leaf.served.partition("T")[0]
            said = f"the index says {given!r}, but the file has not changed since {day}, says its Last-Modified"
            yield _at(leaf, said, severity=Severity.INFO)


def _is_ahead(date: Moment, leaf: DocumentSummary) -> bool:
    """Of all that is in the file and of the file itself, by more than clocks and time zones account for."""
    given, served = date.certain_interval(), Moment.parse(leaf.served or "").interval()
    if given is None or served is None or given[0] - served[1] < _A_DAY:
        return False
    return leaf.newest is None or date.newer_than(Moment.parse(leaf.newest))


@rule(
    "I023",
    "size-of-the-whole-tree",
    on=TreeView,
    severity=Severity.INFO,
    cites=("sitemaps-protocol",),
    bad=(
        Bad(files={"index.xml": "«" + _INDEX.format(_A, "").replace('0.9">', '0.9">»', 1), "a.xml": _PAGES.format("")}),
    ),
    good=(Good(files={"a.xml": _XML + _PAGES.format("")}),),
)
def size_of_the_whole_tree(tree: TreeView) -> Iterator[Problem]:
    """How many pages the index reaches altogether.

    The limits of 50,000 entries and 50 MiB hold for each file; this is the sum, for comparison with what
    you expect and with what engines report.
    """
    for index in tree.indexes:
        children = tree.children(index)
        if children:
            pages = sum(leaf.entries for leaf in children if leaf.kind.lists_pages)
            yield Problem(
                Place(0),
                f"{len(children):,} of {index.entries:,} sitemaps read, {pages:,} pages in all",
                source=index.source,
            )
