"""Are the right pages listed, in a file below its limits, compressed, up to date, and without internal details?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import bad, good, google_warning, reader_info, reader_warning
from urlset.findings.finding import Fix, Problem, Safety, quoted
from urlset.fixing.markup import remove_entries, with_its_line
from urlset.model.address import private_part
from urlset.model.columns import Edit
from urlset.model.moment import Moment
from urlset.model.place import Place
from urlset.rules import ADDRESS, Has, ListedPage, Severity, Signal, Sitemap
from urlset.rules.loc import first_place, origins, share
from urlset.rules.loc.path import drop_entry, ending_of, parameters
from urlset.spec import generator_artifacts
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import MAX_BYTES, MAX_INDEX_ENTRIES, MAX_URLS

# Are the right pages listed, in files with meaningful names?

_Found = tuple[int, int, str]
_NUMBER = lazy_pattern(r"[0-9]{1,6}")


@reader_warning(
    "Q007",
    when=Signal.PRIVATE_PATH | Signal.PAGE_SEGMENT | Signal.PAGED | Signal.FACET | Signal.SEARCH,
    cites=("google-troubleshoot", "seen-in-the-wild"),
)
@bad(
    "<url><loc>https://example.com/</loc></url>\n<url><loc>https://example.com/«cart»</loc></url>",
    fixed="<url><loc>https://example.com/</loc></url>",
)
@bad(
    "<loc>https://example.com/en-GB/«checkout»/payment</loc>",
    "<loc>https://example.com/«users/sign_in»</loc>",
    "<loc>https://example.com/de/«cart.html»</loc>",
    "<loc>https://example.com/«search»?q=shoes</loc>",
    "<loc>https://example.com/?«s=shoes»</loc>",
)
@bad(
    "<url><loc>https://example.com/</loc></url>\n<url><loc>https://example.com/news«/page/2/»</loc></url>",
    fixed="<url><loc>https://example.com/</loc></url>",
)
@bad(
    "<loc>https://example.com/news?«page=3»</loc>",
    "<loc>https://example.com/shoes?size=9&amp;«sort=price»</loc>",
    "<loc>https://example.com/shoes?«filter[colour]=red»</loc>",
)
@good(
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
)
def page_not_for_search(listed: ListedPage) -> Iterator[Problem]:
    """An entry lists a page that is not useful as a search result.

    Carts, logins, and search pages: engines crawl them instead of more important pages, and rarely show them. What only
    a parameter or a number shows (a search, a later page of a list, a sorted or filtered copy) is info, because some of
    these pages are worth listing.
    """
    start, end = listed.address.parts.path
    private = private_part(listed.loc[start:end])
    certain = private and (start + private.start, start + private.end, f"{private.what}, not a landing page")
    found = certain or _paged(listed) or _filtered(listed)
    if found is not None:
        start, end, what = found
        yield Problem(
            listed.part(start, end),
            f"{quoted(listed.loc[start:end])}: {what}; remove the entry",
            drop_entry(listed),
            severity=None if certain else Severity.INFO,
        )


def _paged(listed: ListedPage) -> _Found | None:
    start, end = listed.address.parts.path
    match = generator_artifacts.PAGE_IN_PATH.search(listed.loc[start:end])
    if match is not None and int(match[1]) > 1:
        return start + match.start(), end, f"page {int(match[1])} of a list"
    for parameter in parameters(listed):
        number = parameter.value.lstrip("0")
        if parameter.name in generator_artifacts.PAGE_PARAMETERS and _NUMBER.fullmatch(number) and number != "1":
            return parameter.start, parameter.end, f"page {number} of a list"
    return None


def _filtered(listed: ListedPage) -> _Found | None:
    at_root = listed.address.path in ("", "/")
    for parameter in parameters(listed):
        name = parameter.name.replace("%5b", "[")
        if at_root and name in generator_artifacts.SEARCH_PARAMETERS_AT_ROOT and parameter.value:
            return parameter.start, parameter.end, "a search results page, not a landing page"
        if name in generator_artifacts.FACET_PARAMETERS or name.startswith(generator_artifacts.FACET_PREFIXES):
            return parameter.start, parameter.end, "a sorted or filtered copy of a list"
    return None


_NUMBERED = "<sitemap><loc>https://example.com/{}</loc></sitemap>"


@reader_info("Q009", cites=("google-build",), kinds=Has.SITEMAPS)
@bad(_NUMBERED.format("«sitemap-1.xml»") + _NUMBERED.format("sitemap-2.xml") + _NUMBERED.format("sitemap-3.xml.gz"))
@good(
    _NUMBERED.format("sitemap-1.xml") + _NUMBERED.format("sitemap-2.xml") + _NUMBERED.format("sitemap-news.xml"),
    _NUMBERED.format("products-1.xml") + _NUMBERED.format("products-2.xml") + _NUMBERED.format("pages-1.xml"),
    _NUMBERED.format("sitemap-1.xml") + _NUMBERED.format("sitemap-2.xml"),
    _NUMBERED.format("sitemap-en.xml") + _NUMBERED.format("sitemap-de.xml") + _NUMBERED.format("sitemap-fr.xml"),
)
def children_without_subject(sitemap: Sitemap) -> Iterator[Problem]:
    """All sitemaps in an index are only numbered.

    Engines report errors and coverage per file. With one file per page type, a report shows which type has problems.
    Numbered files mix them.
    """
    names = [(loc or "").strip().rpartition("/")[2] for loc in sitemap.columns.locs]
    if len(names) < 3 or not all(map(generator_artifacts.NUMBERED_SITEMAP.fullmatch, names)):
        return
    first = ListedPage(sitemap, 0)
    yield Problem(
        first.part(len(first.loc) - len(names[0]), len(first.loc)),
        f"all {len(names):,} sitemaps are numbered like {quoted(names[0])}; use one file per page type",
        count=len(names),
        rows=range(len(names)),
    )


@google_warning("Q012", cites=("google-build",), kinds=Has.PAGES)
@bad(
    "<url><loc>https://www.example.com/a</loc></url>\n<url><loc>https://«m.example.com»/a</loc></url>",
    fixed="<url><loc>https://www.example.com/a</loc></url>",
)
@bad("<url><loc>https://«mobile.example.com»/a</loc></url><url><loc>https://example.com/b</loc></url>")
@good(
    "<url><loc>https://m.example.com/a</loc></url><url><loc>https://m.example.com/b</loc></url>",
    "<url><loc>https://www.example.com/m.example.com</loc></url><url><loc>https://www.example.com/b</loc></url>",
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
        if (label := head.host.partition(".")[0]) in generator_artifacts.MOBILE_LABELS
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


@reader_warning("Q013", when=Signal.ASSET, cites=("general-knowledge",))
@bad(
    "<url><loc>https://example.com/</loc></url>\n<url><loc>https://example.com«/app.js»?v=3</loc></url>",
    fixed="<url><loc>https://example.com/</loc></url>",
)
@bad("<loc>https://example.com«/img/logo.PNG»</loc>", "<loc>https://example.com«/fonts/a.woff2»</loc>")
@good(
    "<loc>https://example.com/learn/node.js</loc>",
    "<loc>https://example.com/wiki/File:Logo.png</loc>",
    "<loc>https://example.com/app.js/</loc>",
    "<loc>https://example.com/js</loc>",
    "<loc>https://example.com/.css</loc>",
    "<loc>https://example.com/report.pdf</loc>",
    "<loc>https://example.com/?file=app.js</loc>",
)
def asset_listed(listed: ListedPage) -> Iterator[Problem]:
    """An entry lists a script, a style sheet, an image, or a font.

    These are parts of pages, and search engines find them there. List images in the image extension.
    """
    path, span = listed.address.path, listed.address.parts.path
    what = generator_artifacts.ASSET_ENDINGS.get(ending_of(path))
    if what is not None and not generator_artifacts.PAGE_NAMES_LIKE_ASSETS.search(path):
        yield Problem(listed.part(*span), f"{quoted(path)} is {what}, not a page; remove it", drop_entry(listed))


_LINE = b"https://example.com/\n"


@reader_info("Q002", cites=("sitemaps-protocol", "google-combine"), kinds=Has.LOCS)
@bad(data=lambda: _LINE * 45_001, marks=((0, 0),), title="a list of 45,001 URLs")
@good(data=lambda: _LINE * 45_000, title="a list of 45,000 URLs")
def nearly_full(sitemap: Sitemap) -> Iterator[Problem]:
    """A file is close to a limit.

    Engines reject a file with more than 50,000 entries or 50 MiB before compression. A growing site exceeds the limit
    unnoticed. Extensions such as images count toward the size.
    """
    share = sitemap.context.thresholds.nearly_full_share
    limits = (
        (len(sitemap.columns), MAX_INDEX_ENTRIES if sitemap.kind.lists_sitemaps else MAX_URLS, "entries"),
        (sitemap.document.envelope.size, MAX_BYTES, "bytes"),
    )
    for number, limit, unit in limits:
        if share * limit < number <= limit:
            yield Problem(
                sitemap.root_tag,
                f"{number:,} {unit} are {number / limit:.0%} of the limit of {limit:,}; split the file",
            )


@reader_info("Q003", cites=("sitemaps-protocol",), kinds=Has.LOCS)
@good("<loc>https://example.com/</loc>")
def large_without_gzip(sitemap: Sitemap) -> Iterator[Problem]:
    """A large file is not compressed.

    Gzip compresses sitemaps to about a tenth, and all engines support it. The limit of 50 MiB applies to the
    uncompressed size.
    """
    envelope = sitemap.document.envelope
    if envelope.compression is None and envelope.size > sitemap.context.thresholds.gzip_advice_bytes:
        yield Problem(sitemap.root_tag, f"{envelope.size:,} bytes uncompressed; compress it with gzip to about a tenth")


@reader_info("Q005", cites=("sitemaps-protocol", "google-build"), needs=ADDRESS, kinds=Has.LOCS)
@bad(
    '«<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">»'
    "<url><loc>https://example.com/a/b/c</loc></url></urlset>",
    at="https://example.com/a/b/sitemap.xml",
)
@good("<loc>https://example.com/a</loc>", at="https://example.com/sitemap.xml")
@good("<loc>https://example.com/a</loc>", at="https://example.com/?map=/a/b/")
@good("<loc>https://example.com/a</loc>", at="https://example.com")
def sitemap_not_at_root(sitemap: Sitemap) -> Iterator[Problem]:
    """A sitemap is in a folder.

    It only covers URLs in that folder unless it is submitted in Search Console. At the root, it covers the whole site.
    """
    address = sitemap.address
    if address is not None and address.is_web and address.path.count("/") > 1:
        folder = address.path.rpartition("/")[0] + "/"
        message = f"the sitemap is in {quoted(folder)} and only covers URLs below it; move it to the root"
        yield Problem(sitemap.root_tag, message)


_OLD = "<url><loc>https://example.com/{}</loc><lastmod>{}</lastmod></url>"
_ISO = lazy_pattern(r"[0-9]{4}(?:-[0-9]{2}){0,2}(?:T.*)?")
_LOOKED_AT = 65_536
"""bytes of a comment that are searched"""
_ONE_OF_SEVERAL = lazy_pattern(r"[0-9][^/]*$")


@reader_info("Q014", cites=("general-knowledge",), kinds=Has.URL_ELEMENTS)
@bad(_OLD.format("a", "2024-01-01") + _OLD.format("b", "«2024-03-01T10:00:00Z»"))
@good(_OLD.format("a", "2020-01-01T10:00:00Z") + _OLD.format("b", "2026-03-01T10:00:00Z"))
@good(_OLD.format("a", "2019-05-01T10:00:00Z"), at="https://example.com/sitemap-posts-2019.xml")
@good("<loc>https://example.com/</loc>")
def stale_sitemap(sitemap: Sitemap) -> Iterator[Problem]:
    """No date in the file is recent.

    Either the site does not change, or the sitemap is no longer regenerated and new pages are missing. Files with a
    number or a year in their name belong to a series and are not reported.
    """
    if _ONE_OF_SEVERAL.search((sitemap.document.url or sitemap.document.name).partition("?")[0]):
        return
    dates = sitemap.dates
    if not dates:
        return
    newest = Moment.parse(max(dates))  # offsets change the text order only within a day
    interval = newest.certain_interval()
    if interval is None or interval[1] is None:
        return
    days = (sitemap.context.now - interval[1]).days
    all_iso = not sitemap.rows_with(Signal.ODD_DATE) or all(map(_ISO.fullmatch, dates))
    if all_iso and days > sitemap.context.thresholds.stale_days:
        row = next(row for row, lastmod in enumerate(sitemap.columns.lastmods) if (lastmod or "").strip() == newest.raw)
        yield Problem(
            ListedPage(sitemap, row).whole("lastmod"),
            f"the newest of {sum(sitemap.dates.values()):,} dates is {days:,} days old; "
            "check that the sitemap is regenerated",
        )


@reader_info("Q017", cites=("seen-in-the-wild",), kinds=Has.LOCS)
@bad(
    "<url><loc>https://example.com/</loc></url>\n«<!-- db=10.0.0.5 -->»",
    fixed="<url><loc>https://example.com/</loc></url>",
)
@bad(
    "<url><loc>https://example.com/</loc></url>\n«<!-- Memory for sitemap: 2MB; Total queries: 31 -->»",
    "<url>«<!-- /var/www/export.php -->»<loc>https://example.com/<!-- /var/www/export.php --></loc></url>",
    '<url><loc>https://example.com/</loc></url>\n«<!-- sitemap-generator-version="4.0.8" -->»',
)
@good(
    "<url><!-- products --><loc>https://example.com/</loc></url>",
    "<url><!-- urlset: ignore L013 --><loc>https://example.com/#a</loc></url>",
    "<url><loc>https://example.com/</loc></url><!-- made by hand on 15 November -->",
    "<url><loc>https://example.com/</loc></url><!-- version 2 of our host list -->",
)
def telltale_comment(sitemap: Sitemap) -> Iterator[Problem]:
    """A comment exposes internal details.

    Host addresses, folders, queries, and software versions do not help search engines, but they help attackers.
    """
    data = sitemap.data
    found: list[tuple[Place, bytes]] = []
    for place in sitemap.columns.comments:
        end = min(place.end, place.offset + _LOOKED_AT)
        stated = generator_artifacts.TELLTALE_COMMENT.search(data, place.offset, end)
        if stated is not None:
            found.append((place, stated[0]))
    if found:
        first, stated_first = found[0]
        many = f" ({len(found):,} such comments)" if len(found) > 1 else ""
        edits = tuple(Edit(with_its_line(data, place), b"") for place, _ in found)
        yield Problem(
            first,
            f"comment exposes internal details: {quoted(stated_first.decode('utf-8', 'replace'))}{many}; remove it",
            Fix("remove the comments with internal details", edits, Safety.SAFE),
            count=len(found),
            places=[place for place, _ in found],
        )
