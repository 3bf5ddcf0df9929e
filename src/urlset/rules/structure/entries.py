"""Does each entry have exactly one URL, and each field at most once?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.model.columns import Mark
from urlset.model.place import Place, between
from urlset.rules import Bad, Kind, ListedPage, Problem, Severity, Signal, Sitemap, rule
from urlset.rules.structure.odd_rows import SITEMAPS, marked_rows
from urlset.rules.structure.row_faults import row_problems
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern

_NS = namespaces.SITEMAP
_ROW = lazy_pattern(rb"<(?:[\w.\x80-\xff-]+:)?(url|sitemap)(?=[\s/>])", re.IGNORECASE)
_NAME = lazy_pattern(rb"<([^\s/<>]++)")
_LOC = "<loc>https://example.com/</loc>"
_A, _B = "<loc>https://example.com/a.xml</loc>", "<loc>https://example.com/b.xml</loc>"


@rule(
    "S006",
    "url-and-sitemap-mixed",
    on=Sitemap,
    severity=Severity.ERROR,
    cites=("sitemaps-protocol", "xsd-urlset", "xsd-siteindex", "google-large"),
    kinds=SITEMAPS,
    bad=(
        f'<urlset xmlns="{_NS}"><url>{_LOC}</url>«<sitemap»>{_A}</sitemap><sitemap>{_B}</sitemap></urlset>\n',
        f'<sitemapindex xmlns="{_NS}">«<url»>{_LOC}</url></sitemapindex>\n',
    ),
    good=(
        f'<urlset xmlns="{_NS}"><url>{_LOC}</url></urlset>\n',
        f'<sitemapindex xmlns="{_NS}"><sitemap>{_LOC}</sitemap></sitemapindex>\n',
    ),
)
def url_and_sitemap_mixed(sitemap: Sitemap) -> Iterator[Problem]:
    """A urlset lists sitemaps, or an index lists pages.

    A <urlset> contains <url>, and a <sitemapindex> contains <sitemap>, never both in one file. Engines ignore the wrong
    entries or reject the file.
    """
    wanted = b"url" if sitemap.kind is Kind.URLSET else b"sitemap"
    wrong: list[Place] = []
    for row in marked_rows(sitemap, Mark.IRREGULAR):
        tag = _ROW.match(sitemap.data, sitemap.columns.starts[row])
        if tag is not None and tag[1].lower() != wanted:
            wrong.append(between(*tag.span()))
    if wrong:
        name = wrong[0].cut(sitemap.data).decode("utf-8", "replace")
        them = "it" if len(wrong) == 1 else "them"
        yield Problem(
            wrong[0],
            f"{len(wrong):,} {name}> in a {sitemap.kind}, so engines ignore {them}; move {them} to a separate file",
            count=len(wrong),
            places=wrong,
        )


@rule(
    "S010",
    "loc-missing",
    on=ListedPage,
    when=Signal.MISSING,
    severity=Severity.ERROR,
    cites=("sitemaps-protocol", "xsd-urlset", "yandex-errors"),
    kinds=(Kind.URLSET,),
    bad=(
        f'<urlset xmlns="{_NS}">«<url>»<lastmod>2026-11-15</lastmod></url></urlset>\n',
        f'<urlset xmlns="{_NS}">«<url/>»</urlset>\n',
    ),
    good=(f"<url>{_LOC}</url>", f"<url><lastmod>2026-11-15</lastmod>{_LOC}</url>"),
)
def loc_missing(listed: ListedPage) -> Iterator[Problem]:
    """An entry has no <loc>.

    Without a URL there is nothing to crawl. Engines report the missing tag and skip the entry.
    """
    if listed.raw_loc is None:
        tag = _NAME.match(listed.document.data, listed.place.offset)  # parsing millions of rows again is slow
        name = tag[1].decode("utf-8", "replace") if tag is not None else listed.element.written
        message = f"<{name}> has no <loc>, so engines skip the entry; add the URL"
        yield Problem(lambda: listed.element.open_tag, message)


@rule(
    "S011",
    "loc-repeated",
    on=Sitemap,
    severity=Severity.ERROR,
    cites=("xsd-urlset", "xsd-tested", "yandex-errors"),
    kinds=(Kind.URLSET,),
    bad=(
        Bad(
            "<url><loc>https://example.com/a</loc>«<loc>https://example.com/b</loc>»</url>",
            fixed="<url><loc>https://example.com/a</loc></url><url><loc>https://example.com/b</loc></url>",
        ),
        Bad(
            "<url><loc>https://example.com/a</loc>«<loc>https://example.com/a</loc>»</url>",
            fixed="<url><loc>https://example.com/a</loc></url>",
        ),
        Bad(
            "<url><loc>https://example.com/a</loc>«<loc>https://example.com/b</loc>»<lastmod>2026-11-15</lastmod></url>",
            fixed="<url><loc>https://example.com/a</loc><lastmod>2026-11-15</lastmod></url>\n"
            "<url><loc>https://example.com/b</loc></url>",
        ),
    ),
    good=(f"<url>{_LOC}<image:image><image:loc>https://example.com/i.png</image:loc></image:image></url>",),
)
def loc_repeated(sitemap: Sitemap) -> Iterator[Problem]:
    """An entry has more than one <loc>.

    One entry is one page. Engines use the first URL, or the last, or report a duplicate tag.
    """
    yield from row_problems(sitemap, "S011")


@rule(
    "S012",
    "field-repeated",
    on=Sitemap,
    severity=Severity.ERROR,
    cites=("xsd-urlset", "yandex-errors"),
    kinds=SITEMAPS,
    bad=(
        Bad(
            f"<url>{_LOC}<lastmod>2026-11-15</lastmod>«<lastmod>2026-11-15</lastmod>»</url>",
            fixed=f"<url>{_LOC}<lastmod>2026-11-15</lastmod></url>",
        ),
        Bad(
            f"<url>{_LOC}<lastmod>2026-11-01</lastmod>«<lastmod>2026-11-15</lastmod>»</url>",
            fixed=f"<url>{_LOC}<lastmod>2026-11-15</lastmod></url>",
        ),
        Bad(
            f"<url>{_LOC}<priority>0.5</priority>«<priority>0.8</priority>»</url>",
            fixed=f"<url>{_LOC}<priority>0.5</priority></url>",
        ),
    ),
    good=(f"<url>{_LOC}<lastmod>2026-11-15</lastmod><priority>0.5</priority></url>",),
)
def field_repeated(sitemap: Sitemap) -> Iterator[Problem]:
    """An entry has lastmod, changefreq, or priority more than once.

    Each field may appear once. Engines use one of the values or report a duplicate tag.
    """
    yield from row_problems(sitemap, "S012")
