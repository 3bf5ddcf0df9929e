"""Is a sitemap listed more than once?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.fixing.removal import remove_entries
from urlset.model.address import Address
from urlset.rules import ROBOTS, Bad, Child, Good, Kind, Problem, Safety, Severity, Signal, Sitemap, rule
from urlset.rules.lastmod.faults import READERS
from urlset.rules.loc.origins import only_origin
from urlset.rules.quoting import quoted
from urlset.spec.signals import RESPELLABLE

_A = "<sitemap><loc>https://example.com/a.xml</loc></sitemap>"
_B = "<sitemap><loc>https://example.com/b.xml</loc></sitemap>"
_AT = "https://example.com/index.xml"


@rule(
    "I008",
    "duplicate-child",
    kinds=(Kind.SITEMAPINDEX,),
    severity=Severity.WARNING,
    engines=READERS,
    cites=("general-knowledge",),
    bad=(
        Bad(f"{_A}{_B}{_A.replace('https://example.com/a.xml', '«https://example.com/a.xml»')}", fixed=f"{_A}{_B}"),
        Bad(
            f"{_A}\n<sitemap><loc>«https://EXAMPLE.com:443/a.xml»</loc></sitemap>\n{_A}\n{_B}",
            fixed=f"{_A}\n{_B}",
        ),
        Bad(
            f"{_A}\n<sitemap>\n<loc>«https://example.com/a.xml»</loc>\n<lastmod>2026-11-15</lastmod>\n</sitemap>",
            fixed=_A,
        ),
    ),
    good=(
        f"{_A}{_B}",
        f"{_A}<sitemap><loc>https://example.com/a.xml?page=2</loc></sitemap>",
        f"{_A}<sitemap><loc>https://example.com/A.xml</loc></sitemap>",
    ),
)
def duplicate_child(sitemap: Sitemap) -> Iterator[Problem]:
    """An index lists the same sitemap twice.

    The second entry adds nothing, some crawlers fetch the file twice, and it is unclear which lastmod applies.
    """
    if sitemap.columns.listed_once() and only_origin(sitemap) and not sitemap.rows_with(RESPELLABLE | Signal.FRAGMENT):
        return
    first: dict[str, int] = {}
    copies: dict[str, list[int]] = {}
    for row, loc in enumerate(sitemap.columns.locs):
        if loc and (text := loc.strip()):
            key = Address.parse(text).key
            if first.setdefault(key, row) != row:
                copies.setdefault(key, []).append(row)
    lastmods, document = sitemap.columns.lastmods, sitemap.document
    for key, rows in copies.items():
        agree = all(lastmods[row] == lastmods[first[key]] for row in rows)
        line = document.lines.number(Child(sitemap, first[key]).locate_whole().offset)
        child = Child(sitemap, rows[0])
        yield Problem(
            child.whole(),
            f"{quoted(child.loc)} is listed {len(rows) + 1:,} times, first on line {line}; list it once",
            remove_entries(document, rows, "keep the first entry", Safety.SAFE if agree else Safety.REVIEW),
            subject=child.loc,
            count=len(rows),
            rows=rows,
        )


@rule(
    "I024",
    "child-also-in-robots-txt",
    kinds=(Kind.SITEMAPINDEX,),
    needs=ROBOTS,
    severity=Severity.INFO,
    engines=READERS,
    cites=("sitemaps-protocol",),
    bad=(
        Bad(
            f"<sitemap><loc>«https://example.com/a.xml»</loc></sitemap>{_B}",
            robots=f"Sitemap: {_AT}\nSitemap: https://example.com/a.xml\n",
            at=_AT,
        ),
        Bad(
            f"{_A}<sitemap><loc>«https://example.com/b.xml»</loc></sitemap>",
            robots="Sitemap: https://example.com/b.xml\n",
        ),
    ),
    good=(
        Good(f"{_A}{_B}", robots=f"Sitemap: {_AT}\n", at=_AT),
        Good(f"{_A}{_B}", robots="Sitemap: https://example.com/a.xml\n", at=_AT),
    ),
)
def child_also_in_robots_txt(sitemap: Sitemap) -> Iterator[Problem]:
    """Child sitemaps are also listed in robots.txt.

    A Sitemap line for the index is sufficient: crawlers find its children through it. Listing both does no harm,
    but both lists have to be kept in sync.
    """
    robots = sitemap.context.robots
    if robots is None:
        return
    announced = {Address.parse(line.value.strip()).key for line in robots.sitemaps if line.value.strip()}
    if sitemap.address is not None and sitemap.address.key not in announced:
        return
    rows = [row for row, loc in enumerate(sitemap.columns.locs) if loc and Address.parse(loc.strip()).key in announced]
    if rows:
        is_or_are = "child is" if len(rows) == 1 else "children are"
        yield Problem(
            Child(sitemap, rows[0]).whole(),
            f"{len(rows):,} {is_or_are} also listed in robots.txt; the line for the index is sufficient",
            count=len(rows),
            rows=rows,
        )
