"""Are the right pages listed, in files with meaningful names?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.fixing.removal import remove_entries
from urlset.model.private_path import private_part
from urlset.rules import Bad, Engine, Kind, ListedPage, Problem, Safety, Severity, Signal, Sitemap, rule
from urlset.rules.loc.origins import PAGES, READERS, first_place, origins, share
from urlset.rules.loc.parameters import parameters
from urlset.rules.loc.target import drop_entry, ending_of
from urlset.rules.quoting import quoted
from urlset.spec.generator_artifacts import (
    ASSET_ENDINGS,
    FACET_PARAMETERS,
    FACET_PREFIXES,
    MOBILE_LABELS,
    NUMBERED_SITEMAP,
    PAGE_IN_PATH,
    PAGE_NAMES_LIKE_ASSETS,
    PAGE_PARAMETERS,
    SEARCH_PARAMETERS_AT_ROOT,
)
from urlset.spec.lazy_pattern import lazy_pattern

_Found = tuple[int, int, str]
_NUMBER = lazy_pattern(r"[0-9]{1,6}")


@rule(
    "Q007",
    "page-not-for-search",
    when=Signal.PRIVATE_PATH | Signal.PAGE_SEGMENT | Signal.PAGED | Signal.FACET | Signal.SEARCH,
    severity=Severity.WARNING,
    engines=READERS,
    cites=("google-troubleshoot", "seen-in-the-wild"),
    bad=(
        Bad(
            "<url><loc>https://example.com/</loc></url>\n<url><loc>https://example.com/«cart»</loc></url>",
            fixed="<url><loc>https://example.com/</loc></url>",
        ),
        "<loc>https://example.com/en-GB/«checkout»/payment</loc>",
        "<loc>https://example.com/«users/sign_in»</loc>",
        "<loc>https://example.com/de/«cart.html»</loc>",
        "<loc>https://example.com/«search»?q=shoes</loc>",
        "<loc>https://example.com/?«s=shoes»</loc>",
        Bad(
            "<url><loc>https://example.com/</loc></url>\n<url><loc>https://example.com/news«/page/2/»</loc></url>",
            fixed="<url><loc>https://example.com/</loc></url>",
        ),
        "<loc>https://example.com/news?«page=3»</loc>",
        "<loc>https://example.com/shoes?size=9&amp;«sort=price»</loc>",
        "<loc>https://example.com/shoes?«filter[colour]=red»</loc>",
    ),
    good=(
        "<loc>https://example.com/cart-racing</loc>",
        "<loc>https://example.com/cart.io</loc>",
        "<loc>https://example.com/search-engine-optimisation</loc>",
        "<loc>https://example.com/blog/login</loc>",
        "<loc>https://example.com/news/page/1/</loc>",
        "<loc>https://example.com/news/page/2-girls</loc>",
        "<loc>https://example.com/news?page=1</loc>",
        "<loc>https://example.com/?page=about</loc>",
        "<loc>https://example.com/?p=123</loc>",
        "<loc>https://example.com/shop?s=shoes</loc>",
        "<loc>https://example.com/sort/price</loc>",
    ),
)
def page_not_for_search(listed: ListedPage) -> Iterator[Problem]:
    """An entry lists a page that is not useful as a search result.

    Carts, logins, and search pages: engines crawl them instead of more important pages, and rarely show them. What only
    a parameter or a number shows (a search, a later page of a list, a sorted or filtered copy) is info, because some of
    these pages are worth listing.
    """
    certain = _private(listed)
    found = certain or _paged(listed) or _filtered(listed)
    if found is not None:
        start, end, what = found
        yield Problem(
            listed.part(start, end),
            f"{quoted(listed.loc[start:end])}: {what}; remove the entry",
            drop_entry(listed),
            severity=None if certain else Severity.INFO,
        )


def _private(listed: ListedPage) -> _Found | None:
    start, end = listed.address.parts.path
    found = private_part(listed.loc[start:end])
    return None if found is None else (start + found.start, start + found.end, f"{found.what}, not a landing page")


def _paged(listed: ListedPage) -> _Found | None:
    start, end = listed.address.parts.path
    match = PAGE_IN_PATH.search(listed.loc[start:end])
    if match is not None and int(match[1]) > 1:
        return start + match.start(), end, f"page {int(match[1])} of a list"
    for parameter in parameters(listed):
        number = parameter.value.lstrip("0")
        if parameter.name in PAGE_PARAMETERS and _NUMBER.fullmatch(number) and number != "1":
            return parameter.start, parameter.end, f"page {number} of a list"
    return None


def _filtered(listed: ListedPage) -> _Found | None:
    at_root = listed.address.path in ("", "/")
    for parameter in parameters(listed):
        name = parameter.name.replace("%5b", "[")
        if at_root and name in SEARCH_PARAMETERS_AT_ROOT and parameter.value:
            return parameter.start, parameter.end, "a search results page, not a landing page"
        if name in FACET_PARAMETERS or name.startswith(FACET_PREFIXES):
            return parameter.start, parameter.end, "a sorted or filtered copy of a list"
    return None


_NUMBERED = "<sitemap><loc>https://example.com/{}</loc></sitemap>"


@rule(
    "Q009",
    "children-without-subject",
    severity=Severity.INFO,
    engines=READERS,
    cites=("google-build",),
    kinds=(Kind.SITEMAPINDEX,),
    bad=(
        _NUMBERED.format("«sitemap-1.xml»") + _NUMBERED.format("sitemap-2.xml") + _NUMBERED.format("sitemap-3.xml.gz"),
    ),
    good=(
        _NUMBERED.format("sitemap-1.xml") + _NUMBERED.format("sitemap-2.xml") + _NUMBERED.format("sitemap-news.xml"),
        _NUMBERED.format("products-1.xml") + _NUMBERED.format("products-2.xml") + _NUMBERED.format("pages-1.xml"),
        _NUMBERED.format("sitemap-1.xml") + _NUMBERED.format("sitemap-2.xml"),
        _NUMBERED.format("sitemap-en.xml") + _NUMBERED.format("sitemap-de.xml") + _NUMBERED.format("sitemap-fr.xml"),
    ),
)
def children_without_subject(sitemap: Sitemap) -> Iterator[Problem]:
    """All sitemaps in an index are only numbered.

    Engines report errors and coverage per file. With one file per page type, a report shows which type has problems.
    Numbered files mix them.
    """
    names = [(loc or "").strip().rpartition("/")[2] for loc in sitemap.columns.locs]
    if len(names) < 3 or not all(map(NUMBERED_SITEMAP.fullmatch, names)):
        return
    first = ListedPage(sitemap, 0)
    yield Problem(
        first.part(len(first.loc) - len(names[0]), len(first.loc)),
        f"all {len(names):,} sitemaps are numbered like {quoted(names[0])}; use one file per page type",
        count=len(names),
        rows=range(len(names)),
    )


@rule(
    "Q012",
    "mobile-and-desktop-listed",
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("google-build",),
    kinds=PAGES,
    bad=(
        Bad(
            "<url><loc>https://www.example.com/a</loc></url>\n<url><loc>https://«m.example.com»/a</loc></url>",
            fixed="<url><loc>https://www.example.com/a</loc></url>",
        ),
        "<url><loc>https://«mobile.example.com»/a</loc></url><url><loc>https://example.com/b</loc></url>",
    ),
    good=(
        "<url><loc>https://m.example.com/a</loc></url><url><loc>https://m.example.com/b</loc></url>",
        "<url><loc>https://www.example.com/m.example.com</loc></url><url><loc>https://www.example.com/b</loc></url>",
    ),
)
def mobile_and_desktop_listed(sitemap: Sitemap) -> Iterator[Problem]:
    """Both mobile and desktop pages are listed.

    Google recommends listing one version of each page. The pages themselves link to the other version.
    """
    groups = origins(sitemap)
    if len(groups) < 2:
        return
    hosts = {head.host for head in groups}
    mobile = [
        head
        for head in groups
        if (label := head.host.partition(".")[0]) in MOBILE_LABELS
        and not hosts.isdisjoint((bare := head.host[len(label) + 1 :], f"www.{bare}"))
    ]
    if mobile:
        rows = [row for head in mobile for row in head.rows]
        yield Problem(
            first_place(sitemap, mobile[0], *(mobile[0].address.parts.host or (0, 0))),
            f"{share(len(rows), sitemap, 'are')} on {quoted(mobile[0].host)}, in addition to the desktop site; "
            "list one version",
            remove_entries(sitemap.document, rows, "remove the mobile pages", Safety.REVIEW),
            count=len(rows),
            rows=rows,
        )


@rule(
    "Q013",
    "asset-listed",
    when=Signal.ASSET,
    severity=Severity.WARNING,
    engines=READERS,
    cites=("general-knowledge",),
    bad=(
        Bad(
            "<url><loc>https://example.com/</loc></url>\n<url><loc>https://example.com«/app.js»?v=3</loc></url>",
            fixed="<url><loc>https://example.com/</loc></url>",
        ),
        "<loc>https://example.com«/img/logo.PNG»</loc>",
        "<loc>https://example.com«/fonts/a.woff2»</loc>",
    ),
    good=(
        "<loc>https://example.com/learn/node.js</loc>",
        "<loc>https://example.com/wiki/File:Logo.png</loc>",
        "<loc>https://example.com/app.js/</loc>",
        "<loc>https://example.com/js</loc>",
        "<loc>https://example.com/.css</loc>",
        "<loc>https://example.com/report.pdf</loc>",
        "<loc>https://example.com/?file=app.js</loc>",
    ),
)
def asset_listed(listed: ListedPage) -> Iterator[Problem]:
    """An entry lists a script, a style sheet, an image, or a font.

    These are parts of pages, and search engines find them there. List images in the image extension.
    """
    path, span = listed.address.path, listed.address.parts.path
    what = ASSET_ENDINGS.get(ending_of(path))
    if what is not None and not PAGE_NAMES_LIKE_ASSETS.search(path):
        yield Problem(
            listed.part(*span),
            f"{quoted(path)} is {what}, not a page; remove it",
            drop_entry(listed),
        )
